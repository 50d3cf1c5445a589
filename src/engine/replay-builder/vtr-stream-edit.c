/* Keeps the edits of a stream of commands, and leaves out commands that are disabled. */
#include "engine/replay-builder/vtr-stream-edit.h"

#include "engine/api/vtr-build-api.h"
#include "engine/replay-builder/vtr-transform.h"

static void
replacement_clear (gpointer data)
{
  VtrShaderReplacement *self = data;

  g_clear_pointer (&self->code, g_bytes_unref);
}

VtrStreamEdit *
vtr_stream_edit_new (void)
{
  VtrStreamEdit *self = g_new0 (VtrStreamEdit, 1);

  self->n_references = 1;
  self->disabled = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->shaders = g_array_new (FALSE, TRUE, sizeof (VtrShaderReplacement));
  g_array_set_clear_func (self->shaders, replacement_clear);
  return self;
}

VtrStreamEdit *
vtr_stream_edit_ref (VtrStreamEdit *self)
{
  g_atomic_int_inc (&self->n_references);
  return self;
}

void
vtr_stream_edit_unref (VtrStreamEdit *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_references))
    return;
  g_array_unref (self->disabled);
  g_array_unref (self->shaders);
  g_free (self);
}

/* The first that is not less than @index. */
static guint
find_disabled (const VtrStreamEdit *self,
               guint64              index)
{
  guint low = 0, high = self->disabled->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->disabled, guint64, middle) < index)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gboolean
vtr_stream_edit_is_disabled (const VtrStreamEdit *self,
                             guint64              index)
{
  guint at = find_disabled (self, index);

  return at < self->disabled->len && g_array_index (self->disabled, guint64, at) == index;
}

void
vtr_stream_edit_disable (VtrStreamEdit *self,
                         guint64        index)
{
  guint at = find_disabled (self, index);

  if (!vtr_stream_edit_is_disabled (self, index))
    g_array_insert_val (self->disabled, at, index);
}

gboolean
vtr_stream_edit_can_disable (VtrCmdId id)
{
  const VtrApi *api = vtr_api_get (id);

  return api != NULL && api->build != NULL && api->build->can_disable != NULL &&
         api->build->can_disable (id);
}
