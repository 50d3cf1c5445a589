/* Vulkan's data that all states of a trace share, and the render pass that each state is in. */
#pragma once

#include "engine/state/vtr-state-shared.h"
#include "engine/vulkan/state/vtr-state-questions.h"
#include "engine/vulkan/state/vtr-vulkan-records.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* An attachment of a render pass instance. */
typedef struct
{
  guint32 view, image;           /* object ids; 0: unknown */
  VkImageSubresourceRange range; /* the subresources whose layouts the pass changes; with all aspects of the image */
  gboolean stencil_only;         /* dynamic rendering: it is the stencil attachment only */
  gboolean depth_only;           /* dynamic rendering: it is the depth attachment only */
} VtrPassImage;

/**
 * VtrStatePass:
 *
 * A render pass instance at its beginning. Immutable. Atomically reference-counted.
 */
typedef struct
{
  gatomicrefcount refs;
  guint32 begin;                    /* flat index of the command that began it */
  guint32 render_pass, framebuffer; /* object ids; 0 with dynamic rendering */
  const VtrRenderPassFact *fact;    /* NULL with dynamic rendering, or when unknown */
  gboolean dynamic, suspending, resuming;
  guint32 n_images;
  VtrPassImage *images;
  guint32 *layouts; /* dynamic rendering: of each image */
} VtrStatePass;

VtrStatePass *vtr_state_pass_ref (VtrStatePass *self);
void vtr_state_pass_unref (VtrStatePass *self);

/* The render pass instance that is open. All zero: none. */
typedef struct
{
  VtrStateRecord record;
  VtrStatePass *pass; /* NULL: none */
  guint32 subpass;
  gboolean suspended; /* .pass was suspended, and the next command buffer resumes it */
} VtrStatePassAt;

/* (transfer none) */
const VtrStatePassAt *vtr_state_pass_peek (VtrApiState *state);
/* @pass: NULL for none; takes a reference. */
void vtr_state_pass_set (VtrApiState  *state,
                         VtrStatePass *pass,
                         guint32       subpass,
                         gboolean      suspended);

/* See vtr-state-effects.h. */
typedef struct _VtrEffectCache VtrEffectCache;

/* Threading: any. */
typedef struct
{
  VtrStateFacts *facts;
  VtrEffectCache *effects; /* effects of recorded commands */
  GMutex lock;             /* guards the fields below */
  GHashTable *uses;        /* recording → GArray of ids (vtr-state-uses.c) */
} VtrVulkanShared;

static inline VtrVulkanShared *
vtr_vulkan_shared (VtrStateShared *shared)
{
  return vtr_state_shared_get_part (shared, VTR_VULKAN_FIRST_ID);
}
static inline VtrStateFacts *
vtr_vulkan_facts (VtrStateShared *shared)
{
  return vtr_vulkan_shared (shared)->facts;
}

/* Members of VtrStateApi. */
gsize vtr_vulkan_record_size (guint32 type);
void vtr_vulkan_record_fill (gpointer         shared,
                             const VtrObject *object,
                             VtrStateRecord  *record);
void vtr_vulkan_record_deepen (VtrStateRecord *record);
void vtr_vulkan_record_clear (VtrStateRecord *record);
gsize vtr_vulkan_record_measure (const VtrStateRecord *record);

G_END_DECLS
