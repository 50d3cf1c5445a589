/* Starts a program with the entry libraries of all APIs loaded. */
#pragma once

#include "engine/capture/vtr-capture-options.h"

G_BEGIN_DECLS

/* The file that the options mean, if it can be run. (transfer full) */
char *vtr_capture_find_program (const VtrCaptureOptions  *options,
                                GError                  **error);

/* Starts the program as the leader of a process group. @socket_path: what the layer connects to.
 * The caller watches the child. Returns: 0 with a sentence in @error. */
GPid vtr_capture_launch (const VtrCaptureOptions  *options,
                         const char               *socket_path,
                         GError                  **error);

/* Every recorded program costs some open files: takes as many as the user may have. The launched
 * program keeps the limit that Vitrine was started with. Threading: main. */
void vtr_capture_raise_file_limit (void);

/* The default path of a trace: PROGRAM-DATE.gfxtrace in the documents folder or the current folder.
 * (transfer full) */
char *vtr_capture_default_output (const char *program);

G_END_DECLS
