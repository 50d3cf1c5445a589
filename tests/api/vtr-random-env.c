/* The state of the program's objects that random trees assume, for builds in which Vulkan is the
 * only API. */
#include "vtr-random-tree.h"

const VtrApiEnv *
vtr_random_env_of (VtrCmdId cmd,
                   uint64_t seed)
{
  return &vtr_random_env;
}
