/* Counts for each image and each pipeline the draws, dispatches and copies of a trace that use
 * it. */
#pragma once

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-history.h"

G_BEGIN_DECLS

/* How often an image was used, counted by what ran: a command buffer submitted three times counts
   three times. Draws and dispatches count as readers when the image is bound where a shader of the
   pipeline has a resource; whether the shader read a texel is unknown. */
typedef struct
{
  guint64 draws_writing, dispatches_writing, copies_writing; /* copies: blits and resolves too */
  guint64 draws_reading, dispatches_reading, copies_reading;
  guint64 clears;                  /* by clear commands and by passes that begin */
  guint64 first_write, last_write; /* flat indices; VTR_COMMAND_NO_INDEX: never */
} VtrImageUses;

typedef struct
{
  guint64 draws, dispatches;
} VtrPipelineUses; /* of a pipeline or a shader object */

/**
 * VtrUses:
 *
 * One pass over the trace. Threading: any (immutable once built).
 */
#define VTR_TYPE_USES (vtr_uses_get_type ())
G_DECLARE_FINAL_TYPE (VtrUses, vtr_uses, VTR, USES, GObject)

/* Asks each API of the build. */
VtrUses *vtr_uses_new (VtrAnalysis   *analysis,
                       GCancellable  *cancellable,
                       GError       **error);
/* @id: an object's. Never NULL: an object without uses has zeros. */
const VtrImageUses *vtr_uses_get_image (VtrUses *self,
                                        guint32  id);
const VtrPipelineUses *vtr_uses_get_pipeline (VtrUses *self,
                                              guint32  id);

/* How a command uses an image. */
typedef enum
{
  VTR_USE_READ = 1 << 0,
  VTR_USE_WRITE = 1 << 1,
  VTR_USE_ATTACHMENT = 1 << 2, /* of the pass the command is in */
  VTR_USE_DESCRIPTOR = 1 << 3, /* bound where a shader has a resource */
  VTR_USE_TRANSFER = 1 << 4,   /* named by the command itself */
  VTR_USE_PRESENT = 1 << 5,
} VtrUseFlags;

typedef struct
{
  guint32 image;
  guint32 flags; /* VtrUseFlags */
} VtrUse;

G_END_DECLS
