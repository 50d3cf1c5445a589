/* vitrine-cli replay: replays a trace, and saves images and memory on request. */
#include "vtr-cli-edit.h"
#include "vtr-cli.h"

#include "engine/document/vtr-document.h"
#include "base/vtr-number.h"
#include "engine/picture/vtr-image-file.h"
#include "engine/replay-session/vtr-replay-questions.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/replay/vtr-replay-sandbox.h"

#include <stdio.h>
#include <string.h>

static gboolean json;
static gboolean poison;
static char *to;
static char *frames_dir;
static char *frames_type;
static char **read_memory;
static char *device;
static char *addresses;
static gboolean check;

static const GOptionEntry entries[] = {
  { "to", 0, 0, G_OPTION_ARG_STRING, &to, N_ ("Stop after this command"), N_ ("INDEX") },
  { "frames-dir", 0, 0, G_OPTION_ARG_FILENAME, &frames_dir,
    N_ ("Save every presented image in this folder, as frame-NNNNNN.ktx2"), N_ ("DIR") },
  { "frames-type", 0, 0, G_OPTION_ARG_STRING, &frames_type,
    N_ ("File type of the images: ktx2 (default, texels unchanged), png, pfm or raw"),
    N_ ("TYPE") },
  { "read-memory", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &read_memory,
    N_ ("Save the contents of a VkBuffer or VkDeviceMemory at the end; can be repeated"),
    N_ ("HANDLE:FILE") },
  { "poison", 0, 0, G_OPTION_ARG_NONE, &poison,
    N_ ("Fill memory that the trace lacks, or that the GPU wrote, with a pattern"),
    NULL },
  VTR_CLI_EDIT_ENTRIES,
  { "device", 0, 0, G_OPTION_ARG_STRING, &device,
    N_ ("Replay on this device: its name, a part of the name, or its number in vitrine-cli "
        "devices"),
    N_ ("DEVICE") },
  { "addresses", 0, 0, G_OPTION_ARG_STRING, &addresses,
    N_ ("Device addresses: “exact” keeps those of the capture or fails, “guess” looks for "
        "addresses in the program's data and replaces them (default: exact if possible)"),
    "exact|guess" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &check,
    N_ ("Show what prevents a replay on the device, without running it"), NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print the report as JSON"), NULL },
  { NULL },
};

typedef struct
{
  guint64 n_images; /* presented images that were read back */
  guint64 n_frames; /* frames that were replayed to their end */
  GError *error;    /* error of the first image that could not be written */
} Frames;

static void
on_frame (guint64   frame,
          VtrImage *image,
          gpointer  data)
{
  Frames *frames = data;
  g_autofree char *name = NULL;

  frames->n_images++;
  if (frames_dir == NULL || image == NULL || frames->error != NULL)
    return;

  name = g_strdup_printf ("%s/frame-%06" G_GUINT64_FORMAT ".%s", frames_dir, frame,
                          frames_type != NULL ? frames_type : "ktx2");
  vtr_image_save (image, name, &frames->error);
}

static void
on_progress (guint64  command,
             guint64  total,
             gpointer data)
{
  vtr_cli_progress (_ ("Replaying"), command, total);
}

static void
on_open_progress (guint64  done,
                  guint64  total,
                  gpointer data)
{
  vtr_cli_progress (_ ("Reading commands"), done, total);
}

/* The facts about estimated or matching addresses; NULL: the program queried none. (transfer
 * full) */
static JsonNode *
get_addresses (VtrDocument            *document,
               const VtrReplayOutcome *outcome)
{
  g_autoptr (JsonNode) report = NULL;
  JsonObject *kept;
  JsonNode *node;

  if (!vtr_document_guesses_addresses (document) && !outcome->failed && outcome->n_addresses > 0)
    {
      kept = json_object_new ();
      json_object_set_boolean_member (kept, "guaranteed", TRUE);
      json_object_set_int_member (kept, "kept", (gint64)outcome->n_addresses);
      node = json_node_new (JSON_NODE_OBJECT);
      json_node_take_object (node, kept);
      return node;
    }
  if (vtr_document_guesses_addresses (document))
    report = vtr_document_get (document, "compatibility", vtr_cli_get_cancellable (), NULL);
  return report != NULL ? json_object_dup_member (json_node_get_object (report), "addresses")
                        : NULL;
}

/* Adds how many shader group handles match, if the program queried any. */
static void
add_groups (JsonBuilder            *builder,
            const VtrReplayOutcome *outcome)
{
  if (outcome->failed || outcome->n_groups + outcome->n_other_groups == 0)
    return;
  json_builder_set_member_name (builder, "groups");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "guaranteed");
  json_builder_add_boolean_value (builder, outcome->n_other_groups == 0);
  json_builder_set_member_name (builder, "kept");
  json_builder_add_int_value (builder, (gint64)outcome->n_groups);
  json_builder_set_member_name (builder, "changed");
  json_builder_add_int_value (builder, (gint64)outcome->n_other_groups);
  json_builder_end_object (builder);
}

static void
print_groups (const VtrReplayOutcome *outcome)
{
  if (outcome->n_other_groups > 0)
    printf (_ ("Not guaranteed: %s of %s shader group handles differ from the capture and were "
               "replaced where they were found\n"),
            VTR_NUMBER (outcome->n_other_groups),
            VTR_NUMBER (outcome->n_groups + outcome->n_other_groups));
  else if (outcome->n_groups > 0)
    printf (_ ("Shader group handles match the capture (%s compared)\n"),
            VTR_NUMBER (outcome->n_groups));
}

/* The most entries of "uncertain" that are listed; all are counted. */
#define MOST_UNCERTAIN 1000

/* Counts the bytes of mapped memory that the GPU may have written. @uncertain: (nullable). Returns:
 * their number. */
static guint64
count_uncertain (const VtrUncertainWrites *uncertain)
{
  gsize n = 0;
  const VtrUncertainWrite *list =
    uncertain != NULL ? vtr_uncertain_writes_list (uncertain, &n) : NULL;
  guint64 bytes = 0;

  for (gsize i = 0; i < n; i++)
    if (!list[i].same)
      bytes += list[i].size;
  return bytes;
}

static void
add_uncertain (JsonBuilder              *builder,
               VtrTrace                 *trace,
               const VtrUncertainWrites *uncertain)
{
  gsize n = 0;
  const VtrUncertainWrite *list =
    uncertain != NULL ? vtr_uncertain_writes_list (uncertain, &n) : NULL;
  guint listed = 0;

  json_builder_set_member_name (builder, "uncertainBytes");
  json_builder_add_int_value (builder, (gint64)count_uncertain (uncertain));
  json_builder_set_member_name (builder, "uncertain");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n && listed < MOST_UNCERTAIN; i++)
    {
      const char *const names[] = { "command", "submission", "memory", "offset", "size" };
      const gint64 values[] = { vtr_trace_get_number (trace, list[i].index),
                                vtr_trace_get_number (trace, list[i].submit),
                                (gint64)list[i].memory, (gint64)list[i].offset,
                                (gint64)list[i].size };

      if (list[i].same)
        continue;
      listed++;
      json_builder_begin_object (builder);
      for (guint k = 0; k < G_N_ELEMENTS (names); k++)
        {
          json_builder_set_member_name (builder, names[k]);
          json_builder_add_int_value (builder, values[k]);
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
print_report (const VtrReplayOutcome   *outcome,
              VtrDocument              *document,
              const Frames             *frames,
              const VtrUncertainWrites *uncertain,
              const GError             *error)
{
  const VtrReplaySandbox sandbox = vtr_replay_sandbox_get ();
  VtrTrace *trace = vtr_document_get_trace (document);
  JsonNode *told = get_addresses (document, outcome);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) node = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "ok");
  json_builder_add_boolean_value (builder, error == NULL);
  json_builder_set_member_name (builder, "commands");
  json_builder_add_int_value (builder, vtr_trace_get_n_commands (trace) -
                                         vtr_trace_get_n_initial_commands (trace));
  json_builder_set_member_name (builder, "calls");
  json_builder_add_int_value (builder, outcome->n_calls);
  json_builder_set_member_name (builder, "frames");
  json_builder_add_int_value (builder, frames->n_frames);
  json_builder_set_member_name (builder, "images");
  json_builder_add_int_value (builder, frames->n_images);
  json_builder_set_member_name (builder, "microseconds");
  json_builder_add_int_value (builder, outcome->microseconds);
  json_builder_set_member_name (builder, "sandbox");
  json_builder_add_string_value (builder, vtr_replay_sandbox_name (&sandbox));
  if (told != NULL)
    {
      json_builder_set_member_name (builder, "addresses");
      json_builder_add_value (builder, told);
    }
  add_groups (builder, outcome);
  add_uncertain (builder, trace, uncertain);
  if (error != NULL)
    {
      json_builder_set_member_name (builder, "error");
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "message");
      json_builder_add_string_value (builder, error->message);
      if (outcome->failed)
        {
          json_builder_set_member_name (builder, "command");
          json_builder_add_int_value (builder, vtr_trace_get_number (trace, outcome->label));
        }
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  vtr_cli_print_json (node, FALSE);
}

/* One --read-memory option. */
typedef struct
{
  guint n;
  guint64 *objects;
  const char **files;
} Reads;

/* "0x55aa:FILE" */
static gboolean
parse_read_memory (const char  *text,
                   guint64     *object,
                   const char **file)
{
  const char *end = strchr (text, ':');
  gboolean hex = g_str_has_prefix (text, "0x");
  const char *digits = hex ? text + 2 : text;
  g_autofree char *number = NULL;

  if (end == NULL || end < digits || end[1] == '\0')
    return FALSE;
  number = g_strndup (digits, (gsize)(end - digits));
  *file = end + 1;
  return vtr_parse_number (number, hex ? 16 : 10, 1, G_MAXUINT64, object);
}

/* Returns: an error message; NULL: the options are valid. */
static const char *
parse_reads (Reads *reads)
{
  reads->n = read_memory != NULL ? g_strv_length (read_memory) : 0;
  reads->objects = g_new0 (guint64, reads->n);
  reads->files = g_new0 (const char *, reads->n);
  for (guint i = 0; i < reads->n; i++)
    {
      if (!parse_read_memory (read_memory[i], &reads->objects[i], &reads->files[i]))
        return _ ("--read-memory needs HANDLE:FILE, such as 0x55d0c0:out.bin.");
      if (vtr_cli_is_stdout (reads->files[i]))
        return _ ("--read-memory cannot use standard output. Name a file.");
      for (guint k = 0; k < i; k++)
        if (strcmp (reads->files[k], reads->files[i]) == 0)
          return _ ("Each --read-memory needs its own file.");
    }
  return NULL;
}

static gboolean
save_reads (const Reads  *reads,
            GBytes      **contents,
            GError      **error)
{
  for (guint i = 0; i < reads->n; i++)
    {
      gsize size;
      const char *data = contents[i] != NULL ? g_bytes_get_data (contents[i], &size) : NULL;

      if (contents[i] != NULL && !g_file_set_contents (reads->files[i], data, size, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
parse_addresses (VtrReplayAddresses *mode)
{
  if (g_strcmp0 (addresses, "exact") == 0)
    *mode = VTR_REPLAY_ADDRESSES_EXACT;
  else if (g_strcmp0 (addresses, "guess") == 0)
    *mode = VTR_REPLAY_ADDRESSES_GUESS;
  else
    return addresses == NULL;
  return TRUE;
}

/* The number of frames whose commands all come before @end, a flat index. */
static guint64
count_frames (VtrTrace *trace,
              guint64   end)
{
  guint64 low = 0, high = vtr_trace_get_n_frames (trace);

  while (low < high)
    {
      guint64 middle = low + (high - low) / 2;
      guint64 first, last;

      vtr_trace_get_frame (trace, middle, &first, &last);
      if (last < end)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static VtrCliStatus
run_replay (VtrDocument *document,
            guint64      last,
            const Reads *reads)
{
  g_autofree GBytes **contents = g_new0 (GBytes *, reads->n);
  g_autoptr (GError) error = NULL;
  VtrReplayAllOptions options = { .to = last, .poison = poison, .images = frames_dir != NULL };
  VtrReplayOutcome outcome = { 0 };
  Frames frames = { 0 };
  const VtrUncertainWrites *uncertain;
  g_autofree char *edits = vtr_cli_edit_format (document, &error);

  if (edits == NULL || !vtr_document_parse_edit (document, edits, &options.edit, &error))
    return vtr_cli_fail (error);
  options.frame = on_frame;
  options.progress = on_progress;
  options.data = &frames;
  options.read_objects = reads->objects;
  options.n_read_objects = reads->n;
  options.read_results = contents;

  vtr_replay_session_replay_all (vtr_document_get_replay_session (document), &options, &outcome,
                                 vtr_cli_get_cancellable (), &error);
  vtr_cli_progress_end ();
  frames.n_frames = count_frames (vtr_document_get_trace (document),
                                  error != NULL                  ? outcome.label
                                  : last == VTR_COMMAND_NO_INDEX ? last
                                                                 : last + 1);
  if (error == NULL && frames.error != NULL)
    error = g_steal_pointer (&frames.error);
  g_clear_error (&frames.error);
  if (error == NULL)
    save_reads (reads, contents, &error);
  for (guint i = 0; i < reads->n; i++)
    g_clear_pointer (&contents[i], g_bytes_unref);

  uncertain = vtr_replay_session_find_uncertain_writes (vtr_document_get_replay_session (document),
                                                        vtr_cli_get_cancellable (), NULL);
  if (json)
    print_report (&outcome, document, &frames, uncertain, error);
  if (error != NULL)
    return vtr_cli_fail (error);
  if (!json)
    printf (_ ("Replayed %s calls, %s frames in %.3f s\n"), VTR_NUMBER (outcome.n_calls),
            VTR_NUMBER (frames.n_frames), outcome.microseconds / 1e6);
  if (!json && vtr_document_guesses_addresses (document))
    puts (_ ("Not guaranteed: buffer addresses were estimated; --check has the details."));
  else if (!json && outcome.n_addresses > 0)
    printf (_ ("Addresses match the capture (%s compared)\n"),
            VTR_NUMBER (outcome.n_addresses));
  if (!json)
    print_groups (&outcome);
  if (!json && count_uncertain (uncertain) > 0)
    printf (_ ("%s bytes of mapped memory may have been written by the GPU, not by the program "
               "(see the report)\n"),
            VTR_NUMBER (count_uncertain (uncertain)));
  return VTR_CLI_OK;
}

/* Prints the path "compatibility", as JSON or as lines. Fails if the trace cannot replay. */
static VtrCliStatus
run_check (VtrDocument *document)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node =
    vtr_document_get (document, "compatibility", vtr_cli_get_cancellable (), &error);
  JsonObject *object;
  JsonArray *findings;
  gboolean possible;

  if (node == NULL)
    return vtr_cli_fail (error);
  object = json_node_get_object (node);
  findings = json_object_get_array_member (object, "findings");
  possible = json_object_get_boolean_member (object, "possible");
  if (json)
    vtr_cli_print_json (node, FALSE);
  else
    {
      printf (_ ("Replay on %s\n"), json_object_get_string_member (object, "device"));
      for (guint i = 0; i < json_array_get_length (findings); i++)
        {
          JsonObject *finding = json_array_get_object_element (findings, i);

          printf ("%-8s %s\n", json_object_get_string_member (finding, "level"),
                  json_object_get_string_member (finding, "text"));
        }
    }
  return possible ? VTR_CLI_OK : VTR_CLI_FAILED;
}

static gboolean
check_frames_type (GError **error)
{
  g_autofree char *name =
    g_strdup_printf ("frame.%s", frames_type != NULL ? frames_type : "ktx2");

  if (frames_type != NULL && (frames_dir == NULL || strchr (frames_type, '/') != NULL))
    {
      g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                           _ ("--frames-type needs --frames-dir and a file type such as png."));
      return FALSE;
    }
  return vtr_image_check_suffix (name, error);
}

VtrCliStatus
vtr_cli_replay (int    argc,
                char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (GError) error = NULL;
  GCancellable *cancellable;
  const char *complaint;
  guint64 last = VTR_COMMAND_NO_INDEX;
  Reads reads;
  VtrReplayAddresses mode = VTR_REPLAY_ADDRESSES_AUTO;
  VtrCliStatus status;

  if (!vtr_cli_parse ("replay", "FILE",
                      _ ("Replays the trace in a separate process and reports the result."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  complaint = parse_reads (&reads);
  if (complaint != NULL)
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", complaint);
  if (!parse_addresses (&mode))
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("--addresses needs exact or guess."));
  if (!check_frames_type (&error))
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", error->message);
  if (to != NULL && !vtr_cli_parse_index (to, &last, &error))
    return vtr_cli_fail (error);
  if (frames_dir != NULL && g_mkdir_with_parents (frames_dir, 0777) != 0)
    return vtr_cli_complain (VTR_CLI_FAILED, _ ("Cannot create the folder “%s”: %s"), frames_dir,
                             g_strerror (errno));

  /* Must run before a replayer exists, which Ctrl+C would end. */
  cancellable = vtr_cli_get_cancellable ();
  vtr_replay_process_prepare (argv[1]);
  document = vtr_document_open (argv[1], on_open_progress, NULL, cancellable, &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  if (device != NULL)
    vtr_document_set_replay_device (document, device);
  vtr_document_set_replay_addresses (document, mode);
  if (check)
    return run_check (document);
  if (to != NULL)
    last += vtr_trace_get_n_initial_commands (vtr_document_get_trace (document));
  return run_replay (document, last, &reads);
}
