/* Lists the tiny API's tables for the engine (VtrApi). */
#include "vtr-tiny-build.h"

#include "vtr-tiny-memory.h"
#include "vtr-tiny-scopes.h"
#include "vtr-tiny-show.h"
#include "vtr-tiny-state.h"
#include "vtr-tiny-text.h"

#include "tests/tiny-api/engine/vtr-tiny-config.h"

const VtrApi vtr_api_tiny = {
  .name = "tiny",
  .text_domain = VTR_TINY_TEXT_DOMAIN,
  .text_folder = VTR_TINY_TEXT_FOLDER,
  .host = &vtr_tiny_host_api,
  .scopes = &vtr_tiny_scopes,
  .state = &vtr_tiny_state,
  .memory = &vtr_tiny_memory,
  .show = &vtr_tiny_show,
  .build = &vtr_tiny_build,
};
