/* The tiny API for the engine: the table of its tables. */
#include "engine/api/vtr-api.h"

const VtrApi vtr_api_tiny = {
  .name = "tiny",
};
