/* A window that chooses the program to capture: an installed application or a file. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Signal: "chosen" (gchar *name, gchar *program, gchar *arguments). */
#define VTR_TYPE_PROGRAM_CHOOSER (vtr_program_chooser_get_type ())
G_DECLARE_FINAL_TYPE (VtrProgramChooser, vtr_program_chooser, VTR, PROGRAM_CHOOSER, AdwWindow)

VtrProgramChooser *vtr_program_chooser_new (GtkWindow *parent);

/* As a shell wants it; unquoted where that is the same. (transfer full) */
char *vtr_quote_word (const char *word);
/* "vkcube --c 60 %U" → "vkcube", "--c 60". Returns: FALSE when there is no program in it. */
gboolean vtr_split_command_line (const char  *command_line,
                                 char       **program,
                                 char       **arguments);

G_END_DECLS
