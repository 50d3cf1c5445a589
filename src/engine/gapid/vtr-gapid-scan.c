/* Scans traces of GAPID and AGI, with the descriptors and field names that they carry. */
#include "engine/gapid/vtr-gapid-devices.h"
#include "engine/gapid/vtr-gapid-mapped.h"
#include "engine/gapid/vtr-gapid-message.h"
#include "engine/gapid/vtr-gapid-source.h"

#include "vtr-config.h"

#include "wire/vtr-pack.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* A group that is still open. */
typedef struct
{
  guint64 offset;
  const VtrTraceType *type;
  guint64 thread;
  gboolean called;
  GArray *writes; /* VtrGapidContent: mapped memory that it saw; NULL: none */
  guint64 state;  /* of the initial state: offset of its vulkan.State */
  GArray *parts;  /* of the initial state: VtrGapidPoolPart */
} Group;

typedef struct
{
  VtrTrace *trace;
  VtrGapidFile *file;
  GHashTable *open; /* chunk id → Group */
  VtrGapidMapper *mapper;
  VtrGapidDevices *devices;
  VtrArena arena;
  guint64 header;  /* offset of the last capture.Header */
  guint n_unknown; /* calls that the registry does not have */
  guint n_foreign; /* calls of other interfaces */
  guint n_orphans; /* objects in groups that are not open */
  guint n_damaged; /* objects without a type, or no protobuf */
  guint n_numbers; /* resources that claim another number than is theirs */
} GapidScan;

static void
group_free (gpointer data)
{
  Group *group = data;

  g_clear_pointer (&group->writes, g_array_unref);
  g_clear_pointer (&group->parts, g_array_unref);
  g_free (group);
}

static gboolean
is_protobuf (const VtrPackChunk *chunk)
{
  const guint8 *at = chunk->message, *end = at + chunk->size;
  VtrPackFieldValue field;
  VtrStatus status;

  while ((status = vtr_pack_next_field (&at, end, &field)) == VTR_OK)
    ;
  return status == VTR_CLOSED;
}

/* ---- The header ---- */

static const char *
find_text (VtrTrace           *self,
           const VtrTraceType *type,
           const VtrPackChunk *chunk,
           const char         *path)
{
  const VtrPackField *field;
  VtrPackFieldValue value;

  if (!vtr_gapid_find_path (self->types, type, chunk->message, chunk->size, path, &field, &value) ||
      value.wire != VTR_PACK_WIRE_BYTES)
    return "";
  return vtr_trace_take_string (self,
                                g_utf8_make_valid ((const char *)value.data, (gssize)value.size));
}

static guint64
find_path_number (VtrTrace           *self,
                  const VtrTraceType *type,
                  const VtrPackChunk *chunk,
                  const char         *path)
{
  const VtrPackField *field;
  VtrPackFieldValue value;

  return vtr_gapid_find_path (self->types, type, chunk->message, chunk->size, path, &field, &value)
           ? vtr_gapid_undo_zigzag (field, value.value)
           : 0;
}

/* Calls after it are read in the layout it names. */
static void
take_header (GapidScan          *scan,
             const VtrTraceType *type,
             const VtrPackChunk *chunk,
             guint64             offset)
{
  VtrTrace *self = scan->trace;
  guint64 pointer = find_path_number (self, type, chunk, "ABI/memory_layout/pointer/size");

  scan->header = offset;
  if (pointer == 4)
    self->info.abi = find_path_number (self, type, chunk, "ABI/memory_layout/i64/alignment") == 4
                       ? VTR_ABI_I386
                       : VTR_ABI_ARM32;
  else if (pointer == 8)
    self->info.abi = VTR_ABI_LP64;
}

static void
load_header (GapidScan *scan)
{
  VtrTrace *self = scan->trace;
  const guint8 *at = self->data + scan->header;
  const VtrTraceType *type;
  VtrPackChunk chunk;
  guint64 version;

  self->info.container = "proto-pack";
  self->info.apis = scan->n_foreign > 0 ? "Vulkan, OpenGL ES" : "Vulkan";
  self->info.producer = "GAPID";
  if (scan->header == 0 || vtr_pack_read (&at, self->data + self->size, &chunk) != VTR_OK)
    return;
  type = vtr_trace_types_lookup (self->types, chunk.type);
  version = find_path_number (self, type, &chunk, "version");
  self->info.producer = vtr_trace_take_string (
    self, g_strdup_printf ("%s %" G_GUINT64_FORMAT, version >= 4 ? "AGI" : "GAPID", version));
  self->info.device = find_text (
    self, type, &chunk, "device/configuration/drivers/vulkan/physical_devices/device_name");
  if (*self->info.device == '\0')
    self->info.device = find_text (self, type, &chunk, "device/configuration/hardware/GPU/name");
  self->info.driver = find_text (self, type, &chunk, "device/configuration/drivers/vulkan/version");
  self->info.api_version = (guint32)find_path_number (
    self, type, &chunk, "device/configuration/drivers/vulkan/physical_devices/api_version");
}

/* ---- The initial state ---- */

static gboolean
read_resource (gpointer       data,
               guint64        number,
               VtrArena      *arena,
               const guint8 **bytes,
               gsize         *size)
{
  return vtr_trace_read_resource (data, number, arena, bytes, size);
}

/* The meaning of later observations depends on which memory is mapped. */
static void
follow_memory (GapidScan *scan,
               guint64    index,
               VtrCmdId   id)
{
  VtrCommand command = { .id = id, .index = index };

  if (!vtr_gapid_mapper_wants (id))
    return;
  vtr_arena_reset (&scan->arena);
  if (vtr_gapid_decode (scan->trace, index, &scan->arena, &command, NULL))
    vtr_gapid_mapper_follow (scan->mapper, &command);
}

static void
follow_devices (GapidScan *scan,
                guint64    index,
                VtrCmdId   id)
{
  VtrCommand command = { .id = id, .index = index };

  if (!vtr_gapid_devices_wants (id))
    return;
  vtr_arena_reset (&scan->arena);
  if (vtr_gapid_decode (scan->trace, index, &scan->arena, &command, NULL))
    vtr_gapid_devices_follow (scan->devices, scan->trace, &command);
}

/* Content is there before the first call of the program. */
static void
take_contents (GapidScan   *scan,
               const Group *group)
{
  VtrGapidFile *file = scan->file;
  g_autoptr (GArray) mapped = g_array_new (FALSE, FALSE, sizeof (VtrGapidContent));

  for (guint i = 0; i < file->initial->commands->len; i++)
    follow_memory (scan, i, g_array_index (file->initial->commands, VtrGapidInitialCommand, i).id);
  for (guint i = 0; group->parts != NULL && i < group->parts->len; i++)
    {
      const VtrGapidPoolPart *part = &g_array_index (group->parts, VtrGapidPoolPart, i);

      if (part->pool == 0)
        vtr_gapid_mapper_cut (scan->mapper, part->base, part->size, part->resource, mapped);
    }
  g_array_append_vals (file->initial->contents, mapped->data, mapped->len);
  for (guint i = 0; i < file->initial->contents->len; i++)
    {
      const VtrGapidWrite write = {
        .command = file->initial->commands->len,
        .content = g_array_index (file->initial->contents, VtrGapidContent, i),
      };

      g_array_append_val (file->writes, write);
    }
}

static void
make_initial (GapidScan   *scan,
              const Group *group)
{
  VtrTrace *self = scan->trace;
  VtrGapidFile *file = scan->file;
  const guint8 *at = self->data + group->state;
  const VtrTraceType *type;
  VtrPackChunk chunk;

  /* State in the middle of a trace would be no initial one. */
  if (group->state == 0 || file->initial != NULL || self->tables->ids->len > 0 ||
      vtr_pack_read (&at, self->data + self->size, &chunk) != VTR_OK)
    return;
  type = vtr_trace_types_lookup (self->types, chunk.type);
  file->initial = vtr_gapid_initial_build (
    self->types, type, chunk.message, chunk.size,
    group->parts != NULL ? (const VtrGapidPoolPart *)(gpointer)group->parts->data : NULL,
    group->parts != NULL ? group->parts->len : 0, read_resource, self);
  for (guint i = 0; i < file->initial->commands->len; i++)
    vtr_trace_tables_add_command (
      self->tables, i,
      (guint16)g_array_index (file->initial->commands, VtrGapidInitialCommand, i).id,
      (VtrTraceStream){ 0 }, VTR_COMMAND_FLAG_INITIAL);
  self->n_initial = file->initial->commands->len;
  while (file->initial->devices->len > 0)
    vtr_trace_add_device (self, g_ptr_array_steal_index (file->initial->devices, 0));
  take_contents (scan, group);
}

/* ---- Commands ---- */

static void
begin_group (GapidScan          *scan,
             const VtrPackChunk *chunk,
             guint64             id,
             guint64             offset)
{
  Group *group = g_new0 (Group, 1);
  guint64 *key = g_memdup2 (&id, sizeof id);

  group->offset = offset;
  group->type = vtr_trace_types_lookup (scan->trace->types, chunk->type);
  scan->n_damaged += group->type == NULL || !is_protobuf (chunk);
  if (group->type != NULL && group->type->is_command)
    group->thread = vtr_gapid_find_number (&group->type->type, chunk->message, chunk->size,
                                           "thread");
  g_hash_table_insert (scan->open, key, group);
}

/* A command takes its place in the list when its group ends. */
static void
end_command (GapidScan   *scan,
             const Group *group)
{
  VtrTrace *self = scan->trace;
  guint64 index = self->tables->ids->len;

  vtr_trace_tables_add_command (self->tables, group->offset, (guint16)group->type->command,
                                (VtrTraceStream){ .thread = group->thread },
                                group->called ? 0 : (guint32)VTR_COMMAND_FLAG_NO_RETURN);
  for (guint i = 0; group->writes != NULL && i < group->writes->len; i++)
    {
      const VtrGapidWrite write = { index, g_array_index (group->writes, VtrGapidContent, i) };

      g_array_append_val (scan->file->writes, write);
    }
  if (!group->called)
    return;
  follow_memory (scan, index, group->type->command);
  follow_devices (scan, index, group->type->command);
}

static gboolean
is_foreign (const VtrTraceType *type)
{
  return g_str_has_prefix (type->type.name, "gles.") || g_str_has_prefix (type->type.name, "gvr.");
}

static void
end_group (GapidScan *scan,
           guint64    id)
{
  Group *group = g_hash_table_lookup (scan->open, &id);

  if (group == NULL)
    {
      scan->n_orphans++;
      return;
    }
  if (group->type == NULL)
    ;
  else if (group->type->is_command && vtr_cmd_is_known (group->type->command))
    end_command (scan, group);
  else if (group->type->is_command)
    scan->n_unknown++;
  else if (g_str_equal (group->type->type.name, "capture.GlobalState"))
    make_initial (scan, group);
  else if (is_foreign (group->type))
    scan->n_foreign++;
  g_hash_table_remove (scan->open, &id);
}

static gint
compare_groups (gconstpointer a,
                gconstpointer b)
{
  guint64 left = *(const guint64 *)a, right = *(const guint64 *)b;

  return left < right ? -1 : left > right;
}

/* Commands that were not ended because the file is cut, in the order of their beginning. */
static void
end_open_groups (GapidScan *scan)
{
  g_autoptr (GList) keys = g_list_sort (g_hash_table_get_keys (scan->open), compare_groups);

  for (GList *l = keys; l != NULL; l = l->next)
    end_group (scan, *(guint64 *)l->data);
}

/* ---- Leaves ---- */

static void
take_observation (GapidScan          *scan,
                  Group              *group,
                  const VtrTraceType *type,
                  const VtrPackChunk *chunk)
{
  const VtrGapidPoolPart part = {
    .pool =
      (guint32)vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "pool"),
    .base = vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "base"),
    .size = vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "size"),
    .resource = vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "res_index"),
  };

  scan->trace->tables->n_observations++;
  if (part.resource > scan->trace->resources->len)
    scan->n_damaged++;
  if (group == NULL || group->type == NULL)
    return;
  if (g_str_equal (group->type->type.name, "capture.GlobalState"))
    {
      if (group->parts == NULL)
        group->parts = g_array_new (FALSE, FALSE, sizeof (VtrGapidPoolPart));
      g_array_append_val (group->parts, part);
    }
  else if (group->type->is_command && !group->called && part.pool == 0)
    {
      if (group->writes == NULL)
        group->writes = g_array_new (FALSE, FALSE, sizeof (VtrGapidContent));
      vtr_gapid_mapper_cut (scan->mapper, part.base, part.size, part.resource, group->writes);
    }
}

static void
take_resource (GapidScan          *scan,
               const VtrTraceType *type,
               const VtrPackChunk *chunk,
               guint64             offset)
{
  guint64 claimed = vtr_gapid_find_number (&type->type, chunk->message, chunk->size, "index");

  g_array_append_val (scan->trace->resources, offset);
  scan->n_numbers += claimed != 0 && claimed != scan->trace->resources->len;
}

static void
take_leaf (GapidScan          *scan,
           const VtrPackChunk *chunk,
           guint64             id,
           guint64             offset)
{
  const VtrTraceType *type = vtr_trace_types_lookup (scan->trace->types, chunk->type);
  guint64 parent = id + (guint64)chunk->parent;
  Group *group = chunk->parent < 0 ? g_hash_table_lookup (scan->open, &parent) : NULL;

  scan->n_damaged += type == NULL || !is_protobuf (chunk);
  if (type == NULL)
    return;
  if (chunk->parent < 0 && group == NULL)
    scan->n_orphans++;
  else if (type->is_call && group != NULL)
    group->called = TRUE;
  else if (g_str_equal (type->type.name, "memory.Observation"))
    take_observation (scan, group, type, chunk);
  else if (g_str_equal (type->type.name, "capture.Resource"))
    take_resource (scan, type, chunk, offset);
  else if (g_str_equal (type->type.name, "capture.Header"))
    take_header (scan, type, chunk, offset);
  else if (group != NULL && g_str_equal (type->type.name, "vulkan.State"))
    group->state = offset;
  else if (group != NULL)
    vtr_gapid_devices_take_extra (scan->devices, scan->trace->types, type, chunk->message,
                                  chunk->size);
}

/* ---- Sentences ---- */

static void
add_sentence (GString *text,
              char    *sentence)
{
  if (text->len > 0)
    g_string_append_c (text, ' ');
  g_string_append (text, sentence);
  g_free (sentence);
}

static void
warn (GapidScan *scan,
      guint64    end)
{
  VtrTrace *self = scan->trace;
  const VtrGapidInitial *initial = scan->file->initial;
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_lost = scan->n_orphans + scan->n_damaged;

  if (self->info.truncated)
    {
      g_autofree char *at = g_strdup_printf ("%" G_GUINT64_FORMAT, end);
      g_autofree char *size = g_strdup_printf ("%" G_GSIZE_FORMAT, self->size);

      add_sentence (text, g_strdup_printf (_ ("The trace ends early, at byte %s of %s; everything "
                                              "before that is shown."),
                                           at, size));
    }
  if (n_lost > 0)
    add_sentence (text, g_strdup_printf (ngettext ("%u part of the trace is damaged.",
                                                   "%u parts of the trace are damaged.", n_lost),
                                         n_lost));
  if (scan->n_numbers > 0)
    add_sentence (text, g_strdup (_ ("The numbers of resources are wrong; Vitrine uses their "
                                     "order instead.")));
  if (scan->n_foreign > 0)
    add_sentence (text, g_strdup_printf (
                          ngettext ("%u call of OpenGL ES is not shown: only Vulkan is read.",
                                    "%u calls of OpenGL ES are not shown: only Vulkan is read.",
                                    scan->n_foreign),
                          scan->n_foreign));
  if (scan->n_unknown > 0)
    add_sentence (text,
                  g_strdup_printf (
                    ngettext ("%u call is not shown: this version of Vitrine does not know it.",
                              "%u calls are not shown: this version of Vitrine does not know them.",
                              scan->n_unknown),
                    scan->n_unknown));
  if (initial != NULL && initial->warning != NULL)
    add_sentence (text, g_strdup (initial->warning));
  if (text->len > 0)
    self->warning = g_strdup (text->str);
}

/* ---- All of it ---- */

static gboolean
scan_chunks (GapidScan         *scan,
             VtrTraceProgress   progress,
             gpointer           progress_data,
             GCancellable      *cancellable,
             guint64           *stopped,
             GError           **error)
{
  VtrTrace *self = scan->trace;
  const guint8 *at = self->data + VTR_PACK_HEADER_SIZE, *end = self->data + self->size;
  VtrPackChunk chunk;

  for (guint64 id = 0;; id++)
    {
      guint64 offset = (guint64)(at - self->data);

      *stopped = offset;
      if (id % 1024 == 0)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          if (progress != NULL)
            progress (offset, self->size, progress_data);
        }
      if (vtr_pack_read (&at, end, &chunk) != VTR_OK)
        return TRUE;
      switch (chunk.kind)
        {
        case VTR_PACK_TYPE:
          vtr_trace_types_add (self->types, chunk.name, chunk.name_size, chunk.message, chunk.size);
          break;
        case VTR_PACK_OBJECT:
          take_leaf (scan, &chunk, id, offset);
          break;
        case VTR_PACK_GROUP:
          begin_group (scan, &chunk, id, offset);
          break;
        case VTR_PACK_END:
        default:
          if (chunk.parent < 0)
            end_group (scan, id + (guint64)chunk.parent);
          break;
        }
    }
}

gboolean
vtr_gapid_open (VtrTrace          *self,
                VtrTraceProgress   progress,
                gpointer           progress_data,
                GCancellable      *cancellable,
                GError           **error)
{
  g_autoptr (GHashTable) open =
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, group_free);
  g_autoptr (VtrGapidMapper) mapper = vtr_gapid_mapper_new ();
  g_autoptr (VtrGapidDevices) devices = vtr_gapid_devices_new ();
  GapidScan scan = {
    .trace = self,
    .file = g_new0 (VtrGapidFile, 1),
    .open = open,
    .mapper = mapper,
    .devices = devices,
  };
  guint64 stopped;
  gboolean done;

  self->types = vtr_trace_types_new ();
  self->tables = vtr_trace_tables_new ();
  self->resources = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->source_data = scan.file;
  scan.file->writes = g_array_new (FALSE, FALSE, sizeof (VtrGapidWrite));
  vtr_arena_init (&scan.arena);
  done = scan_chunks (&scan, progress, progress_data, cancellable, &stopped, error);
  if (done)
    {
      self->info.truncated = stopped < self->size || g_hash_table_size (open) > 0;
      end_open_groups (&scan);
      self->tables->n_resources = self->resources->len;
      load_header (&scan);
      warn (&scan, stopped);
    }
  vtr_arena_finish (&scan.arena);
  if (done && scan.header == 0)
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_EMPTY,
                   _ ("“%s” is empty: the program exited before its recording began."),
                   self->path);
      return FALSE;
    }
  return done;
}
