/* Writes the tiny API's objects, state and bindings as JSON. */
#include "vtr-tiny-records.h"
#include "vtr-tiny-text.h"

#include "engine/state/vtr-analysis.h"
#include "engine/state/vtr-json.h"
#include "engine/state/vtr-place.h"
#include "engine/state/vtr-resolve-error.h"
#include "engine/state/vtr-state-store.h"
#include "engine/state/vtr-state-view.h"

#include "api/vtr-api-ids.h"

static void
set_command (VtrStateView *view,
             JsonObject   *object,
             const char   *name,
             guint64       index)
{
  VtrTrace *trace = vtr_analysis_get_trace (vtr_state_view_get_analysis (view));

  json_object_set_member (object, name, vtr_json_command (trace, index));
}

/* 1 + a flat index, or 0 for none. */
static guint64
get_last (guint32 number)
{
  return number > 0 ? number - 1 : VTR_COMMAND_NO_INDEX;
}

static guint64
get_written (guint32 index)
{
  return index != G_MAXUINT32 ? index : VTR_COMMAND_NO_INDEX;
}

static void
add_context (VtrStateView               *view,
             const VtrTinyContextRecord *self,
             JsonObject                 *object)
{
  vtr_state_view_set_reference (view, object, "picture", self->picture);
  vtr_state_view_set_reference (view, object, "store", self->store);
  vtr_state_view_set_reference (view, object, "array", self->array);
  vtr_json_set_hex (object, "pen", self->pen);
  json_object_set_int_member (object, "error", self->error);
  json_object_set_int_member (object, "swaps", self->n_swaps);
}

void
vtr_tiny_object_json (VtrStateView         *view,
                      const VtrObject      *of,
                      const VtrStateRecord *record,
                      JsonObject           *object)
{
  gconstpointer self = record;
  const VtrTinyPictureRecord *picture = self;
  const VtrTinyStoreRecord *store = self;
  const VtrTinyArrayRecord *array = self;

  switch (of->type)
    {
    case VTR_HANDLE_TnContext:
      add_context (view, self, object);
      break;
    case VTR_HANDLE_picture:
      json_object_set_int_member (object, "width", picture->width);
      json_object_set_int_member (object, "height", picture->height);
      set_command (view, object, "writtenBy", get_written (picture->written_by));
      break;
    case VTR_HANDLE_store:
      json_object_set_int_member (object, "size", (gint64)store->size);
      set_command (view, object, "writtenBy", get_written (store->written_by));
      break;
    case VTR_HANDLE_array:
      vtr_state_view_set_reference (view, object, "store", array->store);
      json_object_set_int_member (object, "stride", array->stride);
      vtr_json_set_hex (object, "points", array->points);
      break;
    default:
      break;
    }
}

void
vtr_tiny_facts_json (VtrStateView *view,
                     JsonObject   *object)
{
  gconstpointer record =
    vtr_api_state_peek_own (vtr_state_view_get_state (view), VTR_TINY_FIRST_ID);
  const VtrTinyOwnRecord *own = record;
  JsonObject *last = json_object_new ();

  set_command (view, last, "drawCommand", get_last (own != NULL ? own->last_draw : 0));
  set_command (view, last, "swapCommand", get_last (own != NULL ? own->last_swap : 0));
  json_object_set_member (object, "lastTiny", vtr_json_take_object (last));
}

JsonNode *
vtr_tiny_bound_json (VtrAnalysis     *analysis,
                     const VtrPlace  *place,
                     GError         **error)
{
  const VtrTinyContext *context =
    vtr_tiny_find_context (vtr_analysis_get_history (analysis), place->index);
  g_autoptr (VtrApiState) state = NULL;
  g_autoptr (VtrStateView) view = NULL;
  JsonObject *object;
  JsonNode *node;

  if (context == NULL || context->context == 0)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("No context is current there, so nothing is bound."));
      return NULL;
    }
  state = vtr_state_store_get (vtr_analysis_get_states (analysis), place->index, place->run, NULL,
                               error);
  if (state == NULL)
    return NULL;
  view = vtr_state_view_new (analysis, state);
  object = json_object_new ();
  set_command (view, object, "command", place->index);
  node = vtr_state_view_summary (view, context->context);
  json_object_set_member (object, "context", vtr_state_view_reference (view, context->context));
  for (guint i = 0; i < 5; i++)
    {
      static const char *const names[] = { "picture", "store", "array", "pen", "error" };
      JsonNode *member = json_object_get_member (json_node_get_object (node), names[i]);

      if (member != NULL)
        json_object_set_member (object, names[i], json_node_ref (member));
    }
  json_node_unref (node);
  return vtr_json_take_object (object);
}
