/* Asks the loader once for extensions, layers and versions, because every answer costs it a search
 * of the disk. */
#include "vtr-vk-offers.h"

#include <stdlib.h>

/* Returns: what @layer (NULL: the drivers) offers, to be freed; *@n of them. */
static VkExtensionProperties *
enumerate_extensions (VtrReplayVk *vk,
                      const char  *layer,
                      uint32_t    *n)
{
  PFN_vkEnumerateInstanceExtensionProperties enumerate =
    (PFN_vkEnumerateInstanceExtensionProperties)vtr_thunk_find_global (
      vk, VTR_CMD_vkEnumerateInstanceExtensionProperties);
  VkExtensionProperties *properties;

  *n = 0;
  if (enumerate == NULL || enumerate (layer, n, NULL) != VK_SUCCESS)
    return NULL;
  properties = calloc (*n + 1, sizeof *properties);
  if (properties == NULL || enumerate (layer, n, properties) < 0)
    *n = 0;
  return properties;
}

static bool
extensions_have (const VkExtensionProperties *properties,
                 uint32_t                     n,
                 const char                  *name)
{
  for (uint32_t i = 0; i < n; i++)
    if (strcmp (properties[i].extensionName, name) == 0)
      return true;
  return false;
}

bool
vtr_offers_layer (VtrReplayVk *vk,
                  const char  *name)
{
  VtrInstanceOffers *offers = &vk->offers;
  PFN_vkEnumerateInstanceLayerProperties enumerate;

  if (offers->layers == NULL)
    {
      enumerate = (PFN_vkEnumerateInstanceLayerProperties)vtr_thunk_find_global (
        vk, VTR_CMD_vkEnumerateInstanceLayerProperties);
      if (enumerate == NULL || enumerate (&offers->n_layers, NULL) != VK_SUCCESS)
        return false;
      offers->layers = calloc (offers->n_layers + 1, sizeof *offers->layers);
      if (offers->layers == NULL || enumerate (&offers->n_layers, offers->layers) < 0)
        offers->n_layers = 0;
    }
  for (uint32_t i = 0; i < offers->n_layers; i++)
    if (strcmp (offers->layers[i].layerName, name) == 0)
      return true;
  return false;
}

bool
vtr_offers_extension (VtrReplayVk        *vk,
                      const char  *const *layers,
                      uint32_t            n_layers,
                      const char         *name)
{
  VtrInstanceOffers *offers = &vk->offers;
  bool found;

  if (offers->extensions == NULL)
    offers->extensions = enumerate_extensions (vk, NULL, &offers->n_extensions);
  found = extensions_have (offers->extensions, offers->n_extensions, name);
  for (uint32_t i = 0; !found && i < n_layers; i++)
    {
      uint32_t n;
      VkExtensionProperties *properties = enumerate_extensions (vk, layers[i], &n);

      found = extensions_have (properties, n, name);
      free (properties);
    }
  return found;
}

void
vtr_offers_finish (VtrReplayVk *vk)
{
  free (vk->offers.layers);
  free (vk->offers.extensions);
  memset (&vk->offers, 0, sizeof vk->offers);
}

/* --- The parked instance --------------------------------------------------------------------- */

/* Everything an instance depends on, as bytes. */
static void
parked_key (VtrBuffer                  *key,
            const VkInstanceCreateInfo *info)
{
  const VkApplicationInfo *application = info->pApplicationInfo;

  vtr_buffer_append_u32 (key, info->flags);
  if (application != NULL)
    {
      const char *names[] = { application->pApplicationName, application->pEngineName };

      vtr_buffer_append_u32 (key, application->apiVersion);
      vtr_buffer_append_u32 (key, application->applicationVersion);
      vtr_buffer_append_u32 (key, application->engineVersion);
      for (size_t i = 0; i < 2; i++)
        vtr_buffer_append (key, names[i] != NULL ? names[i] : "",
                           names[i] != NULL ? strlen (names[i]) + 1 : 1);
    }
  vtr_buffer_append_u32 (key, info->enabledLayerCount);
  for (uint32_t i = 0; i < info->enabledLayerCount; i++)
    vtr_buffer_append (key, info->ppEnabledLayerNames[i],
                       strlen (info->ppEnabledLayerNames[i]) + 1);
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
    vtr_buffer_append (key, info->ppEnabledExtensionNames[i],
                       strlen (info->ppEnabledExtensionNames[i]) + 1);
}

VtrParkedInstance *
vtr_parked_instance_take (VtrReplayVk                *vk,
                          const VkInstanceCreateInfo *info)
{
  VtrParkedInstance *parked = vk->parked;
  VtrBuffer key = { 0 };
  bool same;

  if (parked == NULL)
    return NULL;
  parked_key (&key, info);
  same = !key.failed && key.size == parked->key.size &&
         memcmp (key.data, parked->key.data, key.size) == 0;
  vtr_buffer_finish (&key);
  if (!same)
    return NULL;
  vk->parked = NULL;
  return parked;
}

VtrParkedInstance *
vtr_parked_instance_new (const VkInstanceCreateInfo *info,
                         VkInstance                  instance)
{
  VtrParkedInstance *parked = calloc (1, sizeof *parked);

  if (parked == NULL)
    return NULL;
  parked->instance = instance;
  parked_key (&parked->key, info);
  return parked;
}

void
vtr_parked_instance_park (VtrReplayVk       *vk,
                          VtrParkedInstance *instance)
{
  vtr_parked_instance_destroy (vk, vk->parked);
  vk->parked = instance;
}

void
vtr_parked_instance_destroy (VtrReplayVk       *vk,
                             VtrParkedInstance *parked)
{
  PFN_vkDestroyInstance destroy;
  PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;

  if (parked == NULL)
    return;
  destroy = (PFN_vkDestroyInstance)vk->get_instance_proc_addr (parked->instance,
                                                               "vkDestroyInstance");
  destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT)vk->get_instance_proc_addr (
    parked->instance, "vkDestroyDebugUtilsMessengerEXT");
  if (parked->messenger != VK_NULL_HANDLE && destroy_messenger != NULL)
    destroy_messenger (parked->instance, parked->messenger, NULL);
  destroy (parked->instance, NULL);
  vtr_buffer_finish (&parked->key);
  free (parked);
}
