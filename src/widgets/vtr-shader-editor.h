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
 * A bar above a VtrShaderText with *Apply*, *Revert* and the messages of the compiler. Edited text
 * is kept with its shader while other shaders are shown.
 *
 * Signals: "reverted" (): the caller must load the text again.
 * Threading: main.
 */
#define VTR_TYPE_SHADER_EDITOR (vtr_shader_editor_get_type ())
G_DECLARE_FINAL_TYPE (VtrShaderEditor, vtr_shader_editor, VTR, SHADER_EDITOR, GtkWidget)

GtkWidget *vtr_shader_editor_new (VtrShaderText *text);
/* Drops all edited texts. */
void vtr_shader_editor_set_session (VtrShaderEditor *self,
                                    VtrSession      *session);
/* Shows @shader in @form (a number that the caller chooses), whose text is of @kind. Restores an
 * edited text of this shader. */
void vtr_shader_editor_show (VtrShaderEditor   *self,
                             VtrShader         *shader,
                             guint              form,
                             VtrShaderTextKind  kind);
/* Nothing editable is shown. */
void vtr_shader_editor_hide (VtrShaderEditor *self);
/* Starts editing the text that is shown. */
void vtr_shader_editor_begin (VtrShaderEditor *self);
void vtr_shader_editor_apply (VtrShaderEditor *self);
void vtr_shader_editor_revert (VtrShaderEditor *self);
/* Whether @shader has an edited text in @form. */
gboolean vtr_shader_editor_has_draft (VtrShaderEditor *self,
                                      VtrShader       *shader,
                                      guint            form);
/* The error of the last applied text; NULL: it works, or none was applied. (transfer none) */
const char *vtr_shader_editor_get_problem (VtrShaderEditor *self);

G_END_DECLS
