/* Questions about the state of objects, which the tables cannot answer; callers of the walkers answer them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum
{
  VTR_NO = 0,
  VTR_YES = 1,
  VTR_UNKNOWN = 2,
} VtrTristate;

/**
 * VtrApiEnv:
 *
 * Functions with which the walkers ask about the state of objects. Each of them, and the whole
 * environment, may be NULL: then the answer is "unknown". If it is unknown whether a pointer is
 * used, the walkers do not follow it where they read memory of a live application (observe,
 * encode), and follow it where the tree was decoded from observations, since an ignored pointer was
 * not observed and is NULL there.
 * Threading: called on the thread of the walk.
 */
typedef struct
{
  void *data;
  /* The tree is the result of vtr_api_decode() or vtr_api_copy(): follow what is not NULL. */
  bool decoded;
  /* Asked where the rules cannot tell whether a pointer is ignored, and of all pointers behind such
   * a one: whether the bytes can be read without a fault. Absent: such pointers are not followed
   * (unless .decoded). */
  bool (*readable) (void *data,
                    const void *address,
                    size_t size);
  /* The data of the API's rules about its objects: a struct of the API's own, such as
   * VtrVulkanEnv. */
  const void *state;
  /* The name of an object as shown in text and JSON. NULL: the name itself. */
  uint64_t (*shown_name) (void *data,
                          uint64_t name);
} VtrApiEnv;
