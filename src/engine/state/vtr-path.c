/* Reads and writes paths. */
#include "engine/state/vtr-path.h"

#include "engine/state/vtr-resolve-error.h"
#include "engine/state/vtr-timeline.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/vtr-number.h"

GStrv
vtr_path_split (const char *path)
{
  g_auto (GStrv) raw = g_strsplit (path, "/", -1);
  g_autoptr (GStrvBuilder) steps = g_strv_builder_new ();

  for (guint i = 0; raw[i] != NULL; i++)
    if (*raw[i] != '\0')
      g_strv_builder_add (steps, raw[i]);
  return g_strv_builder_end (steps);
}

gboolean
vtr_path_parse_number (
  const char *step, const char *what, guint64 end, guint64 *out, GError **error)
{
  if (vtr_parse_number (step, 10, 0, G_MAXUINT64, out) && *out < end)
    return TRUE;
  if (end == 0)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                 _ ("There is no %s in this trace."), what);
  else
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                 _ ("“%s” is not a valid %s. Use a number from 0 to %s."), step, what,
                 VTR_NUMBER (end - 1));
  return FALSE;
}

/* The flat index of command @nth of a recording; VTR_COMMAND_NO_INDEX: it has fewer. */
static guint64
recording_command (VtrTimeline *timeline, guint32 recording, guint64 nth)
{
  const VtrRecording *info = vtr_timeline_get_recording (timeline, recording);

  for (guint64 index = info->first; index <= info->last; index++)
    {
      if (vtr_timeline_find_recording (timeline, index) != recording)
        continue;
      if (nth-- == 0)
        return index;
    }
  return VTR_COMMAND_NO_INDEX;
}

/* How many commands of its recording come before @index. */
static guint64
count_before (VtrTimeline *timeline, guint32 recording, guint64 index, VtrPathCursor *cursor)
{
  guint64 i = vtr_timeline_get_recording (timeline, recording)->first;
  guint64 n = 0;
  guint at;

  if (vtr_timeline_is_contiguous (timeline))
    return index - i;
  for (at = 0; at < G_N_ELEMENTS (cursor->counts); at++)
    if (cursor->counts[at].recording == recording && cursor->counts[at].index >= i)
      break;
  if (at == G_N_ELEMENTS (cursor->counts))
    at = cursor->next++ % G_N_ELEMENTS (cursor->counts);
  else if (cursor->counts[at].index <= index)
    {
      i = cursor->counts[at].index;
      n = cursor->counts[at].n;
    }
  for (; i < index; i++)
    if (vtr_timeline_find_recording (timeline, i) == recording)
      n++;
  cursor->counts[at].recording = recording;
  cursor->counts[at].index = index;
  cursor->counts[at].n = n;
  return n;
}

static guint32
find_child (VtrTimeline *timeline, guint32 run, guint64 executed_by, guint64 position)
{
  const VtrRun *parent = vtr_timeline_get_run (timeline, run);

  for (guint32 i = parent->first_child; i < parent->first_child + parent->n_children; i++)
    {
      const VtrRun *child = vtr_timeline_get_run (timeline, i);

      if (child->executed_by == executed_by && child->position == position)
        return i;
    }
  return VTR_NO_RUN;
}

/* "submit.batch.cb.cmd[.secondary.cmd]…" */
static gboolean
parse_dotted (
  VtrTimeline *timeline, char **parts, gboolean initial, VtrPlace *out, GError **error)
{
  VtrTrace *trace = vtr_timeline_get_trace (timeline);
  guint n = g_strv_length (parts);
  g_autofree guint64 *numbers = g_new0 (guint64, n);
  guint32 run;

  for (guint i = 0; i < n; i++)
    if (!vtr_path_parse_number (parts[i], _ ("part of a command address"), G_MAXUINT64,
                                &numbers[i], error))
      return FALSE;
  if (n < 4 || n % 2 != 0)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("A command inside a submission has the address "
                      "SUBMIT.BATCH.COMMANDBUFFER.COMMAND, and .SECONDARY.COMMAND after it for "
                      "secondaries; this one has %u parts."),
                   n);
      return FALSE;
    }

  if (!initial)
    numbers[0] += vtr_trace_get_n_initial_commands (trace);
  run = vtr_timeline_find_run_in (timeline, numbers[0], numbers[1], numbers[2]);
  for (guint i = 3; run != VTR_NO_RUN; i += 2)
    {
      guint32 recording = vtr_timeline_get_run (timeline, run)->recording;

      out->index = recording_command (timeline, recording, numbers[i]);
      out->run = run;
      if (out->index == VTR_COMMAND_NO_INDEX)
        break;
      if (i + 1 >= n)
        return TRUE;
      run = find_child (timeline, run, out->index, numbers[i + 1]);
    }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("Submission %s has no such batch, command buffer or command."), parts[0]);
  return FALSE;
}

gboolean
vtr_path_parse_command (VtrTimeline  *timeline,
                        const char   *step,
                        VtrPlace     *out,
                        GError      **error)
{
  VtrTrace *trace = vtr_timeline_get_trace (timeline);
  guint64 n_initial = vtr_trace_get_n_initial_commands (trace);
  gboolean initial = g_str_has_prefix (step, "initial/");
  guint64 end = initial ? n_initial : vtr_trace_get_n_commands (trace) - n_initial;
  g_auto (GStrv) parts = g_strsplit (initial ? step + strlen ("initial/") : step, ".", -1);
  g_auto (GStrv) at = NULL;
  const VtrRun *run;
  guint64 nth = 0;
  guint32 recording;

  if (g_strv_length (parts) > 1)
    return parse_dotted (timeline, parts, initial, out, error);

  at = g_strsplit (parts[0] != NULL ? parts[0] : "", "@", 2);
  if (!vtr_path_parse_number (at[0] != NULL ? at[0] : "",
                              initial ? _ ("initial command") : _ ("command"), end, &out->index,
                              error))
    return FALSE;
  if (!initial)
    out->index += n_initial;
  out->run = VTR_NO_RUN;
  recording = vtr_timeline_find_recording (timeline, out->index);
  if (at[1] != NULL)
    {
      guint32 n_runs = recording != VTR_NO_RECORDING
                         ? vtr_timeline_get_recording (timeline, recording)->n_runs
                         : 0;

      if (!vtr_path_parse_number (at[1], _ ("submission of this command"), n_runs, &nth, error))
        return FALSE;
    }
  if (recording == VTR_NO_RECORDING)
    return TRUE;
  run = vtr_timeline_find_run (timeline, recording, (guint32)nth);
  if (run != NULL)
    out->run = (guint32)(run - vtr_timeline_get_run (timeline, 0));
  return TRUE;
}

gboolean
vtr_path_is_commands (const char *step)
{
  return g_strcmp0 (step, "commands") == 0 || g_strcmp0 (step, "initial") == 0;
}

gboolean
vtr_path_parse_command_steps (VtrTimeline        *timeline,
                              char        *const *steps,
                              VtrPlace           *out,
                              GError            **error)
{
  g_autofree char *step = NULL;

  if (!vtr_path_is_commands (steps[0]) || steps[1] == NULL)
    {
      g_autofree char *path = g_strjoinv ("/", (char **)steps);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not the path of a command. Use commands/NUMBER."), path);
      return FALSE;
    }
  step = g_str_equal (steps[0], "initial") ? g_strdup_printf ("initial/%s", steps[1])
                                           : g_strdup (steps[1]);
  return vtr_path_parse_command (timeline, step, out, error);
}

guint64
vtr_path_read_json_command (VtrTrace *trace, JsonNode *node)
{
  const char *text;

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return VTR_COMMAND_NO_INDEX;
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return (guint64)json_node_get_int (node) + vtr_trace_get_n_initial_commands (trace);
  text = json_node_get_string (node);
  if (text == NULL || !g_str_has_prefix (text, "initial/"))
    return VTR_COMMAND_NO_INDEX;
  return g_ascii_strtoull (text + strlen ("initial/"), NULL, 10);
}

char *
vtr_path_format_command (VtrTimeline *timeline, const VtrPlace *address)
{
  VtrPathCursor cursor = { 0 };

  return vtr_path_format_next (timeline, address, &cursor);
}

char *
vtr_path_format_next (VtrTimeline    *timeline,
                      const VtrPlace *address,
                      VtrPathCursor  *cursor)
{
  VtrTrace *trace = vtr_timeline_get_trace (timeline);
  GString *text = g_string_new (NULL);
  guint64 index = address->index;
  guint32 at = address->run;

  if (at == VTR_NO_RUN)
    {
      g_autofree char *number = vtr_trace_format_number (trace, index);

      g_string_append (text, number);
    }
  while (at != VTR_NO_RUN)
    {
      const VtrRun *run = vtr_timeline_get_run (timeline, at);
      g_autofree char *part = g_strdup_printf (".%u.%" G_GUINT64_FORMAT, run->position,
                                               count_before (timeline, run->recording, index,
                                                             cursor));

      g_string_prepend (text, part);
      if (run->parent == VTR_NO_RUN)
        {
          g_autofree char *submit = vtr_trace_format_number (trace, run->submit);
          g_autofree char *head = g_strdup_printf ("%s.%u", submit, run->batch);

          g_string_prepend (text, head);
        }
      index = run->executed_by;
      at = run->parent;
    }
  return g_string_free (text, FALSE);
}
