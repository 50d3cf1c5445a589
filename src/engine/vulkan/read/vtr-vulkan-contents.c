/* Reads what messages with contents say of them: of mapped memory, images and acceleration
 * structures. */
#include "engine/vulkan/read/vtr-vulkan-read.h"

#include "engine/format/vtr-content-record.h"
#include "vulkan/vtr-vulkan-formats.h"
#include "wire/vtr-pack-field.h"

gboolean
vtr_vulkan_find_content (VtrTraceObject    object,
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

static void
take_memory_field (VtrContentRecord        *content,
                   const VtrPackFieldValue *field)
{
  if (field->number == VTR_MAPPED_WRITES_MAP_OFFSET)
    content->offset = field->value;
  else if (field->number == VTR_MAPPED_WRITES_MAP_ADDRESS)
    content->address = field->value;
}

static void
take_image_field (VtrContentRecord        *content,
                  const VtrPackFieldValue *field)
{
  const guint32 value = (guint32)field->value;

  switch (field->number)
    {
    case VTR_IMAGE_CONTENTS_ASPECT:
      content->aspect = vtr_vulkan_aspect_get (value);
      break;
    case VTR_IMAGE_CONTENTS_MIP:
      content->level = value;
      break;
    case VTR_IMAGE_CONTENTS_LAYER:
      content->layer = value;
      break;
    case VTR_IMAGE_CONTENTS_LAYOUT:
      content->word = value;
      break;
    case VTR_IMAGE_CONTENTS_FORMAT:
      content->format = value;
      break;
    case VTR_IMAGE_CONTENTS_WIDTH:
      content->width = value;
      break;
    case VTR_IMAGE_CONTENTS_HEIGHT:
      content->height = value;
      break;
    case VTR_IMAGE_CONTENTS_DEPTH:
      content->depth = value;
      break;
    case VTR_IMAGE_CONTENTS_ROW_PITCH:
      content->row_pitch = field->value;
      break;
    case VTR_IMAGE_CONTENTS_DEPTH_PITCH:
      content->depth_pitch = field->value;
      break;
    case VTR_IMAGE_CONTENTS_SAMPLE:
      content->sample = value;
      break;
    case VTR_IMAGE_CONTENTS_X:
      content->x = value;
      break;
    case VTR_IMAGE_CONTENTS_Y:
      content->y = value;
      break;
    case VTR_IMAGE_CONTENTS_Z:
      content->z = value;
      break;
    default:
      break;
    }
}

static void
take_structure_field (VtrContentRecord        *content,
                      const VtrPackFieldValue *field)
{
  if (field->number == VTR_STRUCTURE_CONTENTS_OFFSET)
    content->offset = field->value;
  else if (field->number == VTR_STRUCTURE_CONTENTS_WHOLE)
    content->whole = field->value;
}

gboolean
vtr_vulkan_read_content (VtrTraceObject      object,
                         const VtrPackChunk *chunk,
                         VtrContentRecord   *out)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrContentObject where;
  VtrPackFieldValue field;
  VtrStatus status;

  if (!vtr_vulkan_find_content (object, &where))
    return FALSE;
  out->kind = where.kind;
  out->aspect = VTR_PIXEL_NO_ASPECT;
  out->what = object == VTR_OBJECT_MAPPED_WRITES    ? VTR_CONTENT_BYTES
              : object == VTR_OBJECT_IMAGE_CONTENTS ? VTR_CONTENT_TEXELS
                                                    : VTR_CONTENT_OPAQUE;
  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    if (field.number == where.owner_field)
      out->owner = field.value;
    else if (field.number == where.object_field)
      out->object = field.value;
    else if (out->what == VTR_CONTENT_BYTES)
      take_memory_field (out, &field);
    else if (out->what == VTR_CONTENT_TEXELS)
      take_image_field (out, &field);
    else
      take_structure_field (out, &field);
  return status == VTR_CLOSED && (out->what == VTR_CONTENT_BYTES || out->object != 0);
}
