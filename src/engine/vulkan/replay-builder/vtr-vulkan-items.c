/* Builds what is not a command of the trace: reads, making snapshots, and continuing from them. */
#include "engine/vulkan/replay-builder/vtr-vulkan-builder-private.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>


static guint64
read_number (const guint8 *slot)
{
  guint64 value;

  memcpy (&value, slot, sizeof value);
  return value;
}

/* Lays a request into scratch and patches its handles, given as (offset, type) from the captured
 * values in it. */
static gboolean
call_with_request (VtrReplayBuilder *self,
                   VtrReplayFunction function,
                   const void *request,
                   guint32 size,
                   const guint32 (*handles)[2],
                   guint n_handles,
                   GError **error)
{
  g_autofree guint8 *copy = g_memdup2 (request, size);
  guint64 address = vtr_replay_builder_take_scratch (self, size);

  g_array_set_size (self->copies, 0);
  for (guint i = 0; i < n_handles; i++)
    {
      guint64 value = read_number (copy + handles[i][0]);
      guint64 slot =
        value != 0 ? vtr_replay_slots_find (&self->slots,
                                            vtr_vulkan_identity ((VtrHandleId)handles[i][1],
                                                                 value))
                   : 0;

      memset (copy + handles[i][0], 0, 8);
      if (value != 0 && slot == 0)
        {
          g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                       _ ("The %s to read back was never created in the trace"),
                       vtr_api_string (vtr_handle_get (handles[i][1])->name));
          return FALSE;
        }
      if (slot != 0)
        vtr_replay_add_pair (self->copies, (guint32)(address + handles[i][0]), (guint32)slot);
    }
  vtr_asm_inline (&self->code, address, copy, size, NULL, 0,
                  (const guint32 *)(gpointer)self->copies->data, self->copies->len / 2);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, address);
  vtr_replay_builder_call_synthetic (self, function);
  return vtr_replay_builder_flush_if_long (self, error);
}

static gboolean
read_image (VtrReplayBuilder          *self,
            VtrReplayFunction          function,
            const VtrReplayReadImage  *image,
            GError                   **error)
{
  static const guint32 read_handles[][2] = {
    { G_STRUCT_OFFSET (VtrReplayReadTexels, owner), VTR_HANDLE_VkDevice },
    { G_STRUCT_OFFSET (VtrReplayReadTexels, stream), VTR_HANDLE_VkQueue },
    { G_STRUCT_OFFSET (VtrReplayReadTexels, object), VTR_HANDLE_VkImage },
  };
  static const guint32 back_handles[][2] = {
    { G_STRUCT_OFFSET (VtrReplayReadImage, device), VTR_HANDLE_VkDevice },
    { G_STRUCT_OFFSET (VtrReplayReadImage, queue), VTR_HANDLE_VkQueue },
    { G_STRUCT_OFFSET (VtrReplayReadImage, image), VTR_HANDLE_VkImage },
  };
  const VtrReplayReadTexels read = vtr_vulkan_texels_to_read (image);

  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  if (function == VTR_REPLAY_READ_TEXELS)
    return call_with_request (self, function, &read, sizeof read, read_handles,
                              G_N_ELEMENTS (read_handles), error);
  return call_with_request (self, function, image, sizeof *image, back_handles,
                            G_N_ELEMENTS (back_handles), error);
}

static gboolean
read_bytes (VtrReplayBuilder          *self,
            const VtrReplayReadBytes  *read,
            GError                   **error)
{
  const guint32 handles[][2] = {
    { G_STRUCT_OFFSET (VtrReplayReadBytes, owner), VTR_HANDLE_VkDevice },
    { G_STRUCT_OFFSET (VtrReplayReadBytes, stream), VTR_HANDLE_VkQueue },
    { G_STRUCT_OFFSET (VtrReplayReadBytes, object), read->kind },
  };

  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  return call_with_request (self, VTR_REPLAY_READ_BYTES, read, sizeof *read, handles,
                            G_N_ELEMENTS (handles), error);
}

static gboolean
use_queries (VtrReplayBuilder        *self,
             VtrReplayFunction        function,
             const VtrReplayQueries  *queries,
             GError                 **error)
{
  static const guint32 handles[][2] = {
    { G_STRUCT_OFFSET (VtrReplayQueries, device), VTR_HANDLE_VkDevice },
    { G_STRUCT_OFFSET (VtrReplayQueries, pool), VTR_HANDLE_VkQueryPool },
  };

  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  return call_with_request (self, function, queries, sizeof *queries, handles,
                            G_N_ELEMENTS (handles), error);
}

static void
read_clock (VtrReplayBuilder *self,
            guint64           post)
{
  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  vtr_asm_push (&self->code, VTR_VM_UINT64, post);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_READ_CLOCK);
}

static void
settle (VtrReplayBuilder *self)
{
  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_SETTLE);
}

gboolean
vtr_vulkan_read (VtrReplayBuilder        *self,
                 const VtrTransformRead  *any,
                 GError                 **error)
{
  const VtrVulkanRead *read = (const VtrVulkanRead *)any;

  switch (read->function)
    {
    case VTR_REPLAY_READ_TEXELS:
    case VTR_REPLAY_BACK_IMAGE:
      return read_image (self, read->function, &read->image, error);
    case VTR_REPLAY_RESET_QUERIES:
    case VTR_REPLAY_READ_QUERIES:
      return use_queries (self, read->function, &read->queries, error);
    case VTR_REPLAY_READ_CLOCK:
      read_clock (self, read->clock);
      return TRUE;
    case VTR_REPLAY_SETTLE:
      settle (self);
      return TRUE;
    default:
      return read_bytes (self, &read->bytes, error);
    }
}

void
vtr_replay_builder_save (VtrReplayBuilder *self)
{
  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, SCRATCH_END);
  vtr_asm_push (&self->code, VTR_VM_UINT64, self->slots.next - SCRATCH_END);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_SAVE);
}

void
vtr_replay_builder_mark (VtrReplayBuilder *self,
                         guint64           mark,
                         guint64           post)
{
  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  vtr_asm_push (&self->code, VTR_VM_UINT64, mark);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, SCRATCH_END);
  vtr_asm_push (&self->code, VTR_VM_UINT64, self->slots.next - SCRATCH_END);
  vtr_asm_push (&self->code, VTR_VM_UINT64, post);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_MARK);
}

void
vtr_replay_builder_go_to_mark (VtrReplayBuilder *self,
                               guint64           mark)
{
  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  vtr_asm_push (&self->code, VTR_VM_UINT64, mark);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_GO_TO_MARK);
}

void
vtr_replay_builder_forget_mark (VtrReplayBuilder *self,
                                guint64           mark)
{
  vtr_replay_builder_begin_item (self, VTR_COMMAND_NO_INDEX);
  vtr_asm_push (&self->code, VTR_VM_UINT64, mark);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_FORGET_MARK);
}

void
vtr_replay_builder_write_laid_out (VtrReplayBuilder *self,
                                   guint64           memory,
                                   guint64           offset,
                                   guint64           source,
                                   guint64           size)
{
  vtr_asm_push (&self->code, VTR_VM_UINT32, VTR_HANDLE_VkDeviceMemory);
  vtr_replay_builder_push_handle (self, VTR_HANDLE_VkDeviceMemory, memory);
  vtr_asm_push (&self->code, VTR_VM_UINT64, offset);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, source);
  vtr_asm_push (&self->code, VTR_VM_UINT64, size);
  vtr_replay_builder_call_synthetic (self, VTR_REPLAY_WRITE_BYTES);
}
