/* Compares the number of descriptors in pipeline layouts, and the offsets of buffers, with the
 * limits of this device. */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-compatibility-private.h"
#include "engine/vulkan/state/vtr-older-form.h"

#include <stdlib.h>

#include "vtr-api-args.h"

/* --- Layouts --------------------------------------------------------------------------------- */

typedef struct
{
  guint32 number;
  VkDescriptorType type;
  guint32 n;
  VkShaderStageFlags stages;
} Binding;

/* Reference-counted: pipeline layouts go on with those that are destroyed. */
typedef struct
{
  gboolean after_bind; /* may be updated after it was bound */
  guint n;
  Binding bindings[]; /* by number */
} Layout;

static int
compare_bindings (const void *a,
                  const void *b)
{
  const Binding *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

void
vtr_compatibility_layout_free (gpointer data)
{
  if (data != NULL)
    g_rc_box_release (data);
}

static void
scan_set_layout (VtrCompatibilityScan                      *self,
                 const VtrArgs_vkCreateDescriptorSetLayout *args)
{
  const VkDescriptorSetLayoutCreateInfo *info = args->pCreateInfo;
  Layout *layout;
  guint n;

  if (info == NULL || args->pSetLayout == NULL)
    return;
  n = info->pBindings != NULL ? info->bindingCount : 0;
  layout = g_rc_box_alloc0 (sizeof *layout + n * sizeof *layout->bindings);
  layout->after_bind =
    (info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT) != 0;
  layout->n = n;
  for (guint i = 0; i < n; i++)
    {
      const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
      gboolean is_block = binding->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;

      layout->bindings[i] = (Binding){ binding->binding, binding->descriptorType,
                                       is_block ? 1 : binding->descriptorCount,
                                       binding->stageFlags };
      if (is_block)
        vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, "maxInlineUniformBlockSize",
                                       0, binding->descriptorCount);
    }
  qsort (layout->bindings, n, sizeof *layout->bindings, compare_bindings);
  g_hash_table_replace (self->set_layouts, GSIZE_TO_POINTER ((gsize)*args->pSetLayout), layout);
}

/* --- Counts ---------------------------------------------------------------------------------- */

#define BIT(type) (1u << VK_DESCRIPTOR_TYPE_##type)

/* Types that have limits in common. */
static const struct
{
  guint32 types;
  VkDescriptorType other; /* one whose number is no bit */
  const char *per_stage;
  const char *per_set;
  const char *per_stage_after_bind;
  const char *per_set_after_bind;
} classes[] = {
#define CLASS(name) \
  "maxPerStageDescriptor" name, "maxDescriptorSet" name, \
    "maxPerStageDescriptorUpdateAfterBind" name, "maxDescriptorSetUpdateAfterBind" name
#define NONE VK_DESCRIPTOR_TYPE_MAX_ENUM
  { BIT (SAMPLER) | BIT (COMBINED_IMAGE_SAMPLER), NONE, CLASS ("Samplers") },
  { BIT (UNIFORM_BUFFER) | BIT (UNIFORM_BUFFER_DYNAMIC), NONE, CLASS ("UniformBuffers") },
  { BIT (STORAGE_BUFFER) | BIT (STORAGE_BUFFER_DYNAMIC), NONE, CLASS ("StorageBuffers") },
  { BIT (COMBINED_IMAGE_SAMPLER) | BIT (SAMPLED_IMAGE) | BIT (UNIFORM_TEXEL_BUFFER), NONE,
    CLASS ("SampledImages") },
  { BIT (STORAGE_IMAGE) | BIT (STORAGE_TEXEL_BUFFER), NONE, CLASS ("StorageImages") },
  { BIT (INPUT_ATTACHMENT), NONE, CLASS ("InputAttachments") },
  { BIT (UNIFORM_BUFFER_DYNAMIC), NONE, NULL, "maxDescriptorSetUniformBuffersDynamic", NULL,
    "maxDescriptorSetUpdateAfterBindUniformBuffersDynamic" },
  { BIT (STORAGE_BUFFER_DYNAMIC), NONE, NULL, "maxDescriptorSetStorageBuffersDynamic", NULL,
    "maxDescriptorSetUpdateAfterBindStorageBuffersDynamic" },
  { 0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, CLASS ("InlineUniformBlocks") },
  { 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, CLASS ("AccelerationStructures") },
  { ~0u & ~BIT (SAMPLER), NONE, "maxPerStageResources", NULL,
    "maxPerStageUpdateAfterBindResources", NULL },
#undef NONE
#undef CLASS
};

static gboolean
is_of_class (gsize            nth,
             VkDescriptorType type)
{
  return (type < 32 && (classes[nth].types & 1u << type) != 0) || type == classes[nth].other;
}

/* How many of a class all of @layouts have, by bit of the stage and together; only @after_bind
 * counts those of sets that may be updated after they were bound. */
static void
count_class (GPtrArray *layouts,
             gsize      nth,
             gboolean   after_bind,
             guint64    stages[32],
             guint64   *all)
{
  for (guint i = 0; i < layouts->len; i++)
    {
      const Layout *layout = g_ptr_array_index (layouts, i);

      if (layout == NULL || (layout->after_bind && !after_bind))
        continue;
      for (guint j = 0; j < layout->n; j++)
        {
          const Binding *binding = &layout->bindings[j];

          if (!is_of_class (nth, binding->type))
            continue;
          *all += binding->n;
          for (guint stage = 0; stage < 32; stage++)
            if ((binding->stages & 1u << stage) != 0)
              stages[stage] += binding->n;
        }
    }
}

static void
check_counts (VtrCompatibilityScan *self,
              GPtrArray            *layouts,
              gboolean              after_bind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      const char *per_stage =
        after_bind ? classes[i].per_stage_after_bind : classes[i].per_stage;
      const char *per_set = after_bind ? classes[i].per_set_after_bind : classes[i].per_set;
      guint64 stages[32] = { 0 }, all = 0, most = 0;

      count_class (layouts, i, after_bind, stages, &all);
      for (guint stage = 0; stage < 32; stage++)
        most = MAX (most, stages[stage]);
      if (per_stage != NULL)
        vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, per_stage, 0, (double)most);
      if (per_set != NULL)
        vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, per_set, 0, (double)all);
    }
}

static void
scan_pipeline_layout (VtrCompatibilityScan                 *self,
                      const VtrArgs_vkCreatePipelineLayout *args)
{
  const VkPipelineLayoutCreateInfo *info = args->pCreateInfo;
  GPtrArray *layouts;
  gboolean after_bind = FALSE;

  if (info == NULL || args->pPipelineLayout == NULL)
    return;
  layouts = g_ptr_array_new_with_free_func (vtr_compatibility_layout_free);
  for (guint32 i = 0; info->pSetLayouts != NULL && i < info->setLayoutCount; i++)
    {
      Layout *layout = g_hash_table_lookup (self->set_layouts,
                                            GSIZE_TO_POINTER ((gsize)info->pSetLayouts[i]));

      after_bind = after_bind || (layout != NULL && layout->after_bind);
      g_ptr_array_add (layouts, layout != NULL ? g_rc_box_acquire (layout) : NULL);
    }
  g_hash_table_replace (self->layouts, GSIZE_TO_POINTER ((gsize)*args->pPipelineLayout), layouts);
  vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, "maxBoundDescriptorSets", 0,
                                 info->setLayoutCount);
  for (guint32 i = 0; info->pPushConstantRanges != NULL && i < info->pushConstantRangeCount; i++)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, "maxPushConstantsSize", 0,
                                   (double)info->pPushConstantRanges[i].offset +
                                     info->pPushConstantRanges[i].size);
  check_counts (self, layouts, FALSE);
  if (after_bind)
    check_counts (self, layouts, TRUE);
}

/* --- Offsets --------------------------------------------------------------------------------- */

static void
check_offset (VtrCompatibilityScan *self,
              VkDescriptorType      type,
              guint64               offset)
{
  if (type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
      type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_WARNING,
                                   "minUniformBufferOffsetAlignment", 0, (double)offset);
  if (type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
      type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_WARNING,
                                   "minStorageBufferOffsetAlignment", 0, (double)offset);
}

static void
check_buffer (VtrCompatibilityScan         *self,
              VkDescriptorType              type,
              const VkDescriptorBufferInfo *info)
{
  gboolean uniform = type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
                     type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  gboolean storage = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
                     type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;

  if (!uniform && !storage)
    return;
  check_offset (self, type, info->offset);
  if (info->range != VK_WHOLE_SIZE)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR,
                                   uniform ? "maxUniformBufferRange" : "maxStorageBufferRange", 0,
                                   (double)info->range);
}

static void
scan_writes (VtrCompatibilityScan       *self,
             guint32                     n,
             const VkWriteDescriptorSet *writes)
{
  for (guint32 i = 0; writes != NULL && i < n; i++)
    for (guint32 j = 0; writes[i].pBufferInfo != NULL && j < writes[i].descriptorCount; j++)
      check_buffer (self, writes[i].descriptorType, &writes[i].pBufferInfo[j]);
}

/* Offsets come in the order of the bindings that want one. */
static void
scan_bind_sets (VtrCompatibilityScan                  *self,
                const VtrArgs_vkCmdBindDescriptorSets *args)
{
  const GPtrArray *layouts =
    g_hash_table_lookup (self->layouts, GSIZE_TO_POINTER ((gsize)args->layout));
  guint32 at = 0;

  if (layouts == NULL || args->pDynamicOffsets == NULL)
    return;
  for (guint32 i = 0; i < args->descriptorSetCount && args->firstSet + i < layouts->len; i++)
    {
      const Layout *layout = g_ptr_array_index (layouts, args->firstSet + i);

      for (guint j = 0; layout != NULL && j < layout->n; j++)
        {
          const Binding *binding = &layout->bindings[j];

          if (binding->type != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC &&
              binding->type != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
            continue;
          for (guint32 k = 0; k < binding->n && at < args->dynamicOffsetCount; k++)
            check_offset (self, binding->type, args->pDynamicOffsets[at++]);
        }
    }
}

void
vtr_compatibility_scan_sets (VtrCompatibilityScan *self)
{
  VtrOlderForms forms;
  const void *args;

  /* All forms bind or push the same. */
  vtr_older_forms_init (&forms, self->command);
  (void)vtr_older_forms_next (&forms);
  args = forms.command.args;
  switch (forms.command.id)
    {
    case VTR_CMD_vkCreateDescriptorSetLayout:
      scan_set_layout (self, args);
      break;
    case VTR_CMD_vkCreatePipelineLayout:
      scan_pipeline_layout (self, args);
      break;
    case VTR_CMD_vkUpdateDescriptorSets:
      scan_writes (self, ((const VtrArgs_vkUpdateDescriptorSets *)args)->descriptorWriteCount,
                   ((const VtrArgs_vkUpdateDescriptorSets *)args)->pDescriptorWrites);
      break;
    case VTR_CMD_vkCmdPushDescriptorSetKHR:
      scan_writes (self, ((const VtrArgs_vkCmdPushDescriptorSetKHR *)args)->descriptorWriteCount,
                   ((const VtrArgs_vkCmdPushDescriptorSetKHR *)args)->pDescriptorWrites);
      break;
    case VTR_CMD_vkCmdBindDescriptorSets:
      scan_bind_sets (self, args);
      break;
    default:
      break;
    }
}
