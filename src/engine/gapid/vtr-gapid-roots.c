/* Makes commands that create instances, devices and swapchains, from GAPID's state. */
#include "engine/gapid/vtr-gapid-builder-private.h"

#include <string.h>

/* Texts of a map, as Vulkan takes them. */
static const char *const *
list_texts (VtrGapidBuilder *self,
            VtrGapidValue   *map,
            guint32         *n)
{
  gsize count;
  const VtrGapidEntry *entries = vtr_gapid_list_entries (map, &self->arena, &count);
  const char **texts = vtr_arena_new_array (&self->arena, count + 1, const char *);

  *n = 0;
  for (gsize i = 0; texts != NULL && i < count; i++)
    if (entries[i].value != NULL && entries[i].value->kind == VTR_GAPID_BYTES)
      {
        char *text = vtr_arena_alloc (&self->arena, entries[i].value->n + 1);

        if (text == NULL)
          break;
        if (entries[i].value->n > 0)
          memcpy (text, entries[i].value->bytes, entries[i].value->n);
        texts[(*n)++] = text;
      }
  return texts;
}

/* ---- Instances and devices ---- */

static int
compare_by_index (gconstpointer a,
                  gconstpointer b)
{
  guint64 left = vtr_gapid_get_number (((const VtrGapidEntry *)a)->value, "Index");
  guint64 right = vtr_gapid_get_number (((const VtrGapidEntry *)b)->value, "Index");

  return left < right ? -1 : left > right;
}

/* In the order in which the program got them. */
static void
emit_enumerate (VtrGapidBuilder *self,
                guint64          instance)
{
  gsize n;
  const VtrGapidEntry *entries =
    vtr_gapid_list_entries (vtr_gapid_get (self->state, "PhysicalDevices"), &self->arena, &n);
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (VtrGapidEntry));
  VkPhysicalDevice *devices;
  guint32 count;
  VtrArgs_vkEnumeratePhysicalDevices args = {
    .instance = VTR_GAPID_HANDLE (VkInstance, instance),
    .pPhysicalDeviceCount = &count,
  };

  for (gsize i = 0; i < n; i++)
    if (vtr_gapid_get_number (entries[i].value, "Instance") == instance && own->len < 256)
      g_array_append_val (own, entries[i]);
  g_array_sort (own, compare_by_index);
  count = own->len;
  devices = vtr_arena_new_array (&self->arena, count + 1, VkPhysicalDevice);
  if (devices == NULL || count == 0)
    return;
  for (guint i = 0; i < count; i++)
    devices[i] = VTR_GAPID_HANDLE (VkPhysicalDevice, g_array_index (own, VtrGapidEntry, i).key);
  args.pPhysicalDevices = devices;
  vtr_gapid_emit (self, VTR_CMD_vkEnumeratePhysicalDevices, &args);
}

gboolean
vtr_gapid_make_instance (VtrGapidBuilder *self,
                         VtrGapidValue   *object,
                         guint64          handle)
{
  VtrGapidValue *application = vtr_gapid_get (object, "ApplicationInfo");
  VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  VkInstance instance = VTR_GAPID_HANDLE (VkInstance, handle);
  const VtrArgs_vkCreateInstance args = { .pCreateInfo = &info, .pInstance = &instance };

  if (application != NULL)
    info.pApplicationInfo = vtr_gapid_new_struct (self, VTR_STRUCT_VkApplicationInfo, application);
  info.ppEnabledExtensionNames = list_texts (self, vtr_gapid_get (object, "EnabledExtensions"),
                                             &info.enabledExtensionCount);
  info.ppEnabledLayerNames =
    list_texts (self, vtr_gapid_get (object, "EnabledLayers"), &info.enabledLayerCount);
  vtr_gapid_emit (self, VTR_CMD_vkCreateInstance, &args);
  emit_enumerate (self, handle);
  return TRUE;
}

/* It came with its instance. */
gboolean
vtr_gapid_make_physical_device (VtrGapidBuilder *self,
                                VtrGapidValue   *object,
                                guint64          handle)
{
  return vtr_gapid_find (self, VTR_HANDLE_VkInstance, vtr_gapid_get_number (object, "Instance")) !=
         NULL;
}

/* Queues are listed one by one; a device is asked for families. */
static VkDeviceQueueCreateInfo *
list_queues (VtrGapidBuilder *self,
             VtrGapidValue   *map,
             guint32         *n)
{
  gsize count;
  const VtrGapidEntry *entries = vtr_gapid_list_entries (map, &self->arena, &count);
  VkDeviceQueueCreateInfo *infos =
    vtr_arena_new_array (&self->arena, count + 1, VkDeviceQueueCreateInfo);

  *n = 0;
  for (gsize i = 0; infos != NULL && i < count; i++)
    {
      guint64 family = vtr_gapid_get_number (entries[i].value, "QueueFamilyIndex");
      guint64 index = vtr_gapid_get_number (entries[i].value, "QueueIndex");
      const VtrGapidValue *priority = vtr_gapid_get (entries[i].value, "Priority");
      guint32 at = 0;
      float *priorities;

      while (at < *n && infos[at].queueFamilyIndex != family)
        at++;
      if (family > 255 || index > 255)
        continue;
      if (at == *n)
        {
          infos[at].sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
          infos[at].queueFamilyIndex = (guint32)family;
          infos[at].pQueuePriorities = vtr_arena_new_array (&self->arena, 256, float);
          infos[at].flags = (guint32)vtr_gapid_get_number (entries[i].value, "Flags");
          (*n)++;
        }
      priorities = (float *)(gsize)infos[at].pQueuePriorities;
      infos[at].queueCount = MAX (infos[at].queueCount, (guint32)index + 1);
      if (priorities != NULL && priority != NULL && priority->kind == VTR_GAPID_REAL)
        priorities[index] = (float)priority->real;
    }
  return infos;
}

static const struct
{
  const char *field;
  const char *name;
} features[] = {
  { "VariablePointerFeatures", "VkPhysicalDeviceVariablePointersFeatures" },
  { "HalfPrecisionStorageFeatures", "VkPhysicalDevice16BitStorageFeatures" },
  { "SamplerYcbcrConversionFeatures", "VkPhysicalDeviceSamplerYcbcrConversionFeatures" },
};

/* Structures of features that were enabled: most carry the name of Vulkan's. */
static void
chain_features (VtrGapidBuilder    *self,
                VtrGapidValue      *object,
                VkDeviceCreateInfo *info)
{
  for (gsize i = 0; i < object->n; i++)
    {
      const char *field = object->type->fields[i].name;
      g_autofree char *name = g_strdup_printf ("Vk%s", field);
      VtrStructId id;

      for (gsize k = 0; k < G_N_ELEMENTS (features); k++)
        if (g_str_equal (features[k].field, field))
          {
            g_free (name);
            name = g_strdup (features[k].name);
          }
      id = vtr_struct_from_name (name);
      if (id != VTR_STRUCT_NONE && vtr_struct_extends (id, VTR_STRUCT_VkDeviceCreateInfo))
        vtr_gapid_chain (self, info, id, vtr_gapid_get (object, field));
    }
}

static void
describe_device (VtrGapidBuilder *self,
                 guint64          handle,
                 VtrGapidObject  *physical)
{
  VtrTraceDevice *device = g_new0 (VtrTraceDevice, 1);
  VtrGapidValue *properties = vtr_gapid_get (physical->value, "PhysicalDeviceProperties");
  VtrGapidValue *memory = vtr_gapid_get (physical->value, "MemoryProperties");
  void *families =
    vtr_gapid_fill_array (&self->filler, VTR_STRUCT_VkQueueFamilyProperties,
                          vtr_gapid_get (physical->value, "QueueFamilyProperties"),
                          &device->n_queue_families);

  device->device = handle;
  device->physical_device = physical->handle;
  device->command = self->out->commands->len;
  if (properties != NULL)
    vtr_gapid_fill_struct (&self->filler, VTR_STRUCT_VkPhysicalDeviceProperties, properties,
                           &device->properties);
  if (memory != NULL)
    vtr_gapid_fill_struct (&self->filler, VTR_STRUCT_VkPhysicalDeviceMemoryProperties, memory,
                           &device->memory);
  device->queue_families =
    g_memdup2 (families, device->n_queue_families * sizeof (VkQueueFamilyProperties));
  g_ptr_array_add (self->out->strings, (gpointer)device->queue_families);
  g_ptr_array_add (self->out->devices, device);
}

gboolean
vtr_gapid_make_device (VtrGapidBuilder *self,
                       VtrGapidValue   *object,
                       guint64          handle)
{
  VtrGapidObject *physical = vtr_gapid_find (self, VTR_HANDLE_VkPhysicalDevice,
                                             vtr_gapid_get_number (object, "PhysicalDevice"));
  VtrGapidValue *enabled = vtr_gapid_get (object, "EnabledFeatures");
  VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
  VkDevice device = VTR_GAPID_HANDLE (VkDevice, handle);
  VtrArgs_vkCreateDevice args = { .pCreateInfo = &info, .pDevice = &device };

  if (physical == NULL)
    return FALSE;
  args.physicalDevice = VTR_GAPID_HANDLE (VkPhysicalDevice, physical->handle);
  info.pQueueCreateInfos =
    list_queues (self, vtr_gapid_get (object, "Queues"), &info.queueCreateInfoCount);
  info.ppEnabledExtensionNames = list_texts (self, vtr_gapid_get (object, "EnabledExtensions"),
                                             &info.enabledExtensionCount);
  if (enabled != NULL)
    info.pEnabledFeatures = vtr_gapid_new_struct (self, VTR_STRUCT_VkPhysicalDeviceFeatures,
                                                  enabled);
  chain_features (self, object, &info);
  describe_device (self, handle, physical);
  vtr_gapid_emit (self, VTR_CMD_vkCreateDevice, &args);
  return TRUE;
}

gboolean
vtr_gapid_make_queue (VtrGapidBuilder *self,
                      VtrGapidValue   *object,
                      guint64          handle)
{
  VkQueue queue = VTR_GAPID_HANDLE (VkQueue, handle);
  guint32 flags = (guint32)vtr_gapid_get_number (object, "Flags");
  VtrArgs_vkGetDeviceQueue args = {
    .device = vtr_gapid_take_device (self, object),
    .queueFamilyIndex = (guint32)vtr_gapid_get_number (object, "Family"),
    .queueIndex = (guint32)vtr_gapid_get_number (object, "Index"),
    .pQueue = &queue,
  };
  const VkDeviceQueueInfo2 info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
    .flags = flags,
    .queueFamilyIndex = args.queueFamilyIndex,
    .queueIndex = args.queueIndex,
  };
  const VtrArgs_vkGetDeviceQueue2 args2 = { args.device, &info, &queue };

  if (self->filler.incomplete)
    return FALSE;
  if (flags != 0)
    vtr_gapid_emit (self, VTR_CMD_vkGetDeviceQueue2, &args2);
  else
    vtr_gapid_emit (self, VTR_CMD_vkGetDeviceQueue, &args);
  return TRUE;
}

/* ---- Surfaces and swapchains ---- */

gboolean
vtr_gapid_make_surface (VtrGapidBuilder *self,
                        VtrGapidValue   *object,
                        guint64          handle)
{
  /* By GAPID's number of the window system. */
  static const char *const systems[] = {
    "Headless",
    "Xcb",
    "Android",
    "Win32",
    "Wayland",
    "Xlib",
    "Headless",
    "ImagePipe",
    "Headless",
    "MacOS",
  };
  static const char *const suffixes[] = { "KHR", "EXT", "FUCHSIA", "MVK" };
  guint64 type = vtr_gapid_get_number (object, "Type");
  const char *system = type < G_N_ELEMENTS (systems) ? systems[type] : "Headless";
  const VtrGapidObject *instance =
    vtr_gapid_find (self, VTR_HANDLE_VkInstance, vtr_gapid_get_number (object, "Instance"));
  VtrArgs_vkCreateHeadlessSurfaceEXT args = { .pSurface = (VkSurfaceKHR *)(gpointer)&handle };
  VtrCmdId id = VTR_CMD_vkCreateHeadlessSurfaceEXT;
  VtrStructId info = VTR_STRUCT_VkHeadlessSurfaceCreateInfoEXT;

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *command = g_strdup_printf ("vkCreate%sSurface%s", system, suffixes[i]);
      g_autofree char *name = g_strdup_printf ("Vk%sSurfaceCreateInfo%s", system, suffixes[i]);

      if (vtr_cmd_from_name (command) == VTR_CMD_NONE ||
          vtr_struct_from_name (name) == VTR_STRUCT_NONE)
        continue;
      id = vtr_cmd_from_name (command);
      info = vtr_struct_from_name (name);
    }
  if (instance == NULL)
    return FALSE;
  args.instance = VTR_GAPID_HANDLE (VkInstance, instance->handle);
  args.pCreateInfo = vtr_gapid_new_struct (self, info, NULL);
  vtr_gapid_emit (self, id, &args);
  return TRUE;
}

/* The images that the program got. */
static void
emit_images (VtrGapidBuilder *self,
             VkDevice         device,
             guint64          swapchain,
             VtrGapidValue   *map)
{
  gsize n;
  const VtrGapidEntry *entries = vtr_gapid_list_entries (map, &self->arena, &n);
  VkImage *images = vtr_arena_new_array (&self->arena, n + 1, VkImage);
  guint32 count = 0;
  const VtrArgs_vkGetSwapchainImagesKHR args = {
    .device = device,
    .swapchain = VTR_GAPID_HANDLE (VkSwapchainKHR, swapchain),
    .pSwapchainImageCount = &count,
    .pSwapchainImages = images,
  };

  for (gsize i = 0; images != NULL && i < MIN (n, 64); i++)
    {
      VtrGapidObject *image = g_hash_table_lookup (self->objects, entries[i].value);

      if (image == NULL || image->klass->type != VTR_HANDLE_VkImage)
        continue;
      image->status = VTR_GAPID_MADE;
      images[count++] = VTR_GAPID_HANDLE (VkImage, image->handle);
    }
  if (count > 0)
    vtr_gapid_emit (self, VTR_CMD_vkGetSwapchainImagesKHR, &args);
}

gboolean
vtr_gapid_make_swapchain (VtrGapidBuilder *self,
                          VtrGapidValue   *object,
                          guint64          handle)
{
  VtrGapidValue *images = vtr_gapid_get (object, "SwapchainImages");
  VkImageCreateInfo *image =
    vtr_gapid_new_struct (self, VTR_STRUCT_VkImageCreateInfo, vtr_gapid_get (object, "Info"));
  VkSwapchainCreateInfoKHR *info =
    vtr_gapid_new_struct (self, VTR_STRUCT_VkSwapchainCreateInfoKHR, object);
  gsize n;

  (void)vtr_gapid_list_entries (images, &self->arena, &n);
  if (image == NULL || info == NULL || self->filler.incomplete)
    return FALSE;
  info->minImageCount = (guint32)CLAMP (n, 1, 64);
  info->imageFormat = image->format;
  info->imageColorSpace = (VkColorSpaceKHR)vtr_gapid_get_number (object, "ColorSpace");
  info->imageExtent = (VkExtent2D){ image->extent.width, image->extent.height };
  info->imageArrayLayers = MAX (image->arrayLayers, 1);
  info->imageUsage = image->usage;
  info->imageSharingMode = image->sharingMode;
  info->queueFamilyIndexCount = image->queueFamilyIndexCount;
  info->pQueueFamilyIndices = image->pQueueFamilyIndices;
  if (!vtr_gapid_emit_create (self, VTR_CMD_vkCreateSwapchainKHR, object, info, handle))
    return FALSE;
  emit_images (self, vtr_gapid_take_device (self, object), handle, images);
  return TRUE;
}
