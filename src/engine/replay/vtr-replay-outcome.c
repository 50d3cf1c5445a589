/* Turns the replayer's outcome of a request into a GError, and removes control characters from
 * text that it sent. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-outcome.h"

#include "engine/format/vtr-locale.h"
#include "base/vtr-number.h"
#include "engine/replay/vtr-replay-child.h"
#include "engine/replay/vtr-replay-environment.h"

#include <glib/gi18n-lib.h>

#define MAX_WORDS 16384 /* bytes that are shown */

char *
vtr_replay_words_of (const char *said,
                     gsize       n)
{
  char *words = g_utf8_make_valid (said, (gssize)n);

  for (char *at = words; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      if (c < 0x20 && c != '\n' && c != '\t')
        *at = ' ';
      else if (c == 0x7f)
        *at = ' ';
      else if (c >= 0x80 && c < 0xa0) /* control characters of one byte to some terminals */
        at[0] = (char)0xc2, at[1] = (char)0xa0;
    }
  return words;
}

char *
vtr_replay_words (const char *said)
{
  return vtr_replay_words_of (said, strnlen (said, MAX_WORDS));
}

static GError *
payload_error (const Vtr__Replay__Outcome *outcome,
               const char                 *function)
{
  g_autofree char *text = vtr_replay_words (outcome->text);

  if (function != NULL)
    return g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD, "%s: %s", function, text);
  return g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD, _ ("Instruction %s, 0x%08x: %s"),
                      VTR_NUMBER (outcome->instruction), outcome->word, text);
}

GError *
vtr_replay_outcome_to_error (const Vtr__Replay__Outcome *outcome,
                             const GError               *resource_error)
{
  static const VtrReplayError codes[] = {
    [VTR__REPLAY__OUTCOME__CODE__PAYLOAD] = VTR_REPLAY_ERROR_PAYLOAD,
    [VTR__REPLAY__OUTCOME__CODE__CALL] = VTR_REPLAY_ERROR_CALL,
    [VTR__REPLAY__OUTCOME__CODE__TRACE] = VTR_REPLAY_ERROR_TRACE,
    [VTR__REPLAY__OUTCOME__CODE__UNSUPPORTED] = VTR_REPLAY_ERROR_UNSUPPORTED,
    [VTR__REPLAY__OUTCOME__CODE__DRIVER] = VTR_REPLAY_ERROR_DRIVER,
    [VTR__REPLAY__OUTCOME__CODE__CLOSED] = VTR_REPLAY_ERROR_DIED,
    [VTR__REPLAY__OUTCOME__CODE__MEMORY] = VTR_REPLAY_ERROR_UNSUPPORTED,
    [VTR__REPLAY__OUTCOME__CODE__ADDRESS] = VTR_REPLAY_ERROR_ADDRESS,
    [VTR__REPLAY__OUTCOME__CODE__CALL_MEMORY] = VTR_REPLAY_ERROR_CALL,
  };
  const char *function = vtr_replay_function_name (outcome->function);
  g_autofree char *text = NULL;
  VtrReplayError code = VTR_REPLAY_ERROR_PAYLOAD;

  if (outcome->code == VTR__REPLAY__OUTCOME__CODE__FINE)
    return NULL;
  if (outcome->code == VTR__REPLAY__OUTCOME__CODE__CANCELLED)
    return g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s", _ ("The replay was cancelled."));
  if (resource_error != NULL && outcome->code == VTR__REPLAY__OUTCOME__CODE__TRACE)
    return g_error_copy (resource_error);
  if ((guint)outcome->code < G_N_ELEMENTS (codes))
    code = codes[outcome->code];
  if (code == VTR_REPLAY_ERROR_PAYLOAD)
    return payload_error (outcome, function);
  text = vtr_replay_words (outcome->text);
  if (function != NULL && outcome->code == VTR__REPLAY__OUTCOME__CODE__CALL_MEMORY)
    return g_error_new (VTR_REPLAY_ERROR, code,
                        _ ("%s failed: %s. A replay may take %s MiB of this machine's memory; "
                           "VITRINE_REPLAY_MEMORY changes that."),
                        function, text, VTR_NUMBER (vtr_replay_environment_get_memory ()));
  if (function != NULL && code == VTR_REPLAY_ERROR_CALL)
    return g_error_new (VTR_REPLAY_ERROR, code, _ ("%s failed: %s."), function, text);
  /* Some of the replayer's sentences are translated here. */
  return g_error_new_literal (VTR_REPLAY_ERROR, code, vtr_locale_translate (text));
}
