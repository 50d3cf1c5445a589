/* Parses the edits of a picture (overlay, disabled commands, replaced shaders) from the options
 * of its path, and checks them against the trace. */
#include "engine/replay-session/vtr-picture-edit.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/document/vtr-document-private.h"
#include "engine/shader/vtr-shader-code.h"
#include "vtr-api-args.h"

#define CODE_TYPE VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO
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

/* What a document has of them; guarded by its replay_lock. */
typedef struct
{
  GHashTable *edits;   /* key → VtrPictureEdit */
  GHashTable *shaders; /* name → GBytes */
  GHashTable *checked; /* stream keys whose shaders are fine; of the replay worker */
} Edits;

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

/* --- What the document keeps ----------------------------------------------------------------- */

static void
edit_free (gpointer data)
{
  VtrPictureEdit *self = data;

  vtr_stream_edit_unref (self->stream);
  g_free (self->key);
  g_free (self->stream_key);
  g_free (self);
}

/* Call with replay_lock held. */
static Edits *
get_edits (VtrDocument *document)
{
  Edits *edits = document->edits;

  if (edits == NULL)
    {
      document->edits = edits = g_new0 (Edits, 1);
      edits->edits = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, edit_free);
      edits->shaders =
        g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
      edits->checked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    }
  return edits;
}

void
vtr_picture_edits_free (gpointer data)
{
  Edits *edits = data;

  if (edits == NULL)
    return;
  g_hash_table_unref (edits->edits);
  g_hash_table_unref (edits->shaders);
  g_hash_table_unref (edits->checked);
  g_free (edits);
}

char *
vtr_document_add_shader (VtrDocument *self,
                         GBytes      *code)
{
  char *name = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, code);

  g_mutex_lock (&self->replay_lock);
  g_hash_table_replace (get_edits (self)->shaders, g_strdup (name), g_bytes_ref (code));
  g_mutex_unlock (&self->replay_lock);
  return name;
}

/* --- Reading --------------------------------------------------------------------------------- */

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
vtr_edit_draft_knows (const char *name)
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

gboolean
vtr_document_can_disable (VtrDocument  *self,
                          guint64       index,
                          GError      **error)
{
  VtrCmdId id = vtr_trace_get_command_id (self->trace, index);
  g_autofree char *number = vtr_trace_format_number (self->trace, index);

  if (vtr_stream_edit_can_disable (id))
    return TRUE;
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
               _ ("Command %s, %s, cannot be disabled: only draws, dispatches, clears, copies and "
                  "executed command buffers can, for the rest of the trace relies on all others."),
               number, vtr_cmd_name (id));
  return FALSE;
}

static gboolean
parse_disable (VtrEditDraft  *self,
               VtrDocument   *document,
               const char    *value,
               GError       **error)
{
  g_auto (GStrv) list = g_strsplit (value, ",", -1);

  for (guint i = 0; list[i] != NULL; i++)
    {
      VtrCommandAddress address;

      if (*list[i] == '\0')
        continue;
      if (i >= MAX_DISABLED)
        return fail (error, _ ("Too many commands are disabled at once."));
      if (!vtr_path_parse_command (document, list[i], &address, error) ||
          !vtr_document_can_disable (document, address.index, error))
        return FALSE;
      vtr_stream_edit_disable (get_stream (self), address.index);
    }
  return TRUE;
}

/* A file, or what vtr_document_add_shader() was given. */
static GBytes *
find_code (VtrDocument  *document,
           const char   *name,
           GError      **error)
{
  g_autoptr (GFile) file = NULL;
  g_autoptr (GBytes) code = NULL;

  g_mutex_lock (&document->replay_lock);
  code = g_hash_table_lookup (get_edits (document)->shaders, name);
  if (code != NULL)
    g_bytes_ref (code);
  g_mutex_unlock (&document->replay_lock);
  if (code != NULL)
    return g_steal_pointer (&code);
  if (!g_path_is_absolute (name))
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” names no shader: the absolute path of a SPIR-V file is expected."),
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

/* Whether stage @nth of the pipeline is one that its own creation carries the code of, not one of a
 * library. */
static gboolean
carries_stage (VtrDocument      *document,
               const VtrObject  *pipeline,
               guint32           nth,
               GError          **error)
{
  const VkPipelineShaderStageCreateInfo *stage = NULL;
  VtrCommand command;
  VtrArena arena;
  gboolean carries;

  vtr_arena_init (&arena);
  if (!vtr_history_decode_creation (document->history, pipeline, &arena, &command, error))
    {
      vtr_arena_finish (&arena);
      return FALSE;
    }
  if (command.id == VTR_CMD_vkCreateGraphicsPipelines)
    {
      const VtrArgs_vkCreateGraphicsPipelines *args = command.args;
      const VkGraphicsPipelineCreateInfo *info = &args->pCreateInfos[pipeline->element];

      if (info->pStages != NULL && nth < info->stageCount)
        stage = &info->pStages[nth];
    }
  else if (command.id == VTR_CMD_vkCreateRayTracingPipelinesKHR)
    {
      const VtrArgs_vkCreateRayTracingPipelinesKHR *args = command.args;
      const VkRayTracingPipelineCreateInfoKHR *info = &args->pCreateInfos[pipeline->element];

      if (info->pStages != NULL && nth < info->stageCount)
        stage = &info->pStages[nth];
    }
  else if (command.id == VTR_CMD_vkCreateComputePipelines && nth == 0)
    stage = &((const VtrArgs_vkCreateComputePipelines *)command.args)
               ->pCreateInfos[pipeline->element]
               .stage;
  carries = stage != NULL && vtr_api_find_next (stage->pNext, CODE_TYPE) != NULL;
  vtr_arena_finish (&arena);
  if (!carries)
    g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                         _ ("This stage comes from a pipeline library: replace it there."));
  return carries;
}

static gboolean
is_shader (const VtrObject *object)
{
#ifdef VK_EXT_shader_object
  if (object->type == VTR_HANDLE_VkShaderEXT)
    return TRUE;
#endif
  return object->type == VTR_HANDLE_VkShaderModule;
}

/* Where the code of @object, or of a stage of it, comes into the stream. */
static gboolean
find_place (VtrDocument           *document,
            guint32                object,
            guint32                stage,
            VtrShaderReplacement  *out,
            GError               **error)
{
  g_autoptr (VtrShaderCode) code = NULL;
  const VtrObject *info;

  if (stage != VTR_REPLACE_OBJECT)
    {
      code = vtr_shader_code_load (document->history, object, stage, error);
      if (code == NULL)
        return FALSE;
      if (code->module != 0)
        {
          object = code->module;
          stage = VTR_REPLACE_OBJECT;
        }
    }
  info = vtr_history_get_object (document->history, object);
  if (stage == VTR_REPLACE_OBJECT && !is_shader (info))
    {
      g_autofree char *name = vtr_history_describe (document->history, info);

      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("The %s has no shader code of its own: name a shader module, or "
                      "PIPELINE.STAGE."),
                   name);
      return FALSE;
    }
  if (stage != VTR_REPLACE_OBJECT && !carries_stage (document, info, stage, error))
    return FALSE;
  *out = (VtrShaderReplacement){
    .object = object, .stage = stage, .created = info->created, .element = info->element
  };
  return TRUE;
}

static gboolean
parse_shader (VtrEditDraft  *self,
              VtrDocument   *document,
              const char    *value,
              GError       **error)
{
  const char *colon = strchr (value, ':');
  g_autofree char *object = colon != NULL ? g_strndup (value, (gsize)(colon - value)) : NULL;
  VtrShaderReplacement shader = { 0 };
  guint64 id, stage = VTR_REPLACE_OBJECT;
  GArray *shaders;
  char *dot;

  if (object == NULL)
    return fail (error, _ ("“shader” takes OBJECT:FILE, as in shader=41:/tmp/new.spv."));
  dot = strchr (object, '.');
  if (dot != NULL)
    *dot++ = '\0';
  if (!vtr_path_parse_number (object, _ ("object"),
                              (guint64)vtr_history_get_n_objects (document->history) + 1, &id,
                              error) ||
      (dot != NULL && !vtr_path_parse_number (dot, _ ("stage"), 64, &stage, error)))
    return FALSE;
  if (id == 0)
    return fail (error, _ ("Objects are counted from 1."));
  if (!find_place (document, (guint32)id, (guint32)stage, &shader, error))
    return FALSE;
  shader.code = find_code (document, colon + 1, error);
  if (shader.code == NULL)
    return FALSE;
  if (!has_spirv_form (shader.code))
    {
      g_bytes_unref (shader.code);
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("“%s” is not a SPIR-V module."), colon + 1);
      return FALSE;
    }
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

gboolean
vtr_edit_draft_parse (VtrEditDraft  *self,
                      VtrDocument   *document,
                      const char    *name,
                      const char    *value,
                      GError       **error)
{
  g_autofree char *plain = g_uri_unescape_string (value, NULL);

  if (plain == NULL)
    return fail (error, _ ("The path is not escaped as it should be."));
  if (g_str_equal (name, "overlay"))
    return vtr_overlay_from_string (plain, &self->overlay, error);
  if (g_str_equal (name, "from"))
    {
      VtrCommandAddress address;

      if (!vtr_path_parse_command (document, plain, &address, error))
        return FALSE;
      self->has_from = TRUE;
      self->from = address.index;
      return TRUE;
    }
  if (g_str_equal (name, "disable"))
    return parse_disable (self, document, plain, error);
  return parse_shader (self, document, plain, error);
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
vtr_edit_draft_finish (VtrEditDraft *self,
                       VtrDocument  *document)
{
  VtrPictureEdit *edit, *known;
  Edits *edits;

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

  g_mutex_lock (&document->replay_lock);
  edits = get_edits (document);
  known = g_hash_table_lookup (edits->edits, edit->key);
  if (known == NULL)
    {
      g_hash_table_insert (edits->edits, edit->key, edit);
      known = edit;
    }
  else
    edit_free (edit);
  g_mutex_unlock (&document->replay_lock);
  return known;
}

gboolean
vtr_document_parse_edit (VtrDocument           *self,
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
      if (value == NULL || !vtr_edit_draft_knows (list[i]))
        {
          g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                       _ ("“%s” is not a valid edit. Use overlay=, disable= or shader=."), list[i]);
          return FALSE;
        }
      if (!vtr_edit_draft_parse (&draft, self, list[i], value, error))
        return FALSE;
    }
  *out = vtr_edit_draft_finish (&draft, self);
  return TRUE;
}

const VtrPictureEdit *
vtr_picture_edit_without_overlay (const VtrPictureEdit *self,
                                  VtrDocument          *document)
{
  g_auto (VtrEditDraft) draft = { 0 };

  if (self->stream->disabled->len > 0 || self->stream->shaders->len > 0)
    draft.stream = vtr_stream_edit_ref (self->stream);
  return vtr_edit_draft_finish (&draft, document);
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
                   _ ("The new shader has no entry point “%s” of the stage %s, as the old one "
                      "has."),
                   entry->name, vtr_shader_stage_word (entry->stage));
      return FALSE;
    }
  return TRUE;
}

gboolean
vtr_document_check_shader (VtrDocument   *self,
                           guint32        object,
                           guint32        stage,
                           GBytes        *code,
                           GCancellable  *cancellable,
                           GError       **error)
{
  g_autoptr (VtrShaderCode) old = vtr_shader_code_load (self->history, object, stage, error);
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

gboolean
vtr_picture_edit_check (const VtrPictureEdit  *self,
                        VtrDocument           *document,
                        GCancellable          *cancellable,
                        GError               **error)
{
  GHashTable *checked;

  g_mutex_lock (&document->replay_lock);
  checked = get_edits (document)->checked;
  g_mutex_unlock (&document->replay_lock);
  if (self->stream->shaders->len == 0 || g_hash_table_contains (checked, self->stream_key))
    return TRUE;
  for (guint i = 0; i < self->stream->shaders->len; i++)
    {
      const VtrShaderReplacement *shader =
        &g_array_index (self->stream->shaders, VtrShaderReplacement, i);

      if (!vtr_document_check_shader (document, shader->object, shader->stage, shader->code,
                                      cancellable, error))
        return FALSE;
    }
  g_hash_table_add (checked, g_strdup (self->stream_key));
  return TRUE;
}

gboolean
vtr_picture_edit_begin (const VtrPictureEdit  *self,
                        VtrDocument           *document,
                        GCancellable          *cancellable,
                        GError               **error)
{
  if (self == NULL)
    return TRUE;
  if (self->overlay != VTR_OVERLAY_NONE && self->overlay != VTR_OVERLAY_WIREFRAME_ALL)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("The overlay “%s” is one of a picture: ask for a picture."),
                   vtr_overlay_to_string (self->overlay));
      return FALSE;
    }
  if (!vtr_picture_edit_check (self, document, cancellable, error))
    return FALSE;
  document->edit = self->stream;
  document->edit_key = self->stream_key;
  return TRUE;
}

void
vtr_picture_edit_end (VtrDocument *document)
{
  document->edit = NULL;
  document->edit_key = NULL;
}
