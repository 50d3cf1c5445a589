/* Reads what a trace says of Vulkan besides commands: the table of the functions that do it. */
#include "engine/vulkan/read/vtr-vulkan-read.h"

#include "engine/vulkan/read/vtr-vulkan-reading.h"

static gpointer
data_new (void)
{
  VtrVulkanReading *self = g_new0 (VtrVulkanReading, 1);

  self->devices = g_ptr_array_new_with_free_func (g_free);
  return self;
}

static void
data_free (gpointer data)
{
  VtrVulkanReading *self = data;

  g_ptr_array_unref (self->devices);
  vtr_shared_handles_free (self->shared_handles);
  g_free (self);
}

static gboolean
find_names (gpointer           data,
            VtrTrace          *trace,
            VtrTraceProgress   progress,
            gpointer           progress_data,
            GCancellable      *cancellable,
            gboolean          *out,
            GError           **error)
{
  VtrVulkanReading *self = data;

  if (!vtr_shared_handles_find (trace, progress, progress_data, cancellable, &self->shared_handles,
                                error))
    return FALSE;
  *out = self->shared_handles != NULL;
  return TRUE;
}

static void
complete (gpointer    data,
          VtrCommand *command)
{
  const VtrVulkanReading *self = data;

  if (self->shared_handles != NULL)
    vtr_shared_handles_apply (self->shared_handles, command);
}

static guint64
complete_name (gpointer    data,
               VtrHandleId kind,
               guint64     owner,
               guint64     name)
{
  const VtrVulkanReading *self = data;

  return self->shared_handles != NULL
           ? vtr_shared_handles_replace (self->shared_handles, kind, owner, name)
           : name;
}

static guint64
get_driver_name (gpointer data,
                 guint64  number)
{
  const VtrVulkanReading *self = data;

  return self->shared_handles != NULL
           ? vtr_shared_handles_get_driver_handle (self->shared_handles, number)
           : number;
}

const VtrReadApi vtr_vulkan_messages = {
  .data_new = data_new,
  .data_free = data_free,
  .read_info = vtr_vulkan_read_info,
  .find_names = find_names,
  .complete = complete,
  .complete_name = complete_name,
  .get_driver_name = get_driver_name,
  .find_content = vtr_vulkan_find_content,
  .read_content = vtr_vulkan_read_content,
};
