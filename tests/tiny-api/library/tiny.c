/* The tiny API's driver: keeps contexts, names and pictures in memory and fills triangles. */
#include "tiny.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny-dispatch.h"

#define MAX_SIDE 16384u

/* A picture, a store or an array. */
typedef struct TnObject TnObject;
struct TnObject
{
  unsigned refs; /* of its name, of bindings, of arrays */
  uint32_t width, height;
  uint8_t *bytes; /* texels of a picture, contents of a store */
  size_t size;
  /* An array's: */
  TnObject *store; /* (nullable) */
  const uint8_t *points;
  uint32_t stride;
};

typedef struct
{
  uint32_t name;
  TnObject *object; /* NULL: the name is reserved */
} TnName;

typedef struct
{
  TnName *names;
  size_t n, room;
} TnNames;

/* What contexts made with each other share. */
typedef struct
{
  unsigned refs;
  TnNames pictures, stores;
} TnGroup;

struct TnContextImpl
{
  TnGroup *group;
  TnNames arrays;
  TnObject *window, *first_array; /* picture 0, array 0 */
  TnObject *picture, *store, *array;
  uint32_t pen;
  uint32_t error;
  unsigned number, n_swaps;
  bool is_current, is_destroyed;
};

/* One lock for all: this is an example, not a fast driver. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_contexts;
static _Thread_local TnContext current;

/* ---- Objects and names ---- */

static TnObject *
object_new (void)
{
  TnObject *self = calloc (1, sizeof *self);

  if (self != NULL)
    self->refs = 1;
  return self;
}

static void
object_unref (TnObject *self)
{
  if (self == NULL || --self->refs > 0)
    return;
  object_unref (self->store);
  free (self->bytes);
  free (self);
}

static void
object_set (TnObject **place, TnObject *object)
{
  if (object != NULL)
    object->refs++;
  object_unref (*place);
  *place = object;
}

static bool
object_set_bytes (TnObject *self, const void *bytes, size_t size)
{
  uint8_t *copy = calloc (1, size > 0 ? size : 1);

  if (copy == NULL)
    return false;
  if (bytes != NULL && size > 0)
    memcpy (copy, bytes, size);
  free (self->bytes);
  self->bytes = copy;
  self->size = size;
  return true;
}

static TnName *
names_find (TnNames *self, uint32_t name)
{
  for (size_t i = 0; i < self->n; i++)
    if (self->names[i].name == name)
      return &self->names[i];
  return NULL;
}

static TnName *
names_add (TnNames *self, uint32_t name)
{
  if (self->n == self->room)
    {
      size_t room = self->room > 0 ? 2 * self->room : 8;
      TnName *names = realloc (self->names, room * sizeof *names);

      if (names == NULL)
        return NULL;
      self->names = names;
      self->room = room;
    }
  self->names[self->n] = (TnName){ .name = name };
  return &self->names[self->n++];
}

static void
names_clear (TnNames *self)
{
  for (size_t i = 0; i < self->n; i++)
    object_unref (self->names[i].object);
  free (self->names);
}

/* NULL: there is no such kind, and the context has an error. */
static TnNames *
names_of (TnContext context, TnKind kind)
{
  switch (kind)
    {
    case TN_PICTURE:
      return &context->group->pictures;
    case TN_STORE:
      return &context->group->stores;
    case TN_ARRAY:
      return &context->arrays;
    }
  context->error = TN_BAD_KIND;
  return NULL;
}

/* ---- Contexts ---- */

/* The current context, locked; NULL: there is none, and nothing is locked. */
static TnContext
enter (void)
{
  if (current != NULL)
    pthread_mutex_lock (&lock);
  return current;
}

static void
leave (void)
{
  pthread_mutex_unlock (&lock);
}

static void
context_free (TnContext self)
{
  if (self == NULL)
    return;
  object_unref (self->picture);
  object_unref (self->store);
  object_unref (self->array);
  object_unref (self->window);
  object_unref (self->first_array);
  names_clear (&self->arrays);
  if (self->group != NULL && --self->group->refs == 0)
    {
      names_clear (&self->group->pictures);
      names_clear (&self->group->stores);
      free (self->group);
    }
  free (self);
}

static TnContext
create_context (TnContext share, uint32_t width, uint32_t height)
{
  TnContext self = calloc (1, sizeof *self);

  if (self == NULL || width > MAX_SIDE || height > MAX_SIDE)
    {
      free (self);
      return NULL;
    }
  pthread_mutex_lock (&lock);
  self->group = share != NULL ? share->group : calloc (1, sizeof *self->group);
  if (self->group != NULL)
    self->group->refs++;
  self->window = object_new ();
  self->first_array = object_new ();
  if (self->group == NULL || self->window == NULL || self->first_array == NULL ||
      !object_set_bytes (self->window, NULL, (size_t)width * height * 4))
    {
      context_free (self);
      pthread_mutex_unlock (&lock);
      return NULL;
    }
  self->window->width = width;
  self->window->height = height;
  object_set (&self->picture, self->window);
  object_set (&self->array, self->first_array);
  self->pen = 0xffffffff;
  self->number = n_contexts++;
  pthread_mutex_unlock (&lock);
  return self;
}

/* A context that is current lives until it is not. */
static void
destroy_context (TnContext context)
{
  if (context == NULL)
    return;
  pthread_mutex_lock (&lock);
  if (context->is_current)
    context->is_destroyed = true;
  else
    context_free (context);
  pthread_mutex_unlock (&lock);
}

static uint32_t
make_current (TnContext context)
{
  uint32_t done = 0;

  pthread_mutex_lock (&lock);
  if (context == current || context == NULL || !context->is_current)
    {
      if (current != NULL && current != context)
        {
          current->is_current = false;
          if (current->is_destroyed)
            context_free (current);
        }
      if (context != NULL)
        context->is_current = true;
      current = context;
      done = 1;
    }
  pthread_mutex_unlock (&lock);
  return done;
}

/* ---- Names as the program sees them ---- */

static void
gen (TnKind kind, uint32_t n, uint32_t *names)
{
  TnContext self = enter ();
  TnNames *all;
  uint32_t name = 1;

  if (self == NULL)
    return;
  all = names_of (self, kind);
  for (uint32_t i = 0; all != NULL && i < n; i++)
    {
      while (names_find (all, name) != NULL)
        name++;
      if (names_add (all, name) == NULL)
        {
          self->error = TN_OUT_OF_MEMORY;
          break;
        }
      names[i] = name;
    }
  leave ();
}

/* Ends the names at once. What they name lives while a context has it bound or an array holds
 * it. */
static void delete (TnKind kind, uint32_t n, const uint32_t *names)
{
  TnContext self = enter ();
  TnNames *all;

  if (self == NULL)
    return;
  all = names_of (self, kind);
  for (uint32_t i = 0; all != NULL && i < n; i++)
    {
      TnName *entry = names[i] != 0 ? names_find (all, names[i]) : NULL;
      TnObject *object;

      if (entry == NULL)
        continue;
      object = entry->object;
      *entry = all->names[--all->n];
      object_unref (object);
    }
  leave ();
}

static void
bind (TnKind kind, uint32_t name)
{
  TnContext self = enter ();
  TnNames *all;
  TnName *entry = NULL;
  TnObject *object = NULL;

  if (self == NULL)
    return;
  all = names_of (self, kind);
  if (all == NULL)
    {
      leave ();
      return;
    }
  if (name != 0)
    {
      entry = names_find (all, name);
      if (entry == NULL)
        entry = names_add (all, name);
      if (entry != NULL && entry->object == NULL)
        entry->object = object_new ();
      if (entry == NULL || entry->object == NULL)
        {
          self->error = TN_OUT_OF_MEMORY;
          leave ();
          return;
        }
      object = entry->object;
    }
  if (kind == TN_PICTURE)
    object_set (&self->picture, object != NULL ? object : self->window);
  else if (kind == TN_STORE)
    object_set (&self->store, object);
  else
    object_set (&self->array, object != NULL ? object : self->first_array);
  leave ();
}

/* ---- Contents ---- */

/* @size bytes at @pointer, which is an offset where @store is not NULL. NULL: the store ends before
 * that. */
static const uint8_t *
find_bytes (const TnObject *store, const void *pointer, size_t size)
{
  size_t offset = (size_t)pointer;

  if (store == NULL)
    return pointer;
  return offset <= store->size && size <= store->size - offset ? store->bytes + offset : NULL;
}

static void
picture_data (uint32_t width, uint32_t height, const void *texels)
{
  TnContext self = enter ();
  size_t size = (size_t)width * height * 4;
  const uint8_t *bytes;

  if (self == NULL)
    return;
  bytes = width <= MAX_SIDE && height <= MAX_SIDE ? find_bytes (self->store, texels, size) : NULL;
  if (self->picture == self->window || (bytes == NULL && size > 0))
    self->error = TN_BAD_OPERATION;
  else if (!object_set_bytes (self->picture, bytes, size))
    self->error = TN_OUT_OF_MEMORY;
  else
    {
      self->picture->width = width;
      self->picture->height = height;
    }
  leave ();
}

static void
store_data (size_t size, const void *bytes)
{
  TnContext self = enter ();

  if (self == NULL)
    return;
  if (self->store == NULL)
    self->error = TN_BAD_OPERATION;
  else if (!object_set_bytes (self->store, bytes, size))
    self->error = TN_OUT_OF_MEMORY;
  leave ();
}

static void
pointer (uint32_t stride, const void *points)
{
  TnContext self = enter ();

  if (self == NULL)
    return;
  object_set (&self->array->store, self->store);
  self->array->stride = stride;
  self->array->points = points;
  leave ();
}

static void
pen (uint32_t rgba)
{
  TnContext self = enter ();

  if (self == NULL)
    return;
  self->pen = rgba;
  leave ();
}

/* ---- Drawing ---- */

typedef struct
{
  float x, y;
} TnPoint;

/* Twice the area to the left of the way from @a to @b, as seen from (x, y). */
static double
side (TnPoint a, TnPoint b, double x, double y)
{
  return ((double)b.x - a.x) * (y - a.y) - ((double)b.y - a.y) * (x - a.x);
}

/* A pixel belongs to the triangle if its centre lies inside or on an edge. */
static void
fill (TnObject *picture, const TnPoint point[3], uint32_t rgba)
{
  for (uint32_t y = 0; y < picture->height; y++)
    for (uint32_t x = 0; x < picture->width; x++)
      {
        double a = side (point[0], point[1], x + 0.5, y + 0.5);
        double b = side (point[1], point[2], x + 0.5, y + 0.5);
        double c = side (point[2], point[0], x + 0.5, y + 0.5);

        if ((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0))
          memcpy (picture->bytes + ((size_t)y * picture->width + x) * 4, &rgba, 4);
      }
}

static void
draw (uint32_t first, uint32_t count)
{
  TnContext self = enter ();
  const TnObject *array;
  const uint8_t *points;
  uint64_t end;

  if (self == NULL)
    return;
  array = self->array;
  end = count > 0 ? ((uint64_t)first + count - 1) * array->stride + sizeof (TnPoint) : 0;
  points = find_bytes (array->store, array->points, end);
  if (points == NULL && count > 0)
    self->error = TN_BAD_OPERATION;
  else
    for (uint32_t i = 0; i + 3 <= count; i += 3)
      {
        TnPoint point[3];

        for (uint32_t k = 0; k < 3; k++)
          memcpy (&point[k], points + ((uint64_t)first + i + k) * array->stride, sizeof point[k]);
        fill (self->picture, point, self->pen);
      }
  leave ();
}

static void
read_texels (size_t size, void *texels)
{
  TnContext self = enter ();

  if (self == NULL)
    return;
  if (size < self->picture->size)
    self->error = TN_BAD_OPERATION;
  else if (self->picture->size > 0)
    memcpy (texels, self->picture->bytes, self->picture->size);
  leave ();
}

static void
flush (void)
{
  /* Every call is finished when it returns. */
}

/* $TINY_WITNESS names a folder: each window is written there as it is at each swap. */
static void
write_window (TnContext self)
{
  const char *folder = getenv ("TINY_WITNESS");
  char path[4096];
  FILE *file;

  if (folder == NULL)
    return;
  snprintf (path, sizeof path, "%s/window-%u-%u.rgba", folder, self->number, self->n_swaps);
  file = fopen (path, "wb");
  if (file == NULL ||
      fwrite (self->window->bytes, 1, self->window->size, file) != self->window->size ||
      fclose (file) != 0)
    {
      perror (path);
      abort ();
    }
}

static void
swap (void)
{
  TnContext self = enter ();

  if (self == NULL)
    return;
  write_window (self);
  self->n_swaps++;
  leave ();
}

static uint32_t
get_error (void)
{
  TnContext self = enter ();
  uint32_t error;

  if (self == NULL)
    return TN_NO_ERROR;
  error = self->error;
  self->error = TN_NO_ERROR;
  leave ();
  return error;
}

const TnFunctions tn_driver = {
  .CreateContext = create_context,
  .DestroyContext = destroy_context,
  .MakeCurrent = make_current,
  .Gen = gen,
  .Delete = delete,
  .Bind = bind,
  .PictureData = picture_data,
  .StoreData = store_data,
  .Pointer = pointer,
  .Pen = pen,
  .Draw = draw,
  .Read = read_texels,
  .Flush = flush,
  .Swap = swap,
  .GetError = get_error,
};
