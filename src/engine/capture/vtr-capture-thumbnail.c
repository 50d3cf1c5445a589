#include "vtr-capture-thumbnail.h"

#include "base/vtr-buffer.h"
#include "engine/format/vtr-trace-header.h"
#include "engine/format/vtr-trace-writer.h"
#include "engine/resolve/vtr-document.h"
#include "wire/vtr-pack-field.h"
#include "wire/vtr-trace-objects.h"

#include <png.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 180
/* The trace is copied to get its picture. */
#define MAX_BYTES (256u * 1024u * 1024u)

/* The end of the first frame. */
static VtrImage *
read_frame (VtrDocument   *document,
            GCancellable  *cancellable,
            GError       **error)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  g_autoptr (GArray) infos = NULL;
  guint64 first, last;

  vtr_trace_get_frame (trace, 0, &first, &last);
  infos = vtr_document_list_attachments (document, last, error);
  if (infos == NULL || infos->len == 0)
    return NULL;
  return vtr_document_get_framebuffer (document, last,
                                       g_array_index (infos, VtrAttachmentInfo, 0).kind,
                                       cancellable, error);
}

/* The mean of a box of the image; RGBA. */
static void
average (const guint8 *pixels,
         guint32       stride,
         guint32       x0,
         guint32       x1,
         guint32       y0,
         guint32       y1,
         guint8        out[4])
{
  guint64 sums[4] = { 0 }, n = (guint64)(x1 - x0) * (y1 - y0);

  for (guint32 y = y0; y < y1; y++)
    for (guint32 x = x0; x < x1; x++)
      for (guint c = 0; c < 4; c++)
        sums[c] += pixels[(gsize)y * stride + (gsize)x * 4 + c];
  for (guint c = 0; c < 4; c++)
    out[c] = (guint8)(sums[c] / n);
  /* What a window shows is opaque. */
  out[3] = 255;
}

/* @width, @height: (inout): of the image, then of the picture. */
static guint8 *
shrink (const guint8 *pixels,
        guint32      *width,
        guint32      *height)
{
  guint32 from_width = *width, from_height = *height;
  double scale = MIN (1.0, MIN ((double)WIDTH / from_width, (double)HEIGHT / from_height));
  guint32 to_width = MAX (1, (guint32)(from_width * scale));
  guint32 to_height = MAX (1, (guint32)(from_height * scale));
  guint8 *to = g_malloc ((gsize)to_width * to_height * 4);

  for (guint32 y = 0; y < to_height; y++)
    for (guint32 x = 0; x < to_width; x++)
      {
        guint32 x0 = (guint32)((guint64)x * from_width / to_width);
        guint32 y0 = (guint32)((guint64)y * from_height / to_height);
        guint32 x1 = (guint32)((guint64)(x + 1) * from_width / to_width);
        guint32 y1 = (guint32)((guint64)(y + 1) * from_height / to_height);

        average (pixels, from_width * 4, x0, MAX (x1, x0 + 1), y0, MAX (y1, y0 + 1),
                 to + ((gsize)y * to_width + x) * 4);
      }
  *width = to_width;
  *height = to_height;
  return to;
}

/* PNG. */
static GBytes *
make_picture (VtrImage *image)
{
  g_autoptr (GBytes) rgba = vtr_image_to_rgba8 (image, 0, 1);
  png_image png = { .version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGBA };
  guint32 width = image->width, height = image->height;
  g_autofree guint8 *pixels = NULL;
  g_autofree guint8 *out = NULL;
  png_alloc_size_t size = 0;

  if (rgba == NULL || width == 0 || height == 0 ||
      g_bytes_get_size (rgba) < (gsize)width * height * 4)
    return NULL;
  pixels = shrink (g_bytes_get_data (rgba, NULL), &width, &height);
  png.width = width;
  png.height = height;
  if (!png_image_write_to_memory (&png, NULL, &size, FALSE, pixels, 0, NULL))
    return NULL;
  out = g_malloc (size);
  if (!png_image_write_to_memory (&png, out, &size, FALSE, pixels, 0, NULL))
    return NULL;
  return g_bytes_new (out, size);
}

/* The header as it is, and the picture. */
static gboolean
write_header (const char  *path,
              GBytes      *header,
              GBytes      *picture,
              GError     **error)
{
  VtrBuffer message = { 0 };
  gboolean done = FALSE;
  const void *data;
  gsize size;

  data = g_bytes_get_data (header, &size);
  vtr_buffer_append (&message, data, size);
  data = g_bytes_get_data (picture, &size);
  vtr_pack_append_bytes (&message, VTR_HEADER_THUMBNAIL, data, size);
  if (!message.failed)
    done = vtr_trace_amend (path, "vitrine.Header", message.data, message.size, error);
  vtr_buffer_finish (&message);
  return done;
}

/* ---- In a thread ---- */

/* A picture that is being made. Shared by the thread that makes it and the one that waits. */
typedef struct
{
  gatomicrefcount refs;
  char *path;
  GCancellable *cancellable;
  GMutex lock;
  GCond wake;
  gboolean done;
  GBytes *header;  /* of the trace; NULL when there is none, or no picture */
  GBytes *picture; /* NULL when there is none */
  GError *error;
} Job;

static void
job_unref (Job *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->header, g_bytes_unref);
  g_clear_pointer (&self->picture, g_bytes_unref);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_object_unref (self->cancellable);
  g_free (self->path);
  g_free (self);
}

static GBytes *
read_picture (VtrDocument   *document,
              GCancellable  *cancellable,
              GError       **error)
{
  const VtrTraceInfo *info = vtr_trace_get_info (vtr_document_get_trace (document));
  g_autoptr (VtrImage) image = NULL;

  if (info->truncated || info->bytes > MAX_BYTES)
    return NULL;
  image = read_frame (document, cancellable, error);
  return image != NULL ? make_picture (image) : NULL;
}

/* The document is let go of here: its replay may take long to end. */
static gpointer
run (gpointer data)
{
  Job *self = data;
  GError *error = NULL;
  g_autoptr (VtrDocument) document =
    vtr_document_open (self->path, NULL, NULL, self->cancellable, &error);
  GBytes *picture = document != NULL ? read_picture (document, self->cancellable, &error) : NULL;
  GBytes *header =
    picture != NULL ? vtr_trace_get_header (vtr_document_get_trace (document)) : NULL;

  g_mutex_lock (&self->lock);
  self->header = header != NULL ? g_bytes_ref (header) : NULL;
  self->picture = picture;
  self->error = error;
  self->done = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  job_unref (self);
  return NULL;
}

static Job *
job_start (const char   *path,
           GCancellable *cancellable)
{
  Job *self = g_new0 (Job, 1);

  g_atomic_ref_count_init (&self->refs);
  g_atomic_ref_count_inc (&self->refs);
  self->path = g_strdup (path);
  self->cancellable = g_object_ref (cancellable);
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  g_thread_unref (g_thread_new ("picture", run, self));
  return self;
}

static void
on_cancelled (GCancellable *cancellable,
              gpointer      data)
{
  Job *self = data;

  g_mutex_lock (&self->lock);
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
}

/* Returns: whether it is done; else it was cancelled. */
static gboolean
job_wait (Job *self)
{
  gulong id = g_cancellable_connect (self->cancellable, G_CALLBACK (on_cancelled), self, NULL);
  gboolean done;

  g_mutex_lock (&self->lock);
  while (!self->done && !g_cancellable_is_cancelled (self->cancellable))
    g_cond_wait (&self->wake, &self->lock);
  done = self->done;
  g_mutex_unlock (&self->lock);
  g_cancellable_disconnect (self->cancellable, id);
  return done;
}

gboolean
vtr_capture_thumbnail_add (const char    *path,
                           GCancellable  *cancellable,
                           GError       **error)
{
  Job *job = job_start (path, cancellable);
  gboolean done = FALSE;

  if (!job_wait (job))
    g_cancellable_set_error_if_cancelled (cancellable, error);
  else if (job->picture != NULL && job->header != NULL)
    done = write_header (path, job->header, job->picture, error);
  else if (job->error != NULL)
    g_propagate_error (error, g_steal_pointer (&job->error));
  job_unref (job);
  return done;
}
