/* The shaders of a trace, with their users, and the shaders bound at a command. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/model/vtr-fixed-list.h"
#include "engine/model/vtr-uses.h"
#include "engine/shader/vtr-shader-code.h"

G_BEGIN_DECLS

/* A pipeline's stage that runs the shader. */
typedef struct
{
  guint32 pipeline; /* object id; 0: a shader object bound by itself */
  guint32 nth;      /* stage of the pipeline */
  VtrShaderStage stage;
  guint64 draws, dispatches;
} VtrShaderUser;

/* A stage of a pipeline, or a shader that is bound by itself. */
typedef struct
{
  guint32 pipeline; /* object id */
  guint32 nth;      /* stage of it; VTR_SHADER_MODULE: a shader by itself */
  VtrShaderStage stage;
  char *entry;
  char *word; /* for paths: that of the stage, or its number where two stages share one */
} VtrBoundShader;

/**
 * VtrShader:
 *
 * A shader module, a shader object, or the code that a pipeline's stage carries itself. Immutable.
 * Properties: "name", "path". Threading: main (made on a worker and handed over).
 */
#define VTR_TYPE_SHADER (vtr_shader_get_type ())
G_DECLARE_FINAL_TYPE (VtrShader, vtr_shader, VTR, SHADER, GObject)

/* "shader module 12", or the program's name for it. */
const char *vtr_shader_get_name (VtrShader *self);
/* "objects/12/shader", "objects/15/shader/fragment": append "/glsl", "/disassembly", "/source",
   "/reflection". */
const char *vtr_shader_get_path (VtrShader *self);
guint32 vtr_shader_get_object (VtrShader *self);
guint32 vtr_shader_get_nth (VtrShader *self);
/* Bits of VtrShaderStage: of its entry points and users. */
guint32 vtr_shader_get_stages (VtrShader *self);
/* "Vertex", "Vertex, Fragment". */
const char *vtr_shader_get_stages_text (VtrShader *self);
/* NULL, or the reason why it cannot be read. */
const char *vtr_shader_get_problem (VtrShader *self);
/* NULL when it cannot be read. */
VtrSpirv *vtr_shader_get_spirv (VtrShader *self);
gsize vtr_shader_get_size (VtrShader *self); /* bytes */
/* XXH3-64 of the code: equal for equal shaders. */
guint64 vtr_shader_get_hash (VtrShader *self);
guint vtr_shader_get_n_users (VtrShader *self);
const VtrShaderUser *vtr_shader_get_user (VtrShader *self,
                                          guint      nth);
/* It is bound by itself, and not as part of a pipeline (a shader object). */
gboolean vtr_shader_is_alone (VtrShader *self);
/* Draws, dispatches and ray traces of all its users. */
guint64 vtr_shader_get_work (VtrShader *self);

/**
 * VtrShaderList:
 *
 * A GListModel of VtrShader in order of creation. Immutable. Threading: main (made on a worker).
 */
#define VTR_TYPE_SHADER_LIST (vtr_shader_list_get_type ())
G_DECLARE_FINAL_TYPE (VtrShaderList, vtr_shader_list, VTR, SHADER_LIST, VtrFixedList)

/* Blocks; any thread. */
VtrShaderList *vtr_shader_list_new (VtrHistory    *history,
                                    VtrUses       *uses,
                                    GCancellable  *cancellable,
                                    GError       **error);
/* (transfer none) */
VtrShader *vtr_shader_list_get (VtrShaderList *self,
                                guint          nth);
/* The shader that stage @nth of pipeline @object runs (or module @object, VTR_SHADER_MODULE).
   (transfer none) (nullable) */
VtrShader *vtr_shader_list_find (VtrShaderList *self,
                                 guint32        object,
                                 guint32        nth);

G_END_DECLS
