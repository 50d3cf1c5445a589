/* Reads one image subresource at the end of the stream. */
#include "engine/vulkan/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/vulkan/transforms/vtr-layout-tracker.h"
#include "vulkan/vtr-vulkan-formats.h"

typedef struct
{
  VtrTransform parent;
  VtrReplayReadImage what;
  gboolean optional;
  VtrLayoutTracker *tracker;
} TransformReadImage;

static gboolean
read_image_command (VtrTransform  *transform,
                    VtrCommand    *command,
                    GError       **error)
{
  TransformReadImage *self = (TransformReadImage *)transform;

  vtr_layout_tracker_command (self->tracker, command);
  return vtr_transform_command (self->parent.next, command, error);
}

static gboolean
read_image_end (VtrTransform  *transform,
                GError       **error)
{
  TransformReadImage *self = (TransformReadImage *)transform;
  VtrVulkanRead read = { .parent = VTR_VULKAN_READ,
                         .function = VTR_REPLAY_READ_TEXELS,
                         .image = self->what };

  read.image.layout = (guint32)vtr_layout_tracker_get (self->tracker);
  if (read.image.layout == VK_IMAGE_LAYOUT_UNDEFINED)
    {
      if (self->optional)
        return vtr_transform_end (self->parent.next, error);
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNWRITTEN,
                           _ ("Nothing has been written to this image yet."));
      return FALSE;
    }
  return vtr_transform_read (self->parent.next, &read.parent, error) &&
         vtr_transform_end (self->parent.next, error);
}

static void
read_image_skipped (VtrTransform *transform,
                    VtrCommand   *command)
{
  vtr_layout_tracker_command (((TransformReadImage *)transform)->tracker, command);
  vtr_transform_skipped (transform->next, command);
}

static void
read_image_free (VtrTransform *transform)
{
  TransformReadImage *self = (TransformReadImage *)transform;

  vtr_layout_tracker_free (self->tracker);
  g_free (self);
}

static gboolean
read_image_resume (VtrTransform       *transform,
                   VtrTransformStart  *start,
                   GError            **error)
{
  return vtr_layout_tracker_resume (((TransformReadImage *)transform)->tracker, start, error);
}

static const VtrTransformClass read_image_class = {
  .name = "read-image",
  .command = read_image_command,
  .end = read_image_end,
  .free = read_image_free,
  .resume = read_image_resume,
  .skipped = read_image_skipped,
};

guint64
vtr_vulkan_find_device (VtrHistory *history,
                        guint32     id)
{
  const VtrObject *object = vtr_history_get_object (history, id);

  while (object != NULL && object->type != VTR_HANDLE_VkDevice)
    object = object->parent != 0 ? vtr_history_get_object (history, object->parent) : NULL;
  return object != NULL ? object->handle : 0;
}

VtrTransform *
vtr_transform_read_target_new (VtrHistory      *history,
                               const VtrTarget *target,
                               guint64          post,
                               gboolean         optional)
{
  TransformReadImage *self = g_new0 (TransformReadImage, 1);
  const VtrObject *image = vtr_history_get_object (history, target->object);
  VtrImageInfo info = { 0 };

  vtr_history_get_image_info (history, image, &info, NULL);
  self->parent.klass = &read_image_class;
  self->what = (VtrReplayReadImage){
    .device = vtr_vulkan_find_device (history, target->object),
    .image = image->handle,
    .format = (guint32)info.format,
    .aspect = (guint32)vtr_vulkan_aspect_of (target->part.aspect),
    .samples = target->samples,
    .width = target->width,
    .height = target->height,
    .depth = 1,
    .mip = target->part.level,
    .layer = target->part.layer,
    .slice = target->part.slice,
    .sample = target->part.sample,
    .post = post,
  };
  self->optional = optional;
  self->tracker =
    vtr_layout_tracker_new (image->handle, image->created, self->what.aspect, self->what.mip,
                            info.slices ? self->what.slice : self->what.layer, info.slices);
  return &self->parent;
}
