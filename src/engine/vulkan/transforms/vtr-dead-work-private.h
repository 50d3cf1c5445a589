/* The fields of VtrDeadWork, and the pass over the trace that fills them: vtr-dead-work.c follows submissions,
 * vtr-dead-work-objects.c objects, vtr-dead-work-recordings.c recorded commands.
 *
 * Threading: one at a time while building. */
#pragma once

#include "engine/vulkan/transforms/vtr-dead-work.h"

#include "vtr-api-args.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 handle;
  guint64 swapchain; /* VkSwapchainKHR; 0: not an image of a swapchain */
  gboolean plain;    /* used as an attachment only */
  gboolean single;   /* has one mip level and one layer, so that a pass can overwrite all of it */
  VkExtent2D extent;
} VtrDeadImage;

/* The first access of a recording to an image. */
typedef struct
{
  guint64 command; /* flat index */
  guint32 image;
  gboolean overwrites; /* all of it, without reading it first */
} VtrDeadUse;

typedef struct
{
  gboolean plain;
  GArray *uses; /* VtrDeadUse; NULL: none */
} VtrDeadRecording;

struct _VtrDeadWork
{
  VtrTimeline *timeline;
  GArray *images; /* VtrDeadImage */
  VtrDeadRecording *recordings;
  guint32 n_recordings;
  gboolean one_queue;
};

typedef struct
{
  guint32 image;
  gboolean single; /* the view contains all of its image */
} VtrDeadView;

typedef struct
{
  guint32 n;
  VkExtent2D extent;
  gboolean imageless;
  guint64 views[];
} VtrDeadFramebuffer;

/* For each attachment: whether the pass begins without reading it. */
typedef struct
{
  guint32 n;
  gboolean fresh[];
} VtrDeadRenderPass;

typedef struct
{
  VtrDeadWork *result;
  guint64 index;             /* flat index of the current command */
  guint32 recording;         /* of the current command; VTR_NO_RECORDING: none */
  GHashTable *images;        /* VkImage → index + 1 */
  GHashTable *swapchains;    /* VkSwapchainKHR → VtrDeadImage (a pattern) */
  GHashTable *views;         /* VkImageView → VtrDeadView */
  GHashTable *framebuffers;  /* VkFramebuffer → VtrDeadFramebuffer */
  GHashTable *render_passes; /* VkRenderPass → VtrDeadRenderPass */
  GHashTable *storing_sets;  /* VkDescriptorSetLayout with storage images or buffers; a set */
  GHashTable *storing;       /* VkPipelineLayout with such set layouts; a set */
  gboolean stores;           /* shaders of drawing stages may write to storage */
} VtrDeadBuild;

/* A handle as a key of the tables below. */
#define VTR_DEAD_KEY(handle) ((gpointer)(gsize)(handle))

/* Whether vtr_dead_work_note_object () has to get commands of @id, in order. These commands are not recorded. */
gboolean vtr_dead_work_is_noted (VtrCmdId id);
void vtr_dead_work_note_object (VtrDeadBuild     *build,
                                const VtrCommand *command);

/* Whether recorded commands of @id only change how later draws of the recording work. */
gboolean vtr_dead_work_is_harmless (VtrCmdId id);
/* Notes any other recorded command, in order. */
void vtr_dead_work_note_recorded (VtrDeadBuild     *build,
                                  VtrDeadRecording *recording,
                                  const VtrCommand *command);

G_END_DECLS
