/* A window that chooses the program to capture: an installed application or a file. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Signal: "chosen" (gchar *name, gchar *program, gchar *arguments). */
#define VTR_TYPE_PROGRAM_CHOOSER (vtr_program_chooser_get_type ())
G_DECLARE_FINAL_TYPE (VtrProgramChooser, vtr_program_chooser, VTR, PROGRAM_CHOOSER, AdwWindow)

VtrProgramChooser *vtr_program_chooser_new (GtkWindow *parent);

/* @text quoted for a shell, or unquoted if it needs no quotes. (transfer full) */
char *vtr_quote_word (const char *word);
/* Splits the command line of a desktop file: "vkcube --c 60 %U" → "vkcube", "--c 60". Returns:
 * FALSE if it contains no program. */
gboolean vtr_split_command_line (const char  *command_line,
                                 char       **program,
                                 char       **arguments);

G_END_DECLS
