/* Reads a buffer or device memory before a command. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

typedef struct
{
  VtrTransform parent;
  VtrVulkanRead read;
  guint64 index;
  gboolean done;
} TransformReadBytes;

static gboolean
read_now (TransformReadBytes  *self,
          GError             **error)
{
  self->done = TRUE;
  return vtr_transform_read (self->parent.next, &self->read.parent, error);
}

static gboolean
read_bytes_command (VtrTransform  *transform,
                    VtrCommand    *command,
                    GError       **error)
{
  TransformReadBytes *self = (TransformReadBytes *)transform;

  if (!self->done && command->index == self->index && !read_now (self, error))
    return FALSE;
  return vtr_transform_command (self->parent.next, command, error);
}

static gboolean
read_bytes_end (VtrTransform  *transform,
                GError       **error)
{
  TransformReadBytes *self = (TransformReadBytes *)transform;

  if (!self->done && !read_now (self, error))
    return FALSE;
  return vtr_transform_end (self->parent.next, error);
}

static void
read_bytes_free (VtrTransform *transform)
{
  g_free (transform);
}

static gboolean
read_bytes_resume (VtrTransform       *transform,
                   VtrTransformStart  *start,
                   GError            **error)
{
  const TransformReadBytes *self = (const TransformReadBytes *)transform;

  if (self->index >= start->index)
    return TRUE;
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                       _ ("The bytes are read before the snapshot"));
  return FALSE;
}

static const VtrTransformClass read_bytes_class = {
  .name = "read-bytes",
  .command = read_bytes_command,
  .end = read_bytes_end,
  .free = read_bytes_free,
  .resume = read_bytes_resume,
};

VtrTransform *
vtr_transform_read_bytes_new (const VtrReplayReadBytes *what,
                              guint64                   index)
{
  TransformReadBytes *self = g_new0 (TransformReadBytes, 1);

  self->parent.klass = &read_bytes_class;
  self->read = (VtrVulkanRead){ .parent = VTR_VULKAN_READ,
                                .function = VTR_REPLAY_READ_BYTES,
                                .bytes = *what };
  self->index = index;
  return &self->parent;
}
