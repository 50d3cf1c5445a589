/* The descriptor sets that replace pushed descriptors: layouts, templates, pools, and what is pushed.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-vk-push.h"

typedef struct
{
  uint32_t number;
  VkDescriptorType type;
  uint32_t n;
  uint32_t first;  /* of all descriptors of the set */
  bool is_written; /* false: its samplers are the layout's */
} VtrPushBinding;

/* A layout outlives the object that it was made for: pipeline layouts and templates go on with it.
 */
typedef struct VtrPushLayout
{
  unsigned n_users;
  VtrTable *table;
  VkDescriptorSetLayout handle; /* our own */
  uint32_t n_descriptors;
  uint32_t n_bindings;
  VtrPushBinding bindings[]; /* by number */
} VtrPushLayout;

/* The sets of a pipeline layout; NULL: not pushed. */
typedef struct VtrPushSets
{
  uint32_t n;
  VtrPushLayout *layouts[];
} VtrPushSets;

typedef struct VtrPushTemplate
{
  VkPipelineBindPoint point;
  VtrPushLayout *layout;
  uint32_t n_entries;
  VkDescriptorUpdateTemplateEntry entries[];
} VtrPushTemplate;

typedef struct VtrPushPool
{
  struct VtrPushPool *next;
  VkDescriptorPool handle;
  VtrPushLayout *layout; /* of all its sets */
  uint32_t n_sets;
  uint32_t n_used;
} VtrPushPool;

/* The last pushed descriptors, of one set of one bind point. */
typedef struct VtrPushed
{
  struct VtrPushed *next;
  VkPipelineBindPoint point;
  uint32_t set;
  VtrPushLayout *layout;
  VkDescriptorSet handle;
  bool written[]; /* by descriptor */
} VtrPushed;

typedef struct VtrPushes
{
  VtrPushPool *pools;
  VtrPushed *pushed;
} VtrPushes;

VtrPushLayout *vtr_push_layout_ref (VtrPushLayout *self);
void vtr_push_layout_unref (VtrReplayVk   *vk,
                            VtrPushLayout *self);
/* Whether descriptors pushed with one layout stay valid with the other. */
bool vtr_push_layouts_are_alike (const VtrPushLayout *a,
                                 const VtrPushLayout *b);
/* Set @set of a pipeline layout. Returns: NULL after vtr_vm_fail(). */
VtrPushLayout *vtr_push_find_set (VtrReplayVk      *vk,
                                  VkPipelineLayout  handle,
                                  uint32_t          set);

/* Frees the sets of a command buffer. */
void vtr_push_forget_commands (VtrReplayVk     *vk,
                               VtrReplayObject *commands);
/* Returns: the destination of the next push to @set, a new set with the descriptors pushed before;
 * NULL after vtr_vm_fail(). */
VtrPushed *vtr_push_begin (VtrReplayVk         *vk,
                           VkCommandBuffer      commands,
                           VkPipelineBindPoint  point,
                           VkPipelineLayout     pipeline_layout,
                           uint32_t             set);
void vtr_push_note_written (VtrPushed *self,
                            uint32_t   binding,
                            uint32_t   element,
                            uint32_t   n);
/* Binds the set. */
void vtr_push_end (VtrReplayVk      *vk,
                   const VtrPushed  *self,
                   VkCommandBuffer   commands,
                   VkPipelineLayout  layout);
