/* Lists all images of a trace with extent, format, memory and uses, as the texture list shows
 * them. */
#include "engine/model/vtr-texture-list.h"

#include "engine/vulkan/state/vtr-attachments.h"

#include "api/vtr-api-args.h"

#include <glib/gi18n.h>
#include <string.h>

#define CANCEL_STEP 256

struct _VtrTexture
{
  GObject parent_instance;

  char *name;
  VtrImageInfo info;
  VtrImageUses uses;
  char *extent_text;
  char *size_text;
  char *uses_text;
  guint32 memory;
  guint64 memory_offset;
  VkImageAspectFlags aspects;
};

G_DEFINE_FINAL_TYPE (VtrTexture, vtr_texture, G_TYPE_OBJECT)

static void
vtr_texture_finalize (GObject *object)
{
  VtrTexture *self = VTR_TEXTURE (object);

  g_free (self->name);
  g_free (self->extent_text);
  g_free (self->size_text);
  g_free (self->uses_text);
  G_OBJECT_CLASS (vtr_texture_parent_class)->finalize (object);
}

static void
vtr_texture_class_init (VtrTextureClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_texture_finalize;
}

static void
vtr_texture_init (VtrTexture *self)
{
}

guint32
vtr_texture_get_object (VtrTexture *self)
{
  return self->info.object->id;
}

const char *
vtr_texture_get_name (VtrTexture *self)
{
  return self->name;
}

const VtrImageInfo *
vtr_texture_get_info (VtrTexture *self)
{
  return &self->info;
}

const VtrImageUses *
vtr_texture_get_uses (VtrTexture *self)
{
  return &self->uses;
}

const char *
vtr_texture_get_extent_text (VtrTexture *self)
{
  return self->extent_text;
}

const char *
vtr_texture_get_size_text (VtrTexture *self)
{
  return self->size_text;
}

const char *
vtr_texture_get_format_text (VtrTexture *self)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkFormat, self->info.format);

  if (name == NULL)
    return _ ("unknown format");
  return g_str_has_prefix (name, "VK_FORMAT_") ? name + strlen ("VK_FORMAT_") : name;
}

const char *
vtr_texture_get_uses_text (VtrTexture *self)
{
  return self->uses_text;
}

guint64
vtr_texture_get_created (VtrTexture *self)
{
  return self->info.object->created;
}

guint64
vtr_texture_get_destroyed (VtrTexture *self)
{
  return self->info.object->destroyed;
}

guint32
vtr_texture_get_memory (VtrTexture *self)
{
  return self->memory;
}

guint64
vtr_texture_get_memory_offset (VtrTexture *self)
{
  return self->memory_offset;
}

VkImageAspectFlags
vtr_texture_get_aspects (VtrTexture *self)
{
  return self->aspects;
}

guint64
vtr_texture_get_n_texels (VtrTexture *self)
{
  guint64 texels = 0;

  for (guint32 mip = 0; mip < MIN (self->info.mip_levels, 32u); mip++)
    texels += (guint64)MAX (self->info.extent.width >> mip, 1u) *
              MAX (self->info.extent.height >> mip, 1u) *
              MAX (self->info.extent.depth >> mip, 1u);
  return texels * self->info.array_layers * MAX ((guint)self->info.samples, 1u);
}

guint64
vtr_texture_get_n_uses (VtrTexture *self)
{
  const VtrImageUses *uses = &self->uses;

  return uses->draws_writing + uses->dispatches_writing + uses->copies_writing +
         uses->draws_reading + uses->dispatches_reading + uses->copies_reading + uses->clears;
}

/* --- Words ----------------------------------------------------------------------------------- */

/* "12 draws", "1 dispatch and 3 copies". (transfer full) (nullable) */
static char *
join_counts (guint64 draws, guint64 dispatches, guint64 copies)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  if (draws > 0)
    g_ptr_array_add (parts, g_strdup_printf (ngettext ("%lu draw", "%lu draws", (gulong)draws),
                                             (gulong)draws));
  if (dispatches > 0)
    g_ptr_array_add (
      parts, g_strdup_printf (
               ngettext ("%lu dispatch", "%lu dispatches", (gulong)dispatches),
               (gulong)dispatches));
  if (copies > 0)
    g_ptr_array_add (parts, g_strdup_printf (ngettext ("%lu copy", "%lu copies", (gulong)copies),
                                             (gulong)copies));
  if (parts->len == 0)
    return NULL;
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (", ", (char **)parts->pdata);
}

char *
vtr_texture_dup_uses_sentence (VtrTexture *self)
{
  const VtrImageUses *uses = &self->uses;
  g_autofree char *written =
    join_counts (uses->draws_writing, uses->dispatches_writing, uses->copies_writing);
  g_autofree char *read =
    join_counts (uses->draws_reading, uses->dispatches_reading, uses->copies_reading);
  GString *text = g_string_new (NULL);

  if (written != NULL)
    g_string_append_printf (text, _ ("Written by %s. "), written);
  if (read != NULL)
    g_string_append_printf (text, _ ("Read by %s. "), read);
  if (uses->clears > 0)
    g_string_append_printf (
      text, ngettext ("Cleared %lu time. ", "Cleared %lu times. ", (gulong)uses->clears),
      (gulong)uses->clears);
  if (text->len == 0)
    g_string_append (text, _ ("Not used by any command that ran."));
  return g_strchomp (g_string_free (text, FALSE));
}

static char *
make_uses_text (const VtrImageUses *uses)
{
  guint64 written = uses->draws_writing + uses->dispatches_writing + uses->copies_writing;
  guint64 read = uses->draws_reading + uses->dispatches_reading + uses->copies_reading;

  /* What is drawn to matters by its writes, what is only filled once by who reads it. */
  if (written > 0 && (written >= read || uses->draws_writing + uses->dispatches_writing > 0))
    return g_strdup_printf ("W %" G_GUINT64_FORMAT, written);
  if (read > 0)
    return g_strdup_printf ("R %" G_GUINT64_FORMAT, read);
  if (uses->clears > 0)
    return g_strdup_printf ("C %" G_GUINT64_FORMAT, uses->clears);
  return g_strdup ("—");
}

static char *
make_extent_text (const VtrImageInfo *info)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%u", info->extent.width);
  if (info->type != VK_IMAGE_TYPE_1D)
    g_string_append_printf (text, " × %u", info->extent.height);
  if (info->type == VK_IMAGE_TYPE_3D)
    g_string_append_printf (text, " × %u", info->extent.depth);
  if (info->array_layers > 1)
    g_string_append_printf (text, " × %u", info->array_layers);
  return g_string_free (text, FALSE);
}

static char *
make_size_text (const VtrImageInfo *info, const char *extent)
{
  GString *text = g_string_new (extent);

  if (info->mip_levels > 1)
    g_string_append_printf (text, ngettext (" · %u mip", " · %u mips", info->mip_levels),
                            info->mip_levels);
  if (info->samples > 1)
    g_string_append_printf (
      text, ngettext (" · %u sample", " · %u samples", (guint)info->samples),
      (guint)info->samples);
  return g_string_free (text, FALSE);
}

const char *
vtr_aspect_label (VkImageAspectFlagBits aspect)
{
  switch ((guint)aspect)
    {
    case VK_IMAGE_ASPECT_DEPTH_BIT:
      return _ ("Depth");
    case VK_IMAGE_ASPECT_STENCIL_BIT:
      return _ ("Stencil");
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      return _ ("Plane 0");
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      return _ ("Plane 1");
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return _ ("Plane 2");
    default:
      return _ ("Colour");
    }
}

/* The names of multi-planar formats tell their planes: VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM. */
static VkImageAspectFlags
get_format_aspects (VkFormat format)
{
  const char *name = vtr_enum_value_name (VTR_ENUM_VkFormat, format);
  VkImageAspectFlags aspects = 0;

  if (name != NULL && strstr (name, "_2PLANE_") != NULL)
    return VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT;
  if (name != NULL && strstr (name, "_3PLANE_") != NULL)
    return VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT |
           VK_IMAGE_ASPECT_PLANE_2_BIT;
  if (vtr_format_has_depth (format))
    aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (vtr_format_has_stencil (format))
    aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
  return aspects != 0 ? aspects : VK_IMAGE_ASPECT_COLOR_BIT;
}

/* --- The list -------------------------------------------------------------------------------- */

struct _VtrTextureList
{
  VtrFixedList parent_instance;

  GHashTable *by_object;
};

G_DEFINE_FINAL_TYPE (VtrTextureList, vtr_texture_list, VTR_TYPE_FIXED_LIST)

static void
vtr_texture_list_finalize (GObject *object)
{
  VtrTextureList *self = VTR_TEXTURE_LIST (object);

  g_hash_table_unref (self->by_object);
  G_OBJECT_CLASS (vtr_texture_list_parent_class)->finalize (object);
}

static void
vtr_texture_list_class_init (VtrTextureListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_texture_list_finalize;
  VTR_FIXED_LIST_CLASS (klass)->get_item_type = vtr_texture_get_type;
}

static void
vtr_texture_list_init (VtrTextureList *self)
{
  self->by_object = g_hash_table_new (NULL, NULL);
}

VtrTexture *
vtr_texture_list_get (VtrTextureList *self, guint nth)
{
  return vtr_fixed_list_get (VTR_FIXED_LIST (self), nth);
}

VtrTexture *
vtr_texture_list_find (VtrTextureList *self, guint32 object)
{
  return g_hash_table_lookup (self->by_object, GUINT_TO_POINTER (object));
}

/* Where the image lies, from the command that bound it. */
static void
find_memory (VtrTexture *self, VtrHistory *history)
{
  guint64 index = vtr_history_get_memory_binding (history, self->info.object->id);
  const VtrObject *memory;
  guint64 handle = 0;
  VtrCommand command;
  VtrArena arena;

  if (index == VTR_COMMAND_NO_INDEX)
    return;
  vtr_arena_init (&arena);
  if (vtr_trace_decode (vtr_history_get_trace (history), index, &arena, &command, NULL))
    switch (vtr_cmd_canonical (command.id))
      {
      case VTR_CMD_vkBindImageMemory:
        {
          const VtrArgs_vkBindImageMemory *args = command.args;

          handle = (guint64)args->memory;
          self->memory_offset = args->memoryOffset;
          break;
        }
      case VTR_CMD_vkBindImageMemory2:
        {
          const VtrArgs_vkBindImageMemory2 *args = command.args;

          for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
            if ((guint64)args->pBindInfos[i].image == self->info.object->handle)
              {
                handle = (guint64)args->pBindInfos[i].memory;
                self->memory_offset = args->pBindInfos[i].memoryOffset;
              }
          break;
        }
      default:
        break;
      }
  vtr_arena_finish (&arena);
  memory =
    handle != 0 ? vtr_history_find (history,
                                    vtr_vulkan_identity (VTR_HANDLE_VkDeviceMemory, handle),
                                    index)
                : NULL;
  self->memory = memory != NULL ? memory->id : 0;
}

VtrTextureList *
vtr_texture_list_new (VtrHistory    *history,
                      VtrUses       *uses,
                      GCancellable  *cancellable,
                      GError       **error)
{
  g_autoptr (VtrTextureList) self = g_object_new (VTR_TYPE_TEXTURE_LIST, NULL);
  g_autoptr (GArray) ids = vtr_history_list (history, VTR_HANDLE_VkImage);

  for (guint i = 0; i < ids->len; i++)
    {
      const VtrObject *object = vtr_history_get_object (history, g_array_index (ids, guint32, i));
      g_autoptr (VtrTexture) texture = g_object_new (VTR_TYPE_TEXTURE, NULL);

      if (i % CANCEL_STEP == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return NULL;
      if (!vtr_history_get_image_info (history, object, &texture->info, NULL))
        continue;
      texture->name = vtr_history_describe (history, object);
      texture->uses = *vtr_uses_get_image (uses, object->id);
      texture->extent_text = make_extent_text (&texture->info);
      texture->size_text = make_size_text (&texture->info, texture->extent_text);
      texture->uses_text = make_uses_text (&texture->uses);
      texture->aspects = get_format_aspects (texture->info.format);
      find_memory (texture, history);
      g_hash_table_insert (self->by_object, GUINT_TO_POINTER (object->id), texture);
      g_ptr_array_add (vtr_fixed_list_get_array (VTR_FIXED_LIST (self)),
                       g_steal_pointer (&texture));
    }
  return g_steal_pointer (&self);
}
