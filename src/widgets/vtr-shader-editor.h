/* The shader editor: keeps what the user wrote, compiles it in a worker thread, and uses it in
 * all replays of the document. */
#pragma once

#include "engine/model/vtr-shader-list.h"
#include "engine/shader/vtr-shader-compile.h"
#include "session/vtr-session.h"
#include "widgets/vtr-shader-text.h"

G_BEGIN_DECLS

/**
 * VtrShaderEditor:
 *
 * A bar above a VtrShaderText with *Apply* and *Revert*, and what a compiler said. What was written
 * stays with its shader while others are looked at.
 *
 * Signals: "reverted" (): the text is to be loaded again.
 * Threading: main.
 */
#define VTR_TYPE_SHADER_EDITOR (vtr_shader_editor_get_type ())
G_DECLARE_FINAL_TYPE (VtrShaderEditor, vtr_shader_editor, VTR, SHADER_EDITOR, GtkWidget)

GtkWidget *vtr_shader_editor_new (VtrShaderText *text);
/* Forgets everything that was written. */
void vtr_shader_editor_set_session (VtrShaderEditor *self,
                                    VtrSession      *session);
/* @shader is shown in @form (a number of the caller's), whose text is of @kind. What was written of it
 * is shown again. */
void vtr_shader_editor_show (VtrShaderEditor   *self,
                             VtrShader         *shader,
                             guint              form,
                             VtrShaderTextKind  kind);
/* Nothing that could be edited is shown. */
void vtr_shader_editor_hide (VtrShaderEditor *self);
/* Begins to edit what is shown. */
void vtr_shader_editor_begin (VtrShaderEditor *self);
void vtr_shader_editor_apply (VtrShaderEditor *self);
void vtr_shader_editor_revert (VtrShaderEditor *self);
/* Whether @shader has a text that was written in @form. */
gboolean vtr_shader_editor_has_draft (VtrShaderEditor *self,
                                      VtrShader       *shader,
                                      guint            form);
/* What was said of the last text that was applied; NULL: it works, or none was. (transfer none) */
const char *vtr_shader_editor_get_problem (VtrShaderEditor *self);

G_END_DECLS
