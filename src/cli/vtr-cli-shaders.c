/* vitrine-cli shaders: the shaders of a trace, who uses them, and all their forms as files. */
#include "vtr-cli.h"

#include "engine/resolve/vtr-document-lists.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static gboolean json;
static char *at;
static char *export_folder;

static const GOptionEntry entries[] = {
  { "at", 0, 0, G_OPTION_ARG_STRING, &at, N_ ("Only those bound at this command"), N_ ("INDEX") },
  { "export", 0, 0, G_OPTION_ARG_FILENAME, &export_folder,
    N_ ("Write SPIR-V, its assembly, GLSL, reflection and embedded source of each into a folder"),
    N_ ("DIR") },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
  { NULL },
};

static void
on_progress (guint64  done,
             guint64  total,
             gpointer data)
{
  vtr_cli_progress (_ ("Reading commands"), done, total);
}

/* --- Printing -------------------------------------------------------------------------------- */

static char *
join_strings (JsonArray *array)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (array); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "",
                            json_array_get_string_element (array, i));
  return g_string_free (text, FALSE);
}

static void
print_shader (JsonObject *shader)
{
  g_autofree char *stages = join_strings (json_object_get_array_member (shader, "stages"));

  printf (_ ("%-28s %-20s %8s bytes  %6s uses  %s\n"),
          json_object_get_string_member (shader, "path"), stages,
          VTR_NUMBER ((guint64)json_object_get_int_member (shader, "bytes")),
          VTR_NUMBER ((guint64)json_object_get_int_member (shader, "uses")),
          json_object_get_string_member (shader, "name"));
}

static void
print_bound (JsonObject *shader)
{
  printf ("%-28s %-12s %s\n", json_object_get_string_member (shader, "path"),
          json_object_get_string_member (shader, "stage"),
          json_object_get_string_member (shader, "entryPoint"));
}

/* --- Files ----------------------------------------------------------------------------------- */

static gboolean
write_file (const char     *base,
            const char     *suffix,
            gconstpointer   bytes,
            gsize           size,
            GError        **error)
{
  g_autofree char *name = g_strconcat (base, suffix, NULL);
  g_autofree char *path = g_build_filename (export_folder, name, NULL);

  return g_file_set_contents (path, bytes, (gssize)size, error);
}

/* A form as text; what the compiler cannot say is told, not fatal. */
static gboolean
export_text (VtrDocument  *document,
             const char   *shader,
             const char   *form,
             const char   *base,
             const char   *suffix,
             GError      **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s", shader, form);
  g_autoptr (GError) reason = NULL;
  g_autoptr (JsonNode) node =
    vtr_document_get (document, path, vtr_cli_get_cancellable (), &reason);
  g_autofree char *text = NULL;

  if (g_cancellable_set_error_if_cancelled (vtr_cli_get_cancellable (), error))
    return FALSE;
  if (node == NULL)
    {
      if (!g_error_matches (reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
        g_printerr ("%s: %s\n", path, reason->message);
      return TRUE;
    }
  text = JSON_NODE_HOLDS_VALUE (node) ? g_strdup (json_node_get_string (node))
                                      : json_to_string (node, TRUE);
  return write_file (base, suffix, text, strlen (text), error);
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
export_sources (VtrShaderCode  *code,
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
      if (!write_file (base, suffix, source->text, strlen (source->text), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
export_shader (VtrDocument  *document,
               VtrShader    *shader,
               GError      **error)
{
  const char *path = vtr_shader_get_path (shader);
  g_autofree char *base = g_strdup (path + strlen ("objects/"));
  g_autoptr (GError) reason = NULL;
  g_autoptr (VtrShaderCode) code =
    vtr_shader_code_load (vtr_document_get_history (document), vtr_shader_get_object (shader),
                          vtr_shader_get_nth (shader), &reason);
  gconstpointer bytes;
  gsize size;

  if (code == NULL)
    {
      g_printerr ("%s: %s\n", path, reason->message);
      return TRUE;
    }
  g_strdelimit (base, "/", '.');
  bytes = g_bytes_get_data (code->code, &size);
  return write_file (base, ".spv", bytes, size, error) &&
         export_text (document, path, "disassembly", base, ".spvasm", error) &&
         export_text (document, path, "glsl", base, ".glsl", error) &&
         export_text (document, path, "reflection", base, ".json", error) &&
         export_sources (code, base, error);
}

static gboolean
export_all (VtrDocument  *document,
            GError      **error)
{
  g_autoptr (VtrShaderList) list =
    vtr_document_list_shaders (document, vtr_cli_get_cancellable (), error);
  guint n = list != NULL ? g_list_model_get_n_items (G_LIST_MODEL (list)) : 0;

  if (list == NULL)
    return FALSE;
  if (g_mkdir_with_parents (export_folder, 0777) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                   _ ("The folder “%s” cannot be made: %s"), export_folder, g_strerror (errno));
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      vtr_cli_progress (_ ("Writing shaders"), i, n);
      if (!export_shader (document, vtr_shader_list_get (list, i), error))
        return FALSE;
    }
  vtr_cli_progress_end ();
  return TRUE;
}

/* --- The verb -------------------------------------------------------------------------------- */

static VtrCliStatus
print_list (VtrDocument *document)
{
  g_autofree char *path =
    at != NULL ? g_strdup_printf ("commands/%s/shaders", at) : g_strdup ("shaders");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node =
    vtr_document_get (document, path, vtr_cli_get_cancellable (), &error);
  JsonArray *array;

  if (node == NULL)
    return vtr_cli_fail (error);
  if (json)
    {
      vtr_cli_print_json (node, FALSE);
      return VTR_CLI_OK;
    }
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    (at != NULL ? print_bound : print_shader) (json_array_get_object_element (array, i));
  return VTR_CLI_OK;
}

VtrCliStatus
vtr_cli_shaders (int    argc,
                 char **argv)
{
  g_autoptr (VtrDocument) document = NULL;
  g_autoptr (GError) error = NULL;
  VtrCliStatus status;

  if (!vtr_cli_parse ("shaders", "FILE [--at INDEX] [--export DIR]",
                      _ ("Lists the shaders of a trace and who uses them. One form of one shader: "
                         "“vitrine-cli get FILE PATH/glsl” (or disassembly, source, reflection, "
                         "spirv) with a path of the list."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  vtr_cli_progress_end ();
  if (export_folder != NULL && !export_all (document, &error))
    return vtr_cli_fail (error);
  if (export_folder != NULL && !json && at == NULL)
    return VTR_CLI_OK;
  return print_list (document);
}
