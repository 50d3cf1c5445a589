/* Facts about objects that never change, read once from the commands that created them. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* --- Images and views --- */

typedef struct
{
  VtrImageInfo info;
  VkImageAspectFlags aspects;
  guint32 n_aspects;
  guint32 layers; /* layers with layouts of their own; of 3D images 1, or with .info.slices the slices at mip level 0 */
  VkImageLayout initial_layout;
  gboolean disjoint, sparse, external;
} VtrImageFact;

typedef struct
{
  guint32 image;                 /* object id; 0: unknown */
  VkImageSubresourceRange range; /* clamped to the image; aspects: all of the view's */
} VtrViewFact;

/* --- Render passes --- */

#define VTR_LAYOUT_UNUSED G_MAXUINT32

typedef struct
{
  VkFormat format;
  guint32 initial, final; /* VkImageLayout; of depth alone if stencil has layouts of its own */
  guint32 stencil_initial, stencil_final;
} VtrPassAttachment;

typedef struct
{
  guint32 layout, stencil_layout; /* VTR_LAYOUT_UNUSED: the subpass does not use the attachment */
} VtrSubpassUse;

typedef struct
{
  guint32 n_attachments, n_subpasses;
  VtrPassAttachment *attachments;
  VtrSubpassUse *uses; /* [subpass][attachment] */
} VtrRenderPassFact;

typedef struct
{
  guint32 n;      /* 0 for imageless ones */
  guint32 *views; /* object ids */
} VtrFramebufferFact;

/* --- Descriptor sets --- */

typedef struct
{
  guint32 binding;
  guint32 type;  /* VkDescriptorType */
  guint32 count; /* bytes for inline uniform blocks */
  guint32 stages;
  guint32 flags;     /* VkDescriptorBindingFlags */
  guint32 first;     /* position of its first descriptor in the set */
  guint32 n_slots;   /* positions it takes: .count, or 1 for an inline block */
  guint32 *samplers; /* immutable: object ids; NULL: none */
} VtrSetBinding;

typedef struct
{
  gatomicrefcount refs;
  guint32 id; /* of the VkDescriptorSetLayout; 0: unknown */
  guint32 flags;
  guint32 n_bindings; /* by number */
  guint32 n_slots;
  gboolean has_inline, has_variable;
  VtrSetBinding *bindings;
} VtrSetLayout;

VtrSetLayout *vtr_set_layout_ref (VtrSetLayout *self);
void vtr_set_layout_unref (VtrSetLayout *self);
/* Copies the layout with another size of its variable binding. (transfer full) */
VtrSetLayout *vtr_set_layout_resize (VtrSetLayout *self,
                                     guint32       count);
/* The position of the binding numbered @binding in .bindings; G_MAXUINT32: none. */
guint32 vtr_set_layout_find (const VtrSetLayout *self,
                             guint32             binding);

typedef struct
{
  guint32 bind_point; /* VkPipelineBindPoint */
  gboolean push;
  guint32 n_entries;
  VkDescriptorUpdateTemplateEntry *entries;
} VtrTemplateFact;

/**
 * VtrStateFacts:
 *
 * The facts above by object id. They are made when first asked for, and kept. All functions return NULL for
 * an object of another type, or whose creation is not in the trace. Threading: any; results are valid as long
 * as the VtrStateFacts.
 */
typedef struct _VtrStateFacts VtrStateFacts;

VtrStateFacts *vtr_state_facts_new (VtrHistory *history);
void vtr_state_facts_free (VtrStateFacts *self);

const VtrImageFact *vtr_state_facts_get_image (VtrStateFacts *self,
                                               guint32        id);
const VtrViewFact *vtr_state_facts_get_view (VtrStateFacts *self,
                                             guint32        id);
const VtrRenderPassFact *vtr_state_facts_get_render_pass (VtrStateFacts *self,
                                                          guint32        id);
const VtrFramebufferFact *vtr_state_facts_get_framebuffer (VtrStateFacts *self,
                                                           guint32        id);
/* The set layout that @handle means to command @index. (transfer none) */
VtrSetLayout *vtr_state_facts_find_set_layout (VtrStateFacts *self,
                                               guint64        handle,
                                               guint64        index);
VtrHistory *vtr_state_facts_get_history (VtrStateFacts *self);
const VtrTemplateFact *vtr_state_facts_get_template (VtrStateFacts *self,
                                                     guint32        id);

/* Replaces VK_REMAINING_* in @range and clamps it to the image. Returns: FALSE if it was not inside the image. */
gboolean vtr_image_fact_clamp (const VtrImageFact      *self,
                               VkImageSubresourceRange *range);

/* For commands that name slices of a 3D image by offset and extent: if slices have layouts of their own, sets the layers of
 * @range to these slices. @n_slices: G_MAXUINT32: all from @first on. */
void vtr_image_fact_name_slices (const VtrImageFact      *self,
                                 VkImageSubresourceRange *range,
                                 guint32                  first,
                                 guint32                  n_slices);

/* The size of one descriptor of @type in the data of an update template, in bytes; 0 for inline uniform blocks, which are
 * counted in bytes. */
gsize vtr_descriptor_raw_size (guint32 type);

G_END_DECLS
