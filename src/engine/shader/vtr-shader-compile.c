/* Compiles edited GLSL or SPIR-V assembly to SPIR-V, and turns the compiler's messages into
 * lines that a person can act on. */
#include "vtr-config.h"

#include "engine/shader/vtr-shader-compile.h"

#include "base/vtr-number.h"
#include "engine/shader/vtr-shader-run.h"
#include "engine/shader/vtr-tool-run.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#define SPIRV_MAGIC 0x07230203u

/* --- Compilers ------------------------------------------------------------------------------- */

static const struct
{
  VtrShaderStage stage;
  const char *word; /* of both compilers */
} stages[] = {
  { VTR_SHADER_STAGE_VERTEX, "vert" },
  { VTR_SHADER_STAGE_TESSELLATION_CONTROL, "tesc" },
  { VTR_SHADER_STAGE_TESSELLATION_EVALUATION, "tese" },
  { VTR_SHADER_STAGE_GEOMETRY, "geom" },
  { VTR_SHADER_STAGE_FRAGMENT, "frag" },
  { VTR_SHADER_STAGE_COMPUTE, "comp" },
  { VTR_SHADER_STAGE_TASK, "task" },
  { VTR_SHADER_STAGE_MESH, "mesh" },
  { VTR_SHADER_STAGE_RAYGEN, "rgen" },
  { VTR_SHADER_STAGE_INTERSECTION, "rint" },
  { VTR_SHADER_STAGE_ANY_HIT, "rahit" },
  { VTR_SHADER_STAGE_CLOSEST_HIT, "rchit" },
  { VTR_SHADER_STAGE_MISS, "rmiss" },
  { VTR_SHADER_STAGE_CALLABLE, "rcall" },
};

static const char *
word_of_stage (VtrShaderStage stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (stages[i].stage == stage)
      return stages[i].word;
  return NULL;
}

/* The environment whose compilers write modules like that one. */
static const char *
environment_of (VtrSpirv *like)
{
  guint minor = like != NULL ? vtr_spirv_get_version_minor (like) : 0;

  if (minor >= 6)
    return "vulkan1.3";
  if (minor >= 4)
    return "vulkan1.2";
  return minor >= 1 ? "vulkan1.1" : "vulkan1.0";
}

/* The command line of whichever compiler there is. */
static GStrv
make_command (const char      *in,
              const char      *out,
              VtrShaderStage   stage,
              VtrSpirv        *like,
              GError         **error)
{
  g_autofree char *glslang = g_find_program_in_path ("glslangValidator");
  g_autofree char *glslc = glslang == NULL ? g_find_program_in_path ("glslc") : NULL;
  const VtrSpirvEntry *entry = like != NULL ? vtr_spirv_find_entry (like, NULL, stage) : NULL;
  const char *environment = environment_of (like);
  const char *word = word_of_stage (stage);
  g_autoptr (GStrvBuilder) argv = g_strv_builder_new ();

  if (glslang == NULL && glslc == NULL)
    {
      g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                           _ ("No GLSL compiler was found. Install glslangValidator (Debian: "
                              "glslang-tools) or glslc, or use SPIR-V."));
      return NULL;
    }
  if (word == NULL)
    {
      g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                           _ ("GLSL cannot be compiled for an unknown stage."));
      return NULL;
    }
  if (glslang != NULL)
    {
      g_strv_builder_add_many (argv, glslang, "-V", "--quiet", "--target-env", environment, "-S",
                               word, "-o", out, NULL);
      if (entry != NULL && strcmp (entry->name, "main") != 0)
        g_strv_builder_add_many (argv, "--source-entrypoint", "main", "-e", entry->name, NULL);
      g_strv_builder_add (argv, in);
    }
  else
    {
      g_autofree char *which = g_strconcat ("-fshader-stage=", word, NULL);
      g_autofree char *target = g_strconcat ("--target-env=", environment, NULL);

      g_strv_builder_add_many (argv, glslc, which, target, "-o", out, in, NULL);
    }
  return g_strv_builder_end (argv);
}

/* --- What compilers say ---------------------------------------------------------------------- */

/* "ERROR: 0:12: 'x' : undeclared" or "shader:12: error: 'x' : undeclared" become "Line 12: 'x' :
 * undeclared". */
static void
add_complaint (GString    *text,
               GMatchInfo *match,
               guint      *line)
{
  g_autofree char *number = g_match_info_fetch_named (match, "line");
  g_autofree char *words = g_match_info_fetch_named (match, "words");
  guint64 value = 0;

  vtr_parse_number (number, 10, 0, G_MAXUINT, &value);
  if (line != NULL && *line == 0)
    *line = (guint)value;
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append_printf (text, _ ("Line %u: %s"), (guint)value, g_strstrip (words));
}

static void
set_complaints (const VtrToolRun  *run,
                guint             *line,
                GError           **error)
{
  gsize size;
  const char *out = g_bytes_get_data (run->out, &size);
  g_autofree char *out_text = g_utf8_make_valid (out != NULL ? out : "", (gssize)size);
  g_autoptr (GRegex) regex = g_regex_new (
    "^(?:ERROR: [^:\\n]*:(?<line>\\d+):(?<words>.*)|[^:\\n]*:(?<line>\\d+): error:(?<words>.*))$",
    G_REGEX_MULTILINE | G_REGEX_DUPNAMES, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  /* glslangValidator says it all on standard output, glslc on standard error. */
  g_autofree char *plain = g_strconcat (out_text, "\n", run->words, NULL);

  if (regex != NULL && g_regex_match (regex, plain, 0, &match))
    for (; g_match_info_matches (match); g_match_info_next (match, NULL))
      add_complaint (text, match, line);
  g_strstrip (plain);
  if (text->len == 0)
    g_string_append (text, *plain != '\0' ? plain : _ ("The compiler gave no reason."));
  g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED, text->str);
}

/* --- GLSL ------------------------------------------------------------------------------------ */

static GBytes *
run_compiler (char         **argv,
              const char    *out,
              guint         *line,
              GCancellable  *cancellable,
              GError       **error)
{
  g_auto (VtrToolRun) run = { 0 };
  char *contents;
  gsize size;

  if (!vtr_tool_run ((const char *const *)argv, NULL, NULL, &run, cancellable, error))
    return NULL;
  if (!vtr_tool_run_is_success (&run))
    {
      set_complaints (&run, line, error);
      return NULL;
    }
  if (!g_file_get_contents (out, &contents, &size, error))
    return NULL;
  return g_bytes_new_take (contents, size);
}

static GBytes *
compile_glsl (GBytes          *text,
              VtrShaderStage   stage,
              VtrSpirv        *like,
              guint           *line,
              GCancellable    *cancellable,
              GError         **error)
{
  g_autofree char *folder = g_dir_make_tmp ("vitrine-shader-XXXXXX", error);
  g_autofree char *in = folder != NULL ? g_build_filename (folder, "shader", NULL) : NULL;
  g_autofree char *out = folder != NULL ? g_build_filename (folder, "shader.spv", NULL) : NULL;
  g_auto (GStrv) argv = NULL;
  GBytes *code = NULL;
  gsize size;
  const char *bytes = g_bytes_get_data (text, &size);

  if (folder == NULL)
    return NULL;
  if (g_file_set_contents (in, bytes != NULL ? bytes : "", (gssize)size, error))
    {
      argv = make_command (in, out, stage, like, error);
      if (argv != NULL)
        code = run_compiler (argv, out, line, cancellable, error);
    }
  g_unlink (in);
  g_unlink (out);
  g_rmdir (folder);
  return code;
}

/* --- Either ---------------------------------------------------------------------------------- */

GBytes *
vtr_shader_compile (VtrShaderTextKind   kind,
                    GBytes             *text,
                    VtrShaderStage      stage,
                    VtrSpirv           *like,
                    guint              *line,
                    GCancellable       *cancellable,
                    GError            **error)
{
  if (line != NULL)
    *line = 0;
  if (kind == VTR_SHADER_TEXT_ASSEMBLY)
    return vtr_shader_run_tool ("assemble", text, 0, NULL, cancellable, error);
  return compile_glsl (text, stage, like, line, cancellable, error);
}

GBytes *
vtr_shader_compile_file (const char      *path,
                         VtrShaderStage   stage,
                         VtrSpirv        *like,
                         GCancellable    *cancellable,
                         GError         **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GBytes) contents = g_file_load_bytes (file, cancellable, NULL, error);
  VtrShaderTextKind kind = VTR_SHADER_TEXT_GLSL;
  const char *bytes;
  guint32 magic = 0;
  gsize size;

  if (contents == NULL)
    return NULL;
  bytes = g_bytes_get_data (contents, &size);
  if (size >= sizeof magic)
    memcpy (&magic, bytes, sizeof magic);
  if (magic == SPIRV_MAGIC)
    return g_steal_pointer (&contents);
  if (g_str_has_suffix (path, ".spvasm") ||
      (size >= 2 && memcmp (bytes, "; SPIR-V", MIN (size, strlen ("; SPIR-V"))) == 0))
    kind = VTR_SHADER_TEXT_ASSEMBLY;
  return vtr_shader_compile (kind, contents, stage, like, NULL, cancellable, error);
}
