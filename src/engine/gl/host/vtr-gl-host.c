/* Gets the vendor libraries of OpenGL into programs that are launched. */
#include "engine/gl/host/vtr-gl-host.h"

#include "engine/api/vtr-launch-environment.h"
#include "engine/gl/host/vtr-gl-vendors.h"

/* Each vendor that glvnd would load gets one of our files in front of it, in the same order.
 * Without vendors the program has no EGL, and nothing changes. */
static char **
prepare (char   **environment,
         GError **error)
{
  g_autofree char *folder = vtr_launch_find_folder (VTR_GL_FIRST_FRONT);
  g_auto (GStrv) vendors = vtr_gl_list_egl_vendors (environment);
  g_autoptr (GString) manifests = g_string_new (NULL);
  g_autofree char *libraries = NULL;
  guint n = g_strv_length (vendors);

  /* A build without this API. */
  if (folder == NULL || n == 0)
    return environment;
  if (n > VTR_GL_MAX_VENDORS)
    {
      g_clear_pointer (&vendors[VTR_GL_MAX_VENDORS], g_free);
      n = VTR_GL_MAX_VENDORS;
    }
  for (guint i = 0; i < n; i++)
    g_string_append_printf (manifests, "%s%s/" VTR_GL_MANIFEST, i > 0 ? ":" : "", folder, i);
  libraries = g_strjoinv (":", vendors);
  environment = g_environ_setenv (environment, "VITRINE_EGL_VENDORS", libraries, TRUE);
  return g_environ_setenv (environment, "__EGL_VENDOR_LIBRARY_FILENAMES", manifests->str, TRUE);
}

static const char *const *
get_environment_names (void)
{
  static const char *const names[] = { "__EGL_VENDOR_LIBRARY_FILENAMES",
                                       "__EGL_VENDOR_LIBRARY_DIRS",
                                       "__GLX_VENDOR_LIBRARY_NAME",
                                       "LIBGL_ALWAYS_SOFTWARE",
                                       "MESA_LOADER_DRIVER_OVERRIDE",
                                       "GALLIUM_DRIVER",
                                       NULL };

  return names;
}

/* A program of Vulkan that also opens EGL would get a second trace. */
const VtrHostApi vtr_gl_host_api = {
  .on_request = TRUE,
  .prepare = prepare,
  .environment_names = get_environment_names,
};
