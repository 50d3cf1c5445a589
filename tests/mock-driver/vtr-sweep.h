/* Calls by number (generated). */
#pragma once

#include "api/vtr-api-args.h"
#include "api/vtr-api-types.h"

/* @function: what vkGet…ProcAddr() answered for @cmd; @arguments: a VtrArgs_… of it.
 * Returns: the result, sign-extended if it is a VkResult, 0 for void. */
uint64_t sweep_invoke (VtrCmdId            cmd,
                       PFN_vkVoidFunction  function,
                       const void         *arguments);
