/* Checks the options of a capture, and names its traces. */
#include "vtr-capture-options.h"

#include "engine/api/vtr-capture-error.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define SUFFIX ".gfxtrace"

static gboolean
fail (GError     **error,
      const char  *sentence)
{
  g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_OPTIONS, sentence);
  return FALSE;
}

gboolean
vtr_capture_options_check (const VtrCaptureOptions  *options,
                           GError                  **error)
{
  guint64 n_frames = MAX (options->n_frames, 1);

  if (options->trigger == VTR_CAPTURE_AFTER_SECONDS &&
      (!isfinite (options->seconds) || options->seconds < 0 || options->seconds > 1e9))
    return fail (error, _ ("The start time must be a number of seconds."));
  if (options->every > 0 && options->every < n_frames)
    return fail (error, _ ("Captures would overlap. Repeat them after at least as many frames "
                           "as each one has."));
  if (options->times > 1 && options->every == 0 && options->trigger != VTR_CAPTURE_BY_HAND)
    return fail (error, _ ("To capture several times, say after how many frames to repeat, or "
                           "trigger each capture by hand."));
  if (options->every > 0 && options->trigger == VTR_CAPTURE_FROM_LAUNCH)
    return fail (error, _ ("A capture from launch cannot be repeated. To repeat captures, "
                           "start them at a frame, after some seconds, or by hand."));
  if (options->n_frames > G_MAXUINT32)
    return fail (error, _ ("Too many frames to record."));
  return TRUE;
}

char *
vtr_capture_number_path (const char *path,
                         guint       nth)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *numbered = NULL;
  char *place = strstr (name, "%d");

  if (place != NULL)
    numbered = g_strdup_printf ("%.*s%u%s", (int)(place - name), name, nth, place + 2);
  else if (nth <= 1)
    return g_strdup (path);
  else if (g_str_has_suffix (name, SUFFIX))
    numbered = g_strdup_printf ("%.*s-%u" SUFFIX, (int)(strlen (name) - strlen (SUFFIX)), name,
                                nth);
  else
    numbered = g_strdup_printf ("%s-%u" SUFFIX, name, nth);
  return g_build_filename (folder, numbered, NULL);
}
