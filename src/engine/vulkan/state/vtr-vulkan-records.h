/* The states of Vulkan's objects that can change after their creation, one structure for each type of object. Fields called
 * .command, or named after an action (.mapped_by, .submit, …), are flat indices of commands unless they say otherwise. */
#pragma once

#include "engine/state/vtr-state-record.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "engine/vulkan/state/vtr-state-facts.h"

G_BEGIN_DECLS

/* One entry of a vkQueueBindSparse. Blocks of images use .subresource, .place and .extent; buffers and opaque ranges of images
 * use .offset and .size. */
typedef struct
{
  guint64 offset, size;
  guint64 memory_offset;
  guint32 memory; /* object id; 0: unbound */
  guint32 command;
  gboolean block;
  VkImageSubresource subresource;
  VkOffset3D place;
  VkExtent3D extent;
} VtrSparseBind;

typedef struct
{
  VtrStateRecord record;
  gboolean mapped;
  guint64 offset, size; /* size may be VK_WHOLE_SIZE */
  guint64 address;
  guint32 mapped_by;
} VtrStateMemory;

typedef struct
{
  VtrStateRecord record;
  VtrBoundMemory bound;
  guint32 family; /* VK_QUEUE_FAMILY_IGNORED: no barrier has named one */
  GArray *sparse; /* of VtrSparseBind; NULL: none */
} VtrStateBuffer;

typedef struct
{
  guint32 layout;
  guint32 family;  /* the owner; VK_QUEUE_FAMILY_IGNORED: no barrier has named one */
  guint32 command; /* the last change of .layout */
} VtrSubresource;

typedef struct
{
  VtrStateRecord record;
  VtrBoundMemory bound[VTR_MAX_PLANES];
  guint32 n_aspects, mips, layers;
  gboolean slices;              /* .layers counts the slices of mip level 0 */
  gboolean uniform;             /* all subresources of an aspect are alike: one entry for each aspect */
  VtrSubresource *subresources; /* [aspect][layer][mip], or [aspect] */
  GArray *sparse;               /* of VtrSparseBind; NULL: none */
} VtrStateImage;

typedef struct
{
  guint32 type;    /* VkDescriptorType */
  guint32 command; /* the last write; 0 if .written is FALSE */
  guint32 written;
  guint32 sampler; /* object ids */
  guint32 object;  /* view, buffer, buffer view or acceleration structure */
  guint32 image_layout;
  guint64 offset, range;
} VtrStateDescriptor;

#define VTR_DESCRIPTORS_PER_BLOCK 64

typedef struct
{
  gatomicrefcount refs;
  VtrStateDescriptor descriptors[VTR_DESCRIPTORS_PER_BLOCK];
} VtrDescriptorBlock;

typedef struct
{
  VtrStateRecord record;
  VtrSetLayout *layout;
  guint32 n_blocks;
  VtrDescriptorBlock **blocks; /* NULL: none of its descriptors was written */
  GBytes **inline_data;        /* by binding; NULL: no binding is an inline block */
} VtrStateSet;

/* One entry of a VkIndirectExecutionSetEXT. */
typedef struct
{
  guint32 index;
  guint32 object;  /* id of a pipeline or shader object; 0: unknown */
  guint32 command; /* the last write */
} VtrExecutionSetEntry;

typedef struct
{
  VtrStateRecord record;
  gboolean shaders; /* entries are shader objects, otherwise pipelines */
  guint32 limit;    /* the most entries of the set; G_MAXUINT32: unknown */
  GArray *entries;  /* VtrExecutionSetEntry: those that were written, by index; NULL: none */
} VtrStateExecutionSet;

typedef enum
{
  VTR_FENCE_UNSIGNALED,
  VTR_FENCE_PENDING, /* given to a queue or an acquire; the program does not know that it is signalled */
  VTR_FENCE_SIGNALED,
} VtrFenceStatus;

typedef struct
{
  VtrStateRecord record;
  guint32 status;  /* VtrFenceStatus */
  guint32 queue;   /* object id of the queue on which it is pending; 0: none */
  guint32 command; /* the submission or acquire that signals it; 0: none */
} VtrStateFence;

/* A value that a timeline semaphore will reach when a submission is done. */
typedef struct
{
  guint64 value;
  guint32 queue, submit;
} VtrQueuedSignal;

typedef struct
{
  VtrStateRecord record;
  gboolean timeline;
  gboolean signaled;              /* binary: a signal was queued for which no wait was queued yet */
  gboolean imported;              /* its payload was imported */
  guint64 value;                  /* timeline: the highest value that the program knows to be reached */
  guint64 queued;                 /* timeline: highest value that was submitted or signalled */
  guint32 signaled_by, waited_by; /* commands; 0: none */
  GArray *signals;                /* of VtrQueuedSignal, timeline only; NULL: none */
} VtrStateSemaphore;

typedef struct
{
  VtrStateRecord record;
  gboolean set;
  gboolean by_host;
  guint64 stages; /* of the last set or reset on the GPU */
} VtrStateEvent;

typedef enum
{
  VTR_QUERY_UNKNOWN, /* never reset */
  VTR_QUERY_RESET,
  VTR_QUERY_ACTIVE,
  VTR_QUERY_ENDED,
  VTR_QUERY_WRITTEN, /* a timestamp, or a property of an acceleration structure */
} VtrQueryStatus;

typedef struct
{
  guint32 status; /* VtrQueryStatus */
  guint32 command;
} VtrStateQuery;

typedef struct
{
  VtrStateRecord record;
  guint32 n;
  VkQueryType query_type;
  VtrStateQuery *queries;
} VtrStateQueryPool;

typedef enum
{
  VTR_SWAPCHAIN_IDLE, /* never acquired */
  VTR_SWAPCHAIN_ACQUIRED,
  VTR_SWAPCHAIN_PRESENTED,
} VtrSwapchainStatus;

typedef struct
{
  guint32 image;  /* object id; 0: the program did not ask for it */
  guint32 status; /* VtrSwapchainStatus */
  guint32 command;
} VtrStateSwapImage;

typedef struct
{
  VtrStateRecord record;
  guint32 n;
  VtrStateSwapImage *images;
  guint32 retired_by;                    /* object id of the swapchain that replaced it; 0: none */
  guint32 last_acquired, last_presented; /* G_MAXUINT32: none */
} VtrStateSwapchain;

typedef enum
{
  VTR_BUFFER_INITIAL,
  VTR_BUFFER_RECORDING,
  VTR_BUFFER_EXECUTABLE,
  VTR_BUFFER_PENDING,
  VTR_BUFFER_INVALID,
} VtrCommandBufferStatus;

typedef struct
{
  VtrStateRecord record;
  guint32 status;
  guint32 recording; /* VTR_NO_RECORDING: none */
  guint32 usage;     /* VkCommandBufferUsageFlags */
  guint32 submit;    /* the last submission that ran it; 0: none */
  guint32 queue;     /* object id of the queue on which it is pending */
  guint32 ended;     /* the end of the recording; 0: not ended */
} VtrStateCommandBuffer;

/* An object that a queue still uses, as far as the program knows. */
typedef struct
{
  guint32 object; /* id of a command buffer or fence */
  guint32 submit;
} VtrPendingObject;

typedef struct
{
  VtrStateRecord record;
  GArray *pending; /* of VtrPendingObject; NULL: none */
  guint32 family, index;
  guint32 n_submissions, n_presents;
  guint32 last_submission, last_present, last_sparse; /* commands; 0: none */
} VtrStateQueue;

/* Acceleration structures and micromaps. */
typedef struct
{
  VtrStateRecord record;
  guint32 built_by;
  guint32 copied_from; /* object id; 0: none */
} VtrStateBuilt;

/* The last command of one kind that changed an object of any other type. */
typedef struct
{
  guint32 id; /* VtrCmdId */
  guint32 command;
} VtrStateSetter;

typedef struct
{
  VtrStateRecord record;
  GArray *setters; /* of VtrStateSetter, by id; NULL: none */
} VtrStateOther;

/* Whether records of objects of @type are VtrStateOther. */
gboolean vtr_state_record_is_other (guint32 type);

/* --- Images --- */

/* The position of @aspect in @aspects; G_MAXUINT32: not among them. */
guint32 vtr_state_image_find_aspect (VkImageAspectFlags    aspects,
                                     VkImageAspectFlagBits aspect);
const VtrSubresource *vtr_state_image_peek (const VtrStateImage *self,
                                            guint32              aspect,
                                            guint32              mip,
                                            guint32              layer);
/* Sets the layout and owner of @range. @range: clamped to the image. @layout G_MAXUINT32 and @family VK_QUEUE_FAMILY_IGNORED
 * change nothing. */
void vtr_state_image_set (VtrStateImage                 *self,
                          VkImageAspectFlags             image_aspects,
                          const VkImageSubresourceRange *range,
                          guint32                        layout,
                          guint32                        family,
                          guint32                        command);

/* --- Descriptors --- */

/* The descriptor at @position (VtrSetBinding.first), for reading. (nullable): NULL if its block was never written. */
const VtrStateDescriptor *vtr_state_set_peek (const VtrStateSet *self,
                                              guint32            position);
VtrStateDescriptor *vtr_state_set_edit (VtrStateSet *self,
                                        guint32      position);

/* --- Execution sets of generated commands --- */

/* Writes entry @index. Returns: FALSE if it is beyond .limit. */
gboolean vtr_state_execution_set_write (VtrStateExecutionSet *self,
                                        guint32               index,
                                        guint32               object,
                                        guint32               command);

G_END_DECLS
