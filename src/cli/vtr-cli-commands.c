/* vitrine-cli commands: the calls of a trace, one per line. */
#include "vtr-cli.h"
#include "engine/document/vtr-document.h"
#include "engine/format/vtr-foreign-command.h"

#include "api/vtr-api-print.h"
#include "engine/model/vtr-command-tree.h"

#include <stdio.h>
#include <string.h>

static gboolean json;
static char *filter;
static char *first;
static char *last;
static gboolean initial;

static const GOptionEntry entries[] = {
  { "filter", 'f', 0, G_OPTION_ARG_STRING, &filter,
    N_ ("List only matching commands, with the window's filters: draw, dispatch, pass:NAME, "
        "name:REGEX, -word, …"),
    N_ ("FILTER") },
  { "from", 0, 0, G_OPTION_ARG_STRING, &first, N_ ("First command to list"), N_ ("INDEX") },
  { "to", 0, 0, G_OPTION_ARG_STRING, &last, N_ ("Last command to list"), N_ ("INDEX") },
  { "initial", 0, 0, G_OPTION_ARG_NONE, &initial,
    N_ ("List instead the commands that restore the state before the first call"), NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object per line"), NULL },
  { NULL },
};

static void
on_progress (guint64  done,
             guint64  total,
             gpointer data)
{
  vtr_cli_progress (_ ("Reading commands"), done, total);
}

static void
append_text (VtrBuffer  *buffer,
             const char *text)
{
  vtr_buffer_append (buffer, text, strlen (text));
}

static void
append_number (VtrBuffer  *buffer,
               const char *name,
               guint64     value)
{
  char text[64];

  g_snprintf (text, sizeof text, "\"%s\":%" G_GUINT64_FORMAT, name, value);
  append_text (buffer, text);
}

static void
append_json (VtrBuffer        *buffer,
             VtrTrace         *trace,
             const VtrCommand *command)
{
  g_autofree char *number = vtr_trace_format_number (trace, command->index);
  const char *name = vtr_trace_get_command_name (trace, command->index);
  const VtrApiEnv env = vtr_trace_get_env (trace);

  append_text (buffer, initial ? "{\"index\":\"" : "{\"index\":");
  append_text (buffer, number);
  append_text (buffer, initial ? "\"" : "");
  append_text (buffer, ",\"name\":");
  vtr_json_append_string (buffer, name, strlen (name));
  append_text (buffer, ",");
  append_number (buffer, "thread", command->thread);
  if (command->flags != 0)
    {
      append_text (buffer, ",");
      append_number (buffer, "flags", command->flags);
    }
  append_text (buffer, ",\"parameters\":");
  vtr_command_json (command, &env, buffer);
  append_text (buffer, ",\"result\":");
  vtr_command_json_result (command, buffer);
  append_text (buffer, "}\n");
}

static void
append_plain (VtrBuffer        *buffer,
              VtrTrace         *trace,
              const VtrCommand *command)
{
  g_autofree char *number = vtr_trace_format_number (trace, command->index);
  const VtrApiEnv env = vtr_trace_get_env (trace);

  append_text (buffer, number);
  append_text (buffer, "  ");
  vtr_command_print (command, &env, buffer);
  append_text (buffer, "\n");
}

typedef struct
{
  VtrTrace *trace;
  VtrArena arena;
  VtrBuffer buffer;
} Printer;

static gboolean
print_command (Printer  *printer,
               guint64   index,
               GError  **error)
{
  VtrCommand command;

  vtr_arena_reset (&printer->arena);
  vtr_buffer_clear (&printer->buffer);
  if (!vtr_trace_decode (printer->trace, index, &printer->arena, &command, error))
    return FALSE;
  if (json)
    append_json (&printer->buffer, printer->trace, &command);
  else
    append_plain (&printer->buffer, printer->trace, &command);

  if (fwrite (printer->buffer.data, 1, printer->buffer.size, stdout) != printer->buffer.size)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, _ ("The output was closed."));
      return FALSE;
    }
  return !g_cancellable_set_error_if_cancelled (vtr_cli_get_cancellable (), error);
}

/* The requested range [*from, *end): numbers of the program's calls, or of the initial commands. */
static gboolean
get_range (VtrTrace  *trace,
           guint64   *from,
           guint64   *end,
           GError   **error)
{
  guint64 n_initial = vtr_trace_get_n_initial_commands (trace);
  guint64 base = initial ? 0 : n_initial;
  guint64 n = initial ? n_initial : vtr_trace_get_n_commands (trace) - n_initial;
  guint64 low = 0, high = n;

  if (first != NULL && !vtr_cli_parse_index (first, &low, error))
    return FALSE;
  if (last != NULL && !vtr_cli_parse_index (last, &high, error))
    return FALSE;
  if (last != NULL)
    high = MIN (high + 1, n);
  *from = base + MIN (low, n);
  *end = base + high;
  return TRUE;
}

static gboolean
list (Printer      *printer,
      VtrDocument  *document,
      GError      **error)
{
  g_autoptr (GArray) matches = NULL;
  guint64 from, end;

  if (!get_range (printer->trace, &from, &end, error))
    return FALSE;

  if (filter == NULL)
    {
      for (guint64 index = from; index < end; index++)
        if (!print_command (printer, index, error))
          return FALSE;
      return TRUE;
    }

  matches = vtr_command_filter (vtr_document_get_analysis (document),
                                filter, G_MAXUINT64, vtr_cli_get_cancellable (), error);
  if (matches == NULL)
    return FALSE;
  for (guint i = 0; i < matches->len; i++)
    {
      guint64 index = g_array_index (matches, guint64, i);

      if (index >= from && index < end && !print_command (printer, index, error))
        return FALSE;
    }
  return TRUE;
}

VtrCliStatus
vtr_cli_commands (int    argc,
                  char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (VtrTrace) trace = NULL;
  g_autoptr (GError) error = NULL;
  Printer printer = { 0 };
  VtrCliStatus status;
  gboolean done;

  if (!vtr_cli_parse ("commands", "FILE",
                      _ ("Lists the calls of a trace in the order in which they were made."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;

  /* Only a filter needs the command tree; otherwise the trace itself is enough. */
  if (filter != NULL)
    {
      document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
      if (document != NULL)
        trace = vtr_trace_ref (vtr_document_get_trace (document));
    }
  else
    trace = vtr_trace_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (trace == NULL)
    return vtr_cli_fail (error);

  vtr_cli_progress_end ();
  printer.trace = trace;
  vtr_arena_init (&printer.arena);
  done = list (&printer, document, &error);
  vtr_arena_finish (&printer.arena);
  vtr_buffer_finish (&printer.buffer);
  fflush (stdout);

  /* A reader that closed our output, as head does, is no failure. */
  if (!done && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CLOSED))
    return VTR_CLI_OK;
  return done ? VTR_CLI_OK : vtr_cli_fail (error);
}
