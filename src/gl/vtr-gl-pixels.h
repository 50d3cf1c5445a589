/* How many bytes pixels, parameters and numbers of OpenGL take. Threading: any. */
#pragma once

#include "gl/vtr-gl-env.h"

/* Bytes of a number of @type (GL_FLOAT, GL_2_BYTES, …); 0: unknown. */
uint32_t vtr_gl_type_size (uint32_t type);

/* Bits of a pixel of an upload or a read-back; 0: unknown. */
uint32_t vtr_gl_pixel_bits (uint32_t format,
                            uint32_t type);

/* Bytes from the pointer of an upload or a read-back to the end of its last pixel, with what @store skips. @n_dimensions:
 * 1 to 3; image height and skipped images mean something in three alone. Returns: false when that is no number of
 * bytes. */
bool vtr_gl_pixel_bytes (const VtrGlPixelStore *store,
                         uint32_t               format,
                         uint32_t               type,
                         unsigned               n_dimensions,
                         const int64_t          extent[3],
                         int64_t               *out);

/* Values of the parameter @pname, of whatever the call asks or sets; 0: only the driver knows. */
uint32_t vtr_gl_parameter_values (uint32_t pname);

/* Values of one control point of an evaluator's map; 0: unknown. */
uint32_t vtr_gl_map_values (uint32_t target);
