/* How often each pixel of a pass is drawn to: an attachment of our own beside the program's, which
 * every draw adds one to.
 *
 * In the copy that is cut (vtr-cut-copy.h) the pass gets one more colour attachment of one float,
 * with additive blending, and fragment shaders write 1 to it besides what they write: so discard,
 * tests, coverage and sample masks hold as they do for the program's own attachments. */
#pragma once

#include "engine/replay-builder/vtr-stream-edit.h"
#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_COUNT_FRAGMENTS, /* all that pass all tests */
  VTR_COUNT_LINES,     /* edges of what the draws from .first on draw, whatever the tests say */
  VTR_COUNT_SHAPES,    /* what they cover, whatever the tests say */
} VtrCountWhat;

/* The pass as it is in the trace. Handles are captured ones. */
typedef struct
{
  guint64 device;
  guint64 begin;                    /* flat index of the command that begins it */
  gboolean dynamic;                 /* vkCmdBeginRendering */
  guint64 render_pass, framebuffer; /* of the others */
  guint64 subpasses;                /* bit n: draws of subpass n count */
  /* dynamic: its attachments */
  guint32 view_mask, n_colors;
  VkFormat formats[VTR_MAX_ATTACHMENTS], depth, stencil;
} VtrCountPass;

typedef struct
{
  VtrCountWhat what;
  guint64 first; /* flat index of the first command that counts; FRAGMENTS: not looked at */
  guint32 run;   /* vtr_timeline_get_run() of the last command */
  VtrCountPass pass;
  const VtrStreamEdit *edit; /* (nullable) borrowed: shaders replaced */
  guint32 slot;              /* which colour attachment ours becomes: high, as shaders write to
                                locations that their pass does not have; those between are unused */
  guint32 n_layers;
  VtrReplayReadImage read; /* of the counts; .image and .layout are not looked at */
} VtrCountPlan;

/**
 * vtr_transform_count_new:
 *
 * Right behind the cut, whose last command is in the pass; that recording has to be replayed from
 * before the pass. Reads the counts at the end of the stream. Errors: VTR_REPLAY_ERROR_UNSUPPORTED with
 * the reason.
 */
VtrTransform *vtr_transform_count_new (VtrTimeline        *timeline,
                                       VtrHistory         *history,
                                       const VtrCountPlan *plan);

G_END_DECLS
