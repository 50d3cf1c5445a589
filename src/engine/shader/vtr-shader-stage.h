/* The stages of a pipeline that run shader code, and the words for them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bits, so that a number can hold a set of them. */
typedef enum
{
  VTR_SHADER_STAGE_VERTEX = 1 << 0,
  VTR_SHADER_STAGE_TESSELLATION_CONTROL = 1 << 1,
  VTR_SHADER_STAGE_TESSELLATION_EVALUATION = 1 << 2,
  VTR_SHADER_STAGE_GEOMETRY = 1 << 3,
  VTR_SHADER_STAGE_FRAGMENT = 1 << 4,
  VTR_SHADER_STAGE_COMPUTE = 1 << 5,
  VTR_SHADER_STAGE_TASK = 1 << 6,
  VTR_SHADER_STAGE_MESH = 1 << 7,
  VTR_SHADER_STAGE_RAYGEN = 1 << 8,
  VTR_SHADER_STAGE_ANY_HIT = 1 << 9,
  VTR_SHADER_STAGE_CLOSEST_HIT = 1 << 10,
  VTR_SHADER_STAGE_MISS = 1 << 11,
  VTR_SHADER_STAGE_INTERSECTION = 1 << 12,
  VTR_SHADER_STAGE_CALLABLE = 1 << 13,
  VTR_SHADER_STAGE_SUBPASS = 1 << 14,
} VtrShaderStage;

/* "vertex", "raygen", …: a stage as it stands in paths; "" for none. */
const char *vtr_shader_stage_word (VtrShaderStage stage);
/* "Vertex", "Ray generation": a stage in words for people. Translated. */
const char *vtr_shader_stage_label (VtrShaderStage stage);

G_END_DECLS
