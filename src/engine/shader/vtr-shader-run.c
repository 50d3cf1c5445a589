/* Runs the shader tool, in a process of its own, and says in a sentence why it failed. */
#include "vtr-config.h"

#include "engine/shader/vtr-shader-run.h"

#include "engine/replay/vtr-own-environment.h"
#include "engine/replay/vtr-own-program.h"
#include "engine/shader/vtr-spirv.h"
#include "engine/shader/vtr-tool-run.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define TOOL "vitrine-shader-tool"
#define MAX_WORDS 2048 /* of what it says, in a sentence */

static void
set_tool_failure (const VtrToolRun *run, GError **error)
{
  int signal = WIFSIGNALED (run->status) ? WTERMSIG (run->status) : 0;
  g_autofree char *words =
    g_utf8_make_valid (run->words, (gssize)MIN (strlen (run->words), MAX_WORDS));

  if (signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL)
    g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                         _ ("Disassembling this shader took too long."));
  else if (signal != 0)
    g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                 _ ("Disassembling this shader crashed (%s). The module may be damaged."),
                 g_strsignal (signal));
  else
    g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                 _ ("This shader cannot be disassembled: %s"),
                 *words != '\0' ? words : _ ("it gave no reason."));
}

GBytes *
vtr_shader_run_tool (const char      *verb,
                     GBytes          *input,
                     VtrShaderStage   stage,
                     const char      *entry,
                     GCancellable    *cancellable,
                     GError         **error)
{
  g_autofree char *path = vtr_own_program_find (TOOL, "VITRINE_SHADER_TOOL", "src/engine/shader");
  g_autofree char *number = g_strdup_printf ("%u", (guint)stage);
  const char *const argv[] = { path, verb, number, entry, NULL };
  g_auto (GStrv) environment = vtr_own_environment_get ();
  g_auto (VtrToolRun) run = { 0 };
  g_autoptr (GError) reason = NULL;

  if (path != NULL && vtr_tool_run (argv, environment, input, &run, cancellable, &reason))
    {
      if (vtr_tool_run_is_success (&run))
        return g_steal_pointer (&run.out);
      set_tool_failure (&run, error);
    }
  else if (reason != NULL && (reason->domain == VTR_SHADER_ERROR ||
                              g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED)))
    g_propagate_error (error, g_steal_pointer (&reason));
  else
    g_set_error (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_TOOL,
                 _ ("vitrine-shader-tool cannot be started: %s"),
                 reason != NULL ? reason->message : _ ("it is not installed."));
  return NULL;
}
