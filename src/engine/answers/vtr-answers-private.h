/* VtrAnswers itself, for the files that answer paths. */
#pragma once

#include "engine/answers/vtr-answers.h"
#include "engine/jobs/vtr-memo.h"

G_BEGIN_DECLS

struct _VtrAnswers
{
  VtrAnalysis *analysis;
  VtrReplaySession *session; /* borrowed */
  VtrTraceLists *lists;      /* borrowed */
  VtrMemo *json;             /* path → JsonNode (sealed), on the resolve pool */
  VtrMemo *surveys;          /* the same for answers that take a pass over the trace, on the I/O pool */
};

G_END_DECLS
