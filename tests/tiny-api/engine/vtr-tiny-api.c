/* The tiny API for the engine: the table of its tables. */
#include "vtr-tiny-engine.h"

const VtrApi vtr_api_tiny = {
  .name = "tiny",
  .host = &vtr_tiny_host_api,
};
