#include "engine/resolve/vtr-replay-twins.h"

#include "vtr-config.h"

#include "api/vtr-api-types.h"
#include "engine/replay/vtr-replay-backend.h"

#include <glib/gi18n-lib.h>

static guint
hash_object (gconstpointer data)
{
  const VtrObject *self = data;
  guint64 mixed = self->handle ^ ((guint64)self->type << 56);

  return (guint)((mixed * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);
}

static gboolean
same_handle (gconstpointer a,
             gconstpointer b)
{
  const VtrObject *left = a, *right = b;

  return left->handle == right->handle && left->type == right->type;
}

/* Returns: the device that @self was made from; 0: none. Depth: that of the API's parents. */
static guint32
device_of (VtrHistory      *history,
           const VtrObject *self)
{
  while (self != NULL && self->type != VTR_HANDLE_VkDevice)
    self = self->parent != 0 ? vtr_history_get_object (history, self->parent) : NULL;
  return self != NULL ? self->id : 0;
}

static gboolean
are_twins (VtrHistory      *history,
           const VtrObject *older,
           const VtrObject *newer)
{
  guint32 device = device_of (history, newer);

  return older->destroyed > newer->created && device != 0 && device_of (history, older) != 0 &&
         device_of (history, older) != device;
}

gboolean
vtr_replay_check_twins (VtrHistory  *history,
                        GError     **error)
{
  g_autoptr (GArray) devices = vtr_history_list (history, VTR_HANDLE_VkDevice);
  g_autoptr (GHashTable) latest = NULL;
  guint32 n = devices->len > 1 ? vtr_history_get_n_objects (history) : 0;

  latest = g_hash_table_new (hash_object, same_handle);
  for (guint32 id = 1; id <= n; id++)
    {
      const VtrObject *object = vtr_history_get_object (history, id);
      const VtrObject *older = g_hash_table_lookup (latest, object);
      g_autofree char *words = NULL;

      if (older == NULL || !are_twins (history, older, object))
        {
          g_hash_table_replace (latest, (gpointer)object, (gpointer)object);
          continue;
        }
      words = vtr_history_describe_type (object->type);
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                   _ ("The driver gave two devices of the program the same handle for a different "
                      "%s at the same time, which a replay cannot tell apart."),
                   words);
      return FALSE;
    }
  return TRUE;
}
