/* Finds the objects to which the contents messages of a trace belong. */
#include "engine/vulkan/read/vtr-vulkan-read.h"

static gboolean
find_content (VtrTraceObject    object,
              VtrContentObject *out)
{
  switch (object)
    {
    case VTR_OBJECT_MAPPED_WRITES:
      *out = (VtrContentObject){ VTR_HANDLE_VkDeviceMemory, VTR_MAPPED_WRITES_DEVICE,
                                 VTR_MAPPED_WRITES_MEMORY };
      return TRUE;
    case VTR_OBJECT_IMAGE_CONTENTS:
      *out = (VtrContentObject){ VTR_HANDLE_VkImage, VTR_IMAGE_CONTENTS_DEVICE,
                                 VTR_IMAGE_CONTENTS_IMAGE };
      return TRUE;
    case VTR_OBJECT_STRUCTURE_CONTENTS:
      *out =
        (VtrContentObject){ VTR_HANDLE_VkAccelerationStructureKHR, VTR_STRUCTURE_CONTENTS_DEVICE,
                            VTR_STRUCTURE_CONTENTS_STRUCTURE };
      return TRUE;
    case VTR_OBJECT_DEVICE_INFO:
      /* It is about the device itself, which has no owner here. */
      *out = (VtrContentObject){ VTR_HANDLE_VkDevice, 0, VTR_DEVICE_INFO_DEVICE };
      return TRUE;
    default:
      return FALSE;
    }
}

const VtrReadApi vtr_vulkan_messages = {
  .find_content = find_content,
};
