/* Answers the questions of the walkers about the tiny API: a member of its VtrApiModel. */
#include "vtr-tiny-env.h"

#include "api/vtr-api-rules.h"

VtrApiAnswer vtr_tiny_answer;

bool
vtr_tiny_answer (const VtrApiWalk *walk,
                 unsigned          question,
                 int64_t           operand,
                 int64_t          *out)
{
  const VtrTinyEnv *env = walk->env == NULL ? NULL : walk->env->state;

  switch ((VtrTinyQuestion)question)
    {
    case VTR_TINY_ASK_STORE_BOUND:
      if (env == NULL || env->store_bound == VTR_UNKNOWN)
        return false;
      *out = env->store_bound == VTR_YES;
      return true;
    }
  return false;
}
