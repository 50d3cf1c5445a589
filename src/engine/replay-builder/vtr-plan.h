/* How a trace captured on one machine replays on this one: what each API of the trace plans for its own commands. */
#pragma once

#include "engine/api/vtr-api.h"
#include "engine/format/vtr-trace.h"
#include "engine/replay-builder/vtr-replay-addresses.h"
#include "engine/replay/vtr-replay-backend.h"

G_BEGIN_DECLS

/**
 * VtrPlan:
 *
 * Threading: any (immutable); atomically reference-counted.
 */
typedef struct _VtrPlan VtrPlan;

/* Whether @trace has a command of @api; one without any command counts as the first API's. O(n) in the worst case. */
gboolean vtr_plan_concerns (VtrTrace     *trace,
                            const VtrApi *api);

/**
 * vtr_plan_new:
 * @backend: asked which devices there are, if an API of the trace needs to know
 * @wanted: (nullable): a device by name or place; NULL: for each captured device the best
 *
 * Blocks. Errors: those of the backend and of VtrBuildApi.plan_new.
 */
VtrPlan *vtr_plan_new (VtrTrace            *trace,
                       VtrReplayBackend    *backend,
                       const char          *wanted,
                       VtrReplayAddresses   addresses,
                       GCancellable        *cancellable,
                       GError             **error);
/* Of the one API whose own plan is @own (takes a reference). For tests, and for questions that no session asks. */
VtrPlan *vtr_plan_new_of (const VtrApi *api,
                          gpointer      own);
VtrPlan *vtr_plan_ref (VtrPlan *self);
void vtr_plan_unref (VtrPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrPlan, vtr_plan_unref)

/* The result of VtrBuildApi.plan_new of @api. (transfer none) (nullable): the trace has no command
 * of the API, or it plans nothing. */
gpointer vtr_plan_get (VtrPlan      *self,
                       const VtrApi *api);

/* Whether every device is the captured one, with the same driver. */
gboolean vtr_plan_is_same (VtrPlan *self);
/* Whether device addresses are guessed. */
gboolean vtr_plan_is_guessing (VtrPlan *self);
/* The name of the device that replaces the captured one, for the user; NULL: unknown. (transfer
 * none) */
const char *vtr_plan_get_device (VtrPlan  *self,
                                 VtrTrace *trace);
/* The device that commands replay on if nothing says otherwise. */
typedef struct _VtrPlanDevice
{
  const char *name, *driver; /* for people; NULL: not known */
  gboolean is_software;
} VtrPlanDevice;
void vtr_plan_describe (VtrPlan       *self,
                        VtrPlanDevice *out);
/* Appends all that a result depends on: devices, drivers, their versions. */
void vtr_plan_identify (VtrPlan  *self,
                        VtrTrace *trace,
                        GString  *text);

G_END_DECLS
