/* The parts of vtr_sandbox_enter ().
 *
 * Threading: as it. */
#pragma once

#include "sandbox/vtr-sandbox.h"

/* Guards files, and what else Landlock knows. @visit: (nullable): visits the files that drivers need, which
 * may be opened then, with the system's; without, no file may. Returns: its version in force, 0: none. */
uint32_t vtr_sandbox_guard_files (VtrSandboxVisit visit);

/* Filters system calls. @opens: files may be opened and made in memory. @listener: (out) (nullable): a
 * descriptor that receives requests to make files in memory, and to remove and rename files; -1: the kernel
 * has no such requests. NULL: none are sent. Returns: false if calls cannot be filtered. */
bool vtr_sandbox_filter_calls (bool  opens,
                               int  *listener);
