/* Sends messages for the user to the engine, and validation messages with their objects. */
#include "vtr-replay-service-private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 2048
#define MAX_HANDLES 16

/* Cuts @text to @size bytes at a whole UTF-8 character; protobuf strings must be valid. */
static void
vtr_replay_service_copy_text (char       *to,
                              size_t      size,
                              const char *text)
{
  size_t length = strnlen (text, size - 1);

  while (length > 0 && text[length] != '\0' && ((unsigned char)text[length] & 0xc0) == 0x80)
    length--;
  memcpy (to, text, length);
  to[length] = '\0';
}

void
vtr_replay_service_message (void        *data,
                            VtrLogLevel  level,
                            const char  *text)
{
  VtrReplayService *self = data;
  char copy[MAX_TEXT];
  Vtr__Replay__Message body = VTR__REPLAY__MESSAGE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  vtr_replay_service_copy_text (copy, sizeof copy, text);
  body.request = self->request;
  body.level = level;
  body.label = self->vm.status->label;
  body.text = copy;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_WORDS;
  message.words = &body;
  if (vtr_replay_send_to_engine (self->socket, &message, -1, true) != VTR_OK)
    vtr_log (VTR_LOG_WARNING, "%s", copy);
}

/* Where the machine keeps a handle; 0: nowhere. Slots lie without gaps. */
static uint64_t
vtr_replay_service_find_slot (const VtrReplayService *self,
                              uint64_t                handle)
{
  const uint64_t last = VTR_REPLAY_FIRST_SLOT + (8u << 20);
  unsigned n_empty = 0;

  for (uint64_t at = VTR_REPLAY_FIRST_SLOT; at < last && n_empty < 1024; at += 8)
    {
      uint64_t value;

      memcpy (&value, self->vm.memory.values.base + at, sizeof value);
      if (value == handle)
        return at;
      n_empty = value == 0 ? n_empty + 1 : 0;
    }
  return 0;
}

/* The handles that stand in a text: "VkImage 0x70000000007[name]". Returns: how many @handles holds
 * then. */
static uint32_t
vtr_replay_service_read_handles (const char *text,
                                 uint64_t   *handles,
                                 uint32_t    n,
                                 uint32_t    most)
{
  for (const char *at = strstr (text, " 0x"); at != NULL && n < most; at = strstr (at, " 0x"))
    {
      char *end;
      uint64_t handle = strtoull (at + 1, &end, 16);
      bool known = *end != '[';

      for (uint32_t i = 0; i < n && !known; i++)
        known = handles[i] == handle;
      if (!known)
        handles[n++] = handle;
      at = end;
    }
  return n;
}

void
vtr_replay_service_complain (void           *data,
                             VtrLogLevel     level,
                             const char     *id,
                             const char     *text,
                             const uint64_t *handles,
                             uint32_t        n_handles)
{
  VtrReplayService *self = data;
  char copy[MAX_TEXT], name[256];
  uint64_t slots[MAX_HANDLES], values[MAX_HANDLES], all[MAX_HANDLES];
  uint32_t n_all = n_handles < MAX_HANDLES ? n_handles : MAX_HANDLES;
  Vtr__Replay__Message body = VTR__REPLAY__MESSAGE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  /* Messages about our own clean-up do not concern the trace. */
  if (self->vm.status->phase != VTR_REPLAY_RUNNING)
    return;
  vtr_replay_service_copy_text (copy, sizeof copy, text);
  vtr_replay_service_copy_text (name, sizeof name, id);
  if (n_all > 0)
    memcpy (all, handles, n_all * sizeof *all);
  n_all = vtr_replay_service_read_handles (text, all, n_all, MAX_HANDLES);
  for (uint32_t i = 0; i < n_all; i++)
    {
      uint64_t slot = all[i] != 0 ? vtr_replay_service_find_slot (self, all[i]) : 0;

      if (slot == 0)
        continue;
      values[body.n_handles++] = all[i];
      slots[body.n_slots++] = slot;
    }
  body.handles = values;
  body.request = self->request;
  body.level = level;
  body.label = self->vm.status->label;
  body.text = copy;
  body.id = name;
  body.slots = slots;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_WORDS;
  message.words = &body;
  if (vtr_replay_send_to_engine (self->socket, &message, -1, true) != VTR_OK)
    vtr_log (VTR_LOG_WARNING, "%s", copy);
}
