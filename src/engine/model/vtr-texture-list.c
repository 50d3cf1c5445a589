/* Lists all images of a trace with extent, format, memory and uses, as the texture list shows
 * them. */
#include "engine/model/vtr-texture-list.h"

#include "engine/api/vtr-show-api.h"
#include "pixels/vtr-pixel-format.h"

#include <glib/gi18n.h>
#include <string.h>

#define CANCEL_STEP 256

struct _VtrTexture
{
  GObject parent_instance;

  char *name;
  VtrImageFacts facts;
  VtrImageUses uses;
  char *extent_text;
  char *size_text;
  char *uses_text;
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
  return self->facts.object->id;
}

const char *
vtr_texture_get_name (VtrTexture *self)
{
  return self->name;
}

const VtrImageFacts *
vtr_texture_get_facts (VtrTexture *self)
{
  return &self->facts;
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
  return self->facts.format_text != NULL ? self->facts.format_text : _ ("unknown format");
}

const char *
vtr_texture_get_uses_text (VtrTexture *self)
{
  return self->uses_text;
}

guint64
vtr_texture_get_created (VtrTexture *self)
{
  return self->facts.object->created;
}

guint64
vtr_texture_get_destroyed (VtrTexture *self)
{
  return self->facts.object->destroyed;
}

guint64
vtr_texture_get_n_texels (VtrTexture *self)
{
  guint64 texels = 0;

  for (guint32 mip = 0; mip < MIN (self->facts.mip_levels, 32u); mip++)
    texels += (guint64)MAX (self->facts.width >> mip, 1u) *
              MAX (self->facts.height >> mip, 1u) *
              MAX (self->facts.depth >> mip, 1u);
  return texels * self->facts.array_layers * MAX (self->facts.samples, 1u);
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

  /* Render targets are described by their writes, images that are filled once by their reads. */
  if (written > 0 && (written >= read || uses->draws_writing + uses->dispatches_writing > 0))
    return g_strdup_printf ("W %" G_GUINT64_FORMAT, written);
  if (read > 0)
    return g_strdup_printf ("R %" G_GUINT64_FORMAT, read);
  if (uses->clears > 0)
    return g_strdup_printf ("C %" G_GUINT64_FORMAT, uses->clears);
  return g_strdup ("—");
}

static char *
make_extent_text (const VtrImageFacts *facts)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%u", facts->width);
  if (facts->dimensions > 1)
    g_string_append_printf (text, " × %u", facts->height);
  if (facts->dimensions > 2)
    g_string_append_printf (text, " × %u", facts->depth);
  if (facts->array_layers > 1)
    g_string_append_printf (text, " × %u", facts->array_layers);
  return g_string_free (text, FALSE);
}

static char *
make_size_text (const VtrImageFacts *facts, const char *extent)
{
  GString *text = g_string_new (extent);

  if (facts->mip_levels > 1)
    g_string_append_printf (text, ngettext (" · %u mip", " · %u mips", facts->mip_levels),
                            facts->mip_levels);
  if (facts->samples > 1)
    g_string_append_printf (text, ngettext (" · %u sample", " · %u samples", facts->samples),
                            facts->samples);
  return g_string_free (text, FALSE);
}

const char *
vtr_pixel_aspect_get_label (VtrPixelAspect aspect)
{
  switch (aspect)
    {
    case VTR_PIXEL_DEPTH:
      return _ ("Depth");
    case VTR_PIXEL_STENCIL:
      return _ ("Stencil");
    case VTR_PIXEL_PLANE_0:
      return _ ("Plane 0");
    case VTR_PIXEL_PLANE_1:
      return _ ("Plane 1");
    case VTR_PIXEL_PLANE_2:
      return _ ("Plane 2");
    default:
      return _ ("Colour");
    }
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

/* Those of one kind. */
static gboolean
add_kind (VtrTextureList  *self,
          VtrHistory      *history,
          VtrUses         *uses,
          VtrHandleId      kind,
          GCancellable    *cancellable,
          GError         **error)
{
  g_autoptr (GArray) ids = vtr_history_list (history, kind);

  for (guint i = 0; i < ids->len; i++)
    {
      const VtrObject *object = vtr_history_get_object (history, g_array_index (ids, guint32, i));
      g_autoptr (VtrTexture) texture = g_object_new (VTR_TYPE_TEXTURE, NULL);

      if (i % CANCEL_STEP == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!vtr_image_facts_get (history, object, &texture->facts, NULL))
        continue;
      texture->name = vtr_history_describe (history, object);
      texture->uses = *vtr_uses_get_image (uses, object->id);
      texture->extent_text = make_extent_text (&texture->facts);
      texture->size_text = make_size_text (&texture->facts, texture->extent_text);
      texture->uses_text = make_uses_text (&texture->uses);
      g_hash_table_insert (self->by_object, GUINT_TO_POINTER (object->id), texture);
      g_ptr_array_add (vtr_fixed_list_get_array (VTR_FIXED_LIST (self)),
                       g_steal_pointer (&texture));
    }
  return TRUE;
}

VtrTextureList *
vtr_texture_list_new (VtrHistory    *history,
                      VtrUses       *uses,
                      GCancellable  *cancellable,
                      GError       **error)
{
  g_autoptr (VtrTextureList) self = g_object_new (VTR_TYPE_TEXTURE_LIST, NULL);

  for (guint i = 0; vtr_apis[i] != NULL; i++)
    {
      const VtrShowApi *show = vtr_apis[i]->show;

      if (show != NULL && show->get_image != NULL &&
          !add_kind (self, history, uses, show->image_kind, cancellable, error))
        return NULL;
    }
  return g_steal_pointer (&self);
}
