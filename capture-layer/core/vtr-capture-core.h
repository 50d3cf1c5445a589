/* The APIs that the core of the capture layer records.
 *
 * Threading: any. An API that was added stays. */
#pragma once

#include "vtr-capture-api.h"

/* How many APIs a process can have. */
#define VTR_CAPTURE_MAX_APIS 4u

/* Makes @api known. Once for each API, before any of its calls is recorded: from a constructor of its library. Returns:
 * false where there are too many. */
bool vtr_capture_core_add_api (const VtrCaptureApi *api);

/* Returns: the @nth API from 0 on, in the order in which they were added; NULL: there are no more. */
const VtrCaptureApi *vtr_capture_core_get_api (unsigned nth);

/* Returns: the API that has @cmd; NULL: none that was added. */
const VtrCaptureApi *vtr_capture_core_find_api (VtrCmdId cmd);
