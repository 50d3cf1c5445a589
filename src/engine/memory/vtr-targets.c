/* Asks the API of a command for the images that its work writes to. */
#include "engine/memory/vtr-targets.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/memory/vtr-memory-private.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-resolve-error.h"

static gboolean
set_nothing (GError **error)
{
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("This command has no framebuffer."));
  return FALSE;
}

static gboolean
check_place (VtrMemory       *self,
             const VtrPlace  *place,
             GError         **error)
{
  g_autofree char *number = NULL;

  if (place->index < vtr_trace_get_n_commands (self->trace))
    return TRUE;
  number = vtr_trace_format_number (self->trace, place->index);
  g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_RANGE, _ ("The trace has no command %s"),
               number);
  return FALSE;
}

static const VtrMemoryModel *
find_model (VtrMemory      *self,
            const VtrPlace *place)
{
  return vtr_memory_find_model (self, vtr_trace_get_command_id (self->trace, place->index));
}

GArray *
vtr_targets_list (VtrMemory       *memory,
                  const VtrPlace  *place,
                  gboolean         all,
                  GError         **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (VtrTarget));
  g_autoptr (GError) reason = NULL;
  const VtrMemoryModel *model;

  if (!check_place (memory, place, error))
    return NULL;
  model = find_model (memory, place);
  if (model == NULL || model->api->list_targets == NULL)
    set_nothing (&reason);
  else
    model->api->list_targets (model->self, place, all, list, &reason);
  if (reason != NULL && !g_error_matches (reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  if (list->len == 0 && reason == NULL)
    {
      g_autofree char *number = vtr_trace_format_number (memory->trace, place->index);

      g_set_error (&reason, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                   _ ("The pass at command %s has no attachments."), number);
    }
  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return g_steal_pointer (&list);
}

gboolean
vtr_target_find (VtrMemory             *memory,
                 const VtrTargetQuery  *query,
                 VtrTarget             *out,
                 GError               **error)
{
  const VtrObject *image = NULL;
  const VtrMemoryModel *model;

  *out = (VtrTarget){ .read_at = query->place };
  if (!check_place (memory, &query->place, error))
    return FALSE;
  if (!query->is_attachment)
    image = vtr_history_get_object (memory->history, query->object);
  model = image != NULL ? vtr_memory_find_model (memory, image->type)
                        : find_model (memory, &query->place);
  if (model == NULL || model->api->find_target == NULL)
    return set_nothing (error);
  return model->api->find_target (model->self, query, out, error);
}

guint64
vtr_target_find_last_readable (VtrMemory       *memory,
                               const VtrObject *object)
{
  const VtrMemoryModel *model = vtr_memory_find_model (memory, object->type);

  return model != NULL && model->api->find_last_readable != NULL
           ? model->api->find_last_readable (model->self, object->id)
           : MIN (object->destroyed, vtr_trace_get_n_commands (memory->trace));
}
