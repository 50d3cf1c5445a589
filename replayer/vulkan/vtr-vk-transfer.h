/* Reading and writing what a device holds: memory, images, queries, acceleration structures.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-objects.h"

/* --- Images ---------------------------------------------------------------------------------- */

/* The barriers to the layout in which @read's image is copied from, and back. */
void vtr_read_barrier (VtrReplayVk              *vk,
                       VtrTable                 *table,
                       VkCommandBuffer           commands,
                       const VtrReplayReadImage *read,
                       VkImageLayout             layout,
                       bool                      back);

/* Reads one sample, or sample 0 of depth and stencil, through a shader. Returns: false after
 * vtr_vm_fail(). */
bool vtr_read_sample (VtrReplayVk              *vk,
                      VtrTable                 *table,
                      const VtrReplayReadImage *read,
                      uint64_t                  size);

/* Fills rows of one sample of a multisampled image from the staging buffer. */
bool vtr_write_sample (VtrReplayVk               *vk,
                       VtrTable                  *table,
                       const VtrReplayWriteImage *write,
                       const VtrReplayImage      *image);

/* --- Queries --------------------------------------------------------------------------------- */

/* Enables what the engine's own queries need and the device offers. @features: where to put them if
 * @info has none. */
void vtr_queries_enable (VtrReplayVk              *vk,
                         VtrTable                 *table,
                         VkPhysicalDevice          physical,
                         VkDeviceCreateInfo       *info,
                         VkPhysicalDeviceFeatures *features);

/* --- Acceleration structures ----------------------------------------------------------------- */

void vtr_serialised_finish (VtrSerialised *self);

/* --- Members of VtrReplayerApi; @data is the VtrReplayVk -------------------------------------- */

void vtr_read_texels (void                      *data,
                      const VtrReplayReadTexels *texels);
void vtr_read_bytes (void                     *data,
                     const VtrReplayReadBytes *bytes);
void vtr_write_texels (void                       *data,
                       const VtrReplayWriteTexels *texels,
                       const void                 *source,
                       uint64_t                    size);
void vtr_write_bytes (void       *data,
                      uint32_t    kind,
                      uint64_t    object,
                      uint64_t    offset,
                      const void *source,
                      uint64_t    size);

/* --- Functions of the machine ---------------------------------------------------------------- */

uint64_t vtr_synthetic_reset_queries (void *context, const uint64_t *args);
uint64_t vtr_synthetic_read_queries (void *context, const uint64_t *args);
uint64_t vtr_synthetic_write_structure (void *context, const uint64_t *args);
