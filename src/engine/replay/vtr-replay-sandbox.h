/* How well the replayer is locked down (src/sandbox/vtr-sandbox.h).
 *
 * Threading: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean on;      /* not switched off (VITRINE_SANDBOX=0) */
  guint landlock;   /* version in force, 0: files are not guarded */
  gboolean calls;   /* system calls are filtered */
  gboolean counted; /* files in memory are made by the engine, which counts them */
} VtrReplaySandbox;

/* Notes the report of the last replayer of this process about its sandbox. */
void vtr_replay_sandbox_note (const VtrReplaySandbox *said);

/* Notes that the kernel does not let another process make files in memory for a replayer. */
void vtr_replay_sandbox_note_uncounted (void);

/* That, or before there was a replayer what the kernel offers one. */
VtrReplaySandbox vtr_replay_sandbox_get (void);

/* "full", "partial" or "off". (transfer none) */
const char *vtr_replay_sandbox_name (const VtrReplaySandbox *self);

/* A sentence about missing protections. Returns: NULL: none is missing. (transfer full) */
char *vtr_replay_sandbox_explain (const VtrReplaySandbox *self);

G_END_DECLS
