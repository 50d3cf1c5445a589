/* The common part of the replayer's tests on a real driver: a device, the messages it sends back,
 * images and buffers. */
#pragma once

#include "payload.h"

#include <string.h>

typedef struct
{
  GHashTable *posts; /* id → GBytes */
  GString *messages;
} Log;

typedef struct
{
  VtrReplayBackend *backend;
  Payload payload;
  Device device;
  Log log;
  VtrReplayOutcome outcome;
} Fixture;

typedef struct
{
  guint32 buffer, memory;
} Buffer;

extern const VtrReplayEvents log_events;          /* into a Log */
extern const VkImageSubresourceRange whole_color; /* all of a colour image */

GBytes *log_get (Log     *self,
                 guint64  post);

void log_init (Log *self);
void log_clear (Log *self);

/* With a device (Fixture.device) made by the payload's first instructions. */
void fixture_set_up (Fixture       *self,
                     gconstpointer  data);
void fixture_tear_down (Fixture       *self,
                        gconstpointer  data);
gboolean fixture_run (Fixture  *self,
                      guint32   flags,
                      GError  **error);

/* A plain two-dimensional one, with TRANSFER_DST. */
VkImageCreateInfo image_info (VkFormat          format,
                              guint32           width,
                              guint32           height,
                              VkImageUsageFlags usage);

/* Clears an image to @color (depth and stencil: a VkClearDepthStencilValue in it), leaves it in
 * @layout. */
void clear_image (Fixture                       *self,
                  guint32                        image,
                  const VkClearColorValue       *color,
                  const VkImageSubresourceRange *range,
                  VkImageLayout                  layout);

/* With memory of its own. */
Buffer make_buffer (Fixture *self,
                    guint64  size);

/* @kind: VTR_HANDLE_VkBuffer or VTR_HANDLE_VkDeviceMemory */
void read_bytes (Fixture *self,
                 guint    kind,
                 guint32  object,
                 guint64  offset,
                 guint64  size,
                 guint64  post);
