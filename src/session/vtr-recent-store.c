/* Stores the list of recently opened traces for the start page, with a thumbnail for each. */
#include "vtr-config.h"

#include "session/vtr-recent-store.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "session/vtr-session.h"

#define MAX_ENTRIES 40

struct _VtrRecent
{
  GObject parent_instance;

  GFile *file;
  char *name;
  char *device;
  guint64 n_frames;
  guint64 n_commands;
  guint64 bytes;
  gint64 time; /* Unix, s */
  gboolean truncated;
  char *thumbnail;
  GdkTexture *texture;
};

G_DEFINE_FINAL_TYPE (VtrRecent, vtr_recent, G_TYPE_OBJECT)

static void
vtr_recent_finalize (GObject *object)
{
  VtrRecent *self = VTR_RECENT (object);

  g_clear_object (&self->file);
  g_clear_object (&self->texture);
  g_free (self->name);
  g_free (self->device);
  g_free (self->thumbnail);
  G_OBJECT_CLASS (vtr_recent_parent_class)->finalize (object);
}

static void
vtr_recent_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_object (value, vtr_recent_get_texture (VTR_RECENT (object)));
}

static void
vtr_recent_class_init (VtrRecentClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_recent_finalize;
  G_OBJECT_CLASS (klass)->get_property = vtr_recent_get_property;
  g_object_class_install_property (G_OBJECT_CLASS (klass), 1,
                                   g_param_spec_object ("texture", NULL, NULL, GDK_TYPE_TEXTURE,
                                                        G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
vtr_recent_init (VtrRecent *self)
{
}

static VtrRecent *
recent_new (GFile *file)
{
  VtrRecent *self = g_object_new (VTR_TYPE_RECENT, NULL);
  g_autofree char *base = g_file_get_basename (file);

  self->file = g_object_ref (file);
  if (base && g_str_has_suffix (base, ".gfxtrace"))
    base[strlen (base) - strlen (".gfxtrace")] = '\0';
  self->name = g_filename_display_name (base ? base : "");
  return self;
}

GFile *
vtr_recent_get_file (VtrRecent *self)
{
  return self->file;
}

const char *
vtr_recent_get_name (VtrRecent *self)
{
  return self->name;
}

char *
vtr_recent_describe (VtrRecent *self)
{
  g_autofree char *frames = vtr_format_number (self->n_frames);
  g_autofree char *commands = vtr_format_number (self->n_commands);
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->device)
    {
      g_autofree char *device = vtr_short_device_name (self->device);

      g_string_append (text, device);
    }

  if (text->len > 0)
    g_string_append (text, " · ");
  g_string_append_printf (text, ngettext ("%s frame", "%s frames", self->n_frames), frames);
  g_string_append (text, " · ");
  g_string_append_printf (text, ngettext ("%s command", "%s commands", self->n_commands), commands);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
describe_time (gint64 seconds)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (seconds);
  g_autoptr (GDateTime) midnight = NULL;
  GTimeSpan age;

  if (time == NULL)
    return g_strdup ("");
  midnight = g_date_time_new_local (g_date_time_get_year (now), g_date_time_get_month (now),
                                    g_date_time_get_day_of_month (now), 0, 0, 0);
  age = g_date_time_difference (midnight, time);
  if (age <= 0)
    return g_date_time_format (time, _ ("Today %H:%M"));
  if (age <= G_TIME_SPAN_DAY)
    return g_strdup (_ ("Yesterday"));
  if (age <= 6 * G_TIME_SPAN_DAY)
    return g_date_time_format (time, "%A");
  if (g_date_time_get_year (time) == g_date_time_get_year (now))
    return g_date_time_format (time, _ ("%-e %B"));
  return g_date_time_format (time, _ ("%-e %B %Y"));
}

char *
vtr_recent_describe_file (VtrRecent *self)
{
  g_autofree char *size = g_format_size (self->bytes);
  g_autofree char *time = describe_time (self->time);

  if (self->truncated)
    return g_strdup_printf (_ ("Ends early · %s"), size);
  return g_strdup_printf ("%s · %s", time, size);
}

gboolean
vtr_recent_get_truncated (VtrRecent *self)
{
  return self->truncated;
}

GdkTexture *
vtr_recent_get_texture (VtrRecent *self)
{
  if (self->texture == NULL && self->thumbnail)
    {
      self->texture = gdk_texture_new_from_filename (self->thumbnail, NULL);
      if (self->texture == NULL)
        g_clear_pointer (&self->thumbnail, g_free);
    }
  return self->texture;
}

struct _VtrRecentStore
{
  GObject parent_instance;

  char *path;
  char *thumbnails;
  GPtrArray *entries;
};

static GType
get_item_type (GListModel *model)
{
  return VTR_TYPE_RECENT;
}

static guint
get_n_items (GListModel *model)
{
  return VTR_RECENT_STORE (model)->entries->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  VtrRecentStore *self = VTR_RECENT_STORE (model);

  return position < self->entries->len ? g_object_ref (g_ptr_array_index (self->entries, position))
                                       : NULL;
}

static void
list_model_iface_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrRecentStore,
                               vtr_recent_store,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_iface_init))

static void
vtr_recent_store_finalize (GObject *object)
{
  VtrRecentStore *self = VTR_RECENT_STORE (object);

  g_free (self->path);
  g_free (self->thumbnails);
  g_ptr_array_unref (self->entries);
  G_OBJECT_CLASS (vtr_recent_store_parent_class)->finalize (object);
}

static void
vtr_recent_store_class_init (VtrRecentStoreClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_recent_store_finalize;
}

static void
vtr_recent_store_init (VtrRecentStore *self)
{
  self->entries = g_ptr_array_new_with_free_func (g_object_unref);
}

static int
compare_cb (gconstpointer a, gconstpointer b)
{
  const VtrRecent *x = *(VtrRecent *const *)a;
  const VtrRecent *y = *(VtrRecent *const *)b;

  return x->time < y->time ? 1 : x->time > y->time ? -1
                                                   : 0;
}

static void
load (VtrRecentStore *self)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  g_auto (GStrv) groups = NULL;

  if (!g_key_file_load_from_file (keys, self->path, G_KEY_FILE_NONE, NULL))
    return;
  groups = g_key_file_get_groups (keys, NULL);
  for (gsize i = 0; groups[i]; i++)
    {
      g_autoptr (GFile) file = g_file_new_for_uri (groups[i]);
      VtrRecent *recent = recent_new (file);

      recent->device = g_key_file_get_string (keys, groups[i], "device", NULL);
      recent->n_frames = g_key_file_get_uint64 (keys, groups[i], "frames", NULL);
      recent->n_commands = g_key_file_get_uint64 (keys, groups[i], "commands", NULL);
      recent->bytes = g_key_file_get_uint64 (keys, groups[i], "bytes", NULL);
      recent->time = g_key_file_get_int64 (keys, groups[i], "time", NULL);
      recent->truncated = g_key_file_get_boolean (keys, groups[i], "truncated", NULL);
      recent->thumbnail = g_key_file_get_string (keys, groups[i], "thumbnail", NULL);
      g_ptr_array_add (self->entries, recent);
    }
  g_ptr_array_sort (self->entries, compare_cb);
}

static void
save (VtrRecentStore *self)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrRecent *recent = g_ptr_array_index (self->entries, i);
      g_autofree char *uri = g_file_get_uri (recent->file);

      g_key_file_set_string (keys, uri, "device", recent->device ? recent->device : "");
      g_key_file_set_uint64 (keys, uri, "frames", recent->n_frames);
      g_key_file_set_uint64 (keys, uri, "commands", recent->n_commands);
      g_key_file_set_uint64 (keys, uri, "bytes", recent->bytes);
      g_key_file_set_int64 (keys, uri, "time", recent->time);
      g_key_file_set_boolean (keys, uri, "truncated", recent->truncated);
      if (recent->thumbnail)
        g_key_file_set_string (keys, uri, "thumbnail", recent->thumbnail);
    }
  g_mkdir_with_parents (folder, 0700);
  if (!g_key_file_save_to_file (keys, self->path, &error))
    g_info ("Recent traces are not remembered: %s", error->message);
}

static VtrRecentStore *
store_new (char *path, char *thumbnails)
{
  VtrRecentStore *self = g_object_new (VTR_TYPE_RECENT_STORE, NULL);

  self->path = path;
  self->thumbnails = thumbnails;
  load (self);
  return self;
}

VtrRecentStore *
vtr_recent_store_new (const char *folder)
{
  return store_new (g_build_filename (folder, "recent.ini", NULL),
                    g_build_filename (folder, "thumbnails", NULL));
}

VtrRecentStore *
vtr_recent_store_get_default (void)
{
  static VtrRecentStore *store;

  if (store == NULL)
    store = store_new (g_build_filename (g_get_user_state_dir (), "vitrine", "recent.ini", NULL),
                       g_build_filename (g_get_user_cache_dir (), "vitrine", "thumbnails", NULL));
  return store;
}

static gboolean
find (VtrRecentStore *self, GFile *file, guint *position)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (g_file_equal (((VtrRecent *)g_ptr_array_index (self->entries, i))->file, file))
      {
        *position = i;
        return TRUE;
      }
  return FALSE;
}

static void
remove_at (VtrRecentStore *self, guint position)
{
  g_ptr_array_remove_index (self->entries, position);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
}

static void
delete_thumbnail (VtrRecent *recent)
{
  if (recent->thumbnail)
    g_unlink (recent->thumbnail);
}

void
vtr_recent_store_add (VtrRecentStore *self, GFile *file, const VtrRecentFacts *facts)
{
  VtrRecent *recent = recent_new (file);
  guint position;

  recent->device = g_strdup (facts->device);
  recent->n_frames = facts->n_frames;
  recent->n_commands = facts->n_commands;
  recent->bytes = facts->bytes;
  recent->truncated = facts->truncated;
  recent->time = g_get_real_time () / G_USEC_PER_SEC;
  if (find (self, file, &position))
    {
      VtrRecent *before = g_ptr_array_index (self->entries, position);

      recent->thumbnail = g_strdup (before->thumbnail);
      recent->texture = before->texture ? g_object_ref (before->texture) : NULL;
      remove_at (self, position);
    }
  g_ptr_array_insert (self->entries, 0, recent);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, 0, 1);
  while (self->entries->len > MAX_ENTRIES)
    {
      delete_thumbnail (g_ptr_array_index (self->entries, self->entries->len - 1));
      remove_at (self, self->entries->len - 1);
    }
  save (self);
}

GdkTexture *
vtr_recent_store_get_thumbnail (VtrRecentStore *self, GFile *file, guint64 since)
{
  g_autoptr (GFile) thumbnail = NULL;
  g_autoptr (GFileInfo) info = NULL;
  VtrRecent *recent;
  guint position;

  if (!find (self, file, &position))
    return NULL;
  recent = g_ptr_array_index (self->entries, position);
  if (recent->thumbnail == NULL)
    return NULL;
  thumbnail = g_file_new_for_path (recent->thumbnail);
  info = g_file_query_info (thumbnail, G_FILE_ATTRIBUTE_TIME_MODIFIED, G_FILE_QUERY_INFO_NONE, NULL,
                            NULL);
  if (info == NULL ||
      g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED) <
        since / G_USEC_PER_SEC)
    return NULL;
  return vtr_recent_get_texture (recent);
}

void
vtr_recent_store_set_thumbnail (VtrRecentStore *self, GFile *file, GdkTexture *texture)
{
  g_autofree char *uri = g_file_get_uri (file);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, uri, -1);
  g_autofree char *name = g_strconcat (hash, ".png", NULL);
  g_autofree char *path = g_build_filename (self->thumbnails, name, NULL);
  VtrRecent *recent;
  guint position;

  if (!find (self, file, &position))
    return;
  recent = g_ptr_array_index (self->entries, position);
  g_mkdir_with_parents (self->thumbnails, 0700);
  if (gdk_texture_save_to_png (texture, path))
    {
      g_free (recent->thumbnail);
      recent->thumbnail = g_steal_pointer (&path);
    }
  g_set_object (&recent->texture, texture);
  g_object_notify (G_OBJECT (recent), "texture");
  save (self);
}

void
vtr_recent_store_remove (VtrRecentStore *self, GFile *file)
{
  guint position;

  if (!find (self, file, &position))
    return;
  delete_thumbnail (g_ptr_array_index (self->entries, position));
  remove_at (self, position);
  save (self);
}
