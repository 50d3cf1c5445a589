/* The state of objects that the tiny API's rules need: the type of VtrApiEnv.state in walks over
 * its calls. */
#pragma once

#include "api/vtr-api-env.h"

/* State of the context that is current on the thread of the call. */
typedef struct
{
  VtrTristate store_bound; /* VTR_YES: pointers to texels and points are offsets into the bound store */
} VtrTinyEnv;
