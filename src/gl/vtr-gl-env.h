/* The state of a context that OpenGL's rules need: the type of VtrApiEnv.state in walks over its calls.
 *
 * Threading: as the walk. */
#pragma once

#include "api/vtr-api-program.h"

/* glPixelStore*, of one direction. */
typedef struct
{
  int32_t alignment; /* 1, 2, 4 or 8 */
  int32_t row_length, image_height;
  int32_t skip_pixels, skip_rows, skip_images;
} VtrGlPixelStore;

/* The targets of buffers that make a pointer an offset. */
typedef enum
{
  VTR_GL_BOUND_ARRAY,
  VTR_GL_BOUND_DRAW_INDIRECT,
  VTR_GL_BOUND_ELEMENT_ARRAY, /* of the current vertex array */
  VTR_GL_BOUND_PIXEL_PACK,
  VTR_GL_BOUND_PIXEL_UNPACK,
  VTR_GL_N_BOUND,
} VtrGlBound;

/* How much a call reads or writes that only the state of objects tells; numbers of overlay_gl.py. */
typedef enum
{
  VTR_GL_MEASURE_LEVEL,            /* bytes of a level of a texture, in the call's format and type under pack state */
  VTR_GL_MEASURE_COMPRESSED_LEVEL, /* bytes of a compressed one */
  VTR_GL_MEASURE_UNIFORM,          /* values of a uniform */
  VTR_GL_MEASURE_TABLE,            /* bytes of a colour table, filter, histogram or minmax */
  VTR_GL_MEASURE_MAP,              /* values of an evaluator's map */
  VTR_GL_MEASURE_PIXEL_MAP,        /* values of a pixel map */
  VTR_GL_MEASURE_BLOCK,            /* values of a parameter of a uniform block */
  VTR_GL_MEASURE_PROGRAM_TEXT,     /* bytes of an assembly program */
  VTR_GL_MEASURE_POINTS,           /* values of a function of SGIS */
  VTR_GL_MEASURE_PARAMETER,        /* values of a parameter of which the driver tells how many there are */
} VtrGlMeasure;

typedef struct
{
  bool stores_known; /* whether .pack and .unpack are */
  VtrGlPixelStore pack, unpack;
  VtrTristate bound[VTR_GL_N_BOUND];
  /* (nullable) @call: the arguments. @operand: the name of the parameter, of VTR_GL_MEASURE_PARAMETER. Returns: false
   * when it is not known. */
  bool (*measure) (void *data,
                   VtrGlMeasure what,
                   const VtrScope *call,
                   int64_t operand,
                   int64_t *out);
} VtrGlEnv;

/* State of a new context. */
#define VTR_GL_PIXEL_STORE_INIT \
  ((VtrGlPixelStore){ .alignment = 4 })
