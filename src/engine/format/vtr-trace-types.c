/* Writes the type definitions of a trace, and compares them with those of this build. */
#include "engine/format/vtr-trace-types.h"

#include "api/vtr-api-walk.h"
#include "wire/vtr-pack.h"

#include <string.h>

/* A hostile file may define types for ever: after this much of them the rest is not remembered. */
#define MAX_TYPES 65535
#define MAX_TYPE_BYTES (256u * 1024u * 1024u)
#define FRONT_API "vulkan"

/* The API whose commands all have types at the front of a file, whether the file has such
 * commands or not. */
static const VtrApiModel *
get_front_api (void)
{
  return vtr_api_from_name (FRONT_API);
}

/* ---- Writing ---- */

guint
vtr_trace_types_get_object (VtrTraceObject object)
{
  return 1 + (guint)object;
}

guint
vtr_trace_types_get_command (VtrCmdId id)
{
  return 1 + VTR_N_OBJECTS + (guint)(id - get_front_api ()->first_id);
}

guint
vtr_trace_type_places_get (const VtrTraceTypePlaces *self,
                           VtrCmdId                  id)
{
  const VtrApiModel *api = vtr_api_of (id);
  const guint first = self->first[api - vtr_api_models];

  return first == 0 ? 0 : first + (guint)(id - api->first_id);
}

static void
write_type (VtrBuffer         *to,
            VtrBuffer         *scratch,
            const VtrPackType *type)
{
  vtr_buffer_clear (scratch);
  vtr_pack_type_encode (type, scratch);
  vtr_pack_write_type (to, type->name, scratch->data, scratch->size);
}

static guint8
get_param_type (const VtrApiField *field)
{
  gboolean wide;

  if (field->pointers > 0)
    return VTR_PACK_FIXED64;
  switch ((VtrApiKind)field->kind)
    {
    case VTR_KIND_F32:
      return VTR_PACK_FLOAT;
    case VTR_KIND_F64:
      return VTR_PACK_DOUBLE;
    default:
      wide = field->size[VTR_ABI_LP64] == 8 || field->array > 1;
      return wide ? VTR_PACK_FIXED64 : VTR_PACK_FIXED32;
    }
}

static guint8
get_result_type (VtrApiResultKind kind)
{
  switch (kind)
    {
    case VTR_RESULT_U64:
    case VTR_RESULT_FUNCTION:
    case VTR_RESULT_ADDRESS:
    case VTR_RESULT_STRING:
      return VTR_PACK_FIXED64;
    default:
      return VTR_PACK_FIXED32;
    }
}

static void
write_command_type (VtrBuffer *to,
                    VtrBuffer *scratch,
                    VtrCmdId   id)
{
  static const VtrPackField common[] = {
    /* Parameters may be called "flags". */
    { "thread", NULL, VTR_COMMAND_THREAD, VTR_PACK_OPTIONAL, VTR_PACK_FIXED32 },
    { "reads", ".vitrine.Observation", VTR_COMMAND_READS, VTR_PACK_REPEATED, VTR_PACK_MESSAGE },
    { "writes", ".vitrine.Observation", VTR_COMMAND_WRITES, VTR_PACK_REPEATED, VTR_PACK_MESSAGE },
    { "time", NULL, VTR_COMMAND_TIME, VTR_PACK_OPTIONAL, VTR_PACK_FIXED64 },
    { "extras", ".vitrine.Extra", VTR_COMMAND_EXTRAS, VTR_PACK_REPEATED, VTR_PACK_MESSAGE },
    { "record_flags", NULL, VTR_COMMAND_FLAGS, VTR_PACK_OPTIONAL, VTR_PACK_FIXED32 },
  };
  const VtrApiCommand *command = vtr_cmd_get (id);
  VtrPackField fields[G_N_ELEMENTS (common) + 1 + G_MAXUINT8];
  g_autofree char *name = g_strconcat (vtr_api_of (id)->name, ".", vtr_cmd_name (id), NULL);
  VtrPackType type = { .name = name, .fields = fields };

  memcpy (fields, common, sizeof common);
  type.n_fields = G_N_ELEMENTS (common);
  if (command->result != VTR_RESULT_VOID)
    fields[type.n_fields++] = (VtrPackField){ "result", NULL, VTR_COMMAND_RESULT, VTR_PACK_OPTIONAL,
                                              get_result_type ((VtrApiResultKind)command->result) };
  for (guint i = 0; i < command->n_params; i++)
    {
      const VtrApiField *param = vtr_cmd_param (id, i);

      fields[type.n_fields++] =
        (VtrPackField){ vtr_api_string (param->name), NULL, VTR_COMMAND_PARAMS + i,
                        VTR_PACK_OPTIONAL, get_param_type (param) };
    }
  write_type (to, scratch, &type);
}

static void
write_api (VtrBuffer          *to,
           VtrTraceTypePlaces *places,
           const VtrApiModel  *api)
{
  VtrBuffer scratch = { 0 };

  places->first[api - vtr_api_models] = places->n + 1;
  places->n += api->n_commands;
  for (guint i = 0; i < api->n_commands; i++)
    write_command_type (to, &scratch, (VtrCmdId)(api->first_id + i));
  vtr_buffer_finish (&scratch);
}

void
vtr_trace_types_write (VtrBuffer          *to,
                       VtrTraceTypePlaces *places)
{
  VtrBuffer scratch = { 0 };

  *places = (VtrTraceTypePlaces){ .n = VTR_N_OBJECTS };
  for (guint i = 0; i < VTR_N_OBJECTS; i++)
    write_type (to, &scratch, &vtr_trace_objects[i]);
  vtr_buffer_finish (&scratch);
  write_api (to, places, get_front_api ());
}

void
vtr_trace_types_write_more (VtrBuffer          *to,
                            VtrTraceTypePlaces *places,
                            VtrCmdId            id)
{
  write_api (to, places, vtr_api_of (id));
}

/* ---- Reading ---- */

struct _VtrTraceTypes
{
  GPtrArray *types;   /* VtrTraceType */
  GPtrArray *foreign; /* VtrTraceType of .types, by id from VTR_CMD_FOREIGN on */
  VtrArena arena;
};

static void
type_free (gpointer data)
{
  VtrTraceType *type = data;

  g_free (type->field_numbers);
  g_free (type);
}

VtrTraceTypes *
vtr_trace_types_new (void)
{
  VtrTraceTypes *self = g_new0 (VtrTraceTypes, 1);

  self->types = g_ptr_array_new_with_free_func (type_free);
  self->foreign = g_ptr_array_new ();
  vtr_arena_init (&self->arena);
  self->arena.limit = MAX_TYPE_BYTES;
  return self;
}

void
vtr_trace_types_free (VtrTraceTypes *self)
{
  g_ptr_array_unref (self->foreign);
  g_ptr_array_unref (self->types);
  vtr_arena_finish (&self->arena);
  g_free (self);
}

/* The field of a parameter. It stands behind those that all commands have, of which one may have
 * its name. Returns: NULL when there is none. */
static const VtrPackField *
find_param (const VtrPackType *type,
            const char        *name)
{
  const VtrPackField *found = NULL;

  for (guint i = 0; i < type->n_fields; i++)
    if (g_str_equal (type->fields[i].name, name))
      found = &type->fields[i];
  return found;
}

/* Parameters are found by name: numbers may differ in files of other producers and versions. */
static void
map_fields (VtrTraceType *type)
{
  const VtrApiCommand *command = vtr_cmd_get (type->command);
  g_autofree guint32 *numbers = g_new0 (guint32, command->n_params + 1u);
  gboolean differs = FALSE;

  for (guint i = 0; i < command->n_params; i++)
    {
      const VtrPackField *field =
        find_param (&type->type, vtr_api_string (vtr_cmd_param (type->command, i)->name));

      numbers[i] = field == NULL ? 0 : field->number;
      differs |= numbers[i] != VTR_COMMAND_PARAMS + i;
    }
  if (differs)
    type->field_numbers = g_steal_pointer (&numbers);
}

/* The API of the command that a type called "API.NAME" describes. Returns: NULL when this build
 * does not have it. */
static const VtrApiModel *
find_api (const char *name)
{
  const char *point = strchr (name, '.');
  g_autofree char *prefix = point == NULL ? NULL : g_strndup (name, (gsize)(point - name));

  return prefix == NULL ? NULL : vtr_api_from_name (prefix);
}

/* Whether the definition is as a recorder writes it: UTF-8, and few fields with small numbers. */
static gboolean
is_sound (const VtrPackType *type)
{
  gboolean sound = g_utf8_validate (type->name, -1, NULL) && type->n_fields < VTR_FOREIGN_FIELDS;

  for (guint i = 0; sound && i < type->n_fields; i++)
    sound = type->fields[i].number < VTR_FOREIGN_FIELDS &&
            g_utf8_validate (type->fields[i].name, -1, NULL);
  return sound;
}

/* Gives a command of an API that this build does not have an id in this file. Without one, the
 * trace ends before it. */
static void
number_foreign (VtrTraceTypes *self,
                VtrTraceType  *type)
{
  const char *point = strchr (type->type.name, '.');

  if (point == NULL || point[1] == '\0' || self->foreign->len >= VTR_N_FOREIGN ||
      !is_sound (&type->type))
    return;
  type->command = (VtrCmdId)(VTR_CMD_FOREIGN + self->foreign->len);
  type->foreign_name = point + 1;
  g_ptr_array_add (self->foreign, type);
}

static void
classify (VtrTraceTypes *self,
          VtrTraceType  *type)
{
  const char *name = type->type.name;
  const VtrApiModel *api;

  type->object = vtr_trace_object_from_name ((const guint8 *)name, strlen (name));
  if (g_str_equal (name, "api.CmdCall"))
    type->is_call = TRUE;
  api = find_api (name);
  if (api == NULL)
    {
      type->is_command = vtr_pack_type_find (&type->type, "thread") != NULL &&
                         vtr_pack_type_find (&type->type, "record_flags") != NULL;
      if (type->is_command)
        number_foreign (self, type);
      return;
    }
  name += strlen (api->name) + 1;
  type->command = vtr_cmd_from_name (name);
  if (type->command != VTR_CMD_NONE && vtr_api_of (type->command) != api)
    type->command = VTR_CMD_NONE;
  if (type->command == VTR_CMD_NONE && g_str_has_suffix (name, "Call"))
    type->is_call = TRUE;
  else if (type->command != VTR_CMD_NONE || vtr_pack_type_find (&type->type, "thread") != NULL)
    type->is_command = TRUE;
  if (type->command != VTR_CMD_NONE)
    map_fields (type);
}

void
vtr_trace_types_add (VtrTraceTypes *self,
                     const guint8  *name,
                     gsize          name_size,
                     const guint8  *descriptor,
                     gsize          size)
{
  VtrTraceType *type;

  if (self->types->len >= MAX_TYPES)
    return;
  type = g_new0 (VtrTraceType, 1);
  type->command = VTR_CMD_NONE;
  type->object = VTR_N_OBJECTS;
  if (vtr_pack_type_parse (name, name_size, descriptor, size, &self->arena, &type->type) == VTR_OK)
    classify (self, type);
  else
    type->type.name = "";
  g_ptr_array_add (self->types, type);
}

guint
vtr_trace_types_get_n (const VtrTraceTypes *self)
{
  return self->types->len;
}

void
vtr_trace_types_truncate (VtrTraceTypes *self,
                          guint          n)
{
  guint n_foreign = self->foreign->len;

  for (guint i = n; i < self->types->len; i++)
    n_foreign -= ((const VtrTraceType *)g_ptr_array_index (self->types, i))->foreign_name != NULL;
  g_ptr_array_set_size (self->foreign, (gint)n_foreign);
  if (n < self->types->len)
    g_ptr_array_set_size (self->types, (gint)n);
}

guint
vtr_trace_types_get_n_foreign (const VtrTraceTypes *self)
{
  return self->foreign->len;
}

const VtrTraceType *
vtr_trace_types_get_foreign (const VtrTraceTypes *self,
                             VtrCmdId             id)
{
  return vtr_cmd_is_foreign (id) && id - VTR_CMD_FOREIGN < self->foreign->len
           ? g_ptr_array_index (self->foreign, id - VTR_CMD_FOREIGN)
           : NULL;
}

const VtrTraceType *
vtr_trace_types_lookup (const VtrTraceTypes *self,
                        guint64              index)
{
  if (index == 0 || index > self->types->len)
    return NULL;
  return g_ptr_array_index (self->types, index - 1);
}

const VtrTraceType *
vtr_trace_types_find (const VtrTraceTypes *self,
                      const char          *name)
{
  for (guint i = 0; i < self->types->len; i++)
    {
      const VtrTraceType *type = g_ptr_array_index (self->types, i);

      if (g_str_equal (type->type.name, name))
        return type;
    }
  return NULL;
}

/* Whether the types behind the first @places->n are those of the whole API of the first of them,
 * which none had before. */
static gboolean
take_api (const VtrTraceTypes *self,
          VtrTraceTypePlaces  *places)
{
  const VtrTraceType *type = vtr_trace_types_lookup (self, places->n + 1);
  const VtrApiModel *api =
    type == NULL || type->command == VTR_CMD_NONE ? NULL : vtr_api_of (type->command);

  if (api == NULL || places->first[api - vtr_api_models] != 0 ||
      self->types->len - places->n < api->n_commands)
    return FALSE;
  for (guint i = 0; i < api->n_commands; i++)
    {
      type = vtr_trace_types_lookup (self, places->n + 1 + i);
      if (type->command != api->first_id + i || type->field_numbers != NULL)
        return FALSE;
    }
  places->first[api - vtr_api_models] = places->n + 1;
  places->n += api->n_commands;
  return TRUE;
}

gboolean
vtr_trace_types_are_ours (const VtrTraceTypes *self,
                          VtrTraceTypePlaces  *places)
{
  VtrTraceTypePlaces found = { .n = VTR_N_OBJECTS };

  if (self->types->len < VTR_N_OBJECTS)
    return FALSE;
  for (guint i = 0; i < VTR_N_OBJECTS; i++)
    if (vtr_trace_types_lookup (self, vtr_trace_types_get_object ((VtrTraceObject)i))->object != i)
      return FALSE;
  do
    if (!take_api (self, &found))
      return FALSE;
  while (found.n < self->types->len);
  if (found.first[get_front_api () - vtr_api_models] != VTR_N_OBJECTS + 1)
    return FALSE;
  if (places != NULL)
    *places = found;
  return TRUE;
}
