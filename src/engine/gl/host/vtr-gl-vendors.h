/* The files of Vitrine that glvnd loads in place of a vendor of EGL, as capture-layer/gl makes them.
 * Threading: any. */
#pragma once

/* How many there are; each stands in front of one vendor. */
#define VTR_GL_MAX_VENDORS 4u

/* In the folder of entry libraries: the manifest of the one with this number, and the library of the first. */
#define VTR_GL_MANIFEST "gl/vitrine-egl-%u.json"
#define VTR_GL_FIRST_FRONT "gl/libEGL_vitrine-0.so"
