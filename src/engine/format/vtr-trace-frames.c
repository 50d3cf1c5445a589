/* Decompresses the frames of a trace. */
#include "engine/format/vtr-trace-frames.h"

#include "vtr-config.h"

#include "base/vtr-number.h"
#include "engine/format/vtr-trace-error.h"

#include <glib/gi18n-lib.h>
#include <zstd.h>

#define CACHE_LEAST (8u * 1024u * 1024u)
#define CACHE_MOST (64u * 1024u * 1024u)
#define CACHE_SHARE 16 /* of the whole trace, decompressed */
#define FIRST_CAPACITY (16u * 1024u * 1024u)

/* ---- Decompression ---- */

/* One decompressor per thread: making one costs more than a small frame. */
static void
free_decompressor (gpointer data)
{
  ZSTD_freeDCtx (data);
}

static GPrivate decompressors = G_PRIVATE_INIT (free_decompressor);

static ZSTD_DCtx *
get_decompressor (void)
{
  ZSTD_DCtx *context = g_private_get (&decompressors);

  if (context == NULL)
    {
      context = ZSTD_createDCtx ();
      ZSTD_DCtx_setParameter (context, ZSTD_d_windowLogMax, 27);
      g_private_set (&decompressors, context);
    }
  ZSTD_DCtx_reset (context, ZSTD_reset_session_only);
  return context;
}

/* Returns: FALSE if memory has run out. */
static gboolean
grow (guint8  **buffer,
      gsize    *capacity,
      guint64   limit)
{
  gsize larger = MIN (limit, (guint64)*capacity * 2);
  guint8 *grown = g_try_realloc (*buffer, larger);

  if (grown == NULL)
    return FALSE;
  *buffer = grown;
  *capacity = larger;
  return TRUE;
}

GBytes *
vtr_trace_decompress (const guint8 *data,
                      gsize         size,
                      guint64       raw_size,
                      gboolean     *whole)
{
  ZSTD_DCtx *context = get_decompressor ();
  gsize capacity = MIN (raw_size, FIRST_CAPACITY);
  g_autofree guint8 *buffer = g_try_malloc (MAX (capacity, 1));
  ZSTD_inBuffer in = { data, size, 0 };
  ZSTD_outBuffer out = { buffer, capacity, 0 };
  gsize left = 1;

  *whole = FALSE;
  if (buffer == NULL || context == NULL)
    return NULL;
  for (;;)
    {
      gsize before_in = in.pos, before_out = out.pos;

      left = ZSTD_decompressStream (context, &out, &in);
      if (ZSTD_isError (left) || left == 0)
        break;
      if (out.pos == out.size && out.size < raw_size)
        {
          if (!grow (&buffer, &capacity, raw_size))
            return NULL;
          out.dst = buffer;
          out.size = capacity;
        }
      else if (in.pos == before_in && out.pos == before_out)
        break;
    }
  *whole = left == 0 && out.pos == raw_size && in.pos == size;
  return g_bytes_new_take (g_steal_pointer (&buffer), out.pos);
}

/* ---- The cache ---- */

typedef struct
{
  guint frame;
  guint64 used; /* value of .clock when it was used last */
  GBytes *bytes;
} Entry;

struct _VtrTraceFrameCache
{
  const guint8 *data;
  const VtrTraceFrame *frames;
  guint n_frames;
  GMutex lock;
  GArray *entries; /* Entry */
  guint64 clock;
  gsize total, capacity; /* bytes */
};

/* A share of the trace: a small one is not to weigh many times what is kept for its commands. */
static gsize
choose_capacity (const VtrTraceFrame *frames,
                 guint                n_frames)
{
  guint64 total = 0;

  for (guint i = 0; i < n_frames && total < (guint64)CACHE_MOST * CACHE_SHARE; i++)
    total += MIN (frames[i].note.raw_size, CACHE_MOST);
  return (gsize)CLAMP (total / CACHE_SHARE, CACHE_LEAST, CACHE_MOST);
}

static void
clear_entry (gpointer data)
{
  g_bytes_unref (((Entry *)data)->bytes);
}

VtrTraceFrameCache *
vtr_trace_frame_cache_new (const guint8        *data,
                           const VtrTraceFrame *frames,
                           guint                n_frames)
{
  VtrTraceFrameCache *self = g_new0 (VtrTraceFrameCache, 1);

  self->data = data;
  self->frames = frames;
  self->n_frames = n_frames;
  self->capacity = choose_capacity (frames, n_frames);
  g_mutex_init (&self->lock);
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (self->entries, clear_entry);
  return self;
}

void
vtr_trace_frame_cache_free (VtrTraceFrameCache *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->entries);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static GBytes *
look_up_locked (VtrTraceFrameCache *self,
                guint               frame)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = &g_array_index (self->entries, Entry, i);

      if (entry->frame == frame)
        {
          entry->used = ++self->clock;
          return g_bytes_ref (entry->bytes);
        }
    }
  return NULL;
}

static void
insert_locked (VtrTraceFrameCache *self,
               guint               frame,
               GBytes             *bytes)
{
  Entry entry = { frame, ++self->clock, g_bytes_ref (bytes) };

  self->total += g_bytes_get_size (bytes);
  while (self->total > self->capacity && self->entries->len > 0)
    {
      guint oldest = 0;

      for (guint i = 1; i < self->entries->len; i++)
        if (g_array_index (self->entries, Entry, i).used <
            g_array_index (self->entries, Entry, oldest).used)
          oldest = i;
      self->total -= g_bytes_get_size (g_array_index (self->entries, Entry, oldest).bytes);
      g_array_remove_index_fast (self->entries, oldest);
    }
  g_array_append_val (self->entries, entry);
}

GBytes *
vtr_trace_frame_cache_get (VtrTraceFrameCache  *self,
                           guint                index,
                           GError             **error)
{
  const VtrTraceFrame *frame;
  GBytes *bytes;
  gboolean whole;

  if (index >= self->n_frames)
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                   _ ("The trace refers to part %u, but has only %u parts."), index,
                   self->n_frames);
      return NULL;
    }
  g_mutex_lock (&self->lock);
  bytes = look_up_locked (self, index);
  g_mutex_unlock (&self->lock);
  if (bytes != NULL)
    return bytes;

  /* Without the lock: two threads may decompress the same frame, but none waits for another
   * one's frame. */
  frame = &self->frames[index];
  bytes = vtr_trace_decompress (self->data + frame->offset, frame->note.compressed_size,
                                frame->note.raw_size, &whole);
  if (bytes == NULL || g_bytes_get_size (bytes) < frame->note.raw_size)
    {
      g_set_error (error, VTR_TRACE_ERROR, VTR_TRACE_ERROR_DAMAGED,
                   _ ("The part of the trace at byte %s is damaged."),
                   VTR_NUMBER (frame->offset));
      g_clear_pointer (&bytes, g_bytes_unref);
      return NULL;
    }
  g_mutex_lock (&self->lock);
  insert_locked (self, index, bytes);
  g_mutex_unlock (&self->lock);
  return bytes;
}
