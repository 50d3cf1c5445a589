/* What a descriptor set holds at a command. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

/* One descriptor. */
typedef struct
{
  gboolean written; /* FALSE: nothing was written here */
  guint64 command;  /* flat index of the last write */
  guint64 sampler, view, image_layout;
  guint64 buffer, offset, range;
  guint64 texel_view;
  guint64 acceleration_structure;
} VtrDescriptor;

/* One binding of a set's layout. */
typedef struct
{
  guint32 binding;
  VkDescriptorType type;
  guint32 count; /* of descriptors; bytes for inline uniform blocks */
  VkShaderStageFlags stages;
  guint32 n_descriptors; /* entries below: @count, but at most VTR_MAX_DESCRIPTORS */
  VtrDescriptor *descriptors;
  const guint64 *immutable_samplers; /* (array length=count) (nullable) */
} VtrDescriptorBinding;

/* Descriptors of one binding that are kept; larger arrays show their beginning. */
#define VTR_MAX_DESCRIPTORS 1024

typedef struct
{
  const VtrObject *set;                   /* NULL: a pushed set */
  const VtrObject *layout;                /* VkDescriptorSetLayout; NULL: unknown */
  VkDescriptorSetLayoutCreateFlags flags; /* of the layout */
  guint32 n_bindings;
  VtrDescriptorBinding *bindings; /* by number */
} VtrDescriptorContents;

/* The contents of @set as the GPU finds them at command @index (for a recorded command: pass the
   index of its submission). Everything lies in @arena. Errors: DAMAGED. */
gboolean vtr_descriptors_get (VtrHistory             *history,
                              const VtrObject        *set,
                              guint64                 index,
                              VtrArena               *arena,
                              VtrDescriptorContents  *out,
                              GError                **error);
/* The same for a set that the vkCmdPushDescriptorSet… at @index pushed (earlier pushes to it are
   not added). */
gboolean vtr_descriptors_get_pushed (VtrHistory             *history,
                                     guint64                 index,
                                     VtrArena               *arena,
                                     VtrDescriptorContents  *out,
                                     GError                **error);
/* What a set of the VkDescriptorSetLayout @handle would hold, with nothing written. Returns: FALSE
   when the trace does not tell. */
gboolean vtr_descriptors_get_layout (VtrHistory            *history,
                                     guint64                handle,
                                     guint64                index,
                                     VtrArena              *arena,
                                     VtrDescriptorContents *out);
/* The set layouts of a pipeline layout: how many, VkDescriptorSetLayout handles in @arena. */
guint32 vtr_pipeline_layout_get_sets (VtrHistory     *history,
                                      guint64         layout,
                                      guint64         index,
                                      VtrArena       *arena,
                                      const guint64 **sets);

G_END_DECLS
