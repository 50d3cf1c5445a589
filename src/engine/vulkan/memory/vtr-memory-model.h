/* Vulkan's data about the memory of a trace: VtrMemoryApi's @self. For files of this folder. */
#pragma once

#include "engine/memory/vtr-memory-list.h"
#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-target.h"
#include "engine/vulkan/memory/vtr-memory-blocks.h"
#include "engine/vulkan/memory/vtr-memory-objects.h"

G_BEGIN_DECLS

/* The memory of a plane of an image. */
typedef struct
{
  guint32 image;  /* object id */
  guint32 memory; /* object id of its VkDeviceMemory */
  guint64 offset, size;
} VtrMemoryImagePlace;

/* Data that only the pass over the trace needs. */
typedef struct _VtrMemoryPass VtrMemoryPass;

/**
 * VtrVulkanMemory:
 *
 * GPU work counts as done in the order of submission. Its writes follow from the registry's classes
 * and the bound state: copies, fills and updates exactly, images in optimal tiling as a whole,
 * storage descriptors, transform feedback, acceleration structures and device addresses as "may be
 * written".
 *
 * Threading: any, once the pass is over.
 */
typedef struct
{
  VtrTrace *trace;
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrBoundWalker *walker; /* of the analysis */
  VtrMemoryPass *pass;    /* NULL: it is not under way */
  GArray *images;         /* VtrMemoryImagePlace, ids ascending; NULL: the pass was not made */

  GMutex blocks_lock;
  VtrMemoryBlocks *blocks; /* of the program that was asked for last; guarded by .blocks_lock */
} VtrVulkanMemory;

/* VtrMemoryApi's functions for the pass (vtr-memory-pass.c). */
void vtr_vulkan_memory_begin (gpointer    self,
                              VtrEffects *effects);
void vtr_vulkan_memory_follow (gpointer    self,
                               VtrEffects *effects,
                               VtrCmdId    id);
void vtr_vulkan_memory_end (gpointer    self,
                            VtrEffects *effects,
                            gboolean    complete);
/* The VkDeviceMemory that @name is at this point of the pass; 0: none. */
guint32 vtr_memory_pass_find_space (VtrMemoryPass *self,
                                    guint64        name);
/* And for one command (vtr-memory-lister.c). */
void vtr_vulkan_memory_list (gpointer          self,
                             VtrMemoryList    *list,
                             const VtrCommand *command);
void vtr_vulkan_memory_locate (gpointer       self,
                               VtrMemoryList *list,
                               guint32        object);

void vtr_vulkan_memory_locate_name (gpointer       self,
                                    VtrMemoryList *list,
                                    guint64        name);
/* And for targets (vtr-memory-targets.c, vtr-memory-find-target.c). */
gboolean vtr_vulkan_memory_list_targets (gpointer         self,
                                         const VtrPlace  *place,
                                         gboolean         all,
                                         GArray          *list,
                                         GError         **error);
gboolean vtr_vulkan_memory_find_target (gpointer               self,
                                        const VtrTargetQuery  *query,
                                        VtrTarget             *out,
                                        GError               **error);
guint64 vtr_vulkan_memory_find_last_readable (gpointer self,
                                              guint32  object);

/* Also for other objects: FALSE, without an error. */
gboolean vtr_vulkan_memory_get_space_size (gpointer   self,
                                           guint32    object,
                                           guint64    index,
                                           guint64   *size,
                                           GError   **error);

/* The declarations of the shaders bound at @point at command @index. Any thread. (transfer full)
   (nullable): NULL: nothing is bound. */
VtrMemoryBlocks *vtr_vulkan_memory_get_blocks (VtrVulkanMemory     *self,
                                               const VtrBoundState *state,
                                               guint                point,
                                               guint64              index);

G_END_DECLS
