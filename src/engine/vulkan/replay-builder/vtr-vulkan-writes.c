/* Builds the writes of contents before a command: to mapped memory, images and acceleration
 * structures. */
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"

#include "engine/vulkan/replay-builder/vtr-address-patcher.h"
#include "engine/vulkan/replay-builder/vtr-token-patcher.h"
#include "vulkan/vtr-vulkan-formats.h"

/* The content of an image that is not made here is not missed. */
static void
write_image (VtrReplayBuilder       *self,
             const VtrContentRecord *write,
             guint64                 source)
{
  const VtrReplayWriteTexels request = {
    .kind = VTR_HANDLE_VkImage,
    .row_pitch = write->row_pitch,
    .depth_pitch = write->depth_pitch,
    .format = write->format,
    .pixel_aspect = write->aspect,
    .word = write->word,
    .width = write->width,
    .height = write->height,
    .depth = write->depth,
    .level = write->level,
    .layer = write->layer,
    .sample = write->sample,
    .x = write->x,
    .y = write->y,
    .z = write->z,
  };
  guint64 device = vtr_replay_slots_find (&self->slots,
                                          vtr_vulkan_identity (VTR_HANDLE_VkDevice, write->owner));
  guint64 image = vtr_replay_slots_find (&self->slots,
                                         vtr_vulkan_identity (VTR_HANDLE_VkImage, write->object));
  guint64 address = vtr_replay_builder_take_scratch (self, sizeof request);
  const guint32 copies[] = {
    (guint32)(address + G_STRUCT_OFFSET (VtrReplayWriteTexels, owner)),
    (guint32)device,
    (guint32)(address + G_STRUCT_OFFSET (VtrReplayWriteTexels, object)),
    (guint32)image,
  };

  if (device == 0 || image == 0)
    return;
  vtr_asm_inline (&self->code, address, &request, sizeof request, NULL, 0, copies, 2);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, address);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, source);
  vtr_asm_push (&self->code, VTR_VM_UINT64, write->size);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_WRITE_TEXELS);
}

/* The handles that a serialised top level begins with are addresses of the bottom ones. */
static gboolean
write_structure (VtrReplayBuilder        *self,
                 guint64                  index,
                 const VtrContentRecord  *write,
                 guint64                  source,
                 GError                 **error)
{
  const VtrReplayWriteStructure request = { .offset = write->offset, .whole = write->whole };
  guint64 device = vtr_replay_slots_find (&self->slots,
                                          vtr_vulkan_identity (VTR_HANDLE_VkDevice, write->owner));
  guint64 structure =
    vtr_replay_slots_find (&self->slots,
                           vtr_vulkan_identity (VTR_HANDLE_VkAccelerationStructureKHR,
                                                write->object));
  guint64 address = vtr_replay_builder_take_scratch (self, sizeof request);
  const guint32 copies[] = {
    (guint32)(address + G_STRUCT_OFFSET (VtrReplayWriteStructure, device)),
    (guint32)device,
    (guint32)(address + G_STRUCT_OFFSET (VtrReplayWriteStructure, structure)),
    (guint32)structure,
  };

  if (device == 0 || structure == 0)
    return TRUE;
  if (vtr_vulkan_part (self)->patcher != NULL &&
      !vtr_address_patcher_change_structure (self, index, write, source, error))
    return FALSE;
  vtr_asm_inline (&self->code, address, &request, sizeof request, NULL, 0, copies, 2);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, address);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, source);
  vtr_asm_push (&self->code, VTR_VM_UINT64, write->size);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_WRITE_STRUCTURE);
  return TRUE;
}

static gboolean
write_memory (VtrReplayBuilder        *self,
              guint64                  index,
              const VtrContentRecord  *write,
              guint64                  source,
              GError                 **error)
{
  const gboolean patches = vtr_vulkan_part (self)->patcher != NULL;

  if (patches && !vtr_address_patcher_change_write (self, index, write, source, error))
    return FALSE;
  vtr_replay_builder_write_laid_out (self, write->object, write->offset, source, write->size);
  return (!patches || vtr_address_patcher_end_write (self, write, error)) &&
         vtr_token_patcher_end_write (self, write, error);
}

gboolean
vtr_vulkan_write (VtrReplayBuilder        *self,
                  guint64                  index,
                  gsize                    nth,
                  const VtrContentRecord  *write,
                  GError                 **error)
{
  const guint64 source =
    vtr_replay_builder_place_content (self, index, nth, write->data, write->size);

  switch (write->what)
    {
    case VTR_CONTENT_TEXELS:
      write_image (self, write, source);
      return TRUE;
    case VTR_CONTENT_OPAQUE:
      return write_structure (self, index, write, source, error);
    case VTR_CONTENT_BYTES:
    default:
      return write_memory (self, index, write, source, error);
    }
}
