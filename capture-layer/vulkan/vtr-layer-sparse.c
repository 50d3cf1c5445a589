/* Keeps the current bindings of a sparse buffer or image, as ranges and tiles, so that a mid-run
 * capture can bind them again. */
#include "vtr-layer-sparse.h"

#include "base/vtr-grow.h"

#include <stdlib.h>
#include <string.h>

/* Beyond what any image has. */
#define MAX_TILES (1u << 26)

typedef struct
{
  uint64_t begin;
  uint64_t end;
  VkDeviceMemory memory; /* VK_NULL_HANDLE: none; its place is kept for the next one */
  uint64_t offset;       /* in the memory, of .begin */
  uint64_t made;
  VkSparseMemoryBindFlags flags;
} Range;

typedef struct
{
  VkDeviceMemory memory;
  uint64_t offset;
  uint64_t made;
} Tile;

typedef struct
{
  uint32_t width, height, depth; /* tiles */
  VkImageAspectFlags aspects;    /* as it was last bound */
  Tile tiles[];
} Level;

struct VtrLayerSparse
{
  Range *ranges; /* sorted, apart */
  size_t n, n_allocated;
  uint64_t size, tile_size;
  bool residency;
  VkExtent3D extent;
  VkImageType type;
  uint32_t mips, layers;
  VkSparseImageMemoryRequirements aspects[VTR_LAYER_SPARSE_MAX_ASPECTS];
  uint32_t n_aspects;
  Level **levels; /* [aspect][layer][mip], made when something is bound there; of an image */
};

VtrLayerSparse *
vtr_layer_sparse_new (const VkImageCreateInfo               *info,
                      const VkMemoryRequirements            *wants,
                      const VkSparseImageMemoryRequirements *aspects,
                      uint32_t                               n_aspects)
{
  VtrLayerSparse *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->residency = true;
  if (wants != NULL)
    self->size = wants->size;
  if (info == NULL)
    return self;
  self->residency = (info->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0;
  self->tile_size = wants != NULL ? wants->alignment : 0;
  self->extent = info->extent;
  self->type = info->imageType;
  self->mips = info->mipLevels;
  self->layers = info->arrayLayers;
  for (uint32_t i = 0; i < n_aspects && i < VTR_LAYER_SPARSE_MAX_ASPECTS; i++)
    self->aspects[self->n_aspects++] = aspects[i];
  if (self->n_aspects > 0)
    self->levels =
      calloc ((size_t)self->n_aspects * self->layers * self->mips, sizeof *self->levels);
  if (self->n_aspects > 0 && self->levels == NULL)
    {
      free (self);
      return NULL;
    }
  return self;
}

void
vtr_layer_sparse_free (VtrLayerSparse *self)
{
  if (self == NULL)
    return;
  for (size_t i = 0;
       self->levels != NULL && i < (size_t)self->n_aspects * self->layers * self->mips; i++)
    free (self->levels[i]);
  free (self->levels);
  free (self->ranges);
  free (self);
}

/* ---- Ranges ---- */

/* The first range that ends behind @at. */
static size_t
find_range (const VtrLayerSparse *self,
            uint64_t              at)
{
  size_t low = 0, high = self->n;

  while (low < high)
    {
      size_t middle = (low + high) / 2;

      if (self->ranges[middle].end <= at)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static bool
make_room (VtrLayerSparse *self,
           size_t          more)
{
  Range *grown = vtr_grow (self->ranges, &self->n_allocated, self->n + more, sizeof *grown);

  if (grown == NULL)
    return false;
  self->ranges = grown;
  return true;
}

/* The part of @range from @begin to @end. */
static Range
cut_range (const Range *range,
           uint64_t     begin,
           uint64_t     end)
{
  Range part = *range;

  part.begin = begin;
  part.end = end;
  part.offset += begin - range->begin;
  return part;
}

bool
vtr_layer_sparse_bind (VtrLayerSparse           *self,
                       const VkSparseMemoryBind *bind,
                       uint64_t                  made)
{
  Range fresh = {
    .begin = bind->resourceOffset,
    .memory = bind->memory,
    .offset = bind->memoryOffset,
    .made = made,
    .flags = bind->flags,
  };
  Range put[3];
  size_t n = 0, first, last;

  if (bind->size == 0 || __builtin_add_overflow (fresh.begin, bind->size, &fresh.end))
    return true;
  first = last = find_range (self, fresh.begin);
  while (last < self->n && self->ranges[last].begin < fresh.end)
    last++;
  if (first < last && self->ranges[first].begin < fresh.begin)
    put[n++] = cut_range (&self->ranges[first], self->ranges[first].begin, fresh.begin);
  put[n++] = fresh;
  if (first < last && self->ranges[last - 1].end > fresh.end)
    put[n++] = cut_range (&self->ranges[last - 1], fresh.end, self->ranges[last - 1].end);
  if (!make_room (self, n))
    return false;
  if (last - first != n)
    memmove (self->ranges + first + n, self->ranges + last,
             (self->n - last) * sizeof *self->ranges);
  memcpy (self->ranges + first, put, n * sizeof *put);
  self->n = self->n - (last - first) + n;
  return true;
}

/* ---- Tiles ---- */

static uint32_t
shrink (uint32_t size,
        uint32_t mip)
{
  return size >> mip > 0 ? size >> mip : 1;
}

static uint32_t
count_tiles (uint32_t size,
             uint32_t tile)
{
  return tile == 0 ? 1 : (size + tile - 1) / tile;
}

/* Returns: NULL when there is none and @make is not set, or no memory. */
static Level *
get_level (VtrLayerSparse *self,
           uint32_t        aspect,
           uint32_t        layer,
           uint32_t        mip)
{
  Level **slot = &self->levels[((size_t)aspect * self->layers + layer) * self->mips + mip];
  const VkExtent3D tile = self->aspects[aspect].formatProperties.imageGranularity;
  const uint32_t width = count_tiles (shrink (self->extent.width, mip), tile.width);
  const uint32_t height = count_tiles (shrink (self->extent.height, mip), tile.height);
  const uint32_t depth = count_tiles (shrink (self->extent.depth, mip), tile.depth);

  if (*slot == NULL && (uint64_t)width * height <= MAX_TILES / depth)
    {
      *slot = calloc (1, sizeof **slot + (size_t)width * height * depth * sizeof (Tile));
      if (*slot != NULL)
        **slot = (Level){ .width = width, .height = height, .depth = depth };
    }
  return *slot;
}

/* Tiles come one after the other in memory: along x, then y, then z. */
static void
bind_level (const VtrLayerSparse          *self,
            Level                         *level,
            const VkExtent3D              *tile,
            const VkSparseImageMemoryBind *bind,
            uint64_t                       made)
{
  const uint32_t x = (uint32_t)bind->offset.x / tile->width;
  const uint32_t y = (uint32_t)bind->offset.y / tile->height;
  const uint32_t z = (uint32_t)bind->offset.z / tile->depth;
  const uint32_t width = count_tiles (bind->extent.width, tile->width);
  const uint32_t height = count_tiles (bind->extent.height, tile->height);
  const uint32_t depth = count_tiles (bind->extent.depth, tile->depth);
  uint64_t offset = bind->memoryOffset;

  for (uint32_t k = 0; k < depth; k++)
    for (uint32_t j = 0; j < height; j++)
      for (uint32_t i = 0; i < width; i++, offset += self->tile_size)
        if (x + i < level->width && y + j < level->height && z + k < level->depth)
          level->tiles[((size_t)(z + k) * level->height + y + j) * level->width + x + i] =
            (Tile){ bind->memory, offset, made };
}

static bool
bind_aspect (VtrLayerSparse                *self,
             uint32_t                       aspect,
             const VkSparseImageMemoryBind *bind,
             uint64_t                       made)
{
  const VkSparseImageFormatProperties *format = &self->aspects[aspect].formatProperties;
  const VkExtent3D *tile = &format->imageGranularity;
  Level *level;

  if (tile->width == 0 || tile->height == 0 || tile->depth == 0)
    return true;
  level = get_level (self, aspect, bind->subresource.arrayLayer, bind->subresource.mipLevel);
  if (level == NULL)
    return false;
  level->aspects = bind->subresource.aspectMask;
  if ((level->aspects & format->aspectMask) != 0)
    level->aspects &= format->aspectMask;
  bind_level (self, level, tile, bind, made);
  return true;
}

bool
vtr_layer_sparse_bind_tiles (VtrLayerSparse                *self,
                             const VkSparseImageMemoryBind *bind,
                             uint64_t                       made)
{
  const VkImageSubresource *at = &bind->subresource;
  bool found = false;

  if (at->mipLevel >= self->mips || at->arrayLayer >= self->layers || bind->offset.x < 0 ||
      bind->offset.y < 0 || bind->offset.z < 0)
    return true;
  for (uint32_t i = 0; i < self->n_aspects; i++)
    if ((self->aspects[i].formatProperties.aspectMask & at->aspectMask) != 0)
      {
        found = true;
        if (!bind_aspect (self, i, bind, made))
          return false;
      }
  /* There are drivers that call the tiles of depth those of colour. */
  return found || self->n_aspects == 0 || bind_aspect (self, 0, bind, made);
}

/* ---- Looking ---- */

static void
list_level (const VtrLayerSparse *self,
            const Level          *level,
            uint32_t              aspect,
            uint32_t              layer,
            uint32_t              mip,
            VtrLayerSparseAsk     ask,
            void                 *data,
            VtrBuffer            *tiles)
{
  const VkSparseImageFormatProperties *format = &self->aspects[aspect].formatProperties;
  const VkExtent3D size = { shrink (self->extent.width, mip), shrink (self->extent.height, mip),
                            shrink (self->extent.depth, mip) };

  for (uint32_t i = 0; i < level->width * level->height * level->depth; i++)
    {
      const Tile *tile = &level->tiles[i];
      const uint32_t x = i % level->width * format->imageGranularity.width;
      const uint32_t y = i / level->width % level->height * format->imageGranularity.height;
      const uint32_t z = i / level->width / level->height * format->imageGranularity.depth;
      VkSparseImageMemoryBind bind = {
        .subresource = { level->aspects, mip, layer },
        .offset = { (int32_t)x, (int32_t)y, (int32_t)z },
        .extent = format->imageGranularity,
        .memory = tile->memory,
        .memoryOffset = tile->offset,
      };

      if (tile->memory == VK_NULL_HANDLE || !ask (tile->memory, tile->made, data))
        continue;
      if (bind.extent.width > size.width - x)
        bind.extent.width = size.width - x;
      if (bind.extent.height > size.height - y)
        bind.extent.height = size.height - y;
      if (bind.extent.depth > size.depth - z)
        bind.extent.depth = size.depth - z;
      vtr_buffer_append (tiles, &bind, sizeof bind);
    }
}

void
vtr_layer_sparse_list (const VtrLayerSparse *self,
                       VtrLayerSparseAsk     ask,
                       void                 *data,
                       VtrBuffer            *ranges,
                       VtrBuffer            *tiles)
{
  for (size_t i = 0; i < self->n; i++)
    {
      const Range *range = &self->ranges[i];
      const VkSparseMemoryBind bind = { range->begin, range->end - range->begin, range->memory,
                                        range->offset, range->flags };

      if (range->memory != VK_NULL_HANDLE && ask (range->memory, range->made, data))
        vtr_buffer_append (ranges, &bind, sizeof bind);
    }
  for (uint32_t aspect = 0; self->levels != NULL && aspect < self->n_aspects; aspect++)
    for (uint32_t layer = 0; layer < self->layers; layer++)
      for (uint32_t mip = 0; mip < self->mips; mip++)
        {
          const Level *level =
            self->levels[((size_t)aspect * self->layers + layer) * self->mips + mip];

          if (level != NULL)
            list_level (self, level, aspect, layer, mip, ask, data, tiles);
        }
}

uint64_t
vtr_layer_sparse_tile_size (const VtrLayerSparse *self)
{
  return self->tile_size;
}

uint64_t
vtr_layer_sparse_size (const VtrLayerSparse *self)
{
  return self->size;
}

bool
vtr_layer_sparse_may_have_holes (const VtrLayerSparse *self)
{
  return self->residency;
}

uint32_t
vtr_layer_sparse_get_tail (const VtrLayerSparse *self,
                           VkImageAspectFlags    aspect)
{
  for (uint32_t i = 0; i < self->n_aspects; i++)
    if ((self->aspects[i].formatProperties.aspectMask & aspect) != 0)
      return self->aspects[i].imageMipTailSize > 0 ? self->aspects[i].imageMipTailFirstLod
                                                   : UINT32_MAX;
  return 0;
}

bool
vtr_layer_sparse_is_tail (const VtrLayerSparse     *self,
                          const VkSparseMemoryBind *range)
{
  for (uint32_t i = 0; i < self->n_aspects; i++)
    {
      const VkSparseImageMemoryRequirements *aspect = &self->aspects[i];
      const bool single =
        (aspect->formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT) != 0;

      for (uint32_t layer = 0; layer < (single ? 1 : self->layers); layer++)
        {
          const uint64_t at = aspect->imageMipTailOffset + layer * aspect->imageMipTailStride;

          if (range->resourceOffset >= at &&
              range->resourceOffset - at < aspect->imageMipTailSize)
            return true;
        }
    }
  return false;
}
