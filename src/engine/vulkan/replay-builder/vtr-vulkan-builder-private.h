/* Vulkan's data in a replay builder, and the functions that build Vulkan's commands with it. */
#pragma once

#include "engine/replay-builder/vtr-replay-builder-private.h"
#include "engine/vulkan/replay-builder/vtr-token-plan.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-builder.h"
#include "engine/vulkan/replay-builder/vtr-vulkan-rules.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* A builder's part for Vulkan. */
typedef struct
{
  VtrReplayPlan *plan;                /* (nullable) */
  struct _VtrAddressPatcher *patcher; /* (nullable): addresses are as captured */
  /* By VtrTokenKind (nullable): the program was told none. */
  struct _VtrTokenPatcher *tokens[VTR_N_TOKEN_KINDS];
  GHashTable *templates; /* handle → GArray of VkDescriptorUpdateTemplateEntry */
} VtrVulkanPart;

static inline VtrVulkanPart *
vtr_vulkan_part (const VtrReplayBuilder *builder)
{
  return builder->parts[VTR_VULKAN_FIRST_ID >> VTR_API_PAGE_BITS].data;
}

/* Takes @patcher (nullable). */
void vtr_vulkan_part_set_patcher (VtrReplayBuilder          *builder,
                                  struct _VtrAddressPatcher *patcher);

/* The VtrBuildApi members part_*. */
void vtr_vulkan_part_init (VtrReplayBuilder    *builder,
                           VtrReplayPart       *part,
                           const VtrReplayPart *base);
void vtr_vulkan_part_set_plan (VtrReplayBuilder *builder,
                               VtrReplayPart    *part);
void vtr_vulkan_part_clear (VtrReplayPart *part);

/* And .write and .read. */
gboolean vtr_vulkan_write (VtrReplayBuilder        *self,
                           guint64                  index,
                           gsize                    nth,
                           const VtrContentRecord  *write,
                           GError                 **error);
gboolean vtr_vulkan_read (VtrReplayBuilder        *self,
                          const VtrTransformRead  *read,
                          GError                 **error);

/* The plan of a builder. (nullable) */
static inline VtrReplayPlan *
vtr_vulkan_plan (const VtrReplayBuilder *builder)
{
  return vtr_vulkan_part (builder)->plan;
}

/* Pushes the replay's handle for a captured one; null when unknown. */
static inline void
vtr_replay_builder_push_handle (VtrReplayBuilder *self,
                                VtrHandleId       type,
                                guint64           value)
{
  vtr_replay_builder_push_name (self, vtr_vulkan_identity (type, value));
}

/* Calls a synthetic function with what was pushed. */
static inline void
vtr_replay_builder_call_synthetic (VtrReplayBuilder  *self,
                                   VtrReplayFunction  function)
{
  vtr_asm_call (&self->code,
                function < VTR_REPLAY_FIRST_COMMON ? VTR_VM_API_VULKAN : VTR_VM_API_BUILTIN,
                function, false);
}

/* Writes bytes that lie at volatile @source to captured memory. */
void vtr_replay_builder_write_laid_out (VtrReplayBuilder *self,
                                        guint64           memory,
                                        guint64           offset,
                                        guint64           source,
                                        guint64           size);

/* Remembers the entries of a descriptor update template, for vkUpdateDescriptorSetWithTemplate
 * and its kin. */
void vtr_replay_builder_add_template (VtrReplayBuilder                           *self,
                                      guint64                                     handle,
                                      const VkDescriptorUpdateTemplateCreateInfo *info);

typedef struct
{
  VtrCmdId id; /* canonical: aliases share the rule */
  VtrReplayRule rule;
} VtrReplayCustomEntry;

/* The table of commands with a meaning of their own. */
const VtrReplayCustomEntry *vtr_replay_custom_table (gsize *n);

G_END_DECLS
