/* Applies the tiny API's calls to a state, and tells which of them are errors, which change
 * nothing. */
#include "vtr-tiny-state.h"

#include "vtr-tiny-records.h"
#include "vtr-tiny-text.h"

#include "api/vtr-api-ids.h"
#include "api/vtr-tiny-args.h"

/* Records are filled by what the history knows. */
static gpointer
shared_new (VtrStateShared *shared)
{
  return shared->history;
}

static void
shared_free (gpointer part)
{
}

static gboolean
wants (VtrCmdId id)
{
  return id != VTR_CMD_tnCreateContext && id != VTR_CMD_tnDestroyContext &&
         id != VTR_CMD_tnMakeCurrent && id != VTR_CMD_tnFlush;
}

/* tnGetError () returns the predicted error. Otherwise a driver has run out of memory, or the
 * prediction is wrong. */
static void
check_error (VtrMutator           *self,
             VtrTinyContextRecord *context)
{
  const guint32 told = (guint32)self->command.result;

  if (self->command.has_result && told != context->error)
    vtr_mutator_say (self, VTR_STATE_WARNING, self->command.index, "error",
                     _ ("The program was told error %u where the state predicts %u."), told,
                     context->error);
  context->error = 0;
}

static void
bind (VtrMutator           *self,
      VtrTinyContextRecord *context)
{
  const VtrArgs_tnBind *args = self->command.args;
  const guint32 kind = vtr_tiny_get_kind (args->kind);
  const guint32 id = vtr_mutator_find (self, kind, args->name);

  if (kind == VTR_HANDLE_picture)
    context->picture = id;
  else if (kind == VTR_HANDLE_store)
    context->store = id;
  else
    context->array = id;
}

static void
write_picture (VtrMutator                 *self,
               const VtrTinyContextRecord *context,
               gboolean                    resize)
{
  const VtrArgs_tnPictureData *args = self->command.args;
  VtrTinyPictureRecord *picture = vtr_mutator_edit_id (self, context->picture);

  if (picture == NULL)
    return;
  picture->written_by = (guint32)self->command.index;
  if (!resize)
    return;
  picture->width = args->width;
  picture->height = args->height;
}

static void
set_pointer (VtrMutator                 *self,
             const VtrTinyContextRecord *context)
{
  const VtrArgs_tnPointer *args = self->command.args;
  VtrTinyArrayRecord *array = vtr_mutator_edit_id (self, context->array);

  if (array == NULL)
    return;
  array->store = context->store;
  array->stride = args->stride;
  array->points = (guint64)(guintptr)args->points;
}

/* A call that is no error. */
static void
apply (VtrMutator           *self,
       VtrTinyContextRecord *context)
{
  VtrTinyOwnRecord *own;
  VtrTinyStoreRecord *store;

  switch (self->command.id)
    {
    case VTR_CMD_tnBind:
      bind (self, context);
      break;
    case VTR_CMD_tnPen:
      context->pen = ((const VtrArgs_tnPen *)self->command.args)->rgba;
      break;
    case VTR_CMD_tnPictureData:
      write_picture (self, context, TRUE);
      break;
    case VTR_CMD_tnStoreData:
      store = vtr_mutator_edit_id (self, context->store);
      if (store == NULL)
        break;
      store->size = ((const VtrArgs_tnStoreData *)self->command.args)->size;
      store->written_by = (guint32)self->command.index;
      break;
    case VTR_CMD_tnPointer:
      set_pointer (self, context);
      break;
    case VTR_CMD_tnDraw:
      own = vtr_mutator_edit_own (self, VTR_TINY_FIRST_ID);
      own->last_draw = (guint32)self->command.index + 1;
      write_picture (self, context, FALSE);
      break;
    case VTR_CMD_tnSwap:
      own = vtr_mutator_edit_own (self, VTR_TINY_FIRST_ID);
      own->last_swap = (guint32)self->command.index + 1;
      context->n_swaps++;
      break;
    case VTR_CMD_tnGetError:
      check_error (self, context);
      break;
    default:
      break;
    }
}

/* Whether a command may change the record of its context. */
static gboolean
changes_context (VtrCmdId id)
{
  return id == VTR_CMD_tnBind || id == VTR_CMD_tnPen || id == VTR_CMD_tnSwap ||
         id == VTR_CMD_tnGetError;
}

static void
mutate (VtrMutator *self)
{
  const VtrTinyContext *of =
    vtr_tiny_find_context (self->shared->history, self->command.index);
  VtrTinyContextRecord *context;
  VtrTinyFailure failure;

  /* Without a current context nothing happens. */
  if (of == NULL || of->context == 0)
    return;
  failure = vtr_tiny_predict (self->state, of, &self->command);
  if (failure == VTR_TINY_SUCCEEDS && !changes_context (self->command.id))
    {
      VtrTinyContextRecord bound = vtr_tiny_get_bound (self->state, of);

      apply (self, &bound);
      return;
    }
  context = vtr_mutator_edit_id (self, of->context);
  if (context == NULL)
    return;
  if (failure == VTR_TINY_SUCCEEDS)
    {
      apply (self, context);
      return;
    }
  context->error = vtr_tiny_get_error (failure);
  if ((self->command.flags & VTR_COMMAND_INITIAL) != 0)
    vtr_mutator_say (self, VTR_STATE_WARNING, self->command.index, "unasked",
                     _ ("A call before the capture has failed, and the program has not asked for "
                        "the error yet."));
  else
    vtr_mutator_say (self, VTR_STATE_ERROR, self->command.index, "call", "%s",
                     vtr_tiny_describe_failure (failure));
}

/* The next tnGetError () of the context tells what no result does. */
static VtrTristate
succeeded (const VtrCommand *command,
           VtrApiState      *state)
{
  const VtrTinyContext *context;

  if (state == NULL)
    return VTR_UNKNOWN;
  context = vtr_tiny_find_context (vtr_api_state_get_history (state), command->index);
  if (context == NULL)
    return VTR_UNKNOWN;
  return vtr_tiny_predict (state, context, command) == VTR_TINY_SUCCEEDS ? VTR_YES : VTR_NO;
}

static gboolean
is_owner (guint32 kind)
{
  return kind == VTR_HANDLE_TnContext;
}

const VtrStateApi vtr_tiny_state = {
  .has_namespaces = TRUE,
  .objects_new = vtr_tiny_objects_new,
  .objects_free = vtr_tiny_objects_free,
  .wants_lifetimes = vtr_tiny_wants_lifetimes,
  .lifetimes = vtr_tiny_lifetimes,
  .find_parent = vtr_tiny_find_parent,
  .shared_new = shared_new,
  .shared_free = shared_free,
  .record_size = vtr_tiny_record_size,
  .record_fill = vtr_tiny_record_fill,
  .wants = wants,
  .mutate = mutate,
  .is_owner = is_owner,
  .object_json = vtr_tiny_object_json,
  .facts_json = vtr_tiny_facts_json,
  .bound_json = vtr_tiny_bound_json,
  .succeeded = succeeded,
};
