/* Answers report: what is wrong in the trace, found without a replay or by one. */
#include "engine/answers/vtr-resolve.h"

#include "api/vtr-api-print.h"

#include <glib/gi18n.h>

#include "base/vtr-must.h"
#include "base/vtr-range-set.h"
#include "base/vtr-number.h"
#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/replay-session/vtr-replay-validate.h"
#include "engine/state/vtr-state-store.h"

/* Entries kept; what comes after is only counted. */
#define MAX_ENTRIES 10000

/* Ranges of memory that one entry names. */
#define NAMED_RANGES 4

typedef struct
{
  VtrAnswers *answers;
  VtrTrace *trace;
  JsonArray *entries;
  guint64 n_errors, n_warnings, n_infos, n_left_out;
} VtrReport;

/* Returns: the entry to add to; NULL when it is one too many. */
static JsonObject *
report_add_entry (VtrReport  *self,
                  const char *level,
                  guint64     command,
                  const char *text)
{
  JsonObject *entry;

  if (level[0] == 'e')
    self->n_errors++;
  else if (level[0] == 'w')
    self->n_warnings++;
  else
    self->n_infos++;
  if (json_array_get_length (self->entries) >= MAX_ENTRIES)
    {
      self->n_left_out++;
      return NULL;
    }

  entry = json_object_new ();
  json_object_set_string_member (entry, "level", level);
  json_object_set_string_member (entry, "text", text);
  if (command == VTR_COMMAND_NO_INDEX)
    json_object_set_null_member (entry, "command");
  else
    {
      json_object_set_member (entry, "command", vtr_json_command (self->trace, command));
      json_object_set_string_member (
        entry, "name", vtr_trace_get_command_name (self->trace, command));
    }
  json_array_add_object_element (self->entries, entry);
  return entry;
}

G_GNUC_PRINTF (4, 5)
static void
report_add (VtrReport *self,
            const char *level,
            guint64 command,
            const char *format,
            ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  report_add_entry (self, level, command, text);
}

/* --- By replay ------------------------------------------------------------------------------- */

static void
report_validation (VtrReport                  *self,
                   const VtrValidationMessage *message)
{
  VtrHistory *history = vtr_analysis_get_history (self->answers->analysis);
  JsonObject *entry = report_add_entry (self, message->error ? "error" : "warning", message->index,
                                        message->text);
  JsonArray *objects;

  if (entry == NULL)
    return;
  json_object_set_string_member (entry, "rule", message->rule);
  objects = json_array_new ();
  for (guint i = 0; i < message->objects->len; i++)
    json_array_add_element (
      objects, vtr_json_object_ref (history, vtr_history_get_object (
                                               history, g_array_index (message->objects, guint32,
                                                                       i))));
  json_object_set_array_member (entry, "objects", objects);
}

static gboolean
report_replay (VtrReport     *self,
               GCancellable  *cancellable,
               GError       **error)
{
  g_autoptr (GPtrArray) messages =
    vtr_replay_session_validate (self->answers->session, NULL, NULL, cancellable, error);

  for (guint i = 0; messages != NULL && i < messages->len; i++)
    report_validation (self, g_ptr_array_index (messages, i));
  return messages != NULL;
}

/* --- Without --------------------------------------------------------------------------------- */

/* The name of what a call returned, or its number. (transfer full) */
static char *
name_result (const VtrCommand *command)
{
  VtrBuffer text = { 0 };
  char *name;

  vtr_api_json_result (command->id, command->result, &text);
  name = g_strndup ((const char *)text.data, text.size);
  vtr_buffer_finish (&text);
  g_strdelimit (name, "\"", ' ');
  return g_strstrip (name);
}

/* A call that returned an error, never returned, or cannot be read. */
static void
report_call (VtrReport *self, guint64 index, VtrCmdId id, VtrArena *arena)
{
  g_autoptr (GError) reason = NULL;
  VtrCommand command;

  if ((vtr_trace_get_flags (self->trace, index) & VTR_COMMAND_DIED) != 0)
    report_add (self, "error", index, _ ("%s never returned: the program ended inside it."),
                vtr_command_name (id));
  if (vtr_cmd_get (id)->result != VTR_RESULT_STATUS)
    return;

  vtr_arena_reset (arena);
  if (!vtr_trace_decode (self->trace, index, arena, &command, &reason))
    {
      report_add (self, "warning", index, _ ("%s cannot be read: %s"), vtr_command_name (id),
                  reason->message);
      return;
    }
  if (command.has_result && (gint32)command.result < 0)
    {
      g_autofree char *result = name_result (&command);

      report_add (self, "error", index, _ ("%s returned %s."), vtr_command_name (id), result);
    }
}

static gboolean
report_calls (VtrReport *self, GCancellable *cancellable, GError **error)
{
  guint64 n = vtr_trace_get_n_commands (self->trace);
  gboolean done = TRUE;
  VtrArena arena;

  vtr_arena_init (&arena);
  for (guint64 i = 0; i < n && done; i++)
    {
      VtrCmdId id = vtr_trace_get_command_id (self->trace, i);

      if (i % 1024 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        done = FALSE;
      else if (vtr_cmd_is_foreign (id))
        continue; /* the warning of the trace says it of them all */
      else if (!vtr_cmd_is_known (id))
        report_add (self, "warning", i, _ ("This version of Vitrine does not know the command."));
      /* Recorded commands run later, and return nothing. */
      else if ((vtr_trace_get_flags (self->trace, i) & VTR_COMMAND_IN_BLOCK) == 0)
        report_call (self, i, id, &arena);
    }
  vtr_arena_finish (&arena);
  return done;
}

static void
report_recordings (VtrReport *self)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (self->answers->analysis);
  guint64 never = 0;

  for (guint32 i = 0; i < vtr_timeline_get_n_recordings (timeline); i++)
    {
      const VtrRecording *recording = vtr_timeline_get_recording (timeline, i);
      guint32 flags = vtr_trace_get_flags (self->trace, recording->last);

      if ((flags & VTR_COMMAND_UNFINISHED) != 0)
        report_add (self, "warning", recording->last,
                    _ ("The recording ended while this command buffer was being recorded."));
      else if (!recording->complete)
        report_add (self, "info", recording->last,
                    _ ("This command buffer was reset or freed before its recording ended."));
      else if (recording->n_runs == 0)
        never++;
    }
  if (never > 0)
    report_add (
      self, "info", VTR_COMMAND_NO_INDEX,
      g_dngettext (NULL, "%s recorded command buffer was never submitted.",
                   "%s recorded command buffers were never submitted.", (gulong)never),
      VTR_NUMBER (never));
}

/* Adds what an API says of commands. */
static void
report_messages (VtrReport *self,
                 GArray    *messages)
{
  static const char *const levels[] = { "info", "warning", "error" };

  for (guint i = 0; i < messages->len; i++)
    {
      const VtrStateMessage *message = &g_array_index (messages, VtrStateMessage, i);
      JsonObject *entry =
        report_add_entry (self, levels[message->level], message->index, message->text);

      if (entry != NULL && message->check != NULL)
        json_object_set_string_member (entry, "check", message->check);
    }
}

/* Adds what a replay does not repeat, such as results of queries that the program never read. */
static gboolean
report_unrepeatable (VtrReport     *self,
                     GCancellable  *cancellable,
                     GError       **error)
{
  g_autoptr (GArray) messages =
    vtr_replay_session_find_unrepeatable (self->answers->session, cancellable, error);

  if (messages == NULL)
    return FALSE;
  report_messages (self, messages);
  return TRUE;
}

/* "0x40–0x80, 0x100–0x104 and others". */
static char *
name_ranges (const VtrRangeSet *set)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < set->n && i < NAMED_RANGES; i++)
    {
      const VtrRange *range = &set->ranges[i];
      g_autofree char *from = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", range->begin);
      g_autofree char *to = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", range->end);

      g_string_append_printf (text, "%s%s–%s", i > 0 ? ", " : "", from, to);
    }
  if (set->n > NAMED_RANGES)
    g_string_append (text, _ (" and others"));
  return g_string_free (text, FALSE);
}

/* The uncertain changes of the memory object of @uncertain[@first], from there on. */
static void
report_uncertain_memory (VtrReport               *self,
                         const VtrUncertainWrite *uncertain,
                         gsize                    first,
                         gsize                    n)
{
  VtrHistory *history = vtr_analysis_get_history (self->answers->analysis);
  const guint32 pool = uncertain[first].pool;
  g_autofree char *memory =
    vtr_history_describe (history, vtr_history_get_object (history, pool));
  g_autofree char *submit = vtr_trace_format_number (self->trace, uncertain[first].submit);
  g_autofree char *ranges = NULL;
  VtrRangeSet set = { 0 };
  guint64 last = VTR_COMMAND_NO_INDEX;
  guint commands = 0, before = json_array_get_length (self->entries);

  for (gsize i = first; i < n; i++)
    if (uncertain[i].pool == pool && !uncertain[i].same)
      {
        vtr_must (
          vtr_range_set_add (&set, uncertain[i].offset, uncertain[i].offset + uncertain[i].size));
        commands += uncertain[i].index != last;
        last = uncertain[i].index;
      }
  ranges = name_ranges (&set);
  vtr_range_set_finish (&set);
  report_add (self, "warning", uncertain[first].index,
              _ ("Bytes of %s (%s) changed while GPU work may still have been writing them, such "
                 "as command %s. The GPU may have written them, not the program. This happened "
                 "at %u commands. A replay writes the recorded bytes."),
              memory, ranges, submit, commands);
  if (json_array_get_length (self->entries) > before)
    json_object_set_string_member (json_array_get_object_element (self->entries, before), "check",
                                   "gpu-writes");
}

/* One entry for each memory object. */
static gboolean
report_uncertain_writes (VtrReport     *self,
                         GCancellable  *cancellable,
                         GError       **error)
{
  GError *failure = NULL;
  const VtrUncertainWrites *all =
    vtr_replay_session_find_uncertain_writes (self->answers->session, cancellable, &failure);
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);
  const VtrUncertainWrite *uncertain;
  gsize n;

  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (all == NULL)
    return TRUE;
  uncertain = vtr_uncertain_writes_list (all, &n);
  for (gsize i = 0; i < n; i++)
    if (!uncertain[i].same && g_hash_table_add (told, GUINT_TO_POINTER (uncertain[i].pool)))
      report_uncertain_memory (self, uncertain, i, n);
  return TRUE;
}

/* Adds the errors that the model of the API finds: wrong layouts, dead handles, semaphores that are
 * never signalled. */
static gboolean
report_model (VtrReport     *self,
              GCancellable  *cancellable,
              GError       **error)
{
  VtrStateStore *store = vtr_analysis_get_states (self->answers->analysis);
  g_autoptr (GArray) messages = NULL;

  if (!vtr_state_store_check (store, cancellable, error))
    return FALSE;
  messages = vtr_state_store_get_messages (store);
  report_messages (self, messages);
  return TRUE;
}

/* Adds the parts of the sandbox that this system lacks, if any. */
static void
report_sandbox (VtrReport *self)
{
  g_autofree char *text = vtr_replay_session_explain_protection ();

  if (text != NULL)
    report_add (self, "info", VTR_COMMAND_NO_INDEX, "%s", text);
}

JsonNode *
vtr_resolve_report (VtrAnswers    *answers,
                    gboolean       replay,
                    GCancellable  *cancellable,
                    GError       **error)
{
  VtrReport self = {
    .answers = answers,
    .trace = vtr_analysis_get_trace (answers->analysis),
    .entries = json_array_new (),
  };
  const char *warning = vtr_trace_get_warning (self.trace);
  const char *const *notices = vtr_trace_get_info (self.trace)->notices;
  JsonObject *object;

  if (warning != NULL)
    report_add (&self, "warning", VTR_COMMAND_NO_INDEX, "%s", warning);
  for (gsize i = 0; notices != NULL && notices[i] != NULL; i++)
    report_add (&self, "warning", VTR_COMMAND_NO_INDEX, "%s", notices[i]);
  report_sandbox (&self);
  report_recordings (&self);
  if (!report_calls (&self, cancellable, error) ||
      !report_unrepeatable (&self, cancellable, error) ||
      !report_uncertain_writes (&self, cancellable, error) ||
      !report_model (&self, cancellable, error) ||
      (replay && !report_replay (&self, cancellable, error)))
    {
      json_array_unref (self.entries);
      return NULL;
    }

  object = json_object_new ();
  json_object_set_int_member (object, "errors", (gint64)self.n_errors);
  json_object_set_int_member (object, "warnings", (gint64)self.n_warnings);
  json_object_set_int_member (object, "infos", (gint64)self.n_infos);
  json_object_set_int_member (object, "leftOut", (gint64)self.n_left_out);
  json_object_set_boolean_member (object, "replayed", replay);
  json_object_set_member (object, "entries", vtr_json_take_array (self.entries));
  return vtr_json_take_object (object);
}
