/* vitrine-cli capture: run a program with the layer and record it. */
#include "vtr-cli.h"
#include "vtr-cli-trigger.h"

#include "engine/capture/vtr-capture-session.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STUCK_SECONDS 5

static gboolean json;
static gboolean quiet;
static gboolean keep_running;
static gboolean crash_mode;
static gboolean idle;
static gboolean wait_for_program;
static gboolean trim;
static gboolean on_signal;
static int signal_number;
/* The smallest value means that the option was not given. */
static int n_frames = G_MININT;
static gint64 at_frame = G_MININT64;
static double after = -G_MAXDOUBLE;
static int every;
static int times;
static char *output;
static char *directory;
static char **environment;
static char *tracker;
static char **pass_extensions;
static char **only;
static char * * not ;

static gboolean
parse_signal (const char  *option,
              const char  *value,
              gpointer     data,
              GError     **error)
{
  static const struct
  {
    const char *name;
    int number;
  } signals[] = { { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "HUP", SIGHUP } };

  on_signal = TRUE;
  signal_number = SIGUSR1;
  if (value == NULL)
    return TRUE;
  if (g_str_has_prefix (value, "SIG"))
    value += strlen ("SIG");
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (g_str_equal (value, signals[i].name))
      {
        signal_number = signals[i].number;
        return TRUE;
      }
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               _ ("“%s” is not a valid signal. Use USR1, USR2 or HUP"), value);
  return FALSE;
}

static const GOptionEntry entries[] = {
  { "frames", 'n', 0, G_OPTION_ARG_INT, &n_frames,
    N_ ("Stop after N frames (default: when the program exits; 1 if the capture starts in the "
        "middle of the run)"),
    "N" },
  { "at-frame", 0, 0, G_OPTION_ARG_INT64, &at_frame,
    N_ ("Start at frame N, counting from 0"), "N" },
  { "after", 0, 0, G_OPTION_ARG_DOUBLE, &after,
    N_ ("Start this many seconds after launch"), N_ ("SECONDS") },
  { "on-signal", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, parse_signal,
    N_ ("Capture when vitrine-cli gets this signal (default: USR1)"), "USR1" },
  { "idle", 0, 0, G_OPTION_ARG_NONE, &idle,
    N_ ("Capture when you press Enter or run “vitrine-cli trigger”"), NULL },
  { "every", 0, 0, G_OPTION_ARG_INT, &every,
    N_ ("Start another capture every N frames"), "N" },
  { "times", 0, 0, G_OPTION_ARG_INT, &times, N_ ("Stop after N captures"), "N" },
  { "trim", 0, 0, G_OPTION_ARG_NONE, &trim,
    N_ ("Leave out objects that the captured frames do not need; not for captures from launch"),
    NULL },
  { "wait", 0, 0, G_OPTION_ARG_NONE, &wait_for_program,
    N_ ("Wait for a program started elsewhere with VITRINE_CAPTURE=1"), NULL },
  { "only", 0, 0, G_OPTION_ARG_STRING_ARRAY, &only,
    N_ ("Record only processes with this name, e.g. “game*”; can be repeated"), N_ ("NAME") },
  { "not", 0, 0, G_OPTION_ARG_STRING_ARRAY, &not,
    N_ ("Never record processes with this name; can be repeated"), N_ ("NAME") },
  { "keep-running", 'k', 0, G_OPTION_ARG_NONE, &keep_running,
    N_ ("Leave the program running after the capture finishes"), NULL },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
    N_ ("Trace to write (default: PROGRAM-DATE.gfxtrace); “%d” stands for the number of the "
        "capture"),
    N_ ("FILE") },
  { "directory", 'C', 0, G_OPTION_ARG_FILENAME, &directory, N_ ("Run the program in this folder"),
    N_ ("DIR") },
  { "env", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &environment, N_ ("Set a variable for the program"),
    N_ ("NAME=VALUE") },
  { "tracker", 0, 0, G_OPTION_ARG_STRING, &tracker,
    N_ ("How to track writes to mapped memory: “uffd”, “compare”, “uffd-sync” or “mprotect” "
        "(default: the fastest in a short test)"),
    N_ ("METHOD") },
  { "pass-extension", 0, 0, G_OPTION_ARG_STRING_ARRAY, &pass_extensions,
    N_ ("Let the program use a Vulkan extension that Vitrine cannot record and would hide "
        "(“all”: all of them); the trace does not contain what the program does with it; can "
        "be repeated"),
    N_ ("NAME") },
  { "crash-mode", 0, 0, G_OPTION_ARG_NONE, &crash_mode,
    N_ ("Save each call before it runs, for programs that crash inside a Vulkan call; slower"),
    NULL },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, N_ ("Print only errors"), NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json,
    N_ ("Describe the capture as JSON: a line for each trace, and one at the end"), NULL },
  { NULL },
};

typedef struct
{
  GMainLoop *loop;
  VtrCaptureSession *session;
  const VtrCaptureOptions *options;
  VtrCliTrigger *trigger;
  char *path;
  GError *error;
  char *why; /* owned; NULL: the program is not stuck */
  gint64 why_since;
  gboolean explained; /* the user has been told */
  gboolean told_idle;
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

/* A capture was requested: at the terminal, by a signal, or from another process. */
static void
on_trigger (gpointer data)
{
  Run *run = data;
  g_autoptr (GError) error = NULL;

  if (!vtr_capture_session_trigger (run->session, &error))
    on_notice (run->session, error->message, run);
}

static void
show_idle (Run                   *run,
           const VtrCaptureStats *stats)
{
  g_autofree char *text = NULL;

  if (stats->frames_per_second > 0)
    text = g_strdup_printf (_ ("Running · %.0f frames per second · frame"),
                            stats->frames_per_second);
  else
    text = g_strdup (_ ("Running · frame"));
  vtr_cli_progress (text, stats->presented, 0);
  if (run->told_idle || run->options->trigger != VTR_CAPTURE_BY_HAND)
    return;
  run->told_idle = TRUE;
  if (on_signal)
    {
      g_autofree char *sentence =
        g_strdup_printf (_ ("Ready. To capture: kill -%d %d"), signal_number, (int)getpid ());

      on_notice (run->session, sentence, run);
    }
  else
    on_notice (run->session, _ ("Ready. Press Enter to capture, Ctrl+C to end."), run);
}

/* Prints what keeps the program from its first frame, once a reason has lasted for a while. */
static void
explain_wait (Run                   *run,
              const VtrCaptureStats *stats)
{
  g_autofree char *why = NULL;

  if (stats->state >= VTR_CAPTURE_STATE_FINISHING)
    return;
  why = vtr_capture_session_explain (run->session);
  if (g_strcmp0 (why, run->why) != 0)
    {
      g_free (run->why);
      run->why = g_steal_pointer (&why);
      run->why_since = stats->elapsed;
      run->explained = FALSE;
    }
  else if (why != NULL && !run->explained &&
           stats->elapsed - run->why_since > STUCK_SECONDS * G_USEC_PER_SEC)
    {
      run->explained = TRUE;
      on_notice (run->session, why, run);
    }
}

static void
show_progress (Run *run)
{
  g_autofree char *text = NULL;
  VtrCaptureStats stats;

  vtr_capture_session_get_stats (run->session, &stats);
  if (stats.state == VTR_CAPTURE_STATE_IDLE)
    show_idle (run, &stats);
  else if (run->options->n_frames > 0)
    vtr_cli_progress (_ ("Recording frames"), stats.current_frames, run->options->n_frames);
  else
    {
      text = g_strdup_printf (_ ("Recording · %s frames ·"), VTR_NUMBER (stats.frames));
      vtr_cli_progress (text, stats.commands, 0);
    }

  explain_wait (run, &stats);
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
add_trace (JsonBuilder           *builder,
           const VtrCaptureTrace *trace)
{
  json_builder_set_member_name (builder, "path");
  json_builder_add_string_value (builder, trace->path);
  add_int (builder, "pid", trace->pid);
  add_int (builder, "number", trace->nth);
  add_int (builder, "first_frame", (gint64)trace->first_frame);
  add_int (builder, "frames", (gint64)trace->frames);
  add_int (builder, "commands", (gint64)trace->commands);
  add_int (builder, "draws", (gint64)trace->draws);
  add_int (builder, "bytes", (gint64)trace->bytes);
}

static void
on_captured (VtrCaptureSession *session,
             VtrCaptureTrace   *trace,
             gpointer           data)
{
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (JsonNode) node = NULL;

  vtr_cli_progress_end ();
  if (!json)
    {
      g_autofree char *size = g_format_size (trace->bytes);

      if (!quiet)
        printf (g_dngettext (NULL, "%s: %s frame, %s commands, %s\n",
                             "%s: %s frames, %s commands, %s\n", (gulong)trace->frames),
                trace->path, VTR_NUMBER (trace->frames), VTR_NUMBER (trace->commands), size);
      fflush (stdout);
      return;
    }
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "event");
  json_builder_add_string_value (builder, "captured");
  add_trace (builder, trace);
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  vtr_cli_print_json (node, FALSE);
  fflush (stdout);
}

static void
add_processes (JsonBuilder       *builder,
               VtrCaptureSession *session)
{
  static const char *const states[] = { "idle", "recording", "recorded", "passed over", "ended",
                                        "missed" };
  g_autoptr (GPtrArray) processes = vtr_capture_session_list_processes (session);

  json_builder_set_member_name (builder, "process_list");
  json_builder_begin_array (builder);
  for (guint i = 0; i < processes->len; i++)
    {
      const VtrCaptureProcessInfo *process = g_ptr_array_index (processes, i);

      json_builder_begin_object (builder);
      add_int (builder, "pid", process->pid);
      add_int (builder, "parent", process->parent_pid);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, process->name);
      json_builder_set_member_name (builder, "state");
      json_builder_add_string_value (builder, states[process->state]);
      add_int (builder, "presented", (gint64)process->presented);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_withheld (JsonBuilder       *builder,
              VtrCaptureSession *session)
{
  g_auto (GStrv) withheld = vtr_capture_session_dup_withheld (session);

  json_builder_set_member_name (builder, "withheld");
  json_builder_begin_array (builder);
  for (gsize i = 0; withheld[i] != NULL; i++)
    json_builder_add_string_value (builder, withheld[i]);
  json_builder_end_array (builder);
}

static void
print_result (Run *run)
{
  GPtrArray *traces = vtr_capture_session_get_traces (run->session);
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (JsonNode) node = NULL;
  VtrCaptureStats stats;

  vtr_capture_session_get_stats (run->session, &stats);
  if (!json)
    return;
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "path");
  json_builder_add_string_value (builder, vtr_capture_session_get_path (run->session));
  add_int (builder, "pid", stats.pid);
  add_int (builder, "frames", stats.frames);
  add_int (builder, "commands", stats.commands);
  add_int (builder, "draws", stats.draws);
  add_int (builder, "bytes", stats.bytes);
  add_int (builder, "presented", (gint64)stats.presented);
  json_builder_set_member_name (builder, "traces");
  json_builder_begin_array (builder);
  for (guint i = 0; i < traces->len; i++)
    {
      json_builder_begin_object (builder);
      add_trace (builder, g_ptr_array_index (traces, i));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  add_withheld (builder, run->session);
  add_int (builder, "processes", stats.n_processes);
  add_int (builder, "missed", stats.n_missed);
  add_processes (builder, run->session);
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
  VtrCaptureStats stats;
  guint tick;

  vtr_cli_get_cancellable ();
  session = vtr_capture_session_start (options, &error);
  if (session == NULL)
    return vtr_cli_fail (error);

  run.loop = loop;
  run.session = session;
  run.options = options;
  g_signal_connect (session, "notice", G_CALLBACK (on_notice), &run);
  g_signal_connect (session, "captured", G_CALLBACK (on_captured), &run);
  run.trigger = vtr_cli_trigger_listen (on_signal ? signal_number : 0, idle, on_trigger, &run);
  vtr_capture_session_wait_async (session, NULL, on_done, &run);
  tick = g_timeout_add (50, on_tick, &run);
  g_main_loop_run (loop);
  g_source_remove (tick);
  vtr_cli_trigger_free (run.trigger);
  vtr_cli_progress_end ();

  /* Calls that were recorded before an error are a result, too. */
  if (run.path != NULL || vtr_capture_session_get_traces (session)->len > 0)
    print_result (&run);
  if (run.path == NULL)
    status = vtr_cli_fail (run.error);
  if (run.path == NULL && vtr_capture_session_get_traces (session)->len > 0)
    status = VTR_CLI_FAILED;
  vtr_capture_session_get_stats (session, &stats);
  if (status == VTR_CLI_OK && stats.n_missed > 0)
    status = VTR_CLI_FAILED;
  g_clear_error (&run.error);
  g_free (run.path);
  g_free (run.why);
  return status;
}

/* Checks the numbers. Returns: NULL if they are valid, otherwise a sentence. */
static const char *
find_bad_number (void)
{
  if ((n_frames < 0 && n_frames != G_MININT) ||
      (n_frames == 0 && (at_frame >= 0 || after >= 0 || on_signal || idle)))
    return _ ("--frames needs a number of at least 1.");
  if (at_frame < 0 && at_frame != G_MININT64)
    return _ ("--at-frame needs a number of at least 0.");
  if (after < 0 && after > -G_MAXDOUBLE)
    return _ ("--after needs a number of seconds of at least 0.");
  if (every < 0)
    return _ ("--every needs a number of at least 1.");
  if (times < 0)
    return _ ("--times needs a number of at least 1.");
  if ((at_frame >= 0) + (after >= 0) + on_signal + idle > 1)
    return _ ("Use only one of --at-frame, --after, --on-signal and --idle.");
  return NULL;
}

static void
fill_trigger (VtrCaptureOptions *options)
{
  if (at_frame >= 0)
    options->trigger = VTR_CAPTURE_AT_FRAME;
  else if (after >= 0)
    options->trigger = VTR_CAPTURE_AFTER_SECONDS;
  else if (on_signal || idle)
    options->trigger = VTR_CAPTURE_BY_HAND;
  else if (every > 0)
    {
      /* Without a start, --every begins with the first frame that is a multiple. */
      options->trigger = VTR_CAPTURE_AT_FRAME;
      at_frame = every;
    }
  options->frame = (guint64)MAX (at_frame, 0);
  options->seconds = MAX (after, 0);
  options->n_frames = (guint64)MAX (n_frames, 0);
  if (options->trigger != VTR_CAPTURE_FROM_LAUNCH)
    options->n_frames = MAX (options->n_frames, 1);
  options->every = (guint64)every;
  options->times = (guint64)times;
  options->trim = trim;
}

/* The layer reads these options from environment variables. */
static void
add_variable (const char *name,
              const char *value)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *pair = g_strdup_printf ("%s=%s", name, value);

  if (environment != NULL)
    g_strv_builder_addv (builder, (const char **)environment);
  g_strv_builder_add (builder, pair);
  environment = g_strv_builder_end (builder);
}

/* Applies --pass-extension. Returns: VTR_CLI_OK, or the status of an error that was printed. */
static VtrCliStatus
apply_pass_extensions (void)
{
  g_autofree char *names = NULL;

  if (pass_extensions == NULL)
    return VTR_CLI_OK;
  names = g_strjoinv (",", pass_extensions);
  if (wait_for_program)
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("--pass-extension is for a program that is started here. With "
                                "--wait, start the program with VITRINE_PASS_EXTENSIONS=%s."),
                             names);
  add_variable ("VITRINE_PASS_EXTENSIONS", names);
  return VTR_CLI_OK;
}

/* Applies --tracker. Returns: VTR_CLI_OK, or the status of an error that was printed. */
static VtrCliStatus
apply_tracker (void)
{
  static const char *const ways[] = { "auto", "uffd", "compare", "uffd-sync", "mprotect", NULL };

  if (tracker == NULL)
    return VTR_CLI_OK;
  if (!g_strv_contains (ways, tracker))
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("“%s” is not a valid tracker. Use auto, uffd, compare, "
                                "uffd-sync or mprotect."),
                             tracker);
  if (wait_for_program)
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("--tracker is for a program that is started here. With --wait, "
                                "start the program with VITRINE_TRACKER=%s."),
                             tracker);
  add_variable ("VITRINE_TRACKER", tracker);
  return VTR_CLI_OK;
}

static VtrCliStatus
check_program (int    argc,
               char **argv)
{
  if (wait_for_program && argv[0] != NULL)
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("--wait waits for a program that is started elsewhere. Use "
                                "either --wait or “%s”."),
                             argv[0]);
  if (wait_for_program && (environment != NULL || directory != NULL))
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("--env and --directory are for a program that is started here, "
                                "not for --wait."));
  if (!wait_for_program && argv[0] == NULL)
    return vtr_cli_complain (VTR_CLI_USAGE,
                             _ ("Say which program to run: vitrine-cli capture -- PROGRAM."));
  return VTR_CLI_OK;
}

VtrCliStatus
vtr_cli_capture (int    argc,
                 char **argv)
{
  VtrCaptureOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  const char *mistake;
  VtrCliStatus status;

  if (!vtr_cli_parse ("capture", "-- PROGRAM [ARGUMENT…]",
                      _ ("Starts PROGRAM with the capture layer and records its Vulkan calls "
                         "from launch until N frames are done, the program exits, or you press "
                         "Ctrl+C. With --at-frame, --after, --on-signal or --idle, records only "
                         "some frames in the middle of the run."),
                      entries, 0, G_MAXINT, &argc, &argv, &status))
    return status;
  mistake = find_bad_number ();
  if (mistake != NULL)
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", mistake);
  for (char **variable = environment; variable != NULL && *variable != NULL; variable++)
    if (strchr (*variable, '=') == NULL || **variable == '=')
      return vtr_cli_complain (VTR_CLI_USAGE, _ ("--env needs NAME=VALUE, not “%s”."), *variable);

  argv++;
  if (argv[0] != NULL && g_str_equal (argv[0], "--"))
    argv++;
  status = check_program (argc, argv);
  if (status == VTR_CLI_OK)
    status = apply_tracker ();
  if (status == VTR_CLI_OK)
    status = apply_pass_extensions ();
  if (status != VTR_CLI_OK)
    return status;

  fill_trigger (&options);
  options.argv = wait_for_program ? NULL : (const char *const *)argv;
  options.wait = wait_for_program;
  options.directory = directory;
  options.environment = (const char *const *)environment;
  options.output = output;
  options.keep_running = keep_running;
  options.crash_mode = crash_mode;
  options.only = (const char *const *)only;
  options.not = (const char *const *)not ;
  options.stdout_to_stderr = json;
  if (!vtr_capture_options_check (&options, &error))
    return vtr_cli_complain (VTR_CLI_USAGE, "%s", error->message);
  return run_session (&options);
}
