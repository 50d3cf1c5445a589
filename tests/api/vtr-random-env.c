/* The state of the program's objects that random trees assume. */
#include "vtr-random-tree.h"

#include "api/vtr-api-model.h"

const VtrApiEnv *
vtr_random_env_of (VtrCmdId cmd,
                   uint64_t seed)
{
  return vtr_cmd_is_gl (cmd) ? vtr_random_gl_env (seed) : &vtr_random_env;
}
