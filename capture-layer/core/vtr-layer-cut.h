/* The records that an API writes when a recording begins in the middle of a run: calls that were
 * not made, and contents.
 *
 * Threading: the thread that cuts, while all others are outside of calls. */
#pragma once

#include "vtr-capture-core.h"
#include "vtr-layer-thread.h"

/* Commits a call, flagged initial. @thread: the calling one; @maker: gettid() of the thread that it is recorded for; 0: the
 * calling one. @env: answers the walkers; NULL: the namespace's. */
void vtr_cut_put_command (VtrLayerThread     *thread,
                          uint32_t            maker,
                          const VtrNamespace *names,
                          const VtrApiEnv    *env,
                          VtrCmdId            cmd,
                          const void         *args,
                          uint64_t            result);

/* A part of an image, or all of it. @texels: rows without gaps. */
typedef struct
{
  const VtrNamespace *names; /* in which it is named */
  VtrHandleId kind;
  uint64_t name;
  const char *format; /* "RGBA8_UNORM" */
  uint32_t level, layer;
  uint32_t width, height, depth;
  uint32_t word; /* what only the API reads */
  const void *texels;
  size_t size;
} VtrCutImage;

/* Contents stand where they are to be written: behind the call that makes the image, and in front of the first one that ends
 * a name while its object lives, since writing may have to bind what was bound before. */
void vtr_cut_put_image (VtrLayerThread    *thread,
                        const VtrCutImage *image);
