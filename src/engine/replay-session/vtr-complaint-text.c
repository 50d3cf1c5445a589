/* Replaces the replay's handles in a message of the validation layer by the names of the trace's
 * objects. */
#include "engine/replay-session/vtr-complaint-text.h"

#define MAX_NAME 256 /* characters */

/* Limits keep the search short in a text that was made to take long. */
#define HANDLE "\\bVk[A-Za-z]{1,64} 0x([0-9a-f]{1,16})\\[[^\\]]{0,256}\\]"

typedef struct
{
  const guint64 *handles;
  const char *const *names;
  gsize n;
} Names;

static gboolean
put_name (const GMatchInfo *match, GString *result, gpointer data)
{
  const Names *self = data;
  g_autofree char *number = g_match_info_fetch (match, 1);
  g_autofree char *whole = g_match_info_fetch (match, 0);
  guint64 handle = g_ascii_strtoull (number, NULL, 16);

  for (gsize i = 0; i < self->n; i++)
    if (self->handles[i] == handle)
      {
        const char *name = self->names[i];
        gboolean fits = g_utf8_strlen (name, -1) <= MAX_NAME;

        if (fits)
          g_string_append (result, name);
        else
          {
            g_string_append_len (result, name, g_utf8_offset_to_pointer (name, MAX_NAME) - name);
            g_string_append (result, "…");
          }
        return FALSE;
      }
  g_string_append (result, whole);
  return FALSE;
}

char *
vtr_complaint_text_new (const char           *text,
                        const guint64        *handles,
                        const char    *const *names,
                        gsize                 n)
{
  g_autoptr (GRegex) regex = g_regex_new (HANDLE, 0, 0, NULL);
  Names self = { handles, names, n };
  char *named = NULL;

  if (regex != NULL && n > 0)
    named = g_regex_replace_eval (regex, text, -1, 0, 0, put_name, &self, NULL);
  return named != NULL ? named : g_strdup (text);
}
