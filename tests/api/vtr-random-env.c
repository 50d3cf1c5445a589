/* What random trees take for the state of the program's objects, where Vulkan is the only API. */
#include "vtr-random-tree.h"

const VtrApiEnv *
vtr_random_env_of (VtrCmdId cmd,
                   uint64_t seed)
{
  return &vtr_random_env;
}
