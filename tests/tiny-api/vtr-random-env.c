/* The state of the program's objects that random trees assume, for builds with the tiny API. */
#include "../api/vtr-random-tree.h"

#include "vtr-tiny-env.h"

#include "api/vtr-api-model.h"

static const VtrTinyEnv bound = { VTR_YES }, unbound = { VTR_NO };
static const VtrApiEnv tiny_envs[] = { { .state = &bound }, { .state = &unbound } };

/* One tree in three has a store bound. */
const VtrApiEnv *
vtr_random_env_of (VtrCmdId cmd,
                   uint64_t seed)
{
  if (vtr_cmd_is_gl (cmd))
    return vtr_random_gl_env (seed);
  if (vtr_api_of (cmd) != vtr_api_from_name ("tiny"))
    return &vtr_random_env;
  return &tiny_envs[seed % 3 != 0];
}
