/* Draws with the tiny API in the ways that set it apart from Vulkan; each part is one of them.
 *
 * Usage: tiny-shapes PART FRAMES
 * A part that reads its pictures back exits with 1 if they are not what it drew. */
#include "../library/tiny.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 32u
#define RED 0xff0000ffu
#define GREEN 0xff00ff00u
#define BLUE 0xffff0000u
#define GREY 0xff808080u

static void
check (int is_true, const char *what)
{
  if (is_true)
    return;
  fprintf (stderr, "tiny-shapes: %s\n", what);
  exit (1);
}

static TnContext
make_context (TnContext share)
{
  TnContext context = tnCreateContext (share, SIDE, SIDE);

  check (context != NULL && tnMakeCurrent (context), "a context cannot be made");
  return context;
}

static void
destroy_context (TnContext context)
{
  tnMakeCurrent (NULL);
  tnDestroyContext (context);
}

/* Two triangles that cover the rectangle whose lower left corner is (x, y). Their points are on
 * the stack, which is invalid after the return. */
static void
draw_rectangle (float x, float y, float width, float height, uint32_t rgba)
{
  const float x1 = x + width, y1 = y + height;
  const float points[][2] = { { x, y }, { x1, y }, { x1, y1 }, { x, y }, { x1, y1 }, { x, y1 } };

  tnBind (TN_STORE, 0);
  tnPointer (sizeof points[0], points);
  tnPen (rgba);
  tnDraw (0, 6);
}

static uint32_t
read_pixel (unsigned x, unsigned y)
{
  static _Thread_local uint32_t texels[SIDE * SIDE];

  tnRead (sizeof texels, texels);
  return texels[y * SIDE + x];
}

/* The window of one context, drawn from client memory. */
static void
run_window (unsigned frames)
{
  TnContext context = make_context (NULL);

  for (unsigned i = 0; i < frames; i++)
    {
      draw_rectangle (0, 0, SIDE, SIDE, GREY);
      draw_rectangle ((float)(i % SIDE), 4, 8, 8, RED);
      tnSwap ();
    }
  destroy_context (context);
}

/* Points and texels out of stores: the parameters that are pointers elsewhere are offsets here. */
static void
run_stores (unsigned frames)
{
  TnContext context = make_context (NULL);
  float points[8][2] = { { 0 } };
  static uint32_t texels[4 + SIDE * SIDE];
  uint32_t store, picture;

  tnGen (TN_STORE, 1, &store);
  tnGen (TN_PICTURE, 1, &picture);
  for (unsigned i = 0; i < frames; i++)
    {
      points[3][0] = SIDE;
      points[4][0] = (float)(i % SIDE);
      points[4][1] = SIDE;
      tnBind (TN_STORE, store);
      tnStoreData (sizeof points, points);
      tnBind (TN_ARRAY, 7);
      tnPointer (sizeof points[0], (const void *)sizeof points[0]);

      for (unsigned k = 0; k < SIDE * SIDE; k++)
        texels[4 + k] = i % 2 == 0 ? BLUE : GREY;
      tnBind (TN_STORE, 4711);
      tnStoreData (sizeof texels, texels);
      tnBind (TN_PICTURE, picture);
      tnPictureData (SIDE, SIDE, (const void *)(4 * sizeof texels[0]));

      /* The array holds the store that was bound when it was pointed at. */
      tnPen (GREEN);
      tnDraw (1, 3);
      check (read_pixel (SIDE / 2, 0) == GREEN, "a draw out of a store is missing");
      tnBind (TN_PICTURE, 0);
      tnDraw (1, 3);
      tnBind (TN_ARRAY, 0);
      tnSwap ();
    }
  tnDelete (TN_STORE, 2, (const uint32_t[]){ store, 4711 });
  tnDelete (TN_PICTURE, 1, &picture);
  check (tnGetError () == TN_NO_ERROR, "an error where there is none");
  destroy_context (context);
}

/* A picture is deleted while it is bound, its name made again: two objects of one name. */
static void
run_names (unsigned frames)
{
  TnContext context = make_context (NULL);
  TnContext other = tnCreateContext (context, SIDE, SIDE);
  static uint32_t texels[SIDE * SIDE];

  check (other != NULL, "a second context cannot be made");
  for (unsigned i = 0; i < frames; i++)
    {
      tnBind (TN_STORE, 0);
      tnBind (TN_PICTURE, 5);
      tnPictureData (SIDE, SIDE, texels);
      tnFlush ();

      tnMakeCurrent (other);
      tnBind (TN_PICTURE, 5);
      tnDelete (TN_PICTURE, 1, (const uint32_t[]){ 5 });
      draw_rectangle (0, 0, SIDE, SIDE, RED);
      tnFlush ();

      tnMakeCurrent (context);
      tnBind (TN_PICTURE, 6);
      tnBind (TN_PICTURE, 5);
      tnPictureData (SIDE, SIDE, texels);
      draw_rectangle (0, 0, SIDE, SIDE, GREEN);
      check (read_pixel (1, 1) == GREEN, "the new picture of the name is wrong");
      tnBind (TN_PICTURE, 0);
      draw_rectangle (0, 0, SIDE, (float)(i % SIDE), GREEN);
      tnFlush ();

      tnMakeCurrent (other);
      check (read_pixel (1, 1) == RED, "the deleted picture is gone while it is bound");
      tnBind (TN_PICTURE, 0);
      tnDelete (TN_PICTURE, 2, (const uint32_t[]){ 5, 6 });
      draw_rectangle (0, 0, (float)(i % SIDE), SIDE, RED);
      tnSwap ();
      tnMakeCurrent (context);
      tnSwap ();
    }
  tnDestroyContext (other);
  destroy_context (context);
}

/* Calls that fail and say so only when they are asked. */
static void
run_errors (unsigned frames)
{
  TnContext context = make_context (NULL);
  static uint32_t texels[SIDE * SIDE];

  tnPen (BLUE);
  for (unsigned i = 0; i < frames; i++)
    {
      draw_rectangle (0, 0, SIDE, SIDE, GREY);
      tnPictureData (SIDE, SIDE, texels);
      check (tnGetError () == TN_BAD_OPERATION, "the window took data");
      check (tnGetError () == TN_NO_ERROR, "an error is told twice");
      tnBind (TN_STORE, 3);
      tnStoreData (8, texels);
      tnPointer (8, NULL);
      tnDraw (0, 3);
      check (tnGetError () == TN_BAD_OPERATION, "a draw went beyond its store");
      tnRead (4, texels);
      check (tnGetError () == TN_BAD_OPERATION, "texels were read into too few bytes");
      tnBind ((TnKind)9, 1);
      check (tnGetError () == TN_BAD_KIND, "an unknown kind was bound");
      check (read_pixel (3, 3) == GREY, "a call that failed has drawn");
      tnSwap ();
    }
  destroy_context (context);
}

/* Two contexts have errors for four frames before they are asked for, of one sort and then of
 * the other. */
static void
run_unasked (unsigned frames)
{
  TnContext other = make_context (NULL);
  TnContext context = make_context (NULL);

  for (unsigned i = 0; i < frames; i++)
    {
      const int bad_kind = i % 16 >= 8;

      draw_rectangle (0, 0, SIDE, (float)(i % SIDE), GREY);
      for (int k = 0; k < 2; k++)
        {
          tnMakeCurrent (k == 0 ? other : context);
          if (i % 8 == 2 && bad_kind)
            tnBind ((TnKind)9, 1);
          else if (i % 8 == 2)
            tnPictureData (SIDE, SIDE, NULL);
          else if (i % 8 == 6)
            check (tnGetError () == (bad_kind ? TN_BAD_KIND : TN_BAD_OPERATION),
                   "an error is lost");
          else if (i % 8 == 7)
            check (tnGetError () == TN_NO_ERROR, "an error is told twice");
        }
      tnSwap ();
    }
  tnDestroyContext (other);
  destroy_context (context);
}

/* ---- Two threads ---- */

typedef struct
{
  TnContext context;
  uint32_t pen;
  unsigned frames;
} Painter;

/* Each thread draws into a picture of its own and a store that both know. */
static void *
paint (void *data)
{
  const Painter *self = data;
  uint32_t picture = self->pen & 0xff ? 11 : 12;
  static const uint32_t texels[SIDE * SIDE];

  check (tnMakeCurrent (self->context) != 0, "a context cannot be made current on its thread");
  tnBind (TN_STORE, 0);
  tnBind (TN_PICTURE, picture);
  tnPictureData (SIDE, SIDE, texels);
  for (unsigned i = 0; i < self->frames; i++)
    {
      tnBind (TN_PICTURE, picture);
      draw_rectangle (0, 0, SIDE, SIDE, self->pen);
      check (read_pixel (i % SIDE, 3) == self->pen, "a thread sees the other's picture");

      tnBind (TN_PICTURE, 0);
      tnBind (TN_STORE, 1);
      tnBind (TN_ARRAY, 1);
      tnPointer (8, NULL);
      tnPen (self->pen + (i << 8));
      tnDraw (0, 3);
      tnSwap ();
    }
  tnMakeCurrent (NULL);
  return NULL;
}

static void
run_threads (unsigned frames)
{
  static const float points[3][2] = { { 2, 2 }, { 30, 2 }, { 16, 30 } };
  TnContext first = make_context (NULL);
  Painter painters[3] = { { first, RED, frames },
                          { tnCreateContext (first, SIDE, SIDE), BLUE, frames },
                          { tnCreateContext (NULL, SIDE, SIDE), GREEN | RED, frames } };
  pthread_t threads[3];

  /* The same name means another store in the third context, which shares nothing. */
  tnBind (TN_STORE, 1);
  tnStoreData (sizeof points, points);
  tnFlush ();
  tnMakeCurrent (painters[2].context);
  tnBind (TN_STORE, 1);
  tnStoreData (sizeof points, points);
  tnMakeCurrent (NULL);

  for (unsigned i = 0; i < 3; i++)
    check (pthread_create (&threads[i], NULL, paint, &painters[i]) == 0, "a thread cannot be made");
  for (unsigned i = 0; i < 3; i++)
    pthread_join (threads[i], NULL);
  for (unsigned i = 0; i < 3; i++)
    tnDestroyContext (painters[i].context);
}

#define TRAIL 64u /* triangles */

/* Nothing is cleared, and all that is drawn from was made and deleted before the first frame: an
 * array that is bound holds the store. A picture whose name tnGen() gave gets the same triangles
 * as the window. */
static void
run_trail (unsigned frames)
{
  TnContext context = make_context (NULL);
  static const uint32_t texels[SIDE * SIDE];
  float points[TRAIL * 3][2];
  uint32_t names[3];

  for (unsigned i = 0; i < TRAIL; i++)
    {
      const float x = (float)(i * 4 % SIDE), y = (float)(i * 4 / SIDE * 4);
      const float triangle[3][2] = { { x, y }, { x + 4, y }, { x, y + 4 } };

      memcpy (points[(size_t)i * 3], triangle, sizeof triangle);
    }
  tnGen (TN_PICTURE, 3, names);
  tnBind (TN_PICTURE, names[1]);
  tnPictureData (SIDE, SIDE, texels);
  tnBind (TN_STORE, 9);
  tnStoreData (sizeof points, points);
  tnBind (TN_ARRAY, 3);
  tnPointer (sizeof points[0], NULL);
  tnBind (TN_STORE, 0);
  tnDelete (TN_STORE, 1, (const uint32_t[]){ 9 });
  tnDelete (TN_ARRAY, 1, (const uint32_t[]){ 3 });

  for (unsigned i = 0; i < frames; i++)
    {
      if (i % 8 == 0)
        tnPen (RED + (i << 8));
      tnBind (TN_PICTURE, names[1]);
      tnDraw (i % TRAIL * 3, 3);
      check (read_pixel (0, 0) != 0, "a picture has lost its first triangle");
      tnBind (TN_PICTURE, 0);
      tnDraw (i % TRAIL * 3, 3);
      tnSwap ();
    }
  destroy_context (context);
}

/* A picture without a window's swap: nothing ends its frames. */
static void
run_flushes (unsigned frames)
{
  TnContext context = make_context (NULL);
  static const uint32_t texels[SIDE * SIDE];

  tnBind (TN_PICTURE, 1);
  tnPictureData (SIDE, SIDE, texels);
  for (unsigned i = 0; i < frames; i++)
    {
      draw_rectangle (0, 0, SIDE, SIDE, RED + i);
      tnFlush ();
      check (read_pixel (0, 0) == RED + i, "a picture is not what was drawn");
    }
  destroy_context (context);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (unsigned frames);
  } parts[] = {
    { "window", run_window },
    { "stores", run_stores },
    { "names", run_names },
    { "errors", run_errors },
    { "unasked", run_unasked },
    { "threads", run_threads },
    { "flushes", run_flushes },
    { "trail", run_trail },
  };

  for (size_t i = 0; argc == 3 && i < sizeof parts / sizeof parts[0]; i++)
    if (strcmp (argv[1], parts[i].name) == 0)
      {
        parts[i].run ((unsigned)strtoul (argv[2], NULL, 10));
        return 0;
      }
  fprintf (stderr,
           "Usage: tiny-shapes window|stores|names|errors|unasked|threads|flushes|trail FRAMES\n");
  return 2;
}
