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
 * What the walkers learn from whoever knows the state of objects. Any of it, and the whole
 * environment, may be NULL: then the answer is "unknown". What is unknown is not followed where
 * memory of a live application is read (observe, encode), and is followed where the tree was
 * decoded from observations, since an ignored pointer was not observed and is NULL there.
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
  /* What the rules of the API know of its objects: a struct of the API's own, such as VtrVulkanEnv. */
  const void *state;
  /* What text and JSON show of the name of an object. Absent: the name. */
  uint64_t (*shown_name) (void *data,
                          uint64_t name);
} VtrApiEnv;
