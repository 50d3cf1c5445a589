/* Adds to calls what their arguments do not say: what a configuration is, and what the current
 * surfaces are. */
#include "vtr-gl-layer.h"

#include "vtr-layer-calls.h"

#include "api/vtr-gl-enums.h"
#include "api/vtr-gl-functions.h"

/* Those by which a replay chooses a configuration of its own. */
static const int32_t config_attributes[] = {
  EGL_CONFIG_ID,
  EGL_BUFFER_SIZE,
  EGL_RED_SIZE,
  EGL_GREEN_SIZE,
  EGL_BLUE_SIZE,
  EGL_ALPHA_SIZE,
  EGL_LUMINANCE_SIZE,
  EGL_ALPHA_MASK_SIZE,
  EGL_COLOR_BUFFER_TYPE,
  EGL_DEPTH_SIZE,
  EGL_STENCIL_SIZE,
  EGL_SAMPLES,
  EGL_SAMPLE_BUFFERS,
  EGL_CONFIG_CAVEAT,
  EGL_CONFORMANT,
  EGL_RENDERABLE_TYPE,
  EGL_SURFACE_TYPE,
  EGL_NATIVE_RENDERABLE,
  EGL_NATIVE_VISUAL_ID,
  EGL_LEVEL,
  EGL_TRANSPARENT_TYPE,
  EGL_MIN_SWAP_INTERVAL,
};

#define N_ATTRIBUTES (sizeof config_attributes / sizeof *config_attributes)

/* Pairs of an attribute and its value; without a configuration (EGL_NO_CONFIG_KHR) none. */
void
vtr_gl_add_config (unsigned  vendor,
                   void     *display,
                   void     *config)
{
  VtrGlFunction_eglGetConfigAttrib *get =
    (VtrGlFunction_eglGetConfigAttrib *)vtr_gl_get_next (vendor, VTR_CMD_eglGetConfigAttrib);
  int32_t pairs[N_ATTRIBUTES][2];
  size_t n = 0;

  for (size_t i = 0; config != NULL && get != NULL && i < N_ATTRIBUTES; i++)
    {
      pairs[n][0] = config_attributes[i];
      if (get (display, config, config_attributes[i], &pairs[n][1]))
        n++;
    }
  if (n > 0)
    vtr_layer_call_add_extra ("gl.Config", pairs, n * sizeof *pairs);
}

/* eglBindAPI() says which API a context is of, and glvnd keeps that to itself. */
void
vtr_gl_add_context (unsigned  vendor,
                    void     *display,
                    void     *config,
                    void     *context)
{
  VtrGlFunction_eglQueryContext *query =
    (VtrGlFunction_eglQueryContext *)vtr_gl_get_next (vendor, VTR_CMD_eglQueryContext);
  int32_t pairs[2][2] = { { EGL_CONTEXT_CLIENT_TYPE }, { EGL_CONTEXT_CLIENT_VERSION } };

  vtr_gl_add_config (vendor, display, config);
  if (query != NULL && query (display, context, pairs[0][0], &pairs[0][1]) &&
      query (display, context, pairs[1][0], &pairs[1][1]))
    vtr_layer_call_add_extra ("gl.Context", pairs, sizeof pairs);
}

/* Width and height of the surface that is drawn to, then of the one that is read; 0: there is
 * none. */
void
vtr_gl_add_surfaces (unsigned  vendor,
                     void     *display,
                     void     *draw,
                     void     *read)
{
  VtrGlFunction_eglQuerySurface *query =
    (VtrGlFunction_eglQuerySurface *)vtr_gl_get_next (vendor, VTR_CMD_eglQuerySurface);
  void *const surfaces[] = { draw, read };
  int32_t sizes[2][2] = { { 0 } };

  for (size_t i = 0; query != NULL && i < 2; i++)
    if (surfaces[i] != NULL)
      {
        query (display, surfaces[i], EGL_WIDTH, &sizes[i][0]);
        query (display, surfaces[i], EGL_HEIGHT, &sizes[i][1]);
      }
  if (draw != NULL || read != NULL)
    vtr_layer_call_add_extra ("gl.Surfaces", sizes, sizeof sizes);
}
