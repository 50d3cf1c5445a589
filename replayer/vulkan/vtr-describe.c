/* Asks each Vulkan driver for its features, limits, formats and extensions, and packs them for
 * the engine. */
#include "vtr-describe.h"
#include "vtr-vk-offers.h"

#include "vtr-feature-table.h"
#include "vulkan/vtr-vulkan-device.pb-c.h"
#include "vulkan/vtr-vulkan-formats.h"

#include <stdlib.h>

#define MAX_DEVICES 64

#define NEED(vk, name) \
  ((PFN_##name) (vk)->get_instance_proc_addr ((vk)->describer, #name))

/* --- The instance ---------------------------------------------------------------------------- */

/* Creates an instance, which stays until the first request has created its own, so that the
 * drivers are loaded only once. Returns: false if that fails. */
static bool
describe_open (VtrReplayVk *vk)
{
  static const char *const extensions[] = {
    VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
  };
  VkApplicationInfo application = {
    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
    .apiVersion = VK_API_VERSION_1_0,
  };
  VkInstanceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .pApplicationInfo = &application,
    .ppEnabledExtensionNames = extensions,
  };
  PFN_vkEnumerateInstanceVersion version;
  PFN_vkCreateInstance create;
  uint32_t offered;

  if (vk->describer != VK_NULL_HANDLE)
    return true;
  if (!vtr_replay_vk_load (vk))
    return false;
  version = (PFN_vkEnumerateInstanceVersion)vk->get_instance_proc_addr (
    VK_NULL_HANDLE, "vkEnumerateInstanceVersion");
  create =
    (PFN_vkCreateInstance)vk->get_instance_proc_addr (VK_NULL_HANDLE, "vkCreateInstance");
  if (version != NULL && version (&offered) == VK_SUCCESS)
    application.apiVersion = offered < VK_API_VERSION_1_3 ? offered : VK_API_VERSION_1_3;
  info.enabledExtensionCount = vtr_offers_extension (vk, NULL, 0, extensions[0]);
  return create != NULL && create (&info, NULL, &vk->describer) == VK_SUCCESS;
}

void
vtr_describer_close (VtrReplayVk *vk)
{
  PFN_vkDestroyInstance destroy;

  if (vk->describer == VK_NULL_HANDLE)
    return;
  destroy = NEED (vk, vkDestroyInstance);
  destroy (vk->describer, NULL);
  vk->describer = VK_NULL_HANDLE;
}

/* --- Parts of a description ------------------------------------------------------------------ */

static void
describe_features (VtrReplayVk      *vk,
                   VkPhysicalDevice  device,
                   VtrBuffer        *out)
{
  PFN_vkGetPhysicalDeviceFeatures2 get = NEED (vk, vkGetPhysicalDeviceFeatures2);
  VkPhysicalDeviceFeatures2 head = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
  VkBaseOutStructure *links = NULL;

  if (get == NULL)
    get = (PFN_vkGetPhysicalDeviceFeatures2)NEED (vk, vkGetPhysicalDeviceFeatures2KHR);
  for (size_t i = 0; get != NULL && i < vtr_n_feature_structs; i++)
    {
      const VtrFeatureStruct *info = &vtr_feature_structs[i];
      VkBaseOutStructure *link;

      if (info->s_type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 ||
          (link = calloc (1, info->size)) == NULL)
        continue;
      link->sType = (VkStructureType)info->s_type;
      link->pNext = links;
      links = link;
    }
  head.pNext = links;
  if (get != NULL)
    get (device, &head);
  else
    NEED (vk, vkGetPhysicalDeviceFeatures)
  (device, &head.features);
  vtr_buffer_append_u32 (out, head.sType);
  vtr_buffer_append_u32 (out, sizeof head.features / sizeof (VkBool32));
  vtr_buffer_append (out, &head.features, sizeof head.features);
  for (size_t i = vtr_n_feature_structs; links != NULL && i-- > 0;)
    {
      const VtrFeatureStruct *info = &vtr_feature_structs[i];
      VkBaseOutStructure *link = links;

      if (link->sType != (VkStructureType)info->s_type)
        continue;
      vtr_buffer_append_u32 (out, info->s_type);
      vtr_buffer_append_u32 (out, info->n_features);
      vtr_buffer_append (out, link + 1, info->n_features * sizeof (VkBool32));
      links = link->pNext;
      free (link);
    }
}

/* Whether the driver knows a structure; some complain of others. */
static bool
knows_properties (const VtrPropertyStruct           *info,
                  const VkPhysicalDeviceProperties  *properties,
                  char                             **extensions,
                  size_t                             n_extensions)
{
  if (info->version != 0 && properties->apiVersion >= info->version)
    return true;
  for (size_t i = 0; info->extension != NULL && i < n_extensions; i++)
    if (strcmp (extensions[i], info->extension) == 0)
      return true;
  return false;
}

/* Nothing where VkPhysicalDeviceProperties is all that can be told. */
static void
describe_properties (VtrReplayVk                       *vk,
                     VkPhysicalDevice                   device,
                     const VkPhysicalDeviceProperties  *properties,
                     char                             **extensions,
                     size_t                             n_extensions,
                     VtrBuffer                         *out)
{
  PFN_vkGetPhysicalDeviceProperties2 get = NEED (vk, vkGetPhysicalDeviceProperties2);

  if (get == NULL || properties->apiVersion < VK_API_VERSION_1_1)
    return;
  for (size_t i = 0; i < vtr_n_property_structs; i++)
    {
      const VtrPropertyStruct *info = &vtr_property_structs[i];
      VkPhysicalDeviceProperties2 head = { .sType =
                                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
      VkBaseOutStructure *link;

      if (!knows_properties (info, properties, extensions, n_extensions) ||
          (link = calloc (1, info->size)) == NULL)
        continue;
      link->sType = (VkStructureType)info->s_type;
      head.pNext = link;
      get (device, &head);
      vtr_buffer_append_u32 (out, info->s_type);
      vtr_buffer_append_u32 (out, info->size);
      vtr_buffer_append (out, link, info->size);
      free (link);
    }
}

static void
describe_formats (VtrReplayVk      *vk,
                  VkPhysicalDevice  device,
                  VtrBuffer        *out)
{
  PFN_vkGetPhysicalDeviceFormatProperties get = NEED (vk, vkGetPhysicalDeviceFormatProperties);

  for (size_t i = 0; i < vtr_vulkan_n_formats; i++)
    {
      VkFormatProperties properties = { 0 };

      /* Formats of extensions may be asked for where these are there only; all of them are, where
       * drivers know them, and others say that they cannot do anything. */
      get (device, vtr_vulkan_formats[i], &properties);
      if ((properties.linearTilingFeatures | properties.optimalTilingFeatures |
           properties.bufferFeatures) == 0)
        continue;
      vtr_buffer_append_u32 (out, vtr_vulkan_formats[i]);
      vtr_buffer_append (out, &properties, sizeof properties);
    }
}

/* Returns: names, to be freed with their array @properties; *@n of them. */
static char **
describe_extensions (VtrReplayVk            *vk,
                     VkPhysicalDevice        device,
                     VkExtensionProperties **properties,
                     size_t                 *n)
{
  PFN_vkEnumerateDeviceExtensionProperties enumerate =
    NEED (vk, vkEnumerateDeviceExtensionProperties);
  uint32_t n_properties = 0;
  char **names;

  *n = 0;
  *properties = NULL;
  if (enumerate (device, NULL, &n_properties, NULL) != VK_SUCCESS)
    return NULL;
  *properties = calloc (n_properties + 1, sizeof **properties);
  names = calloc (n_properties + 1, sizeof *names);
  if (*properties == NULL || names == NULL ||
      enumerate (device, NULL, &n_properties, *properties) < 0)
    return names;
  for (uint32_t i = 0; i < n_properties; i++)
    names[(*n)++] = (*properties)[i].extensionName;
  return names;
}

static ProtobufCBinaryData
describe_bytes (VtrBuffer *buffer)
{
  return (ProtobufCBinaryData){ buffer->failed ? 0 : buffer->size, buffer->data };
}

static void
describe_driver (VtrReplayVk                      *vk,
                 VkPhysicalDevice                  device,
                 const VkPhysicalDeviceProperties *properties,
                 VkPhysicalDeviceDriverProperties *driver)
{
  PFN_vkGetPhysicalDeviceProperties2 get = NEED (vk, vkGetPhysicalDeviceProperties2);
  VkPhysicalDeviceProperties2 all = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = driver,
  };

  if (get != NULL && properties->apiVersion >= VK_API_VERSION_1_1)
    get (device, &all);
}

static void
describe_pack (const Vtr__Vulkan__Device *device,
               VtrDescribeSink            sink,
               void                      *data)
{
  size_t size = vtr__vulkan__device__get_packed_size (device);
  uint8_t *bytes = malloc (size + 1);

  if (bytes != NULL)
    sink (data, bytes, vtr__vulkan__device__pack (device, bytes));
  free (bytes);
}

static void
describe_device (VtrReplayVk      *vk,
                 VkPhysicalDevice  device,
                 uint32_t          index,
                 VtrDescribeSink   sink,
                 void             *data)
{
  VkPhysicalDeviceProperties properties = { 0 };
  VkPhysicalDeviceMemoryProperties memory = { 0 };
  VkPhysicalDeviceDriverProperties driver = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
  };
  PFN_vkGetPhysicalDeviceQueueFamilyProperties get_families =
    NEED (vk, vkGetPhysicalDeviceQueueFamilyProperties);
  Vtr__Vulkan__Device message = VTR__VULKAN__DEVICE__INIT;
  VtrBuffer features = { 0 }, formats = { 0 }, more = { 0 };
  VkExtensionProperties *extensions;
  VkQueueFamilyProperties *families;
  uint32_t n_families = 0;

  NEED (vk, vkGetPhysicalDeviceProperties)
  (device, &properties);
  NEED (vk, vkGetPhysicalDeviceMemoryProperties)
  (device, &memory);
  get_families (device, &n_families, NULL);
  families = calloc (n_families + 1, sizeof *families);
  if (families != NULL)
    get_families (device, &n_families, families);
  describe_driver (vk, device, &properties, &driver);
  describe_features (vk, device, &features);
  describe_formats (vk, device, &formats);

  message.index = index;
  message.properties = (ProtobufCBinaryData){ sizeof properties, (uint8_t *)&properties };
  message.memory = (ProtobufCBinaryData){ sizeof memory, (uint8_t *)&memory };
  message.families = (ProtobufCBinaryData){
    families != NULL ? n_families * sizeof *families : 0,
    (uint8_t *)families,
  };
  message.extensions =
    describe_extensions (vk, device, &extensions, &message.n_extensions);
  describe_properties (vk, device, &properties, message.extensions, message.n_extensions, &more);
  message.features = describe_bytes (&features);
  message.formats = describe_bytes (&formats);
  message.more_properties = describe_bytes (&more);
  message.driver_name = driver.driverName;
  message.driver_info = driver.driverInfo;
  describe_pack (&message, sink, data);

  free (message.extensions);
  free (extensions);
  free (families);
  vtr_buffer_finish (&features);
  vtr_buffer_finish (&more);
  vtr_buffer_finish (&formats);
}

/* --- Answers --------------------------------------------------------------------------------- */

/* Returns: how many there are. */
static uint32_t
describe_enumerate (VtrReplayVk      *vk,
                    VkPhysicalDevice  devices[MAX_DEVICES])
{
  uint32_t n = MAX_DEVICES;

  if (!describe_open (vk) || NEED (vk, vkEnumeratePhysicalDevices) (vk->describer, &n, devices) < 0)
    return 0;
  return n;
}

void
vtr_describe_prepare (VtrReplayVk *vk)
{
  VkPhysicalDevice devices[MAX_DEVICES];

  describe_enumerate (vk, devices);
}

const char *
vtr_describe_devices (VtrReplayVk     *vk,
                      VtrDescribeSink  sink,
                      void            *data)
{
  VkPhysicalDevice devices[MAX_DEVICES];
  uint32_t n = describe_enumerate (vk, devices);

  if (vk->get_instance_proc_addr == NULL)
    return "Vulkan is not installed (libvulkan.so.1).";
  if (n == 0)
    return "No Vulkan driver offers a device.";
  for (uint32_t i = 0; i < n; i++)
    describe_device (vk, devices[i], i, sink, data);
  return NULL;
}

/* Returns: false when out of memory. */
static bool
describe_answer (VtrReplayVk               *vk,
                 VkPhysicalDevice           device,
                 const ProtobufCBinaryData *images,
                 VtrDescribeSink            sink,
                 void                      *data)
{
  PFN_vkGetPhysicalDeviceImageFormatProperties get =
    NEED (vk, vkGetPhysicalDeviceImageFormatProperties);
  size_t n = images->len / (5 * sizeof (uint32_t));
  uint32_t *answers = calloc (n + 1, 7 * sizeof *answers), *answer = answers;

  if (answers == NULL)
    return false;
  for (size_t i = 0; i < n; i++, answer += 7)
    {
      VkImageFormatProperties properties = { 0 };
      uint32_t image[5];

      memcpy (image, images->data + i * sizeof image, sizeof image);
      answer[0] = (uint32_t)get (device, (VkFormat)image[0], (VkImageType)image[1],
                                 (VkImageTiling)image[2], image[3], image[4], &properties);
      answer[1] = properties.maxExtent.width;
      answer[2] = properties.maxExtent.height;
      answer[3] = properties.maxExtent.depth;
      answer[4] = properties.maxMipLevels;
      answer[5] = properties.maxArrayLayers;
      answer[6] = properties.sampleCounts;
    }
  sink (data, answers, n * 7 * sizeof *answers);
  free (answers);
  return true;
}

bool
vtr_describe_images (VtrReplayVk     *vk,
                     const void      *question,
                     size_t           size,
                     VtrDescribeSink  sink,
                     void            *data)
{
  Vtr__Vulkan__ImageQuestion *images = vtr__vulkan__image_question__unpack (NULL, size, question);
  VkPhysicalDevice devices[MAX_DEVICES];
  bool answered = false;

  if (images != NULL && images->device < describe_enumerate (vk, devices))
    answered = describe_answer (vk, devices[images->device], &images->images, sink, data);
  vtr__vulkan__image_question__free_unpacked (images, NULL);
  return answered;
}
