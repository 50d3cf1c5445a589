/* Finds the files of Vulkan drivers and layers in the places where the Vulkan loader searches
 * (LoaderDriverInterface.md, LoaderLayerInterface.md). */
#include "vtr-vk-offers.h"

#include "vtr-driver-files.h"

void
vtr_vulkan_visit_files (VtrSandboxAllow  allow,
                        void            *data)
{
  static const char *const named[] = { "VK_DRIVER_FILES", "VK_ICD_FILENAMES",
                                       "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
                                       "VK_ADD_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH",
                                       "VK_ADD_IMPLICIT_LAYER_PATH" };
  static const char *const kinds[] = { "vulkan/icd.d", "vulkan/explicit_layer.d",
                                       "vulkan/implicit_layer.d" };

  allow (data, "/etc/vulkan", true);
  allow (data, "/etc/xdg/vulkan", true);
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    vtr_driver_files_visit_named (named[i], allow, data);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    vtr_driver_files_visit_kind (kinds[i], allow, data);
}
