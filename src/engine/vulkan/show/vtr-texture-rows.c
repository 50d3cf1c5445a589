/* Describes images: extent, format, memory, and the part that a view shows. */
#include "engine/vulkan/show/vtr-texture-rows.h"

#include "api/vtr-api-args.h"
#include "engine/vulkan/state/vtr-facts.h"
#include "vulkan/vtr-vulkan-formats.h"

/* The number of an unknown enumerant. */
static const char *
name_enumerant (VtrEnumId id, gint64 value)
{
  const char *name = vtr_enum_value_name (id, value);
  g_autofree char *number = NULL;

  if (name != NULL)
    return name;
  number = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  return g_intern_string (number);
}

/* One array for each set that occurs: there are few, and they are kept as long as the program
 * runs. */
static const char *const *
name_usage (VkImageUsageFlags usage)
{
  static GHashTable *known;
  static GMutex lock;
  const char **names;

  g_mutex_lock (&lock);
  if (known == NULL)
    known = g_hash_table_new (NULL, NULL);
  names = g_hash_table_lookup (known, GUINT_TO_POINTER (usage));
  if (names == NULL)
    {
      guint n = 0;

      names = g_new0 (const char *, 33);
      for (guint32 bit = 1; bit != 0; bit <<= 1)
        if ((usage & bit) != 0)
          names[n++] = name_enumerant (VTR_ENUM_VkImageUsageFlagBits, bit);
      g_hash_table_insert (known, GUINT_TO_POINTER (usage), names);
    }
  g_mutex_unlock (&lock);
  return names;
}

/* Bits 1 << VtrPixelAspect. */
static guint32
convert_aspects (VkImageAspectFlags aspects)
{
  guint32 out = 0;

  for (guint32 bit = 1; bit != 0; bit <<= 1)
    if ((aspects & bit) != 0 && vtr_vulkan_aspect_get (bit) != VTR_PIXEL_NO_ASPECT)
      out |= 1u << vtr_vulkan_aspect_get (bit);
  return out;
}

static guint32
get_aspects (VkFormat format)
{
  const VtrPixelFormat *pixels = vtr_vulkan_format_get (format);
  guint32 aspects = 0;

  for (guint aspect = VTR_PIXEL_COLOR; aspect < VTR_PIXEL_NO_ASPECT; aspect++)
    if (vtr_pixel_format_find_plane (pixels, (VtrPixelAspect)aspect) != NULL)
      aspects |= 1u << aspect;
  return aspects != 0 ? aspects : 1u << VTR_PIXEL_COLOR;
}

/* Where the image lies; of a disjoint one, its first plane. */
static void
find_memory (VtrImageFacts *self, VtrHistory *history)
{
  VtrBoundMemory bound;

  if (!vtr_facts_get_bound (history, self->object->id, 0, VTR_COMMAND_NO_INDEX, &bound))
    return;
  self->memory = bound.memory;
  self->memory_offset = bound.offset;
}

gboolean
vtr_vulkan_get_image (VtrHistory       *history,
                      const VtrObject  *object,
                      VtrImageFacts    *out,
                      GError          **error)
{
  const VtrPixelFormat *format;
  VtrImageInfo info;

  if (object->type != VTR_HANDLE_VkImage ||
      !vtr_history_get_image_info (history, object, &info, error))
    return FALSE;
  format = vtr_vulkan_format_get (info.format);
  *out = (VtrImageFacts){
    .object = object,
    .dimensions = info.type == VK_IMAGE_TYPE_1D ? 1 : info.type == VK_IMAGE_TYPE_3D ? 3
                                                                                    : 2,
    .width = info.extent.width,
    .height = info.extent.height,
    .depth = info.extent.depth,
    .mip_levels = info.mip_levels,
    .array_layers = info.array_layers,
    .samples = (guint32)info.samples,
    .aspects = get_aspects (info.format),
    .type = name_enumerant (VTR_ENUM_VkImageType, info.type),
    .format = name_enumerant (VTR_ENUM_VkFormat, info.format),
    .format_text = format != NULL ? format->text : NULL,
    .tiling = name_enumerant (VTR_ENUM_VkImageTiling, info.tiling),
    .usage = name_usage (info.usage),
    .cube = (info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0,
    .presented = info.swapchain,
  };
  find_memory (out, history);
  return TRUE;
}

static gboolean
is_one_bit (guint32 bits)
{
  return bits != 0 && (bits & (bits - 1)) == 0;
}

gboolean
vtr_vulkan_find_image (VtrHistory *history, const VtrObject *object, VtrImageView *out)
{
  const VtrObject *image = NULL;
  VtrCommand command;
  VtrArena arena;

  if (object->type != VTR_HANDLE_VkImageView)
    return FALSE;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (history, object, &arena, &command, NULL) &&
      command.id == VTR_CMD_vkCreateImageView)
    {
      const VtrArgs_vkCreateImageView *args = command.args;
      const VkImageViewCreateInfo *info = args->pCreateInfo;

      if (info != NULL)
        {
          image = vtr_history_find (history,
                                    vtr_vulkan_identity (VTR_HANDLE_VkImage, (guint64)info->image),
                                    object->created);
          *out = (VtrImageView){
            .image = image != NULL ? image->id : 0,
            .mip = info->subresourceRange.baseMipLevel,
            .layer = info->subresourceRange.baseArrayLayer,
            .aspects = is_one_bit (info->subresourceRange.aspectMask)
                         ? convert_aspects (info->subresourceRange.aspectMask)
                         : 0,
          };
        }
    }
  vtr_arena_finish (&arena);
  return image != NULL;
}
