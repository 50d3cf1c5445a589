/* Reads the output of the replayer: messages of drivers, layers and sanitizers.
 *
 * The replayer has a pipe instead of our standard output and error. A driver that a trace has taken
 * over could otherwise read input from our terminal and write escape sequences to it. A thread here
 * reads the pipe and prints each line on our standard error, without control characters.
 *
 * Threading: one at a time; the thread that prints is its own. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VtrReplayOutput VtrReplayOutput;

/* Makes the pipe and begins to read it.
 * @writer: (out): the descriptor to write to, close-on-exec; the caller closes it.
 * Returns: NULL with errno set. (transfer full) */
VtrReplayOutput *vtr_replay_output_new (int *writer);

/* Prints the rest of the pipe and ends. The process that writes to it has ended, or its later
 * output is lost. @self: (nullable) */
void vtr_replay_output_free (VtrReplayOutput *self);

G_END_DECLS
