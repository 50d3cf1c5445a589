/* Turns the replayer's outcome of a request into an error, with text that is safe to show.
 *
 * Threading: any. */
#pragma once

#include "engine/replay/vtr-replay-backend.h"
#include "wire/vtr-replay-message.h"

G_BEGIN_DECLS

/* @resource_error: (nullable): why a resource could not be read. Returns: (transfer full)
 * (nullable): why the request failed, NULL if it did not. */
GError *vtr_replay_outcome_to_error (const Vtr__Replay__Outcome *outcome,
                                     const GError               *resource_error);

/* A text from another process, as valid UTF-8 without characters that control terminals. (transfer
 * full) */
char *vtr_replay_words (const char *said);

/* Like vtr_replay_words (), but of @n bytes without a zero, however many. (transfer full) */
char *vtr_replay_words_of (const char *said,
                           gsize       n);

G_END_DECLS
