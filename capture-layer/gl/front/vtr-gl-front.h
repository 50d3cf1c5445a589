/* What a front, the vendor library that glvnd loads, and the recorder of OpenGL, libvitrine-gl.so, tell each other.
 *
 * A process has a front for each real vendor, because glvnd loads no file twice, and one recorder.
 *
 * Threading: glvnd loads vendors one after the other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Both files are of one build. */
#define VTR_GL_FRONT_VERSION 1u

/* How many vendors of EGL a process can have, and files of the front there are. */
#define VTR_GL_MAX_VENDORS 4u

/* A function of any type. */
typedef void (*VtrGlProc) (void);

typedef VtrGlProc (*VtrGlGetProc) (const char *name);

typedef void *(*VtrGlGetDisplay) (unsigned        platform,
                                  void           *native,
                                  const intptr_t *attributes);

/**
 * VtrGlFront:
 * @vendor: number of the front, below VTR_GL_MAX_VENDORS
 * @get_proc: of the real vendor; then what glvnd is to call instead
 * @get_display: likewise, in place of eglGetDisplay() and eglGetPlatformDisplay()
 */
typedef struct
{
  uint32_t version; /* VTR_GL_FRONT_VERSION */
  uint32_t vendor;
  VtrGlGetProc get_proc;
  VtrGlGetDisplay get_display;
} VtrGlFront;

/* What the recorder exports under this name. Returns: false where nothing is recorded: @front is as it was. */
#define VTR_GL_WRAP_EGL "vtr_gl_wrap_egl"
typedef bool (*VtrGlWrap) (VtrGlFront *front);

__attribute__ ((visibility ("default"))) bool vtr_gl_wrap_egl (VtrGlFront *front);
