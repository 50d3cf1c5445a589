/* Tells the engine about failed calls, and passes on messages of drivers and of the validation
 * layer. */
#include "vtr-vk-offers.h"

#include <stdarg.h>
#include <stdio.h>

/* The engine translates it. */
#define N_(text) (text)

VtrVmErrorCode
vtr_vulkan_judge (uint32_t  function,
                  uint64_t  result,
                  char     *text,
                  size_t    size)
{
  const VkResult code = (VkResult)(int32_t)result;
  const char *name;

  (void)function;
  if (code >= 0)
    return VTR_VM_FINE;
  if (code == VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    {
      snprintf (text, size, "%s", N_ ("The driver did not place a buffer at the address that "
                                      "it had in the captured program."));
      return VTR_VM_ERROR_ADDRESS;
    }
  name = vtr_enum_value_name (VTR_ENUM_VkResult, code);
  if (name != NULL)
    snprintf (text, size, "%s", name);
  else
    snprintf (text, size, "VkResult %d", code);
  return code == VK_ERROR_OUT_OF_HOST_MEMORY || code == VK_ERROR_OUT_OF_DEVICE_MEMORY
           ? VTR_VM_ERROR_CALL_MEMORY
           : VTR_VM_ERROR_CALL;
}

bool
vtr_replay_vk_failed (VtrReplayVk *vk,
                      const char  *what,
                      VkResult     result)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkResult, result);
  char text[256];
  VtrVmErrorCode code = vtr_vulkan_judge (0, (uint64_t)(int64_t)result, text, sizeof text);

  /* Some messages that are harmless for a program are errors in a replay. */
  if (code == VTR_VM_FINE)
    {
      code = VTR_VM_ERROR_CALL;
      snprintf (text, sizeof text, "%s", name != NULL ? name : "unknown");
    }
  /* The engine names the function that was running, and what was done instead of one here. */
  if (vk->vm->status->function != VTR_REPLAY_NO_FUNCTION)
    vtr_vm_fail (vk->vm, code, "%s", text);
  else
    vtr_vm_fail (vk->vm, code, "%s failed: %s.", what, text);
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
