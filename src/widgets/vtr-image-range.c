/* Finds the least and the greatest value of an image in a worker thread, for the viewer's
 * automatic range. */
#include "widgets/vtr-image-range.h"

#include <float.h>
#include <math.h>

typedef struct
{
  VtrImage *image;
  VtrChannels channels;
  double low, high;
} RangeJob;

static void
range_job_free (gpointer data)
{
  vtr_image_unref (((RangeJob *)data)->image);
  g_free (data);
}

static void
range_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  RangeJob *job = data;

  job->low = DBL_MAX;
  job->high = -DBL_MAX;
  for (guint32 y = 0; y < job->image->height; y++)
    for (guint32 x = 0; x < job->image->width; x++)
      {
        double values[4];
        guint n = vtr_image_read_texel (job->image, x, y, values);

        for (guint i = 0; i < MIN (n, 3); i++)
          {
            if ((n > 1 && !(job->channels & (1u << i))) || !isfinite (values[i]))
              continue;
            job->low = MIN (job->low, values[i]);
            job->high = MAX (job->high, values[i]);
          }
      }
  g_task_return_boolean (task, job->low <= job->high);
}

void
vtr_image_range_find_async (gpointer             source,
                            VtrImage            *image,
                            VtrChannels          channels,
                            GAsyncReadyCallback  callback,
                            gpointer             data)
{
  g_autoptr (GTask) task = g_task_new (source, NULL, callback, data);
  RangeJob *job = g_new0 (RangeJob, 1);

  job->image = vtr_image_ref (image);
  job->channels = channels;
  g_task_set_source_tag (task, vtr_image_range_find_async);
  g_task_set_task_data (task, job, range_job_free);
  g_task_run_in_thread (task, range_worker);
}

gboolean
vtr_image_range_find_finish (GAsyncResult *result, double *low, double *high)
{
  const RangeJob *job = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), NULL))
    return FALSE;
  *low = job->low;
  *high = job->high;
  return TRUE;
}
