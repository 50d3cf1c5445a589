/* The contents of descriptor sets at a command. Threading: any. */
#pragma once

#include "engine/vulkan/state/vtr-state.h"
#include "vulkan/vtr-vulkan.h"

G_BEGIN_DECLS

/* One descriptor. */
typedef struct
{
  gboolean written; /* FALSE: the descriptor was never written */
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
  guint32 n_descriptors; /* length of .descriptors: .count, but at most VTR_MAX_DESCRIPTORS */
  VtrDescriptor *descriptors;
  const guint64 *immutable_samplers; /* (array length=count) (nullable) */
} VtrDescriptorBinding;

/* The most descriptors kept for a binding; of larger arrays only the beginning is kept. */
#define VTR_MAX_DESCRIPTORS 1024

typedef struct
{
  const VtrObject *set;                   /* NULL: a pushed set */
  const VtrObject *layout;                /* VkDescriptorSetLayout; NULL: unknown */
  VkDescriptorSetLayoutCreateFlags flags; /* of the layout */
  guint32 n_bindings;
  VtrDescriptorBinding *bindings; /* by number */
} VtrDescriptorContents;

/* The contents of @set as the GPU finds them at command @index. For a recorded command, pass the index of its submission. All
 * results are in @arena. Errors: DAMAGED. */
gboolean vtr_descriptors_get (VtrHistory             *history,
                              const VtrObject        *set,
                              guint64                 index,
                              VtrArena               *arena,
                              VtrDescriptorContents  *out,
                              GError                **error);
/* The contents that the vkCmdPushDescriptorSet… at @index pushes; not those of earlier pushes to the same set. */
gboolean vtr_descriptors_get_pushed (VtrHistory             *history,
                                     guint64                 index,
                                     VtrArena               *arena,
                                     VtrDescriptorContents  *out,
                                     GError                **error);
/* The bindings of a set with the VkDescriptorSetLayout @handle, with no descriptor written. Returns: FALSE if the trace does
 * not contain the layout. */
gboolean vtr_descriptors_get_layout (VtrHistory            *history,
                                     guint64                handle,
                                     guint64                index,
                                     VtrArena              *arena,
                                     VtrDescriptorContents *out);
/* The set layouts of a pipeline layout. @sets: (out): VkDescriptorSetLayout handles in @arena. Returns: their number. */
guint32 vtr_pipeline_layout_get_sets (VtrHistory     *history,
                                      guint64         layout,
                                      guint64         index,
                                      VtrArena       *arena,
                                      const guint64 **sets);

G_END_DECLS
