/* Builds the environment of the replayer process: its own home and cache folder, its memory
 * limit, and no layers. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-environment.h"

#include "engine/replay/vtr-own-environment.h"

#include <string.h>
#include <unistd.h>

#define IMPLICIT "VK_LOADER_LAYERS_DISABLE"

/* Layers are for programs, not for replays; vtr-own-environment.c says what is passed at all. */
static const char *const unwanted[] = { "VK_INSTANCE_LAYERS",
                                        "VK_LOADER_LAYERS_ENABLE",
                                        "VK_LOADER_LAYERS_ALLOW",
                                        "VK_LAYER_PATH",
                                        "VK_ADD_LAYER_PATH",
                                        "VK_IMPLICIT_LAYER_PATH",
                                        "VK_ADD_IMPLICIT_LAYER_PATH",
                                        NULL };

/* Where the loader finds drivers, besides what begins with VK_. */
static const char *const places[] = { "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS",
                                      "XDG_DATA_HOME", NULL };

guint64
vtr_replay_environment_get_disk (void)
{
  const char *wish = g_getenv ("VITRINE_REPLAY_DISK");
  guint64 own = wish != NULL ? g_ascii_strtoull (wish, NULL, 10) : 0;

  return own > 0 ? own : 1024;
}

/* Where drivers keep what they compiled, and everything else. */
static void
set_home (GSubprocessLauncher *launcher, const char *folder)
{
  static const char *const homes[] = { "HOME", "XDG_CACHE_HOME",
                                       "XDG_STATE_HOME", "TMPDIR",
                                       "VITRINE_SANDBOX_CACHE",
                                       "MESA_SHADER_CACHE_DIR", /* Mesa 22 and later */
                                       "MESA_GLSL_CACHE_DIR",   /* and before */
                                       "__GL_SHADER_DISK_CACHE_PATH" };
  guint64 half = MAX (vtr_replay_environment_get_disk () / 2, 1);
  g_autofree char *cache = g_strdup_printf ("%" G_GUINT64_FORMAT "M", half);

  /* The loader looks for the user's own drivers there. */
  g_subprocess_launcher_setenv (launcher, "XDG_DATA_HOME", g_get_user_data_dir (), TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_CONFIG_HOME", g_get_user_config_dir (), TRUE);
  g_subprocess_launcher_setenv (launcher, "VITRINE_SANDBOX_HOME", g_get_home_dir (), TRUE);
  /* Mesa removes old files itself before the cache grows too large. */
  g_subprocess_launcher_setenv (launcher, "MESA_SHADER_CACHE_MAX_SIZE", cache, TRUE);
  if (folder == NULL)
    g_subprocess_launcher_setenv (launcher, "MESA_SHADER_CACHE_DISABLE", "true", TRUE);
  for (gsize i = 0; folder != NULL && i < G_N_ELEMENTS (homes); i++)
    g_subprocess_launcher_setenv (launcher, homes[i], folder, TRUE);
}

guint64
vtr_replay_environment_get_memory (void)
{
  const char *wish = g_getenv ("VITRINE_REPLAY_MEMORY");
  guint64 pages = (guint64)sysconf (_SC_PHYS_PAGES);
  guint64 own = wish != NULL ? g_ascii_strtoull (wish, NULL, 10) : 0;

  /* Leaves some memory for the window and other programs. */
  return own > 0 ? own : MAX (1, pages / 8 * 7 / (1024 * 1024 / (guint64)sysconf (_SC_PAGESIZE)));
}

static void
set_memory (GSubprocessLauncher *launcher)
{
  g_autofree char *number =
    g_strdup_printf ("%" G_GUINT64_FORMAT, vtr_replay_environment_get_memory ());

  g_subprocess_launcher_setenv (launcher, "VITRINE_REPLAY_MEMORY", number, TRUE);
}

#ifdef __SANITIZE_ADDRESS__
/* Unwinding by tables at each allocation waits for itself where drivers generate code: libgcc
 * allocates while it holds the lock of the tables. */
static void
be_sanitized (GSubprocessLauncher *launcher)
{
  const char *options = g_getenv ("ASAN_OPTIONS");
  g_autofree char *more =
    g_strconcat (options != NULL ? options : "", ":fast_unwind_on_malloc=1", NULL);

  g_subprocess_launcher_setenv (launcher, "ASAN_OPTIONS", more, TRUE);
}
#endif

void
vtr_replay_environment_clean (GSubprocessLauncher *launcher, const char *folder)
{
  const char *layers = g_getenv ("VITRINE_REPLAY_LAYERS");
  g_auto (GStrv) environment = vtr_own_environment_get ();

  g_subprocess_launcher_set_environ (launcher, environment);
  for (gsize i = 0; unwanted[i] != NULL; i++)
    g_subprocess_launcher_unsetenv (launcher, unwanted[i]);
  set_home (launcher, folder);
  g_subprocess_launcher_setenv (launcher, IMPLICIT, "~implicit~", TRUE);
  set_memory (launcher);
#ifdef __SANITIZE_ADDRESS__
  be_sanitized (launcher);
#endif
  /* Variables for debugging the replayer itself. */
  if (layers != NULL)
    g_subprocess_launcher_setenv (launcher, "VK_INSTANCE_LAYERS", layers, TRUE);
}

void
vtr_replay_environment_add (GSubprocessLauncher        *launcher,
                            const char          *const *environment)
{
  for (gsize i = 0; environment != NULL && environment[i] != NULL; i++)
    {
      const char *pair = environment[i];
      const char *equals = strchr (pair, '=');
      g_autofree char *name = equals != NULL ? g_strndup (pair, (gsize)(equals - pair)) : NULL;

      if (name != NULL && !g_strv_contains (unwanted, name) && !g_str_equal (name, IMPLICIT) &&
          (g_str_has_prefix (name, "VK_") || g_strv_contains (places, name)))
        g_subprocess_launcher_setenv (launcher, name, equals + 1, TRUE);
    }
}
