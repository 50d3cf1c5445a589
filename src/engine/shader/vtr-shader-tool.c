/* vitrine-shader-tool: disassembles, reflects and validates one SPIR-V module in a process of
 * its own, because a hostile module may crash the libraries.  vitrine-shader-tool
 * disassemble|glsl|reflect|validate [STAGE [ENTRY]] < MODULE > TEXT vitrine-shader-tool assemble
 * < TEXT > MODULE  Exit status 0: done; 1: the module cannot be converted, with the reason on
 * standard error. */
#include "engine/shader/vtr-shader-tool.h"

#include "sandbox/vtr-sandbox.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_SECONDS 20
#define MAX_MEMORY ((rlim_t)2 << 30)
#define MAX_MODULE (256u << 20)
#define MAX_OUTPUT (64u << 20)

/* A module may be made to take for ever, or all memory, or the compilers over. */
static void
limit (void)
{
  struct rlimit seconds = { MAX_SECONDS, MAX_SECONDS }, none = { 0, 0 };

  setrlimit (RLIMIT_CPU, &seconds);
  setrlimit (RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__)
  {
    struct rlimit memory = { MAX_MEMORY, MAX_MEMORY };

    setrlimit (RLIMIT_AS, &memory);
  }
#endif
  alarm (2 * MAX_SECONDS);
  vtr_sandbox_enter_tool ();
}

static GByteArray *
read_input (void)
{
  GByteArray *input = g_byte_array_new ();
  guint8 block[65536];
  size_t n;

  while ((n = fread (block, 1, sizeof block, stdin)) > 0 && input->len <= MAX_MODULE)
    g_byte_array_append (input, block, (guint)n);
  return input;
}

static gboolean
run (const char *verb, VtrShaderJob *job, GByteArray *input, GString *out, char **message)
{
  if (strcmp (verb, "assemble") == 0)
    return vtr_shader_tool_assemble ((const char *)input->data, input->len, out, message);
  if (strcmp (verb, "disassemble") == 0)
    return vtr_shader_tool_disassemble (job, out, message);
  /* SPIRV-Cross trusts its input: only what the validator let pass comes that far. */
  if (!vtr_shader_tool_validate (job, message))
    return FALSE;
  if (strcmp (verb, "glsl") == 0)
    return vtr_shader_tool_glsl (job, out, message);
  if (strcmp (verb, "reflect") == 0)
    return vtr_shader_tool_reflect (job, out, message);
  if (strcmp (verb, "validate") == 0)
    return TRUE;
  *message = g_strdup_printf ("there is no verb “%s”", verb);
  return FALSE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GByteArray) input = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *message = NULL;
  VtrShaderJob job = { 0 };

  if (argc < 2 || argc > 4)
    {
      fputs ("vitrine-shader-tool: see its source for how it is called\n", stderr);
      return 2;
    }
  limit ();
  input = read_input ();
  job.words = (const guint32 *)(gconstpointer)input->data;
  job.n_words = input->len / 4;
  job.stage = argc > 2 ? (VtrShaderStage)strtoul (argv[2], NULL, 0) : 0;
  job.entry = argc > 3 ? argv[3] : NULL;
  if (!run (argv[1], &job, input, out, &message))
    {
      fputs (message != NULL ? message : "", stderr);
      return 1;
    }
  if (out->len > MAX_OUTPUT)
    {
      fputs ("the text would be larger than 64 MiB", stderr);
      return 1;
    }
  return fwrite (out->str, 1, out->len, stdout) == out->len && fflush (stdout) == 0 ? 0 : 1;
}
