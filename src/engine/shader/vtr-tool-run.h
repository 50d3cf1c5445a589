/* Runs a program that reads bytes and answers with bytes, such as a shader compiler.
 *
 * GSubprocess is not used: g_subprocess_communicate() continues on GLib's threads after it has
 * returned, and when it is cancelled, its descriptors are never closed. Here the calling thread
 * does everything, and nothing is left behind.
 *
 * Threading: any. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GBytes *out; /* from its standard output */
  char *words; /* from standard error, the first of them; valid UTF-8, without space around them */
  int status;  /* as of waitpid() */
} VtrToolRun;

/**
 * vtr_tool_run:
 * @argv: the program's path and arguments @environment: (nullable): its environment, else ours
 * @input: (nullable): its standard input, as a file
 * @self: (out caller-allocates): on success for vtr_tool_run_clear()
 *
 * Runs @argv and waits for its end and the end of its output. It need not read @input. A program
 * that has not ended when this function returns is killed and reaped.
 *
 * Returns: %FALSE when it was not run to its end. Errors: %G_IO_ERROR_CANCELLED;
 * %VTR_SHADER_ERROR_TOOL when it writes without end; of other domains when it cannot be started.
 */
gboolean vtr_tool_run (const char   *const *argv,
                       char               **environment,
                       GBytes              *input,
                       VtrToolRun          *self,
                       GCancellable        *cancellable,
                       GError             **error);
void vtr_tool_run_clear (VtrToolRun *self);

/* Whether it ended by itself and found nothing wrong. */
gboolean vtr_tool_run_is_success (const VtrToolRun *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VtrToolRun, vtr_tool_run_clear)

G_END_DECLS
