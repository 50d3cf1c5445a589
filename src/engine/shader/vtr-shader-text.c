/* Converts SPIR-V to assembly and back, and validates it, with SPIRV-Tools. */
#include "engine/shader/vtr-shader-tool.h"

#include <spirv-tools/libspirv.h>
#include <string.h>

static char *
take_diagnostic (spv_diagnostic diagnostic, gsize words)
{
  char *text;

  if (diagnostic == NULL || diagnostic->error == NULL)
    text = g_strdup ("unknown error");
  else if (words > 0 && diagnostic->position.index > 0 && diagnostic->position.index < words)
    text = g_strdup_printf ("word %u: %s", (guint)diagnostic->position.index, diagnostic->error);
  else
    text = g_strdup (diagnostic->error);
  spvDiagnosticDestroy (diagnostic);
  return text;
}

gboolean
vtr_shader_tool_validate (const VtrShaderJob *job, char **message)
{
  spv_context context = spvContextCreate (SPV_ENV_UNIVERSAL_1_6);
  spv_validator_options options = spvValidatorOptionsCreate ();
  spv_const_binary_t binary = { job->words, job->n_words };
  spv_diagnostic diagnostic = NULL;
  spv_result_t result;

  /* Layouts are the program's business with its driver. */
  spvValidatorOptionsSetSkipBlockLayout (options, true);
  spvValidatorOptionsSetRelaxLogicalPointer (options, true);
  spvValidatorOptionsSetBeforeHlslLegalization (options, true);
  result = spvValidateWithOptions (context, options, &binary, &diagnostic);
  spvValidatorOptionsDestroy (options);
  spvContextDestroy (context);
  if (result == SPV_SUCCESS)
    {
      spvDiagnosticDestroy (diagnostic);
      return TRUE;
    }
  *message = take_diagnostic (diagnostic, job->n_words);
  return FALSE;
}

gboolean
vtr_shader_tool_disassemble (const VtrShaderJob *job, GString *out, char **message)
{
  spv_context context = spvContextCreate (SPV_ENV_UNIVERSAL_1_6);
  spv_diagnostic diagnostic = NULL;
  spv_text text = NULL;
  spv_result_t result = spvBinaryToText (
    context, job->words, job->n_words,
    SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
      SPV_BINARY_TO_TEXT_OPTION_COMMENT,
    &text, &diagnostic);

  if (result == SPV_SUCCESS && text != NULL)
    {
      g_string_append_len (out, text->str, (gssize)text->length);
      spvDiagnosticDestroy (diagnostic);
    }
  else
    *message = take_diagnostic (diagnostic, job->n_words);
  spvTextDestroy (text);
  spvContextDestroy (context);
  return result == SPV_SUCCESS;
}

/* The version that a disassembly names in its head, which decides on what rules its module is held
 * against. */
static spv_target_env
find_version (const char *text, gsize length)
{
  static const char mark[] = "; Version: 1.";
  static const spv_target_env versions[] = {
    SPV_ENV_UNIVERSAL_1_0,
    SPV_ENV_UNIVERSAL_1_1,
    SPV_ENV_UNIVERSAL_1_2,
    SPV_ENV_UNIVERSAL_1_3,
    SPV_ENV_UNIVERSAL_1_4,
    SPV_ENV_UNIVERSAL_1_5,
    SPV_ENV_UNIVERSAL_1_6,
  };
  const char *found = g_strstr_len (text, (gssize)MIN (length, 1000), mark);
  const char *digit = found != NULL ? found + strlen (mark) : NULL;

  if (digit == NULL || digit >= text + length || *digit < '0' ||
      *digit >= '0' + (int)G_N_ELEMENTS (versions))
    return SPV_ENV_UNIVERSAL_1_6;
  return versions[*digit - '0'];
}

gboolean
vtr_shader_tool_assemble (const char *text, gsize length, GString *out, char **message)
{
  spv_context context = spvContextCreate (find_version (text, length));
  spv_diagnostic diagnostic = NULL;
  spv_binary binary = NULL;
  spv_result_t result =
    spvTextToBinaryWithOptions (context, text, length,
                                SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS, &binary,
                                &diagnostic);

  if (result == SPV_SUCCESS && binary != NULL)
    {
      g_string_append_len (out, (const char *)binary->code, (gssize)(binary->wordCount * 4));
      spvDiagnosticDestroy (diagnostic);
    }
  else
    {
      guint line = diagnostic != NULL ? (guint)diagnostic->position.line + 1 : 0;
      g_autofree char *reason = take_diagnostic (diagnostic, 0);

      *message = g_strdup_printf ("line %u: %s", line, reason);
    }
  spvBinaryDestroy (binary);
  spvContextDestroy (context);
  return result == SPV_SUCCESS;
}
