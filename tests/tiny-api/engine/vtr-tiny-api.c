/* Lists the tiny API's tables for the engine (VtrApi). */
#include "vtr-tiny-build.h"

#include "vtr-tiny-memory.h"
#include "vtr-tiny-scopes.h"
#include "vtr-tiny-show.h"
#include "vtr-tiny-state.h"

const VtrApi vtr_api_tiny = {
  .name = "tiny",
  .host = &vtr_tiny_host_api,
  .scopes = &vtr_tiny_scopes,
  .state = &vtr_tiny_state,
  .memory = &vtr_tiny_memory,
  .show = &vtr_tiny_show,
  .build = &vtr_tiny_build,
};
