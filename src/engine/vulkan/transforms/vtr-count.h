/* Counts how often each pixel of a pass is drawn to, for overlays.
 *
 * In the copy of the recording that is cut (vtr-cut-copy.h), the pass gets one more colour attachment of one
 * float with additive blending, and fragment shaders also write 1 to it. So discard, tests, coverage and
 * sample masks have the same effect as on the program's own attachments. */
#pragma once

#include "engine/replay-builder/vtr-stream-edit.h"
#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_COUNT_FRAGMENTS, /* fragments that pass all tests */
  VTR_COUNT_LINES,     /* edges of the triangles of the draws from .first on; tests are off */
  VTR_COUNT_SHAPES,    /* pixels that these triangles cover; tests are off */
} VtrCountWhat;

/* The pass as it is in the trace. Handles are captured-side ones. */
typedef struct
{
  guint64 device;
  guint64 begin;                    /* flat index of the command that begins it */
  gboolean dynamic;                 /* vkCmdBeginRendering */
  guint64 render_pass, framebuffer; /* unless .dynamic */
  guint64 subpasses;                /* bit n: draws of subpass n count */
  /* dynamic: its attachments */
  guint32 view_mask, n_colors;
  VkFormat formats[VTR_MAX_ATTACHMENTS], depth, stencil;
} VtrCountPass;

typedef struct
{
  VtrCountWhat what;
  guint64 first; /* flat index of the first command that counts; FRAGMENTS: ignored */
  guint32 run;   /* vtr_timeline_get_run () of the last command */
  VtrCountPass pass;
  const VtrStreamEdit *edit; /* (nullable) borrowed: shaders replaced */
  guint32 slot;              /* number of the colour attachment for the counts: a high one, because shaders
                                may write to locations that their pass does not have */
  guint32 n_layers;
  VtrReplayReadImage read; /* of the counts; .image and .layout are ignored */
} VtrCountPlan;

/**
 * vtr_transform_count_new:
 *
 * Follows the cut in a chain. The last command of the cut must be in the pass, and the stream must begin
 * before the pass. Reads the counts at the end of the stream. Errors: VTR_REPLAY_ERROR_UNSUPPORTED with the
 * reason.
 */
VtrTransform *vtr_transform_count_new (VtrTimeline        *timeline,
                                       VtrHistory         *history,
                                       const VtrCountPlan *plan);

G_END_DECLS
