/* Feeds hostile bytes to the replay machine and to the reader of its protocol, for the fuzzers. */
#include "vtr-fuzz-vm.h"

#include "vtr-vm-signature.h"
#include "wire/vtr-replay-message.h"

#include <stdlib.h>

typedef struct
{
  VtrVm vm;
  VtrVmFunction *functions;
  unsigned n_calls;
  uint64_t sum; /* of all posted bytes: they must be readable */
} Machine;

static Machine *machine;

/* A payload may loop for ever; the fuzzer does not. */
static uint64_t
call_nothing (void           *context,
              const uint64_t *args)
{
  Machine *self = context;

  (void)args;
  if (++self->n_calls > 1000)
    self->vm.status->cancel = 1;
  return 0;
}

static bool
resource (void           *data,
          uint64_t        number,
          const uint8_t **bytes,
          size_t         *size)
{
  static const uint8_t content[64] = "content";
  Machine *self = data;

  *bytes = content;
  *size = number % sizeof content;
  if (++self->n_calls > 1000)
    self->vm.status->cancel = 1;
  return true;
}

static bool
post (void          *data,
      uint64_t       id,
      const uint8_t *bytes,
      size_t         size)
{
  Machine *self = data;

  self->sum += id;
  for (size_t i = 0; i < size && i < 4096; i++)
    self->sum += bytes[i];
  return true;
}

static bool
fence (void     *data,
       uint32_t  id)
{
  (void)data;
  return id % 2 == 0;
}

static Machine *
make_machine (void)
{
  Machine *self = calloc (1, sizeof *self);

  if (self == NULL || vtr_vm_init (&self->vm) != VTR_OK)
    abort ();
  self->vm.host = (VtrVmHost){ .resource = resource, .post = post, .fence = fence, .data = self };
  self->functions = calloc (vtr_vm_signature_count (), sizeof *self->functions);
  if (self->functions == NULL)
    abort ();
  vtr_vm_signature_fill_all (&self->vm, self->functions, call_nothing, self);
  return self;
}

void
vtr_fuzz_vm (const uint8_t *data,
             size_t         size)
{
  uint32_t *words;
  size_t n = size / sizeof *words;

  if (size == 0)
    {
      if (machine != NULL)
        {
          vtr_vm_finish (&machine->vm);
          free (machine->functions);
        }
      free (machine);
      machine = NULL;
      return;
    }
  if (machine == NULL)
    machine = make_machine ();
  vtr_vm_reset (&machine->vm);
  machine->n_calls = 0;
  machine->vm.status->cancel = 0;
  words = calloc (n + 1, sizeof *words);
  if (words == NULL)
    return;
  memcpy (words, data, n * sizeof *words);
  /* Every instruction once at least: a jump backwards without a call is cut short by .cancel. */
  if (size % 2 == 1)
    machine->vm.status->cancel = 1;
  for (size_t i = 0; i < n; i++)
    if (words[i] >> VTR_VM_OPCODE_SHIFT == VTR_OP_JUMP_NZ ||
        words[i] >> VTR_VM_OPCODE_SHIFT == VTR_OP_JUMP_Z)
      machine->vm.status->cancel = 1;
  /* In two segments, so that instructions are torn. */
  if (vtr_vm_append (&machine->vm, "constants", 9, words, n / 2) == VTR_OK &&
      vtr_vm_run (&machine->vm) &&
      vtr_vm_append (&machine->vm, NULL, 0, words + n / 2, n - n / 2) == VTR_OK)
    vtr_vm_run (&machine->vm);
  free (words);
}

void
vtr_fuzz_replay_message (const uint8_t *data,
                         size_t         size)
{
  Vtr__Replay__ToReplayer *to_replayer = vtr_replay_parse_at_replayer (data, size);
  Vtr__Replay__ToEngine *to_engine = vtr_replay_parse_at_engine (data, size);

  if (to_replayer != NULL &&
      to_replayer->message_case == VTR__REPLAY__TO_REPLAYER__MESSAGE_SEGMENT)
    {
      const Vtr__Replay__Segment *segment = to_replayer->segment;
      VtrReplaySegmentLayout layout;

      if (vtr_replay_segment_layout (segment->n_words, segment->n_resources,
                                     segment->constants_size, &layout) == VTR_OK &&
          (layout.resources < segment->n_words * 4 ||
           layout.constants < layout.resources + segment->n_resources * VTR_REPLAY_RESOURCE_BYTES ||
           layout.total != layout.constants + segment->constants_size))
        abort ();
    }
  if (to_replayer != NULL)
    vtr__replay__to_replayer__free_unpacked (to_replayer, NULL);
  if (to_engine != NULL)
    vtr__replay__to_engine__free_unpacked (to_engine, NULL);
}
