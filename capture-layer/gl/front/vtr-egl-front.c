/* A vendor library of EGL for glvnd that has the real vendor fill in its functions, and the
 * recorder put its own in front of them. */
#include "vtr-gl-front.h"

#include <dlfcn.h>
#include <glvnd/libeglabi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096u

/* Where this file is: its folder with a slash at the end, and the number in its name, which
 * capture-layer/gl/meson.build gives it. Returns: false: it was renamed. */
static bool
find_self (char     *folder,
           unsigned *number)
{
  Dl_info info;
  const char *name, *dash;

  if (dladdr ((const void *)find_self, &info) == 0 || info.dli_fname == NULL)
    return false;
  name = strrchr (info.dli_fname, '/');
  dash = strrchr (info.dli_fname, '-');
  if (name == NULL || dash == NULL || dash < name || dash[1] < '0' ||
      dash[1] >= '0' + (int)VTR_GL_MAX_VENDORS)
    return false;
  *number = (unsigned)(dash[1] - '0');
  name++;
  return snprintf (folder, PATH_SIZE, "%.*s", (int)(name - info.dli_fname), info.dli_fname) <
         (int)PATH_SIZE;
}

/* The library of the real vendor: VITRINE_EGL_VENDORS lists them in the order of the fronts.
 * Returns: false: there is none. */
static bool
find_vendor (unsigned  number,
             char     *path)
{
  const char *list = secure_getenv ("VITRINE_EGL_VENDORS");
  size_t size;

  for (; list != NULL && number > 0; number--)
    {
      list = strchr (list, ':');
      list = list != NULL ? list + 1 : NULL;
    }
  if (list == NULL)
    return false;
  size = strcspn (list, ":");
  if (size == 0 || size >= PATH_SIZE)
    return false;
  memcpy (path, list, size);
  path[size] = '\0';
  return true;
}

/* POSIX says that this can be done. */
static void *
find (void       *library,
      const char *name,
      size_t      size,
      void       *out)
{
  void *symbol = dlsym (library, name);

  memcpy (out, &symbol, size);
  return symbol;
}

/* Has the recorder stand in front of @imports. Without it the program runs as if nobody captured
 * it. */
static void
wrap (const char      *folder,
      unsigned         number,
      __EGLapiImports *imports)
{
  char path[PATH_SIZE + 32];
  VtrGlFront front = { .version = VTR_GL_FRONT_VERSION, .vendor = number };
  VtrGlWrap wrap_egl;
  void *recorder;

  snprintf (path, sizeof path, "%slibvitrine-gl.so", folder);
  recorder = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (recorder == NULL || find (recorder, VTR_GL_WRAP_EGL, sizeof wrap_egl, &wrap_egl) == NULL)
    return;
  memcpy (&front.get_proc, &imports->getProcAddress, sizeof front.get_proc);
  memcpy (&front.get_display, &imports->getPlatformDisplay, sizeof front.get_display);
  if (!wrap_egl (&front))
    return;
  memcpy (&imports->getProcAddress, &front.get_proc, sizeof front.get_proc);
  memcpy (&imports->getPlatformDisplay, &front.get_display, sizeof front.get_display);
  /* glvnd may not write the vendor's functions over its own entry points: calls would pass by. */
  imports->isPatchSupported = NULL;
  imports->initiatePatch = NULL;
  imports->releasePatch = NULL;
  imports->patchThreadAttach = NULL;
}

__attribute__ ((visibility ("default"))) EGLBoolean
__egl_Main (uint32_t               version,
            const __EGLapiExports *exports,
            __EGLvendorInfo       *vendor,
            __EGLapiImports       *imports)
{
  static char folder[PATH_SIZE], path[PATH_SIZE];
  __PFNEGLMAINPROC real_main;
  unsigned number;
  void *real;

  if (!find_self (folder, &number) || !find_vendor (number, path))
    return EGL_FALSE;
  real = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (real == NULL || find (real, __EGL_MAIN_PROTO_NAME, sizeof real_main, &real_main) == NULL ||
      !real_main (version, exports, vendor, imports))
    return EGL_FALSE;
  if (EGL_VENDOR_ABI_GET_MAJOR_VERSION (version) == EGL_VENDOR_ABI_MAJOR_VERSION)
    wrap (folder, number, imports);
  return EGL_TRUE;
}
