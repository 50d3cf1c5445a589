/* The devices of this machine, whatever their API: counts references, finds one by its name. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-device.h"
#include "base/vtr-number.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/replay/vtr-replay-backend.h"

VtrReplayDevice *
vtr_replay_device_ref (VtrReplayDevice *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
device_clear (gpointer data)
{
  VtrReplayDevice *self = data;

  if (self->clear != NULL)
    self->clear (self);
  g_free (self->driver);
  g_free (self->version);
}

void
vtr_replay_device_unref (VtrReplayDevice *self)
{
  g_atomic_rc_box_release_full (self, device_clear);
}

const char *
vtr_replay_device_get_kind_name (const VtrReplayDevice *self)
{
  switch (self->kind)
    {
    case VTR_REPLAY_DEVICE_DISCRETE:
      return _ ("Discrete GPU");
    case VTR_REPLAY_DEVICE_INTEGRATED:
      return _ ("Integrated GPU");
    case VTR_REPLAY_DEVICE_VIRTUAL:
      return _ ("Virtual GPU");
    case VTR_REPLAY_DEVICE_SOFTWARE:
      return _ ("Software");
    default:
      return _ ("Other");
    }
}

/* --- Choice ---------------------------------------------------------------------------------- */

GPtrArray *
vtr_replay_device_select (GPtrArray    *devices,
                          const VtrApi *api)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);

  for (guint i = 0; i < devices->len; i++)
    {
      VtrReplayDevice *device = g_ptr_array_index (devices, i);

      if (device->api == api)
        g_ptr_array_add (found, vtr_replay_device_ref (device));
    }
  return found;
}

static VtrReplayDevice *
find_by_name (GPtrArray  *devices,
              const char *wanted)
{
  VtrReplayDevice *found = NULL;
  g_autofree char *part = g_utf8_casefold (wanted, -1);

  for (guint i = 0; i < devices->len; i++)
    {
      VtrReplayDevice *device = g_ptr_array_index (devices, i);
      g_autofree char *name = g_utf8_casefold (device->name, -1);

      if (strcmp (device->name, wanted) == 0)
        return device;
      if (strstr (name, part) == NULL)
        continue;
      if (found != NULL)
        return NULL;
      found = device;
    }
  return found;
}

VtrReplayDevice *
vtr_replay_device_find (GPtrArray   *devices,
                        const char  *wanted,
                        GError     **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  VtrReplayDevice *found = NULL;
  guint64 place;

  if (vtr_parse_number (wanted, 10, 0, G_MAXUINT32, &place))
    found = place < devices->len ? g_ptr_array_index (devices, place) : NULL;
  else if (wanted[0] != '\0')
    found = find_by_name (devices, wanted);
  if (found != NULL)
    return found;
  for (guint i = 0; i < devices->len; i++)
    {
      const VtrReplayDevice *device = g_ptr_array_index (devices, i);

      g_string_append_printf (names, "%s%u %s", i > 0 ? ", " : "", i,
                              device->name);
    }
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER,
               _ ("There is no device “%s” here. Available devices: %s"), wanted, names->str);
  return NULL;
}

GPtrArray *
vtr_replay_device_list (VtrReplayBackend  *backend,
                        GCancellable      *cancellable,
                        GError           **error)
{
  static GMutex lock;
  static GPtrArray *known;
  GPtrArray *devices;

  g_mutex_lock (&lock);
  if (known == NULL)
    known = backend->klass->describe (backend, cancellable, error);
  devices = known != NULL ? g_ptr_array_ref (known) : NULL;
  g_mutex_unlock (&lock);
  return devices;
}
