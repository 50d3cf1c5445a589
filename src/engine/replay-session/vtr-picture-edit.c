/* Keeps the edits of pictures (overlay, disabled commands, replaced shaders), and checks them
 * against the trace. */
#include "engine/replay-session/vtr-picture-edit.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/api/vtr-build-api.h"
#include "engine/shader/vtr-shader-code.h"
#include "engine/shader/vtr-shader-run.h"
#include "engine/state/vtr-resolve-error.h"

#define MAX_DISABLED 65536
#define MAX_SHADER_BYTES (64u << 20)

static const VtrOverlayInfo overlays[] = {
  { VTR_OVERLAY_NONE, "none", N_ ("No Overlay"), N_ ("The image as the program rendered it") },
  { VTR_OVERLAY_WIREFRAME_ALL, "wireframe-all", N_ ("Wireframe"),
    N_ ("All geometry drawn as lines") },
  { VTR_OVERLAY_WIREFRAME, "wireframe", N_ ("Wireframe of the Draw"),
    N_ ("Selected draw’s wireframe over the image") },
  { VTR_OVERLAY_HIGHLIGHT, "highlight", N_ ("Highlight the Draw"),
    N_ ("Area of the selected draw, even where occluded") },
  { VTR_OVERLAY_OVERDRAW, "overdraw", N_ ("Overdraw"),
    N_ ("Number of draws for each pixel in this pass, up to here") },
};

struct _VtrPictureEdits
{
  GMutex lock;         /* guards all */
  GHashTable *edits;   /* key → VtrPictureEdit */
  GHashTable *shaders; /* name → GBytes */
  GHashTable *checked; /* set: stream keys whose shaders are fine */
};

const VtrOverlayInfo *
vtr_overlay_list (guint *n)
{
  *n = G_N_ELEMENTS (overlays);
  return overlays;
}

const char *
vtr_overlay_to_string (VtrOverlay overlay)
{
  for (guint i = 0; i < G_N_ELEMENTS (overlays); i++)
    if (overlays[i].overlay == overlay)
      return overlays[i].name;
  return "none";
}

gboolean
vtr_overlay_from_string (const char  *text,
                         VtrOverlay  *out,
                         GError     **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (overlays); i++)
    {
      if (g_str_equal (overlays[i].name, text))
        {
          *out = overlays[i].overlay;
          return TRUE;
        }
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", overlays[i].name);
    }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("“%s” is not a valid overlay. Use one of: %s."), text, names->str);
  return FALSE;
}

/* --- The edits of a trace -------------------------------------------------------------------- */

static void
edit_free (gpointer data)
{
  VtrPictureEdit *self = data;

  vtr_stream_edit_unref (self->stream);
  g_free (self->key);
  g_free (self->stream_key);
  g_free (self);
}

VtrPictureEdits *
vtr_picture_edits_new (void)
{
  VtrPictureEdits *self = g_new0 (VtrPictureEdits, 1);

  g_mutex_init (&self->lock);
  self->edits = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, edit_free);
  self->shaders =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  self->checked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

void
vtr_picture_edits_free (VtrPictureEdits *self)
{
  g_hash_table_unref (self->edits);
  g_hash_table_unref (self->shaders);
  g_hash_table_unref (self->checked);
  g_mutex_clear (&self->lock);
  g_free (self);
}

char *
vtr_picture_edits_add_shader (VtrPictureEdits *self,
                              GBytes          *code)
{
  char *name = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, code);

  g_mutex_lock (&self->lock);
  g_hash_table_replace (self->shaders, g_strdup (name), g_bytes_ref (code));
  g_mutex_unlock (&self->lock);
  return name;
}

/* --- Drafts ---------------------------------------------------------------------------------- */

void
vtr_edit_draft_clear (VtrEditDraft *self)
{
  g_clear_pointer (&self->stream, vtr_stream_edit_unref);
}

static VtrStreamEdit *
get_stream (VtrEditDraft *self)
{
  if (self->stream == NULL)
    self->stream = vtr_stream_edit_new ();
  return self->stream;
}

gboolean
vtr_picture_edit_can_disable (VtrTrace  *trace,
                              guint64    index,
                              GError   **error)
{
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  g_autofree char *number = vtr_trace_format_number (trace, index);

  if (vtr_stream_edit_can_disable (id))
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("Command %s (%s) cannot be disabled. Only draws, dispatches, clears, copies "
                  "and executed command buffers can: the rest of the trace needs all other "
                  "commands."),
               number, vtr_trace_get_command_name (trace, index));
  return FALSE;
}

gboolean
vtr_edit_draft_disable (VtrEditDraft  *self,
                        VtrTrace      *trace,
                        guint64        index,
                        GError       **error)
{
  if (!vtr_picture_edit_can_disable (trace, index, error))
    return FALSE;
  if (get_stream (self)->disabled->len >= MAX_DISABLED)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                           _ ("Too many commands are disabled at once."));
      return FALSE;
    }
  vtr_stream_edit_disable (get_stream (self), index);
  return TRUE;
}

GBytes *
vtr_picture_edits_load_shader (VtrPictureEdits  *self,
                               const char       *name,
                               GError          **error)
{
  g_autoptr (GFile) file = NULL;
  g_autoptr (GBytes) code = NULL;

  g_mutex_lock (&self->lock);
  code = g_hash_table_lookup (self->shaders, name);
  if (code != NULL)
    g_bytes_ref (code);
  g_mutex_unlock (&self->lock);
  if (code != NULL)
    return g_steal_pointer (&code);
  if (!g_path_is_absolute (name))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not valid. Give the absolute path of a SPIR-V file."),
                   name);
      return NULL;
    }
  if (!g_file_test (name, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("There is no file “%s”."), name);
      return NULL;
    }
  file = g_file_new_for_path (name);
  code = g_file_load_bytes (file, NULL, NULL, error);
  if (code != NULL && g_bytes_get_size (code) > MAX_SHADER_BYTES)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is too large for a shader."), name);
      return NULL;
    }
  return g_steal_pointer (&code);
}

/* Where the code of @object, or of a stage of it, comes into the stream. */
static gboolean
find_place (VtrHistory            *history,
            guint32                object,
            guint32                stage,
            VtrShaderReplacement  *out,
            GError               **error)
{
  const VtrApi *api = vtr_api_get (vtr_history_get_object (history, object)->type);

  if (api != NULL && api->build != NULL && api->build->find_code != NULL)
    return api->build->find_code (history, object, stage, out, error);
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("Replays of this API cannot replace code."));
  return FALSE;
}

gboolean
vtr_edit_draft_replace_shader (VtrEditDraft  *self,
                               VtrHistory    *history,
                               guint32        object,
                               guint32        stage,
                               GBytes        *code,
                               GError       **error)
{
  VtrShaderReplacement shader = { 0 };
  GArray *shaders;

  if (!find_place (history, object, stage, &shader, error))
    return FALSE;
  shader.code = g_bytes_ref (code);
  shaders = get_stream (self)->shaders;
  for (guint i = 0; i < shaders->len; i++)
    {
      const VtrShaderReplacement *other = &g_array_index (shaders, VtrShaderReplacement, i);

      if (other->object == shader.object && other->stage == shader.stage)
        g_array_remove_index (shaders, i--);
    }
  g_array_append_val (shaders, shader);
  return TRUE;
}

/* --- Edits ----------------------------------------------------------------------------------- */

static gint
compare_shaders (gconstpointer a,
                 gconstpointer b)
{
  const VtrShaderReplacement *left = a, *right = b;

  if (left->object != right->object)
    return left->object < right->object ? -1 : 1;
  return left->stage < right->stage ? -1 : left->stage > right->stage;
}

static char *
make_stream_key (const VtrStreamEdit *stream)
{
  GString *text = g_string_new (stream->lines ? "lines" : "");

  for (guint i = 0; i < stream->disabled->len; i++)
    g_string_append_printf (text, "-%" G_GUINT64_FORMAT,
                            g_array_index (stream->disabled, guint64, i));
  for (guint i = 0; i < stream->shaders->len; i++)
    {
      const VtrShaderReplacement *shader =
        &g_array_index (stream->shaders, VtrShaderReplacement, i);
      g_autofree char *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, shader->code);

      g_string_append_printf (text, "/%u.%x=%s", shader->object, shader->stage, sum);
    }
  return g_string_free (text, FALSE);
}

const VtrPictureEdit *
vtr_edit_draft_finish (VtrEditDraft    *self,
                       VtrPictureEdits *edits)
{
  VtrPictureEdit *edit, *known;

  if (self->overlay == VTR_OVERLAY_NONE && self->stream == NULL)
    return NULL;
  edit = g_new0 (VtrPictureEdit, 1);
  get_stream (self);
  edit->overlay = self->overlay;
  edit->from = VTR_COMMAND_NO_INDEX;
  if (self->has_from &&
      (edit->overlay == VTR_OVERLAY_WIREFRAME || edit->overlay == VTR_OVERLAY_HIGHLIGHT))
    edit->from = self->from;
  edit->stream = g_steal_pointer (&self->stream);
  edit->stream->lines = edit->overlay == VTR_OVERLAY_WIREFRAME_ALL;
  edit->stream->features = TRUE;
  g_array_sort (edit->stream->shaders, compare_shaders);
  edit->stream_key = make_stream_key (edit->stream);
  edit->key = g_strdup_printf ("%s%" G_GINT64_FORMAT ":%s", vtr_overlay_to_string (edit->overlay),
                               (gint64)edit->from, edit->stream_key);

  g_mutex_lock (&edits->lock);
  known = g_hash_table_lookup (edits->edits, edit->key);
  if (known == NULL)
    {
      g_hash_table_insert (edits->edits, edit->key, edit);
      known = edit;
    }
  else
    edit_free (edit);
  g_mutex_unlock (&edits->lock);
  return known;
}

const VtrPictureEdit *
vtr_picture_edit_without_overlay (const VtrPictureEdit *self,
                                  VtrPictureEdits      *edits)
{
  g_auto (VtrEditDraft) draft = { 0 };

  if (self->stream->disabled->len > 0 || self->stream->shaders->len > 0)
    draft.stream = vtr_stream_edit_ref (self->stream);
  return vtr_edit_draft_finish (&draft, edits);
}

/* --- Checking shaders ------------------------------------------------------------------------ */

/* Pipelines name entry points: those of the old module have to be in the new one. */
static gboolean
has_entries (VtrSpirv  *old,
             VtrSpirv  *new,
             GError   **error)
{
  for (guint i = 0; i < vtr_spirv_get_n_entries (old); i++)
    {
      const VtrSpirvEntry *entry = vtr_spirv_get_entry (old, i);

      if (vtr_spirv_find_entry (new, entry->name, entry->stage) != NULL)
        continue;
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The new shader lacks the entry point “%s” of the stage %s, which the old "
                      "one has."),
                   entry->name, vtr_shader_stage_word (entry->stage));
      return FALSE;
    }
  return TRUE;
}

gboolean
vtr_picture_edit_check_shader (VtrHistory    *history,
                               guint32        object,
                               guint32        stage,
                               GBytes        *code,
                               GCancellable  *cancellable,
                               GError       **error)
{
  g_autoptr (VtrShaderCode) old = vtr_shader_code_load (history, object, stage, error);
  g_autoptr (GBytes) said = NULL;
  g_autoptr (VtrSpirv) new = NULL;

  if (old == NULL)
    return FALSE;
  said = vtr_shader_run_tool ("validate", code, 0, NULL, cancellable, error);
  if (said == NULL)
    {
      g_prefix_error (error, _ ("The new shader is not valid: "));
      return FALSE;
    }
  new = vtr_spirv_new (code, error);
  return new != NULL &&has_entries (old->spirv, new, error);
}

/* Whether it was found before that the shaders of @self are fine. */
static gboolean
is_checked (const VtrPictureEdit *self,
            VtrPictureEdits      *edits)
{
  gboolean checked;

  g_mutex_lock (&edits->lock);
  checked = g_hash_table_contains (edits->checked, self->stream_key);
  g_mutex_unlock (&edits->lock);
  return checked;
}

gboolean
vtr_picture_edit_check (const VtrPictureEdit  *self,
                        VtrPictureEdits       *edits,
                        VtrHistory            *history,
                        GCancellable          *cancellable,
                        GError               **error)
{
  if (self->stream->shaders->len == 0 || is_checked (self, edits))
    return TRUE;
  for (guint i = 0; i < self->stream->shaders->len; i++)
    {
      const VtrShaderReplacement *shader =
        &g_array_index (self->stream->shaders, VtrShaderReplacement, i);

      if (!vtr_picture_edit_check_shader (history, shader->object, shader->stage, shader->code,
                                          cancellable, error))
        return FALSE;
    }
  g_mutex_lock (&edits->lock);
  g_hash_table_add (edits->checked, g_strdup (self->stream_key));
  g_mutex_unlock (&edits->lock);
  return TRUE;
}

gboolean
vtr_picture_edit_check_stream (const VtrPictureEdit  *self,
                               VtrPictureEdits       *edits,
                               VtrHistory            *history,
                               GCancellable          *cancellable,
                               GError               **error)
{
  if (self == NULL)
    return TRUE;
  if (self->overlay == VTR_OVERLAY_NONE || self->overlay == VTR_OVERLAY_WIREFRAME_ALL)
    return vtr_picture_edit_check (self, edits, history, cancellable, error);
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("The overlay “%s” works only for images. Leave it out, or request an image."),
               vtr_overlay_to_string (self->overlay));
  return FALSE;
}
