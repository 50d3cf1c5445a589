/* Shader source text with syntax highlighting, line numbers and search. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * VtrShaderText:
 *
 * Follows the dark style. Ctrl+F opens its search.
 *
 * Signals, while it is editable: "edited" (): by the user; "apply" (): Ctrl+Return.
 * Threading: main.
 */
#define VTR_TYPE_SHADER_TEXT (vtr_shader_text_get_type ())
G_DECLARE_FINAL_TYPE (VtrShaderText, vtr_shader_text, VTR, SHADER_TEXT, GtkWidget)

GtkWidget *vtr_shader_text_new (void);
/* @language: "glsl", "spirv-asm", "c", …; NULL: plain. Keeps the place when @text is what is shown already. */
void vtr_shader_text_set_text (VtrShaderText *self,
                               const char    *text,
                               const char    *language);
/* Whether the user may change it, and take that back; not at first. */
void vtr_shader_text_set_editable (VtrShaderText *self,
                                   gboolean       editable);
/* Marks a line, from 1, as wrong; 0: none. */
void vtr_shader_text_mark_line (VtrShaderText *self,
                                guint          line);
/* Puts the cursor there. */
void vtr_shader_text_go_to_line (VtrShaderText *self,
                                 guint          line);
/* As it was set, or edited. NULL: nothing was. (transfer none) */
const char *vtr_shader_text_get_text (VtrShaderText *self);
/* @step 0: opens the search and goes to its entry; 1, -1: the next and the previous match. */
void vtr_shader_text_find (VtrShaderText *self,
                           int            step);

G_END_DECLS
