/* The parts of Vulkan's mutator: how its commands change a state. */
#pragma once

#include "engine/state/vtr-mutator.h"
#include "engine/vulkan/state/vtr-state-effects.h"

G_BEGIN_DECLS

/* What Vulkan keeps in a mutator. */
typedef struct
{
  guint64 effects_done; /* counted into VtrMutator.work now and then */
  guint32 queue_family; /* of the submission under way */
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

/* Each returns whether the command was one of its own. */
gboolean vtr_mutator_apply_memory (VtrMutator *self);
gboolean vtr_mutator_apply_sets (VtrMutator *self);
gboolean vtr_mutator_apply_execution_sets (VtrMutator *self);
gboolean vtr_mutator_apply_sync (VtrMutator *self);
gboolean vtr_mutator_apply_swapchain (VtrMutator *self);
gboolean vtr_mutator_apply_buffers (VtrMutator *self);
/* Copies and changes of layouts that the host does itself. */
gboolean vtr_mutator_apply_host_images (VtrMutator *self);
gboolean vtr_mutator_wants_host_images (VtrCmdId id);

/* A submission, from and to places inside it (NULL: its begin, its end). */
void vtr_mutator_submit (VtrMutator             *self,
                         guint64                 index,
                         const VtrStatePosition *from,
                         const VtrStatePosition *to);
/* Run by run: applies the effects between two places. Returns: FALSE when @to was reached. */
gboolean vtr_mutator_run (VtrMutator        *self,
                          guint32            run,
                          guint              level,
                          const VtrRunChain *from,
                          const VtrRunChain *to);
void vtr_mutator_apply_effect (VtrMutator      *self,
                               const VtrEffect *effect,
                               guint64          index);

/* @object is part of the submission (or other use) under way. */
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
