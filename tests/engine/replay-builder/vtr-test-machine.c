/* A small replay machine that records calls instead of running them, for the tests of the replay
 * builder. */
#include "vtr-test-machine.h"

#include "vulkan/vtr-vulkan-replay.h"

#include <string.h>
#include <sys/mman.h>

#include "vtr-api-args.h"
#include "vtr-vm-signature.h"
#include "wire/vtr-replay-opcode.h"

#define MEMORY_BYTES (G_GUINT64_CONSTANT (4) << 30)

void
vtr_test_machine_init (VtrTestMachine *self)
{
  memset (self, 0, sizeof *self);
  self->memory = mmap (NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true (self->memory != MAP_FAILED);
  self->calls = g_array_new (FALSE, TRUE, sizeof (VtrTestCall));
  self->next_handle = 0x7000;
}

void
vtr_test_machine_finish (VtrTestMachine *self)
{
  munmap (self->memory, MEMORY_BYTES);
  for (guint i = 0; i < self->calls->len; i++)
    g_free (g_array_index (self->calls, VtrTestCall, i).args);
  g_array_unref (self->calls);
}

const VtrTestCall *
vtr_test_machine_last (VtrTestMachine *self)
{
  g_assert_cmpuint (self->calls->len, >, 0);
  return &g_array_index (self->calls, VtrTestCall, self->calls->len - 1);
}

static void
push (VtrTestMachine *self,
      guint64         value)
{
  g_assert_cmpuint (self->depth, <, 512);
  self->stack[self->depth++] = value;
}

static guint64
pop (VtrTestMachine *self)
{
  g_assert_cmpuint (self->depth, >, 0);
  return self->stack[--self->depth];
}

static gsize
type_size (guint32 type)
{
  static const guint8 sizes[] = { 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 8, 8 };

  g_assert_cmpuint (type, <, G_N_ELEMENTS (sizes));
  return sizes[type];
}

/* Values are kept as the machine's addresses; types matter for pointers (made absolute at once)
 * and signs. */
static guint64
constant (VtrTestMachine *self,
          guint32         type,
          guint32         data)
{
  switch (type)
    {
    case VTR_VM_INT32:
    case VTR_VM_INT64:
      return (guint64)((gint64)((guint64)data << 44) >> 44);
    case VTR_VM_FLOAT:
      return (guint64)data << 23;
    case VTR_VM_DOUBLE:
      return (guint64)data << 52;
    default:
      return data;
    }
}

static void
write_args (VtrTestMachine *self,
            VtrTestCall    *call)
{
  const VtrApiCommand *command = vtr_cmd_get (call->function);
  const VtrApiField *fields = &vtr_api_fields[command->first_field];
  guint8 *args = g_malloc0 (command->args_size);

  for (guint i = 0; i < command->n_params; i++)
    memcpy (args + fields[i].offset[VTR_ABI_NATIVE], &call->values[i],
            fields[i].size[VTR_ABI_NATIVE]);
  call->args = args;
}

/* The driver's part: new handles for what a command makes. */
static void
create (VtrTestMachine *self,
        VtrTestCall    *call)
{
  const VtrApiCommand *command = vtr_cmd_get (call->function);
  guint32 count = 1;
  guint64 *out;

  if (command->create.handle == VTR_HANDLE_NONE || command->create.handle == 0)
    return;
  if (call->function == VTR_CMD_vkAllocateCommandBuffers)
    count = ((VtrArgs_vkAllocateCommandBuffers *)call->args)->pAllocateInfo->commandBufferCount;
  out = (guint64 *)(gsize)call->values[command->create.param];
  for (guint32 i = 0; i < count; i++)
    out[i] = self->next_handle++;
}

/* Every buffer lies somewhere else, by another distance. */
static void
find_address (VtrTestMachine    *self,
              const VtrTestCall *call)
{
  guint64 distance = vtr_test_machine_distance (self->n_addresses++);

  memcpy ((void *)(gsize)call->values[3], &distance, sizeof distance);
}

guint64
vtr_test_machine_distance (guint nth)
{
  return nth % 2 == 0 ? 0x123456780000 + nth * 0x1000 : -(guint64)0x7654000 - nth * 0x1000;
}

static void
run_call (VtrTestMachine *self,
          guint32         word)
{
  guint32 function = word & 0xffff;
  VtrTestCall call = { .function = function, .label = self->label };
  const VtrVmSignatures *all = vtr_vm_signatures[word >> VTR_VM_CALL_API_SHIFT & 15];

  call.n_values = function >= VTR_REPLAY_FIRST_SYNTHETIC
                    ? all->own[function - all->first_own].n_args
                    : vtr_cmd_get (function)->n_params;
  for (guint i = call.n_values; i > 0; i--)
    call.values[i - 1] = pop (self);
  if (function < VTR_REPLAY_FIRST_SYNTHETIC)
    {
      write_args (self, &call);
      if (vtr_cmd_is ((VtrCmdId)function, VTR_CLASS_CREATE | VTR_CLASS_RETRIEVE))
        create (self, &call);
    }
  if (function == VTR_REPLAY_FIND_ADDRESS)
    find_address (self, &call);
  if (self->called != NULL)
    self->called (&call, self->data);
  g_array_append_val (self->calls, call);
}

static gsize
run_inline (VtrTestMachine *self,
            const guint32  *words,
            gsize           at)
{
  guint32 size = words[at] & VTR_VM_DATA20;
  guint32 n_patches = words[at] >> VTR_VM_TYPE_SHIFT & 63;
  guint64 to = pop (self);
  guint32 n;

  at++;
  memcpy ((void *)(gsize)to, &words[at], size);
  at += (size + 3) / 4;
  for (guint32 i = 0; i < n_patches; i++, at += 2)
    {
      guint64 address = (guint64)(gsize)(self->memory + words[at + 1]);

      memcpy (self->memory + words[at], &address, 8);
    }
  n = words[at++];
  for (guint32 i = 0; i < n; i++, at += 2)
    memcpy (self->memory + words[at], self->memory + words[at + 1], 8);
  return at;
}

gboolean
vtr_test_machine_send (const VtrReplaySegment  *segment,
                       gpointer                 data,
                       GError                 **error)
{
  VtrTestMachine *self = data;
  const guint32 *words = segment->opcodes;
  guint32 type = 0; /* of the last push, for EXTEND */

  self->n_resources += segment->n_resources;
  for (gsize at = 0; at < segment->n_opcodes;)
    {
      guint32 word = words[at];
      guint32 operand = word & VTR_VM_DATA26;
      guint64 value = 0;

      switch (word >> VTR_VM_OPCODE_SHIFT)
        {
        case VTR_OP_PUSH_I:
          type = word >> VTR_VM_TYPE_SHIFT & 63;
          push (self, constant (self, type, word & VTR_VM_DATA20));
          if (type == VTR_VM_VOLATILE && words[at + 1] >> VTR_VM_OPCODE_SHIFT != VTR_OP_EXTEND)
            self->stack[self->depth - 1] += (guint64)(gsize)self->memory;
          break;
        case VTR_OP_EXTEND:
          value = pop (self);
          if (type == VTR_VM_FLOAT)
            value |= operand;
          else
            value = value << 26 | operand;
          if (type == VTR_VM_VOLATILE)
            value += (guint64)(gsize)self->memory;
          push (self, value);
          break;
        case VTR_OP_LOAD_V:
          memcpy (&value, self->memory + (word & VTR_VM_DATA20),
                  type_size (word >> VTR_VM_TYPE_SHIFT & 63));
          push (self, value);
          break;
        case VTR_OP_LOAD:
          memcpy (&value, (void *)(gsize)pop (self), type_size (word >> VTR_VM_TYPE_SHIFT & 63));
          push (self, value);
          break;
        case VTR_OP_ADD:
          for (guint32 i = 0; i < operand; i++)
            value += pop (self);
          push (self, value);
          break;
        case VTR_OP_STORE_V:
          value = pop (self);
          memcpy (self->memory + operand, &value, 8);
          break;
        case VTR_OP_STORE:
          {
            void *to = (void *)(gsize)pop (self);

            value = pop (self);
            memcpy (to, &value, 8);
            break;
          }
        case VTR_OP_RESOURCE:
          {
            g_autoptr (GBytes) bytes =
              vtr_replay_builder_get_resource (self->builder, operand, error);

            g_assert_nonnull (bytes);
            memcpy ((void *)(gsize)pop (self), g_bytes_get_data (bytes, NULL),
                    g_bytes_get_size (bytes));
            break;
          }
        case VTR_OP_LABEL:
          self->label = operand;
          break;
        case VTR_OP_CALL:
          g_assert_cmpuint (word >> VTR_VM_CALL_API_SHIFT & 15, ==,
                            (word & 0xffff) < VTR_REPLAY_FIRST_COMMON ? VTR_VM_API_VULKAN
                                                                      : VTR_VM_API_BUILTIN);
          run_call (self, word);
          g_assert_cmpuint (self->depth, ==, 0);
          break;
        case VTR_OP_INLINE_RESOURCE:
          at = run_inline (self, words, at);
          continue;
        default:
          g_assert_not_reached ();
        }
      at++;
    }
  return TRUE;
}
