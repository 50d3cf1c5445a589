/* The data with which the replay machine calls the tiny API. Threading: any (constants). */
#pragma once

#include "../../../replayer/machine/vtr-vm-signature.h"

#include "api/vtr-api-ids.h"

/* By id - VTR_TINY_FIRST_ID. */
extern const VtrVmSignature vtr_tiny_signatures[VTR_TINY_N_COMMANDS];

extern const VtrVmSignatures vtr_vm_signatures_tiny;
