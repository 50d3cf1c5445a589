/* Reads the options of a path that edit a picture: overlay, disabled commands, replaced shaders. */
#include "engine/answers/vtr-edit-path.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/state/vtr-path.h"
#include "engine/state/vtr-resolve-error.h"

gboolean
vtr_edit_path_knows (const char *name)
{
  return g_str_equal (name, "overlay") || g_str_equal (name, "from") ||
         g_str_equal (name, "disable") ||
         g_str_equal (name, "shader");
}

static gboolean
fail (GError     **error,
      const char  *message)
{
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH, message);
  return FALSE;
}

static gboolean
parse_disable (VtrEditDraft      *self,
               VtrReplaySession  *session,
               const char        *value,
               GError           **error)
{
  g_auto (GStrv) list = g_strsplit (value, ",", -1);

  for (guint i = 0; list[i] != NULL; i++)
    {
      VtrPlace address;

      if (*list[i] == '\0')
        continue;
      if (!vtr_path_parse_command (vtr_replay_session_get_basis (session)->timeline, list[i],
                                   &address, error) ||
          !vtr_edit_draft_disable (self, vtr_replay_session_get_basis (session)->trace,
                                   address.index, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_spirv_form (GBytes *code)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (code, &size);
  guint32 magic = 0;

  if (size < 20 || size % 4 != 0)
    return FALSE;
  memcpy (&magic, bytes, sizeof magic);
  return magic == 0x07230203;
}

static gboolean
parse_shader (VtrEditDraft      *self,
              VtrReplaySession  *session,
              const char        *value,
              GError           **error)
{
  const char *colon = strchr (value, ':');
  g_autofree char *object = colon != NULL ? g_strndup (value, (gsize)(colon - value)) : NULL;
  VtrHistory *history = vtr_replay_session_get_basis (session)->history;
  g_autoptr (GBytes) code = NULL;
  guint64 id, stage = VTR_REPLACE_OBJECT;
  char *dot;

  if (object == NULL)
    return fail (error, _ ("“shader” takes OBJECT:FILE, as in shader=41:/tmp/new.spv."));
  dot = strchr (object, '.');
  if (dot != NULL)
    *dot++ = '\0';
  if (!vtr_path_parse_number (object, _ ("object"),
                              (guint64)vtr_history_get_n_objects (history) + 1, &id,
                              error) ||
      (dot != NULL && !vtr_path_parse_number (dot, _ ("stage"), 64, &stage, error)))
    return FALSE;
  if (id == 0)
    return fail (error, _ ("There is no object 0. Objects are numbered from 1."));
  code = vtr_picture_edits_load_shader (vtr_replay_session_get_edits (session), colon + 1, error);
  if (code == NULL)
    return FALSE;
  if (!has_spirv_form (code))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not a SPIR-V module."), colon + 1);
      return FALSE;
    }
  return vtr_edit_draft_replace_shader (self, history, (guint32)id, (guint32)stage, code, error);
}

gboolean
vtr_edit_path_parse_option (VtrReplaySession  *session,
                            const char        *name,
                            const char        *value,
                            VtrEditDraft      *draft,
                            GError           **error)
{
  g_autofree char *plain = g_uri_unescape_string (value, NULL);

  if (plain == NULL)
    return fail (error, _ ("The path is not escaped correctly: “%” must be followed by two "
                           "hexadecimal digits."));
  if (g_str_equal (name, "overlay"))
    return vtr_overlay_from_string (plain, &draft->overlay, error);
  if (g_str_equal (name, "from"))
    {
      VtrPlace address;

      if (!vtr_path_parse_command (vtr_replay_session_get_basis (session)->timeline, plain,
                                   &address, error))
        return FALSE;
      draft->has_from = TRUE;
      draft->from = address.index;
      return TRUE;
    }
  if (g_str_equal (name, "disable"))
    return parse_disable (draft, session, plain, error);
  return parse_shader (draft, session, plain, error);
}

gboolean
vtr_edit_path_parse (VtrReplaySession      *session,
                     const char            *options,
                     const VtrPictureEdit **out,
                     GError               **error)
{
  g_auto (GStrv) list = g_strsplit (options, "&", -1);
  g_auto (VtrEditDraft) draft = { 0 };

  *out = NULL;
  for (guint i = 0; list[i] != NULL; i++)
    {
      char *value = strchr (list[i], '=');

      if (*list[i] == '\0')
        continue;
      if (value != NULL)
        *value++ = '\0';
      if (value == NULL || !vtr_edit_path_knows (list[i]))
        {
          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("“%s” is not a valid edit. Use overlay=, disable= or shader=."), list[i]);
          return FALSE;
        }
      if (!vtr_edit_path_parse_option (session, list[i], value, &draft, error))
        return FALSE;
    }
  *out = vtr_edit_draft_finish (&draft, vtr_replay_session_get_edits (session));
  return TRUE;
}
