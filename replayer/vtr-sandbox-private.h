/* The parts of vtr_sandbox_enter ().
 *
 * Threading: as it. */
#pragma once

#include "vtr-sandbox.h"

/* Called with every path that a driver needs: @folder: with what lies below. */
typedef void (*VtrSandboxAllow) (void *data, const char *path, bool folder);

/* Guards files, and what else Landlock knows. @opens: those of drivers may be opened; without, no
 * file may. Returns: its version in force, 0: none. */
uint32_t vtr_sandbox_guard_files (bool opens);

/* Filters system calls. @opens: files may be opened and made in memory. @listener: (out) (nullable): a
 * descriptor that receives requests to make files in memory, and to remove and rename files; -1: the kernel
 * has no such requests. NULL: none are sent. Returns: false if calls cannot be filtered. */
bool vtr_sandbox_filter_calls (bool  opens,
                               int  *listener);

/* Visits where the Vulkan loader looks for drivers and layers outside of the system's folders, the
 * manifests there and the libraries that they name. */
void vtr_sandbox_visit_drivers (VtrSandboxAllow  allow,
                                void            *data);
