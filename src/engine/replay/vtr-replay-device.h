/* This machine's devices, as the replayer reports them: what can be said of one without naming its API. */
#pragma once

#include <gio/gio.h>

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_REPLAY_DEVICE_OTHER,
  VTR_REPLAY_DEVICE_DISCRETE,
  VTR_REPLAY_DEVICE_INTEGRATED,
  VTR_REPLAY_DEVICE_VIRTUAL,
  VTR_REPLAY_DEVICE_SOFTWARE,
} VtrReplayDeviceKind;

/**
 * VtrReplayDevice:
 *
 * A device of one API. The API allocates it with g_atomic_rc_box_new0 (), as the first member of a larger structure
 * with all else that it knows of the device. Threading: any (immutable); atomically reference-counted.
 */
typedef struct _VtrReplayDevice
{
  const VtrApi *api;
  guint32 index; /* among the API's devices, in the order in which its drivers report them */
  VtrReplayDeviceKind kind;
  const char *name; /* of the API's own structure, or static */
  char *driver;     /* name and version; "" unknown */
  char *version;    /* of the API, for people: "Vulkan 1.3.239" */
  /* (nullable): frees what the API has behind these fields. */
  void (*clear) (struct _VtrReplayDevice *self);
} VtrReplayDevice;

VtrReplayDevice *vtr_replay_device_ref (VtrReplayDevice *self);
void vtr_replay_device_unref (VtrReplayDevice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrReplayDevice, vtr_replay_device_unref)

/* "Discrete GPU", … (transfer none) */
const char *vtr_replay_device_get_kind_name (const VtrReplayDevice *self);

/* Those of @devices that are of @api, in their order. (transfer full) */
GPtrArray *vtr_replay_device_select (GPtrArray    *devices,
                                     const VtrApi *api);

/* The device of @devices, all of one API, that @wanted names: its place, from 0, its name, or part of the name that no
 * other has. Errors: VTR_REPLAY_ERROR_DRIVER, naming those that there are. */
VtrReplayDevice *vtr_replay_device_find (GPtrArray   *devices,
                                         const char  *wanted,
                                         GError     **error);

G_END_DECLS
