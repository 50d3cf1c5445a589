/* Creates, copies and frees the records of Vulkan's objects, which states share. */
#include "engine/vulkan/state/vtr-vulkan-shared.h"

#include "engine/vulkan/state/vtr-state-initial.h"

#include <string.h>

/* How records of one type are made and kept. */
typedef struct
{
  guint32 type;
  guint32 size;
  void (*deepen) (gpointer record); /* makes what a plain copy shares its own */
  void (*clear) (gpointer record);
} VtrRecordKind;

#define OTHER G_MAXUINT32 /* .type of what all other objects have */

static GArray *
copy_array (GArray *array)
{
  return array != NULL ? g_array_copy (array) : NULL;
}

static gsize
count_subresources (const VtrStateImage *self)
{
  return self->uniform ? self->n_aspects : (gsize)self->n_aspects * self->mips * self->layers;
}

static void
deepen_buffer (gpointer record)
{
  VtrStateBuffer *self = record;

  self->sparse = copy_array (self->sparse);
}

static void
clear_buffer (gpointer record)
{
  VtrStateBuffer *self = record;

  g_clear_pointer (&self->sparse, g_array_unref);
}

static void
deepen_image (gpointer record)
{
  VtrStateImage *self = record;

  self->subresources =
    g_memdup2 (self->subresources, count_subresources (self) * sizeof *self->subresources);
  self->sparse = copy_array (self->sparse);
}

static void
clear_image (gpointer record)
{
  VtrStateImage *self = record;

  g_free (self->subresources);
  g_clear_pointer (&self->sparse, g_array_unref);
}

static void
deepen_set (gpointer record)
{
  VtrStateSet *self = record;

  if (self->layout == NULL)
    return;
  vtr_set_layout_ref (self->layout);
  self->blocks = g_memdup2 (self->blocks, self->n_blocks * sizeof *self->blocks);
  for (guint32 i = 0; i < self->n_blocks; i++)
    if (self->blocks[i] != NULL)
      g_atomic_ref_count_inc (&self->blocks[i]->refs);
  if (self->inline_data == NULL)
    return;
  self->inline_data =
    g_memdup2 (self->inline_data, self->layout->n_bindings * sizeof *self->inline_data);
  for (guint32 i = 0; i < self->layout->n_bindings; i++)
    if (self->inline_data[i] != NULL)
      g_bytes_ref (self->inline_data[i]);
}

static void
clear_set (gpointer record)
{
  VtrStateSet *self = record;

  for (guint32 i = 0; i < self->n_blocks; i++)
    if (self->blocks[i] != NULL && g_atomic_ref_count_dec (&self->blocks[i]->refs))
      g_free (self->blocks[i]);
  for (guint32 i = 0; self->inline_data != NULL && i < self->layout->n_bindings; i++)
    g_clear_pointer (&self->inline_data[i], g_bytes_unref);
  g_free (self->blocks);
  g_free (self->inline_data);
  g_clear_pointer (&self->layout, vtr_set_layout_unref);
}

#ifdef VK_EXT_device_generated_commands
static void
deepen_execution_set (gpointer record)
{
  VtrStateExecutionSet *self = record;

  self->entries = copy_array (self->entries);
}

static void
clear_execution_set (gpointer record)
{
  g_clear_pointer (&((VtrStateExecutionSet *)record)->entries, g_array_unref);
}
#endif

static void
deepen_query_pool (gpointer record)
{
  VtrStateQueryPool *self = record;

  self->queries = g_memdup2 (self->queries, (gsize)self->n * sizeof *self->queries);
}

static void
clear_query_pool (gpointer record)
{
  g_free (((VtrStateQueryPool *)record)->queries);
}

static void
deepen_semaphore (gpointer record)
{
  VtrStateSemaphore *self = record;

  self->signals = copy_array (self->signals);
}

static void
clear_semaphore (gpointer record)
{
  g_clear_pointer (&((VtrStateSemaphore *)record)->signals, g_array_unref);
}

static void
deepen_queue (gpointer record)
{
  VtrStateQueue *self = record;

  self->pending = copy_array (self->pending);
}

static void
clear_queue (gpointer record)
{
  g_clear_pointer (&((VtrStateQueue *)record)->pending, g_array_unref);
}

static void
deepen_swapchain (gpointer record)
{
  VtrStateSwapchain *self = record;

  self->images = g_memdup2 (self->images, (gsize)self->n * sizeof *self->images);
}

static void
clear_swapchain (gpointer record)
{
  g_free (((VtrStateSwapchain *)record)->images);
}

static void
deepen_other (gpointer record)
{
  VtrStateOther *self = record;

  self->setters = copy_array (self->setters);
}

static void
clear_other (gpointer record)
{
  VtrStateOther *self = record;

  g_clear_pointer (&self->setters, g_array_unref);
}

static void
deepen_pass_at (gpointer record)
{
  VtrStatePassAt *self = record;

  if (self->pass != NULL)
    vtr_state_pass_ref (self->pass);
}

static void
clear_pass_at (gpointer record)
{
  VtrStatePassAt *self = record;

  g_clear_pointer (&self->pass, vtr_state_pass_unref);
}

static const VtrRecordKind *
get_kind (guint32 type)
{
  static const VtrRecordKind kinds[] = {
    { VTR_HANDLE_VkDescriptorSet, sizeof (VtrStateSet), deepen_set, clear_set },
    { VTR_HANDLE_VkImage, sizeof (VtrStateImage), deepen_image, clear_image },
    { VTR_HANDLE_VkBuffer, sizeof (VtrStateBuffer), deepen_buffer, clear_buffer },
    { VTR_HANDLE_VkCommandBuffer, sizeof (VtrStateCommandBuffer), NULL, NULL },
    { VTR_HANDLE_VkFence, sizeof (VtrStateFence), NULL, NULL },
    { VTR_HANDLE_VkSemaphore, sizeof (VtrStateSemaphore), deepen_semaphore, clear_semaphore },
    { VTR_HANDLE_VkQueue, sizeof (VtrStateQueue), deepen_queue, clear_queue },
    { VTR_HANDLE_VkSwapchainKHR, sizeof (VtrStateSwapchain), deepen_swapchain, clear_swapchain },
    { VTR_HANDLE_VkDeviceMemory, sizeof (VtrStateMemory), NULL, NULL },
    { VTR_HANDLE_VkQueryPool, sizeof (VtrStateQueryPool), deepen_query_pool, clear_query_pool },
    { VTR_HANDLE_VkEvent, sizeof (VtrStateEvent), NULL, NULL },
    { VTR_HANDLE_VkAccelerationStructureKHR, sizeof (VtrStateBuilt), NULL, NULL },
    { VTR_HANDLE_VkAccelerationStructureNV, sizeof (VtrStateBuilt), NULL, NULL },
    { VTR_HANDLE_VkMicromapEXT, sizeof (VtrStateBuilt), NULL, NULL },
    { VTR_RECORD_OWN (VTR_VULKAN_FIRST_ID), sizeof (VtrStatePassAt), deepen_pass_at,
      clear_pass_at },
#ifdef VK_EXT_device_generated_commands
    { VTR_HANDLE_VkIndirectExecutionSetEXT, sizeof (VtrStateExecutionSet), deepen_execution_set,
      clear_execution_set },
#endif
  };
  static const VtrRecordKind other = { OTHER, sizeof (VtrStateOther), deepen_other, clear_other };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].type == type)
      return &kinds[i];
  return &other;
}

gboolean
vtr_state_record_is_other (guint32 type)
{
  return get_kind (type)->type == OTHER;
}

gsize
vtr_vulkan_record_size (guint32 type)
{
  return get_kind (type)->size;
}

void
vtr_vulkan_record_fill (gpointer         shared,
                        const VtrObject *object,
                        VtrStateRecord  *record)
{
  vtr_state_initial_fill (((VtrVulkanShared *)shared)->facts, object, record);
}

void
vtr_vulkan_record_deepen (VtrStateRecord *record)
{
  if (get_kind (record->type)->deepen != NULL)
    get_kind (record->type)->deepen (record);
}

void
vtr_vulkan_record_clear (VtrStateRecord *record)
{
  if (get_kind (record->type)->clear != NULL)
    get_kind (record->type)->clear (record);
}

gsize
vtr_vulkan_record_measure (const VtrStateRecord *self)
{
  gsize size = 0;
  gconstpointer record = self;

  if (self->type == VTR_HANDLE_VkImage)
    size += count_subresources (record) * sizeof (VtrSubresource);
  else if (self->type == VTR_HANDLE_VkQueryPool)
    {
      const VtrStateQueryPool *pool = record;

      size += pool->n * sizeof (VtrStateQuery);
    }
  else if (self->type == VTR_HANDLE_VkDescriptorSet)
    {
      const VtrStateSet *set = record;

      for (guint32 i = 0; i < set->n_blocks; i++)
        size += sizeof (gpointer) + (set->blocks[i] != NULL ? sizeof (VtrDescriptorBlock) : 0);
    }
#ifdef VK_EXT_device_generated_commands
  else if (self->type == VTR_HANDLE_VkIndirectExecutionSetEXT)
    {
      const VtrStateExecutionSet *set = record;

      size += (set->entries != NULL ? set->entries->len : 0) * sizeof (VtrExecutionSetEntry);
    }
#endif
  return size;
}

/* --- Images --- */

guint32
vtr_state_image_find_aspect (VkImageAspectFlags    aspects,
                             VkImageAspectFlagBits aspect)
{
  if ((aspects & aspect) == 0)
    return G_MAXUINT32;
  return (guint32)__builtin_popcount (aspects & (aspect - 1));
}

const VtrSubresource *
vtr_state_image_peek (const VtrStateImage *self,
                      guint32              aspect,
                      guint32              mip,
                      guint32              layer)
{
  if (aspect >= self->n_aspects || mip >= self->mips || layer >= self->layers)
    return NULL;
  return self->uniform
           ? &self->subresources[aspect]
           : &self->subresources[((gsize)aspect * self->layers + layer) * self->mips + mip];
}

/* From one entry per aspect to one per subresource. */
static void
spread (VtrStateImage *self)
{
  gsize per_aspect = (gsize)self->mips * self->layers;
  VtrSubresource *all = g_new (VtrSubresource, self->n_aspects * per_aspect);

  for (guint32 aspect = 0; aspect < self->n_aspects; aspect++)
    for (gsize i = 0; i < per_aspect; i++)
      all[aspect * per_aspect + i] = self->subresources[aspect];
  g_free (self->subresources);
  self->subresources = all;
  self->uniform = per_aspect == 1;
}

/* Back again, when all mips and layers of each aspect agree. */
static void
gather (VtrStateImage *self)
{
  gsize per_aspect = (gsize)self->mips * self->layers;
  VtrSubresource *few;

  for (guint32 aspect = 0; aspect < self->n_aspects; aspect++)
    for (gsize i = 1; i < per_aspect; i++)
      if (memcmp (&self->subresources[aspect * per_aspect + i],
                  &self->subresources[aspect * per_aspect], sizeof *self->subresources) != 0)
        return;
  few = g_new (VtrSubresource, self->n_aspects);
  for (guint32 aspect = 0; aspect < self->n_aspects; aspect++)
    few[aspect] = self->subresources[aspect * per_aspect];
  g_free (self->subresources);
  self->subresources = few;
  self->uniform = TRUE;
}

static void
set_one (VtrSubresource *self,
         guint32         layout,
         guint32         family,
         guint32         command)
{
  if (layout != G_MAXUINT32)
    self->layout = layout;
  if (family != VK_QUEUE_FAMILY_IGNORED)
    self->family = family;
  self->command = command;
}

void
vtr_state_image_set (VtrStateImage                 *self,
                     VkImageAspectFlags             image_aspects,
                     const VkImageSubresourceRange *range,
                     guint32                        layout,
                     guint32                        family,
                     guint32                        command)
{
  VkImageAspectFlags aspects = range->aspectMask;
  gboolean all_mips = range->baseMipLevel == 0 && range->levelCount >= self->mips;
  gboolean all_layers = range->baseArrayLayer == 0 && range->layerCount >= self->layers;
  gboolean whole = all_mips && all_layers;
  guint32 end = MIN (range->baseArrayLayer + range->layerCount, self->layers);

  /* The last slice of a level stands for those that only larger levels have. */
  if (self->slices && end >= MAX (1, self->layers >> MIN (range->baseMipLevel, 31)))
    end = self->layers;
  /* The colour of a multi-planar image is all its planes. */
  if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) != 0 &&
      (image_aspects & VK_IMAGE_ASPECT_COLOR_BIT) == 0)
    aspects |= image_aspects;
  if (!whole && self->uniform)
    spread (self);
  for (guint32 position = 0, bits = image_aspects; bits != 0; position++, bits &= bits - 1)
    {
      if ((aspects & (bits & -bits)) == 0)
        continue;
      if (self->uniform)
        {
          set_one (&self->subresources[position], layout, family, command);
          continue;
        }
      for (guint32 layer = range->baseArrayLayer; layer < end; layer++)
        for (guint32 mip = range->baseMipLevel;
             mip < MIN (range->baseMipLevel + range->levelCount, self->mips); mip++)
          set_one (
            &self->subresources[((gsize)position * self->layers + layer) * self->mips + mip],
            layout, family, command);
    }
  if (whole && !self->uniform)
    gather (self);
}

/* --- Descriptors --- */

const VtrStateDescriptor *
vtr_state_set_peek (const VtrStateSet *self,
                    guint32            position)
{
  guint32 block = position / VTR_DESCRIPTORS_PER_BLOCK;

  if (block >= self->n_blocks || self->blocks[block] == NULL)
    return NULL;
  return &self->blocks[block]->descriptors[position % VTR_DESCRIPTORS_PER_BLOCK];
}

VtrStateDescriptor *
vtr_state_set_edit (VtrStateSet *self,
                    guint32      position)
{
  guint32 nth = position / VTR_DESCRIPTORS_PER_BLOCK;
  VtrDescriptorBlock *block;

  if (nth >= self->n_blocks)
    return NULL;

  block = self->blocks[nth];
  if (block == NULL)
    {
      block = self->blocks[nth] = g_new0 (VtrDescriptorBlock, 1);
      g_atomic_ref_count_init (&block->refs);
    }
  else if (!g_atomic_ref_count_compare (&block->refs, 1))
    {
      block = g_memdup2 (block, sizeof *block);
      g_atomic_ref_count_init (&block->refs);
      if (g_atomic_ref_count_dec (&self->blocks[nth]->refs))
        g_free (self->blocks[nth]);
      self->blocks[nth] = block;
    }
  return &block->descriptors[position % VTR_DESCRIPTORS_PER_BLOCK];
}

/* --- Execution sets of generated commands --- */

gboolean
vtr_state_execution_set_write (VtrStateExecutionSet *self,
                               guint32               index,
                               guint32               object,
                               guint32               command)
{
  const VtrExecutionSetEntry entry = { index, object, command };
  guint low = 0, high;

  if (index >= self->limit)
    return FALSE;
  if (self->entries == NULL)
    self->entries = g_array_new (FALSE, FALSE, sizeof entry);
  high = self->entries->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->entries, VtrExecutionSetEntry, middle).index < index)
        low = middle + 1;
      else
        high = middle;
    }
  if (low < self->entries->len &&
      g_array_index (self->entries, VtrExecutionSetEntry, low).index == index)
    g_array_index (self->entries, VtrExecutionSetEntry, low) = entry;
  else
    g_array_insert_val (self->entries, low, entry);
  return TRUE;
}
