/* Answers to any question about one trace, by path, as JSON. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/model/vtr-trace-lists.h"
#include "engine/replay-session/vtr-replay-session.h"
#include "engine/state/vtr-analysis.h"

G_BEGIN_DECLS

/**
 * VtrAnswers:
 *
 * Asks the analysis of the trace, its lists and its replay session. An answer is made once, kept while there is room,
 * and shared; callers who ask for the same are joined. Threading: any.
 */
typedef struct _VtrAnswers VtrAnswers;

/* Takes a reference to @analysis; @session and @lists are borrowed and must outlive it. */
VtrAnswers *vtr_answers_new (VtrAnalysis      *analysis,
                             VtrReplaySession *session,
                             VtrTraceLists    *lists);
/* Cancels the requests in progress and waits for them. */
void vtr_answers_free (VtrAnswers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrAnswers, vtr_answers_free)

/* The answer to any path: "commands/12", "commands/12/parameters/pCreateInfo/extent/width", "commands/12/state",
 * "frames/3", "report", … Blocks. Returns: (transfer full): sealed. Errors: VTR_RESOLVE_ERROR; those of the trace and of
 * replays. */
JsonNode *vtr_answers_get (VtrAnswers    *self,
                           const char    *path,
                           GCancellable  *cancellable,
                           GError       **error);
/* Like vtr_answers_get (), on a worker thread. @source: the result's source object, which has to keep @self. */
void vtr_answers_get_async (VtrAnswers          *self,
                            gpointer             source,
                            const char          *path,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             data);
JsonNode *vtr_answers_get_finish (GAsyncResult  *result,
                                  GError       **error);

G_END_DECLS
