/* The functions that the Vulkan loader calls: negotiation of the interface, and the three
 * GetProcAddr functions. */
#include "vtr-layer-loader.h"

#include "vtr-layer-hidden.h"
#include "vtr-layer-instance.h"
#include "vtr-layer-trampolines.h"

#include "api/vtr-api-types.h"

#include <string.h>

/* Commands that the layer needs itself even when nothing is captured. */
static PFN_vkVoidFunction
get_plumbing (const char *name)
{
  static const struct
  {
    const char *name;
    PFN_vkVoidFunction function;
  } plumbing[] = {
    { "vkGetInstanceProcAddr", (PFN_vkVoidFunction)vtr_layer_GetInstanceProcAddr },
    { "vkGetDeviceProcAddr", (PFN_vkVoidFunction)vtr_layer_GetDeviceProcAddr },
    { "vk_layerGetPhysicalDeviceProcAddr",
      (PFN_vkVoidFunction)vtr_layer_GetPhysicalDeviceProcAddr },
    { "vkCreateInstance", (PFN_vkVoidFunction)vtr_layer_CreateInstance },
    { "vkDestroyInstance", (PFN_vkVoidFunction)vtr_vk_DestroyInstance },
    { "vkCreateDevice", (PFN_vkVoidFunction)vtr_vk_CreateDevice },
    { "vkDestroyDevice", (PFN_vkVoidFunction)vtr_vk_DestroyDevice },
  };

  for (size_t i = 0; i < sizeof plumbing / sizeof plumbing[0]; i++)
    if (strcmp (plumbing[i].name, name) == 0)
      return plumbing[i].function;
  return NULL;
}

/* The trampoline of @name in front of @next; @next itself if nothing is recorded. A function that
 * the layer has none for would work, and be missing in the trace. */
static PFN_vkVoidFunction
choose (const char         *name,
        PFN_vkVoidFunction  next)
{
  PFN_vkVoidFunction trampoline;
  VtrCmdId cmd;

  if (next == NULL || !vtr_layer_transport_start ())
    return next;
  cmd = vtr_cmd_from_name (name);
  if (vtr_layer_hides_command (cmd))
    return NULL;
  trampoline = vtr_layer_get_trampoline (cmd);
  return trampoline != NULL ? trampoline : next;
}

/* Whether @name belongs to instance extensions that the application did not enable. Drivers return
 * such functions anyway, and libplacebo calls those of debug utils, but no device names them: a
 * trampoline would have nothing to call. */
static bool
is_not_enabled (const VtrLayerInstance *self,
                const char             *name)
{
  VtrCmdId cmd = vtr_cmd_from_name (name);
  uint16_t id;

  if (cmd == VTR_CMD_NONE || vtr_cmd_get (cmd)->extension == VTR_API_NO_INDEX)
    return false;
  for (unsigned i = 0; (id = vtr_cmd_extension (cmd, i)) != VTR_API_NO_INDEX; i++)
    {
      if (vtr_api_extensions[id].device)
        return false;
      for (const char *at = self->extensions; *at != '\0'; at += strlen (at) + 1)
        if (strcmp (at, vtr_api_string (vtr_api_extensions[id].name)) == 0)
          return false;
    }
  return true;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vtr_layer_GetInstanceProcAddr (VkInstance  instance,
                               const char *pName)
{
  PFN_vkVoidFunction own, next;
  VtrLayerInstance *self;

  if (pName == NULL)
    return NULL;
  own = get_plumbing (pName);
  if (own != NULL)
    return own;
  if (instance == VK_NULL_HANDLE)
    return NULL;
  self = vtr_layer_instance (instance);
  if (self == NULL)
    return NULL;
  next = self->get_proc_addr (instance, pName);
  return is_not_enabled (self, pName) ? next : choose (pName, next);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vtr_layer_GetDeviceProcAddr (VkDevice    device,
                             const char *pName)
{
  VtrLayerDevice *self;

  if (pName == NULL || device == VK_NULL_HANDLE)
    return NULL;
  self = vtr_layer_device (device);
  if (self == NULL)
    return NULL;
  if (strcmp (pName, "vkGetDeviceProcAddr") == 0)
    return (PFN_vkVoidFunction)vtr_layer_GetDeviceProcAddr;
  if (strcmp (pName, "vkDestroyDevice") == 0)
    return (PFN_vkVoidFunction)vtr_vk_DestroyDevice;
  return choose (pName, self->next.GetDeviceProcAddr (device, pName));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vtr_layer_GetPhysicalDeviceProcAddr (VkInstance  instance,
                                     const char *pName)
{
  VtrLayerInstance *self;
  VtrCmdId cmd;

  if (pName == NULL || instance == VK_NULL_HANDLE)
    return NULL;
  self = vtr_layer_instance (instance);
  if (self == NULL || self->get_physical_proc_addr == NULL)
    return NULL;
  cmd = vtr_cmd_from_name (pName);
  /* The loader asks this for names it does not know: the answer says whether it is one of these. */
  if (cmd != VTR_CMD_NONE && vtr_cmd_get (cmd)->level != VTR_LEVEL_PHYSICAL_DEVICE)
    return NULL;
  if (cmd == VTR_CMD_vkCreateDevice)
    return (PFN_vkVoidFunction)vtr_vk_CreateDevice;
  return choose (pName, self->get_physical_proc_addr (instance, pName));
}

__attribute__ ((visibility ("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion (VkNegotiateLayerInterface *pVersionStruct)
{
  if (pVersionStruct == NULL || pVersionStruct->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      pVersionStruct->loaderLayerInterfaceVersion < 2)
    return VK_ERROR_INITIALIZATION_FAILED;

  pVersionStruct->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
  pVersionStruct->pfnGetInstanceProcAddr = vtr_layer_GetInstanceProcAddr;
  pVersionStruct->pfnGetDeviceProcAddr = vtr_layer_GetDeviceProcAddr;
  pVersionStruct->pfnGetPhysicalDeviceProcAddr = vtr_layer_GetPhysicalDeviceProcAddr;
  vtr_layer_transport_start ();
  return VK_SUCCESS;
}
