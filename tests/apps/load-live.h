/* Optional extras of vtr-app-load: a window that it presents to, and resources that exist but
 * are not drawn with.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-app-window.h"

#define LIVE_MAX 65536u /* resources of each kind */

/* The objects to keep alive. Zero: none. */
typedef struct
{
  uint32_t buffers_mib;
  uint32_t images_mib;
  uint32_t piece_kib; /* size of each; 0: 16 MiB. Images are the largest squares that fit */
  /* What the buffers are for: "storage", "address", or "mapped"; and the images: "target" or "storage".
   * NULL or "": to be read only. */
  const char *use;
  bool together; /* all of a kind lie in one allocation */
} LoadLiveWish;

typedef struct
{
  xcb_connection_t *connection; /* NULL: there is no window */
  VtrAppWindow window;
  VkCommandBuffer commands; /* brings the window's images into the layout to present in */
  VtrAppBuffer *buffers;
  VtrAppImage *images;
  uint32_t n_buffers;
  uint32_t n_images;
  VkDeviceMemory buffer_memory; /* of all buffers; or none */
  VkDeviceMemory image_memory;  /* of all images; or none */
} LoadLive;

/* Whether @wish needs the feature bufferDeviceAddress. */
bool load_live_needs_addresses (const LoadLiveWish *wish);

/* Fills all with noise that no compressor makes smaller. */
void load_live_init (LoadLive           *self,
                     VtrAppGpu          *gpu,
                     bool                window,
                     const LoadLiveWish *wish);
void load_live_finish (LoadLive  *self,
                       VtrAppGpu *gpu);

/* Ends a frame by presenting; does nothing without a window. */
void load_live_present (LoadLive  *self,
                        VtrAppGpu *gpu);
