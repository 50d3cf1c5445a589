/* Describes the one device of the tiny API, its library, by the name that the replayer gives. */
#include "vtr-tiny-build.h"

#include <json-glib/json-glib.h>

/* Longer names are no description. */
#define MAX_NAME 256

static void
clear_device (VtrReplayDevice *self)
{
  g_free ((char *)(gpointer)self->name);
}

VtrReplayDevice *
vtr_tiny_device_read (gconstpointer bytes, gsize size)
{
  VtrReplayDevice *self;

  if (size == 0 || size > MAX_NAME || !g_utf8_validate (bytes, (gssize)size, NULL))
    return NULL;
  self = g_atomic_rc_box_new0 (VtrReplayDevice);
  self->api = &vtr_api_tiny;
  self->kind = VTR_REPLAY_DEVICE_SOFTWARE;
  self->name = g_strndup (bytes, size);
  self->driver = g_strdup ("");
  self->version = g_strdup ("Tiny");
  self->clear = clear_device;
  return self;
}

void
vtr_tiny_device_describe (const VtrReplayDevice *device, JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "library");
  json_builder_add_boolean_value (builder, TRUE);
}
