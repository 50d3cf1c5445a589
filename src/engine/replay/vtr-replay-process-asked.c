/* Answers the replayer's requests while it runs: resources, fences, and room for posted bytes. */
#include "vtr-config.h"

#include "engine/replay/vtr-replay-process-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* What may be needed soon is not worth any amount of memory. */
#define MAX_AHEAD_BYTES (256u << 20)

static void
say_resource_error (VtrReplayProcess *self,
                    guint64           number,
                    const char       *text)
{
  Vtr__Replay__ResourceError body = VTR__REPLAY__RESOURCE_ERROR__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  body.request = self->request;
  body.number = number;
  body.text = valid;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCE_ERROR;
  message.resource_error = &body;
  vtr_replay_process_say (self, &message, -1);
}

/* Fetches the contents. Returns: (transfer full): GBytes in the order asked; fewer when one is
 * missing, with the reason in self->resource_error if it was the first. */
static GPtrArray *
collect_resources (VtrReplayProcess                   *self,
                   const Vtr__Replay__ResourceRequest *wanted)
{
  GPtrArray *contents = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  gsize total = 0;

  /* What may be needed soon is not worth any amount of memory. */
  for (gsize i = 0; i < wanted->n_numbers && total < MAX_AHEAD_BYTES; i++)
    {
      g_autoptr (GError) error = NULL;
      GBytes *bytes = NULL;

      if (self->events->get_resource != NULL)
        bytes = self->events->get_resource (wanted->numbers[i], self->data, &error);
      if (bytes == NULL)
        {
          /* A later one may never be needed. */
          if (i == 0 && self->resource_error == NULL)
            self->resource_error =
              error != NULL ? g_steal_pointer (&error)
                            : g_error_new (VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE,
                                           _ ("The trace lacks a resource that the replay needs."));
          break;
        }
      g_ptr_array_add (contents, bytes);
      total += g_bytes_get_size (bytes);
    }
  return contents;
}

static void
answer_resources (VtrReplayProcess                   *self,
                  const Vtr__Replay__ResourceRequest *wanted)
{
  g_autoptr (GPtrArray) contents = collect_resources (self, wanted);
  Vtr__Replay__Resources body = VTR__REPLAY__RESOURCES__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  g_autofree guint64 *sizes = g_new0 (guint64, contents->len + 1);
  VtrReplayBulk bulk = VTR_REPLAY_BULK_INIT;
  guint64 total = 0, offset = 0;
  gboolean fits = TRUE;

  for (guint i = 0; i < contents->len; i++)
    {
      sizes[i] = g_bytes_get_size (g_ptr_array_index (contents, i));
      fits = fits && vtr_replay_next_content (total, sizes[i], &total);
    }
  if (contents->len == 0)
    {
      say_resource_error (self, wanted->n_numbers > 0 ? wanted->numbers[0] : 0,
                          self->resource_error != NULL ? self->resource_error->message : "");
      return;
    }
  if (!fits || vtr_replay_bulk_create (&bulk, "vitrine-resources", MAX (total, 16)) != VTR_OK)
    {
      say_resource_error (self, wanted->numbers[0],
                          _ ("There is not enough memory for a resource."));
      return;
    }
  for (guint i = 0; i < contents->len; i++)
    {
      memcpy (bulk.bytes + offset, g_bytes_get_data (g_ptr_array_index (contents, i), NULL),
              sizes[i]);
      vtr_replay_next_content (offset, sizes[i], &offset);
    }
  body.request = self->request;
  body.n_numbers = contents->len;
  body.numbers = wanted->numbers;
  body.n_sizes = contents->len;
  body.sizes = sizes;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCES;
  message.resources = &body;
  if (vtr_replay_bulk_seal (&bulk) == VTR_OK)
    vtr_replay_process_say (self, &message, bulk.fd);
  else
    say_resource_error (self, wanted->numbers[0], _ ("A resource cannot be sealed."));
  vtr_replay_bulk_finish (&bulk);
}

static void
answer_fence (VtrReplayProcess *self,
              guint32           id)
{
  Vtr__Replay__FenceReady body = VTR__REPLAY__FENCE_READY__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;

  /* The builder of the payload has already done everything that the payload waits for. */
  body.request = self->request;
  body.id = id;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_FENCE_READY;
  message.fence_ready = &body;
  vtr_replay_process_say (self, &message, -1);
}

static void
take_posts (VtrReplayProcess          *self,
            const Vtr__Replay__Posted *posted,
            VtrReplayLetter           *letter)
{
  Vtr__Replay__PostsTaken body = VTR__REPLAY__POSTS_TAKEN__INIT;
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  VtrReplayBulk bulk;
  guint64 end = 0;
  VtrStatus status = vtr_replay_bulk_open (&bulk, letter->fd, posted->bytes);

  letter->fd = -1;
  if (status != VTR_OK)
    {
      vtr_replay_process_babbles (self);
      return;
    }
  for (gsize i = 0; i < posted->n_pieces; i++)
    {
      const Vtr__Replay__Posted__Piece *piece = posted->pieces[i];
      guint64 begin = end;

      /* One after the other, so that the replayer never takes more than was given. */
      if (piece->offset < begin || __builtin_add_overflow (piece->offset, piece->size, &end) ||
          end > bulk.size)
        {
          vtr_replay_bulk_finish (&bulk);
          vtr_replay_process_babbles (self);
          return;
        }
      if (self->events->posted != NULL)
        self->events->posted (piece->id, bulk.bytes + piece->offset, piece->size, self->data);
    }
  vtr_replay_bulk_finish (&bulk);
  body.request = self->request;
  body.bytes = posted->bytes;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_POSTS_TAKEN;
  message.posts_taken = &body;
  vtr_replay_process_say (self, &message, -1);
}

void
vtr_replay_process_answer (VtrReplayProcess *self,
                           VtrReplayLetter  *letter)
{
  const Vtr__Replay__ToEngine *message = letter->message;

  if (self->events == NULL)
    vtr_replay_process_babbles (self);
  else if (message->message_case == VTR__REPLAY__TO_ENGINE__MESSAGE_RESOURCE_REQUEST)
    answer_resources (self, message->resource_request);
  else if (message->message_case == VTR__REPLAY__TO_ENGINE__MESSAGE_POSTED)
    take_posts (self, message->posted, letter);
  else
    answer_fence (self, message->fence_request->id);
  /* It waited for us meanwhile. */
  vtr_replay_process_start_watching (self);
}
