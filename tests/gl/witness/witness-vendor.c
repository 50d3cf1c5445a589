/* The witness of the tests of OpenGL: a vendor library of EGL in front of the one that
 * WITNESS_VENDOR names.
 *
 * With WITNESS_CALLS it writes there, when the process ends, how often each function was called:
 * "NAME NUMBER" a line. With WITNESS_FRAMES it writes into that folder, before each swap, the
 * colours of the surface: CONTEXT-SWAP.rgba, rows from the bottom. It puts back what reading
 * changes. */
#include "witness-vendor.h"

#include <dlfcn.h>
#include <glvnd/libeglabi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *(*next_proc) (const char *name);
static const __EGLapiExports *glvnd;

static WitnessEntry *
find (const char *name)
{
  unsigned low = 0, high = witness_n_entries;

  while (low < high)
    {
      unsigned middle = (low + high) / 2;
      int order = strcmp (name, witness_entries[middle].name);

      if (order == 0)
        return &witness_entries[middle];
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return NULL;
}

static void *
get_next (const char *name)
{
  void *next = next_proc (name);

  if (next == NULL)
    {
      fprintf (stderr, "witness: the vendor has no %s\n", name);
      exit (1);
    }
  return next;
}

static void
get (const char *name,
     void       *out)
{
  void *next = get_next (name);

  memcpy (out, &next, sizeof next);
}

/* ---- What a swap shows ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Contexts are numbered in the order of their first swaps. */
static void
name_frame (char   *path,
            size_t  size)
{
  static EGLContext contexts[64];
  static unsigned n_swaps[64];
  EGLContext context = glvnd->getCurrentContext ();
  unsigned i = 0;

  pthread_mutex_lock (&lock);
  while (i < 63 && contexts[i] != NULL && contexts[i] != context)
    i++;
  contexts[i] = context;
  snprintf (path, size, "%s/%u-%u.rgba", getenv ("WITNESS_FRAMES"), i, ++n_swaps[i]);
  pthread_mutex_unlock (&lock);
}

/* ES 2 and old desktop contexts have only the first; asking for the others is an error there. */
static const struct
{
  GLenum what;
  GLint value;
} stores[] = { { GL_PACK_ALIGNMENT, 1 },
               { GL_PACK_ROW_LENGTH, 0 },
               { GL_PACK_SKIP_ROWS, 0 },
               { GL_PACK_SKIP_PIXELS, 0 } };

static void
read_frame (EGLDisplay display,
            EGLSurface surface)
{
  EGLBoolean (*query) (EGLDisplay, EGLSurface, EGLint, EGLint *);
  void (*get_integer) (GLenum, GLint *);
  void (*pixel_store) (GLenum, GLint);
  void (*bind_framebuffer) (GLenum, GLuint);
  void (*bind_buffer) (GLenum, GLuint);
  void (*read_pixels) (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
  GLint before[4], framebuffer, pack;
  EGLint width = 0, height = 0;
  char path[4096];
  unsigned char *texels;
  size_t n;
  FILE *file;

  get ("eglQuerySurface", &query);
  get ("glGetIntegerv", &get_integer);
  get ("glPixelStorei", &pixel_store);
  get ("glBindFramebuffer", &bind_framebuffer);
  get ("glBindBuffer", &bind_buffer);
  get ("glReadPixels", &read_pixels);
  query (display, surface, EGL_WIDTH, &width);
  query (display, surface, EGL_HEIGHT, &height);
  n = (size_t)width * (size_t)height;
  texels = calloc (n + 1, 4);
  for (unsigned i = 0; i < 4; i++)
    {
      get_integer (stores[i].what, &before[i]);
      pixel_store (stores[i].what, stores[i].value);
    }
  get_integer (GL_READ_FRAMEBUFFER_BINDING, &framebuffer);
  get_integer (GL_PIXEL_PACK_BUFFER_BINDING, &pack);
  bind_framebuffer (GL_READ_FRAMEBUFFER, 0);
  bind_buffer (GL_PIXEL_PACK_BUFFER, 0);
  read_pixels (0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, texels);
  bind_buffer (GL_PIXEL_PACK_BUFFER, (GLuint)pack);
  bind_framebuffer (GL_READ_FRAMEBUFFER, (GLuint)framebuffer);
  for (unsigned i = 0; i < 4; i++)
    pixel_store (stores[i].what, before[i]);
  name_frame (path, sizeof path);
  file = fopen (path, "wb");
  if (file == NULL || fwrite (texels, 4, n, file) != n || fclose (file) != 0)
    perror (path);
  free (texels);
}

static EGLBoolean
swap (EGLDisplay display,
      EGLSurface surface)
{
  EGLBoolean (*next) (EGLDisplay, EGLSurface);

  witness_count (find ("eglSwapBuffers"));
  if (getenv ("WITNESS_FRAMES") != NULL)
    read_frame (display, surface);
  get ("eglSwapBuffers", &next);
  return next (display, surface);
}

/* ---- glvnd ---- */

static void *
get_proc (const char *name)
{
  WitnessEntry *entry = find (name);
  WitnessProc own = strcmp (name, "eglSwapBuffers") == 0 ? (WitnessProc)swap : NULL;
  void *next = next_proc (name), *stub;

  if (next == NULL || entry == NULL)
    return next;
  memcpy (&entry->next, &next, sizeof next);
  if (own == NULL)
    own = entry->stub;
  memcpy (&stub, &own, sizeof stub);
  return stub;
}

__attribute__ ((visibility ("default"))) EGLBoolean
__egl_Main (uint32_t               version,
            const __EGLapiExports *exports,
            __EGLvendorInfo       *vendor,
            __EGLapiImports       *imports)
{
  const char *path = getenv ("WITNESS_VENDOR");
  void *library = dlopen (path != NULL ? path : "libEGL_mesa.so.0", RTLD_NOW | RTLD_LOCAL);
  __PFNEGLMAINPROC next_main = NULL;
  void *symbol = library != NULL ? dlsym (library, __EGL_MAIN_PROTO_NAME) : NULL;

  memcpy (&next_main, &symbol, sizeof symbol);
  if (next_main == NULL || !next_main (version, exports, vendor, imports))
    return EGL_FALSE;
  glvnd = exports;
  next_proc = imports->getProcAddress;
  imports->getProcAddress = get_proc;
  imports->isPatchSupported = NULL;
  imports->initiatePatch = NULL;
  return EGL_TRUE;
}

static __attribute__ ((destructor)) void
write_calls (void)
{
  const char *path = getenv ("WITNESS_CALLS");
  FILE *file = path != NULL && next_proc != NULL ? fopen (path, "w") : NULL;

  for (unsigned i = 0; file != NULL && i < witness_n_entries; i++)
    if (witness_entries[i].calls > 0)
      fprintf (file, "%s %lu\n", witness_entries[i].name, witness_entries[i].calls);
  if (file != NULL)
    fclose (file);
}
