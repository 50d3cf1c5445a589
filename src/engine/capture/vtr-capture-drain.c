/* Reads the layer's records from a ring in the order of their tickets, and writes them to a
 * trace. */
#include "vtr-capture-drain.h"

#include "base/vtr-buffer.h"
#include "base/vtr-log.h"
#include "engine/api/vtr-capture-error.h"
#include "engine/format/vtr-command.h"
#include "vtr-config.h"

#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>

/* So much taken and not yet on disk: close frames early, so that the ring gets its segments
 * back. */
#define UNSAFE_BYTES (16u * 1024u * 1024u)
/* A thread with a ticket commits within microseconds, unless it was killed or stopped just
 * there. */
#define GAP_US (10 * G_USEC_PER_SEC)

struct _VtrCaptureDrain
{
  VtrRingReader *reader;
  VtrTraceWriter *writer; /* NULL: none is being written */
  guint32 request;        /* of the VTR_RECORD_START that .writer waits for */
  gboolean waiting;       /* for it */
  gboolean stopped;       /* its VTR_RECORD_STOP has come */
  gboolean told_end;      /* the trace says why it ends */
  guint32 state;          /* that it gave; VtrRingState */
  guint64 first_frame;
  /* ticket → flat index of calls whose result is to come; keys are owned */
  GHashTable *pending;
  /* of the record at hand: a hostile writer may change the ring under our feet */
  VtrBuffer copy;
  guint n_passed; /* objects of record .first_ticket that a resumed file already has */
  guint64 first_ticket;
  gsize unsafe_bytes; /* taken since all that was taken was on disk */
  guint64 n_bytes;    /* taken for traces */
  guint64 step;       /* bytes that are taken at once, and a record more */
  gint64 gap_since;   /* since when a ticket is missing; 0: none is */
  GBytes *picture;    /* the VTR_RECORD_PICTURE of the recording; NULL: none so far */
  gboolean patient;   /* it may be missing for long */
};

static void
adopt_resumed (VtrCaptureDrain *self,
               guint64          written)
{
  guint64 ticket, command;

  if (written > vtr_trace_writer_get_written_ticket (self->writer))
    vtr_trace_writer_set_ticket (self->writer, written);
  self->n_passed = vtr_trace_writer_get_ticket_items (self->writer);
  /* Calls of a resumed file whose results are still in the ring. */
  for (guint i = 0; vtr_trace_writer_get_pending (self->writer, i, &ticket, &command); i++)
    g_hash_table_insert (self->pending, g_memdup2 (&ticket, sizeof ticket),
                         g_memdup2 (&command, sizeof command));
}

VtrCaptureDrain *
vtr_capture_drain_new (void            *mapping,
                       gsize            size,
                       VtrTraceWriter  *writer,
                       GError         **error)
{
  VtrCaptureDrain *self = g_new0 (VtrCaptureDrain, 1);
  guint64 written = writer != NULL ? vtr_trace_writer_get_written_ticket (writer) : 1;
  VtrStatus status;

  /* Records of an earlier trace may still be in the ring. */
  if (size >= sizeof (VtrRingHeader))
    written = MAX (written, atomic_load (&((VtrRingHeader *)mapping)->written_ticket));
  status = vtr_ring_reader_new (mapping, size, written, &self->reader);
  if (status != VTR_OK)
    {
      g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED,
                   _ ("The recording buffer cannot be read: %s"), vtr_status_to_string (status));
      g_free (self);
      return NULL;
    }
  self->first_ticket = written;
  self->step = G_MAXUINT64;
  self->pending = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->writer = writer;
  if (writer != NULL)
    adopt_resumed (self, written);
  return self;
}

void
vtr_capture_drain_free (VtrCaptureDrain *self)
{
  if (self == NULL)
    return;
  vtr_ring_reader_free (self->reader);
  vtr_buffer_finish (&self->copy);
  g_clear_pointer (&self->picture, g_bytes_unref);
  g_hash_table_unref (self->pending);
  g_free (self);
}

gboolean
vtr_capture_drain_expect (VtrCaptureDrain  *self,
                          VtrTraceWriter   *writer,
                          guint32           request,
                          GError          **error)
{
  self->writer = writer;
  self->request = request;
  self->waiting = TRUE;
  self->stopped = self->told_end = FALSE;
  self->state = VTR_RING_STATE_RUNNING;
  self->first_frame = 0;
  self->unsafe_bytes = 0;
  g_clear_pointer (&self->picture, g_bytes_unref);
  g_hash_table_remove_all (self->pending);
  vtr_trace_writer_set_ticket (writer, vtr_ring_reader_get_next_ticket (self->reader));
  /* Objects in the file so far belong to no record, and must not delay any. */
  return vtr_trace_writer_flush (writer, TRUE, error);
}

void
vtr_capture_drain_detach (VtrCaptureDrain *self,
                          gboolean         written)
{
  if (written)
    vtr_ring_reader_release (self->reader, vtr_ring_reader_get_next_ticket (self->reader));
  self->writer = NULL;
  self->waiting = self->stopped = FALSE;
  g_hash_table_remove_all (self->pending);
  /* The host may make thousands of traces: what its largest record took is not kept. */
  vtr_ring_reader_trim (self->reader);
  vtr_buffer_finish (&self->copy);
}

gboolean
vtr_capture_drain_has_started (VtrCaptureDrain *self,
                               guint64         *frame)
{
  if (frame != NULL)
    *frame = self->first_frame;
  return self->writer != NULL && !self->waiting;
}

guint64
vtr_capture_drain_get_bytes (VtrCaptureDrain *self)
{
  return self->n_bytes;
}

guint64
vtr_capture_drain_get_ticket (VtrCaptureDrain *self)
{
  return vtr_ring_reader_get_next_ticket (self->reader);
}

GBytes *
vtr_capture_drain_steal_picture (VtrCaptureDrain *self)
{
  return g_steal_pointer (&self->picture);
}

gboolean
vtr_capture_drain_was_declined (VtrCaptureDrain *self)
{
  return self->stopped && self->state == VTR_RING_STATE_DECLINED;
}

static gboolean
copy_item (VtrCaptureDrain    *self,
           const VtrRingItem  *item,
           GError            **error)
{
  self->unsafe_bytes += item->size;
  self->n_bytes += item->size;
  vtr_buffer_clear (&self->copy);
  vtr_buffer_append (&self->copy, item->data, item->size);
  if (!self->copy.failed)
    return TRUE;
  g_set_error_literal (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_FAILED, _ ("Out of memory."));
  return FALSE;
}

/* Whether the object about to be appended is in a resumed file already. */
static gboolean
pass_over (VtrCaptureDrain *self)
{
  if (self->n_passed == 0)
    return FALSE;
  self->n_passed--;
  return TRUE;
}

static gboolean
take_command (VtrCaptureDrain    *self,
              const VtrRingItem  *item,
              guint32             flags,
              GError            **error)
{
  guint64 index;

  if (!vtr_cmd_is_known (item->type) || pass_over (self))
    return TRUE;
  if (!copy_item (self, item, error))
    return FALSE;
  if ((item->flags & VTR_RECORD_PENDING) != 0)
    flags |= VTR_COMMAND_PENDING;
  index = vtr_trace_writer_append_command (self->writer, item->type, self->copy.data, item->size,
                                           flags,
                                           (item->flags & VTR_RECORD_LARGE) != 0, error);
  if (index == G_MAXUINT64)
    return FALSE;
  if ((item->flags & VTR_RECORD_PENDING) != 0)
    g_hash_table_insert (self->pending, g_memdup2 (&item->ticket, sizeof item->ticket),
                         g_memdup2 (&index, sizeof index));
  return TRUE;
}

static gboolean
take_returned (VtrCaptureDrain    *self,
               const VtrRingItem  *item,
               GError            **error)
{
  VtrRingReturned returned;
  const guint64 *index;
  gboolean done = TRUE;

  if (item->size != sizeof returned)
    return TRUE;
  memcpy (&returned, item->data, sizeof returned);
  index = g_hash_table_lookup (self->pending, &returned.ticket);
  if (index != NULL)
    done = vtr_trace_writer_append_returned (self->writer, *index, returned.result, error);
  g_hash_table_remove (self->pending, &returned.ticket);
  return done;
}

static gboolean
take_block_items (VtrCaptureDrain  *self,
                  VtrRingBlock     *block,
                  guint32           flags,
                  GError          **error)
{
  VtrRingItem item;
  gboolean done = TRUE;

  if (block->names != 0)
    vtr_trace_writer_set_stream (self->writer, block->thread, block->names);
  while (done && vtr_ring_reader_next_in_block (block, &item) == VTR_OK)
    {
      item.flags &= (guint16)~VTR_RECORD_PENDING; /* has no ticket here */
      done = take_command (self, &item, flags | VTR_COMMAND_IN_BLOCK, error);
    }
  vtr_trace_writer_set_stream (self->writer, 0, 0);
  return done;
}

static gboolean
take_block (VtrCaptureDrain    *self,
            const VtrRingItem  *item,
            GError            **error)
{
  VtrRingBlock block;
  guint32 flags, command_flags = 0;

  if (vtr_ring_reader_open_block (self->reader, item, &block, &flags) != VTR_OK)
    return TRUE;
  if ((flags & VTR_RING_BLOCK_ABANDONED) != 0)
    command_flags |= VTR_COMMAND_ABANDONED;
  if ((flags & VTR_RING_BLOCK_UNFINISHED) != 0)
    command_flags |= VTR_COMMAND_UNFINISHED;
  if ((flags & VTR_RING_BLOCK_INITIAL) != 0)
    command_flags |= VTR_COMMAND_INITIAL;
  return take_block_items (self, &block, command_flags, error);
}

static gboolean
append_stopped (VtrCaptureDrain  *self,
                guint32           state,
                GError          **error)
{
  VtrBuffer message = { 0 };
  gboolean done;

  self->told_end = TRUE;
  vtr_pack_append_varint (&message, VTR_STOPPED_STATE, state);
  done = vtr_trace_writer_append_object (self->writer, "vitrine.Stopped", message.data,
                                         message.size, error);
  vtr_buffer_finish (&message);
  return done;
}

gboolean
vtr_capture_drain_tell_end (VtrCaptureDrain  *self,
                            guint32           state,
                            GError          **error)
{
  return self->writer == NULL || self->told_end || append_stopped (self, state, error);
}

gboolean
vtr_capture_drain_tell_unfilled (VtrCaptureDrain  *self,
                                 GError          **error)
{
  VtrBuffer message = { 0 };
  gboolean done;

  if (self->writer == NULL)
    return TRUE;
  vtr_pack_append_varint (&message, VTR_NOTICE_LEVEL, VTR_LOG_WARNING);
  vtr_pack_append_bytes (&message, VTR_NOTICE_TEXT, VTR_CAPTURE_UNFILLED,
                         strlen (VTR_CAPTURE_UNFILLED));
  done = vtr_trace_writer_append_object (self->writer, "vitrine.Notice", message.data,
                                         message.size, error);
  vtr_buffer_finish (&message);
  return done;
}

/* {u16 n, name[n], message} */
static gboolean
take_info (VtrCaptureDrain    *self,
           const VtrRingItem  *item,
           GError            **error)
{
  g_autofree char *name = NULL;
  guint16 length;

  if (pass_over (self))
    return TRUE;
  if (!copy_item (self, item, error))
    return FALSE;
  if (item->size < sizeof length)
    return TRUE;
  memcpy (&length, self->copy.data, sizeof length);
  if (length > item->size - sizeof length)
    return TRUE;
  name = g_strndup ((const char *)self->copy.data + sizeof length, length);
  return vtr_trace_writer_append_object (self->writer, name,
                                         self->copy.data + sizeof length + length,
                                         item->size - sizeof length - length, error);
}

/* It is no object of the trace. */
static void
take_picture (VtrCaptureDrain   *self,
              const VtrRingItem *item)
{
  if (item->size > sizeof (VtrRingPicture) + VTR_RING_PICTURE_MAX)
    return;
  g_clear_pointer (&self->picture, g_bytes_unref);
  self->picture = g_bytes_new (item->data, item->size);
}

static gboolean
take_stop (VtrCaptureDrain    *self,
           const VtrRingItem  *item,
           GError            **error)
{
  guint32 state = 0;

  memcpy (&state, item->data, MIN (item->size, sizeof state));
  self->stopped = self->request != 0;
  self->state = state;
  self->told_end = TRUE;
  return pass_over (self) || append_stopped (self, state, error);
}

static void
take_start (VtrCaptureDrain   *self,
            const VtrRingItem *item)
{
  VtrRingStart start;

  if (item->size != sizeof start)
    return;
  memcpy (&start, item->data, sizeof start);
  if (!self->waiting || start.request != self->request)
    return;
  self->waiting = FALSE;
  self->first_frame = start.frame;
}

/* A record outside every recording. */
static void
pass_by (VtrCaptureDrain   *self,
         const VtrRingItem *item)
{
  VtrRingBlock block;
  guint32 flags;

  /* Opened, so that it is released. */
  if (item->type == VTR_RECORD_BLOCK &&
      vtr_ring_reader_open_block (self->reader, item, &block, &flags) != VTR_OK)
    return;
}

static gboolean
take (VtrCaptureDrain    *self,
      const VtrRingItem  *item,
      GError            **error)
{
  if (item->type == VTR_RECORD_START)
    {
      take_start (self, item);
      return TRUE;
    }
  if (self->writer == NULL || self->waiting ||
      (self->stopped && item->type != VTR_RECORD_RETURNED && item->type != VTR_RECORD_PICTURE))
    {
      pass_by (self, item);
      return TRUE;
    }
  switch (item->type)
    {
    case VTR_RECORD_RETURNED:
      return take_returned (self, item, error);
    case VTR_RECORD_BLOCK:
      return take_block (self, item, error);
    case VTR_RECORD_MEMORY:
      if (pass_over (self))
        return TRUE;
      return copy_item (self, item, error) &&
             vtr_trace_writer_append_object (self->writer, "vitrine.MappedWrites", self->copy.data,
                                             item->size,
                                             error);
    case VTR_RECORD_INFO:
      return take_info (self, item, error);
    case VTR_RECORD_PICTURE:
      take_picture (self, item);
      return TRUE;
    case VTR_RECORD_STOP:
      return take_stop (self, item, error);
    default:
      return take_command (self, item, 0, error);
    }
}

void
vtr_capture_drain_set_patient (VtrCaptureDrain *self,
                               gboolean         patient)
{
  self->patient = patient;
}

/* Whether the missing ticket has been missing for too long. */
static gboolean
is_stuck (VtrCaptureDrain *self)
{
  gint64 now;

  if (self->patient || !vtr_ring_reader_has_gap (self->reader))
    {
      self->gap_since = 0;
      return FALSE;
    }
  now = g_get_monotonic_time ();
  if (self->gap_since == 0)
    self->gap_since = now;
  return now - self->gap_since > GAP_US;
}

static gboolean
release (VtrCaptureDrain  *self,
         GError          **error)
{
  gboolean force = self->unsafe_bytes > UNSAFE_BYTES;

  if (self->writer == NULL)
    {
      vtr_ring_reader_release (self->reader, vtr_ring_reader_get_next_ticket (self->reader));
      return TRUE;
    }
  if (!vtr_trace_writer_flush (self->writer, force, error))
    return FALSE;
  if (force)
    self->unsafe_bytes = 0;
  vtr_ring_reader_release (self->reader, vtr_trace_writer_get_written_ticket (self->writer));
  return TRUE;
}

void
vtr_capture_drain_set_step (VtrCaptureDrain *self,
                            guint64          bytes)
{
  self->step = bytes;
}

gboolean
vtr_capture_drain_run (VtrCaptureDrain  *self,
                       gboolean          skip,
                       guint             limit,
                       guint            *n_taken,
                       GError          **error)
{
  gboolean may_skip = skip || is_stuck (self);
  guint64 before = self->n_bytes;
  VtrRingItem item;
  guint n = 0;

  while (n < limit && self->n_bytes - before < self->step &&
         vtr_ring_reader_next (self->reader, may_skip, &item) == VTR_OK)
    {
      if (item.ticket != self->first_ticket)
        self->n_passed = 0;
      /* The file says how far it goes: in records, and in objects of the one being written. */
      if (self->writer != NULL && self->n_passed == 0)
        vtr_trace_writer_set_ticket (self->writer, item.ticket);
      if (!take (self, &item, error))
        return FALSE;
      self->n_passed = 0;
      if (self->writer != NULL)
        vtr_trace_writer_set_ticket (self->writer,
                                     vtr_ring_reader_get_next_ticket (self->reader));
      n++;
      if (self->unsafe_bytes > UNSAFE_BYTES && !release (self, error))
        return FALSE;
    }
  *n_taken = n;
  return release (self, error);
}

gboolean
vtr_capture_drain_unfinished (VtrCaptureDrain  *self,
                              GError          **error)
{
  VtrRingBlock *blocks;
  gsize n;

  if (self->writer == NULL || self->waiting || self->stopped)
    return TRUE;
  if (vtr_ring_reader_list_unfinished (self->reader, &blocks, &n) != VTR_OK)
    return TRUE;
  /* They count as one record after the last: a host that died here had written some of them. The
   * calls of a batch have returned. */
  for (gsize i = 0; i < n; i++)
    if (!take_block_items (self, &blocks[i], blocks[i].names == 0 ? VTR_COMMAND_UNFINISHED : 0,
                           error))
      {
        free (blocks);
        return FALSE;
      }
  free (blocks);
  return TRUE;
}

gboolean
vtr_capture_drain_expects_more (VtrCaptureDrain *self)
{
  return vtr_ring_reader_has_gap (self->reader) || g_hash_table_size (self->pending) > 0;
}
