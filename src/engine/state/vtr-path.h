/* Paths as text: split into steps, numbers and command addresses read. Threading: any. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/format/vtr-trace.h"
#include "engine/state/vtr-place.h"

G_BEGIN_DECLS

/* Which commands a command list holds, and when it runs. */
typedef struct _VtrTimeline VtrTimeline;

/* "commands/12/result" → {"commands", "12", "result"}; empty steps go. (transfer full) */
GStrv vtr_path_split (const char *path);

/**
 * vtr_path_parse_command:
 *
 * Reads "1234" (in a command buffer: its first submission), "1234@2" (its third) or
 * "1234.0.1.17" (command 17 of command buffer 1 of batch 0 of submission 1234, ".3.5" after it: of
 * the third secondary executed there). Commands are named by number (vtr_trace_get_number());
 * "initial/7" is the eighth of those that come before. Errors: VTR_RESOLVE_ERROR_PATH, saying what
 * was expected.
 */
gboolean vtr_path_parse_command (VtrTimeline  *timeline,
                                 const char   *step,
                                 VtrPlace     *out,
                                 GError      **error);

/* Like vtr_path_parse_command (), from the two steps that a path begins with, "commands" or "initial" and what
 * follows. */
gboolean vtr_path_parse_command_steps (VtrTimeline        *timeline,
                                       char        *const *steps,
                                       VtrPlace           *out,
                                       GError            **error);

/* The command in an answer (vtr_json_command()): VTR_COMMAND_NO_INDEX for null or none. */
guint64 vtr_path_read_json_command (VtrTrace *trace,
                                    JsonNode *node);

/* Whether @step is one that names commands: "commands", "initial". */
gboolean vtr_path_is_commands (const char *step);

/* Reads a decimal number below @end. @what: for the message, "frame". */
gboolean vtr_path_parse_number (const char  *step,
                                const char  *what,
                                guint64      end,
                                guint64     *out,
                                GError     **error);

/* "1234.0.1.17": the address of a command in one of its runs. (transfer full) */
char *vtr_path_format_command (VtrTimeline    *timeline,
                               const VtrPlace *address);

/* The current position of the count, for many addresses in order; all zero at first. */
typedef struct
{
  struct
  {
    guint64 index, n; /* number of commands of the recording before .index */
    guint32 recording;
  } counts[4];
  guint next; /* to be forgotten */
} VtrPathCursor;

/* Like vtr_path_format_command (), but does not count from the start again for addresses in order. */
char *vtr_path_format_next (VtrTimeline    *timeline,
                            const VtrPlace *address,
                            VtrPathCursor  *cursor);

G_END_DECLS
