/* Writes the calls that create the living objects of the tiny API again, and the windows' texels,
 * at the beginning of a recording. */
#include "vtr-tiny-layer.h"

#include "vtr-layer-cut.h"
#include "vtr-layer-transport.h"

#include "base/vtr-log.h"

#include <stdio.h>
#include <stdlib.h>

#define SPARE_NAMES 0xf0000000u /* for objects without a name: programs use none of these */

/* ---- What the driver is asked ---- */

/* By the thread on which the context is current. Nothing can bind a picture again that has no
 * name. */
void
vtr_tiny_read_window (VtrTinyContext *self)
{
  const size_t size = (size_t)self->width * self->height * 4;

  free (self->window);
  self->window = self->picture == NULL || self->picture->name != 0 ? malloc (size + 1) : NULL;
  if (self->window == NULL)
    return;
  if (self->picture != NULL)
    vtr_tiny_next.Bind (TN_PICTURE, 0);
  vtr_tiny_next.Read (size, self->window);
  if (self->picture != NULL)
    vtr_tiny_next.Bind (TN_PICTURE, self->picture->name);
}

/* The driver tells an error only once, so the program is told by us when it asks. */
static void
keep_error (VtrTinyContext *self)
{
  const uint32_t error = vtr_tiny_next.GetError ();

  if (error != TN_NO_ERROR)
    self->error = error;
}

uint32_t
vtr_tiny_take_error (VtrTinyContext *self,
                     uint32_t        told)
{
  const uint32_t kept = self->error;

  self->error = TN_NO_ERROR;
  return told != TN_NO_ERROR ? told : kept;
}

void
vtr_tiny_errand (VtrLayerThread *thread)
{
  VtrTinyContext *self = thread->context->env.data;

  keep_error (self);
  vtr_tiny_read_window (self);
}

static bool
read_pictures (VtrTinyGroup *group)
{
  bool done = true;

  for (VtrTinyObject *object = group->objects; object != NULL && done; object = object->next)
    {
      const size_t size = (size_t)object->width * object->height * 4;

      if (object->kind != TN_PICTURE || !object->has_data)
        continue;
      object->bytes = object->name != 0 ? malloc (size + 1) : NULL;
      object->size = size;
      done = object->bytes != NULL;
      if (!done)
        break;
      vtr_tiny_next.Bind (TN_PICTURE, object->name);
      vtr_tiny_next.Read (size, object->bytes);
    }
  return done;
}

/* What no thread of the program has current; and pictures, in a context of our own that shares
 * with the program's. */
static void *
read_rest (void *data)
{
  bool *done = data;

  for (VtrTinyContext *self = vtr_tiny_get_contexts (); self != NULL && *done; self = self->next)
    {
      TnContext own;

      if (self->thread == 0)
        {
          vtr_tiny_next.MakeCurrent (self->handle);
          keep_error (self);
          vtr_tiny_read_window (self);
          vtr_tiny_next.MakeCurrent (NULL);
        }
      *done = self->window != NULL;
      if (!*done || self->group->is_read)
        continue;
      own = vtr_tiny_next.CreateContext (self->handle, 1, 1);
      *done = own != NULL;
      if (!*done)
        continue;
      vtr_tiny_next.MakeCurrent (own);
      *done = read_pictures (self->group);
      self->group->is_read = true;
      vtr_tiny_next.MakeCurrent (NULL);
      vtr_tiny_next.DestroyContext (own);
    }
  return NULL;
}

/* ---- The calls ---- */

static void
put (VtrLayerThread       *thread,
     const VtrTinyContext *context,
     VtrCmdId              cmd,
     const void           *args)
{
  /* The bytes are ours, whatever is bound in the program. */
  static const VtrTinyEnv no_store = { VTR_NO };
  static const VtrApiEnv env = { .state = &no_store };

  vtr_cut_put_command (thread, 0, &context->names, &env, cmd, args, 0);
}

static void
put_make_current (VtrLayerThread       *thread,
                  uint32_t              maker,
                  const VtrTinyContext *context)
{
  const VtrArgs_tnMakeCurrent args = { context != NULL ? context->handle : NULL };

  vtr_cut_put_command (thread, maker, &vtr_tiny_process, NULL, VTR_CMD_tnMakeCurrent, &args, 1);
}

static void
put_bind (VtrLayerThread       *thread,
          const VtrTinyContext *context,
          TnKind                kind,
          uint32_t              name)
{
  const VtrArgs_tnBind args = { (int32_t)kind, name };

  put (thread, context, VTR_CMD_tnBind, &args);
}

static void
put_delete (VtrLayerThread       *thread,
            const VtrTinyContext *context,
            TnKind                kind,
            uint32_t              name)
{
  const VtrArgs_tnDelete args = { (int32_t)kind, 1, &name };

  put (thread, context, VTR_CMD_tnDelete, &args);
}

static void
put_reserved (VtrLayerThread        *thread,
              const VtrTinyContext  *context,
              const VtrTinyReserved *reserved)
{
  for (; reserved != NULL; reserved = reserved->next)
    {
      uint32_t name = reserved->name;
      const VtrArgs_tnGen args = { (int32_t)reserved->kind, 1, &name };

      put (thread, context, VTR_CMD_tnGen, &args);
    }
}

static uint32_t
name_of (const VtrTinyObject *object)
{
  return object != NULL ? object->name_at_cut : 0;
}

/* Gives every object of a group the name by which the recording calls it. */
static void
name_objects (VtrTinyGroup *group)
{
  uint32_t spare = SPARE_NAMES;

  for (VtrTinyObject *object = group->objects; object != NULL; object = object->next)
    object->name_at_cut = object->name != 0 ? object->name : spare++;
}

static void
put_object (VtrLayerThread       *thread,
            const VtrTinyContext *context,
            const VtrTinyObject  *object)
{
  put_bind (thread, context, object->kind, object->name_at_cut);
  if (!object->has_data)
    return;
  if (object->kind == TN_PICTURE)
    {
      const VtrArgs_tnPictureData args = { .width = object->width,
                                           .height = object->height,
                                           .texels = object->bytes };

      put (thread, context, VTR_CMD_tnPictureData, &args);
    }
  else
    {
      const VtrArgs_tnStoreData args = { object->size, object->bytes };

      put (thread, context, VTR_CMD_tnStoreData, &args);
    }
}

/* What the contexts of a group share, made in the oldest of them that lives. */
static void
put_group (VtrLayerThread       *thread,
           const VtrTinyContext *oldest)
{
  name_objects (oldest->group);
  put_make_current (thread, 0, oldest);
  for (VtrTinyObject *object = oldest->group->objects; object != NULL; object = object->next)
    put_object (thread, oldest, object);
  put_reserved (thread, oldest, oldest->group->reserved);
}

static void
put_array (VtrLayerThread       *thread,
           const VtrTinyContext *context,
           const VtrTinyArray   *array,
           uint32_t              name)
{
  const VtrArgs_tnPointer args = { array->stride, array->points };

  put_bind (thread, context, TN_ARRAY, name);
  if (!array->has_points)
    return;
  put_bind (thread, context, TN_STORE, name_of (array->store));
  put (thread, context, VTR_CMD_tnPointer, &args);
}

/* A call that fails as one before the recording has. */
static void
put_error (VtrLayerThread       *thread,
           const VtrTinyContext *context)
{
  const VtrArgs_tnPictureData no_data = { 0, 0, NULL };

  switch (context->error)
    {
    case TN_NO_ERROR:
      break;
    case TN_BAD_KIND:
      put_bind (thread, context, (TnKind)0, 0);
      break;
    case TN_BAD_OPERATION:
      put_bind (thread, context, TN_PICTURE, 0);
      put (thread, context, VTR_CMD_tnPictureData, &no_data);
      break;
    default:
      vtr_layer_transport_notice (VTR_LOG_WARNING,
                                  "The program has not asked for error %u of a context, which no "
                                  "call can make again.",
                                  context->error);
      break;
    }
}

static void
put_context (VtrLayerThread       *thread,
             const VtrTinyContext *context)
{
  const VtrArgs_tnPen pen = { context->pen };
  const bool is_deleted = vtr_tiny_array_is_deleted (context);

  put_make_current (thread, 0, context);
  put_array (thread, context, &context->first_array, 0);
  for (const VtrTinyArray *array = context->arrays; array != NULL; array = array->next)
    put_array (thread, context, array, array->name);
  if (is_deleted)
    {
      put_array (thread, context, context->array, SPARE_NAMES);
      put_delete (thread, context, TN_ARRAY, SPARE_NAMES);
    }
  else
    put_bind (thread, context, TN_ARRAY, context->array->name);
  put_reserved (thread, context, context->reserved);
  put_error (thread, context);
  put_bind (thread, context, TN_STORE, name_of (context->store));
  put_bind (thread, context, TN_PICTURE, name_of (context->picture));
  put (thread, context, VTR_CMD_tnPen, &pen);
}

/* Ends the names that only the recording has given. */
static void
put_ends (VtrLayerThread       *thread,
          const VtrTinyContext *oldest)
{
  put_make_current (thread, 0, oldest);
  for (VtrTinyObject *object = oldest->group->objects; object != NULL; object = object->next)
    if (object->name == 0)
      put_delete (thread, oldest, object->kind, object->name_at_cut);
}

/* ---- All of it ---- */

/* Of the group of the @nth of @contexts, the oldest first: the first one in the list. */
static const VtrTinyContext *
find_oldest (VtrTinyContext **contexts,
             size_t           nth)
{
  for (size_t i = 0; i < nth; i++)
    if (contexts[i]->group == contexts[nth]->group)
      return contexts[i];
  return contexts[nth];
}

static void
put_creation (VtrLayerThread       *thread,
              const VtrTinyContext *context,
              const VtrTinyContext *oldest)
{
  const VtrArgs_tnCreateContext args = { context != oldest ? oldest->handle : NULL, context->width,
                                         context->height };

  vtr_cut_put_command (thread, 0, &vtr_tiny_process, NULL, VTR_CMD_tnCreateContext, &args,
                       (uint64_t)(uintptr_t)context->handle);
}

static void
put_current (VtrLayerThread       *thread,
             const VtrTinyContext *context)
{
  const VtrArgs_tnDestroyContext args = { context->handle };

  if (context->thread != 0)
    put_make_current (thread, context->thread, context);
  if (context->is_destroyed)
    vtr_cut_put_command (thread, 0, &vtr_tiny_process, NULL, VTR_CMD_tnDestroyContext, &args, 0);
}

static void
put_window (VtrLayerThread       *thread,
            const VtrTinyContext *context)
{
  const VtrCutImage image = {
    .names = &context->names,
    .kind = VTR_HANDLE_picture,
    .format = "RGBA8_UNORM",
    .width = context->width,
    .height = context->height,
    .depth = 1,
    .texels = context->window,
    .size = (size_t)context->width * context->height * 4,
  };

  if (image.size > 0)
    vtr_cut_put_image (thread, &image);
}

static void
put_all (VtrLayerThread  *thread,
         VtrTinyContext **contexts,
         size_t           n)
{
  for (size_t i = 0; i < n; i++)
    put_creation (thread, contexts[i], find_oldest (contexts, i));
  /* As long as nothing is bound that has no name: then nobody could bind it again behind them. */
  for (size_t i = 0; i < n; i++)
    put_window (thread, contexts[i]);
  for (size_t i = 0; i < n; i++)
    if (find_oldest (contexts, i) == contexts[i])
      put_group (thread, contexts[i]);
  for (size_t i = 0; i < n; i++)
    put_context (thread, contexts[i]);
  for (size_t i = 0; i < n; i++)
    if (find_oldest (contexts, i) == contexts[i])
      put_ends (thread, contexts[i]);
  put_make_current (thread, 0, NULL);
  for (size_t i = 0; i < n; i++)
    put_current (thread, contexts[i]);
}

static void
forget_contents (VtrTinyContext *self)
{
  free (self->window);
  self->window = NULL;
  self->group->is_read = false;
  for (VtrTinyObject *object = self->group->objects; object != NULL; object = object->next)
    if (object->kind == TN_PICTURE)
      {
        free (object->bytes);
        object->bytes = NULL;
      }
}

bool
vtr_tiny_write_state (VtrLayerThread *thread,
                      char            why[VTR_LAYER_WHY_MAX])
{
  VtrTinyContext **contexts;
  bool done = true;
  pthread_t reader;
  size_t n = 0;

  for (VtrTinyContext *self = vtr_tiny_get_contexts (); self != NULL; self = self->next)
    n++;
  contexts = calloc (n + 1, sizeof (VtrTinyContext *));
  if (contexts == NULL || pthread_create (&reader, NULL, read_rest, &done) != 0)
    {
      free (contexts);
      snprintf (why, VTR_LAYER_WHY_MAX, "The program cannot start another thread.");
      return false;
    }
  pthread_join (reader, NULL);
  for (VtrTinyContext *self = vtr_tiny_get_contexts (); self != NULL; self = self->next)
    contexts[--n] = self;
  while (contexts[n] != NULL)
    n++;
  if (done)
    put_all (thread, contexts, n);
  else
    snprintf (why, VTR_LAYER_WHY_MAX, "A picture without a name is bound in a context.");
  for (size_t i = 0; i < n; i++)
    forget_contents (contexts[i]);
  free (contexts);
  return done;
}
