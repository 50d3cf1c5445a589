/* Traces of GAPID and AGI: read by the descriptors and field names they carry. */
#include "engine/format/vtr-trace-private.h"

#include "vtr-config.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-pack.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- Values by name ---- */

/* The number that a field of @type has on the wire as @value: zigzag undone. */
static guint64
get_number (const VtrPackField *type,
            guint64             value)
{
  if (type->type == VTR_PACK_SINT32 || type->type == VTR_PACK_SINT64)
    return (guint64)vtr_zigzag_decode (value);
  return value;
}

/* The last value of the field called @name in a message. */
static gboolean
find_field (const VtrPackType   *type,
            const guint8        *message,
            gsize                size,
            const char          *name,
            const VtrPackField **field,
            VtrPackFieldValue   *out)
{
  const guint8 *at = message, *end = message + size;
  VtrPackFieldValue value;
  gboolean found = FALSE;

  *field = vtr_pack_type_find (type, name);
  if (*field == NULL)
    return FALSE;
  while (vtr_pack_next_field (&at, end, &value) == VTR_OK)
    if (value.number == (*field)->number)
      {
        *out = value;
        found = TRUE;
      }
  return found;
}

static guint64
find_number (const VtrPackType *type,
             const guint8      *message,
             gsize              size,
             const char        *name)
{
  const VtrPackField *field;
  VtrPackFieldValue value;

  return find_field (type, message, size, name, &field, &value) ? get_number (field, value.value)
                                                                : 0;
}

/* Follows "configuration/drivers/vulkan" through messages. */
static gboolean
find_path (VtrTrace            *self,
           const VtrTraceType  *type,
           const guint8        *message,
           gsize                size,
           const char          *path,
           const VtrPackField **field,
           VtrPackFieldValue   *out)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);

  for (guint i = 0; names[i] != NULL; i++)
    {
      if (type == NULL || !find_field (&type->type, message, size, names[i], field, out))
        return FALSE;
      if (names[i + 1] == NULL)
        return TRUE;
      if ((*field)->type_name == NULL || (*field)->type_name[0] != '.' ||
          out->wire != VTR_PACK_WIRE_BYTES)
        return FALSE;
      type = vtr_trace_types_find (self->types, (*field)->type_name + 1);
      message = out->data;
      size = out->size;
    }
  return FALSE;
}

static const char *
find_text (VtrTrace           *self,
           const VtrTraceType *type,
           const VtrPackChunk *chunk,
           const char         *path)
{
  const VtrPackField *field;
  VtrPackFieldValue value;

  if (!find_path (self, type, chunk->message, chunk->size, path, &field, &value) ||
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

  return find_path (self, type, chunk->message, chunk->size, path, &field, &value)
           ? get_number (field, value.value)
           : 0;
}

/* ---- Scanning ---- */

/* A group that is still open. */
typedef struct
{
  guint64 offset;
  const VtrTraceType *type;
  guint64 thread;
  gboolean called;
} Group;

typedef struct
{
  VtrTrace *trace;
  GHashTable *open; /* chunk id → Group */
  guint64 header;   /* offset of the last capture.Header */
  guint n_unknown;  /* calls that the registry does not have */
  guint n_foreign;  /* calls of other interfaces */
} GapidScan;

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
  if (group->type != NULL && group->type->is_command)
    group->thread = find_number (&group->type->type, chunk->message, chunk->size, "thread");
  g_hash_table_insert (scan->open, key, group);
}

/* A command takes its place in the list when its group ends. */
static void
end_group (GapidScan *scan,
           guint64    id)
{
  Group *group = g_hash_table_lookup (scan->open, &id);

  if (group == NULL)
    return;
  if (group->type != NULL && group->type->is_command && group->type->command != VTR_CMD_NONE)
    vtr_trace_tables_add_command (scan->trace->tables, group->offset, (guint16)group->type->command,
                                  group->thread,
                                  group->called ? 0 : (guint32)VTR_COMMAND_FLAG_NO_RETURN);
  else if (group->type != NULL && group->type->is_command)
    scan->n_unknown++;
  else if (group->type != NULL && (g_str_has_prefix (group->type->type.name, "gles.") ||
                                   g_str_has_prefix (group->type->type.name, "gvr.")))
    scan->n_foreign++;
  g_hash_table_remove (scan->open, &id);
}

static void
take_leaf (GapidScan          *scan,
           const VtrPackChunk *chunk,
           guint64             id,
           guint64             offset)
{
  VtrTrace *self = scan->trace;
  const VtrTraceType *type = vtr_trace_types_lookup (self->types, chunk->type);

  if (type == NULL)
    return;
  if (type->is_call)
    {
      guint64 parent = id + (guint64)chunk->parent;
      Group *group = chunk->parent < 0 ? g_hash_table_lookup (scan->open, &parent) : NULL;

      if (group != NULL)
        group->called = TRUE;
    }
  else if (g_str_equal (type->type.name, "memory.Observation"))
    self->tables->n_observations++;
  else if (g_str_equal (type->type.name, "capture.Resource"))
    g_array_append_val (self->resources, offset);
  else if (g_str_equal (type->type.name, "capture.Header"))
    scan->header = offset;
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

static void
load_header (GapidScan *scan)
{
  VtrTrace *self = scan->trace;
  const guint8 *at = self->data + scan->header;
  guint64 version, pointer;
  const VtrTraceType *type;
  VtrPackChunk chunk;

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
  pointer = find_path_number (self, type, &chunk, "ABI/memory_layout/pointer/size");
  if (pointer == 4)
    self->info.abi = find_path_number (self, type, &chunk, "ABI/memory_layout/i64/alignment") == 4
                       ? VTR_ABI_I386
                       : VTR_ABI_ARM32;
}

static void
warn (GapidScan *scan,
      guint64    end)
{
  VtrTrace *self = scan->trace;

  if (self->info.truncated)
    self->warning =
      g_strdup_printf (_ ("The trace ends early, at byte %" G_GUINT64_FORMAT
                          " of %" G_GUINT64_FORMAT "; everything before that is shown."),
                       end, (guint64)self->size);
  else if (scan->n_foreign > 0)
    self->warning = g_strdup_printf (
      ngettext ("%u call of OpenGL ES is not shown: only Vulkan is read.",
                "%u calls of OpenGL ES are not shown: only Vulkan is read.", scan->n_foreign),
      scan->n_foreign);
  else if (scan->n_unknown > 0)
    self->warning = g_strdup_printf (
      ngettext ("%u call is not shown: this Vitrine does not know it.",
                "%u calls are not shown: this Vitrine does not know them.", scan->n_unknown),
      scan->n_unknown);
}

gboolean
vtr_trace_gapid_scan (VtrTrace          *self,
                      VtrTraceProgress   progress,
                      gpointer           progress_data,
                      GCancellable      *cancellable,
                      GError           **error)
{
  g_autoptr (GHashTable) open = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  GapidScan scan = { .trace = self, .open = open };
  const guint8 *at = self->data + VTR_PACK_HEADER_SIZE, *end = self->data + self->size;
  VtrPackChunk chunk;
  guint64 id = 0;

  self->types = vtr_trace_types_new ();
  self->tables = vtr_trace_tables_new ();
  self->resources = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (;; id++)
    {
      guint64 offset = (guint64)(at - self->data);

      if (id % 1024 == 0)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          if (progress != NULL)
            progress (offset, self->size, progress_data);
        }
      if (vtr_pack_read (&at, end, &chunk) != VTR_OK)
        break;
      switch (chunk.kind)
        {
        case VTR_PACK_TYPE:
          vtr_trace_types_add (self->types, chunk.name, chunk.name_size, chunk.message, chunk.size);
          break;
        case VTR_PACK_OBJECT:
          take_leaf (&scan, &chunk, id, offset);
          break;
        case VTR_PACK_GROUP:
          begin_group (&scan, &chunk, id, offset);
          break;
        case VTR_PACK_END:
        default:
          if (chunk.parent < 0)
            end_group (&scan, id + (guint64)chunk.parent);
          break;
        }
    }
  self->info.truncated = at < end || g_hash_table_size (open) > 0;
  end_open_groups (&scan);
  self->tables->n_resources = self->resources->len;
  load_header (&scan);
  warn (&scan, (guint64)(at - self->data));
  return TRUE;
}

/* ---- Decoding ---- */

typedef struct
{
  VtrTrace *trace;
  VtrArena *arena;
  GArray *observations; /* VtrObservation */
  gboolean called;
  gboolean has_result;
  guint64 result;
} GapidCommand;

static void
take_observation (GapidCommand       *command,
                  const VtrTraceType *type,
                  const VtrPackChunk *chunk)
{
  VtrObservation observation = { .write = command->called };
  gsize size = 0;

  /* Other pools hold what GAPID keeps apart from the memory of the application. */
  if (find_number (&type->type, chunk->message, chunk->size, "pool") != 0)
    return;
  observation.base = find_number (&type->type, chunk->message, chunk->size, "base");
  observation.size = find_number (&type->type, chunk->message, chunk->size, "size");
  observation.resource = find_number (&type->type, chunk->message, chunk->size, "res_index");
  if (!vtr_trace_read_resource (command->trace, observation.resource, command->arena,
                                &observation.data, &size))
    observation.data = NULL;
  observation.size = MIN (observation.size, size);
  if (observation.size > 0)
    g_array_append_val (command->observations, observation);
}

static void
take_child (GapidCommand       *command,
            const VtrPackChunk *chunk)
{
  const VtrTraceType *type = vtr_trace_types_lookup (command->trace->types, chunk->type);

  if (type == NULL)
    return;
  if (type->is_call)
    {
      command->called = TRUE;
      command->has_result = vtr_pack_type_find (&type->type, "result") != NULL;
      command->result = find_number (&type->type, chunk->message, chunk->size, "result");
    }
  else if (g_str_equal (type->type.name, "memory.Observation"))
    take_observation (command, type, chunk);
}

/* Children follow their group, perhaps among chunks of other groups, until the end marker. */
static void
take_children (GapidCommand *command,
               const guint8 *at,
               const guint8 *end)
{
  VtrPackChunk chunk;

  for (gint64 distance = 1; vtr_pack_read (&at, end, &chunk) == VTR_OK; distance++)
    {
      if (chunk.kind == VTR_PACK_TYPE || chunk.parent != -distance)
        continue;
      if (chunk.kind == VTR_PACK_END)
        return;
      if (chunk.kind == VTR_PACK_OBJECT)
        take_child (command, &chunk);
    }
}

/* The captured value of each parameter, by name. */
static void
read_params (const VtrTraceType *type,
             VtrAbi              abi,
             const VtrPackChunk *chunk,
             guint64            *params)
{
  for (guint i = 0; i < vtr_api_commands[type->command].n_params; i++)
    {
      const VtrApiField *param = vtr_cmd_param (type->command, i);
      const VtrPackField *field;
      VtrPackFieldValue value;

      if (!find_field (&type->type, chunk->message, chunk->size, vtr_api_string (param->name),
                       &field, &value) ||
          value.wire == VTR_PACK_WIRE_BYTES)
        continue;
      params[i] = get_number (field, value.value);
      if (param->size[abi] < sizeof *params)
        params[i] &= ((guint64)1 << (8 * param->size[abi])) - 1;
    }
}

gboolean
vtr_trace_gapid_decode (VtrTrace    *self,
                        guint64      index,
                        VtrArena    *arena,
                        VtrCommand  *out,
                        GError     **error)
{
  g_autoptr (GArray) observations = g_array_new (FALSE, FALSE, sizeof (VtrObservation));
  GapidCommand command = { .trace = self, .arena = arena, .observations = observations };
  const guint8 *at = self->data + g_array_index (self->tables->positions, VtrTracePosition, index);
  const guint8 *end = self->data + self->size;
  VtrDecoded *decoded = vtr_arena_new (arena, VtrDecoded);
  guint64 params[G_MAXUINT8 + 1] = { 0 };
  const VtrTraceType *type;
  VtrObservation *kept;
  VtrPackChunk chunk;
  VtrStatus status = vtr_pack_read (&at, end, &chunk);

  type = status == VTR_OK ? vtr_trace_types_lookup (self->types, chunk.type) : NULL;
  if (type == NULL)
    return FALSE;
  read_params (type, self->info.abi, &chunk, params);
  take_children (&command, at, end);
  kept = vtr_arena_memdup (arena, observations->data, observations->len * sizeof (VtrObservation));
  status = VTR_NO_MEMORY;
  if (decoded != NULL && kept != NULL)
    status = vtr_api_rebuild (type->command, self->info.abi, params, kept, observations->len, arena,
                              decoded);
  if (status != VTR_OK)
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                   _ ("Call %" G_GUINT64_FORMAT " (%s) cannot be read: %s."), index,
                   vtr_cmd_name (type->command), vtr_status_to_string (status));
      return FALSE;
    }
  decoded->thread = (guint32)out->thread;
  decoded->result = command.result;
  decoded->has_result = command.has_result;
  out->has_result = command.has_result;
  out->result = command.result;
  out->args = decoded->args;
  out->decoded = decoded;
  return TRUE;
}
