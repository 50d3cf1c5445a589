/* Checks in one pass over all calls that the objects they name exist, and that required pointers
 * are set. */
#include "engine/vulkan/state/vtr-state-check.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-program.h"

#include <glib/gi18n.h>
#include <string.h>

/* Messages kept; a broken file could make one for each argument. */
#define MAX_MESSAGES 20000
#define CACHE_SIZE 4096

typedef struct
{
  guint64 handle;
  guint64 created, destroyed;
  guint32 type;
} VtrKnownHandle;

typedef struct
{
  VtrTimeline *timeline;
  VtrHistory *history;
  VtrTrace *trace;
  GArray *messages;
  VtrArena arena;
  VtrCommand command;
  VtrKnownHandle known[CACHE_SIZE];
  gboolean has_type[VTR_VULKAN_N_HANDLES];
  gboolean from_launch;   /* the trace saw every creation */
  GHashTable *extensions; /* names that some instance or device enables */
  GHashTable *complained; /* commands of extensions that none does */
} VtrCallChecker;

G_GNUC_PRINTF (4, 5)
static void
say (VtrCallChecker *self,
     VtrStateLevel level,
     const char *check,
     const char *format,
     ...)
{
  VtrStateMessage message = { .level = level, .index = self->command.index, .check = check };
  va_list args;

  if (self->messages->len >= MAX_MESSAGES)
    return;
  va_start (args, format);
  message.text = g_strdup_vprintf (format, args);
  va_end (args);
  g_array_append_val (self->messages, message);
}

/* --- Handles --- */

static gboolean
is_alive (VtrCallChecker *self,
          guint32         type,
          guint64         handle)
{
  guint64 mixed = (handle ^ ((guint64)type << 56)) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  VtrKnownHandle *known = &self->known[(mixed >> 32) % CACHE_SIZE];
  const VtrObject *object;

  if (known->handle == handle && known->type == type && known->created <= self->command.index &&
      known->destroyed >= self->command.index)
    return TRUE;
  object = vtr_history_find (self->history, vtr_vulkan_identity (type, handle),
                             self->command.index);
  if (object == NULL)
    return FALSE;
  *known = (VtrKnownHandle){ handle, object->created, object->destroyed, type };
  return TRUE;
}

/* The last object that had the handle before. */
static const VtrObject *
find_dead (VtrCallChecker *self,
           guint32         type,
           guint64         handle)
{
  for (guint32 id = vtr_history_get_n_objects (self->history); id > 0; id--)
    {
      const VtrObject *object = vtr_history_get_object (self->history, id);

      if (object->type == type && object->handle == handle &&
          object->destroyed < self->command.index)
        return object;
    }
  return NULL;
}

static void
complain_about_handle (VtrCallChecker       *self,
                       const VtrVisitHandle *handle,
                       guint64               value)
{
  const VtrObject *dead = find_dead (self, handle->type, value);
  g_autofree char *type = vtr_history_describe_type (handle->type);
  g_autofree char *text = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x",
                                           vtr_trace_get_driver_handle (self->trace, value));
  const char *field = vtr_api_string (handle->field->name);

  if (dead != NULL)
    {
      g_autofree char *name = vtr_history_describe (self->history, dead);
      g_autofree char *number = vtr_trace_format_number (self->trace, dead->destroyed);

      say (self, VTR_STATE_ERROR, "invalid-handle", _ ("%s is %s, which command %s destroyed."),
           field, name, number);
    }
  else
    say (self, self->from_launch ? VTR_STATE_ERROR : VTR_STATE_WARNING, "invalid-handle",
         _ ("%s is %s, but the trace does not contain that %s."), field, text, type);
}

static void
on_handle (gpointer              data,
           const VtrVisitHandle *handle)
{
  VtrCallChecker *self = data;
  guint64 value = vtr_visit_handle_get (handle);

  if (handle->out || handle->ignored || value == 0 ||
      (handle->field->flags & VTR_FIELD_OBJECT) != 0 || !self->has_type[handle->type])
    return;
  if (!is_alive (self, handle->type, value))
    complain_about_handle (self, handle, value);
}

/* --- Pointers --- */

/* Parameters that must point to something. Members of structures may depend on more than the tables
   know of. */
static void
check_pointers (VtrCallChecker *self)
{
  static const VtrApiEnv env = { .decoded = true };
  const VtrApiCommand *api = vtr_cmd_get (self->command.id);
  VtrScope scope;

  vtr_scope_init_args (&scope, self->command.id, self->command.args);
  for (guint i = 0; i < api->n_params; i++)
    {
      const VtrApiField *field = vtr_cmd_param (self->command.id, i);
      gconstpointer slot = (const guint8 *)self->command.args + field->offset[VTR_ABI_NATIVE];
      VtrProgramResult count = { .value = 1, .known = true };

      if (field->pointers == 0 || (field->flags & VTR_FIELD_IN) == 0 ||
          (field->flags & VTR_FIELD_OPTIONAL) != 0 || field->live != 0 ||
          *(void *const *)slot != NULL || self->command.decoded == NULL ||
          vtr_decoded_address (self->command.decoded, slot) != 0)
        continue;
      if (field->length[0] != 0)
        count = vtr_program_run (field->length[0], &scope, &env, 0);
      if (count.known && count.value > 0)
        say (self, VTR_STATE_ERROR, "null-pointer", _ ("%s must not be null."),
             vtr_api_string (field->name));
    }
}

/* --- Extensions --- */

static void
note_extensions (VtrCallChecker        *self,
                 const char     *const *names,
                 guint32                n)
{
  for (guint32 i = 0; i < n && names != NULL; i++)
    {
      if (names[i] == NULL)
        continue;
      g_hash_table_add (self->extensions, g_strdup (names[i]));
      if (vtr_extension_from_name (names[i]) == VTR_API_NO_INDEX)
        say (self, VTR_STATE_WARNING, "extension", _ ("Vitrine does not know the extension %s."),
             names[i]);
    }
}

/* "VK_A", or "VK_A, VK_B". Returns: NULL when the program has enabled one of them. */
static char *
list_disabled (VtrCallChecker *self,
               VtrCmdId        id)
{
  GString *names = g_string_new (NULL);
  guint16 extension;

  for (guint i = 0; (extension = vtr_cmd_extension (id, i)) != VTR_API_NO_INDEX; i++)
    {
      const char *name = vtr_api_string (vtr_api_extensions[extension].name);

      if (g_hash_table_contains (self->extensions, name))
        return g_string_free (names, TRUE), NULL;
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    }
  return g_string_free (names, FALSE);
}

static void
check_extension (VtrCallChecker *self,
                 VtrCmdId        id)
{
  const VtrApiCommand *api = vtr_cmd_get (id);
  g_autofree char *names = NULL;

  /* The trace does not always say what was enabled before the recording began. */
  if (!self->from_launch || api->version != 0 || api->extension == VTR_API_NO_INDEX ||
      api->level == VTR_LEVEL_GLOBAL)
    return;
  names = list_disabled (self, id);
  if (names == NULL || !g_hash_table_add (self->complained, GUINT_TO_POINTER (id)))
    return;
  if (vtr_cmd_extension (id, 1) == VTR_API_NO_INDEX)
    say (self, VTR_STATE_WARNING, "extension",
         _ ("%s belongs to %s, which neither the instance nor a device has enabled."),
         vtr_cmd_name (id), names);
  else
    say (self, VTR_STATE_WARNING, "extension",
         _ ("%s belongs to extensions that neither the instance nor a device has enabled: %s."),
         vtr_cmd_name (id), names);
}

static void
check_enabled (VtrCallChecker *self,
               VtrCmdId        id)
{
  if (id == VTR_CMD_vkCreateInstance)
    {
      const VtrArgs_vkCreateInstance *args = self->command.args;

      if (args->pCreateInfo != NULL)
        note_extensions (self, args->pCreateInfo->ppEnabledExtensionNames,
                         args->pCreateInfo->enabledExtensionCount);
    }
  else if (id == VTR_CMD_vkCreateDevice)
    {
      const VtrArgs_vkCreateDevice *args = self->command.args;

      if (args->pCreateInfo != NULL)
        note_extensions (self, args->pCreateInfo->ppEnabledExtensionNames,
                         args->pCreateInfo->enabledExtensionCount);
    }
}

/* --- The pass --- */

/* Whether a command has nothing to look at but its command buffer. */
static gboolean
is_plain (VtrCmdId id)
{
  const VtrApiCommand *api = vtr_cmd_get (id);

  if (!vtr_cmd_is (id, VTR_CLASS_RECORD))
    return FALSE;
  for (guint i = 1; i < api->n_params; i++)
    {
      const VtrApiField *field = vtr_cmd_param (id, i);

      if (field->pointers > 0 || field->kind == VTR_KIND_HANDLE || field->kind == VTR_KIND_STRUCT ||
          field->kind == VTR_KIND_UNION)
        return FALSE;
    }
  return TRUE;
}

/* Recordings that were thrown away may name anything. */
static gboolean
is_void (VtrCallChecker *self,
         guint64         index)
{
  guint32 nth = vtr_timeline_find_recording (self->timeline, index);

  return nth != VTR_NO_RECORDING && !vtr_timeline_get_recording (self->timeline, nth)->complete;
}

static void
check_call (VtrCallChecker *self,
            guint64         index)
{
  static const VtrApiEnv env = { .decoded = true };
  VtrApiVisitor visitor = { .data = self, .handle = on_handle };
  VtrCmdId id = vtr_trace_get_command_id (self->trace, index);
  guint32 flags = vtr_trace_get_flags (self->trace, index);

  self->command.index = index;
  if (!vtr_cmd_is_vulkan (id) ||
      (flags & (VTR_COMMAND_ABANDONED | VTR_COMMAND_UNFINISHED | VTR_COMMAND_INITIAL)) != 0)
    return;
  check_extension (self, id);
  if (vtr_cmd_is (id, VTR_CLASS_RECORD))
    {
      if (vtr_timeline_find_recording (self->timeline, index) == VTR_NO_RECORDING)
        say (self, VTR_STATE_ERROR, "command-buffer",
             _ ("The command buffer is not being recorded."));
      if (is_plain (id) || is_void (self, index))
        return;
    }
  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (self->trace, index, &self->arena, &self->command, NULL))
    return;
  check_enabled (self, id);
  /* Failed calls may have been asked to fail. */
  if (self->command.has_result && (gint32)self->command.result < 0)
    return;
  check_pointers (self);
  vtr_api_visit (self->command.id, self->command.args, &env, &visitor);
}

gboolean
vtr_state_check_calls (VtrTimeline   *timeline,
                       VtrHistory    *history,
                       GArray        *messages,
                       GCancellable  *cancellable,
                       GError       **error)
{
  VtrCallChecker *self = g_new0 (VtrCallChecker, 1);
  guint64 n = vtr_trace_get_n_commands (vtr_timeline_get_trace (timeline));
  gboolean done = TRUE;

  self->timeline = timeline;
  self->history = history;
  self->trace = vtr_timeline_get_trace (timeline);
  self->messages = messages;
  self->from_launch = vtr_trace_get_n_initial_commands (self->trace) == 0;
  self->extensions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->complained = g_hash_table_new (NULL, NULL);
  for (guint32 id = 1; id <= vtr_history_get_n_objects (history); id++)
    {
      const guint32 type = vtr_history_get_object (history, id)->type;

      if (type - VTR_VULKAN_FIRST_ID < VTR_VULKAN_N_HANDLES)
        self->has_type[type - VTR_VULKAN_FIRST_ID] = TRUE;
    }
  vtr_arena_init (&self->arena);
  for (guint64 i = 0; i < n && done; i++)
    if (i % 1024 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
      done = FALSE;
    else
      check_call (self, i);
  vtr_arena_finish (&self->arena);
  g_hash_table_unref (self->extensions);
  g_hash_table_unref (self->complained);
  g_free (self);
  return done;
}
