/* Capturing programs of OpenGL, seen from outside of them. Threading: any. */
#pragma once

#include "engine/api/vtr-host-api.h"

G_BEGIN_DECLS

extern const VtrHostApi vtr_gl_host_api;

/* The vendors of EGL that glvnd would load with this environment, in its order. Returns: (transfer full): their libraries
 * as their manifests name them, ended by NULL; those that cannot be in a list with colons are left out. */
char **vtr_gl_list_egl_vendors (char **environment);

G_END_DECLS
