/* Reads the segments of a request into the machine and runs them. The next one is read while the
 * machine waits for the GPU. */
#include "vtr-replay-service-private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- Reading --------------------------------------------------------------------------------- */

/* Reads @n bytes at @offset, the first ones to @first and the others to @rest. */
static VtrStatus
vtr_replay_service_read (int       fd,
                         uint64_t  offset,
                         void     *first,
                         size_t    n_first,
                         uint8_t  *rest,
                         size_t    n)
{
  struct iovec parts[2] = { { first, n_first }, { rest, n - n_first } };
  ssize_t got;

  if (n == 0)
    return VTR_OK;
  got = preadv (fd, parts, 2, (off_t)offset);
  if (got < (ssize_t)n_first)
    return VTR_CORRUPT;
  /* One call reads at most two gigabytes. */
  for (size_t done = (size_t)got; done < n; done += (size_t)got)
    {
      got = pread (fd, rest + (done - n_first), n - done, (off_t)(offset + done));
      if (got <= 0)
        return VTR_CORRUPT;
    }
  return VTR_OK;
}

static VtrStatus
vtr_replay_service_read_resources (VtrReplayService *self,
                                   int               fd,
                                   uint64_t          offset,
                                   uint64_t          n)
{
  VtrReplayServiceResource *resources;
  VtrStatus status;

  static_assert (sizeof *resources == VTR_REPLAY_RESOURCE_BYTES, "as sent");
  if (n > SIZE_MAX / sizeof *resources / 2 - self->n_resources)
    return VTR_NO_MEMORY;
  if (n > self->max_resources - self->n_resources)
    {
      size_t max = (self->n_resources + (size_t)n) * 2;

      resources = realloc (self->resources, max * sizeof *resources);
      if (resources == NULL)
        return VTR_NO_MEMORY;
      self->resources = resources;
      self->max_resources = max;
    }
  status = vtr_replay_service_read (fd, offset, NULL, 0,
                                    (uint8_t *)(self->resources + self->n_resources),
                                    (size_t)n * sizeof *resources);
  if (status == VTR_OK)
    self->n_resources += (size_t)n;
  return status;
}

/* Reads @segment to where it will run; @fd: (transfer none): its contents. */
static VtrStatus
vtr_replay_service_load (VtrReplayService           *self,
                         const Vtr__Replay__Segment *segment,
                         int                         fd,
                         VtrVmRoom                  *room)
{
  const size_t n_words = (size_t)segment->n_words;
  VtrReplaySegmentLayout layout;
  VtrStatus status = vtr_replay_segment_layout (segment->n_words, segment->n_resources,
                                                segment->constants_size, &layout);

  if (status == VTR_OK)
    status = vtr_vm_make_room (&self->vm, (size_t)segment->constants_size, n_words, true, room);
  if (status == VTR_OK)
    status =
      vtr_replay_service_read_resources (self, fd, layout.resources, segment->n_resources);
  if (status == VTR_OK)
    status = vtr_replay_service_read (fd, layout.constants, NULL, 0, room->constants,
                                      (size_t)segment->constants_size);
  if (status == VTR_OK && n_words > 0)
    status = vtr_replay_service_read (fd, layout.words, &room->first, sizeof room->first,
                                      (uint8_t *)(room->words + 1), n_words * sizeof room->first);
  return status;
}

void
vtr_replay_service_read_ahead (void *data)
{
  VtrReplayService *self = data;
  VtrServicePacket *packet = vtr_replay_service_peek (self);

  if (packet == NULL || packet == self->ahead.packet ||
      packet->message->message_case != VTR__REPLAY__TO_REPLAYER__MESSAGE_SEGMENT ||
      packet->message->segment->request != self->request)
    return;
  self->ahead.packet = packet;
  self->ahead.status =
    vtr_replay_service_load (self, packet->message->segment, packet->fd, &self->ahead.room);
}

/* --- Running --------------------------------------------------------------------------------- */

void
vtr_replay_service_say_done (VtrReplayService *self)
{
  Vtr__Replay__SegmentDone done = VTR__REPLAY__SEGMENT_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  done.request = self->request;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_SEGMENT_DONE;
  message.segment_done = &done;
  vtr_replay_service_send (self, &message);
}

void
vtr_replay_service_segment (VtrReplayService *self,
                            VtrServicePacket *packet)
{
  VtrVmRoom room = self->ahead.room;
  VtrStatus status = self->ahead.status;

  if (packet != self->ahead.packet)
    status = vtr_replay_service_load (self, packet->message->segment, packet->fd, &room);
  self->ahead.packet = NULL;
  self->started = vtr_replay_service_now ();
  if (status == VTR_OK)
    vtr_vm_add_segment (&self->vm, &room);
  else
    vtr_vm_fail (&self->vm, status == VTR_CORRUPT ? VTR_VM_ERROR_PAYLOAD : VTR_VM_ERROR_MEMORY,
                 "A segment could not be taken over: %s.", vtr_status_to_string (status));
  vtr_vm_run (&self->vm);
  self->ran += vtr_replay_service_now () - self->started;
  vtr_replay_service_flush (self);
  vtr_replay_service_say_done (self);
  if (self->vm.error.code != VTR_VM_FINE)
    vtr_replay_service_end (self);
}
