/* Tests text, JSON and property trees of known calls. */
#include "api/vtr-api-args.h"
#include "api/vtr-api-print.h"

#include <glib.h>

typedef struct
{
  VtrArena arena;
  VtrBuffer message;
  VtrDecoded decoded;
} Call;

static void
call_init (Call       *self,
           VtrCmdId    cmd,
           const void *args)
{
  memset (self, 0, sizeof *self);
  vtr_arena_init (&self->arena);
  vtr_api_encode (&self->message, cmd, args, VK_SUCCESS, 1, 2, 0, NULL);
  g_assert_cmpint (vtr_api_decode (cmd, self->message.data, self->message.size, NULL, &self->arena,
                                   &self->decoded),
                   ==, VTR_OK);
}

static void
call_finish (Call *self)
{
  vtr_arena_finish (&self->arena);
  vtr_buffer_finish (&self->message);
}

static char *
take_text (VtrBuffer *text)
{
  char *result = g_strndup ((const char *)text->data, text->size);

  vtr_buffer_finish (text);
  return result;
}

static void
test_one_line (void)
{
  VtrArgs_vkCmdDraw args = { (VkCommandBuffer)(guintptr)0x55, 36, 1, 0, 0 };
  VtrBuffer text = { 0 };
  g_autofree char *line = NULL;

  vtr_api_print (VTR_CMD_vkCmdDraw, &args, NULL, NULL, &text);
  line = take_text (&text);
  g_assert_cmpstr (line, ==,
                   "vkCmdDraw(commandBuffer=0x55, vertexCount=36, instanceCount=1, firstVertex=0, "
                   "firstInstance=0)");
}

static void
test_json (void)
{
  static const char *const extensions[] = { "VK_KHR_surface", "quote\"\xff" };
  VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                    .pApplicationName = "näme",
                                    .apiVersion = 5 };
  VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                .pApplicationInfo = &application,
                                .enabledExtensionCount = 2,
                                .ppEnabledExtensionNames = extensions };
  VkInstance instance = (VkInstance)(guintptr)0x1234;
  VtrArgs_vkCreateInstance args = { &info, NULL, &instance };
  VtrBuffer text = { 0 };
  g_autofree char *json = NULL;
  Call call;

  call_init (&call, VTR_CMD_vkCreateInstance, &args);
  vtr_api_json (VTR_CMD_vkCreateInstance, call.decoded.args, &call.decoded, NULL, &text);
  json = take_text (&text);
  g_assert_cmpstr (json, ==,
                   "{\"pCreateInfo\":{\"sType\":\"VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO\","
                   "\"pNext\":null,\"flags\":\"0\",\"pApplicationInfo\":{"
                   "\"sType\":\"VK_STRUCTURE_TYPE_APPLICATION_INFO\",\"pNext\":null,"
                   "\"pApplicationName\":\"näme\",\"applicationVersion\":0,\"pEngineName\":null,"
                   "\"engineVersion\":0,\"apiVersion\":5},\"enabledLayerCount\":0,"
                   "\"ppEnabledLayerNames\":null,\"enabledExtensionCount\":2,"
                   "\"ppEnabledExtensionNames\":[\"VK_KHR_surface\",\"quote\\u0022\xef\xbf\xbd\"]},"
                   "\"pAllocator\":null,\"pInstance\":\"0x1234\"}");
  call_finish (&call);
}

static void
assert_value (Call       *call,
              const char *path,
              const char *expected)
{
  const VtrProperty *root = vtr_property_root (&call->arena, call->decoded.cmd, call->decoded.args,
                                               &call->decoded, NULL);
  const VtrProperty *property = vtr_property_find (&call->arena, root, path);
  VtrBuffer text = { 0 };
  g_autofree char *value = NULL;

  if (expected == NULL)
    {
      g_assert_null (property);
      return;
    }
  g_assert_nonnull (property);
  vtr_property_text (property, &text);
  value = take_text (&text);
  g_assert_cmpstr (value, ==, expected);
}

static void
test_properties (void)
{
  VkFormat formats[] = { VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB };
  VkImageFormatListCreateInfo list = { .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                       .viewFormatCount = 2,
                                       .pViewFormats = formats };
  VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                             .pNext = &list,
                             .imageType = VK_IMAGE_TYPE_2D,
                             .format = VK_FORMAT_R8G8B8A8_UNORM,
                             .extent = { 640, 480, 1 },
                             .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
                             .pQueueFamilyIndices = (const guint32 *)(guintptr)0x40 };
  VkImage image = (VkImage)(guintptr)0x99;
  VtrArgs_vkCreateImage args = { (VkDevice)(guintptr)0x11, &info, NULL, &image };
  const VtrProperty *property;
  Call call;

  call_init (&call, VTR_CMD_vkCreateImage, &args);
  assert_value (&call, "device", "0x11");
  assert_value (&call, "pCreateInfo/extent/width", "640");
  assert_value (&call, "pCreateInfo/format", "VK_FORMAT_R8G8B8A8_UNORM");
  assert_value (&call, "pCreateInfo/usage",
                "VK_IMAGE_USAGE_SAMPLED_BIT|VK_IMAGE_USAGE_STORAGE_BIT");
  assert_value (&call, "pCreateInfo/pNext/VkImageFormatListCreateInfo/pViewFormats[1]",
                "VK_FORMAT_R8G8B8A8_SRGB");
  assert_value (&call, "pCreateInfo/pNext/[0]/pViewFormats/[0]", "VK_FORMAT_R8G8B8A8_UNORM");
  assert_value (&call, "pCreateInfo/pQueueFamilyIndices", "0x40 (ignored)");
  assert_value (&call, "pImage", "0x99");
  assert_value (&call, "pAllocator", "NULL");
  assert_value (&call, "pCreateInfo/nothing", NULL);
  assert_value (&call, "pCreateInfo/pNext/[1]", NULL);

  property = vtr_property_find (&call.arena,
                                vtr_property_root (&call.arena, call.decoded.cmd, call.decoded.args,
                                                   &call.decoded, NULL),
                                "pImage");
  g_assert_cmpint (property->kind, ==, VTR_PROPERTY_HANDLE);
  g_assert_cmpuint (property->type, ==, VTR_HANDLE_VkImage);
  g_assert_cmphex (property->address, ==, (guintptr)&image);
  g_assert_cmphex (property->value, ==, 0x99);
  g_assert_true (property->out);
  g_assert_cmpstr (property->type_name, ==, "VkImage");
  call_finish (&call);
}

/* Numbers with special meanings, and empty arrays. */
static void
test_special (void)
{
  VkImageMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                   .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                   .subresourceRange = { .levelCount = VK_REMAINING_MIP_LEVELS } };
  VtrArgs_vkCmdPipelineBarrier args = {
    .pMemoryBarriers = (void *)(guintptr)0x77,
    .imageMemoryBarrierCount = 1,
    .pImageMemoryBarriers = &barrier,
  };
  Call call;

  call_init (&call, VTR_CMD_vkCmdPipelineBarrier, &args);
  assert_value (&call, "pImageMemoryBarriers/[0]/srcQueueFamilyIndex", "VK_QUEUE_FAMILY_IGNORED");
  assert_value (&call, "pImageMemoryBarriers/[0]/dstQueueFamilyIndex", "0");
  assert_value (&call, "pImageMemoryBarriers/[0]/subresourceRange/levelCount",
                "VK_REMAINING_MIP_LEVELS");
  assert_value (&call, "pMemoryBarriers", "[]");
  assert_value (&call, "pBufferMemoryBarriers", "NULL");
  call_finish (&call);
}

static void
test_result (void)
{
  VtrBuffer text = { 0 };
  g_autofree char *json = NULL;

  vtr_api_json_result (VTR_CMD_vkQueueSubmit, (guint64)(gint64)VK_ERROR_DEVICE_LOST, &text);
  vtr_api_json_result (VTR_CMD_vkCmdDraw, 0, &text);
  vtr_api_json_result (VTR_CMD_vkGetBufferDeviceAddress, G_MAXUINT64, &text);
  json = take_text (&text);
  g_assert_cmpstr (json, ==, "\"VK_ERROR_DEVICE_LOST\"null\"18446744073709551615\"");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/print/one-line", test_one_line);
  g_test_add_func ("/api/print/json", test_json);
  g_test_add_func ("/api/print/properties", test_properties);
  g_test_add_func ("/api/print/special", test_special);
  g_test_add_func ("/api/print/result", test_result);
  return g_test_run ();
}
