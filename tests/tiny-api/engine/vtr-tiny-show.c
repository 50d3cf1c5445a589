/* Implements VtrShowApi for the tiny API: names, pictures with their uses, what is bound. */
#include "vtr-tiny-show.h"

#include "vtr-tiny-records.h"
#include "vtr-tiny-text.h"

#include "engine/model/vtr-bound-model-private.h"
#include "engine/model/vtr-uses-private.h"
#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-image-facts.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/state/vtr-state-store.h"
#include "pixels/vtr-pixel-format.h"

#include "api/vtr-api-ids.h"
#include "api/vtr-tiny-args.h"

#include <string.h>

/* TnKind. */
#define TN_PICTURE 1u

/* "Draw" of tnDraw. */
static const char *
get_short_name (VtrCmdId id)
{
  return vtr_cmd_name (id) + strlen ("tn");
}

/* --- Which picture a command works on -------------------------------------------------------- */

/* The pictures that contexts have bound, on a way over the trace. */
typedef struct
{
  VtrHistory *history;
  VtrTrace *trace;
  VtrArena arena;
  GHashTable *bound; /* id of a context → id of a picture */
} Walk;

static void
walk_init (Walk       *self,
           VtrHistory *history)
{
  *self = (Walk){ .history = history,
                  .trace = vtr_history_get_trace (history),
                  .bound = g_hash_table_new (NULL, NULL) };
  vtr_arena_init (&self->arena);
}

static void
walk_finish (Walk *self)
{
  vtr_arena_finish (&self->arena);
  g_hash_table_unref (self->bound);
}

/* The picture that is bound when command @index is called; 0: no context is current. Follows
 * tnBind. */
static guint32
walk_step (Walk       *self,
           guint64     index,
           VtrCommand *command)
{
  const VtrTinyContext *context;
  const VtrArgs_tnBind *args;
  const VtrObject *picture;
  gpointer bound;

  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (self->trace, index, &self->arena, command, NULL))
    return 0;
  context = vtr_tiny_find_context (self->history, index);
  if (context == NULL || context->context == 0)
    return 0;
  if (command->id == VTR_CMD_tnBind && (args = command->args)->kind == TN_PICTURE)
    {
      picture = vtr_history_find_name (self->history, VTR_HANDLE_picture, args->name, index);
      g_hash_table_insert (self->bound, GUINT_TO_POINTER (context->context),
                           GUINT_TO_POINTER (picture != NULL ? picture->id : 0));
    }
  if (g_hash_table_lookup_extended (self->bound, GUINT_TO_POINTER (context->context), NULL,
                                    &bound))
    return GPOINTER_TO_UINT (bound);
  return context->window;
}

/* VtrUseFlags of what a command does to the picture that is bound; 0: nothing. */
static guint32
get_use (VtrCmdId id)
{
  switch (id)
    {
    case VTR_CMD_tnDraw:
      return VTR_USE_ATTACHMENT | VTR_USE_WRITE;
    case VTR_CMD_tnPictureData:
      return VTR_USE_TRANSFER | VTR_USE_WRITE;
    case VTR_CMD_tnRead:
      return VTR_USE_TRANSFER | VTR_USE_READ;
    default:
      return 0;
    }
}

static void
count (VtrUses  *uses,
       guint32   picture,
       VtrCmdId  id,
       guint64   index)
{
  VtrImageUses *image = vtr_uses_edit_image (uses, picture);

  if (id == VTR_CMD_tnDraw)
    image->draws_writing++;
  else if (id == VTR_CMD_tnPictureData)
    image->copies_writing++;
  else
    image->copies_reading++;
  if (id != VTR_CMD_tnRead)
    vtr_image_uses_note_write (image, index);
}

static gboolean
count_uses (VtrAnalysis   *analysis,
            VtrUses       *uses,
            GCancellable  *cancellable,
            GError       **error)
{
  gboolean done = TRUE;
  guint64 n;
  Walk walk;

  walk_init (&walk, vtr_analysis_get_history (analysis));
  n = vtr_trace_get_n_commands (walk.trace);
  for (guint64 i = 0; i < n && done; i++)
    {
      const VtrCmdId id = vtr_trace_get_command_id (walk.trace, i);
      VtrCommand command;
      guint32 picture;

      if (vtr_api_get (id) == NULL || vtr_api_get (id)->show != &vtr_tiny_show)
        continue;
      picture = walk_step (&walk, i, &command);
      if (picture != 0 && get_use (id) != 0)
        count (uses, picture, id, i);
      done = !g_cancellable_set_error_if_cancelled (cancellable, error);
    }
  walk_finish (&walk);
  return done;
}

/* What is bound after command @index. @out: zeros when no context is current. */
static gboolean
get_bound (VtrAnalysis           *analysis,
           guint64                index,
           guint32                run,
           VtrApiState          **state,
           VtrTinyContextRecord  *out,
           GError               **error)
{
  const VtrTinyContext *context =
    vtr_tiny_find_context (vtr_analysis_get_history (analysis), index);

  *out = (VtrTinyContextRecord){ 0 };
  *state = vtr_state_store_get (vtr_analysis_get_states (analysis), index, run, NULL, error);
  if (*state != NULL && context != NULL && context->context != 0)
    *out = vtr_tiny_get_bound (*state, context);
  return *state != NULL;
}

static GArray *
list_uses (VtrAnalysis  *analysis,
           guint64       index,
           guint32       run,
           GError      **error)
{
  const VtrCmdId id = vtr_trace_get_command_id (vtr_analysis_get_trace (analysis), index);
  g_autoptr (VtrApiState) state = NULL;
  VtrTinyContextRecord bound;
  GArray *list;

  if (!get_bound (analysis, index, run, &state, &bound, error))
    return NULL;
  list = g_array_new (FALSE, FALSE, sizeof (VtrUse));
  vtr_use_list_add (list, bound.picture, get_use (id));
  return list;
}

/* --- Pictures -------------------------------------------------------------------------------- */

/* The size that a picture had last. */
static void
find_size (VtrHistory      *history,
           const VtrObject *object,
           VtrImageFacts   *out)
{
  VtrTinyPictureRecord record = { 0 };
  guint64 n;
  Walk walk;

  vtr_tiny_record_fill (history, object, &record.record);
  out->width = record.width;
  out->height = record.height;
  walk_init (&walk, history);
  n = MIN (vtr_trace_get_n_commands (walk.trace), object->destroyed);
  for (guint64 i = 0; i < n; i++)
    {
      const VtrCmdId id = vtr_trace_get_command_id (walk.trace, i);
      VtrCommand command;

      if (vtr_api_get (id) == NULL || vtr_api_get (id)->show != &vtr_tiny_show ||
          walk_step (&walk, i, &command) != object->id || command.id != VTR_CMD_tnPictureData ||
          object->handle == 0)
        continue;
      out->width = ((const VtrArgs_tnPictureData *)command.args)->width;
      out->height = ((const VtrArgs_tnPictureData *)command.args)->height;
    }
  walk_finish (&walk);
}

static gboolean
get_image (VtrHistory       *history,
           const VtrObject  *object,
           VtrImageFacts    *out,
           GError          **error)
{
  if (object->type != VTR_HANDLE_picture)
    return FALSE;
  *out = (VtrImageFacts){
    .object = object,
    .dimensions = 2,
    .depth = 1,
    .mip_levels = 1,
    .array_layers = 1,
    .samples = 1,
    .aspects = 1u << VTR_PIXEL_COLOR,
    .format = vtr_pixel_rgba8_unorm.name,
    .format_text = vtr_pixel_rgba8_unorm.text,
    .presented = object->handle == 0,
  };
  find_size (history, object, out);
  return TRUE;
}

/* --- What is bound --------------------------------------------------------------------------- */

static void
add_object (VtrHistory *history,
            GPtrArray  *rows,
            const char *name,
            guint32     id)
{
  const VtrObject *object = vtr_history_get_object (history, id);
  g_autofree char *text = object != NULL ? vtr_history_describe (history, object) : NULL;
  g_autofree char *link = object != NULL ? g_strdup_printf ("objects/%u", id) : NULL;

  g_ptr_array_add (rows,
                   vtr_property_row_new (name, text != NULL ? text : _ ("not bound"), link, NULL));
}

static void
add_array (VtrHistory  *history,
           VtrApiState *state,
           guint32      id,
           GPtrArray   *rows)
{
  const VtrTinyArrayRecord *array = vtr_tiny_peek (state, id);
  g_autofree char *stride = array != NULL ? g_strdup_printf ("%u", array->stride) : NULL;

  add_object (history, rows, "array", id);
  if (array == NULL)
    return;
  add_object (history, rows, "store", array->store);
  g_ptr_array_add (rows, vtr_property_row_new ("stride", stride, NULL, NULL));
}

static VtrBoundModel *
list_bound (VtrAnalysis   *analysis,
            guint64        index,
            GCancellable  *cancellable,
            GError       **error)
{
  static const char *const stages[] = { N_ ("Drawing") };
  VtrHistory *history = vtr_analysis_get_history (analysis);
  GPtrArray *pen = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *array = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *target = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (VtrApiState) state = NULL;
  g_autofree char *color = NULL;
  VtrTinyContextRecord bound;
  VtrBoundModel *model;

  if (!get_bound (analysis, index, VTR_NO_RUN, &state, &bound, error))
    return NULL;
  if (bound.picture == 0)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("No context is current there, so nothing is bound."));
      return NULL;
    }
  color = g_strdup_printf ("#%08x", bound.pen);
  g_ptr_array_add (pen, vtr_property_row_new ("colour", color, NULL, NULL));
  add_array (history, state, bound.array, array);
  add_object (history, target, "picture", bound.picture);
  model = vtr_bound_model_new_empty (stages, G_N_ELEMENTS (stages));
  vtr_bound_model_show_stage (model, 0);
  vtr_bound_model_add_group (model, 0, _ ("Pen"), FALSE, pen);
  vtr_bound_model_add_group (model, 0, _ ("Array"), FALSE, array);
  vtr_bound_model_add_group (model, 0, _ ("Target"), FALSE, target);
  return model;
}

const VtrShowApi vtr_tiny_show = {
  .short_name = get_short_name,
  .count_uses = count_uses,
  .list_uses = list_uses,
  .list_bound = list_bound,
  .image_kind = VTR_HANDLE_picture,
  .presenter = N_ ("window"),
  .get_image = get_image,
};
