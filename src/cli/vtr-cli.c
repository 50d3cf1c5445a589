/* The code that all verbs of vitrine-cli use: parsing options, error messages, progress, Ctrl+C,
 * and JSON output. */
#include "vtr-cli.h"
#include "vtr-config.h"

#include "engine/capture/vtr-capture-session.h"
#include "engine/memory/vtr-memory.h"
#include "engine/replay/vtr-replay-backend.h"
#include "engine/document/vtr-document.h"
#include "engine/answers/vtr-json-text.h"
#include "base/vtr-number.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gboolean progress_shown;

/* --- Options --------------------------------------------------------------------------------- */

/* An option that takes one value may be given once. Options that collect values and switches may be
 * repeated. */
static gboolean
is_single (const GOptionEntry *entry)
{
  switch (entry->arg)
    {
    case G_OPTION_ARG_NONE:
    case G_OPTION_ARG_STRING_ARRAY:
    case G_OPTION_ARG_FILENAME_ARRAY:
      return FALSE;
    default:
      return TRUE;
    }
}

/* The entry whose value is in @argument, or in the next argument (@takes_next). NULL: none. */
static const GOptionEntry *
find_entry (const GOptionEntry *entries,
            const char         *argument,
            gboolean           *takes_next)
{
  const char *name = argument + 2;
  gsize length = strcspn (name, "=");

  *takes_next = FALSE;
  if (argument[0] != '-' || argument[1] == '\0')
    return NULL;
  if (argument[1] == '-')
    {
      for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
        if (strlen (entry->long_name) == length && strncmp (entry->long_name, name, length) == 0)
          {
            *takes_next = name[length] == '\0' && entry->arg != G_OPTION_ARG_NONE &&
                          (entry->flags & G_OPTION_FLAG_OPTIONAL_ARG) == 0;
            return entry;
          }
      return NULL;
    }
  /* Switches may stand before it in the same word: "-qo FILE". */
  for (const char *letter = argument + 1; *letter != '\0'; letter++)
    for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
      if (entry->short_name == *letter && entry->arg != G_OPTION_ARG_NONE)
        {
          *takes_next = letter[1] == '\0';
          return entry;
        }
  return NULL;
}

/* Finds an option that takes one value and was given twice; GOption would silently use the last
 * one. Returns: its long name; NULL: there is none. */
static const char *
find_repeated (const GOptionEntry  *entries,
               int                  argc,
               char               **argv)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gboolean takes_next;

  for (int i = 1; i < argc && strcmp (argv[i], "--") != 0; i++)
    {
      const GOptionEntry *entry = find_entry (entries, argv[i], &takes_next);

      if (entry != NULL && is_single (entry) && !g_hash_table_add (seen, (gpointer)entry))
        return entry->long_name;
      i += takes_next;
    }
  return NULL;
}

/* Finds an option with the value "-" that cannot write to standard output. NULL: there is none. */
static const char *
find_misplaced_stdout (const GOptionEntry *entries)
{
  for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
    if (entry->arg == G_OPTION_ARG_FILENAME && !vtr_cli_may_be_stdout (entry) &&
        vtr_cli_is_stdout (*(char **)entry->arg_data))
      return entry->long_name;
  return NULL;
}

gboolean
vtr_cli_parse (const char           *verb,
               const char           *arguments,
               const char           *description,
               const GOptionEntry   *entries,
               int                   minimum,
               int                   maximum,
               int                  *argc,
               char               ***argv,
               VtrCliStatus         *status)
{
  g_autofree char *parameters = g_strdup (arguments);
  g_autofree char *name = g_strconcat ("vitrine-cli ", verb, NULL);
  g_autoptr (GOptionContext) context = g_option_context_new (parameters);
  g_autoptr (GError) error = NULL;
  const char *repeated, *misplaced;
  int count;

  g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  g_option_context_set_summary (context, description);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_strict_posix (context, FALSE);
  g_set_prgname (name);

  for (int i = 1; i < *argc && strcmp ((*argv)[i], "--") != 0; i++)
    if (strcmp ((*argv)[i], "--help") == 0 || strcmp ((*argv)[i], "-h") == 0)
      {
        g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);

        fputs (help, stdout);
        *status = VTR_CLI_OK;
        return FALSE;
      }

  repeated = find_repeated (entries, *argc, *argv);
  if (repeated != NULL)
    {
      *status = vtr_cli_complain (VTR_CLI_USAGE, _ ("“--%s” can be given only once."),
                                  repeated);
      return FALSE;
    }
  if (!g_option_context_parse (context, argc, argv, &error))
    {
      *status = vtr_cli_complain (VTR_CLI_USAGE, _ ("%s (try “%s --help”)"), error->message, name);
      return FALSE;
    }

  misplaced = find_misplaced_stdout (entries);
  if (misplaced != NULL)
    {
      *status = vtr_cli_complain (VTR_CLI_USAGE,
                                  _ ("“--%s” cannot use standard output. Give it a name; “./-” is "
                                     "a file or folder called “-”."),
                                  misplaced);
      return FALSE;
    }

  count = *argc - 1;
  if (count < minimum || count > maximum)
    {
      if (count < minimum)
        *status = vtr_cli_complain (VTR_CLI_USAGE, _ ("Missing argument. Usage: %s %s"), name,
                                    arguments);
      else
        *status = vtr_cli_complain (VTR_CLI_USAGE, _ ("Too many arguments. Usage: %s %s"), name,
                                    arguments);
      return FALSE;
    }
  return TRUE;
}

VtrCliStatus
vtr_cli_complain (VtrCliStatus status,
                  const char *format,
                  ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  vtr_cli_progress_end ();
  fprintf (stderr, "vitrine-cli: %s\n", message);
  return status;
}

VtrCliStatus
vtr_cli_fail (const GError *error)
{
  VtrCliStatus status = VTR_CLI_FAILED;

  /* Ctrl+C reaches all processes of the terminal, so it is also the reason for later errors. */
  if (g_cancellable_is_cancelled (vtr_cli_get_cancellable ()))
    return vtr_cli_complain (VTR_CLI_INTERRUPTED, _ ("Interrupted."));
  if (error->domain == VTR_TRACE_ERROR)
    status = error->code == VTR_TRACE_ERROR_RANGE ? VTR_CLI_NO_ANSWER : VTR_CLI_NO_TRACE;
  else if (error->domain == VTR_CAPTURE_ERROR)
    status = VTR_CLI_NO_CAPTURE;
  else if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED))
    status = VTR_CLI_NO_ANSWER;
  else if (error->domain == VTR_REPLAY_ERROR)
    status = error->code == VTR_REPLAY_ERROR_UNSUPPORTED ? VTR_CLI_NO_ANSWER : VTR_CLI_NO_REPLAY;
  else if (g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH) ||
           g_error_matches (error, VTR_MEMORY_ERROR, VTR_MEMORY_ERROR_RANGE))
    status = VTR_CLI_USAGE;
  else if (error->domain == VTR_IMAGE_ERROR)
    status = error->code == VTR_IMAGE_ERROR_FORMAT ? VTR_CLI_NO_ANSWER : VTR_CLI_NO_REPLAY;
  else if (error->domain == VTR_RESOLVE_ERROR || error->domain == VTR_MEMORY_ERROR)
    status = VTR_CLI_NO_ANSWER;
  else if (error->domain == G_OPTION_ERROR)
    status = VTR_CLI_USAGE;

  return vtr_cli_complain (status, "%s", error->message);
}

static gboolean
on_signal (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

/* Signals are handled by a thread of its own, because the blocking verbs run no main loop. */
static gpointer
run_loop (gpointer data)
{
  g_main_loop_run (data);
  return NULL;
}

/* The signals are caught when this returns, not only once the thread runs. */
static void
watch_signals (GCancellable *cancellable)
{
  static const int signals[] = { SIGINT, SIGTERM };
  g_autoptr (GMainContext) context = g_main_context_new ();

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GSource) source = g_unix_signal_source_new (signals[i]);

      g_source_set_callback (source, on_signal, cancellable, NULL);
      g_source_attach (source, context);
    }
  g_thread_unref (g_thread_new ("signals", run_loop, g_main_loop_new (context, FALSE)));
}

GCancellable *
vtr_cli_get_cancellable (void)
{
  static GCancellable *cancellable;

  if (cancellable == NULL)
    {
      cancellable = g_cancellable_new ();
      watch_signals (cancellable);
    }
  return cancellable;
}

void
vtr_cli_progress (const char *what,
                  guint64     done,
                  guint64     total)
{
  static gint64 last;
  gint64 now = g_get_monotonic_time ();
  char bar[31];
  int filled;

  if (!isatty (STDERR_FILENO) || now - last < 50 * 1000)
    return;
  last = now;
  progress_shown = TRUE;
  if (total == 0)
    {
      fprintf (stderr, "\r%s %" G_GUINT64_FORMAT "\033[K", what, done);
      return;
    }

  filled = (int)(MIN (done, total) * 30 / total);
  memset (bar, '-', 30);
  memset (bar, '#', filled);
  bar[30] = '\0';
  fprintf (stderr, "\r%s [%s] %3d %%\033[K", what, bar, (int)(MIN (done, total) * 100 / total));
}

void
vtr_cli_progress_end (void)
{
  if (progress_shown)
    fputs ("\r\033[K", stderr);
  progress_shown = FALSE;
}

void
vtr_cli_print_json (JsonNode *node,
                    gboolean  pretty)
{
  g_autofree char *text = vtr_json_to_text (node, pretty);

  puts (text);
}

gboolean
vtr_cli_parse_index (const char  *text,
                     guint64     *out,
                     GError     **error)
{
  if (vtr_parse_number (text, 10, 0, G_MAXUINT64 - 1, out))
    return TRUE;

  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               _ ("“%s” is not a valid command number. Use one that “vitrine-cli commands” lists."),
               text);
  return FALSE;
}
