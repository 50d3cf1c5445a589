/* Numbers the contents that are sent as resources, and finds them in the trace again when the
 * replayer asks for them. */
#include "vtr-config.h"

#include "engine/replay-builder/vtr-replay-builder-private.h"

#include <glib/gi18n-lib.h>
#include <xxhash.h>

#include "base/vtr-number.h"

/* Where the content of a resource is found again. */
typedef struct
{
  guint64 hash[2];
  guint64 size;
  guint64 index;   /* flat index of the command; VTR_COMMAND_NO_INDEX: .bytes */
  guint32 nth;     /* mapped write, or large piece of the command's arguments */
  gboolean mapped; /* a mapped write before the command */
  GBytes *bytes;   /* (nullable) */
} VtrReplaySource;

static void
source_free (gpointer data)
{
  VtrReplaySource *source = data;

  g_clear_pointer (&source->bytes, g_bytes_unref);
  g_free (source);
}

static guint
source_hash (gconstpointer key)
{
  return (guint)((const VtrReplaySource *)key)->hash[0];
}

static gboolean
source_equal (gconstpointer a,
              gconstpointer b)
{
  const VtrReplaySource *x = a;
  const VtrReplaySource *y = b;

  return x->hash[0] == y->hash[0] && x->hash[1] == y->hash[1] && x->size == y->size;
}

guint32
vtr_replay_builder_add_resource (VtrReplayBuilder *self,
                                 const void       *data,
                                 gsize             size,
                                 guint64           index,
                                 guint32           nth,
                                 gboolean          mapped)
{
  XXH128_hash_t hash = XXH3_128bits (data, size);
  VtrReplaySource key = { .hash = { hash.low64, hash.high64 }, .size = size };
  gpointer known = g_hash_table_lookup (self->numbers, &key);
  const VtrReplayResource resource = { { hash.low64, hash.high64 }, size };
  VtrReplaySource *source;

  if (known != NULL)
    return GPOINTER_TO_UINT (known) - 1;
  source = g_memdup2 (&key, sizeof key);
  source->index = index;
  source->nth = nth;
  source->mapped = mapped;
  if (index == VTR_COMMAND_NO_INDEX || self->trace == NULL)
    source->bytes = g_bytes_new (data, size);
  g_ptr_array_add (self->sources, source);
  g_hash_table_insert (self->numbers, source, GUINT_TO_POINTER (self->sources->len));
  g_array_append_val (self->resources, resource);
  return self->sources->len - 1;
}

static GBytes *
read_mapped_source (VtrReplayBuilder       *self,
                    const VtrReplaySource  *source,
                    GError                **error)
{
  VtrContentRecord write;
  GBytes *bytes = NULL;
  VtrArena arena;

  vtr_arena_init (&arena);
  if (vtr_trace_find_content (self->trace, source->index, source->nth, &self->mapped, &arena,
                              &write, error))
    bytes = g_bytes_new (write.data, write.size);
  vtr_arena_finish (&arena);
  return bytes;
}

static GBytes *
read_source (VtrReplayBuilder       *self,
             const VtrReplaySource  *source,
             GError                **error)
{
  VtrArena arena;
  VtrCommand command;
  GBytes *bytes = NULL;

  if (source->mapped)
    return read_mapped_source (self, source, error);

  vtr_arena_init (&arena);
  if (vtr_trace_decode (self->trace, source->index, &arena, &command, error) &&
      vtr_replay_builder_flatten (self, command.id, command.args, error))
    bytes = vtr_replay_builder_find_piece (self, vtr_cmd_get (command.id), source->nth);
  vtr_arena_finish (&arena);
  return bytes;
}

GBytes *
vtr_replay_builder_get_resource (VtrReplayBuilder  *self,
                                 guint64            number,
                                 GError           **error)
{
  g_autoptr (GBytes) bytes = NULL;
  const VtrReplaySource *source;
  XXH128_hash_t hash;

  if (number >= self->sources->len)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD,
                   _ ("The replayer requested resource %s, but there are only %u"),
                   VTR_NUMBER (number), self->sources->len);
      return NULL;
    }
  source = g_ptr_array_index (self->sources, number);
  if (source->bytes != NULL)
    return g_bytes_ref (source->bytes);

  bytes = read_source (self, source, error);
  if (bytes == NULL && error != NULL && *error != NULL)
    return NULL;
  if (bytes != NULL)
    {
      hash = XXH3_128bits (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      if (hash.low64 == source->hash[0] && hash.high64 == source->hash[1])
        return g_steal_pointer (&bytes);
    }
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
               _ ("The contents recorded at command %s were not found in the trace"),
               VTR_NUMBER (source->index));
  return NULL;
}

void
vtr_replay_builder_init_resources (VtrReplayBuilder *self)
{
  self->resources = g_array_new (FALSE, FALSE, sizeof (VtrReplayResource));
  self->sources = g_ptr_array_new_with_free_func (source_free);
  self->numbers = g_hash_table_new (source_hash, source_equal);
}
