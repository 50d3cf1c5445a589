#include "vtr-replay-service.h"

#include "vtr-describe.h"

#include "api/vtr-api-ids.h"
#include "wire/vtr-replay-version.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* With one resource the next ones of the list are asked for, up to so many bytes or numbers. */
#define PREFETCH_BYTES (8u << 20)
#define PREFETCH_NUMBERS 256
#define MAX_TEXT 2048
#define MAX_HANDLES 16

struct VtrReplayLetter
{
  Vtr__Replay__ToReplayer *message;
  int fd;
  VtrReplayLetter *next;
};

static uint64_t
vtr_replay_service_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- Receiving ------------------------------------------------------------------------------- */

static void
vtr_replay_letter_free (VtrReplayLetter *self)
{
  if (self == NULL)
    return;
  if (self->message != NULL)
    vtr__replay__to_replayer__free_unpacked (self->message, NULL);
  if (self->fd >= 0)
    close (self->fd);
  free (self);
}

/* Returns: the next packet, or NULL once the engine is gone. */
static VtrReplayLetter *
vtr_replay_service_receive (VtrReplayService *self)
{
  VtrReplayLetter *letter = calloc (1, sizeof *letter);
  VtrStatus status = VTR_NO_MEMORY;

  if (letter != NULL)
    status = vtr_replay_receive_at_replayer (self->socket, &letter->message, &letter->fd, true);
  if (status == VTR_OK)
    return letter;
  if (status != VTR_CLOSED)
    vtr_log (VTR_LOG_ERROR, "receiving: %s", vtr_status_to_string (status));
  free (letter);
  self->closed = true;
  return NULL;
}

static VtrReplayLetter *
vtr_replay_service_next (VtrReplayService *self)
{
  VtrReplayLetter *letter = self->first;

  if (letter == NULL)
    return self->closed ? NULL : vtr_replay_service_receive (self);
  self->first = letter->next;
  if (self->first == NULL)
    self->last = NULL;
  letter->next = NULL;
  return letter;
}

static void
vtr_replay_service_defer (VtrReplayService *self,
                          VtrReplayLetter  *letter)
{
  if (self->last != NULL)
    self->last->next = letter;
  else
    self->first = letter;
  self->last = letter;
}

/* --- Answers to what the machine asked ------------------------------------------------------- */

static void
vtr_replay_service_take_resources (VtrReplayService             *self,
                                   const Vtr__Replay__Resources *answer,
                                   VtrReplayLetter              *letter)
{
  VtrResourcePiece *pieces = calloc (answer->n_numbers + 1, sizeof *pieces);
  VtrReplayBulk bulk = VTR_REPLAY_BULK_INIT;
  VtrStatus status = VTR_CORRUPT;
  uint64_t offset = 0;

  if (pieces == NULL || answer->n_sizes != answer->n_numbers)
    goto out;
  for (size_t i = 0; i < answer->n_numbers; i++)
    {
      uint64_t number = answer->numbers[i];

      if (number >= self->n_resources || self->resources[number].size != answer->sizes[i])
        goto out;
      memcpy (pieces[i].hash, self->resources[number].hash, sizeof pieces[i].hash);
      pieces[i].size = answer->sizes[i];
      pieces[i].offset = offset;
      if (!vtr_replay_next_content (offset, answer->sizes[i], &offset))
        goto out;
    }
  status = vtr_replay_bulk_open (&bulk, letter->fd, offset);
  letter->fd = -1;
  if (status == VTR_OK)
    status = vtr_resource_cache_add (&self->cache, &bulk, pieces, answer->n_numbers);

out:
  free (pieces);
  if (status != VTR_OK)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "A resource could not be taken over: %s.",
                 vtr_status_to_string (status));
  self->arrived = true;
}

/* Returns: whether @letter was an answer (freed), and not the next thing to do. */
static bool
vtr_replay_service_take_answer (VtrReplayService *self,
                                VtrReplayLetter  *letter)
{
  const Vtr__Replay__ToReplayer *message = letter->message;

  switch (message->message_case)
    {
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCES:
      if (message->resources->request == self->request)
        vtr_replay_service_take_resources (self, message->resources, letter);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCE_ERROR:
      if (message->resource_error->request == self->request)
        {
          vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "%s", message->resource_error->text);
          self->arrived = true;
        }
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_FENCE_READY:
      if (message->fence_ready->request == self->request)
        self->arrived = true;
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_POSTS_TAKEN:
      if (message->posts_taken->request == self->request)
        self->postback.under_way -= message->posts_taken->bytes < self->postback.under_way
                                      ? message->posts_taken->bytes
                                      : self->postback.under_way;
      break;
    default:
      return false;
    }
  vtr_replay_letter_free (letter);
  return true;
}

/* Handles one packet while the machine waits. Returns: false (and fails the machine) once the
 * engine is gone. */
static bool
vtr_replay_service_wait (VtrReplayService *self)
{
  VtrReplayLetter *letter = vtr_replay_service_receive (self);

  if (letter == NULL)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_CLOSED, "The engine closed the connection.");
      return false;
    }
  if (!vtr_replay_service_take_answer (self, letter))
    vtr_replay_service_defer (self, letter);
  if (self->vm.status->cancel != 0)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_CANCELLED, "The request was cancelled.");
  return self->vm.error.code == VTR_VM_FINE;
}

static bool
vtr_replay_service_wait_arrival (VtrReplayService *self)
{
  bool fine = true;
  const uint64_t start = vtr_replay_service_now ();

  self->arrived = false;
  self->vm.status->waiting = 1;
  while (fine && !self->arrived)
    fine = vtr_replay_service_wait (self);
  self->vm.status->waiting = 0;
  self->waited += vtr_replay_service_now () - start;
  return fine && self->vm.error.code == VTR_VM_FINE;
}

static bool
vtr_replay_service_send (VtrReplayService            *self,
                         const Vtr__Replay__ToEngine *message)
{
  VtrStatus status = vtr_replay_send_to_engine (self->socket, message, -1, true);

  if (status == VTR_OK)
    return true;
  vtr_vm_fail (&self->vm, VTR_VM_ERROR_CLOSED, "The engine does not listen: %s.",
               vtr_status_to_string (status));
  return false;
}

/* --- What the machine asks ------------------------------------------------------------------- */

static bool
vtr_replay_service_fetch (VtrReplayService *self,
                          uint64_t          number)
{
  uint64_t numbers[PREFETCH_NUMBERS];
  uint64_t bytes = 0;
  Vtr__Replay__ResourceRequest request = VTR__REPLAY__RESOURCE_REQUEST__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  request.request = self->request;
  request.numbers = numbers;
  for (uint64_t i = number; i < self->n_resources && request.n_numbers < PREFETCH_NUMBERS; i++)
    {
      const VtrReplayServiceResource *resource = &self->resources[i];

      if (resource->size == 0 ||
          (i > number && vtr_resource_cache_has (&self->cache, resource->hash, resource->size)))
        continue;
      if (i > number &&
          (resource->size > PREFETCH_BYTES || bytes + resource->size > PREFETCH_BYTES))
        break;
      numbers[request.n_numbers++] = i;
      bytes += resource->size;
    }
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_RESOURCE_REQUEST;
  message.resource_request = &request;
  return vtr_replay_service_send (self, &message) && vtr_replay_service_wait_arrival (self);
}

static bool
vtr_replay_service_resource (void           *data,
                             uint64_t        number,
                             const uint8_t **bytes,
                             size_t         *size)
{
  VtrReplayService *self = data;
  const VtrReplayServiceResource *resource;

  if (number >= self->n_resources)
    {
      vtr_vm_fail (&self->vm, VTR_VM_ERROR_PAYLOAD, "There is no resource %llu.",
                   (unsigned long long)number);
      return false;
    }
  resource = &self->resources[number];
  *size = (size_t)resource->size;
  *bytes = NULL;
  if (resource->size == 0)
    return true;
  *bytes = vtr_resource_cache_get (&self->cache, resource->hash, resource->size);
  if (*bytes != NULL)
    return true;
  if (!vtr_replay_service_fetch (self, number))
    return false;
  /* The list may have moved while waiting, not its content. */
  resource = &self->resources[number];
  *bytes = vtr_resource_cache_get (&self->cache, resource->hash, resource->size);
  if (*bytes == NULL)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_TRACE, "Resource %llu did not arrive.",
                 (unsigned long long)number);
  return *bytes != NULL;
}

static bool
vtr_replay_service_room (VtrReplayService *self)
{
  bool fine = true;

  self->vm.status->waiting = 1;
  while (fine && self->postback.under_way > VTR_POSTBACK_LIMIT)
    fine = vtr_replay_service_wait (self);
  self->vm.status->waiting = 0;
  return fine;
}

static uint8_t *
vtr_replay_service_reserve_post (void     *data,
                                 uint64_t  id,
                                 uint64_t  size)
{
  VtrReplayService *self = data;
  VtrStatus status;
  uint8_t *at;

  if (!vtr_replay_service_room (self))
    return NULL;
  at = vtr_postback_reserve (&self->postback, id, size, &status);
  if (at == NULL)
    vtr_vm_fail (&self->vm, status == VTR_CLOSED ? VTR_VM_ERROR_CLOSED : VTR_VM_ERROR_MEMORY,
                 "%llu bytes cannot be sent: %s.", (unsigned long long)size,
                 vtr_status_to_string (status));
  return at;
}

static bool
vtr_replay_service_post (void          *data,
                         uint64_t       id,
                         const uint8_t *bytes,
                         size_t         size)
{
  uint8_t *at;

  if (size == 0)
    return true;
  at = vtr_replay_service_reserve_post (data, id, size);
  if (at == NULL)
    return false;
  memcpy (at, bytes, size);
  return true;
}

static bool
vtr_replay_service_flush (VtrReplayService *self)
{
  VtrStatus status = vtr_postback_flush (&self->postback);

  if (status != VTR_OK)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_CLOSED, "The engine does not listen: %s.",
                 vtr_status_to_string (status));
  return status == VTR_OK;
}

static bool
vtr_replay_service_fence (void     *data,
                          uint32_t  id)
{
  VtrReplayService *self = data;
  Vtr__Replay__FenceRequest request = VTR__REPLAY__FENCE_REQUEST__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  request.request = self->request;
  request.id = id;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_FENCE_REQUEST;
  message.fence_request = &request;
  return vtr_replay_service_flush (self) && vtr_replay_service_send (self, &message) &&
         vtr_replay_service_wait_arrival (self);
}

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

static void
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

static void
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

  /* What is said of our own clearing up is not the trace's. */
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

/* --- Requests -------------------------------------------------------------------------------- */

static void
vtr_replay_service_say_done (VtrReplayService *self)
{
  Vtr__Replay__SegmentDone done = VTR__REPLAY__SEGMENT_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  done.request = self->request;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_SEGMENT_DONE;
  message.segment_done = &done;
  vtr_replay_service_send (self, &message);
}

static void
vtr_replay_service_begin (VtrReplayService         *self,
                          const Vtr__Replay__Begin *begin)
{
  bool resumed = true;

  self->request = begin->request;
  self->n_resources = 0;
  self->ran = 0;
  self->waited = 0;
  if ((begin->flags & VTR_REPLAY_RESUME) != 0)
    {
      vtr_vm_resume (&self->vm);
      resumed = vtr_replay_vk_resume (self->vk, begin->flags);
    }
  else
    {
      if (vtr_replay_vk_is_kept (self->vk))
        vtr_replay_vk_end (self->vk);
      vtr_vm_reset (&self->vm);
    }
  vtr_postback_begin (&self->postback, begin->request);
  self->vm.status->request = begin->request;
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_RUNNING, __ATOMIC_RELEASE);
  vtr_replay_vk_begin (self->vk, begin->flags, begin->driver);
  if (!resumed)
    vtr_vm_fail (&self->vm, VTR_VM_ERROR_PAYLOAD, "There is no state to resume.");
  vtr_replay_service_say_done (self);
}

/* Destroys what the request made and says how it went. */
static void
vtr_replay_service_end (VtrReplayService *self)
{
  const VtrVmError *error = &self->vm.error;
  Vtr__Replay__Outcome outcome = VTR__REPLAY__OUTCOME__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  bool cancelled = error->code == VTR_VM_ERROR_CANCELLED;
  bool kept = false;

  vtr_replay_service_flush (self);
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_TEARDOWN, __ATOMIC_RELEASE);
  if (error->code == VTR_VM_FINE || error->code == VTR_VM_ERROR_UNSUPPORTED || cancelled)
    kept = vtr_replay_vk_rewind (self->vk);
  if (!kept)
    {
      vtr_replay_vk_end (self->vk);
      vtr_vm_memory_reset (&self->vm.memory);
    }

  outcome.request = self->request;
  outcome.code = (Vtr__Replay__Outcome__Code)error->code;
  outcome.text = (char *)error->text;
  outcome.label = error->code == VTR_VM_FINE ? self->vm.status->label : error->label;
  outcome.vk_result = error->vk_result;
  outcome.function = error->function;
  outcome.instruction = error->instruction;
  outcome.word = error->word;
  outcome.n_calls = self->vm.status->n_calls;
  outcome.microseconds = self->ran / 1000;
  outcome.kept = kept;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_OUTCOME;
  message.outcome = &outcome;
  self->request = 0;
  __atomic_store_n (&self->vm.status->phase, VTR_REPLAY_IDLE, __ATOMIC_RELEASE);
  if (vtr_replay_send_to_engine (self->socket, &message, -1, true) != VTR_OK)
    self->closed = true;
}

static VtrStatus
vtr_replay_service_append_resources (VtrReplayService *self,
                                     const uint8_t    *list,
                                     uint64_t          n)
{
  VtrReplayServiceResource *resources;

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
  if (n > 0)
    memcpy (&self->resources[self->n_resources], list, (size_t)n * sizeof *resources);
  self->n_resources += (size_t)n;
  return VTR_OK;
}

static VtrStatus
vtr_replay_service_load (VtrReplayService           *self,
                         const Vtr__Replay__Segment *segment,
                         int                         fd)
{
  VtrReplaySegmentLayout layout;
  VtrReplayBulk bulk = VTR_REPLAY_BULK_INIT;
  VtrStatus status;

  static_assert (sizeof (VtrReplayServiceResource) == VTR_REPLAY_RESOURCE_BYTES, "as sent");
  status = vtr_replay_segment_layout (segment->n_words, segment->n_resources,
                                      segment->constants_size, &layout);
  if (status == VTR_OK && layout.total == 0)
    return VTR_OK;
  if (status == VTR_OK)
    {
      fd = dup (fd); /* the letter keeps its own */
      status = vtr_replay_bulk_open (&bulk, fd, layout.total);
    }
  if (status == VTR_OK)
    status = vtr_replay_service_append_resources (self, bulk.bytes + layout.resources,
                                                  segment->n_resources);
  if (status == VTR_OK)
    status = vtr_vm_append (&self->vm, bulk.bytes + layout.constants,
                            (size_t)segment->constants_size,
                            (const uint32_t *)(const void *)(bulk.bytes + layout.words),
                            (size_t)segment->n_words);
  vtr_replay_bulk_finish (&bulk);
  return status;
}

static void
vtr_replay_service_segment (VtrReplayService           *self,
                            const Vtr__Replay__Segment *segment,
                            int                         fd)
{
  VtrStatus status = vtr_replay_service_load (self, segment, fd);

  self->started = vtr_replay_service_now ();
  if (status != VTR_OK)
    vtr_vm_fail (&self->vm, status == VTR_CORRUPT ? VTR_VM_ERROR_PAYLOAD : VTR_VM_ERROR_MEMORY,
                 "A segment could not be taken over: %s.", vtr_status_to_string (status));
  vtr_vm_run (&self->vm);
  self->ran += vtr_replay_service_now () - self->started;
  vtr_replay_service_flush (self);
  vtr_replay_service_say_done (self);
  if (self->vm.error.code != VTR_VM_FINE)
    vtr_replay_service_end (self);
}

/* While a segment runs. */
static uint64_t
vtr_replay_service_clock (void *data)
{
  const VtrReplayService *self = data;

  return self->ran + (vtr_replay_service_now () - self->started) - self->waited;
}

/* --- Devices --------------------------------------------------------------------------------- */

typedef struct
{
  VtrReplayService *service;
  uint64_t request;
} VtrReplayDescription;

static void
vtr_replay_service_describe (void                *data,
                             Vtr__Replay__Device *device)
{
  const VtrReplayDescription *description = data;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  device->request = description->request;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICE;
  message.device = device;
  vtr_replay_service_send (description->service, &message);
}

static void
vtr_replay_service_devices (VtrReplayService *self,
                            uint64_t          request)
{
  VtrReplayDescription description = { self, request };
  Vtr__Replay__DevicesDone done = VTR__REPLAY__DEVICES_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  const char *why = vtr_describe_devices (self->vk, vtr_replay_service_describe, &description);

  done.request = request;
  done.text = why != NULL ? (char *)(uintptr_t)why : (char *)"";
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICES_DONE;
  message.devices_done = &done;
  vtr_replay_service_send (self, &message);
}

static void
vtr_replay_service_image_formats (VtrReplayService                       *self,
                                  const Vtr__Replay__ImageFormatsRequest *request)
{
  Vtr__Replay__ImageFormats answer = VTR__REPLAY__IMAGE_FORMATS__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  if (!vtr_describe_images (self->vk, request->device, &request->images, &answer.answers))
    answer.answers = (ProtobufCBinaryData){ 0 };
  answer.request = request->request;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_IMAGE_FORMATS;
  message.image_formats = &answer;
  vtr_replay_service_send (self, &message);
  free (answer.answers.data);
}

static void
vtr_replay_service_handle (VtrReplayService *self,
                           VtrReplayLetter  *letter)
{
  const Vtr__Replay__ToReplayer *message = letter->message;

  switch (message->message_case)
    {
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_BEGIN:
      if (self->request == 0 && message->begin->request != 0)
        vtr_replay_service_begin (self, message->begin);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_SEGMENT:
      if (self->request != 0 && message->segment->request == self->request)
        vtr_replay_service_segment (self, message->segment, letter->fd);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_FINISH:
      if (self->request != 0 && message->finish->request == self->request)
        vtr_replay_service_end (self);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_DEVICES_REQUEST:
      if (self->request == 0)
        vtr_replay_service_devices (self, message->devices_request->request);
      break;
    case VTR__REPLAY__TO_REPLAYER__MESSAGE_IMAGE_FORMATS_REQUEST:
      if (self->request == 0)
        vtr_replay_service_image_formats (self, message->image_formats_request);
      break;
    default:
      break; /* an answer that nobody waits for any more */
    }
}

/* --- Life ------------------------------------------------------------------------------------ */

static const char *
vtr_replay_service_function_name (void     *data,
                                  uint32_t  api,
                                  uint32_t  function)
{
  (void)data;
  return api == VTR_VM_API_VULKAN ? vtr_replay_vk_function_name (function) : NULL;
}

VtrStatus
vtr_replay_service_init (VtrReplayService *self,
                         int               socket,
                         VtrReplayStatus  *status)
{
  const VtrReplayVkHost vk_host = {
    .message = vtr_replay_service_message,
    .complain = vtr_replay_service_complain,
    .post = vtr_replay_service_reserve_post,
    .clock = vtr_replay_service_clock,
    .data = self,
  };
  VtrStatus result;

  memset (self, 0, sizeof *self);
  self->socket = socket;
  vtr_postback_init (&self->postback, socket);
  vtr_resource_cache_init (&self->cache, VTR_REPLAY_CACHE_BYTES);
  result = vtr_vm_init (&self->vm);
  if (result != VTR_OK)
    return result;
  self->vm.status = status;
  self->vm.host = (VtrVmHost){
    .resource = vtr_replay_service_resource,
    .post = vtr_replay_service_post,
    .fence = vtr_replay_service_fence,
    .function_name = vtr_replay_service_function_name,
    .data = self,
  };
  self->vk = vtr_replay_vk_create (&self->vm, &vk_host);
  return self->vk != NULL ? VTR_OK : VTR_NO_MEMORY;
}

void
vtr_replay_service_finish (VtrReplayService *self)
{
  VtrReplayLetter *letter;

  self->closed = true;
  while ((letter = vtr_replay_service_next (self)) != NULL)
    vtr_replay_letter_free (letter);
  if (self->vk != NULL)
    vtr_replay_vk_end (self->vk);
  vtr_replay_vk_destroy (self->vk);
  vtr_vm_finish (&self->vm);
  vtr_resource_cache_finish (&self->cache);
  vtr_postback_finish (&self->postback);
  free (self->resources);
  if (self->socket >= 0)
    close (self->socket);
  memset (self, 0, sizeof *self);
}

void
vtr_replay_service_run (VtrReplayService *self,
                        const VtrSandbox *sandbox)
{
  Vtr__Replay__Hello hello = VTR__REPLAY__HELLO__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  hello.version = VTR_REPLAY_PROTOCOL_VERSION;
  hello.registry = VTR_API_REGISTRY_HASH;
  hello.sandboxed = sandbox->on;
  hello.landlock = sandbox->files;
  hello.seccomp = sandbox->calls;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_HELLO;
  message.hello = &hello;
  if (!vtr_replay_service_send (self, &message))
    return;
  while (!self->closed)
    {
      VtrReplayLetter *letter = vtr_replay_service_next (self);

      if (letter == NULL)
        break;
      vtr_replay_service_handle (self, letter);
      vtr_replay_letter_free (letter);
    }
}
