/* Asks questions about a state, and compares the answers with what is expected (VtrTestState). */
#include "vtr-test-state.h"

#include "engine/state/vtr-state-view.h"
#include "engine/vulkan/state/vtr-vulkan-shared.h"

#include <string.h>

void
vtr_test_state_set_up (VtrTestState  *self,
                       gconstpointer  data)
{
  self->test = vtr_test_trace_new ();
  vtr_test_add_device (self->test);
  vtr_test_add_pool (self->test, POOL, 0);
  vtr_test_allocate_buffer (self->test, POOL, CB);
  vtr_test_allocate_buffer (self->test, POOL, CB2);
  vtr_test_allocate_buffer (self->test, POOL, SECONDARY);
}

static char *
print_state (VtrTestState *self,
             VtrApiState  *state)
{
  g_autoptr (VtrStateView) view = vtr_state_view_new (vtr_document_get_analysis (self->document),
                                                      state);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = vtr_state_view_all (view, NULL, &error);

  g_assert_no_error (error);
  return json_to_string (node, TRUE);
}

static void
check_place (VtrTestState  *self,
             VtrStateStore *store,
             guint64        index,
             guint32        run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrApiState) near = vtr_state_store_get (store, index, run, NULL, &error);
  g_autoptr (VtrApiState) far = NULL;
  g_autofree char *left = NULL, *right = NULL;

  g_assert_no_error (error);
  far = vtr_state_store_get_from_start (store, index, run, NULL, &error);
  g_assert_no_error (error);
  left = print_state (self, near);
  right = print_state (self, far);
  g_assert_cmpstr (left, ==, right);
}

/* With a checkpoint at every step, every state is what it is from the start. */
static void
check_checkpoints (VtrTestState *self)
{
  VtrTimeline *timeline = vtr_document_get_timeline (self->document);
  g_autoptr (VtrStateStore) store =
    vtr_state_store_new (timeline, vtr_document_get_history (self->document));
  guint64 n = vtr_trace_get_n_commands (vtr_document_get_trace (self->document));

  vtr_state_store_set_distance (store, 1);
  for (guint64 i = n; i > 0; i--)
    {
      guint32 nth = vtr_timeline_find_recording (timeline, i - 1);
      const VtrRun *run;

      check_place (self, store, i - 1, VTR_NO_RUN);
      for (guint32 k = 0; nth != VTR_NO_RECORDING &&
                          (run = vtr_timeline_find_run (timeline, nth, k)) != NULL;
           k++)
        check_place (self, store, i - 1, (guint32)(run - vtr_timeline_get_run (timeline, 0)));
    }
}

void
vtr_test_state_tear_down (VtrTestState  *self,
                          gconstpointer  data)
{
  if (self->document != NULL)
    check_checkpoints (self);
  g_clear_object (&self->document);
  vtr_test_trace_free (self->test);
}

void
vtr_test_state_open (VtrTestState *self)
{
  self->document = vtr_test_trace_open_document (self->test);
}

guint32
vtr_test_state_id (VtrTestState *self,
                   guint64       index,
                   guint32       type,
                   guint64       handle)
{
  const VtrObject *object =
    vtr_history_find (vtr_document_get_history (self->document), vtr_vulkan_identity (type, handle),
                      index);

  return object != NULL ? object->id : 0;
}

static char *
format_command (guint64 index,
                guint   k)
{
  return k > 0 ? g_strdup_printf ("commands/%" G_GUINT64_FORMAT "@%u", index, k)
               : g_strdup_printf ("commands/%" G_GUINT64_FORMAT, index);
}

static char *
get_json (VtrTestState *self,
          const char   *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = vtr_document_get (self->document, path, NULL, &error);

  if (node == NULL)
    return g_strdup_printf ("error: %s", error->message);
  return json_to_string (node, FALSE);
}

static char *
format_object_path (VtrTestState *self,
                    guint64       index,
                    guint         k,
                    guint32       type,
                    guint64       handle)
{
  g_autofree char *command = format_command (index, k);
  guint32 id = vtr_test_state_id (self, index, type, handle);
  const VtrObject *object = vtr_history_get_object (vtr_document_get_history (self->document), id);
  const char *name = vtr_api_string (vtr_handle_get (type)->name) + 2;
  g_autofree char *group = NULL;

  if (object == NULL)
    return g_strdup ("no object");
  if (g_str_has_suffix (name, "KHR") || g_str_has_suffix (name, "EXT"))
    group = g_strdup_printf ("%c%.*ss", g_ascii_tolower (name[0]), (int)strlen (name) - 4,
                             name + 1);
  else if (g_str_has_suffix (name, "Memory"))
    group = g_strdup ("deviceMemories");
  else
    group = g_strdup_printf ("%c%ss", g_ascii_tolower (name[0]), name + 1);
  return g_strdup_printf ("%s/state/devices/%u/%s/%u", command,
                          vtr_test_state_id (self, index, VTR_HANDLE_VkDevice, 3), group, id);
}

void
vtr_test_state_expect (VtrTestState *self,
                       guint64       index,
                       guint         k,
                       guint32       type,
                       guint64       handle,
                       const char   *path,
                       const char   *expected)
{
  g_autofree char *object = format_object_path (self, index, k, type, handle);
  g_autofree char *whole = g_strdup_printf ("%s/%s", object, path);
  g_autofree char *got = get_json (self, whole);

  if (!g_str_equal (got, expected))
    g_error ("%s is %s, expected %s", whole, got, expected);
}

void
vtr_test_state_expect_path (VtrTestState *self,
                            guint64       index,
                            guint         k,
                            const char   *path,
                            const char   *expected)
{
  g_autofree char *command = format_command (index, k);
  g_autofree char *whole = g_strdup_printf ("%s/state/%s", command, path);
  g_autofree char *got = get_json (self, whole);

  if (!g_str_equal (got, expected))
    g_error ("%s is %s, expected %s", whole, got, expected);
}

void
vtr_test_state_expect_object (VtrTestState *self,
                              guint64       index,
                              guint         k,
                              guint32       type,
                              guint64       handle,
                              const char   *path,
                              guint32       id)
{
  g_autofree char *below = id != 0 ? g_strdup_printf ("%s/object", path) : g_strdup (path);
  g_autofree char *expected = id != 0 ? g_strdup_printf ("%u", id) : g_strdup ("null");

  vtr_test_state_expect (self, index, k, type, handle, below, expected);
}

static VtrApiState *
get_state (VtrTestState *self,
           guint64       index,
           guint         k)
{
  VtrTimeline *timeline = vtr_document_get_timeline (self->document);
  guint32 recording = vtr_timeline_find_recording (timeline, index);
  const VtrRun *run =
    recording != VTR_NO_RECORDING ? vtr_timeline_find_run (timeline, recording, k) : NULL;
  g_autoptr (GError) error = NULL;
  VtrApiState *state = vtr_state_store_get (
    vtr_document_get_state_store (self->document), index,
    run != NULL ? (guint32)(run - vtr_timeline_get_run (timeline, 0)) : VTR_NO_RUN, NULL,
    &error);

  g_assert_no_error (error);
  return state;
}

void
vtr_test_state_expect_layout (VtrTestState          *self,
                              guint64                index,
                              guint                  k,
                              guint64                image,
                              VkImageAspectFlagBits  aspect,
                              guint32                mip,
                              guint32                layer,
                              VkImageLayout          expected)
{
  g_autoptr (VtrApiState) state = get_state (self, index, k);
  guint32 id = vtr_test_state_id (self, index, VTR_HANDLE_VkImage, image);
  VkImageLayout layout = vtr_api_state_get_layout (state, id, aspect, mip, layer);

  if (layout != expected)
    g_error ("after %" G_GUINT64_FORMAT ", run %u, mip %u, layer %u of image 0x%" G_GINT64_MODIFIER
             "x is in %s, expected %s",
             index, k, mip, layer, image, vtr_enum_value_name (VTR_ENUM_VkImageLayout, layout),
             vtr_enum_value_name (VTR_ENUM_VkImageLayout, expected));
}

void
vtr_test_state_expect_message (VtrTestState *self,
                               guint64       index,
                               const char   *expected)
{
  VtrStateStore *store = vtr_document_get_state_store (self->document);
  g_autoptr (GArray) messages = NULL;
  g_autoptr (GString) got = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) wanted = g_strsplit (expected, "\n", -1), lines = NULL;

  vtr_state_store_prepare (store, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  messages = vtr_state_store_get_messages (store);
  for (guint i = 0; i < messages->len; i++)
    {
      const VtrStateMessage *message = &g_array_index (messages, VtrStateMessage, i);

      if (message->index == index)
        g_string_append_printf (got, "%s%s: %s", got->len > 0 ? "\n" : "", message->check,
                                message->text);
    }
  lines = g_strsplit (got->str, "\n", -1);
  if (g_strv_length (lines) != g_strv_length (wanted))
    g_error ("the checks say “%s” of command %" G_GUINT64_FORMAT ", expected “%s”", got->str, index,
             expected);
  for (guint i = 0; wanted[i] != NULL; i++)
    if (!g_str_has_prefix (lines[i], wanted[i]))
      g_error ("the checks say “%s” of command %" G_GUINT64_FORMAT ", expected “%s”", got->str,
               index, expected);
}

/* --- Frequent calls --- */

void
vtr_test_state_add_memory (VtrTestState *self,
                           guint64       memory)
{
  vtr_test_add_memory (self->test, memory, 65536);
}

void
vtr_test_state_add_buffer (VtrTestState *self,
                           guint64       buffer)
{
  vtr_test_add_buffer (self->test, buffer, 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
}

void
vtr_test_state_add_image (VtrTestState  *self,
                          guint64        image,
                          VkFormat       format,
                          VkImageLayout  initial,
                          guint64        memory)
{
  VkImage handle = H (VkImage, image);
  VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
    .imageType = VK_IMAGE_TYPE_2D,
    .format = format,
    .extent = { 64, 64, 1 },
    .mipLevels = 4,
    .arrayLayers = 2,
    .samples = VK_SAMPLE_COUNT_1_BIT,
    .initialLayout = initial,
  };

  ADD (self->test, vkCreateImage, .device = DEVICE, .pCreateInfo = &info, .pImage = &handle);
  if (memory != 0)
    ADD (self->test, vkBindImageMemory, .device = DEVICE, .image = handle,
         .memory = H (VkDeviceMemory, memory), .memoryOffset = 4096);
}

void
vtr_test_state_add_view (VtrTestState            *self,
                         guint64                  view,
                         guint64                  image,
                         VkFormat                 format,
                         VkImageSubresourceRange  range)
{
  VkImageView handle = H (VkImageView, view);
  VkImageViewCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
    .image = H (VkImage, image),
    .viewType = VK_IMAGE_VIEW_TYPE_2D,
    .format = format,
    .subresourceRange = range,
  };

  ADD (self->test, vkCreateImageView, .device = DEVICE, .pCreateInfo = &info, .pView = &handle);
}

guint64
vtr_test_state_barrier (VtrTestState            *self,
                        guint64                  command_buffer,
                        guint64                  image,
                        VkImageSubresourceRange  range,
                        VkImageLayout            from,
                        VkImageLayout            to)
{
  VkImageMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
    .oldLayout = from,
    .newLayout = to,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .image = H (VkImage, image),
    .subresourceRange = range,
  };

  return ADD (self->test, vkCmdPipelineBarrier,
              .commandBuffer = H (VkCommandBuffer, command_buffer),
              .srcStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
              .dstStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, .imageMemoryBarrierCount = 1,
              .pImageMemoryBarriers = &barrier);
}
