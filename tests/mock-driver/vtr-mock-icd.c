/* Implements the functions for which the loader asks. */
#include "vtr-mock.h"

#include <stdlib.h>

#define EXPORT __attribute__ ((visibility ("default")))

VkResult EXPORT vk_icdNegotiateLoaderICDInterfaceVersion (uint32_t *version);
PFN_vkVoidFunction EXPORT vk_icdGetInstanceProcAddr (VkInstance  instance,
                                                     const char *name);
PFN_vkVoidFunction EXPORT vk_icdGetPhysicalDeviceProcAddr (VkInstance  instance,
                                                           const char *name);

static int
compare (const void *name,
         const void *entry)
{
  return strcmp (name, *(const char *const *)entry);
}

static void
of_later_versions (void)
{
}

/* Commands are sorted by name. */
static PFN_vkVoidFunction
find (const char *name)
{
  const char *const *entry =
    bsearch (name, mock_names, MOCK_N_COMMANDS, sizeof mock_names[0], compare);
  size_t cmd;

  if (entry == NULL)
    return mock_config.newer && strcmp (name, "vkCmdNewer") == 0 ? of_later_versions : NULL;
  cmd = (size_t)(entry - mock_names);
  if (mock_command_extensions[cmd] != NULL &&
      !mock_config_has_extension (mock_command_extensions[cmd]))
    return NULL;
  return mock_entries[cmd];
}

PFN_vkVoidFunction
mock_do_vkGetInstanceProcAddr (VkInstance  instance,
                               const char *name)
{
  return find (name);
}

PFN_vkVoidFunction
mock_do_vkGetDeviceProcAddr (VkDevice    device,
                             const char *name)
{
  return find (name);
}

VkResult
vk_icdNegotiateLoaderICDInterfaceVersion (uint32_t *version)
{
  mock_config_load ();
  if (*version > 5)
    *version = 5;
  return VK_SUCCESS;
}

PFN_vkVoidFunction
vk_icdGetInstanceProcAddr (VkInstance  instance,
                           const char *name)
{
  mock_config_load ();
  return find (name);
}

PFN_vkVoidFunction
vk_icdGetPhysicalDeviceProcAddr (VkInstance  instance,
                                 const char *name)
{
  static const char *const begins[] = { "vkGetPhysicalDevice", "vkEnumerateDevice",
                                        "vkCreateDevice" };

  for (unsigned i = 0; i < sizeof begins / sizeof begins[0]; i++)
    if (strncmp (name, begins[i], strlen (begins[i])) == 0)
      return find (name);
  return NULL;
}
