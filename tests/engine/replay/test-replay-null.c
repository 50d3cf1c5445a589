/* Tests the rules of the machine and its events with the backend that has no process. */
#include "api/vtr-api-ids.h"
#include "engine/replay/vtr-replay-backend.h"
#include "wire/vtr-replay-asm.h"
#include "vtr-vm-signature.h"
#include "wire/vtr-replay-functions.h"

typedef struct
{
  VtrReplayBackend *backend;
  VtrBuffer code;
  GString *posted;
  guint64 last_post;
  VtrReplayOutcome outcome;
} Fixture;

static GBytes *
get_resource (guint64    number,
              gpointer   data,
              GError   **error)
{
  if (number == 0)
    return g_bytes_new_static ("content", 7);
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE, "There is none.");
  return NULL;
}

static void
posted (guint64       post,
        const guint8 *bytes,
        gsize         size,
        gpointer      data)
{
  Fixture *self = data;

  self->last_post = post;
  g_string_append_len (self->posted, (const char *)bytes, (gssize)size);
}

static const VtrReplayEvents events = { .get_resource = get_resource, .posted = posted };

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->backend = vtr_replay_null_new ();
  self->posted = g_string_new (NULL);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  self->backend->klass->free (self->backend);
  vtr_buffer_finish (&self->code);
  g_string_free (self->posted, TRUE);
}

static gboolean
run (Fixture  *self,
     GError  **error)
{
  const VtrReplayResource resources[] = { { { 1, 2 }, 7 }, { { 3, 4 }, 9 } };
  const VtrReplaySegment segment = {
    .constants = (const guint8 *)"words",
    .constants_size = 5,
    .opcodes = (const guint32 *)(gconstpointer)self->code.data,
    .n_opcodes = self->code.size / 4,
    .resources = resources,
    .n_resources = 2,
  };

  g_assert_true (self->backend->klass->begin (self->backend, 0, &events, self, NULL, error));
  g_assert_true (self->backend->klass->send (self->backend, &segment, error));
  return self->backend->klass->finish (self->backend, &self->outcome, NULL, error);
}

static void
test_events (Fixture       *self,
             gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  vtr_asm_push (&self->code, VTR_VM_VOLATILE, 64);
  vtr_asm_x (&self->code, VTR_OP_RESOURCE, 0);
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, 64);
  vtr_asm_push (&self->code, VTR_VM_UINT32, 7);
  vtr_asm_x (&self->code, VTR_OP_POST, 0);
  vtr_asm_push (&self->code, VTR_VM_CONSTANT, 0);
  vtr_asm_push (&self->code, VTR_VM_UINT32, 42);
  vtr_asm_push (&self->code, VTR_VM_UINT32, 5);
  vtr_asm_x (&self->code, VTR_OP_NOTIFICATION, 0);
  vtr_asm_x (&self->code, VTR_OP_WAIT, 3);
  vtr_asm_label (&self->code, 9);
  vtr_asm_push (&self->code, VTR_VM_UINT64, 1);
  vtr_asm_call (&self->code, VTR_VM_API_VULKAN, VTR_CMD_vkDeviceWaitIdle, false);
  g_assert_true (run (self, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (self->posted->str, ==, "contentwords");
  g_assert_cmpuint (self->last_post, ==, 42);
  g_assert_cmpuint (self->outcome.n_calls, ==, 1);
  g_assert_cmpuint (self->outcome.label, ==, 9);
  g_assert_false (self->outcome.failed);
}

/* Calls @n functions of @api from @first on. */
static void
call_each (Fixture              *self,
           guint                 api,
           guint                 first,
           const VtrVmSignature *signatures,
           guint                 n)
{
  for (guint f = 0; f < n; f++)
    {
      g_assert_cmpuint (signatures[f].n_args, <, 20);
      for (guint i = 0; i < 20; i++)
        vtr_asm_push (&self->code, VTR_VM_UINT64, 0);
      vtr_asm_call (&self->code, api, first + f, false);
      vtr_asm_x (&self->code, VTR_OP_POP, 20 - signatures[f].n_args);
    }
}

/* Every function of a registry and of the replayer takes the number of arguments it says. */
static void
test_all_functions (Fixture       *self,
                    gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  for (guint api = 0; api < VTR_VM_N_APIS; api++)
    {
      const VtrVmSignatures *all = vtr_vm_signatures[api];

      call_each (self, api, all->first_call, all->calls, all->n_calls);
      call_each (self, api, all->first_own, all->own, all->n_own);
    }
  g_assert_true (run (self, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (self->outcome.n_calls, ==, vtr_vm_signature_count ());
}

static void
test_errors (Fixture       *self,
             gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  vtr_asm_label (&self->code, 5);
  vtr_asm_x (&self->code, VTR_OP_POP, 1);
  g_assert_false (run (self, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_PAYLOAD);
  g_assert_cmpuint (self->outcome.label, ==, 5);
  g_assert_true (self->outcome.failed);
  g_clear_error (&error);
  vtr_buffer_clear (&self->code);

  vtr_asm_push (&self->code, VTR_VM_VOLATILE, 64);
  vtr_asm_x (&self->code, VTR_OP_RESOURCE, 1);
  g_assert_false (run (self, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_TRACE);
  g_assert_cmpstr (error->message, ==, "There is none.");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/engine/replay/null/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("events", test_events);
  ADD ("all-functions", test_all_functions);
  ADD ("errors", test_errors);
  return g_test_run ();
}
