/* Asks the APIs of a trace for their plans, and keeps them together. */
#include "vtr-config.h"

#include "engine/replay-builder/vtr-plan.h"

#include <glib/gi18n-lib.h>

#include "engine/api/vtr-build-api.h"

struct _VtrPlan
{
  gpointer own[VTR_N_APIS]; /* in the order of vtr_apis; (nullable) */
  gint n_references;
};

gboolean
vtr_plan_concerns (VtrTrace     *trace,
                   const VtrApi *api)
{
  gboolean is_others = FALSE;

  for (guint i = 0; i < VTR_N_COMMANDS; i++)
    {
      const VtrCmdId id = vtr_cmd_at (i);
      const VtrApi *found = vtr_trace_has_command (trace, id) ? vtr_api_get (id) : NULL;

      if (found == api)
        return TRUE;
      is_others |= found != NULL;
    }
  return !is_others && api == vtr_apis[0];
}

static gboolean
plan_one (VtrPlan             *self,
          guint                nth,
          VtrTrace            *trace,
          VtrReplayBackend    *backend,
          const char          *wanted,
          VtrReplayAddresses   addresses,
          GCancellable        *cancellable,
          GError             **error)
{
  const VtrBuildApi *build = vtr_apis[nth]->build;
  g_autoptr (GPtrArray) all = NULL;
  g_autoptr (GPtrArray) devices = NULL;

  if (build == NULL || build->plan_new == NULL || !vtr_plan_concerns (trace, vtr_apis[nth]))
    return TRUE;
  all = vtr_replay_device_list (backend, cancellable, error);
  if (all == NULL)
    return FALSE;
  devices = vtr_replay_device_select (all, vtr_apis[nth]);
  if (devices->len == 0)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
                           _ ("No device of this computer can replay this trace."));
      return FALSE;
    }
  self->own[nth] = build->plan_new (trace, devices, wanted, addresses, cancellable, error);
  return self->own[nth] != NULL;
}

VtrPlan *
vtr_plan_new (VtrTrace            *trace,
              VtrReplayBackend    *backend,
              const char          *wanted,
              VtrReplayAddresses   addresses,
              GCancellable        *cancellable,
              GError             **error)
{
  VtrPlan *self = g_new0 (VtrPlan, 1);

  self->n_references = 1;
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (!plan_one (self, i, trace, backend, wanted, addresses, cancellable, error))
      {
        vtr_plan_unref (self);
        return NULL;
      }
  return self;
}

VtrPlan *
vtr_plan_new_of (const VtrApi *api,
                 gpointer      own)
{
  VtrPlan *self = g_new0 (VtrPlan, 1);

  self->n_references = 1;
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i] == api)
      self->own[i] = api->build->plan_ref (own);
  return self;
}

VtrPlan *
vtr_plan_ref (VtrPlan *self)
{
  g_atomic_int_inc (&self->n_references);
  return self;
}

void
vtr_plan_unref (VtrPlan *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_references))
    return;
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (self->own[i] != NULL)
      vtr_apis[i]->build->plan_unref (self->own[i]);
  g_free (self);
}

gpointer
vtr_plan_get (VtrPlan      *self,
              const VtrApi *api)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i] == api)
      return self->own[i];
  return NULL;
}

gboolean
vtr_plan_is_same (VtrPlan *self)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (self->own[i] != NULL && !vtr_apis[i]->build->plan_is_same (self->own[i]))
      return FALSE;
  return TRUE;
}

gboolean
vtr_plan_is_guessing (VtrPlan *self)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (self->own[i] != NULL && vtr_apis[i]->build->plan_is_guessing != NULL &&
        vtr_apis[i]->build->plan_is_guessing (self->own[i]))
      return TRUE;
  return FALSE;
}

const char *
vtr_plan_get_device (VtrPlan  *self,
                     VtrTrace *trace)
{
  const char *device = NULL;

  for (guint i = 0; device == NULL && vtr_apis[i] != NULL; i++)
    if (self->own[i] != NULL && vtr_apis[i]->build->plan_get_device != NULL)
      device = vtr_apis[i]->build->plan_get_device (self->own[i], trace);
  return device;
}

void
vtr_plan_describe (VtrPlan       *self,
                   VtrPlanDevice *out)
{
  *out = (VtrPlanDevice){ 0 };
  for (guint i = 0; out->name == NULL && vtr_apis[i] != NULL; i++)
    if (self->own[i] != NULL && vtr_apis[i]->build->plan_describe != NULL)
      vtr_apis[i]->build->plan_describe (self->own[i], out);
}

void
vtr_plan_identify (VtrPlan  *self,
                   VtrTrace *trace,
                   GString  *text)
{
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (self->own[i] != NULL && vtr_apis[i]->build->plan_identify != NULL)
      vtr_apis[i]->build->plan_identify (self->own[i], trace, text);
}
