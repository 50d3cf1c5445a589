/* The parts of vtr_sandbox_enter ().
 *
 * Threading: as it. */
#pragma once

#include "vtr-sandbox.h"

/* Called with every path that a driver needs: @folder: with what lies below. */
typedef void (*VtrSandboxAllow) (void *data, const char *path, bool folder);

/* Guards files, and what else Landlock knows. Returns: its version in force, 0: none. */
uint32_t vtr_sandbox_guard_files (void);

/* Filters system calls. Returns: whether. */
bool vtr_sandbox_filter_calls (void);

/* Visits where the Vulkan loader looks for drivers and layers outside of the system's folders, the
 * manifests there and the libraries that they name. */
void vtr_sandbox_visit_drivers (VtrSandboxAllow  allow,
                                void            *data);
