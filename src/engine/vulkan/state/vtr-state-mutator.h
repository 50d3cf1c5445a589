/* Vulkan's part of a VtrMutator: how its commands change a state. Threading: as VtrMutator. */
#pragma once

#include "engine/state/vtr-mutator.h"
#include "engine/vulkan/state/vtr-state-effects.h"

G_BEGIN_DECLS

/* Vulkan's data in a mutator. */
typedef struct
{
  guint64 effects_done; /* added to VtrMutator.work from time to time */
  guint32 queue_family; /* of the current submission */
} VtrVulkanMutator;

static inline VtrVulkanMutator *
vtr_mutator_vulkan (VtrMutator *self)
{
  return vtr_mutator_get_part (self, VTR_VULKAN_FIRST_ID);
}

/* Members of VtrStateApi (S3, S4). */
gpointer vtr_vulkan_mutator_new (void);
gboolean vtr_vulkan_wants (VtrCmdId id);
void vtr_vulkan_mutate (VtrMutator *self);
void vtr_vulkan_run (VtrMutator             *self,
                     const VtrStatePosition *from,
                     const VtrStatePosition *to);

/* Each of these functions applies the current command if it is of the named subject. Returns: whether it is. */
gboolean vtr_mutator_apply_memory (VtrMutator *self);
gboolean vtr_mutator_apply_sets (VtrMutator *self);
gboolean vtr_mutator_apply_execution_sets (VtrMutator *self);
gboolean vtr_mutator_apply_sync (VtrMutator *self);
gboolean vtr_mutator_apply_swapchain (VtrMutator *self);
gboolean vtr_mutator_apply_buffers (VtrMutator *self);
/* Copies and layout transitions on the host. */
gboolean vtr_mutator_apply_host_images (VtrMutator *self);
gboolean vtr_mutator_wants_host_images (VtrCmdId id);

/* Applies a submission between two places inside it. @from, @to: (nullable): NULL for its beginning and its end. */
void vtr_mutator_submit (VtrMutator             *self,
                         guint64                 index,
                         const VtrStatePosition *from,
                         const VtrStatePosition *to);
/* Applies the effects of one run, and of the runs inside it, between two places. Returns: FALSE once @to is reached. */
gboolean vtr_mutator_run (VtrMutator        *self,
                          guint32            run,
                          guint              level,
                          const VtrRunChain *from,
                          const VtrRunChain *to);
void vtr_mutator_apply_effect (VtrMutator      *self,
                               const VtrEffect *effect,
                               guint64          index);

/* Notes that @object is in use by the current submission, or by other work on @queue. */
void vtr_mutator_add_pending (VtrMutator *self,
                              guint32     queue,
                              guint32     object);
void vtr_mutator_wait_semaphore (VtrMutator  *self,
                                 VkSemaphore  semaphore,
                                 guint64      value);
void vtr_mutator_signal_semaphore (VtrMutator  *self,
                                   VkSemaphore  semaphore,
                                   guint64      value,
                                   guint32      queue);
void vtr_mutator_use_fence (VtrMutator *self,
                            VkFence     fence,
                            guint32     queue);

G_END_DECLS
