/* vitrine-cli shaders: lists the shaders of a trace and their users, or saves all their forms. */
#include "vtr-cli.h"

#include "engine/answers/vtr-shader-export.h"
#include "engine/document/vtr-document.h"

#include <stdio.h>

static gboolean json;
static char *at;
static char *export_folder;

static const GOptionEntry entries[] = {
  { "at", 0, 0, G_OPTION_ARG_STRING, &at,
    N_ ("List only shaders bound at this command"), N_ ("INDEX") },
  { "export", 0, 0, G_OPTION_ARG_FILENAME, &export_folder,
    N_ ("Save each shader's SPIR-V, assembly, GLSL, reflection and embedded source in a folder"),
    N_ ("DIR") },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
  { NULL },
};

static void
on_written (guint64  done,
            guint64  total,
            gpointer data)
{
  vtr_cli_progress (_ ("Writing shaders"), done, total);
}

/* Forms that are unavailable are reported, but are no failure. */
static void
on_missing (const char *text,
            gpointer    data)
{
  g_printerr ("%s\n", text);
}

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
                      _ ("Lists the shaders of a trace and their users. To print one shader: "
                         "“vitrine-cli get FILE PATH/glsl” (or disassembly, source, reflection, "
                         "spirv) with a path from the list."),
                      entries, 1, 1, &argc, &argv, &status))
    return status;
  document = vtr_document_open (argv[1], on_progress, NULL, vtr_cli_get_cancellable (), &error);
  if (document == NULL)
    return vtr_cli_fail (error);
  vtr_cli_progress_end ();
  if (export_folder != NULL &&
      !vtr_shader_export (vtr_document_get_answers (document), export_folder,
                          &(VtrShaderExportEvents){ on_written, on_missing, NULL }, NULL,
                          vtr_cli_get_cancellable (), &error))
    return vtr_cli_fail (error);
  vtr_cli_progress_end ();
  if (export_folder != NULL && !json && at == NULL)
    return VTR_CLI_OK;
  return print_list (document);
}
