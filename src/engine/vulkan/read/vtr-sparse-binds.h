/* Lists the memory that a vkQueueBindSparse binds. */
#pragma once

#include <glib.h>

#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* Calls @each for the memory of every bind of @info, of buffers, images and tiles, as often as it is
 * named; VK_NULL_HANDLE where pages are taken away. Lists that a trace lacks are passed by. Threading:
 * any. */
void vtr_sparse_binds_foreach_memory (const VkBindSparseInfo *info,
                                      void (*each) (VkDeviceMemory memory,
                                                    gpointer data),
                                      gpointer data);

G_END_DECLS
