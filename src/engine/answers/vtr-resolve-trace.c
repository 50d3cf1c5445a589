/* Answers info, frames, submits, devices and resources, which are about the whole trace. */
#include "engine/answers/vtr-resolve.h"

#include "engine/api/vtr-show-api.h"

#include <glib/gi18n.h>

static JsonNode *
make_strings (const char *const *strings)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; strings != NULL && strings[i] != NULL; i++)
    json_array_add_string_element (array, strings[i]);
  return vtr_json_take_array (array);
}

/* The version is of the API that has versions of devices. */
static char *
format_version (guint32 version)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->format_version != NULL)
      return vtr_apis[i]->show->format_version (version);
  return g_strdup ("");
}

JsonNode *
vtr_resolve_info (VtrAnswers *answers)
{
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  VtrTimeline *timeline = vtr_analysis_get_timeline (answers->analysis);
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  JsonObject *object = json_object_new ();
  g_autofree char *version = format_version (info->api_version);

  json_object_set_string_member (object, "producer", info->producer);
  json_object_set_string_member (object, "container", info->container);
  json_object_set_string_member (object, "apis", info->apis);
  json_object_set_string_member (object, "application", info->application);
  json_object_set_string_member (object, "command_line", info->command_line);
  json_object_set_string_member (object, "device", info->device);
  json_object_set_string_member (object, "driver", info->driver);
  json_object_set_string_member (object, "api_version", version);
  json_object_set_int_member (object, "start_time", info->start_time);
  json_object_set_int_member (object, "commands",
                              (gint64)vtr_trace_get_n_program_commands (trace));
  json_object_set_int_member (object, "frames", (gint64)vtr_trace_get_n_frames (trace));
  json_object_set_int_member (object, "submits",
                              vtr_timeline_get_n_submissions (timeline) -
                                vtr_timeline_get_n_initial_submissions (timeline));
  json_object_set_int_member (object, "recordings", vtr_timeline_get_n_recordings (timeline));
  json_object_set_int_member (object, "draws", (gint64)vtr_timeline_get_n_draws (timeline));
  json_object_set_int_member (object, "dispatches",
                              (gint64)vtr_timeline_get_n_dispatches (timeline));
  json_object_set_int_member (
    object, "objects", vtr_history_get_n_objects (vtr_analysis_get_history (answers->analysis)));
  json_object_set_int_member (object, "resources", (gint64)vtr_trace_get_n_resources (trace));
  json_object_set_int_member (object, "observations", (gint64)vtr_trace_get_n_observations (trace));
  json_object_set_int_member (object, "initial_commands",
                              (gint64)vtr_trace_get_n_initial_commands (trace));
  json_object_set_boolean_member (object, "truncated", info->truncated);
  json_object_set_int_member (object, "bytes", (gint64)info->bytes);
  json_object_set_member (object, "changes", make_strings (info->changes));
  json_object_set_member (object, "hidden_extensions", make_strings (info->hidden_extensions));
  json_object_set_member (object, "trackers", make_strings (info->trackers));
  json_object_set_member (object, "notices", make_strings (info->notices));
  if (vtr_trace_get_warning (trace) != NULL)
    json_object_set_string_member (object, "warning", vtr_trace_get_warning (trace));
  else
    json_object_set_null_member (object, "warning");
  return vtr_json_take_object (object);
}

static JsonNode *
make_submission (VtrAnswers *answers,
                 guint32     nth)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (answers->analysis);
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  VtrHistory *history = vtr_analysis_get_history (answers->analysis);
  const VtrSubmission *submission = vtr_timeline_get_submission (timeline, nth);
  const VtrShowApi *show = vtr_show_api_get (vtr_trace_get_command_id (trace, submission->submit));
  JsonObject *object = json_object_new ();
  JsonArray *runs = json_array_new ();

  json_object_set_member (object, "command", vtr_json_command (trace, submission->submit));
  json_object_set_member (object, "queue",
                          vtr_json_handle (history, show->executor_kind, submission->executor,
                                           submission->submit));
  for (guint32 i = 0; i < submission->n_runs; i++)
    {
      const VtrRun *run = vtr_timeline_get_run (timeline, submission->first_run + i);
      const VtrRecording *recording = vtr_timeline_get_recording (timeline, run->recording);
      JsonObject *entry = json_object_new ();

      json_object_set_int_member (entry, "batch", run->batch);
      json_object_set_int_member (entry, "position", run->position);
      json_object_set_member (entry, "commandBuffer",
                              vtr_json_handle (history, show->list_kind,
                                               recording->list, recording->first));
      json_object_set_member (entry, "first", vtr_json_command (trace, recording->first));
      json_object_set_member (entry, "last", vtr_json_command (trace, recording->last));
      json_object_set_int_member (entry, "draws", recording->n_draws);
      json_object_set_int_member (entry, "dispatches", recording->n_dispatches);
      json_array_add_object_element (runs, entry);
    }
  json_object_set_member (object, "commandBuffers", vtr_json_take_array (runs));
  return vtr_json_take_object (object);
}

/* First submission at or after @index. */
static guint32
find_submission_from (VtrTimeline *timeline,
                      guint64      index)
{
  guint32 low = 0, high = vtr_timeline_get_n_submissions (timeline);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_timeline_get_submission (timeline, middle)->submit < index)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static JsonNode *
make_frame (VtrAnswers *answers,
            guint64     frame)
{
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  VtrTimeline *timeline = vtr_analysis_get_timeline (answers->analysis);
  guint64 first, last, draws = 0, dispatches = 0;
  JsonObject *object = json_object_new ();
  JsonArray *submits = json_array_new ();

  vtr_trace_get_frame (trace, frame, &first, &last);
  for (guint32 i = find_submission_from (timeline, first);
       i < vtr_timeline_get_n_submissions (timeline); i++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (timeline, i);

      if (submission->submit > last)
        break;
      json_array_add_element (submits, vtr_json_command (trace, submission->submit));
      for (guint32 k = 0; k < submission->n_runs; k++)
        {
          const VtrRun *run = vtr_timeline_get_run (timeline, submission->first_run + k);
          const VtrRecording *recording = vtr_timeline_get_recording (timeline, run->recording);

          draws += recording->n_draws;
          dispatches += recording->n_dispatches;
        }
    }
  json_object_set_int_member (object, "frame", (gint64)frame);
  json_object_set_member (object, "first", vtr_json_command (trace, first));
  json_object_set_member (object, "last", vtr_json_command (trace, last));
  json_object_set_int_member (object, "draws", (gint64)draws);
  json_object_set_int_member (object, "dispatches", (gint64)dispatches);
  json_object_set_member (object, "submits", vtr_json_take_array (submits));
  return vtr_json_take_object (object);
}

JsonNode *
vtr_resolve_frames (VtrAnswers    *answers,
                    char         **steps,
                    GCancellable  *cancellable,
                    GError       **error)
{
  guint64 n = vtr_trace_get_n_frames (vtr_analysis_get_trace (answers->analysis));
  guint64 frame;

  if (steps[0] == NULL)
    {
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "count", (gint64)n);
      return vtr_json_take_object (object);
    }
  /* Commands after the last frame take time, too. */
  if (vtr_path_is_timings (steps[1]))
    n = vtr_trace_get_n_parts (vtr_analysis_get_trace (answers->analysis));
  if (!vtr_path_parse_number (steps[0], _ ("frame"), n, &frame, error))
    return NULL;
  if (vtr_path_is_timings (steps[1]))
    return vtr_resolve_timings (answers, frame, steps + 1, cancellable, error);
  return vtr_json_walk (make_frame (answers, frame), steps + 1, "frames", error);
}

JsonNode *
vtr_resolve_submits (VtrAnswers  *answers,
                     char       **steps,
                     GError     **error)
{
  VtrTimeline *timeline = vtr_analysis_get_timeline (answers->analysis);
  guint32 n_initial = vtr_timeline_get_n_initial_submissions (timeline);
  guint32 n = vtr_timeline_get_n_submissions (timeline) - n_initial;
  guint64 nth;

  if (steps[0] == NULL)
    {
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "count", n);
      return vtr_json_take_object (object);
    }
  if (!vtr_path_parse_number (steps[0], _ ("submission"), n, &nth, error))
    return NULL;
  return vtr_json_walk (make_submission (answers, n_initial + (guint32)nth), steps + 1,
                        "submits", error);
}

JsonNode *
vtr_resolve_devices (VtrAnswers *answers)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->show != NULL && vtr_apis[i]->show->describe_devices != NULL)
      {
        g_autoptr (JsonNode) node = vtr_apis[i]->show->describe_devices (answers->analysis);
        JsonArray *devices = json_node_get_array (node);

        for (guint k = 0; k < json_array_get_length (devices); k++)
          json_array_add_element (array, json_array_dup_element (devices, k));
      }
  return vtr_json_take_array (array);
}

JsonNode *
vtr_resolve_resources (VtrAnswers *answers)
{
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "count", (gint64)vtr_trace_get_n_resources (trace));
  json_object_set_int_member (object, "observations", (gint64)vtr_trace_get_n_observations (trace));
  return vtr_json_take_object (object);
}
