/* Chooses the environment variables that Vitrine passes on to its own helper programs. */
#include "vtr-config.h"

#include "engine/replay/vtr-own-environment.h"

#include <string.h>

/* "NAME" or "NAME*". */
static const char *const passed[] = {
  /* Variables with which a developer controls our programs. */
  "VITRINE_LOG",
  "VITRINE_SANDBOX",
  /* Where the Vulkan loader finds drivers, and what it says. */
  "VK_*",
  "XDG_CONFIG_DIRS",
  "XDG_DATA_DIRS",
  /* Where drivers outside of the system's folders have their libraries; for a replayer that is a
   * script. */
  "LD_LIBRARY_PATH",
  "PATH",
  /* The language of sentences, and the time in logs. */
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  /* Mesa: what all its drivers read, then driver by driver. */
  "MESA_*",
  "mesa_*",
  "vblank_mode",
  "LIBGL_*",
  "DRI_*",
  "EGL_*",
  "NIR_*",
  "SPIRV_*",
  "ST_DEBUG",
  "ZINK_*",
  "GALLIUM_*",
  "GALLIVM_*",
  "DRAW_*",
  "LP_*",
  "LVP_*",
  "INTEL_*",
  "ANV_*",
  "HASVK_*",
  "RADV_*",
  "ACO_*",
  "RADEON_*",
  "AMD_*",
  "AMDVLK_*",
  "NVK_*",
  "NAK_*",
  "NOUVEAU_*",
  "V3D_*",
  "BROADCOM_*",
  "TU_*",
  "FD_MESA_DEBUG",
  "IR3_*",
  "PAN_*",
  "PANVK_*",
  "PVR_*",
  "VN_*",
  "VIRGL_*",
  "DZN_*",
  /* NVIDIA's driver and glvnd. */
  "__NV_*",
  "__GL_*",
  "__GLX_*",
  "__EGL_*",
  "__VK_*",
  "NVIDIA_*",
  "SWIFTSHADER_*",
  /* The C library's allocator, sanitizers and coverage, for debugging the replayer. */
  "MALLOC_*",
  "GLIBC_TUNABLES",
  "ASAN_OPTIONS",
  "UBSAN_OPTIONS",
  "LSAN_OPTIONS",
  "TSAN_OPTIONS",
  "GCOV_*",
};

/* No driver asks for these, whatever their names begin with (NVIDIA_API_KEY). */
static const char *const secrets[] = { "KEY", "TOKEN", "SECRET",
                                       "PASSWORD", "PASSWD", "CREDENTIAL" };

static gboolean
is_like (const char *name, const char *pattern)
{
  gsize n = strlen (pattern);

  if (n > 0 && pattern[n - 1] == '*')
    return strncmp (name, pattern, n - 1) == 0;
  return strcmp (name, pattern) == 0;
}

static gboolean
is_passed (const char *name)
{
  g_autofree char *upper = g_ascii_strup (name, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (secrets); i++)
    if (strstr (upper, secrets[i]) != NULL)
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (passed); i++)
    if (is_like (name, passed[i]))
      return TRUE;
  return FALSE;
}

static gboolean
is_asked_for (const char *name, char **patterns)
{
  for (; patterns != NULL && *patterns != NULL; patterns++)
    if (**patterns != '\0' && is_like (name, *patterns))
      return TRUE;
  return FALSE;
}

char **
vtr_own_environment_get (void)
{
  const char *wish = g_getenv ("VITRINE_REPLAY_ENVIRONMENT");
  g_auto (GStrv) patterns = wish != NULL ? g_strsplit (wish, ",", -1) : NULL;
  g_auto (GStrv) names = g_listenv ();
  char **environment = NULL;

  for (gsize i = 0; names[i] != NULL; i++)
    if (g_getenv (names[i]) != NULL && (is_passed (names[i]) || is_asked_for (names[i], patterns)))
      environment = g_environ_setenv (environment, names[i], g_getenv (names[i]), TRUE);
  return environment != NULL ? environment : g_new0 (char *, 1);
}
