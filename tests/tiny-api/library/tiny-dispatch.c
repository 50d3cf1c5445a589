/* The exported functions of libtiny: each calls the driver, or what the library named by
 * $TINY_LAYER put in front of it. */
#include "tiny-dispatch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static TnFunctions functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A layer that was asked for and cannot be had ends the program: a test that runs without it would
 * prove nothing. */
static TnLayerFunc
load_layer (const char *path)
{
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  TnLayerFunc layer = library != NULL ? (TnLayerFunc)dlsym (library, "tnLayer") : NULL;

  if (layer == NULL)
    {
      fprintf (stderr, "libtiny: TINY_LAYER: %s\n", dlerror ());
      abort ();
    }
  return layer;
}

static void
load (void)
{
  const char *path = getenv ("TINY_LAYER");
  TnLayerFunc layer = path != NULL && path[0] != '\0' ? load_layer (path) : NULL;

  functions = tn_driver;
  if (layer == NULL)
    return;

#define PUT(name) \
  functions.name = \
    (__typeof__ (functions.name))layer ("tn" #name, (TnFunction)functions.name)
  PUT (CreateContext);
  PUT (DestroyContext);
  PUT (MakeCurrent);
  PUT (Gen);
  PUT (Delete);
  PUT (Bind);
  PUT (PictureData);
  PUT (StoreData);
  PUT (Pointer);
  PUT (Pen);
  PUT (Draw);
  PUT (Read);
  PUT (Flush);
  PUT (Swap);
  PUT (GetError);
#undef PUT
}

static const TnFunctions *
get (void)
{
  pthread_once (&once, load);
  return &functions;
}

TnContext
tnCreateContext (TnContext share, uint32_t width, uint32_t height)
{
  return get ()->CreateContext (share, width, height);
}

void
tnDestroyContext (TnContext context)
{
  get ()->DestroyContext (context);
}

uint32_t
tnMakeCurrent (TnContext context)
{
  return get ()->MakeCurrent (context);
}

void
tnGen (TnKind kind, uint32_t n, uint32_t *names)
{
  get ()->Gen (kind, n, names);
}

void
tnDelete (TnKind kind, uint32_t n, const uint32_t *names)
{
  get ()->Delete (kind, n, names);
}

void
tnBind (TnKind kind, uint32_t name)
{
  get ()->Bind (kind, name);
}

void
tnPictureData (uint32_t width, uint32_t height, const void *texels)
{
  get ()->PictureData (width, height, texels);
}

void
tnStoreData (size_t size, const void *bytes)
{
  get ()->StoreData (size, bytes);
}

void
tnPointer (uint32_t stride, const void *points)
{
  get ()->Pointer (stride, points);
}

void
tnPen (uint32_t rgba)
{
  get ()->Pen (rgba);
}

void
tnDraw (uint32_t first, uint32_t count)
{
  get ()->Draw (first, count);
}

void
tnRead (size_t size, void *texels)
{
  get ()->Read (size, texels);
}

void
tnFlush (void)
{
  get ()->Flush ();
}

void
tnSwap (void)
{
  get ()->Swap ();
}

uint32_t
tnGetError (void)
{
  return get ()->GetError ();
}
