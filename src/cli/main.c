/* vitrine-cli: captures, inspects and replays from a terminal or a script. */

#include "vtr-cli.h"
#include "vtr-config.h"

#include "base/vtr-file-limit.h"
#include "engine/format/vtr-locale.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const VtrCliVerb verbs[] = {
  { "capture", "[OPTION…] -- PROGRAM [ARGUMENT…]",
    N_ ("Run a program and record its Vulkan calls"), vtr_cli_capture },
  { "trigger", "[PID]", N_ ("Start a waiting capture"), vtr_cli_trigger },
  { "layer", "install|remove|status", N_ ("Let launchers start programs with the capture layer"),
    vtr_cli_layer },
  { "recover", "", N_ ("Complete traces that an interrupted capture left behind"),
    vtr_cli_recover },
  { "trim", "FILE", N_ ("Leave out objects that a trace's frames do not need"), vtr_cli_trim },
  { "info", "FILE", N_ ("Show what a trace contains"), vtr_cli_info },
  { "commands", "FILE", N_ ("List the calls"), vtr_cli_commands },
  { "get", "FILE PATH",
    N_ ("Print the call, parameter or state that a path names"), vtr_cli_get },
  { "timings", "FILE", N_ ("Measure the GPU time and statistics of a frame"),
    vtr_cli_timings },
  { "screenshot", "FILE", N_ ("Save the framebuffer after a call, or at the end of a frame"),
    vtr_cli_screenshot },
  { "shaders", "FILE", N_ ("List the shaders and their users, or save them"),
    vtr_cli_shaders },
  { "devices", "", N_ ("List the devices that a trace can replay on here"), vtr_cli_devices },
  { "report", "FILE", N_ ("List the problems of a trace"), vtr_cli_report },
  { "replay", "FILE", N_ ("Replay the trace"), vtr_cli_replay },
};

static void
print_help (void)
{
  printf (_ ("Usage: vitrine-cli VERB [OPTION…]\n\n"
             "Captures, inspects and replays Vulkan programs.\n\nVerbs:\n"));
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    printf ("  %-12s %s\n", verbs[i].name, _ (verbs[i].summary));
  printf (_ ("\n“vitrine-cli VERB --help” explains a verb; every verb accepts --json.\n"
             "\nExit status:\n"
             "  0    done\n"
             "  1    the request failed, or was only done in part\n"
             "  2    wrong command line: an option, a path, a filter or a file type\n"
             "  3    the trace is missing, unreadable or damaged\n"
             "  4    nothing was captured\n"
             "  5    the replay failed\n"
             "  6    a valid request without a result, such as a framebuffer before the first "
             "draw\n"
             "  7    the report lists errors\n"
             "  130  interrupted\n"));
}

/* Whether the reader has closed our output, as head does: that is no failure. */
static gboolean
is_closed (void)
{
  struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };

  return poll (&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLNVAL)) != 0;
}

/* Earlier writes may have failed too, such as on a full disk. */
static int
end_output (int status)
{
  gboolean failed = ferror (stdout) != 0;

  failed = fflush (stdout) != 0 || failed;
  if (!failed || is_closed ())
    return status;
  return vtr_cli_complain (status != VTR_CLI_OK ? (VtrCliStatus)status : VTR_CLI_FAILED,
                           _ ("Cannot write all of the output: there is no space left."));
}

int
main (int    argc,
      char **argv)
{
  vtr_file_limit_catch ();
  vtr_locale_init ();
  g_set_prgname ("vitrine-cli");

  if (argc < 2)
    {
      print_help ();
      return VTR_CLI_USAGE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 ||
      strcmp (argv[1], "help") == 0)
    {
      print_help ();
      return VTR_CLI_OK;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      printf ("vitrine-cli %s\n", PACKAGE_VERSION);
      return VTR_CLI_OK;
    }

  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (argv[1], verbs[i].name) == 0)
      return end_output (verbs[i].run (argc - 1, argv + 1));

  return vtr_cli_complain (VTR_CLI_USAGE, _ ("There is no verb “%s” (try “vitrine-cli --help”)."),
                           argv[1]);
}
