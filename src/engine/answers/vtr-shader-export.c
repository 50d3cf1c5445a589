/* Writes the shaders of a trace to a folder, in the requested formats. */
#include "vtr-config.h"

#include "engine/answers/vtr-shader-export.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/answers/vtr-json-text.h"
#include "engine/answers/vtr-answers-private.h"
#include "engine/state/vtr-resolve-error.h"

typedef struct
{
  VtrAnswers *answers;
  const char *folder;
  const VtrShaderExportEvents *events;
  GCancellable *cancellable;
} Export;

static void
tell_missing (const Export *self,
              const char   *path,
              const GError *reason)
{
  g_autofree char *text = g_strdup_printf ("%s: %s", path, reason->message);

  self->events->missing (text, self->events->data);
}

static gboolean
write_file (const Export   *self,
            const char     *base,
            const char     *suffix,
            gconstpointer   bytes,
            gsize           size,
            GError        **error)
{
  g_autofree char *name = g_strconcat (base, suffix, NULL);
  g_autofree char *path = g_build_filename (self->folder, name, NULL);

  return g_file_set_contents (path, bytes, (gssize)size, error);
}

/* Saves a form as text; a form that the compiler cannot make is reported, but no failure. */
static gboolean
export_text (const Export  *self,
             const char    *shader,
             const char    *form,
             const char    *base,
             const char    *suffix,
             GError       **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s", shader, form);
  g_autoptr (GError) reason = NULL;
  g_autoptr (JsonNode) node =
    vtr_answers_get (self->answers, path, self->cancellable, &reason);
  g_autofree char *text = NULL;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  if (node == NULL)
    {
      if (!g_error_matches (reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
        tell_missing (self, path, reason);
      return TRUE;
    }
  text = JSON_NODE_HOLDS_VALUE (node) ? g_strdup (json_node_get_string (node))
                                      : vtr_json_to_text (node, TRUE);
  return write_file (self, base, suffix, text, strlen (text), error);
}

/* The name of a source file without its folders, fit for a file name. */
static char *
make_source_suffix (const char *file,
                    guint       nth)
{
  g_autofree char *name = g_path_get_basename (*file != '\0' ? file : "source.txt");

  g_strcanon (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
  return nth > 0 ? g_strdup_printf (".%u.%s", nth, name) : g_strdup_printf (".%s", name);
}

static gboolean
export_sources (const Export   *self,
                VtrShaderCode  *code,
                const char     *base,
                GError        **error)
{
  guint nth = 0;

  for (guint i = 0; i < vtr_spirv_get_n_sources (code->spirv); i++)
    {
      const VtrSpirvSource *source = vtr_spirv_get_source (code->spirv, i);
      g_autofree char *suffix = make_source_suffix (source->file, nth);

      if (source->text == NULL)
        continue;
      nth++;
      if (!write_file (self, base, suffix, source->text, strlen (source->text), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
export_shader (const Export  *self,
               VtrShader     *shader,
               GError       **error)
{
  const char *path = vtr_shader_get_path (shader);
  g_autofree char *base = g_strdup (path + strlen ("objects/"));
  g_autoptr (GError) reason = NULL;
  g_autoptr (VtrShaderCode) code =
    vtr_shader_code_load (vtr_analysis_get_history (self->answers->analysis),
                          vtr_shader_get_object (shader), vtr_shader_get_nth (shader), &reason);
  gconstpointer bytes;
  gsize size;

  if (code == NULL)
    {
      tell_missing (self, path, reason);
      return TRUE;
    }
  g_strdelimit (base, "/", '.');
  bytes = g_bytes_get_data (code->code, &size);
  return write_file (self, base, ".spv", bytes, size, error) &&
         export_text (self, path, "disassembly", base, ".spvasm", error) &&
         export_text (self, path, "glsl", base, ".glsl", error) &&
         export_text (self, path, "reflection", base, ".json", error) &&
         export_sources (self, code, base, error);
}

gboolean
vtr_shader_export (VtrAnswers                   *answers,
                   const char                   *folder,
                   const VtrShaderExportEvents  *events,
                   guint                        *n,
                   GCancellable                 *cancellable,
                   GError                      **error)
{
  const Export self = { answers, folder, events, cancellable };
  g_autoptr (VtrShaderList) list = vtr_trace_lists_get_shaders (answers->lists, cancellable, error);
  guint n_shaders = list != NULL ? g_list_model_get_n_items (G_LIST_MODEL (list)) : 0;

  if (list == NULL)
    return FALSE;
  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                   _ ("The folder “%s” cannot be created: %s"), folder, g_strerror (errno));
      return FALSE;
    }
  for (guint i = 0; i < n_shaders; i++)
    {
      events->progress (i, n_shaders, events->data);
      if (!export_shader (&self, vtr_shader_list_get (list, i), error))
        return FALSE;
    }
  if (n != NULL)
    *n = n_shaders;
  return TRUE;
}
