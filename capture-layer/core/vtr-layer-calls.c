/* Turns each intercepted call into a record in the calling thread's log. */
#include "vtr-layer-calls.h"

#include "vtr-layer-batch.h"
#include "vtr-layer-late.h"
#include "vtr-layer-trigger.h"

#include <string.h>

VtrLayerThread *
vtr_layer_thread_enter (VtrCmdId cmd)
{
  VtrLayerThread *self = vtr_layer_is_live () ? vtr_layer_thread_get () : NULL;

  if (self != NULL)
    vtr_layer_gate_enter (&self->place, cmd);
  return self;
}

VtrLayerThread *
vtr_layer_thread_enter_signaller (VtrCmdId    cmd,
                                  const void *args)
{
  VtrLayerThread *self = vtr_layer_is_live () ? vtr_layer_thread_get () : NULL;

  if (self != NULL)
    vtr_layer_gate_enter_signaller (&self->place, cmd, args);
  return self;
}

void
vtr_layer_thread_leave (VtrLayerThread *self)
{
  if (self == NULL)
    return;
  vtr_layer_gate_leave (&self->place);
  if (__builtin_expect (self->boundary, 0) && self->place.depth == 0)
    vtr_layer_trigger_boundary (self);
}

/* ---- Calls ---- */

/* Whether the driver may keep the call for long. */
static bool
may_rest (const VtrLayerCall *self)
{
  return (self->traits & VTR_CALL_RESTS) != 0;
}

static void
follow (const VtrLayerCall *self,
        const void         *args,
        uint64_t            result)
{
  if ((self->traits & VTR_CALL_IS_FOLLOWED) != 0)
    self->names->api->follow (self, args, result);
}

static void
add_read (void       *data,
          const void *base,
          size_t      size)
{
  vtr_api_encode_observation (data, VTR_COMMAND_READS, base, size);
}

/* The fields that are known before a call in a namespace that has a number. A batch says thread and
 * namespace for all of its calls. */
static __attribute__ ((noinline, cold)) void
add_context (VtrLayerCall *self,
             const void   *args)
{
  VtrBuffer *to = &self->thread->scratch;

  if (self->batch == NULL)
    vtr_api_encode_extra (to, VTR_EXTRA_NAMESPACE, &self->names->number,
                          sizeof self->names->number);
  if ((self->traits & VTR_CALL_READS_STATE) != 0)
    self->names->api->observe_state (self, args, add_read, to);
}

static inline void
begin_message (VtrLayerCall *self,
               const void   *args)
{
  self->start = self->thread->scratch.size;
  self->flags = vtr_api_encode_begin (&self->thread->scratch, self->cmd, args,
                                      self->batch == NULL ? self->thread->id : 0,
                                      vtr_layer_ticks (), &self->names->env);
  if (__builtin_expect (self->names->number != 0, 0))
    add_context (self, args);
  self->encode = true;
}

static void
enter (VtrLayerCall  *self,
       VtrNamespace  *names,
       VtrCmdId       cmd,
       const void    *args,
       VtrLayerBatch *batch)
{
  *self = (VtrLayerCall){
    .thread = vtr_layer_thread_get (), .names = names, .cmd = cmd, .batch = batch
  };
  if (self->thread == NULL)
    return;
  self->traits = vtr_namespace_get_traits (names, cmd);
  if (vtr_layer_is_live ())
    vtr_layer_gate_enter (&self->thread->place, cmd);
  else
    self->traits &= VTR_CALL_READS_STATE;
  /* Where there is a stay inside around this one, it has asked (gen/emit_trampolines.py). */
  if (vtr_layer_late_is_pending () && self->thread->place.depth == 1)
    vtr_layer_late_before (self->thread, names, cmd, args);
  self->record = vtr_layer_is_recording ();
  if (self->record)
    self->outer = vtr_ring_log_set_inside (&self->thread->log, cmd + 1u);
  if (self->record || (self->traits & VTR_CALL_NEEDS_MESSAGE) != 0)
    begin_message (self, args);
}

void
vtr_layer_publish (VtrNamespace *names)
{
  if (names->batch != NULL)
    vtr_layer_batch_publish (names->batch, 0);
}

void
vtr_layer_call_enter (VtrLayerCall *self,
                      VtrNamespace *names,
                      VtrCmdId      cmd,
                      const void   *args)
{
  enter (self, names, cmd, args, names->batch);
  if (may_rest (self))
    vtr_layer_gate_rest (&self->thread->place);
}

/* Comes back from a driver that may have kept the call for long: a recording may have begun. */
static void
resume (VtrLayerCall *self,
        const void   *args)
{
  bool recorded = self->record;

  vtr_layer_gate_resume (&self->thread->place);
  self->record = vtr_layer_is_recording ();
  /* Or ended. */
  if (recorded && !self->record)
    vtr_ring_log_set_inside (&self->thread->log, self->outer);
  if (self->record && !self->encode)
    begin_message (self, args);
}

void
vtr_layer_call_leave (VtrLayerCall *self,
                      const void   *args,
                      uint64_t      result)
{
  VtrLayerThread *thread = self->thread;

  if (thread == NULL)
    return;
  if (may_rest (self))
    resume (self, args);
  if (self->encode)
    vtr_api_encode_end (&thread->scratch, self->cmd, args, result, self->flags, &self->names->env);
  follow (self, args, result);
  if (self->record)
    {
      if (__builtin_expect (self->batch == NULL, 1))
        vtr_layer_thread_append (thread, self->cmd, 0, self->start);
      else
        {
          vtr_layer_batch_append (self->batch, thread, self->names->number, self->cmd, self->start);
          vtr_layer_thread_forget (thread, self->start);
        }
      vtr_ring_log_set_inside (&thread->log, self->outer);
    }
  else if (self->encode)
    vtr_layer_thread_forget (thread, self->start);
  if (vtr_layer_is_live ())
    vtr_layer_gate_leave (&thread->place);
}

void
vtr_layer_call_add_extra (const char *type,
                          const void *data,
                          size_t      size)
{
  VtrLayerThread *thread = vtr_layer_self;

  if (thread != NULL && thread->scratch.size > 0)
    vtr_api_encode_extra (&thread->scratch, type, data, size);
}

void
vtr_layer_call_commit (VtrLayerCall *self,
                       VtrNamespace *names,
                       VtrCmdId      cmd,
                       const void   *args)
{
  enter (self, names, cmd, args, NULL);
  if (self->thread == NULL)
    return;
  vtr_layer_publish (names);
  follow (self, args, 0);
  if (self->encode && !self->record)
    vtr_layer_thread_forget (self->thread, self->start);
  if (!self->record)
    return;
  if (self->flags != 0)
    {
      vtr_buffer_append_u8 (&self->thread->scratch, VTR_COMMAND_FLAGS << 3 | 5);
      vtr_buffer_append_u32 (&self->thread->scratch, self->flags);
    }
  self->ticket = vtr_layer_thread_append (self->thread, cmd, VTR_RECORD_PENDING, self->start);
}

void
vtr_layer_call_returned (VtrLayerCall *self,
                         uint64_t      result)
{
  VtrRingReturned returned = { self->ticket, result };

  if (self->thread == NULL)
    return;
  if (self->record)
    vtr_ring_log_set_inside (&self->thread->log, self->outer);
  if (self->record && self->ticket != 0)
    (void)!vtr_ring_log_append (&self->thread->log, VTR_RECORD_RETURNED, 0, &returned,
                                sizeof returned, NULL);
  if (vtr_layer_is_live ())
    vtr_layer_gate_leave (&self->thread->place);
}

void
vtr_layer_record_info (const char *name,
                       const void *message,
                       size_t      size)
{
  VtrLayerThread *thread = vtr_layer_thread_get ();
  uint16_t length = (uint16_t)strlen (name);
  size_t start;

  if (thread == NULL || !vtr_layer_is_recording ())
    return;
  start = thread->scratch.size;
  vtr_buffer_append (&thread->scratch, &length, sizeof length);
  vtr_buffer_append (&thread->scratch, name, length);
  vtr_buffer_append (&thread->scratch, message, size);
  vtr_layer_thread_append (thread, VTR_RECORD_INFO, 0, start);
}
