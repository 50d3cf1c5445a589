/* Makes the states of new objects of the tiny API, and tells which error a call makes. */
#include "vtr-tiny-records.h"

#include "vtr-tiny-text.h"

#include "api/vtr-api-ids.h"
#include "api/vtr-tiny-args.h"

/* TnError. */
#define BAD_KIND 1
#define BAD_OPERATION 2
#define MAX_SIDE 16384u
#define POINT_SIZE 8u

gsize
vtr_tiny_record_size (guint32 type)
{
  switch (type)
    {
    case VTR_HANDLE_TnContext:
      return sizeof (VtrTinyContextRecord);
    case VTR_HANDLE_picture:
      return sizeof (VtrTinyPictureRecord);
    case VTR_HANDLE_store:
      return sizeof (VtrTinyStoreRecord);
    case VTR_HANDLE_array:
      return sizeof (VtrTinyArrayRecord);
    default:
      return sizeof (VtrTinyOwnRecord);
    }
}

/* A window has the size that its context was made with. */
static void
fill_picture (VtrHistory           *history,
              const VtrObject      *object,
              VtrTinyPictureRecord *self)
{
  const VtrArgs_tnCreateContext *args;
  VtrCommand command;
  VtrArena arena;

  self->written_by = G_MAXUINT32;
  if (object->handle != 0)
    return;
  vtr_arena_init (&arena);
  if (vtr_history_decode_creation (history, object, &arena, &command, NULL) &&
      command.id == VTR_CMD_tnCreateContext)
    {
      args = command.args;
      self->width = args->width;
      self->height = args->height;
    }
  vtr_arena_finish (&arena);
}

void
vtr_tiny_record_fill (gpointer         shared,
                      const VtrObject *object,
                      VtrStateRecord  *record)
{
  gpointer filled = record;
  const VtrTinyContext *context;
  VtrTinyContextRecord *self;

  switch (object->type)
    {
    case VTR_HANDLE_TnContext:
      self = filled;
      context = vtr_tiny_get_context (shared, object->id);
      self->pen = 0xffffffff;
      if (context == NULL)
        return;
      self->picture = context->window;
      self->array = context->first_array;
      break;
    case VTR_HANDLE_picture:
      fill_picture (shared, object, filled);
      break;
    case VTR_HANDLE_store:
      ((VtrTinyStoreRecord *)filled)->written_by = G_MAXUINT32;
      break;
    default:
      break;
    }
}

/* --- Errors --- */

gconstpointer
vtr_tiny_peek (VtrApiState *state,
               guint32      id)
{
  return vtr_api_state_peek (state, id);
}

/* Whether @size bytes at @offset lie in the store. */
static gboolean
store_has (VtrApiState *state,
           guint32      id,
           guint64      offset,
           guint64      size)
{
  const VtrTinyStoreRecord *store = vtr_tiny_peek (state, id);
  const guint64 all = store != NULL ? store->size : 0;

  return offset <= all && size <= all - offset;
}

static VtrTinyFailure
predict_draw (VtrApiState          *state,
              guint32               array,
              const VtrArgs_tnDraw *args)
{
  const VtrTinyArrayRecord *record = vtr_tiny_peek (state, array);
  guint64 end;

  if (record == NULL || record->store == 0 || args->count == 0)
    return VTR_TINY_SUCCEEDS;
  end = ((guint64)args->first + args->count - 1) * record->stride + POINT_SIZE;
  return store_has (state, record->store, record->points, end) ? VTR_TINY_SUCCEEDS
                                                               : VTR_TINY_POINTS_BEYOND;
}

static VtrTinyFailure
predict_picture (VtrApiState                 *state,
                 const VtrTinyContext        *context,
                 const VtrTinyContextRecord  *bound,
                 const VtrArgs_tnPictureData *args)
{
  const guint64 size = (guint64)args->width * args->height * 4;

  if (bound->picture == context->window)
    return VTR_TINY_TO_WINDOW;
  if (size == 0)
    return VTR_TINY_SUCCEEDS;
  if (args->width > MAX_SIDE || args->height > MAX_SIDE)
    return VTR_TINY_TOO_LARGE;
  return bound->store == 0 || store_has (state, bound->store, (guint64)(guintptr)args->texels, size)
           ? VTR_TINY_SUCCEEDS
           : VTR_TINY_TEXELS_BEYOND;
}

static VtrTinyFailure
predict_read (VtrApiState          *state,
              guint32               id,
              const VtrArgs_tnRead *args)
{
  const VtrTinyPictureRecord *picture = vtr_tiny_peek (state, id);
  VtrTinyPictureRecord created = { .width = 0 };

  if (picture == NULL)
    {
      const VtrObject *object =
        vtr_history_get_object (vtr_api_state_get_history (state), id);

      if (object == NULL)
        return VTR_TINY_SUCCEEDS;
      fill_picture (vtr_api_state_get_history (state), object, &created);
      picture = &created;
    }
  return args->size >= (guint64)picture->width * picture->height * 4 ? VTR_TINY_SUCCEEDS
                                                                     : VTR_TINY_NO_ROOM;
}

VtrTinyContextRecord
vtr_tiny_get_bound (VtrApiState          *state,
                    const VtrTinyContext *context)
{
  const VtrTinyContextRecord *bound = vtr_tiny_peek (state, context->context);

  return bound != NULL ? *bound
                       : (VtrTinyContextRecord){
                           .picture = context->window,
                           .array = context->first_array,
                         };
}

VtrTinyFailure
vtr_tiny_predict (VtrApiState          *state,
                  const VtrTinyContext *context,
                  const VtrCommand     *command)
{
  const VtrTinyContextRecord record = vtr_tiny_get_bound (state, context), *bound = &record;

  switch (command->id)
    {
    case VTR_CMD_tnBind:
    case VTR_CMD_tnGen:
    case VTR_CMD_tnDelete:
      /* The kind is the first argument of each. */
      return vtr_tiny_get_kind (((const VtrArgs_tnBind *)command->args)->kind) == VTR_HANDLE_NONE
               ? VTR_TINY_NO_KIND
               : VTR_TINY_SUCCEEDS;
    case VTR_CMD_tnPictureData:
      return predict_picture (state, context, bound, command->args);
    case VTR_CMD_tnStoreData:
      return bound->store != 0 ? VTR_TINY_SUCCEEDS : VTR_TINY_NO_STORE;
    case VTR_CMD_tnDraw:
      return predict_draw (state, bound->array, command->args);
    case VTR_CMD_tnRead:
      return predict_read (state, bound->picture, command->args);
    default:
      return VTR_TINY_SUCCEEDS;
    }
}

guint32
vtr_tiny_get_error (VtrTinyFailure failure)
{
  return failure == VTR_TINY_SUCCEEDS  ? 0
         : failure == VTR_TINY_NO_KIND ? BAD_KIND
                                       : BAD_OPERATION;
}

const char *
vtr_tiny_describe_failure (VtrTinyFailure failure)
{
  switch (failure)
    {
    case VTR_TINY_NO_KIND:
      return _ ("The call does nothing: there is no such kind of object.");
    case VTR_TINY_TO_WINDOW:
      return _ ("The call does nothing: picture 0 is bound, and a window takes no data.");
    case VTR_TINY_TOO_LARGE:
      return _ ("The call does nothing: a picture has at most 16384 columns and rows.");
    case VTR_TINY_TEXELS_BEYOND:
      return _ ("The call does nothing: the texels reach beyond the end of the bound store.");
    case VTR_TINY_NO_STORE:
      return _ ("The call does nothing: no store is bound.");
    case VTR_TINY_POINTS_BEYOND:
      return _ ("The call does nothing: the points reach beyond the end of the array’s store.");
    case VTR_TINY_NO_ROOM:
      return _ ("The call does nothing: the program has room for fewer bytes than the picture "
                "has.");
    case VTR_TINY_SUCCEEDS:
    default:
      return "";
    }
}
