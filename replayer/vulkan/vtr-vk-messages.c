/* Tells the engine about failed calls, and passes on messages of drivers and of the validation
 * layer. */
#include "vtr-vk-offers.h"

#include <stdarg.h>
#include <stdio.h>

bool
vtr_replay_vk_failed (VtrReplayVk *vk,
                      const char  *what,
                      VkResult     result)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkResult, result);

  vk->vm->error.vk_result = result;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_VULKAN, "%s failed: %s.", what,
               name != NULL ? name : "unknown");
  return false;
}

void
vtr_replay_vk_message (VtrReplayVk *vk,
                       VtrLogLevel level,
                       const char *format,
                       ...)
{
  char text[1024];
  va_list args;

  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  vk->host.message (vk->host.data, level, text);
}

#define MAX_HANDLES 16

static void
complain (VtrReplayVk                                *vk,
          VtrLogLevel                                 level,
          const VkDebugUtilsMessengerCallbackDataEXT *data)
{
  uint64_t handles[MAX_HANDLES];
  uint32_t n = data->objectCount < MAX_HANDLES ? data->objectCount : MAX_HANDLES;

  for (uint32_t i = 0; i < n; i++)
    handles[i] = data->pObjects[i].objectHandle;
  vk->host.complain (vk->host.data, level,
                     data->pMessageIdName != NULL ? data->pMessageIdName : "",
                     data->pMessage != NULL ? data->pMessage : "", handles, n);
}

VKAPI_ATTR VkBool32 VKAPI_CALL
vtr_replay_vk_debug (VkDebugUtilsMessageSeverityFlagBitsEXT      severity,
                     VkDebugUtilsMessageTypeFlagsEXT             types,
                     const VkDebugUtilsMessengerCallbackDataEXT *data,
                     void                                       *user)
{
  VtrReplayVk *vk = user;
  VtrLogLevel level = VTR_LOG_DEBUG;

  if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0)
    level = VTR_LOG_ERROR;
  else if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) != 0)
    level = VTR_LOG_WARNING;
  else if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT) != 0)
    level = VTR_LOG_INFO;
  /* The loader warns of what we ask of it: that layers are off. */
  if (level == VTR_LOG_WARNING && types == VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT)
    level = VTR_LOG_INFO;
  if ((vk->flags & VTR_REPLAY_VALIDATE) != 0 &&
      (types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) != 0 && level <= VTR_LOG_WARNING)
    complain (vk, level, data);
  else if (data->pMessage != NULL)
    vk->host.message (vk->host.data, level, data->pMessage);
  return VK_FALSE;
}
