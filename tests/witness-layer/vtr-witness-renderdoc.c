/* Makes RenderDoc capture the frame that an environment variable names, for benchmarks that
 * compare it with Vitrine. */
#include "vtr-witness-renderdoc.h"

#include "vtr-witness-device.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Places of functions in RENDERDOC_API_1_0_0, which every later version begins with
 * (renderdoc_app.h). */
enum
{
  SET_CAPTURE_FILE_PATH = 11,
  TRIGGER_CAPTURE = 15,
};

#define API_VERSION 10000 /* 1.0.0 */

typedef void (*Function) (void);
typedef int (*GetApi) (int version, void **out);
typedef void (*SetCaptureFilePath) (const char *path);

static void
trigger (const char *path)
{
  void *library = dlopen ("librenderdoc.so", RTLD_NOW | RTLD_NOLOAD);
  void *symbol = library == NULL ? NULL : dlsym (library, "RENDERDOC_GetAPI");
  void *api = NULL;
  Function *functions;
  GetApi get_api;

  if (symbol != NULL)
    memcpy (&get_api, &symbol, sizeof get_api);
  if (symbol == NULL || get_api (API_VERSION, &api) != 1)
    {
      vtr_witness_complain ("RenderDoc is not in this process");
      return;
    }
  functions = api;
  ((SetCaptureFilePath)functions[SET_CAPTURE_FILE_PATH]) (path);
  functions[TRIGGER_CAPTURE]();
}

void
vtr_witness_renderdoc_present (void)
{
  static _Atomic uint64_t n_presents;
  const char *wish = getenv ("VITRINE_WITNESS_RENDERDOC");
  uint64_t n = atomic_fetch_add (&n_presents, 1) + 1;
  char *path;

  if (wish != NULL && strtoull (wish, &path, 10) == n && *path == ':')
    trigger (path + 1);
}
