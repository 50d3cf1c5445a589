/* Reads paths of ranges of memory: steps, the range, and options after a question mark. */
#include "engine/answers/vtr-memory-path.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/answers/vtr-edit-path.h"
#include "base/vtr-number.h"
#include "engine/state/vtr-path.h"
#include "engine/state/vtr-resolve-error.h"

void
vtr_memory_type_query_clear (VtrMemoryTypeQuery *self)
{
  g_clear_pointer (&self->type, g_free);
  g_clear_pointer (&self->layout, g_free);
}

static gboolean G_GNUC_PRINTF (2, 3)
  set_bad (GError **error,
           const char *format,
           ...)
{
  va_list list;

  va_start (list, format);
  if (error != NULL)
    *error = g_error_new_valist (VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH, format, list);
  va_end (list);
  return FALSE;
}

/* "0x1f" or "31", from *@at on. */
static gboolean
read_number (const char **at,
             guint64     *out)
{
  gboolean hex = (*at)[0] == '0' && g_ascii_tolower ((*at)[1]) == 'x';
  const char *digits = hex ? *at + 2 : *at;
  gsize n = strspn (digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
  g_autofree char *number = g_strndup (digits, n);

  *at = digits + n;
  return vtr_parse_number (number, hex ? 16 : 10, 0, G_MAXUINT64, out);
}

/* "0xA-0xB" (B excluded) or "0xA+SIZE". */
static gboolean
read_range (const char  *text,
            guint64     *offset,
            guint64     *size,
            GError     **error)
{
  const char *at = text;
  gboolean good = read_number (&at, offset);
  char kind = *at;

  good = good && (kind == '-' || kind == '+');
  at++;
  good = good && read_number (&at, size) && *at == '\0';
  if (!good)
    return set_bad (error,
                    _ ("“%s” is not a valid memory range. Use FIRST-END such as 0x100-0x200, or "
                       "FIRST+SIZE such as 0x100+64."),
                    text);
  if (kind == '-' && *size <= *offset)
    return set_bad (error, _ ("The range “%s” is empty. Its end must be greater than its start."),
                    text);
  if (kind == '-')
    *size -= *offset;
  return TRUE;
}

static gboolean
read_option (const char          *name,
             const char          *value,
             VtrMemoryQuery      *out,
             VtrMemoryTypeQuery  *type,
             GError             **error)
{
  if (strcmp (name, "read") == 0)
    {
      out->replay = strcmp (value, "replay") == 0;
      return out->replay || strcmp (value, "trace") == 0 ||
             set_bad (error, _ ("“%s” is not a valid way to read memory. Use trace or replay."),
                      value);
    }
  if (strcmp (name, "type") == 0)
    {
      g_free (type->type);
      type->type = g_strdup (value);
      return TRUE;
    }
  if (strcmp (name, "layout") == 0)
    {
      g_free (type->layout);
      type->layout = g_strdup (value);
      return TRUE;
    }
  if (strcmp (name, "stride") == 0)
    {
      const char *at = value;

      return (read_number (&at, &type->stride) && *at == '\0' && type->stride > 0) ||
             set_bad (error, _ ("“%s” is not a valid stride. Use a number of bytes."), value);
    }
  return set_bad (error,
                  _ ("“%s” is not an option of a memory range. Use read, type, layout or stride."),
                  name);
}

static gboolean
read_options (VtrReplaySession    *session,
              const char          *text,
              VtrMemoryQuery      *out,
              VtrMemoryTypeQuery  *type,
              GError             **error)
{
  g_auto (GStrv) options = g_strsplit (text, "&", -1);
  g_auto (VtrEditDraft) edit = { 0 };

  for (guint i = 0; options[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (options[i], "=", 2);
      g_autofree char *value = NULL;

      if (pair[0] == NULL || *pair[0] == '\0')
        continue;
      if (vtr_edit_path_knows (pair[0]))
        {
          if (!vtr_edit_path_parse_option (session, pair[0], pair[1] != NULL ? pair[1] : "",
                                           &edit, error))
            return FALSE;
          continue;
        }
      value = pair[1] != NULL ? g_uri_unescape_string (pair[1], NULL) : g_strdup ("");
      if (value == NULL)
        return set_bad (error, _ ("“%s” is not escaped correctly: “%%” must be followed by two "
                                  "hexadecimal digits."),
                        options[i]);
      if (!read_option (pair[0], value, out, type, error))
        return FALSE;
    }
  out->edit = vtr_edit_draft_finish (&edit, vtr_replay_session_get_edits (session));
  if (out->edit != NULL)
    out->replay = TRUE;
  return TRUE;
}

/* Steps up to the options. */
static gboolean
read_steps (VtrReplaySession  *session,
            const char        *path,
            VtrMemoryQuery    *out,
            GError           **error)
{
  g_auto (GStrv) steps = vtr_path_split (path);
  guint n = g_strv_length (steps);
  guint64 space;

  if (n < 5 || (strcmp (steps[0], "commands") != 0 && strcmp (steps[0], "initial") != 0) ||
      strcmp (steps[2], "memory") != 0)
    return set_bad (error,
                    _ ("“%s” is not a valid memory range. Use commands/N/memory/POOL/FIRST-END, "
                       "where pool 0 is the program's own memory and others are device memory "
                       "objects."),
                    path);
  if (n > 5)
    return set_bad (error, _ ("A path ends with its memory range. Remove “%s” from its end."),
                    steps[5]);
  if (!vtr_path_parse_command_steps (vtr_replay_session_get_basis (session)->timeline,
                                     steps, &out->address, error))
    return FALSE;
  if (!vtr_parse_number (steps[3], 10, 0, G_MAXUINT32, &space))
    return set_bad (error,
                    _ ("“%s” is not a valid memory pool. Use 0 for the program's own memory, or "
                       "the number of a memory object."),
                    steps[3]);
  out->space = (guint32)space;
  return read_range (steps[4], &out->offset, &out->size, error);
}

gboolean
vtr_memory_query_parse (VtrReplaySession    *session,
                        const char          *path,
                        VtrMemoryQuery      *out,
                        VtrMemoryTypeQuery  *type,
                        GError             **error)
{
  const char *mark = strchr (path, '?');
  g_autofree char *place = mark != NULL ? g_strndup (path, (gsize)(mark - path)) : g_strdup (path);

  memset (out, 0, sizeof *out);
  memset (type, 0, sizeof *type);
  if (read_steps (session, place, out, error) &&
      (mark == NULL || read_options (session, mark + 1, out, type, error)))
    return TRUE;
  vtr_memory_type_query_clear (type);
  return FALSE;
}
