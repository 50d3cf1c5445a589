/* Packs and unpacks the protobuf messages of the replay protocol, on both ends. */
#include "vtr-replay-message.h"

#include <stdlib.h>
#include <unistd.h>

static VtrStatus
vtr_replay_send (int                     socket,
                 const ProtobufCMessage *message,
                 int                     fd,
                 bool                    wait)
{
  uint8_t small[1024];
  size_t size = protobuf_c_message_get_packed_size (message);
  uint8_t *bytes = small;
  VtrStatus status;

  if (size > VTR_REPLAY_PACKET_BYTES)
    return VTR_NO_SPACE;
  if (size > sizeof small)
    bytes = malloc (size);
  if (bytes == NULL)
    return VTR_NO_MEMORY;
  protobuf_c_message_pack (message, bytes);
  status = vtr_replay_channel_send (socket, bytes, size, fd, wait);
  if (bytes != small)
    free (bytes);
  return status;
}

VtrStatus
vtr_replay_send_to_engine (int                          socket,
                           const Vtr__Replay__ToEngine *message,
                           int                          fd,
                           bool                         wait)
{
  return vtr_replay_send (socket, &message->base, fd, wait);
}

VtrStatus
vtr_replay_send_to_replayer (int                            socket,
                             const Vtr__Replay__ToReplayer *message,
                             int                            fd,
                             bool                           wait)
{
  return vtr_replay_send (socket, &message->base, fd, wait);
}

Vtr__Replay__ToEngine *
vtr_replay_parse_at_engine (const uint8_t *bytes,
                            size_t         size)
{
  Vtr__Replay__ToEngine *message = vtr__replay__to_engine__unpack (NULL, size, bytes);

  if (message == NULL || message->message_case != VTR__REPLAY__TO_ENGINE__MESSAGE__NOT_SET)
    return message;
  vtr__replay__to_engine__free_unpacked (message, NULL);
  return NULL;
}

Vtr__Replay__ToReplayer *
vtr_replay_parse_at_replayer (const uint8_t *bytes,
                              size_t         size)
{
  Vtr__Replay__ToReplayer *message = vtr__replay__to_replayer__unpack (NULL, size, bytes);

  if (message == NULL || message->message_case != VTR__REPLAY__TO_REPLAYER__MESSAGE__NOT_SET)
    return message;
  vtr__replay__to_replayer__free_unpacked (message, NULL);
  return NULL;
}

VtrStatus
vtr_replay_receive_at_engine (int                     socket,
                              Vtr__Replay__ToEngine **message,
                              int                    *fd,
                              bool                    wait)
{
  uint8_t bytes[VTR_REPLAY_PACKET_BYTES];
  size_t size = sizeof bytes;
  VtrStatus status = vtr_replay_channel_receive (socket, bytes, &size, fd, wait);

  if (status != VTR_OK)
    return status;
  *message = vtr_replay_parse_at_engine (bytes, size);
  if (*message != NULL)
    return VTR_OK;
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
  return VTR_CORRUPT;
}

VtrStatus
vtr_replay_receive_at_replayer (int                       socket,
                                Vtr__Replay__ToReplayer **message,
                                int                      *fd,
                                bool                      wait)
{
  uint8_t bytes[VTR_REPLAY_PACKET_BYTES];
  size_t size = sizeof bytes;
  VtrStatus status = vtr_replay_channel_receive (socket, bytes, &size, fd, wait);

  if (status != VTR_OK)
    return status;
  *message = vtr_replay_parse_at_replayer (bytes, size);
  if (*message != NULL)
    return VTR_OK;
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
  return VTR_CORRUPT;
}

VtrStatus
vtr_replay_segment_layout (uint64_t                n_words,
                           uint64_t                n_resources,
                           uint64_t                constants_size,
                           VtrReplaySegmentLayout *out)
{
  VtrReplaySegmentLayout layout = { 0 };
  uint64_t list;

  if (__builtin_mul_overflow (n_words, (uint64_t)4, &layout.resources) ||
      layout.resources > VTR_REPLAY_MAX_BULK)
    return VTR_CORRUPT;
  layout.resources = (layout.resources + 7) & ~(uint64_t)7;
  if (__builtin_mul_overflow (n_resources, (uint64_t)VTR_REPLAY_RESOURCE_BYTES, &list) ||
      __builtin_add_overflow (layout.resources, list, &layout.constants) ||
      __builtin_add_overflow (layout.constants, constants_size, &layout.total) ||
      layout.total > VTR_REPLAY_MAX_BULK)
    return VTR_CORRUPT;
  *out = layout;
  return VTR_OK;
}
