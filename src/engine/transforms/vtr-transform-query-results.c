/* Puts results of queries that a replay cannot count where the trace copies them to: those that
 * ended before the recording began, and times that the program was told. */
#include "engine/transforms/vtr-transforms.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/format/vtr-number.h"
#include "vtr-api-args.h"

#define MOST_UPDATE 65536u /* bytes, of vkCmdUpdateBuffer */

typedef struct
{
  VtrTransform parent;
  const VtrQueryPlan *plan;
} TransformQueryResults;

/* One copy on its way. */
typedef struct
{
  VtrTransform *next;
  const VtrCommand *command;
  const VtrArgs_vkCmdCopyQueryPoolResults *args;
  const VtrQueryCopy *copy;
  gsize width;  /* bytes of a number */
  GArray *data; /* guint8: results of queries one after the other */
} Copying;

static gboolean
is_known (const Copying *self,
          guint32        nth)
{
  const VtrQueryValue *value = self->copy->values[nth];

  return value != NULL && (self->width == sizeof (guint64) ? value->has_wide : value->has_narrow);
}

static void
append_number (Copying *self,
               guint64  wide,
               guint32  narrow)
{
  if (self->width == sizeof wide)
    g_array_append_vals (self->data, &wide, sizeof wide);
  else
    g_array_append_vals (self->data, &narrow, sizeof narrow);
}

static void
append_result (Copying *self,
               guint32  nth)
{
  const VtrQueryValue *value = self->copy->values[nth];

  for (guint i = 0; i < value->n; i++)
    append_number (self, value->wide[i], value->narrow[i]);
  if ((self->args->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0)
    append_number (self, 1, 1);
}

/* The results of query @nth, and of those behind it as long as they lie without gaps. Returns: how
 * many queries; 0 with @error. */
static guint32
put_known (Copying  *self,
           guint32   nth,
           GError  **error)
{
  const VtrArgs_vkCmdCopyQueryPoolResults *args = self->args;
  VtrArgs_vkCmdUpdateBuffer update = { args->commandBuffer, args->dstBuffer,
                                       args->dstOffset + nth * args->stride, 0, NULL };
  guint32 n = 0;
  gsize size;

  g_array_set_size (self->data, 0);
  do
    {
      append_result (self, nth + n++);
      size = self->data->len / n;
    }
  while (nth + n < self->copy->n && is_known (self, nth + n) && args->stride == size &&
         self->data->len + size <= MOST_UPDATE);
  update.dataSize = self->data->len;
  update.pData = self->data->data;
  return vtr_transform_emit (self->next, VTR_CMD_vkCmdUpdateBuffer, &update, self->command->index,
                             error)
           ? n
           : 0;
}

/* Those that the replay counts itself. */
static guint32
copy_others (Copying  *self,
             guint32   nth,
             GError  **error)
{
  VtrArgs_vkCmdCopyQueryPoolResults args = *self->args;
  guint32 n = 1;

  while (nth + n < self->copy->n && !is_known (self, nth + n))
    n++;
  args.firstQuery += nth;
  args.queryCount = n;
  args.dstOffset += nth * args.stride;
  return vtr_transform_emit (self->next, self->command->id, &args, self->command->index, error)
           ? n
           : 0;
}

static gboolean
put_results (Copying  *self,
             GError  **error)
{
  guint32 n = 0;

  self->data = g_array_new (FALSE, FALSE, 1);
  for (guint32 i = 0; i < self->copy->n; i += n)
    {
      n = is_known (self, i) ? put_known (self, i, error) : copy_others (self, i, error);
      if (n == 0)
        break;
    }
  g_array_unref (self->data);
  return n > 0;
}

static gboolean
query_results_command (VtrTransform  *transform,
                       VtrCommand    *command,
                       GError       **error)
{
  const TransformQueryResults *self = (const TransformQueryResults *)transform;
  const VtrQueryCopy *copy = NULL;
  Copying copying = { .next = self->parent.next, .command = command, .args = command->args };

  if (vtr_cmd_canonical (command->id) == VTR_CMD_vkCmdCopyQueryPoolResults)
    copy = vtr_query_plan_find (self->plan, command->index);
  if (copy == NULL || copying.args->queryCount != copy->n)
    return vtr_transform_command (self->parent.next, command, error);
  if (copy->unlike)
    {
      g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                   _ ("Command %s copies a result of a query that ended before the recording "
                      "began, when it runs first, and another one later: that cannot be replayed"),
                   VTR_NUMBER (command->index));
      return FALSE;
    }
  copying.copy = copy;
  copying.width =
    (copying.args->flags & VK_QUERY_RESULT_64_BIT) != 0 ? sizeof (guint64) : sizeof (guint32);
  return put_results (&copying, error);
}

static void
query_results_free (VtrTransform *transform)
{
  g_free (transform);
}

static const VtrTransformClass query_results_class = {
  .name = "query-results",
  .command = query_results_command,
  .free = query_results_free,
  .resume = vtr_transform_resume_plain,
};

VtrTransform *
vtr_transform_query_results_new (const VtrQueryPlan *plan)
{
  TransformQueryResults *self = g_new0 (TransformQueryResults, 1);

  self->parent.klass = &query_results_class;
  self->plan = plan;
  return &self->parent;
}
