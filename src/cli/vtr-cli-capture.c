/* vitrine-cli capture: run a program with the layer and record it.
 * vitrine-cli recover: complete what was interrupted. */
#include "vtr-cli.h"

#include "engine/capture/vtr-capture-session.h"

#include <stdio.h>
#include <string.h>

#define STUCK_SECONDS 5

static gboolean json;
static gboolean quiet;
static gboolean keep_running;
static gboolean crash_mode;
static int n_frames;
static char *output;
static char *directory;
static char **environment;

static const GOptionEntry entries[] = {
  { "frames", 'n', 0, G_OPTION_ARG_INT, &n_frames,
    N_ ("End the recording after N frames, then the program"), "N" },
  { "keep-running", 'k', 0, G_OPTION_ARG_NONE, &keep_running,
    N_ ("Leave the program running when the recording ends"), NULL },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
    N_ ("Trace to write (default: PROGRAM-DATE.gfxtrace)"), N_ ("FILE") },
  { "directory", 'C', 0, G_OPTION_ARG_FILENAME, &directory, N_ ("Run the program in this folder"),
    N_ ("DIR") },
  { "env", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &environment, N_ ("Set a variable for the program"),
    N_ ("NAME=VALUE") },
  { "crash-mode", 0, 0, G_OPTION_ARG_NONE, &crash_mode, N_ ("For programs that die inside a call"),
    NULL },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, N_ ("Print nothing but errors"), NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Describe the capture as JSON"), NULL },
  { NULL },
};

typedef struct
{
  GMainLoop *loop;
  VtrCaptureSession *session;
  char *path;
  GError *error;
  gboolean explained;
  guint interruptions;
} Run;

static void
on_done (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  Run *run = data;

  run->path = vtr_capture_session_wait_finish (VTR_CAPTURE_SESSION (source), result, &run->error);
  g_main_loop_quit (run->loop);
}

static void
on_notice (VtrCaptureSession *session,
           const char        *text,
           gpointer           data)
{
  if (quiet)
    return;
  vtr_cli_progress_end ();
  fprintf (stderr, "vitrine-cli: %s\n", text);
}

static void
show_progress (Run *run)
{
  g_autofree char *text = NULL;
  VtrCaptureStats stats;

  vtr_capture_session_get_stats (run->session, &stats);
  if (n_frames > 0)
    vtr_cli_progress (_ ("Recording frames"), stats.frames, n_frames);
  else
    {
      text = g_strdup_printf (_ ("Recording · %s frames ·"), VTR_NUMBER (stats.frames));
      vtr_cli_progress (text, stats.commands, 0);
    }

  if (!run->explained && stats.state <= VTR_CAPTURE_STATE_WAITING &&
      stats.elapsed > STUCK_SECONDS * G_USEC_PER_SEC)
    {
      g_autofree char *why = vtr_capture_session_explain (run->session);

      run->explained = TRUE;
      if (why != NULL)
        on_notice (run->session, why, run);
    }
}

static gboolean
on_tick (gpointer data)
{
  Run *run = data;

  if (g_cancellable_is_cancelled (vtr_cli_get_cancellable ()))
    {
      /* The first Ctrl+C ends the recording; the trace is completed. */
      g_cancellable_reset (vtr_cli_get_cancellable ());
      run->interruptions++;
      vtr_capture_session_stop (run->session, !keep_running || run->interruptions > 1);
    }
  if (!quiet)
    show_progress (run);
  return G_SOURCE_CONTINUE;
}

static void
add_int (JsonBuilder *builder,
         const char  *name,
         gint64       value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
print_result (Run *run)
{
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (JsonNode) node = NULL;
  VtrCaptureStats stats;

  vtr_capture_session_get_stats (run->session, &stats);
  if (!json)
    {
      g_autofree char *size = g_format_size (stats.bytes);

      if (!quiet)
        printf (_ ("%s: %s frames, %s commands, %s\n"), run->path, VTR_NUMBER (stats.frames),
                VTR_NUMBER (stats.commands), size);
      return;
    }

  builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "path");
  json_builder_add_string_value (builder, run->path);
  add_int (builder, "pid", stats.pid);
  add_int (builder, "frames", stats.frames);
  add_int (builder, "commands", stats.commands);
  add_int (builder, "draws", stats.draws);
  add_int (builder, "bytes", stats.bytes);
  add_int (builder, "processes", stats.n_processes);
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  vtr_cli_print_json (node, FALSE);
}

static VtrCliStatus
run_session (const VtrCaptureOptions *options)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (VtrCaptureSession) session = NULL;
  g_autoptr (GError) error = NULL;
  Run run = { 0 };
  VtrCliStatus status = VTR_CLI_OK;
  guint tick;

  vtr_cli_get_cancellable ();
  session = vtr_capture_session_start (options, &error);
  if (session == NULL)
    return vtr_cli_fail (error);

  run.loop = loop;
  run.session = session;
  g_signal_connect (session, "notice", G_CALLBACK (on_notice), &run);
  vtr_capture_session_wait_async (session, NULL, on_done, &run);
  tick = g_timeout_add (50, on_tick, &run);
  g_main_loop_run (loop);
  g_source_remove (tick);
  vtr_cli_progress_end ();

  if (run.path == NULL)
    status = vtr_cli_fail (run.error);
  else
    print_result (&run);
  g_clear_error (&run.error);
  g_free (run.path);
  return status;
}

VtrCliStatus
vtr_cli_capture (int    argc,
                 char **argv)
{
  VtrCaptureOptions options = { 0 };
  VtrCliStatus status;

  if (!vtr_cli_parse ("capture", "-- PROGRAM [ARGUMENT…]",
                      _ ("Starts PROGRAM with the capture layer and records every Vulkan call from "
                         "its launch until "
                         "N frames are done, until it exits, or until Ctrl+C."),
                      entries, 1, G_MAXINT, &argc, &argv, &status))
    return status;
  if (n_frames < 0)
    return vtr_cli_complain (VTR_CLI_USAGE, _ ("--frames wants a number of at least 1."));
  for (char **variable = environment; variable != NULL && *variable != NULL; variable++)
    if (strchr (*variable, '=') == NULL || **variable == '=')
      return vtr_cli_complain (VTR_CLI_USAGE, _ ("--env wants NAME=VALUE, not “%s”."), *variable);

  argv++;
  if (g_str_equal (argv[0], "--"))
    argv++;
  if (argv[0] == NULL)
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("Say which program to run: vitrine-cli capture -- PROGRAM."));

  options.argv = (const char *const *)argv;
  options.directory = directory;
  options.environment = (const char *const *)environment;
  options.output = output;
  options.n_frames = n_frames;
  options.keep_running = keep_running;
  options.crash_mode = crash_mode;
  options.stdout_to_stderr = json;
  return run_session (&options);
}

VtrCliStatus
vtr_cli_recover (int    argc,
                 char **argv)
{
  static gboolean as_json;
  static const GOptionEntry recover_entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, N_ ("List the traces as JSON"), NULL },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) paths = NULL;
  VtrCliStatus status;

  if (!vtr_cli_parse ("recover", "",
                      _ ("Completes the traces of captures whose Vitrine or whose program died."),
                      recover_entries, 0, 0, &argc, &argv, &status))
    return status;

  paths = vtr_capture_recover (&error);
  if (paths == NULL)
    return vtr_cli_fail (error);

  if (as_json)
    {
      g_autoptr (JsonNode) node = json_node_new (JSON_NODE_ARRAY);
      JsonArray *array = json_array_new ();

      for (char **path = paths; *path != NULL; path++)
        json_array_add_string_element (array, *path);
      json_node_take_array (node, array);
      vtr_cli_print_json (node, FALSE);
    }
  else if (paths[0] == NULL)
    puts (_ ("Nothing to recover."));
  else
    for (char **path = paths; *path != NULL; path++)
      printf (_ ("Recovered %s\n"), *path);
  return VTR_CLI_OK;
}
