/* Stores results of replays as files in the user's cache folder, and removes old ones when the
 * cache is full. */
#include "engine/replay-session/vtr-result-cache.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>
#include <xxhash.h>
#include <zstd.h>

/* Part of the key and of each file: changes with the layout. */
#define MAGIC "VTRRES1"

#define MAX_ENTRY (256u << 20)

/* The number of bytes that are written before the folder is measured again. */
#define TRIM_BYTES (32u << 20)

typedef struct
{
  char magic[8];
  guint64 key[2];
  guint64 size;        /* of the bytes, decompressed */
  guint64 checksum[2]; /* of the bytes */
} Header;

static void
hash_of (gconstpointer data,
         gsize         size,
         guint64       out[2])
{
  XXH128_hash_t hash = XXH3_128bits (data, size);

  out[0] = hash.low64;
  out[1] = hash.high64;
}

gboolean
vtr_result_cache_is_on (void)
{
  const char *off = g_getenv ("VITRINE_NO_CACHE");

  return off == NULL || off[0] == '\0';
}

static char *
folder_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "vitrine", "results", NULL);
}

static char *
entry_path (const guint64 hash[2])
{
  g_autofree char *folder = folder_path ();
  g_autofree char *name =
    g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", hash[1], hash[0]);

  return g_build_filename (folder, name, NULL);
}

/* Returns: NULL when the file is not what it should be. */
static GBytes *
unpack (const guint8  *data,
        gsize          size,
        const guint64  key[2])
{
  g_autofree guint8 *bytes = NULL;
  guint64 checksum[2];
  Header header;

  if (size < sizeof header)
    return NULL;
  memcpy (&header, data, sizeof header);
  if (memcmp (header.magic, MAGIC, sizeof header.magic) != 0 || header.key[0] != key[0] ||
      header.key[1] != key[1] || header.size > MAX_ENTRY ||
      ZSTD_getFrameContentSize (data + sizeof header, size - sizeof header) != header.size)
    return NULL;
  bytes = g_try_malloc (header.size + 1);
  if (bytes == NULL || ZSTD_decompress (bytes, header.size, data + sizeof header,
                                        size - sizeof header) != header.size)
    return NULL;
  hash_of (bytes, header.size, checksum);
  if (checksum[0] != header.checksum[0] || checksum[1] != header.checksum[1])
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&bytes), header.size);
}

GBytes *
vtr_result_cache_load (const char *key)
{
  g_autofree char *path = NULL;
  g_autofree char *data = NULL;
  guint64 hash[2];
  GBytes *bytes;
  gsize size;

  if (!vtr_result_cache_is_on ())
    return NULL;
  hash_of (key, strlen (key), hash);
  path = entry_path (hash);
  if (!g_file_get_contents (path, &data, &size, NULL))
    return NULL;
  bytes = unpack ((const guint8 *)data, size, hash);
  if (bytes == NULL)
    g_unlink (path);
  else
    g_utime (path, NULL); /* it was asked for just now */
  return bytes;
}

/* --- Room ------------------------------------------------------------------------------------ */

typedef struct
{
  char *path;
  guint64 size;
  gint64 used;
} Entry;

static void
entry_clear (gpointer data)
{
  g_free (((Entry *)data)->path);
}

static int
compare_entries (gconstpointer a,
                 gconstpointer b)
{
  const Entry *left = a;
  const Entry *right = b;

  return (left->used > right->used) - (left->used < right->used);
}

/* Removes what is beyond @limit bytes. */
static void
vtr_result_cache_trim (guint64 limit)
{
  g_autofree char *folder = folder_path ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  guint64 total = 0;
  const char *name;

  g_array_set_clear_func (entries, entry_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      Entry entry = { g_build_filename (folder, name, NULL), 0, 0 };
      GStatBuf info;

      if (g_stat (entry.path, &info) == 0)
        {
          entry.size = (guint64)info.st_size;
          entry.used = (gint64)info.st_mtim.tv_sec * 1000000 + info.st_mtim.tv_nsec / 1000;
        }
      total += entry.size;
      g_array_append_val (entries, entry);
    }
  if (total <= limit)
    return;
  g_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len && total > limit; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);

      g_unlink (entry->path);
      total -= entry->size;
    }
}

static void
make_room (gsize written)
{
  static GMutex lock;
  static guint64 since = TRIM_BYTES; /* the first time at once */
  gboolean trim;

  g_mutex_lock (&lock);
  since += written;
  trim = since >= TRIM_BYTES;
  if (trim)
    since = 0;
  g_mutex_unlock (&lock);
  if (trim)
    vtr_result_cache_trim (VTR_RESULT_CACHE_BYTES);
}

void
vtr_result_cache_store (const char *key,
                        GBytes     *bytes)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  g_autofree char *folder = NULL;
  g_autofree char *path = NULL;
  g_autofree guint8 *file = NULL;
  gsize packed;
  Header header = { .magic = MAGIC, .size = size };

  if (!vtr_result_cache_is_on () || size == 0 || size > MAX_ENTRY)
    return;
  folder = folder_path ();
  if (g_mkdir_with_parents (folder, 0700) != 0)
    return;
  hash_of (key, strlen (key), header.key);
  hash_of (data, size, header.checksum);
  file = g_try_malloc (sizeof header + ZSTD_compressBound (size));
  if (file == NULL)
    return;
  memcpy (file, &header, sizeof header);
  packed = ZSTD_compress (file + sizeof header, ZSTD_compressBound (size), data, size, 1);
  if (ZSTD_isError (packed))
    return;
  path = entry_path (header.key);
  if (g_file_set_contents (path, (const char *)file, (gssize)(sizeof header + packed), NULL))
    make_room (sizeof header + packed);
}
