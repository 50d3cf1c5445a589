/* Filling a VtrShaderList, for those that know an API. */
#pragma once

#include "engine/model/vtr-shader-list.h"

G_BEGIN_DECLS

/* A shader that @object is (@nth: VTR_SHADER_MODULE), or that stage @nth of it carries. @suffix: (nullable): said after the
 * object's name. @path: taken. (transfer none) */
VtrShader *vtr_shader_list_add (VtrShaderList   *self,
                                VtrHistory      *history,
                                const VtrObject *object,
                                guint32          nth,
                                const char      *suffix,
                                char            *path);
/* @code: (nullable): there is none, for @reason. @reason: (nullable): taken. */
void vtr_shader_set_code (VtrShader *self,
                          GBytes    *code,
                          GError    *reason);
/* Bits of VtrShaderStage, besides those of its entry points and users. */
void vtr_shader_add_stages (VtrShader *self,
                            guint32    stages);
/* It is bound by itself, for @work draws and dispatches. */
void vtr_shader_set_alone (VtrShader *self,
                           guint64    work);
/* A stage of a pipeline that runs @shader, and is found by it. */
void vtr_shader_list_add_user (VtrShaderList       *self,
                               VtrShader           *shader,
                               const VtrShaderUser *user);

G_END_DECLS
