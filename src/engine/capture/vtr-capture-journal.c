/* Notes each recording under way in a small file, from which it can be found and completed after
 * a crash. */
#include "vtr-capture-journal.h"

#include <glib/gstdio.h>
#include <string.h>

#define MAGIC "VTRNOTE1 "
#define MOST_BYTES (64 * 1024)
#define HALF_SECONDS 60 /* longer than an entry takes to be written */

void
vtr_capture_note_free (VtrCaptureNote *self)
{
  if (self == NULL)
    return;
  g_free (self->part);
  g_free (self->trace);
  g_free (self);
}

/* MAGIC, the identity, and two paths, each ended by NUL. */
GBytes *
vtr_capture_note_to_bytes (const VtrRecordingId *id,
                           const char           *part,
                           const char           *trace)
{
  g_autofree char *part_path = g_canonicalize_filename (part, NULL);
  g_autofree char *trace_path = g_canonicalize_filename (trace, NULL);
  GByteArray *bytes = g_byte_array_new ();
  char text[VTR_RECORDING_ID_TEXT];

  vtr_recording_id_print (id, text);
  g_byte_array_append (bytes, (const guint8 *)MAGIC, strlen (MAGIC));
  g_byte_array_append (bytes, (const guint8 *)text, sizeof text);
  g_byte_array_append (bytes, (const guint8 *)part_path, (guint)strlen (part_path) + 1);
  g_byte_array_append (bytes, (const guint8 *)trace_path, (guint)strlen (trace_path) + 1);
  return g_byte_array_free_to_bytes (bytes);
}

/* The text at @at up to its NUL, behind which *@at is then. */
static const char *
take_text (const char **at,
           const char  *end)
{
  const char *text = *at, *nul = memchr (text, '\0', (gsize)(end - text));

  if (nul == NULL)
    return NULL;
  *at = nul + 1;
  return text;
}

VtrCaptureNote *
vtr_capture_note_parse (const char *data,
                        gsize       size)
{
  const char *at = data + strlen (MAGIC), *end = data + size;
  const char *id, *part, *trace;
  VtrRecordingId recording;
  VtrCaptureNote *self;

  if (size < strlen (MAGIC) || memcmp (data, MAGIC, strlen (MAGIC)) != 0 ||
      (id = take_text (&at, end)) == NULL || !vtr_recording_id_parse (id, &recording) ||
      (part = take_text (&at, end)) == NULL || !g_path_is_absolute (part) ||
      (trace = take_text (&at, end)) == NULL || !g_path_is_absolute (trace))
    return NULL;
  self = g_new0 (VtrCaptureNote, 1);
  self->id = recording;
  self->part = g_strdup (part);
  self->trace = g_strdup (trace);
  return self;
}

static char *
get_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "vitrine", "recordings", NULL);
}

static char *
get_entry_path (const VtrRecordingId *id)
{
  g_autofree char *folder = get_folder ();
  char text[VTR_RECORDING_ID_TEXT];

  vtr_recording_id_print (id, text);
  return g_build_filename (folder, text, NULL);
}

void
vtr_capture_journal_set (const VtrRecordingId *id,
                         const char           *part,
                         const char           *trace)
{
  g_autoptr (GBytes) bytes = vtr_capture_note_to_bytes (id, part, trace);
  g_autofree char *folder = get_folder ();
  g_autofree char *path = get_entry_path (id);
  g_autoptr (GError) error = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  /* A new file takes the place of the old one: one of the two is there after a death. */
  if (g_mkdir_with_parents (folder, 0700) != 0 ||
      !g_file_set_contents_full (path, data, (gssize)size,
                                 G_FILE_SET_CONTENTS_CONSISTENT |
                                   G_FILE_SET_CONTENTS_ONLY_EXISTING,
                                 0600,
                                 &error))
    g_debug ("no entry in the journal: %s", error != NULL ? error->message : folder);
}

void
vtr_capture_journal_remove (const VtrRecordingId *id)
{
  g_autofree char *path = get_entry_path (id);

  g_unlink (path);
}

gint64
vtr_capture_journal_get_age (const VtrRecordingId *id)
{
  g_autofree char *path = get_entry_path (id);
  GStatBuf info;

  return g_lstat (path, &info) == 0 ? g_get_real_time () - info.st_mtime * G_USEC_PER_SEC
                                    : G_MAXINT64;
}

/* g_file_set_contents() makes "NAME.XXXXXX" first, which stays when the program is killed then. */
static void
clean_half (const char *path,
            const char *name)
{
  VtrRecordingId id;
  GStatBuf info;

  if (strlen (name) == VTR_RECORDING_ID_TEXT - 1 + strlen (".XXXXXX") &&
      name[VTR_RECORDING_ID_TEXT - 1] == '.' && vtr_recording_id_parse (name, &id) &&
      g_lstat (path, &info) == 0 && S_ISREG (info.st_mode) &&
      g_get_real_time () / G_USEC_PER_SEC - info.st_mtime > HALF_SECONDS)
    g_unlink (path);
}

GPtrArray *
vtr_capture_journal_list (void)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_capture_note_free);
  g_autofree char *folder = get_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *data = NULL;
      VtrCaptureNote *note;
      VtrRecordingId id;
      GStatBuf info;
      gsize size;

      clean_half (path, name);
      if (strlen (name) != VTR_RECORDING_ID_TEXT - 1 || !vtr_recording_id_parse (name, &id) ||
          g_lstat (path, &info) != 0 || !S_ISREG (info.st_mode) || info.st_size > MOST_BYTES ||
          !g_file_get_contents (path, &data, &size, NULL))
        continue;
      note = vtr_capture_note_parse (data, size);
      if (note != NULL && vtr_recording_id_equal (&note->id, &id))
        g_ptr_array_add (notes, note);
      else
        vtr_capture_note_free (note);
    }
  return notes;
}
