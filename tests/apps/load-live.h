/* What a load may have beside its draws: a window that it presents to, and resources that merely live.
 *
 * Threading: one at a time.
 */
#pragma once

#include "vtr-app-window.h"

#define LIVE_SIZE (16u << 20) /* bytes of each buffer and image */
#define LIVE_MAX 256u

typedef struct
{
  xcb_connection_t *connection; /* NULL: there is no window */
  VtrAppWindow window;
  VkCommandBuffer commands; /* brings the window's images into the layout to present in */
  VtrAppBuffer buffers[LIVE_MAX];
  VtrAppImage images[LIVE_MAX];
  uint32_t n_buffers;
  uint32_t n_images;
} LoadLive;

/* Fills @buffers_mib and @images_mib MiB with noise that no compressor makes smaller. */
void load_live_init (LoadLive  *self,
                     VtrAppGpu *gpu,
                     bool       window,
                     uint32_t   buffers_mib,
                     uint32_t   images_mib);
void load_live_finish (LoadLive  *self,
                       VtrAppGpu *gpu);

/* Ends a frame by presenting; does nothing without a window. */
void load_live_present (LoadLive  *self,
                        VtrAppGpu *gpu);
