/* Gets the tiny API's entry library into programs that are launched. */
#include "vtr-tiny-engine.h"

#include "tests/tiny-api/engine/vtr-tiny-config.h"

/* VITRINE_TINY_LAYER names another file. A build without tests has none. */
static char **
prepare (char   **environment,
         GError **error)
{
  const char *wish = g_getenv ("VITRINE_TINY_LAYER");
  const char *path = wish != NULL ? wish : VTR_TINY_LAYER;

  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
           ? g_environ_setenv (environment, "TINY_LAYER", path, TRUE)
           : environment;
}

static const char *const *
get_environment_names (void)
{
  static const char *const names[] = { "TINY_LAYER", NULL };

  return names;
}

const VtrHostApi vtr_tiny_host_api = {
  .prepare = prepare,
  .environment_names = get_environment_names,
};
