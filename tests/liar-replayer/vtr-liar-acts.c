/* Lists the lies by name, each with the moment at which it is told. */
#include "vtr-liar.h"

#include "vulkan/vtr-vulkan-device.pb-c.h"
#include "vulkan/vtr-vulkan.h"
#include "wire/vtr-vm-apis.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define FLOOD 2000

static const char bad_text[] = "\xff\xfe\x1b[2J\x1b]0;owned\x07 \xc2\x9b"
                               "31m %s%n\r\b\x7f";

/* Returns: a memfd of @size bytes, sealed as it should be if @sealed. */
static int
make_memfd (gsize    size,
            gboolean sealed)
{
  int fd = memfd_create ("liar", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (ftruncate (fd, (off_t)size) != 0)
    exit (3);
  if (sealed)
    fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return fd;
}

static void
post (Liar    *self,
      guint64  bytes,
      guint64  id,
      guint64  offset,
      guint64  size,
      guint    n,
      int      fd)
{
  Vtr__Replay__Posted body = VTR__REPLAY__POSTED__INIT;
  Vtr__Replay__Posted__Piece piece = VTR__REPLAY__POSTED__PIECE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  g_autofree Vtr__Replay__Posted__Piece **pieces = g_new0 (Vtr__Replay__Posted__Piece *, n + 1);

  piece.id = id;
  piece.offset = offset;
  piece.size = size;
  for (guint i = 0; i < n; i++)
    pieces[i] = &piece;
  body.request = self->request;
  body.n_pieces = n;
  body.pieces = pieces;
  body.bytes = bytes;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_POSTED;
  message.posted = &body;
  liar_say (self, &message, fd);
}

static void
ask_resources (Liar    *self,
               guint64  first,
               guint64  step,
               guint    n)
{
  Vtr__Replay__ResourceRequest body = VTR__REPLAY__RESOURCE_REQUEST__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  g_autofree guint64 *numbers = g_new0 (guint64, n + 1);

  for (guint i = 0; i < n; i++)
    numbers[i] = first + i * step;
  body.request = self->request;
  body.n_numbers = n;
  body.numbers = numbers;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_RESOURCE_REQUEST;
  message.resource_request = &body;
  liar_say (self, &message, -1);
}

static void
ask_fence (Liar *self)
{
  Vtr__Replay__FenceRequest body = VTR__REPLAY__FENCE_REQUEST__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  body.request = self->request;
  body.id = g_rand_int (self->rand);
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_FENCE_REQUEST;
  message.fence_request = &body;
  liar_say (self, &message, -1);
}

static void
say_words (Liar       *self,
           const char *id,
           gsize       length,
           gsize       n_slots)
{
  Vtr__Replay__Message body = VTR__REPLAY__MESSAGE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  g_autoptr (GString) text = g_string_new ("");
  g_autofree guint64 *slots = g_new0 (guint64, n_slots + 1);

  while (text->len < length)
    g_string_append (text, bad_text);
  for (gsize i = 0; i < n_slots; i++)
    slots[i] = 0x40000 + i * 8;
  body.request = self->request;
  body.level = g_rand_int (self->rand);
  body.label = (guint64)g_rand_int (self->rand) << 32 | g_rand_int (self->rand);
  body.text = text->str;
  body.id = (char *)id;
  body.n_slots = body.n_handles = n_slots;
  body.slots = body.handles = slots;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_WORDS;
  message.words = &body;
  liar_say (self, &message, -1);
}

static void
say_outcome (Liar *self,
             int   code)
{
  Vtr__Replay__Outcome body = VTR__REPLAY__OUTCOME__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  body.request = self->request;
  body.code = (Vtr__Replay__Outcome__Code)code;
  body.text = (char *)bad_text;
  body.label = g_rand_int (self->rand);
  body.function = g_rand_boolean (self->rand) ? 2u << 16 | g_rand_int_range (self->rand, 0, 0x10000)
                                              : g_rand_int (self->rand);
  body.instruction = G_MAXUINT64;
  body.microseconds = G_MAXUINT64;
  body.kept = TRUE;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_OUTCOME;
  message.outcome = &body;
  liar_say (self, &message, -1);
}

static void
say_device (Liar *self)
{
  Vtr__Vulkan__Device device = VTR__VULKAN__DEVICE__INIT;
  Vtr__Replay__Device body = VTR__REPLAY__DEVICE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  g_autofree guint8 *description = NULL;
  guint8 bytes[4096];
  char *extensions[] = { (char *)bad_text, (char *)"" };
  gsize sizes[5];

  for (gsize i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8)g_rand_int (self->rand);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    sizes[i] = g_rand_int_range (self->rand, 0, sizeof bytes);
  body.request = self->request;
  device.index = g_rand_int (self->rand);
  device.properties = (ProtobufCBinaryData){ sizes[0], bytes };
  device.memory = (ProtobufCBinaryData){ sizes[1], bytes };
  device.families = (ProtobufCBinaryData){ sizes[2], bytes };
  device.features = (ProtobufCBinaryData){ sizes[3], bytes };
  device.formats = (ProtobufCBinaryData){ sizes[4], bytes };
  device.n_extensions = 2;
  device.extensions = extensions;
  device.driver_name = device.driver_info = (char *)bad_text;
  description = g_malloc (vtr__vulkan__device__get_packed_size (&device));
  body.api = VTR_VM_API_VULKAN;
  body.description =
    (ProtobufCBinaryData){ vtr__vulkan__device__pack (&device, description), description };
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICE;
  message.device = &body;
  liar_say (self, &message, -1);
}

static void
say_devices_done (Liar       *self,
                  const char *text)
{
  Vtr__Replay__DevicesDone body = VTR__REPLAY__DEVICES_DONE__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

  body.request = self->request;
  body.text = (char *)text;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_DEVICES_DONE;
  message.devices_done = &body;
  liar_say (self, &message, -1);
}

static void
say_formats (Liar  *self,
             gsize  size)
{
  Vtr__Replay__Answer body = VTR__REPLAY__ANSWER__INIT;
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  g_autofree guint8 *bytes = g_malloc0 (size + 1);

  body.request = self->request;
  body.answer = (ProtobufCBinaryData){ size, bytes };
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_ANSWER;
  message.answer = &body;
  liar_say (self, &message, -1);
}

/* --- Acts ------------------------------------------------------------------------------------ */

static void
act_random_status (Liar *self)
{
  guint32 *words = (guint32 *)(gpointer)self->status;

  for (guint i = 0; i < 24; i++)
    words[i] = g_rand_int (self->rand);
}

static void
act_shrink_status (Liar *self)
{
  if (ftruncate (VTR_REPLAY_STATUS_FD, 0) == 0)
    usleep (300000);
}

static void
act_die_oddly (Liar *self)
{
  act_random_status (self);
  self->status->signal = (gint32)(g_rand_int (self->rand) & 0x7fffffff);
  _exit (0);
}

static void
act_silence (Liar *self)
{
  for (;;)
    pause ();
}

static void
act_wait (Liar *self)
{
  self->status->waiting = 1;
  act_silence (self);
}

static void
act_babble (Liar *self)
{
  guint8 bytes[512];

  for (gsize i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8)g_rand_int (self->rand);
  send (self->socket, bytes, sizeof bytes, MSG_NOSIGNAL);
}

static void
act_empty (Liar *self)
{
  send (self->socket, "", 0, MSG_NOSIGNAL);
}

static void
act_many_fds (Liar *self)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (100 * sizeof (int))];
  } control = { 0 };
  char byte = 0;
  struct iovec vector = { &byte, 1 };
  struct msghdr message = { .msg_iov = &vector,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = sizeof control };

  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN (100 * sizeof (int));
  memset (CMSG_DATA (&control.header), 0, 100 * sizeof (int));
  sendmsg (self->socket, &message, MSG_NOSIGNAL);
}

static void
act_post_unsealed (Liar *self)
{
  int fd = make_memfd (1 << 20, FALSE);
  int again = dup (fd);

  post (self, 1 << 20, 0, 0, 1 << 20, 1, fd);
  if (ftruncate (again, 0) != 0)
    exit (3);
  close (again);
}

static void
act_post_nothing (Liar *self)
{
  post (self, 4096, 0, 0, 4096, 1, -1);
}

static void
act_post_pipe (Liar *self)
{
  int ends[2];

  if (pipe (ends) != 0)
    exit (3);
  post (self, 4096, 0, 0, 4096, 1, ends[0]);
}

static void
act_post_short (Liar *self)
{
  post (self, 1 << 20, 0, 0, 1 << 20, 1, make_memfd (4096, TRUE));
}

static void
act_post_absurd (Liar *self)
{
  post (self, G_MAXUINT64, 0, 0, 16, 1, make_memfd (4096, TRUE));
}

static void
act_post_outside (Liar *self)
{
  post (self, 4096, 0, G_MAXUINT64 - 15, 32, 1, make_memfd (4096, TRUE));
}

static void
act_post_again_and_again (Liar *self)
{
  post (self, 6ull << 30, 0, 0, 6ull << 30, 1000, make_memfd (6ull << 30, TRUE));
}

static void
act_post_huge_pages (Liar *self)
{
  int fd = memfd_create ("liar", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);

  if (fd < 0 || ftruncate (fd, 2 << 20) != 0)
    fd = make_memfd (4096, FALSE);
  fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK);
  post (self, 4096, 0, 0, 4096, 1, fd);
}

static void
act_wishes (Liar *self)
{
  ask_fence (self);
  ask_resources (self, 0, 1, 5);
  post (self, 4096, 0, 0, 4096, 1, make_memfd (4096, TRUE));
}

/* Looks busy all the time. */
static void *
hurry (void *data)
{
  Liar *self = data;

  for (;;)
    {
      __atomic_fetch_add (&self->status->n_calls, 1, __ATOMIC_RELAXED);
      usleep (1000);
    }
  return NULL;
}

/* Asks and asks, and takes no answer. */
static void
act_deaf (Liar *self)
{
  g_thread_unref (g_thread_new ("hurry", hurry, self));
  for (;;)
    ask_resources (self, 0, 1, 5);
}

/* Of what is not there: nothing was written to it. */
static void
act_post_much (Liar *self)
{
  const guint64 much = 1ull << 30;

  for (guint64 id = 0; id < 4; id++)
    post (self, much, id, 0, much, 1, make_memfd (much, TRUE));
}

static void
act_long_words (Liar *self)
{
  for (guint i = 0; i < 4 * FLOOD; i++)
    say_words (self, "VUID-liar", 60000, 0);
}

static void
act_resources (Liar *self)
{
  ask_resources (self, 0, 0, 6000);
  ask_resources (self, G_MAXUINT64, 1, 1);
  ask_resources (self, 0, 0, 0);
}

static void
act_flood (Liar *self)
{
  for (guint i = 0; i < FLOOD; i++)
    say_words (self, i % 2 ? "VUID-liar" : "", i % 500 == 0 ? 60000 : 10, 0);
}

static void
act_many_objects (Liar *self)
{
  say_words (self, "VUID-liar", 20000, 5000);
}

static void
act_flood_fds (Liar *self)
{
  for (guint i = 0; i < 1000; i++)
    {
      Vtr__Replay__SegmentDone body = VTR__REPLAY__SEGMENT_DONE__INIT;
      Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;

      message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_SEGMENT_DONE;
      message.segment_done = &body;
      liar_say (self, &message, dup (self->socket));
    }
}

static void
act_bad_end (Liar *self)
{
  say_outcome (self, g_rand_int_range (self->rand, 1, 12));
}

static void
act_ends (Liar *self)
{
  for (int i = -1; i < 12; i++)
    say_outcome (self, i);
}

static void
act_devices (Liar *self)
{
  say_device (self);
}

static void
act_flood_devices (Liar *self)
{
  for (guint i = 0; i < 200; i++)
    say_device (self);
}

static void
act_no_devices (Liar *self)
{
  say_devices_done (self, "");
  self->silent = TRUE;
}

static void
act_devices_again (Liar *self)
{
  say_devices_done (self, bad_text);
}

static void
act_formats (Liar *self)
{
  say_formats (self, 27);
}

static void
act_random (Liar *self)
{
  guint n = (guint)MAX (0, g_rand_int_range (self->rand, -12, 3));
  guint64 right = self->request;
  gsize size;

  self->silent = g_rand_int_range (self->rand, 0, 100) == 0;
  for (guint i = 0; i < n; i++)
    {
      self->request = g_rand_int_range (self->rand, 0, 8) == 0 ? g_rand_int (self->rand) : right;
      size = (gsize)g_rand_int_range (self->rand, 1, 1 << 20);
      switch (g_rand_int_range (self->rand, 0, 14))
        {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
          if (g_rand_boolean (self->rand))
            size = 500 * 500 * 4; /* as the trace's picture */
          post (self, size, (guint64)g_rand_int_range (self->rand, -3, 6), 0, size, 1,
                make_memfd (size, TRUE));
          break;
        case 5:
        case 6:
          ask_resources (self, (guint64)g_rand_int_range (self->rand, -1, 60), 1, 7);
          break;
        case 7:
          ask_fence (self);
          break;
        case 8:
        case 9:
          say_words (self, "VUID-liar", 100, 4);
          break;
        case 10:
          say_outcome (self, MAX (0, g_rand_int_range (self->rand, -9, 10)));
          break;
        case 11:
          act_random_status (self);
          break;
        case 12:
          if (g_rand_boolean (self->rand))
            say_device (self);
          else
            say_formats (self, size & 0xffff);
          break;
        default:
          if (g_rand_boolean (self->rand))
            act_die_oddly (self);
          else
            act_babble (self);
          break;
        }
    }
  self->request = right;
}

static const struct
{
  const char *name;
  guint cues;
  void (*play) (Liar *self);
} acts[] = {
#define CUE(cue) (1u << LIAR_##cue)
#define RUNNING (CUE (BEGIN) | CUE (SEGMENT) | CUE (FINISH))
#define ASKED (CUE (DEVICES) | CUE (FORMATS))
  { "random", RUNNING | ASKED, act_random },
  { "random-status", RUNNING | ASKED, act_random_status },
  { "shrink-status", CUE (START), act_shrink_status },
  { "die-oddly", RUNNING, act_die_oddly },
  { "mute", CUE (START), act_silence },
  { "silence", CUE (SEGMENT), act_silence },
  { "wait", CUE (SEGMENT), act_wait },
  { "wait-at-end", CUE (FINISH), act_wait },
  { "silent-devices", CUE (DEVICES), act_wait },
  { "babble-first", CUE (START), act_babble },
  { "babble", RUNNING | ASKED, act_babble },
  { "empty", RUNNING, act_empty },
  { "many-fds", RUNNING, act_many_fds },
  { "post-unsealed", CUE (SEGMENT), act_post_unsealed },
  { "post-nothing", CUE (SEGMENT), act_post_nothing },
  { "post-pipe", CUE (SEGMENT), act_post_pipe },
  { "post-short", CUE (SEGMENT), act_post_short },
  { "post-absurd", CUE (SEGMENT), act_post_absurd },
  { "post-outside", CUE (SEGMENT), act_post_outside },
  { "post-again-and-again", CUE (SEGMENT), act_post_again_and_again },
  { "post-huge-pages", CUE (SEGMENT), act_post_huge_pages },
  { "wishes", ASKED, act_wishes },
  { "wishes-first", CUE (START), act_wishes },
  { "resources", CUE (SEGMENT), act_resources },
  { "deaf", CUE (SEGMENT), act_deaf },
  { "post-much", RUNNING, act_post_much },
  { "long-words", CUE (FINISH), act_long_words },
  { "flood", RUNNING, act_flood },
  { "flood-first", CUE (START), act_flood },
  { "many-objects", RUNNING, act_many_objects },
  { "flood-fds", RUNNING, act_flood_fds },
  { "bad-end", CUE (FINISH), act_bad_end },
  { "early-end", CUE (BEGIN), act_bad_end },
  { "ends", CUE (SEGMENT), act_ends },
  { "devices", CUE (DEVICES), act_devices },
  { "flood-devices", CUE (DEVICES), act_flood_devices },
  { "no-devices", CUE (DEVICES), act_no_devices },
  { "devices-again", CUE (FORMATS), act_devices_again },
  { "formats", CUE (FORMATS), act_formats },
};

void
liar_play (Liar       *self,
           const char *act,
           LiarCue     cue)
{
  for (gsize i = 0; i < G_N_ELEMENTS (acts); i++)
    if (strcmp (acts[i].name, act) == 0 && (acts[i].cues & 1u << cue) != 0)
      acts[i].play (self);
}
