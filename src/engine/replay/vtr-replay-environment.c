#include "vtr-config.h"

#include "engine/replay/vtr-replay-environment.h"

static const char *const unwanted[] = { "VK_INSTANCE_LAYERS",
                                        "VK_LOADER_LAYERS_ENABLE",
                                        "VK_LAYER_PATH",
                                        "VK_ADD_LAYER_PATH",
                                        "VK_IMPLICIT_LAYER_PATH",
                                        "VK_ADD_IMPLICIT_LAYER_PATH",
                                        "ENABLE_VKBASALT",
                                        "MANGOHUD",
                                        "DISPLAY",
                                        "WAYLAND_DISPLAY",
                                        "WAYLAND_SOCKET",
                                        "XAUTHORITY",
                                        "XDG_RUNTIME_DIR",
                                        "DBUS_SESSION_BUS_ADDRESS",
                                        "DBUS_SYSTEM_BUS_ADDRESS",
                                        "SSH_AUTH_SOCK",
                                        "LD_PRELOAD",
                                        "LD_AUDIT" };

/* What a developer says to the replayer itself. */
static const char *const kept[] = { "VITRINE_LOG", "VITRINE_SANDBOX" };

/* Where drivers keep what they compiled, and everything else. */
static void
set_home (GSubprocessLauncher *launcher)
{
  static const char *const homes[] = { "HOME", "XDG_CACHE_HOME",
                                       "XDG_STATE_HOME", "TMPDIR",
                                       "VITRINE_SANDBOX_CACHE",
                                       "MESA_SHADER_CACHE_DIR", /* Mesa 22 and later */
                                       "MESA_GLSL_CACHE_DIR",   /* and before */
                                       "__GL_SHADER_DISK_CACHE_PATH" };
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "vitrine", "driver", NULL);
  gboolean made = g_mkdir_with_parents (folder, 0700) == 0;

  /* The loader looks for the user's own drivers there. */
  g_subprocess_launcher_setenv (launcher, "XDG_DATA_HOME", g_get_user_data_dir (), TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_CONFIG_HOME", g_get_user_config_dir (), TRUE);
  g_subprocess_launcher_setenv (launcher, "VITRINE_SANDBOX_HOME", g_get_home_dir (), TRUE);
  if (!made)
    g_subprocess_launcher_setenv (launcher, "MESA_SHADER_CACHE_DISABLE", "true", TRUE);
  for (gsize i = 0; made && i < G_N_ELEMENTS (homes); i++)
    g_subprocess_launcher_setenv (launcher, homes[i], folder, TRUE);
}

void
vtr_replay_environment_clean (GSubprocessLauncher *launcher)
{
  const char *layers = g_getenv ("VITRINE_REPLAY_LAYERS");
  g_auto (GStrv) names = g_listenv ();

  for (gsize i = 0; names[i] != NULL; i++)
    if (g_str_has_prefix (names[i], "VITRINE_"))
      g_subprocess_launcher_unsetenv (launcher, names[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    if (g_getenv (kept[i]) != NULL)
      g_subprocess_launcher_setenv (launcher, kept[i], g_getenv (kept[i]), TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (unwanted); i++)
    g_subprocess_launcher_unsetenv (launcher, unwanted[i]);
  set_home (launcher);
  g_subprocess_launcher_setenv (launcher, "VK_LOADER_LAYERS_DISABLE", "~implicit~", TRUE);
  /* For whoever looks into the replayer itself. */
  if (layers != NULL)
    g_subprocess_launcher_setenv (launcher, "VK_INSTANCE_LAYERS", layers, TRUE);
}
