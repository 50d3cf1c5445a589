/* Finds the images that programs and descriptor sets use, to count and list the uses of images. */
#pragma once

#include "engine/model/vtr-uses.h"
#include "engine/state/vtr-analysis.h"
#include "engine/vulkan/shader/vtr-program-resources.h"
#include "engine/vulkan/state/vtr-attachments.h"

G_BEGIN_DECLS

/* VtrShowApi.count_uses, .list_uses */
gboolean vtr_vulkan_count_uses (VtrAnalysis   *analysis,
                                VtrUses       *uses,
                                GCancellable  *cancellable,
                                GError       **error);
GArray *vtr_vulkan_list_uses (VtrAnalysis  *analysis,
                              guint64       index,
                              guint32       run,
                              GError      **error);

/* An image in a descriptor. */
typedef struct
{
  guint32 image;
  guint32 binding;
  VkDescriptorType type;
} VtrSetImage;

/* How one program can use images. */
typedef struct
{
  const GArray *resources; /* of all stages, from vtr_program_resources_get (). Borrowed */
  guint32 colors;          /* bit n: colour attachment n is written */
  gboolean depth_written, depth_read, stencil_written, stencil_read;
} VtrPipelineFacts;

/**
 * VtrUseResolver: caches for one pass over a trace. Threading: one at a time.
 */
typedef struct
{
  VtrHistory *history;
  VtrTimeline *timeline; /* listing only */
  GHashTable *facts;     /* hash of a program → VtrPipelineFacts */
  GHashTable *sets;      /* id << 32 | writes before → GArray of VtrSetImage */
  GHashTable *views;     /* view id → image id */
  VtrProgramResources *resources;
} VtrUseResolver;

void vtr_use_resolver_init (VtrUseResolver *self,
                            VtrHistory     *history);
void vtr_use_resolver_clear (VtrUseResolver *self);
/* (transfer none) */
const VtrPipelineFacts *vtr_use_resolver_get_facts (VtrUseResolver   *self,
                                                    const VtrProgram *program);
/* The images in set @handle when the submission at @submit runs: GArray of VtrSetImage. (transfer none) */
GArray *vtr_use_resolver_get_set (VtrUseResolver *self,
                                  guint64         handle,
                                  guint64         submit);
/* The images that the command at @index pushes: GArray of VtrSetImage. (transfer none) */
GArray *vtr_use_resolver_get_pushed (VtrUseResolver *self,
                                     guint64         index);
/* How the program uses @image of set @set: VtrUseFlags; 0: not at all. */
guint32 vtr_pipeline_facts_get_use (const VtrPipelineFacts *self,
                                    guint32                 set,
                                    const VtrSetImage      *image);

/* An image that a copy, clear, blit or resolve names. */
typedef void (*VtrTransferFunc) (guint64 image, /* VkImage */
                                 guint32 flags, /* VTR_USE_READ, _WRITE */
                                 gpointer data);
/* Calls @func for each image that the transfer or clear command names. */
void vtr_use_visit_transfer (VtrCommand      *command,
                             VtrTransferFunc  func,
                             gpointer         data);
/* Calls @func for each attachment of @pass that vkCmdClearAttachments clears, once. */
void vtr_use_visit_cleared_attachments (const VtrCommand    *command,
                                        const VtrBoundState *pass,
                                        VtrClearedFunc       func,
                                        gpointer             data);

G_END_DECLS
