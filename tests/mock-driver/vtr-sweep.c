/* vtr-sweep: calls every command that a device of the mock driver offers, with arguments made from
 * the registry's tables: all pointers set, handles that live, numbers that are in range.
 *
 *   vtr-sweep [--again] [SEED [COMMAND…]]
 *
 * leaving out the commands that are named; --again: a call that fails is made again, twice at most.
 * Prints the names of the commands it called, one a line. Exits with 0 when all were called. */
#include "vtr-sweep.h"

#include "../api/vtr-random-tree.h"
#include "api/vtr-api-slot-private.h"
#include "vulkan/vtr-vulkan-env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXTENSIONS 512

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr (VkInstance  instance,
                                                                const char *name);

typedef struct
{
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  PFN_vkGetDeviceProcAddr get_device_proc_addr;
  VkCommandBuffer recording, secondary;
  uint64_t handles[VTR_VULKAN_N_HANDLES];
  uint64_t victims[VTR_VULKAN_N_HANDLES]; /* made to be destroyed by the next call */
  unsigned n_executed;
  uint64_t seed;
  bool again;
  char **left_out; /* names, NULL at the end */
  VtrCmdId cmd;
  VtrRandomTaste taste;
} Sweep;

static uint64_t obtain (Sweep       *self,
                        VtrHandleId  type);
static uint64_t call (Sweep    *self,
                      VtrCmdId  cmd);

static void
fail (const char *what,
      const char *name)
{
  fprintf (stderr, "vtr-sweep: %s: %s\n", what, name);
  exit (1);
}

/* --- Taste: what makes arguments well-formed ------------------------------------------------- */

static size_t
capture_data_size (void     *data,
                   uint32_t  object_type)
{
  return 8; /* as the mock driver's properties say */
}

static VtrTristate
is_secondary (void            *data,
              VkCommandBuffer  commands)
{
  return commands == ((Sweep *)data)->secondary ? VTR_YES : VTR_NO;
}

static VtrTristate
yes (void         *data,
     VkRenderPass  render_pass,
     uint32_t      subpass)
{
  return VTR_YES;
}

typedef struct
{
  const char *name;
  uint64_t value;
} Choice;

/* By the name of the member; names mean the same wherever they appear. */
static const Choice choices[] = {
  { "allocationSize", 1u << 20 },
  { "apiVersion", VK_API_VERSION_1_3 },
  { "arrayLayers", 1 },
  { "attachment", 0 },
  { "attachmentCount", 1 },
  { "baseArrayLayer", 0 },
  { "baseMipLevel", 0 },
  { "codeSize", 16 },
  { "colorAttachmentCount", 1 },
  { "dataSize", 16 },
  { "depth", 1 },
  { "deviceIndex", 0 },
  { "deviceMask", 1 },
  { "dstArrayElement", 0 },
  { "dstBinding", 0 },
  { "dstQueueFamilyIndex", 0 },
  { "dstSubpass", 0 },
  { "extent", 4 },
  { "firstQuery", 0 },
  { "height", 4 },
  { "image", 0 },
  { "imageArrayLayers", 1 },
  { "imageIndex", 0 },
  { "initialDataSize", 0 },
  { "layerCount", 1 },
  { "levelCount", 1 },
  { "levels", 1 },
  { "minImageCount", 2 },
  { "mipLevel", 0 },
  { "mipLevels", 1 },
  { "objectType", VK_OBJECT_TYPE_DEVICE },
  { "pQueueFamilyIndices", 0 },
  { "pWaitDstStageMask", VK_PIPELINE_STAGE_ALL_COMMANDS_BIT },
  { "query", 0 },
  { "queryCount", 1 },
  { "queueFamilyIndex", 0 },
  { "queueIndex", 0 },
  { "range", 64 },
  { "rasterizationSamples", VK_SAMPLE_COUNT_1_BIT },
  { "samples", VK_SAMPLE_COUNT_1_BIT },
  { "size", 64 },
  { "srcArrayElement", 0 },
  { "srcBinding", 0 },
  { "srcQueueFamilyIndex", 0 },
  { "srcSubpass", 0 },
  { "stride", 16 },
  { "subpass", 0 },
  { "subpassCount", 1 },
  { "timeout", 0 },
  { "waitSemaphoreCount", 0 },
  { "waitSemaphoreInfoCount", 0 },
  { "waitSemaphoreValueCount", 0 },
  { "width", 4 },
};

static int
compare_choice (const void *name,
                const void *choice)
{
  return strcmp (name, ((const Choice *)choice)->name);
}

static bool
ends_with (const char *name,
           const char *end)
{
  size_t size = strlen (name), end_size = strlen (end);

  return size >= end_size && strcmp (name + size - end_size, end) == 0;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
nothing (void)
{
  return VK_FALSE;
}

static bool
choose_enum (const VtrApiField *field,
             uint64_t          *value)
{
  const char *type = vtr_field_type_name (field);

  if (strcmp (type, "VkFormat") == 0)
    *value = VK_FORMAT_R8G8B8A8_UNORM;
  else if (strcmp (type, "VkImageLayout") == 0)
    *value = VK_IMAGE_LAYOUT_GENERAL;
  else if (strcmp (type, "VkImageType") == 0)
    *value = VK_IMAGE_TYPE_2D;
  else if (strcmp (type, "VkImageViewType") == 0)
    *value = VK_IMAGE_VIEW_TYPE_2D;
  else if (strcmp (type, "VkImageTiling") == 0 || strcmp (type, "VkSharingMode") == 0 ||
           strcmp (type, "VkCommandBufferLevel") == 0 ||
           strcmp (type, "VkDescriptorUpdateTemplateType") == 0)
    *value = 0;
  else if (strcmp (type, "VkSemaphoreType") == 0)
    *value = VK_SEMAPHORE_TYPE_BINARY;
  else if (strcmp (type, "VkQueryType") == 0)
    *value = VK_QUERY_TYPE_OCCLUSION;
  else if (strcmp (type, "VkDescriptorType") == 0)
    *value = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  else if (strcmp (type, "VkPipelineBindPoint") == 0)
    *value = VK_PIPELINE_BIND_POINT_COMPUTE;
  else if (strcmp (type, "VkDebugReportObjectTypeEXT") == 0)
    *value = VK_DEBUG_REPORT_OBJECT_TYPE_DEVICE_EXT;
  else if (ends_with (type, "CreateFlags") || ends_with (type, "CreateFlagBits") ||
           strcmp (type, "VkImageAspectFlags") == 0)
    *value = strcmp (type, "VkImageAspectFlags") == 0;
  else
    return false;
  return true;
}

static bool
choose (void              *data,
        const VtrScope    *scope,
        const VtrApiField *field,
        uint64_t          *value)
{
  Sweep *self = data;
  const char *name = vtr_api_string (field->name);
  const Choice *choice = bsearch (name, choices, sizeof choices / sizeof choices[0],
                                  sizeof choices[0], compare_choice);
  float real;

  if (vtr_cmd_is (self->cmd, VTR_CLASS_DESTROY) && (field->flags & VTR_FIELD_LEN_SOURCE) != 0)
    *value = 1;
  else if (field->kind == VTR_KIND_HANDLE)
    *value = obtain (self, field->type);
  else if ((field->flags & VTR_FIELD_OBJECT) != 0)
    *value = (uintptr_t)self->device;
  else if (field->kind == VTR_KIND_FUNCTION)
    *value = (uintptr_t)nothing;
  else if (field->kind == VTR_KIND_ADDRESS)
    *value = 0;
  else if (field->kind == VTR_KIND_F32)
    {
      real = (float)(self->seed++ % 4) / 4;
      *value = 0;
      memcpy (value, &real, sizeof real);
    }
  else if (field->kind == VTR_KIND_BOOL32)
    return false;
  else if (strcmp (name, "stride") == 0 && self->cmd == VTR_CMD_vkCmdDrawMultiEXT)
    *value = sizeof (VkMultiDrawInfoEXT);
  else if (strcmp (name, "stride") == 0 && self->cmd == VTR_CMD_vkCmdDrawMultiIndexedEXT)
    *value = sizeof (VkMultiDrawIndexedInfoEXT);
  else if (choice != NULL)
    *value = choice->value;
  else if (field->kind == VTR_KIND_ENUM || field->kind == VTR_KIND_FLAGS32 ||
           field->kind == VTR_KIND_FLAGS64)
    return choose_enum (field, value);
  else if (ends_with (name, "ffset") || ends_with (name, "ffsets") ||
           ends_with (name, "TypeIndex") || ends_with (name, "Values"))
    *value = 0;
  else if (ends_with (name, "Size"))
    *value = 64;
  else if ((field->flags & VTR_FIELD_LEN_SOURCE) != 0)
    *value = 1 + self->seed++ % 2;
  else if (field->kind == VTR_KIND_CHAR || field->kind == VTR_KIND_VOID ||
           field->kind == VTR_KIND_F64)
    return false;
  else
    *value = self->seed++ % 4;
  return true;
}

/* Not in chains: what brings things in from elsewhere, and callbacks. */
static bool
admit (void        *data,
       VtrStructId  id)
{
  static const char *const words[] = { "Import", "External", "Callback", "Messenger", "DebugReport",
                                       "DrmFormatModifier", "Sparse", "OpaqueCapture", "Group",
                                       "TimelineSemaphore", "SemaphoreType", "Android" };
  const VtrApiStruct *type = vtr_struct_get (id);

  for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr (vtr_api_string (type->name), words[i]) != NULL)
      return false;
  return (type->flags & VTR_STRUCT_C) != 0;
}

/* --- Calls ----------------------------------------------------------------------------------- */

static PFN_vkVoidFunction
function_of (Sweep    *self,
             VtrCmdId  cmd)
{
  const char *name = vtr_cmd_name (cmd);

  return vtr_cmd_get (cmd)->level == VTR_LEVEL_DEVICE
           ? self->get_device_proc_addr (self->device, name)
           : vkGetInstanceProcAddr (self->instance, name);
}

/* The first of the handles that the call made. */
static uint64_t
made_by (VtrCmdId    cmd,
         const void *args)
{
  const VtrApiLifetime *create = &vtr_cmd_get (cmd)->create;
  const VtrApiField *field;
  const void *pointer;
  uint64_t handle = 0;

  if (create->handle >= VTR_VULKAN_N_HANDLES)
    return 0;
  field = vtr_cmd_param (cmd, create->param);
  pointer = vtr_slot_pointer ((const uint8_t *)args + field->offset[VTR_ABI_NATIVE]);
  if (pointer != NULL)
    memcpy (&handle, pointer, 8);
  return handle;
}

/* A render pass, a template: what must fit together more than numbers tell. */
static void
straighten (Sweep    *self,
            VtrCmdId  cmd,
            void     *args)
{
  if (cmd == VTR_CMD_vkCreateRayTracingPipelinesKHR)
    ((VtrArgs_vkCreateRayTracingPipelinesKHR *)args)->deferredOperation = VK_NULL_HANDLE;
  if (cmd == VTR_CMD_vkMapMemory)
    ((VtrArgs_vkMapMemory *)args)->size = VK_WHOLE_SIZE;
  if (vtr_cmd_canonical (cmd) == VTR_CMD_vkSignalSemaphore)
    ((VkSemaphoreSignalInfo *)((VtrArgs_vkSignalSemaphore *)args)->pSignalInfo)->value =
      self->seed += 10;
}

/* @made: the first of the handles that it made. Returns: it did not fail. */
static bool
try_call (Sweep    *self,
          VtrCmdId  cmd,
          uint64_t *made)
{
  PFN_vkVoidFunction function = function_of (self, cmd);
  VtrRandomTree tree;
  uint64_t result;

  if (function == NULL)
    fail ("the driver does not offer", vtr_cmd_name (cmd));
  vtr_random_tree_init_tame (&tree, cmd, self->seed++, &self->taste);
  straighten (self, cmd, tree.args);
  result = sweep_invoke (cmd, function, tree.args);
  *made = made_by (cmd, tree.args);
  puts (vtr_cmd_name (cmd));
  vtr_random_tree_finish (&tree);
  /* Of several pipelines some may have been made although the call failed. */
  return vtr_cmd_get (cmd)->result != VTR_RESULT_STATUS || (int64_t)result >= 0 ||
         *made != 0;
}

static uint64_t
call (Sweep    *self,
      VtrCmdId  cmd)
{
  VtrCmdId before = self->cmd;
  uint64_t made = 0;
  bool failed = true;

  self->cmd = cmd;
  for (unsigned i = 0; failed && i < (self->again ? 3 : 1); i++)
    failed = !try_call (self, cmd, &made);
  if (failed)
    fail ("it failed", vtr_cmd_name (cmd));
  self->cmd = before;
  return made;
}

static bool
is_left_out (const Sweep *self,
             VtrCmdId     cmd)
{
  for (char **name = self->left_out; *name != NULL; name++)
    if (strcmp (*name, vtr_cmd_name (cmd)) == 0)
      return true;
  return false;
}

static VtrCmdId
creator_of (const Sweep *self,
            VtrHandleId  type)
{
  VtrCmdId found = VTR_CMD_NONE;

  for (unsigned cmd = 0; cmd < VTR_VULKAN_N_COMMANDS; cmd++)
    {
      const VtrApiCommand *command = vtr_cmd_get (cmd);

      if ((command->classes & VTR_CLASS_C) == 0 || command->create.handle != type ||
          command->alias_of != VTR_CMD_NONE || is_left_out (self, (VtrCmdId)cmd))
        continue;
      if ((command->classes & VTR_CLASS_CREATE) != 0 && command->level == VTR_LEVEL_DEVICE)
        return (VtrCmdId)cmd;
      if (found == VTR_CMD_NONE)
        found = (VtrCmdId)cmd;
    }
  return found;
}

static uint64_t
create (Sweep       *self,
        VtrHandleId  type)
{
  VtrCmdId cmd = type == VTR_HANDLE_VkSurfaceKHR ? VTR_CMD_vkCreateHeadlessSurfaceEXT
                                                 : creator_of (self, type);

  return cmd == VTR_CMD_NONE ? 0 : call (self, cmd);
}

static bool
is_null_here (const Sweep *self,
              VtrHandleId  type)
{
  /* Optional links of a thing to older ones of its kind, and things that no mock has. */
  return vtr_cmd_get (self->cmd)->create.handle == type ||
         type == VTR_HANDLE_VkDisplayKHR || type == VTR_HANDLE_VkDisplayModeKHR;
}

static uint64_t
obtain (Sweep       *self,
        VtrHandleId  type)
{
  if (type == VTR_HANDLE_VkInstance)
    return (uintptr_t)self->instance;
  if (type == VTR_HANDLE_VkPhysicalDevice)
    return (uintptr_t)self->physical;
  if (type == VTR_HANDLE_VkDevice)
    return (uintptr_t)self->device;
  if (type == VTR_HANDLE_VkCommandBuffer && self->victims[type] == 0)
    return (uintptr_t)(self->cmd == VTR_CMD_vkCmdExecuteCommands && self->n_executed++ % 2 == 1
                         ? self->secondary
                         : self->recording);
  if (self->victims[type] != 0)
    return self->victims[type];
  if (is_null_here (self, type))
    return 0;
  if (self->handles[type] == 0)
    self->handles[type] = create (self, type);
  return self->handles[type];
}

/* --- Order ----------------------------------------------------------------------------------- */

static bool
is_offered (Sweep    *self,
            VtrCmdId  cmd)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);

  return !is_left_out (self, cmd) && (command->classes & VTR_CLASS_C) != 0 &&
         (command->classes & VTR_CLASS_ENABLED) != 0 &&
         command->level == VTR_LEVEL_DEVICE && cmd != VTR_CMD_vkGetDeviceProcAddr &&
         cmd != VTR_CMD_vkDestroyDevice && cmd != VTR_CMD_vkBeginCommandBuffer &&
         cmd != VTR_CMD_vkEndCommandBuffer && function_of (self, cmd) != NULL;
}

static bool
is_late (VtrCmdId cmd)
{
  return vtr_cmd_is (cmd, VTR_CLASS_DESTROY | VTR_CLASS_POOL_RESET) ||
         cmd == VTR_CMD_vkResetCommandBuffer || cmd == VTR_CMD_vkTrimCommandPool ||
         cmd == VTR_CMD_vkTrimCommandPoolKHR;
}

/* Templates are data whose shape another call has given: their own arguments. */
static bool
is_template (VtrCmdId cmd)
{
  return strstr (vtr_cmd_name (cmd), "WithTemplate") != NULL ||
         strstr (vtr_cmd_name (cmd), "DescriptorUpdateTemplate") != NULL;
}

/* With --again the second try counts. */
#define FAILED(self, call) ((call) != VK_SUCCESS && (!(self)->again || (call) != VK_SUCCESS))

/* Pushes the data at @write with all commands for that which have @suffix. */
static void
push_with_template (Sweep                      *self,
                    const char                 *suffix,
                    VkDescriptorUpdateTemplate  handle,
                    VkPipelineLayout            layout,
                    const void                 *write)
{
  char name[64];
  PFN_vkCmdPushDescriptorSetWithTemplateKHR push;

  snprintf (name, sizeof name, "vkCmdPushDescriptorSetWithTemplate%s", suffix);
  push = (void *)self->get_device_proc_addr (self->device, name);
  if (push == NULL)
    fail ("the driver does not offer", name);
  push (self->recording, handle, layout, 0, write);
  puts (name);
#ifdef VK_KHR_maintenance6
  const VkPushDescriptorSetWithTemplateInfoKHR info = {
    .sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO_KHR,
    .descriptorUpdateTemplate = handle,
    .layout = layout,
    .pData = write,
  };
  PFN_vkCmdPushDescriptorSetWithTemplate2KHR push2;

  snprintf (name, sizeof name, "vkCmdPushDescriptorSetWithTemplate2%s", suffix);
  push2 = (void *)self->get_device_proc_addr (self->device, name);
  if (push2 == NULL)
    fail ("the driver does not offer", name);
  push2 (self->recording, &info);
  puts (name);
#endif
}

/* Without @suffix: of Vulkan 1.1, and where the headers know 1.4, of that. */
static bool
pushes_with_template (const char *suffix)
{
#ifdef VK_VERSION_1_4
  (void)suffix;
  return true;
#else
  return suffix[0] != '\0';
#endif
}

static void
sweep_templates (Sweep      *self,
                 const char *suffix)
{
  char name[64];
  PFN_vkCreateDescriptorUpdateTemplate create_template;
  PFN_vkUpdateDescriptorSetWithTemplate update;
  PFN_vkDestroyDescriptorUpdateTemplate destroy;
  const VkDescriptorUpdateTemplateEntry entry = {
    .descriptorCount = 1,
    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .offset = 8,
  };
  VkDescriptorUpdateTemplateCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
    .descriptorUpdateEntryCount = 1,
    .pDescriptorUpdateEntries = &entry,
    .descriptorSetLayout = (VkDescriptorSetLayout)obtain (self, VTR_HANDLE_VkDescriptorSetLayout),
  };
  struct
  {
    uint64_t before;
    VkDescriptorBufferInfo buffer;
  } write = { 0, { (VkBuffer)obtain (self, VTR_HANDLE_VkBuffer), 0, 64 } };
  VkDescriptorUpdateTemplate handle;

#define FIND(variable, text) \
  snprintf (name, sizeof name, text "%s", suffix); \
  variable = (void *)self->get_device_proc_addr (self->device, name); \
  if (variable == NULL) \
    fail ("the driver does not offer", name); \
  puts (name)
  FIND (create_template, "vkCreateDescriptorUpdateTemplate");
  FIND (update, "vkUpdateDescriptorSetWithTemplate");
  FIND (destroy, "vkDestroyDescriptorUpdateTemplate");
#undef FIND
  if (FAILED (self, create_template (self->device, &info, NULL, &handle)))
    fail ("it failed", "vkCreateDescriptorUpdateTemplate");
  update (self->device, (VkDescriptorSet)obtain (self, VTR_HANDLE_VkDescriptorSet), handle, &write);
  destroy (self->device, handle, NULL);
  if (!pushes_with_template (suffix))
    return;
  info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
  info.pipelineLayout = (VkPipelineLayout)obtain (self, VTR_HANDLE_VkPipelineLayout);
  if (FAILED (self, create_template (self->device, &info, NULL, &handle)))
    fail ("it failed", "vkCreateDescriptorUpdateTemplate");
  push_with_template (self, suffix, handle, info.pipelineLayout, &write);
}

static void
begin (Sweep           *self,
       VkCommandBuffer  commands,
       bool             secondary)
{
  const VkCommandBufferInheritanceInfo inheritance = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
  };
  const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                          .pInheritanceInfo = secondary ? &inheritance : NULL };
  PFN_vkBeginCommandBuffer function =
    (PFN_vkBeginCommandBuffer)function_of (self, VTR_CMD_vkBeginCommandBuffer);

  if (FAILED (self, function (commands, &info)))
    fail ("it failed", "vkBeginCommandBuffer");
  puts ("vkBeginCommandBuffer");
}

static void
end (Sweep           *self,
     VkCommandBuffer  commands)
{
  PFN_vkEndCommandBuffer function =
    (PFN_vkEndCommandBuffer)function_of (self, VTR_CMD_vkEndCommandBuffer);

  if (function (commands) != VK_SUCCESS)
    fail ("it failed", "vkEndCommandBuffer");
  puts ("vkEndCommandBuffer");
}

static void
allocate (Sweep *self)
{
  PFN_vkAllocateCommandBuffers function =
    (PFN_vkAllocateCommandBuffers)function_of (self, VTR_CMD_vkAllocateCommandBuffers);
  VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = (VkCommandPool)obtain (self, VTR_HANDLE_VkCommandPool),
    .commandBufferCount = 1,
  };

  if (FAILED (self, function (self->device, &info, &self->recording)))
    fail ("it failed", "vkAllocateCommandBuffers");
  info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  if (FAILED (self, function (self->device, &info, &self->secondary)))
    fail ("it failed", "vkAllocateCommandBuffers");
  begin (self, self->secondary, true);
  end (self, self->secondary);
}

static void
sweep (Sweep *self)
{
  allocate (self);
  for (unsigned cmd = 0; cmd < VTR_VULKAN_N_COMMANDS; cmd++)
    if (is_offered (self, (VtrCmdId)cmd) && vtr_cmd_is ((VtrCmdId)cmd, VTR_CLASS_CREATE) &&
        !is_template ((VtrCmdId)cmd))
      call (self, (VtrCmdId)cmd);
  begin (self, self->recording, false);
  for (unsigned cmd = 0; cmd < VTR_VULKAN_N_COMMANDS; cmd++)
    if (is_offered (self, (VtrCmdId)cmd) && vtr_cmd_is ((VtrCmdId)cmd, VTR_CLASS_RECORD) &&
        !is_template ((VtrCmdId)cmd))
      call (self, (VtrCmdId)cmd);
  sweep_templates (self, "");
  sweep_templates (self, "KHR");
  end (self, self->recording);
  for (unsigned cmd = 0; cmd < VTR_VULKAN_N_COMMANDS; cmd++)
    if (is_offered (self, (VtrCmdId)cmd) &&
        !vtr_cmd_is ((VtrCmdId)cmd, VTR_CLASS_RECORD | VTR_CLASS_CREATE) &&
        !is_late ((VtrCmdId)cmd) && !is_template ((VtrCmdId)cmd))
      call (self, (VtrCmdId)cmd);
  for (unsigned cmd = 0; cmd < VTR_VULKAN_N_COMMANDS; cmd++)
    if (is_offered (self, (VtrCmdId)cmd) && is_late ((VtrCmdId)cmd) &&
        !is_template ((VtrCmdId)cmd))
      {
        uint16_t type = vtr_cmd_get (cmd)->destroy.handle;

        if (type < VTR_VULKAN_N_HANDLES && vtr_cmd_is ((VtrCmdId)cmd, VTR_CLASS_DESTROY))
          self->victims[type] = create (self, type);
        call (self, (VtrCmdId)cmd);
        if (type < VTR_VULKAN_N_HANDLES)
          self->victims[type] = 0;
      }
}

/* --- The device ------------------------------------------------------------------------------ */

static uint32_t
names_of (const VkExtensionProperties  *properties,
          uint32_t                      n,
          const char                  **names)
{
  for (uint32_t i = 0; i < n; i++)
    names[i] = properties[i].extensionName;
  return n;
}

static void
open_device (Sweep *self)
{
  static VkExtensionProperties properties[MAX_EXTENSIONS];
  static const char *names[MAX_EXTENSIONS];
  const float priority = 1;
  const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                          .apiVersion = VK_API_VERSION_1_3 };
  VkInstanceCreateInfo instance = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pApplicationInfo = &application,
                                    .ppEnabledExtensionNames = names };
  const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority };
  VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                              .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue,
                              .ppEnabledExtensionNames = names };
  uint32_t n = MAX_EXTENSIONS;

#define GLOBAL(name) ((PFN_##name)vkGetInstanceProcAddr (NULL, #name))
#define OF_INSTANCE(name) ((PFN_##name)vkGetInstanceProcAddr (self->instance, #name))
  GLOBAL (vkEnumerateInstanceExtensionProperties)
  (NULL, &n, properties);
  instance.enabledExtensionCount = names_of (properties, n, names);
  if (GLOBAL (vkCreateInstance) (&instance, NULL, &self->instance) != VK_SUCCESS)
    fail ("it failed", "vkCreateInstance");
  n = 1;
  if (OF_INSTANCE (vkEnumeratePhysicalDevices) (self->instance, &n, &self->physical) < 0 || n == 0)
    fail ("no device", "vkEnumeratePhysicalDevices");
  n = MAX_EXTENSIONS;
  OF_INSTANCE (vkEnumerateDeviceExtensionProperties)
  (self->physical, NULL, &n, properties);
  info.enabledExtensionCount = names_of (properties, n, names);
  if (OF_INSTANCE (vkCreateDevice) (self->physical, &info, NULL, &self->device) != VK_SUCCESS)
    fail ("it failed", "vkCreateDevice");
  self->get_device_proc_addr = OF_INSTANCE (vkGetDeviceProcAddr);
}

int
main (int    argc,
      char **argv)
{
  static const VtrVulkanEnv state = {
    .is_secondary = is_secondary,
    .subpass_has_color = yes,
    .subpass_has_depth_stencil = yes,
    .capture_data_size = capture_data_size,
  };
  static VtrApiEnv env = { .state = &state };
  static Sweep self;
  PFN_vkDestroyInstance destroy_instance;

  self.again = argc > 1 && strcmp (argv[1], "--again") == 0;
  argv += self.again;
  argc -= self.again;
  self.seed = argc > 1 ? strtoull (argv[1], NULL, 0) : 1;
  self.left_out = argv + (argc > 2 ? 2 : argc);
  env.data = &self;
  self.taste = (VtrRandomTaste){ &self, &env, choose, admit };
  self.cmd = VTR_CMD_vkGetDeviceProcAddr;
  open_device (&self);
  sweep (&self);
  ((PFN_vkDestroyDevice)function_of (&self, VTR_CMD_vkDestroyDevice)) (self.device, NULL);
  destroy_instance =
    (PFN_vkDestroyInstance)vkGetInstanceProcAddr (self.instance, "vkDestroyInstance");
  destroy_instance (self.instance, NULL);
  return 0;
}
