/* What the files of VtrDeadWork share.
 *
 * Threading: one at a time while building. */
#pragma once

#include "engine/vulkan/transforms/vtr-dead-work.h"

#include "vtr-api-args.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 handle;
  guint64 swapchain; /* VkSwapchainKHR; 0: an image of its own */
  gboolean plain;    /* attachment only */
  gboolean single;   /* one mip level, one layer: written as a whole */
  VkExtent2D extent;
} VtrDeadImage;

/* The first thing a recording does to an image. */
typedef struct
{
  guint64 command; /* flat index */
  guint32 image;
  gboolean overwrites; /* as a whole, without looking */
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
  gboolean single; /* the view shows all of its image */
} VtrDeadView;

typedef struct
{
  guint32 n;
  VkExtent2D extent;
  gboolean imageless;
  guint64 views[];
} VtrDeadFramebuffer;

/* Per attachment: whether the pass begins without looking at it. */
typedef struct
{
  guint32 n;
  gboolean fresh[];
} VtrDeadRenderPass;

typedef struct
{
  VtrDeadWork *result;
  guint64 index;             /* of the command being looked at */
  guint32 recording;         /* it is part of; VTR_NO_RECORDING: none */
  GHashTable *images;        /* VkImage → index + 1 */
  GHashTable *swapchains;    /* VkSwapchainKHR → VtrDeadImage (a pattern) */
  GHashTable *views;         /* VkImageView → VtrDeadView */
  GHashTable *framebuffers;  /* VkFramebuffer → VtrDeadFramebuffer */
  GHashTable *render_passes; /* VkRenderPass → VtrDeadRenderPass */
  GHashTable *storing_sets;  /* VkDescriptorSetLayout that hold storage; a set */
  GHashTable *storing;       /* VkPipelineLayout of those; a set */
  gboolean stores;           /* shaders of drawing stages may store */
} VtrDeadBuild;

/* A handle as a key of the tables below. */
#define VTR_DEAD_KEY(handle) ((gpointer)(gsize)(handle))

/* Commands outside of recordings that the analysis has to see, in order. */
gboolean vtr_dead_work_is_noted (VtrCmdId id);
void vtr_dead_work_note_object (VtrDeadBuild     *build,
                                const VtrCommand *command);

/* Commands in a recording that change nothing but what later draws of it do. */
gboolean vtr_dead_work_is_harmless (VtrCmdId id);
/* Any other command of a recording, in order. */
void vtr_dead_work_note_recorded (VtrDeadBuild     *build,
                                  VtrDeadRecording *recording,
                                  const VtrCommand *command);

G_END_DECLS
