/* vtr-trace-generate: writes a trace of any size and of realistic shape, without a driver.
 *
 * Frames of shadow, geometry and post-processing passes recorded by three threads, with debug
 * labels, secondaries, mapped uniform data that no frame shares with another, textures that come
 * and go with reused handles, time stamps, and presents. It replays. The same seed gives the same
 * file. */
#include "vtr-scene.h"

#include <stdlib.h>

int
main (int    argc,
      char **argv)
{
  gint64 n_commands = 1000000, draws = 1000, seed = 1;
  g_autofree char *output = NULL;
  GOptionEntry entries[] = {
    { "commands", 'n', 0, G_OPTION_ARG_INT64, &n_commands, "At least so many", "N" },
    { "draws", 'd', 0, G_OPTION_ARG_INT64, &draws, "Draws of a frame", "N" },
    { "seed", 's', 0, G_OPTION_ARG_INT64, &seed, "Another seed gives another trace", "N" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "The file", "FILE" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  VtrRecorder *recorder;
  VtrScene *scene;
  guint64 frame = 0;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  if (output == NULL || n_commands < 1 || draws < 4 || draws > 1000000)
    {
      g_printerr ("Say a file by --output, at least one command and 4 to 1000000 draws\n");
      return 2;
    }

  recorder = vtr_recorder_new (output);
  scene = vtr_scene_new (recorder, (guint32)seed);
  while (vtr_recorder_get_n_commands (recorder) < (guint64)n_commands)
    vtr_scene_draw_frame (scene, frame++, (guint)draws);
  vtr_scene_free (scene);
  g_print ("%" G_GUINT64_FORMAT " commands, %" G_GUINT64_FORMAT " frames\n",
           vtr_recorder_finish (recorder), frame);
  return 0;
}
