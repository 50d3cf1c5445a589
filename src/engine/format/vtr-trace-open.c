/* Opens traces of every kind. */
#include "engine/api/vtr-api.h"
#include "engine/format/vtr-file-version.h"
#include "engine/format/vtr-trace-private.h"

#include "base/vtr-map-guard.h"
#include "vtr-config.h"

#include "wire/vtr-pack.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vtr-number.h"

/* Of the index and the header before it, the most per command; the picture in the header counts for
 * some. */
#define INDEX_BYTES 64

G_DEFINE_QUARK (vtr - trace - error - quark, vtr_trace_error)

/* ---- The file ---- */

static void
set_errno (GError     **error,
           const char  *path,
           int          code)
{
  if (code == ENOENT)
    g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE, _ ("“%s” does not exist."), path);
  else if (code == EACCES || code == EPERM)
    g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE,
                 _ ("You do not have permission to read “%s”."), path);
  else
    g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE, _ ("“%s” cannot be read: %s."), path,
                 g_strerror (code));
}

static gboolean
map_file (VtrTrace  *self,
          GError   **error)
{
  /* Without O_NONBLOCK a FIFO would hang here. */
  int fd = open (self->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  gboolean good = FALSE;

  if (fd < 0 || fstat (fd, &info) != 0)
    {
      set_errno (error, self->path, errno);
      if (fd >= 0)
        close (fd);
      return FALSE;
    }
  if (S_ISDIR (info.st_mode))
    g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE, _ ("“%s” is a folder, not a trace."),
                 self->path);
  else if (!S_ISREG (info.st_mode))
    g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FILE,
                 _ ("“%s” is not an ordinary file."), self->path);
  else if (info.st_size == 0)
    g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_EMPTY, _ ("“%s” is empty."), self->path);
  else
    {
      self->version = vtr_file_version_from_stat (&info);
      self->file = g_mapped_file_new_from_fd (fd, FALSE, error);
      good = self->file != NULL;
    }
  close (fd);
  if (!good)
    return FALSE;
  self->data = (const guint8 *)g_mapped_file_get_contents (self->file);
  self->size = g_mapped_file_get_length (self->file);
  self->guard = vtr_map_guard_add (self->data, self->size);
  self->info.bytes = self->size;
  return TRUE;
}

/* ---- Vitrine files ---- */

static gboolean
check_version (VtrTrace  *self,
               GError   **error)
{
  VtrTraceHead head;

  memcpy (&head, self->data, sizeof head);
  if (head.version >= VTR_TRACE_OLDEST_VERSION && head.version <= VTR_TRACE_VERSION)
    return TRUE;
  g_set_error (
    error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_VERSION,
    _ (
      "“%s” has version %u of the trace format, but this version of Vitrine reads version "
      "%d. Try a newer version of Vitrine."),
    self->path, head.version, VTR_TRACE_VERSION);
  return FALSE;
}

/* Where the note of the index frame is. Returns: 0 when the file has no sound end. */
static guint64
find_index (VtrTrace *self)
{
  guint32 n, magic, size, entry[2];
  guint64 table;

  if (self->size <
      sizeof (VtrTraceHead) + sizeof (VtrTraceNoteFrame) + VTR_TRACE_SEEK_FOOTER_SIZE + 8)
    return 0;
  memcpy (&magic, self->data + self->size - 4, 4);
  memcpy (&n, self->data + self->size - VTR_TRACE_SEEK_FOOTER_SIZE, 4);
  if (magic != VTR_TRACE_SEEK_FOOTER || n < 2 ||
      (guint64)n * 8 + VTR_TRACE_SEEK_FOOTER_SIZE + 8 > self->size)
    return 0;
  table = self->size - ((guint64)n * 8 + VTR_TRACE_SEEK_FOOTER_SIZE + 8);
  memcpy (&magic, self->data + table, 4);
  memcpy (&size, self->data + table + 4, 4);
  memcpy (entry, self->data + table + 8 + (guint64)(n - 1) * 8, 8);
  if (magic != VTR_TRACE_SEEK_MAGIC || size != n * 8 + VTR_TRACE_SEEK_FOOTER_SIZE ||
      (guint64)entry[0] + sizeof (VtrTraceNoteFrame) > table)
    return 0;
  return table - entry[0] - sizeof (VtrTraceNoteFrame);
}

/* Reads the definitions that stand between the commands of an indexed file. */
static gboolean
load_more_definitions (VtrTrace     *self,
                       VtrTraceScan *scan)
{
  const GArray *frames = self->tables->frames;
  guint64 end = 0;

  for (guint i = 1; i < frames->len; i++)
    {
      const VtrTraceFrame *frame = &g_array_index (frames, VtrTraceFrame, i);

      if (frame->note.kind != VTR_TRACE_FRAME_DEFINITIONS)
        continue;
      /* Listed twice, they would be decompressed as often. */
      if (frame->offset < end || !vtr_trace_scan_more_definitions (scan, self->data, frame))
        return FALSE;
      end = frame->offset + frame->note.compressed_size;
    }
  return TRUE;
}

/* Reads the index if there is one that holds. */
static gboolean
load_index (VtrTrace     *self,
            VtrTraceScan *scan)
{
  guint64 at = find_index (self);
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *raw;
  VtrPackChunk chunk;
  VtrTraceFrame frame;
  const guint n_types = vtr_trace_types_get_n (scan->types);
  gboolean whole;
  gsize size;
  const VtrTraceType *type;

  if (at == 0 || !vtr_trace_scan_note (self->data, self->size, at, &frame) ||
      frame.note.kind != VTR_TRACE_FRAME_INDEX ||
      frame.note.compressed_size > self->size - frame.offset ||
      frame.note.raw_size > INDEX_BYTES * vtr_trace_tables_get_limit (self->size))
    return FALSE;
  bytes = vtr_trace_decompress (self->data + frame.offset, frame.note.compressed_size,
                                frame.note.raw_size, &whole);
  if (bytes == NULL || !whole)
    return FALSE;
  raw = g_bytes_get_data (bytes, &size);
  if (vtr_pack_read (&raw, raw + size, &chunk) != VTR_OK || chunk.kind != VTR_PACK_OBJECT)
    return FALSE;
  type = vtr_trace_types_lookup (scan->types, chunk.type);
  if (type == NULL || type->object != VTR_OBJECT_INDEX)
    return FALSE;
  self->tables = vtr_trace_tables_decode (chunk.message, chunk.size, self->size);
  if (self->tables == NULL)
    return FALSE;
  if (load_more_definitions (self, scan) && vtr_trace_tables_translate (self->tables, scan->types))
    return TRUE;
  g_clear_pointer (&self->tables, vtr_trace_tables_free);
  vtr_trace_types_truncate (scan->types, n_types);
  return FALSE;
}

/* Puts @sentence in front of what there is to say. */
static void
take_warning (VtrTrace *self,
              char     *sentence)
{
  g_autofree char *before = g_steal_pointer (&self->warning);
  g_autofree char *taken = sentence;

  self->warning =
    before == NULL ? g_steal_pointer (&taken) : g_strdup_printf ("%s %s", taken, before);
}

/* Says which APIs this build lacks, and what cannot be had of their calls. */
static void
warn_missing (VtrTrace *self)
{
  g_autofree char *names = g_strjoinv (", ", (char **)self->info.missing);

  take_warning (
    self,
    g_strdup_printf (
      _ ("The trace has calls of an API that this version of Vitrine does not know (%s). They are "
         "listed with the arguments that were recorded, but have no state and no pictures, and the "
         "trace cannot be replayed as a whole."),
      names));
}

/* Says which APIs this build can only list. */
static void
warn_listed (VtrTrace *self)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->state == NULL &&
        memchr (&self->found[vtr_api_models[i].first_id], TRUE, vtr_api_models[i].n_commands) !=
          NULL)
      {
        g_autofree char *name = g_ascii_strup (vtr_api_models[i].name, -1);

        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
      }
  if (names->len > 0)
    take_warning (
      self, g_strdup_printf (
              _ ("This version of Vitrine only lists the calls of %s: they have no state and no "
                 "pictures, and the trace cannot be replayed as a whole."),
              names->str));
}

/* Why a trace ends before the first call of @name, "API.NAME", which may be any bytes. */
static char *
explain_unknown (const char *name)
{
  g_autofree char *command = g_utf8_make_valid (name, -1);
  const char *point = strchr (command, '.');
  g_autofree char *api = g_strndup (command, point != NULL ? (gsize)(point - command) : 0);

  if (vtr_api_from_name (api) == NULL)
    return g_strdup_printf (
      _ ("The trace has calls of an API that this version of Vitrine does not know (%s). Only the "
         "calls before the first of them, “%s”, are shown."),
      api, command);
  return g_strdup_printf (
    _ ("The trace was recorded by a newer version of Vitrine. Only the calls before the first call "
       "of “%s”, which this version does not know, are shown."),
    command);
}

static void
warn_truncated (VtrTrace           *self,
                const VtrTraceScan *scan)
{
  self->info.truncated = self->cut = TRUE;
  self->warning = g_strdup_printf (
    ngettext (
      "The trace ends early, at byte %s of %s: the program or the computer stopped while it was "
      "recorded. %u call was recovered.",
      "The trace ends early, at byte %s of %s: the program or the computer stopped while it was "
      "recorded. %u calls were recovered.",
      self->tables->ids->len),
    VTR_NUMBER (scan->end), VTR_NUMBER ((guint64)self->size), self->tables->ids->len);
}

static gboolean
open_vitrine (VtrTrace          *self,
              VtrTraceProgress   progress,
              gpointer           progress_data,
              GCancellable      *cancellable,
              GError           **error)
{
  g_autoptr (VtrTraceScan) scan = vtr_trace_scan_new ();
  VtrTraceFrame first;
  gboolean indexed;

  self->framed = TRUE;
  if (!check_version (self, error))
    return FALSE;
  if (vtr_trace_scan_note (self->data, self->size, vtr_trace_head_size (self->data), &first) &&
      first.note.compressed_size <= self->size - first.offset)
    g_array_append_val (scan->tables->frames, first);
  if (!vtr_trace_scan_definitions (scan, self->data, error))
    return FALSE;

  indexed = load_index (self, scan);
  if (!indexed)
    {
      g_array_set_size (scan->tables->frames, 0);
      vtr_trace_scan_notes (scan, self->data, self->size);
      if (!vtr_trace_scan_objects (scan, self->data, progress, progress_data, cancellable, error))
        return FALSE;
      self->tables = g_steal_pointer (&scan->tables);
    }
  self->types = g_steal_pointer (&scan->types);
  self->cache = vtr_trace_frame_cache_new (
    self->data, (const VtrTraceFrame *)(void *)self->tables->frames->data,
    self->tables->frames->len);
  if (!indexed && scan->unknown_command != NULL)
    self->warning = explain_unknown (scan->unknown_command);
  else if (!indexed && !scan->complete)
    warn_truncated (self, scan);
  vtr_trace_load_info (self);
  return TRUE;
}

/* ---- Plain proto-pack ---- */

static gboolean
open_plain (VtrTrace *self)
{
  g_autoptr (VtrTraceScan) scan = vtr_trace_scan_new ();
  gsize walked;

  walked = vtr_trace_scan_chunks (scan, self->data + VTR_PACK_HEADER_SIZE,
                                  self->size - VTR_PACK_HEADER_SIZE, VTR_PACK_HEADER_SIZE);
  scan->end = VTR_PACK_HEADER_SIZE + walked;
  vtr_trace_tables_complete (scan->tables);
  self->tables = g_steal_pointer (&scan->tables);
  self->types = g_steal_pointer (&scan->types);
  self->resources = g_steal_pointer (&scan->resources);
  if (scan->end < self->size)
    warn_truncated (self, scan);
  vtr_trace_load_info (self);
  return TRUE;
}

/* Whether the stream is ours: the first definition is vitrine.Header. */
static gboolean
is_plain_vitrine (VtrTrace *self)
{
  unsigned major, minor;
  const guint8 *at;
  VtrPackChunk chunk;

  if (vtr_pack_sniff (self->data, self->size, &major, &minor) != VTR_PACK_MAGIC_2)
    return FALSE;
  at = self->data + VTR_PACK_HEADER_SIZE;
  return vtr_pack_read (&at, self->data + self->size, &chunk) == VTR_OK &&
         chunk.kind == VTR_PACK_TYPE &&
         vtr_trace_object_from_name (chunk.name, chunk.name_size) == VTR_OBJECT_HEADER;
}

/* ---- Any file ---- */

static const VtrTraceSource *
find_source (VtrTrace *self)
{
  for (guint i = 0; vtr_trace_sources[i] != NULL; i++)
    if (vtr_trace_sources[i]->matches (self->data, self->size))
      return vtr_trace_sources[i];
  return NULL;
}

/* Says why nothing here reads the file. Returns: FALSE. */
static gboolean
set_unreadable (VtrTrace  *self,
                GError   **error)
{
  unsigned major = 0, minor = 0;

  switch (vtr_pack_sniff (self->data, self->size, &major, &minor))
    {
    case VTR_PACK_MAGIC_OLD:
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_VERSION,
                   _ ("“%s” is a trace of version %u.%u, made before November 2017. "
                      "Only version 2 can be read."),
                   self->path, major, minor);
      return FALSE;
    case VTR_PACK_MAGIC_NEW:
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_VERSION,
                   _ ("“%s” is a trace of version %u.%u, which is newer than this version of "
                      "Vitrine. Only version 2 can be read."),
                   self->path, major, minor);
      return FALSE;
    case VTR_PACK_MAGIC_2:
    case VTR_PACK_MAGIC_NONE:
    default:
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_FOREIGN,
                   _ ("“%s” is not a trace that Vitrine, GAPID or AGI recorded."), self->path);
      return FALSE;
    }
}

static gboolean
load (VtrTrace          *self,
      VtrTraceProgress   progress,
      gpointer           progress_data,
      GCancellable      *cancellable,
      GError           **error)
{
  if (!map_file (self, error))
    return FALSE;
  if (vtr_trace_is_vitrine (self->data, self->size))
    return open_vitrine (self, progress, progress_data, cancellable, error);
  if (is_plain_vitrine (self))
    return open_plain (self);
  self->source = find_source (self);
  if (self->source == NULL)
    return set_unreadable (self, error);
  return self->source->open (self, progress, progress_data, cancellable, error);
}

/* A trace that has only initial commands, because recording ended right after them, shows them
 * as its commands. */
static void
count_initial (VtrTrace *self)
{
  const guint16 *flags = (const guint16 *)(void *)self->tables->flags->data;
  guint64 n = 0;

  while (n < self->tables->flags->len && (flags[n] & VTR_COMMAND_FLAG_INITIAL) != 0)
    n++;
  self->n_initial = n < self->tables->flags->len ? n : 0;
}

/* A frame ends with a present. What is left at the end is a part of its own if it gives a queue
 * work, and belongs to the last frame otherwise. A trace without a present is one frame. */
static void
find_frames (VtrTrace *self)
{
  const guint16 *ids = (const guint16 *)(void *)self->tables->ids->data;
  guint64 n = self->tables->ids->len, last;
  gboolean works = FALSE;

  self->frame_ends = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (guint64 i = self->n_initial; i < n; i++)
    if (vtr_cmd_is (ids[i], VTR_CLASS_FRAME_END))
      {
        g_array_append_val (self->frame_ends, i);
        self->end_of_frames = i;
        works = FALSE;
      }
    else if (vtr_cmd_is (ids[i], VTR_CLASS_SUBMIT))
      works = TRUE;
  if (n == 0)
    return;
  last = n - 1;
  if (self->frame_ends->len == 0)
    self->end_of_frames = last;
  self->has_rest = works && self->frame_ends->len > 0;
  if (self->has_rest || self->frame_ends->len == 0)
    g_array_append_val (self->frame_ends, last);
  else
    g_array_index (self->frame_ends, guint64, self->frame_ends->len - 1) = last;
}

/* Names that mean different objects in different commands. */
static gboolean
find_names (VtrTrace          *self,
            VtrTraceProgress   progress,
            gpointer           progress_data,
            GCancellable      *cancellable,
            GError           **error)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    {
      const VtrReadApi *read = vtr_apis[i]->read;
      gboolean found = FALSE;

      if (read == NULL || read->find_names == NULL)
        continue;
      if (!read->find_names (self->api_data[i], self, progress, progress_data, cancellable, &found,
                             error))
        return FALSE;
      self->completes |= found;
    }
  return TRUE;
}

VtrTrace *
vtr_trace_open (const char        *path,
                VtrTraceProgress   progress,
                gpointer           progress_data,
                GCancellable      *cancellable,
                GError           **error)
{
  static const char *const none[] = { NULL };
  g_autoptr (VtrTrace) self = g_new0 (VtrTrace, 1);

  g_return_val_if_fail (path != NULL, NULL);

  g_atomic_ref_count_init (&self->refs);
  self->path = g_strdup (path);
  self->strings = g_ptr_array_new_with_free_func (g_free);
  self->namespaces = g_ptr_array_new_with_free_func (g_free);
  self->info.producer = self->info.container = self->info.apis = self->info.application = "";
  self->info.command_line = self->info.device = self->info.driver = "";
  self->info.missing = none;
  self->info.abi = VTR_ABI_LP64;
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->read != NULL && vtr_apis[i]->read->data_new != NULL)
      self->api_data[i] = vtr_apis[i]->read->data_new ();
  if (!load (self, progress, progress_data, cancellable, error))
    return NULL;
  /* All of its calls are of an API, or a version of one, that this build does not have. */
  if (self->tables->ids->len == 0 && self->warning != NULL && !self->info.truncated)
    {
      g_set_error_literal (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_VERSION, self->warning);
      return NULL;
    }
  if (self->tables->ids->len == 0)
    {
      g_set_error (
        error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_EMPTY,
        self->info.truncated
          ? _ ("“%s” is truncated and contains no readable calls.")
          : _ ("“%s” contains no calls: the program ended before it used the graphics API."),
        path);
      return NULL;
    }
  if (self->info.missing[0] != NULL)
    warn_missing (self);
  count_initial (self);
  if (self->found == NULL)
    vtr_trace_find_commands (self);
  warn_listed (self);
  find_frames (self);
  if (!find_names (self, progress, progress_data, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

VtrTrace *
vtr_trace_ref (VtrTrace *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
vtr_trace_unref (VtrTrace *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->cache, vtr_trace_frame_cache_free);
  g_clear_pointer (&self->types, vtr_trace_types_free);
  g_clear_pointer (&self->tables, vtr_trace_tables_free);
  g_clear_pointer (&self->resources, g_array_unref);
  g_clear_pointer (&self->frame_ends, g_array_unref);
  g_clear_pointer (&self->found, g_free);
  g_clear_pointer (&self->header, g_bytes_unref);
  g_clear_pointer (&self->strings, g_ptr_array_unref);
  for (guint i = 0; i < G_N_ELEMENTS (self->lists); i++)
    g_clear_pointer (&self->lists[i], g_ptr_array_unref);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (self->api_data[i] != NULL)
      vtr_apis[i]->read->data_free (self->api_data[i]);
  g_clear_pointer (&self->namespaces, g_ptr_array_unref);
  g_free (self->by_stream);
  if (self->source_data != NULL)
    self->source->free (self->source_data);
  if (self->file != NULL)
    vtr_map_guard_remove (self->guard);
  g_clear_pointer (&self->file, g_mapped_file_unref);
  g_free (self->warning);
  g_free (self->version);
  g_free (self->path);
  g_free (self);
}
