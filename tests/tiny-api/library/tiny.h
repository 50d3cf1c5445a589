/* The tiny API: draws triangles into memory. It exists to prove that Vitrine's parts of no API need no line of another one
 * (docs/design/api.md, 6 says what each call means). Names are 32-bit numbers that the program chooses or tnGen() reserves.
 * Threading: each context is current on one thread at a time; contexts that share a group may be used at once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TN_EXPORT __attribute__ ((visibility ("default")))

#define TN_FALSE 0u
#define TN_TRUE 1u
#define TN_NONE 0u /* a name or context that is no object */

typedef struct TnContextImpl *TnContext;

typedef enum
{
  TN_PICTURE = 1, /* of a group of contexts; 0 is the context's window */
  TN_STORE = 2,   /* bytes, of a group; 0 is none */
  TN_ARRAY = 3,   /* of one context; where the points of a draw come from; 0 exists from the start */
} TnKind;

typedef enum
{
  TN_NO_ERROR = 0,
  TN_BAD_KIND = 1,
  TN_BAD_OPERATION = 2, /* data for the window, a store that is too short, … */
  TN_OUT_OF_MEMORY = 3,
} TnError;

/* @share: (nullable): the context whose pictures and stores the new one sees. NULL: no memory. */
TN_EXPORT TnContext tnCreateContext (TnContext share, uint32_t width, uint32_t height);
TN_EXPORT void tnDestroyContext (TnContext context);
/* On the calling thread. @context: (nullable). Returns: TN_TRUE, or TN_FALSE when another thread has it. */
TN_EXPORT uint32_t tnMakeCurrent (TnContext context);

TN_EXPORT void tnGen (TnKind kind, uint32_t n, uint32_t *names);
TN_EXPORT void tnDelete (TnKind kind, uint32_t n, const uint32_t *names);
TN_EXPORT void tnBind (TnKind kind, uint32_t name);

/* @texels: RGBA of 8 bits, rows from the bottom; with a store bound, an offset into it. */
TN_EXPORT void tnPictureData (uint32_t width, uint32_t height, const void *texels);
TN_EXPORT void tnStoreData (size_t size, const void *bytes);
/* @points: read by later draws; with a store bound, an offset into it, and the array keeps that store. */
TN_EXPORT void tnPointer (uint32_t stride, const void *points);
TN_EXPORT void tnPen (uint32_t rgba);
/* Triangles of three points each; a point is two floats, in pixels from the lower left. */
TN_EXPORT void tnDraw (uint32_t first, uint32_t count);
TN_EXPORT void tnRead (size_t size, void *texels);

TN_EXPORT void tnFlush (void);
TN_EXPORT void tnSwap (void);
TN_EXPORT uint32_t tnGetError (void);

/* What a library named by $TINY_LAYER exports as "tnLayer": called once for each function of this header with the function that
 * does the work; its result is called instead. */
typedef void (*TnFunction) (void);
typedef TnFunction (*TnLayerFunc) (const char *name, TnFunction next);
