/* The resources that demo-sparse.c shows, and demo-sparse-pages.c makes and binds.
 *
 * Threading: one at a time.
 */
#pragma once

#include "vtr-app-demo.h"

#define VTR_SPARSE_PAGE 65536u

typedef struct
{
  VtrAppPicture *picture;
  VkExtent3D tile;
  uint32_t tail; /* level */
} VtrSparsePicture;

typedef struct
{
  VkDeviceMemory memory;
  VkBuffer buffer;
} VtrSparseBrief;

typedef struct
{
  VtrAppDemo demo;
  VkDeviceMemory pool, mapped;
  uint8_t *map;
  uint32_t n_taken; /* pages of the pool */
  VtrSparsePicture stream, volume, whole, twins[2];
  VkBuffer holes, alias, ghost;
  VtrAppBuffer *staging, *copied;
  VkDeviceSize shared_page, whole_pages[2], whole_size, tiles;
  VkSemaphore bound, left, line;
  VkFence fence;
  VtrSparseBrief briefs[2];
  uint64_t random;
} VtrSparse;

/* Takes free pages of the pool for @size bytes. Returns: their offset in it. */
VkDeviceSize vtr_sparse_take (VtrSparse    *self,
                              VkDeviceSize  size);

/* These bind with nothing to wait for, and wait until it is done. */
void vtr_sparse_bind_buffer (VtrSparse      *self,
                             VkBuffer        buffer,
                             VkDeviceSize    at,
                             VkDeviceSize    size,
                             VkDeviceMemory  memory,
                             VkDeviceSize    offset);
void vtr_sparse_bind_tiles (VtrSparse                     *self,
                            const VtrSparsePicture        *picture,
                            uint32_t                       n,
                            const VkSparseImageMemoryBind *binds);

VkSparseImageMemoryBind vtr_sparse_tile (const VtrSparsePicture *self,
                                         uint32_t                mip,
                                         uint32_t                layer,
                                         uint32_t                x,
                                         uint32_t                y,
                                         uint32_t                z,
                                         VkDeviceMemory          memory,
                                         VkDeviceSize            offset);

/* @text: its name; NULL: none. */
VkBuffer vtr_sparse_buffer (VtrSparse           *self,
                            const char          *text,
                            VkDeviceSize         size,
                            VkBufferCreateFlags  flags);
/* Metadata and the mip tail are bound where parts may be. Returns: how many bytes all of it takes. */
VkDeviceSize vtr_sparse_picture (VtrSparse          *self,
                                 VtrSparsePicture   *picture,
                                 const char         *text,
                                 VkImageType         type,
                                 VkExtent3D          extent,
                                 uint32_t            mips,
                                 uint32_t            layers,
                                 VkImageCreateFlags  flags);
/* The pool, and the pages that are mapped; .holes is made by then. */
void vtr_sparse_memory (VtrSparse *self);
VkSemaphore vtr_sparse_semaphore (VtrSparse       *self,
                                  VkSemaphoreType  kind);
