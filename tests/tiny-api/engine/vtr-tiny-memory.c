/* Tells what the tiny API's commands read and write. Its byte spaces are stores; its targets are
 * the bound picture and, at a swap, the window. */
#include "vtr-tiny-memory.h"

#include "vtr-tiny-records.h"
#include "vtr-tiny-text.h"

#include "engine/memory/vtr-effects.h"
#include "engine/memory/vtr-memory-list.h"
#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/state/vtr-state-store.h"
#include "engine/state/vtr-target.h"

#include "api/vtr-api-ids.h"
#include "api/vtr-tiny-args.h"

#include <string.h>

#define POINT_SIZE 8u
/* No store is larger. */
#define MAX_STORE ((guint64)1 << 40)

typedef struct
{
  VtrAnalysis *analysis;
  VtrTrace *trace;
  VtrHistory *history;
} VtrTinyMemory;

static gpointer
create (VtrAnalysis *analysis)
{
  VtrTinyMemory *self = g_new0 (VtrTinyMemory, 1);

  self->analysis = analysis;
  self->trace = vtr_analysis_get_trace (analysis);
  self->history = vtr_analysis_get_history (analysis);
  return self;
}

static void
destroy (gpointer self)
{
  g_free (self);
}

/* --- States ---------------------------------------------------------------------------------- */

/* What the calling context has bound in front of a command, or after it. */
typedef struct
{
  VtrApiState *state; /* NULL: no context is current, or nothing came before */
  const VtrTinyContext *context;
  VtrTinyContextRecord bound;
} Look;

static gboolean
look_init (Look          *self,
           VtrTinyMemory *memory,
           guint64        index,
           gboolean       after)
{
  *self = (Look){ .context = vtr_tiny_find_context (memory->history, index) };
  if (self->context == NULL || (index == 0 && !after))
    return FALSE;
  self->state = vtr_state_store_get (vtr_analysis_get_states (memory->analysis),
                                     after ? index : index - 1, VTR_NO_RUN, NULL, NULL);
  if (self->state == NULL)
    return FALSE;
  self->bound = vtr_tiny_get_bound (self->state, self->context);
  return TRUE;
}

static void
look_finish (Look *self)
{
  g_clear_pointer (&self->state, vtr_api_state_unref);
}

/* A picture as it is in a state; .record is not set. */
static VtrTinyPictureRecord
get_picture (VtrTinyMemory *self,
             VtrApiState   *state,
             guint32        id)
{
  const VtrTinyPictureRecord *found = vtr_tiny_peek (state, id);
  VtrTinyPictureRecord record = { .width = 0 };

  if (found != NULL)
    return *found;
  vtr_tiny_record_fill (self->history, vtr_history_get_object (self->history, id), &record.record);
  return record;
}

/* --- What is written ------------------------------------------------------------------------- */

/* Whether the call succeeded. */
static gboolean
succeeded (const Look       *look,
           const VtrCommand *command)
{
  return vtr_tiny_predict (look->state, look->context, command) == VTR_TINY_SUCCEEDS;
}

static void
follow (gpointer    data,
        VtrEffects *effects,
        VtrCmdId    id)
{
  VtrTinyMemory *self = data;
  const guint64 index = vtr_effects_get_index (effects);
  VtrCommand command;
  Look look;

  if ((id != VTR_CMD_tnBind && id != VTR_CMD_tnStoreData) ||
      !vtr_effects_decode (effects, &command))
    return;
  if (id == VTR_CMD_tnBind)
    {
      const VtrArgs_tnBind *args = command.args;
      const VtrObject *store =
        vtr_tiny_get_kind (args->kind) == VTR_HANDLE_store && args->name != 0
          ? vtr_history_find_name (self->history, VTR_HANDLE_store, args->name, index)
          : NULL;

      if (store != NULL && store->created == index)
        vtr_effects_add_space (effects, store->id, MAX_STORE);
      return;
    }
  if (look_init (&look, self, index, FALSE) && look.bound.store != 0 && succeeded (&look, &command))
    vtr_effects_write (effects, look.bound.store, 0,
                       ((const VtrArgs_tnStoreData *)command.args)->size, VTR_EFFECT_KNOWN);
  look_finish (&look);
}

/* What tnStoreData put into a store: its argument, or zeros. */
static gboolean
fill (gpointer  data,
      guint64   index,
      guint64   offset,
      gsize     size,
      guint8   *out)
{
  VtrTinyMemory *self = data;
  const VtrArgs_tnStoreData *args;
  VtrCommand command;
  VtrArena arena;
  gboolean ok;

  vtr_arena_init (&arena);
  ok = vtr_trace_decode (self->trace, index, &arena, &command, NULL) &&
       command.id == VTR_CMD_tnStoreData;
  args = ok ? command.args : NULL;
  ok = ok && offset <= args->size && size <= args->size - offset;
  if (ok && args->bytes != NULL)
    memcpy (out, (const guint8 *)args->bytes + offset, size);
  else if (ok)
    ok = command.decoded != NULL && vtr_decoded_address (command.decoded, &args->bytes) == 0;
  vtr_arena_finish (&arena);
  return ok;
}

static gboolean
get_space_size (gpointer   data,
                guint32    id,
                guint64    index,
                guint64   *size,
                GError   **error)
{
  VtrTinyMemory *self = data;
  const VtrObject *object = vtr_history_get_object (self->history, id);
  const VtrTinyStoreRecord *record;
  g_autoptr (VtrApiState) state = NULL;

  if (object->type != VTR_HANDLE_store)
    return FALSE;
  /* Of no command: what it has at the end of its life. */
  if (index == VTR_COMMAND_NO_INDEX)
    index = MIN (object->destroyed, vtr_trace_get_n_commands (self->trace)) - 1;
  state = vtr_state_store_get (vtr_analysis_get_states (self->analysis), index, VTR_NO_RUN, NULL,
                               error);
  if (state == NULL)
    return FALSE;
  record = vtr_tiny_peek (state, id);
  *size = record != NULL ? record->size : 0;
  return TRUE;
}

/* --- What one command touches ---------------------------------------------------------------- */

static void
add (VtrMemoryList *list,
     guint32        store,
     guint64        offset,
     guint64        size,
     guint          access,
     const char    *label,
     const char    *type)
{
  vtr_memory_list_add (list, (VtrMemoryRange){ .space = store,
                                               .offset = offset,
                                               .size = size,
                                               .access = access,
                                               .object = store,
                                               .label = g_strdup (label),
                                               .type = g_strdup (type) });
}

/* The points of a draw: in the store that the bound array holds, or in the program's memory, as its
   last tnPointer left them. */
static void
list_draw (VtrMemoryList        *list,
           const Look           *look,
           const VtrArgs_tnDraw *args)
{
  const VtrTinyArrayRecord *array = vtr_tiny_peek (look->state, look->bound.array);

  if (array == NULL || args->count == 0)
    return;
  add (list, array->store, array->points + (guint64)args->first * array->stride,
       ((guint64)args->count - 1) * array->stride + POINT_SIZE,
       VTR_MEMORY_READ | (array->store != 0 ? (guint)VTR_MEMORY_BY_GPU : 0), "points", "vec2");
}

static void
list_command (gpointer          data,
              VtrMemoryList    *list,
              const VtrCommand *command)
{
  VtrTinyMemory *self = data;
  Look look;

  if (look_init (&look, self, command->index, FALSE) && succeeded (&look, command))
    switch (command->id)
      {
      case VTR_CMD_tnDraw:
        list_draw (list, &look, command->args);
        break;
      case VTR_CMD_tnStoreData:
        add (list, look.bound.store, 0, ((const VtrArgs_tnStoreData *)command->args)->size,
             VTR_MEMORY_WRITE | VTR_MEMORY_BY_GPU, "store", NULL);
        break;
      case VTR_CMD_tnPictureData:
        {
          const VtrArgs_tnPictureData *args = command->args;

          if (look.bound.store != 0)
            add (list, look.bound.store, (guint64)(gsize)args->texels,
                 (guint64)args->width * args->height * 4, VTR_MEMORY_READ | VTR_MEMORY_BY_GPU,
                 "texels", NULL);
          break;
        }
      default:
        break;
      }
  look_finish (&look);
  vtr_memory_list_add_arguments (list, command);
}

static void
locate (gpointer       data,
        VtrMemoryList *list,
        guint32        id)
{
  VtrTinyMemory *self = data;
  guint64 size;

  if (get_space_size (self, id, vtr_memory_list_get_index (list), &size, NULL))
    add (list, id, 0, size, VTR_MEMORY_READ, "", NULL);
}

static void
locate_name (gpointer       data,
             VtrMemoryList *list,
             guint64        name)
{
  VtrTinyMemory *self = data;
  const VtrObject *store = vtr_history_find_name (self->history, VTR_HANDLE_store, name,
                                                  vtr_memory_list_get_index (list));

  if (store != NULL)
    locate (self, list, store->id);
}

/* --- Targets --------------------------------------------------------------------------------- */

static gboolean
set_nothing (GError     **error,
             const char  *message)
{
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING, message);
  return FALSE;
}

static gboolean
fill_target (VtrTinyMemory   *self,
             VtrApiState     *state,
             guint32          id,
             const VtrPlace  *place,
             VtrTarget       *out,
             GError         **error)
{
  const VtrTinyPictureRecord picture = get_picture (self, state, id);

  if (picture.width == 0 || picture.height == 0)
    return set_nothing (error, _ ("The picture has no texels yet."));
  *out = (VtrTarget){
    .kind = VTR_ATTACHMENT_COLOR0,
    .object = id,
    .part = { .aspect = VTR_PIXEL_COLOR },
    .n_layers = 1,
    .format = &vtr_pixel_rgba8_unorm,
    .width = picture.width,
    .height = picture.height,
    .samples = 1,
    .bottom_up = TRUE,
    .read_at = *place,
  };
  return TRUE;
}

/* The picture that draws go to after @place; at a swap, the window. */
static gboolean
find_bound (VtrTinyMemory   *self,
            const VtrPlace  *place,
            VtrTarget       *out,
            GError         **error)
{
  const gboolean swap =
    vtr_trace_get_command_id (self->trace, place->index) == VTR_CMD_tnSwap;
  gboolean ok;
  Look look;

  ok = look_init (&look, self, place->index, TRUE)
         ? fill_target (self, look.state, swap ? look.context->window : look.bound.picture, place,
                        out, error)
         : set_nothing (error, _ ("No context is current at this command."));
  look_finish (&look);
  return ok;
}

static gboolean
list_targets (gpointer         data,
              const VtrPlace  *place,
              gboolean         all,
              GArray          *list,
              GError         **error)
{
  VtrTarget target;

  if (!find_bound (data, place, &target, error))
    return FALSE;
  g_array_append_val (list, target);
  return TRUE;
}

static gboolean
find_target (gpointer               data,
             const VtrTargetQuery  *query,
             VtrTarget             *out,
             GError               **error)
{
  VtrTinyMemory *self = data;
  const VtrObject *object;
  g_autoptr (VtrApiState) state = NULL;

  if (query->part.level != 0 || query->part.layer != 0 || query->part.slice != 0 ||
      (query->part.sample != 0 && query->part.sample != VTR_SAMPLE_RESOLVE) ||
      (query->part.aspect != VTR_PIXEL_COLOR && query->part.aspect != VTR_PIXEL_NO_ASPECT))
    return set_nothing (error, _ ("A picture has one part only."));
  if (query->is_attachment)
    return query->kind == VTR_ATTACHMENT_COLOR0
             ? find_bound (self, &query->place, out, error)
             : set_nothing (error, _ ("Draws write one picture only: color0."));
  object = vtr_history_get_object (self->history, query->object);
  if (object->created > query->place.index || object->destroyed <= query->place.index)
    return set_nothing (error, _ ("The picture does not live at this command."));
  state = vtr_state_store_get (vtr_analysis_get_states (self->analysis), query->place.index,
                               VTR_NO_RUN, NULL, error);
  return state != NULL && fill_target (self, state, query->object, &query->place, out, error);
}

const VtrMemoryApi vtr_tiny_memory = {
  .create = create,
  .destroy = destroy,
  .follow = follow,
  .get_space_size = get_space_size,
  .fill = fill,
  .list = list_command,
  .buffer_kind = VTR_HANDLE_store,
  .locate = locate,
  .locate_name = locate_name,
  .list_targets = list_targets,
  .find_target = find_target,
};
