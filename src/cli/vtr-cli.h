/* Functions that all verbs of vitrine-cli share. Threading: main. */
#pragma once

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/vtr-number.h"
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Exit statuses; documented in `vitrine-cli --help`. */
typedef enum
{
  VTR_CLI_OK = 0,
  VTR_CLI_FAILED = 1,     /* the request failed */
  VTR_CLI_USAGE = 2,      /* the command line is wrong */
  VTR_CLI_NO_TRACE = 3,   /* the trace is missing, unreadable or damaged beyond use */
  VTR_CLI_NO_CAPTURE = 4, /* nothing was captured; the message says why */
  VTR_CLI_NO_REPLAY = 5,  /* the replay failed */
  VTR_CLI_NO_ANSWER = 6,  /* a valid request without a result: nothing drawn yet, … */
  VTR_CLI_FAULTS = 7,     /* the report lists errors of the program */
  VTR_CLI_INTERRUPTED = 130,
} VtrCliStatus;

/* One verb. @argv starts with the verb's name and is changed by option parsing. */
typedef struct
{
  const char *name;
  const char *arguments; /* "FILE [PATH]"; untranslated */
  const char *summary;   /* N_() */
  VtrCliStatus (*run) (int argc,
                       char **argv);
} VtrCliVerb;

VtrCliStatus vtr_cli_capture (int argc, char **argv);
VtrCliStatus vtr_cli_trigger (int argc, char **argv);
VtrCliStatus vtr_cli_trim (int argc, char **argv);
VtrCliStatus vtr_cli_layer (int argc, char **argv);
VtrCliStatus vtr_cli_recover (int argc, char **argv);
VtrCliStatus vtr_cli_info (int argc, char **argv);
VtrCliStatus vtr_cli_commands (int argc, char **argv);
VtrCliStatus vtr_cli_devices (int argc, char **argv);
VtrCliStatus vtr_cli_get (int argc, char **argv);
VtrCliStatus vtr_cli_timings (int argc, char **argv);
VtrCliStatus vtr_cli_screenshot (int argc, char **argv);
VtrCliStatus vtr_cli_replay (int argc, char **argv);
VtrCliStatus vtr_cli_report (int argc, char **argv);
VtrCliStatus vtr_cli_shaders (int argc, char **argv);

/* Parses the options @entries; @minimum to @maximum arguments must remain after the verb. Returns:
 * TRUE: they start at argv[1]. FALSE: exit with *@status (an error or the help was printed). */
gboolean vtr_cli_parse (const char           *verb,
                        const char           *arguments,
                        const char           *description,
                        const GOptionEntry   *entries,
                        int                   minimum,
                        int                   maximum,
                        int                  *argc,
                        char               ***argv,
                        VtrCliStatus         *status);

/* Prints "vitrine-cli: MESSAGE" and maps the error's domain to a status. */
VtrCliStatus vtr_cli_fail (const GError *error);

G_GNUC_PRINTF (2, 3)
VtrCliStatus vtr_cli_complain (VtrCliStatus status,
                               const char *format,
                               ...);

/* Whether @path, the value of an option, is "-", which means standard output. Only options whose
 * value is described as "FILE|-" accept it; vtr_cli_parse () refuses it for others. */
gboolean vtr_cli_is_stdout (const char *path);
gboolean vtr_cli_may_be_stdout (const GOptionEntry *entry);

/* Why @n_files files cannot be written to standard output: a sentence; NULL: they can. @json: JSON
 * is written there, too. */
const char *vtr_cli_find_stdout_fault (guint    n_files,
                                       gboolean json);

/* Writes @bytes completely or not at all to the file @path, or to standard output. A reader that
 * has closed standard output is no error. */
gboolean vtr_cli_write (const char  *path,
                        GBytes      *bytes,
                        GError     **error);

/* A cancellable that SIGINT and SIGTERM cancel. (transfer none) */
GCancellable *vtr_cli_get_cancellable (void);

/* Prints progress on standard error, if that is a terminal. @total 0: a count without a bar. */
void vtr_cli_progress (const char *what,
                       guint64     done,
                       guint64     total);
void vtr_cli_progress_end (void);

/* Prints one JSON value and a newline. @pretty: over several lines. */
void vtr_cli_print_json (JsonNode *node,
                         gboolean  pretty);

/* Parses a flat command index, a decimal number. Returns: FALSE with @error. */
gboolean vtr_cli_parse_index (const char  *text,
                              guint64     *out,
                              GError     **error);

G_END_DECLS
