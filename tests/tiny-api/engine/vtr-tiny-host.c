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

/* Windows have one format. */
static const VtrPixelFormat *
get_picture_format (guint32 format)
{
  static const VtrPixelFormat rgba = {
    .block_bytes = 4,
    .block_extent = { 1, 1, 1 },
    .n_components = 4,
    .n_planes = 1,
    .components = { { 'R', 0, 8, VTR_NUMERIC_UNORM },
                    { 'G', 8, 8, VTR_NUMERIC_UNORM },
                    { 'B', 16, 8, VTR_NUMERIC_UNORM },
                    { 'A', 24, 8, VTR_NUMERIC_UNORM } },
    .planes = { { NULL, VTR_PIXEL_COLOR, 1, 1 } },
  };

  return format == 0 ? &rgba : NULL;
}

const VtrHostApi vtr_tiny_host_api = {
  .prepare = prepare,
  .environment_names = get_environment_names,
  .get_picture_format = get_picture_format,
};
