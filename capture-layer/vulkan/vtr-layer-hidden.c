/* Hides extensions, Vulkan versions and commands that the layer cannot record faithfully from
 * the program, and reports each one that the program asks for. */
#include "vtr-layer-hidden.h"

#include "vtr-layer-instance.h"
#include "vtr-layer-live.h"
#include "vtr-layer-trampolines.h"

#include "api/vtr-api-types.h"
#include "base/vtr-log.h"
#include "vulkan/vtr-vulkan-facts.h"
#include "vtr-config.h"
#include "wire/vtr-trace-objects.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The newest version that the layer follows. */
#ifdef VK_API_VERSION_1_4
#define FOLLOWED VK_API_VERSION_1_4
#else
#define FOLLOWED VK_API_VERSION_1_3
#endif

/* The last number in the registry that the list below was read from. */
#define LAST_NUMBER 716u

/* Extensions that a later registry than the one this layer was written for may know, and whose
 * calls mean more than a record of them tells: their commands would have to be followed by the
 * memory tracker, the layouts, or what live objects are made from. */
static const char *const not_followed[] = {
  "VK_AMDX_dense_geometry_format",
  "VK_AMDX_shader_enqueue",
  "VK_AMD_gpa_interface",
  "VK_ARM_data_graph",
  "VK_ARM_tensors",
  "VK_EXT_custom_resolve",
  "VK_EXT_descriptor_heap",
  "VK_EXT_external_memory_acquire_unmodified",
  "VK_EXT_map_memory_placed",
  "VK_EXT_memory_decompression",
  "VK_EXT_multisampled_render_to_swapchain",
  "VK_EXT_zero_initialize_device_memory",
  "VK_KHR_copy_memory_indirect",
  "VK_KHR_device_address_commands",
  "VK_KHR_extended_flags",
  "VK_KHR_opacity_micromap",
  "VK_KHR_pipeline_binary",
  "VK_NV_cluster_acceleration_structure",
  "VK_NV_cooperative_vector",
  "VK_NV_cuda_kernel_launch",
  "VK_NV_device_generated_commands_compute",
  "VK_NV_displacement_micromap",
  "VK_NV_external_compute_queue",
  "VK_NV_partitioned_acceleration_structure",
  "VK_NV_per_stage_descriptor_set",
  "VK_QCOM_tile_memory_heap",
  "VK_QCOM_tile_shading",
};

/* Whether $VITRINE_PASS_EXTENSIONS names @name. */
static bool
is_named (const char *name)
{
  static const char separators[] = ", ";
  const char *at = getenv ("VITRINE_PASS_EXTENSIONS");
  size_t length = strlen (name);

  while (at != NULL && *at != '\0')
    {
      size_t size = strcspn (at, separators);

      if (size == length && strncmp (at, name, size) == 0)
        return true;
      at += size;
      at += strspn (at, separators);
    }
  return false;
}

static bool
passes_unknown (void)
{
  const char *wish = getenv ("VITRINE_PASS_UNKNOWN");

  return (wish != NULL && strcmp (wish, "1") == 0) || is_named ("all");
}

/* The extension of a command that the registry does not have is unknown. */
static bool
passes_any (void)
{
  const char *names = getenv ("VITRINE_PASS_EXTENSIONS");

  return passes_unknown () || (names != NULL && *names != '\0');
}

static bool
is_listed (const char *const *list,
           size_t             n,
           const char        *name)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp (list[i], name) == 0)
      return true;
  return false;
}

static bool
is_followed (const char *name)
{
  uint16_t id = vtr_extension_from_name (name);

  return id != VTR_API_NO_INDEX && vtr_api_extensions[id].number <= LAST_NUMBER &&
         !is_listed (not_followed, sizeof not_followed / sizeof not_followed[0], name);
}

/* Whether a replay can find the driver's descriptors in memory, where the program has put them.
 * Sizes of 0 are of descriptors that the device does not have. */
static bool
has_long_descriptors (const VtrLayerInstance *instance,
                      VkPhysicalDevice        physical)
{
  VkPhysicalDeviceDescriptorBufferPropertiesEXT of = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &of,
  };
  const PFN_vkGetPhysicalDeviceProperties2 get = vtr_layer_get_properties2 (instance, physical);

  if (get == NULL)
    return false;
  get (physical, &properties);
  const size_t sizes[] = {
    of.samplerDescriptorSize,
    of.combinedImageSamplerDescriptorSize,
    of.sampledImageDescriptorSize,
    of.storageImageDescriptorSize,
    of.uniformTexelBufferDescriptorSize,
    of.robustUniformTexelBufferDescriptorSize,
    of.storageTexelBufferDescriptorSize,
    of.robustStorageTexelBufferDescriptorSize,
    of.uniformBufferDescriptorSize,
    of.robustUniformBufferDescriptorSize,
    of.storageBufferDescriptorSize,
    of.robustStorageBufferDescriptorSize,
    of.inputAttachmentDescriptorSize,
  };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    if (sizes[i] != 0 && (sizes[i] < VTR_MIN_DESCRIPTOR || sizes[i] > VTR_MAX_DESCRIPTOR))
      return false;
  return of.combinedImageSamplerDescriptorSingleArray &&
         (of.accelerationStructureDescriptorSize == 0 ||
          vtr_descriptor_finds_structures (of.accelerationStructureDescriptorSize));
}

/* Whether a replay could run programs that use it on this device. Those that do not find it take
 * another path, which can be replayed. */
static bool
can_be_replayed (const VtrLayerInstance *instance,
                 VkPhysicalDevice        physical,
                 const char             *name)
{
  return strcmp (name, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME) != 0 ||
         has_long_descriptors (instance, physical);
}

static bool
is_offered (const VtrLayerInstance *instance,
            VkPhysicalDevice        physical,
            const char             *name)
{
  return is_followed (name) && can_be_replayed (instance, physical, name);
}

bool
vtr_layer_hides_extension (const VtrLayerInstance *instance,
                           VkPhysicalDevice        physical,
                           const char             *name)
{
  return !is_named (name) && !passes_unknown () && !is_offered (instance, physical, name);
}

bool
vtr_layer_hides_command (VtrCmdId cmd)
{
  if (cmd != VTR_CMD_NONE && vtr_cmd_get (cmd)->version <= FOLLOWED)
    return false;
  return cmd == VTR_CMD_NONE ? !passes_any () : !passes_unknown ();
}

/* ---- What is said of it ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VtrCaptureWithheld withheld;

static void
put_string (VtrBuffer  *to,
            unsigned    field,
            const char *text,
            size_t      size)
{
  vtr_buffer_append_varint (to, field << 3 | 2);
  vtr_buffer_append_varint (to, size);
  vtr_buffer_append (to, text, size);
}

/* In the trace, before there is a device. Locked. */
static void
record_withheld (void)
{
  VtrBuffer message = { 0 };
  const char *end;

  for (const char *at = withheld.names; (end = strchr (at, '\n')) != NULL; at = end + 1)
    put_string (&message, VTR_NOTICE_HIDDEN_EXTENSION, at, (size_t)(end - at));
  if (!message.failed)
    vtr_layer_record_info ("vitrine.Notice", message.data, message.size);
  vtr_buffer_finish (&message);
}

/* Returns: whether @name is new. Locked. */
static bool
add_withheld (const char *name)
{
  size_t used = strlen (withheld.names), length = strlen (name);
  const char *end;

  for (const char *at = withheld.names; (end = strchr (at, '\n')) != NULL; at = end + 1)
    if ((size_t)(end - at) == length && strncmp (at, name, length) == 0)
      return false;
  if (used + length + 2 > sizeof withheld.names)
    return false;
  snprintf (withheld.names + used, sizeof withheld.names - used, "%s\n", name);
  return true;
}

/* Keeps the list of hidden extensions, and reports new ones to the host. */
static void
withhold (const VkExtensionProperties *hidden,
          uint32_t                     n,
          const char                  *version)
{
  bool news = false;

  pthread_mutex_lock (&lock);
  for (uint32_t i = 0; i < n; i++)
    news |= add_withheld (hidden[i].extensionName);
  if (version != NULL)
    news |= add_withheld (version);
  if (news)
    {
      vtr_layer_transport_withheld (&withheld);
      record_withheld ();
    }
  pthread_mutex_unlock (&lock);
}

static void
record_notice (VtrLayerDevice *device,
               const char     *text)
{
  VtrBuffer message = { 0 };

  vtr_buffer_append_varint (&message, VTR_NOTICE_LEVEL << 3 | 0);
  vtr_buffer_append_varint (&message, VTR_LOG_WARNING);
  put_string (&message, VTR_NOTICE_TEXT, text, strlen (text));
  if (!message.failed)
    {
      vtr_layer_record_info ("vitrine.Notice", message.data, message.size);
      if (device != NULL)
        vtr_layer_live_add_info (device, "vitrine.Notice", message.data, message.size);
    }
  vtr_buffer_finish (&message);
}

void
vtr_layer_report_unfollowed (const VtrLayerInstance   *instance,
                             VkPhysicalDevice          physical,
                             VtrLayerDevice           *device,
                             const VkDeviceCreateInfo *info)
{
  char text[512];

  if (!vtr_layer_transport_start ())
    return;
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    {
      const char *name = info->ppEnabledExtensionNames[i];

      if (is_offered (instance, physical, name))
        continue;
      if (device == NULL)
        snprintf (text, sizeof text,
                  "No device could be made with %s, which Vitrine withholds because it cannot "
                  "record or replay it. To let the program use it: --pass-extension %s.",
                  name, name);
      else if (is_followed (name))
        snprintf (text, sizeof text,
                  "The program uses %s, which Vitrine can record but not replay.", name);
      else
        snprintf (text, sizeof text,
                  "The program uses %s, which Vitrine cannot record. What the program does with it "
                  "is missing in the trace: the replay may fail, or show something else.",
                  name);
      vtr_layer_transport_notice (VTR_LOG_INFO, "%s", text);
      record_notice (device, text);
    }
}

/* ---- Versions ---- */

static void
limit_version (VkPhysicalDeviceProperties *properties)
{
  if (properties->apiVersion >= FOLLOWED + VK_MAKE_API_VERSION (0, 0, 1, 0) && !passes_unknown ())
    {
      char version[32];

      snprintf (version, sizeof version, "Vulkan %u.%u",
                VK_API_VERSION_MAJOR (properties->apiVersion),
                VK_API_VERSION_MINOR (properties->apiVersion));
      withhold (NULL, 0, version);
      properties->apiVersion = FOLLOWED + VK_HEADER_VERSION;
    }
}

void
vtr_layer_hook_GetPhysicalDeviceProperties (VtrLayerInstance           *self,
                                            VkPhysicalDevice            physicalDevice,
                                            VkPhysicalDeviceProperties *pProperties)
{
  self->next.GetPhysicalDeviceProperties (physicalDevice, pProperties);
  limit_version (pProperties);
}

void
vtr_layer_hook_GetPhysicalDeviceProperties2 (VtrLayerInstance            *self,
                                             VkPhysicalDevice             physicalDevice,
                                             VkPhysicalDeviceProperties2 *pProperties)
{
  self->next.GetPhysicalDeviceProperties2 (physicalDevice, pProperties);
  limit_version (&pProperties->properties);
}

void
vtr_layer_hook_GetPhysicalDeviceProperties2KHR (VtrLayerInstance            *self,
                                                VkPhysicalDevice             physicalDevice,
                                                VkPhysicalDeviceProperties2 *pProperties)
{
  self->next.GetPhysicalDeviceProperties2KHR (physicalDevice, pProperties);
  limit_version (&pProperties->properties);
}

/* ---- Extensions ---- */

/* Moves the visible ones to the front. Returns: how many these are. */
static uint32_t
filter_extensions (const VtrLayerInstance *instance,
                   VkPhysicalDevice        physical,
                   VkExtensionProperties  *all,
                   uint32_t                n)
{
  uint32_t kept = 0;

  for (uint32_t i = 0; i < n; i++)
    if (!vtr_layer_hides_extension (instance, physical, all[i].extensionName))
      {
        const VkExtensionProperties visible = all[i];

        memmove (all + kept + 1, all + kept, (i - kept) * sizeof *all);
        all[kept++] = visible;
      }
  return kept;
}

VkResult
vtr_layer_hook_EnumerateDeviceExtensionProperties (VtrLayerInstance      *self,
                                                   VkPhysicalDevice       physicalDevice,
                                                   const char            *pLayerName,
                                                   uint32_t              *pPropertyCount,
                                                   VkExtensionProperties *pProperties)
{
  VkExtensionProperties *all;
  uint32_t n = 0;
  VkResult result;

  if (pLayerName != NULL && strcmp (pLayerName, VTR_LAYER_NAME) == 0)
    {
      *pPropertyCount = 0;
      return VK_SUCCESS;
    }
  result = self->next.EnumerateDeviceExtensionProperties (physicalDevice, pLayerName, &n, NULL);
  if (result != VK_SUCCESS)
    return result;
  all = calloc (n + 1, sizeof *all);
  if (all == NULL)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  result = self->next.EnumerateDeviceExtensionProperties (physicalDevice, pLayerName, &n, all);
  if (result >= 0)
    {
      const uint32_t visible = filter_extensions (self, physicalDevice, all, n);

      withhold (all + visible, n - visible, NULL);
      n = visible;
      if (pProperties == NULL)
        *pPropertyCount = n;
      else
        {
          if (*pPropertyCount < n)
            result = VK_INCOMPLETE;
          else
            *pPropertyCount = n;
          memcpy (pProperties, all, *pPropertyCount * sizeof *all);
        }
    }
  free (all);
  return result;
}
