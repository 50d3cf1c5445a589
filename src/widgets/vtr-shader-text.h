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
/* @language: "glsl", "spirv-asm", "c", …; NULL: plain. Keeps the scroll position if @text is shown
 * already. */
void vtr_shader_text_set_text (VtrShaderText *self,
                               const char    *text,
                               const char    *language);
/* Whether the user can edit the text, with undo. Initially not. */
void vtr_shader_text_set_editable (VtrShaderText *self,
                                   gboolean       editable);
/* Marks a line, counted from 1, as erroneous; 0: none. */
void vtr_shader_text_mark_line (VtrShaderText *self,
                                guint          line);
/* Moves the cursor to a line. */
void vtr_shader_text_go_to_line (VtrShaderText *self,
                                 guint          line);
/* The current text, as set or edited. NULL: none was set. (transfer none) */
const char *vtr_shader_text_get_text (VtrShaderText *self);
/* @step 0: opens the search and focuses its entry; 1, -1: goes to the next or previous match. */
void vtr_shader_text_find (VtrShaderText *self,
                           int            step);

G_END_DECLS
