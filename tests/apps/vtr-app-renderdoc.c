/* Lets a test program that never presents start and end a RenderDoc capture, for benchmarks that
 * compare it with Vitrine. */
#include "vtr-app-renderdoc.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Places of functions in RENDERDOC_API_1_0_0, which every later version begins with
 * (renderdoc_app.h). */
enum
{
  SET_CAPTURE_FILE_PATH = 11,
  START_FRAME_CAPTURE = 19,
  END_FRAME_CAPTURE = 21,
  N_FUNCTIONS
};

#define API_VERSION 10000 /* 1.0.0 */

typedef void (*Function) (void);
typedef int (*GetApi) (int version, void **out);
typedef void (*SetCaptureFilePath) (const char *path);
typedef void (*StartFrameCapture) (void *device, void *window);
typedef uint32_t (*EndFrameCapture) (void *device, void *window);

static Function *functions;

bool
vtr_app_renderdoc_init (const char *path)
{
  void *library = dlopen ("librenderdoc.so", RTLD_NOW | RTLD_NOLOAD);
  void *symbol = library == NULL ? NULL : dlsym (library, "RENDERDOC_GetAPI");
  void *api = NULL;
  GetApi get_api;

  if (symbol == NULL)
    return false;
  memcpy (&get_api, &symbol, sizeof get_api);
  if (get_api (API_VERSION, &api) != 1)
    return false;
  functions = api;
  ((SetCaptureFilePath)functions[SET_CAPTURE_FILE_PATH]) (path);
  return true;
}

/* NULL is any device and any window. */
void
vtr_app_renderdoc_begin (void)
{
  ((StartFrameCapture)functions[START_FRAME_CAPTURE]) (NULL, NULL);
}

bool
vtr_app_renderdoc_end (void)
{
  return ((EndFrameCapture)functions[END_FRAME_CAPTURE]) (NULL, NULL) == 1;
}
