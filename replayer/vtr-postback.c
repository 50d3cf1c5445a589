/* Gathers the results of a request in shared memory and sends them to the engine; waits if the
 * engine has not taken earlier ones. */
#include "vtr-postback.h"

#include <string.h>

void
vtr_postback_init (VtrPostback *self,
                   int          socket)
{
  memset (self, 0, sizeof *self);
  self->bulk = (VtrReplayBulk)VTR_REPLAY_BULK_INIT;
  self->socket = socket;
}

void
vtr_postback_finish (VtrPostback *self)
{
  vtr_replay_bulk_finish (&self->bulk);
}

void
vtr_postback_begin (VtrPostback *self,
                    uint64_t     request)
{
  vtr_replay_bulk_finish (&self->bulk);
  self->n_pieces = 0;
  self->used = 0;
  self->under_way = 0;
  self->request = request;
}

VtrStatus
vtr_postback_flush (VtrPostback *self)
{
  Vtr__Replay__Posted__Piece *pieces[VTR_REPLAY_MAX_BATCH];
  Vtr__Replay__Posted posted = VTR__REPLAY__POSTED__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  VtrStatus status;

  if (self->n_pieces == 0)
    return VTR_OK;
  for (size_t i = 0; i < self->n_pieces; i++)
    pieces[i] = &self->pieces[i];
  posted.request = self->request;
  posted.n_pieces = self->n_pieces;
  posted.pieces = pieces;
  posted.bytes = self->bulk.size;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_POSTED;
  message.posted = &posted;

  status = vtr_replay_bulk_seal (&self->bulk);
  if (status == VTR_OK)
    status = vtr_replay_send_to_engine (self->socket, &message, self->bulk.fd, true);
  if (status == VTR_OK)
    self->under_way += self->bulk.size;
  vtr_replay_bulk_finish (&self->bulk);
  self->n_pieces = 0;
  self->used = 0;
  return status;
}

uint8_t *
vtr_postback_reserve (VtrPostback *self,
                      uint64_t     id,
                      uint64_t     size,
                      VtrStatus   *status)
{
  uint64_t padded;
  uint8_t *at;

  *status = VTR_NO_SPACE;
  if (!vtr_replay_next_content (0, size, &padded))
    return NULL;
  if (self->n_pieces == VTR_REPLAY_MAX_BATCH || padded > self->bulk.size - self->used)
    {
      *status = vtr_postback_flush (self);
      if (*status != VTR_OK)
        return NULL;
    }
  if (self->bulk.bytes == NULL)
    {
      /* A large post fills its memory exactly, so the next one is sent apart. */
      *status = vtr_replay_bulk_create (&self->bulk, "vitrine-post",
                                        padded > VTR_POSTBACK_BUFFER / 2 ? padded
                                                                         : VTR_POSTBACK_BUFFER);
      if (*status != VTR_OK)
        return NULL;
    }
  *status = VTR_OK;
  at = self->bulk.bytes + self->used;
  vtr__replay__posted__piece__init (&self->pieces[self->n_pieces]);
  self->pieces[self->n_pieces].id = id;
  self->pieces[self->n_pieces].offset = self->used;
  self->pieces[self->n_pieces].size = size;
  self->n_pieces++;
  self->used += (size_t)padded;
  return at;
}
