/* Keeps the bound state of a command as rows, which the API has sorted by stage. */
#include "engine/model/vtr-bound-model-private.h"

#include "engine/api/vtr-show-api.h"
#include "engine/format/vtr-locale.h"
#include "engine/jobs/vtr-scheduler.h"
#include "engine/model/vtr-property-group-private.h"
#include "engine/model/vtr-property-private.h"
#include "engine/state/vtr-resolve-error.h"

#include <glib/gi18n.h>

typedef struct
{
  const char *label;
  GListStore *groups;
  char *unused; /* why */
  gboolean shown;
} Stage;

struct _VtrBoundModel
{
  GObject parent_instance;

  Stage *stages;
  guint n_stages;
  guint first;
};

G_DEFINE_FINAL_TYPE (VtrBoundModel, vtr_bound_model, G_TYPE_OBJECT)

static void
vtr_bound_model_finalize (GObject *object)
{
  VtrBoundModel *self = VTR_BOUND_MODEL (object);

  for (guint i = 0; i < self->n_stages; i++)
    {
      g_clear_object (&self->stages[i].groups);
      g_free (self->stages[i].unused);
    }
  g_free (self->stages);
  G_OBJECT_CLASS (vtr_bound_model_parent_class)->finalize (object);
}

static void
vtr_bound_model_class_init (VtrBoundModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_bound_model_finalize;
}

static void
vtr_bound_model_init (VtrBoundModel *self)
{
}

/* --- Building --- */

VtrBoundModel *
vtr_bound_model_new_empty (const char *const *labels, guint n)
{
  VtrBoundModel *self = g_object_new (VTR_TYPE_BOUND_MODEL, NULL);

  self->stages = g_new0 (Stage, n);
  self->n_stages = n;
  for (guint i = 0; i < n; i++)
    {
      self->stages[i].label = labels[i];
      self->stages[i].groups = g_list_store_new (VTR_TYPE_PROPERTY_GROUP);
    }
  return self;
}

void
vtr_bound_model_show_stage (VtrBoundModel *self, guint stage)
{
  self->stages[stage].shown = TRUE;
}

void
vtr_bound_model_set_unused (VtrBoundModel *self, guint stage, const char *reason)
{
  g_free (self->stages[stage].unused);
  self->stages[stage].unused = g_strdup (reason);
}

void
vtr_bound_model_set_default_stage (VtrBoundModel *self, guint stage)
{
  self->first = stage;
}

void
vtr_bound_model_add_group (
  VtrBoundModel *self, guint stage, const char *title, gboolean folded, GPtrArray *rows)
{
  g_autoptr (VtrPropertyGroup) group = NULL;

  if (rows->len == 0)
    {
      g_ptr_array_unref (rows);
      return;
    }
  group =
    vtr_property_group_new_take (title, folded, G_LIST_MODEL (vtr_property_list_new_take (rows)));
  g_list_store_append (self->stages[stage].groups, group);
}

/* --- Asking --- */

VtrBoundModel *
vtr_bound_model_new (VtrAnalysis   *analysis,
                     guint64        index,
                     GCancellable  *cancellable,
                     GError       **error)
{
  VtrTrace *trace = vtr_analysis_get_trace (analysis);
  const VtrShowApi *show = vtr_show_api_get (index < vtr_trace_get_n_commands (trace)
                                               ? (guint32)vtr_trace_get_command_id (trace, index)
                                               : G_MAXUINT32);

  if (show->list_bound != NULL)
    return show->list_bound (analysis, index, cancellable, error);
  g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                       _ ("Select a draw or dispatch to see the bound pipeline"));
  return NULL;
}

typedef struct
{
  VtrAnalysis *analysis;
  guint64 index;
} VtrBoundJob;

static void
vtr_bound_job_free (gpointer data)
{
  VtrBoundJob *job = data;

  vtr_analysis_unref (job->analysis);
  g_free (job);
}

static void
run_job (gpointer data, gpointer pool)
{
  GTask *task = data;
  VtrBoundJob *job = g_task_get_task_data (task);
  GError *error = NULL;
  VtrBoundModel *model =
    vtr_bound_model_new (job->analysis, job->index, g_task_get_cancellable (task), &error);

  if (model != NULL)
    g_task_return_pointer (task, model, g_object_unref);
  else
    g_task_return_error (task, error);
  vtr_scheduler_release_task (task);
}

void
vtr_bound_model_new_async (VtrAnalysis         *analysis,
                           guint64              index,
                           GCancellable        *cancellable,
                           GAsyncReadyCallback  callback,
                           gpointer             data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  VtrBoundJob *job = g_new0 (VtrBoundJob, 1);

  g_task_set_source_tag (task, vtr_bound_model_new_async);
  job->analysis = vtr_analysis_ref (analysis);
  job->index = index;
  g_task_set_task_data (task, job, vtr_bound_job_free);
  vtr_scheduler_push (vtr_scheduler_get_resolve (), VTR_PRIORITY_INTERACTIVE, run_job, task);
}

VtrBoundModel *
vtr_bound_model_new_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_async_result_is_tagged (result, vtr_bound_model_new_async), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

gboolean
vtr_bound_model_has_stage (VtrBoundModel *self, guint stage)
{
  g_return_val_if_fail (stage < self->n_stages, FALSE);

  return self->stages[stage].shown;
}

const char *
vtr_bound_model_get_unused_reason (VtrBoundModel *self, guint stage)
{
  g_return_val_if_fail (stage < self->n_stages, NULL);

  return self->stages[stage].unused;
}

GListModel *
vtr_bound_model_get_groups (VtrBoundModel *self, guint stage)
{
  g_return_val_if_fail (stage < self->n_stages, NULL);

  return G_LIST_MODEL (self->stages[stage].groups);
}

guint
vtr_bound_model_get_default_stage (VtrBoundModel *self)
{
  return self->first;
}

guint
vtr_bound_model_get_n_stages (VtrBoundModel *self)
{
  return self->n_stages;
}

const char *
vtr_bound_model_get_stage_label (VtrBoundModel *self, guint stage)
{
  g_return_val_if_fail (stage < self->n_stages, "");

  return vtr_locale_translate (self->stages[stage].label);
}
