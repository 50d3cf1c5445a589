/* Finds query results of the capture that a replay has to supply, because the program copies or
 * waits for them. */
#include "engine/vulkan/transforms/vtr-query-plan.h"

#include <string.h>

#include "engine/format/vtr-trace-walk.h"
#include "vtr-api-args.h"

/* More queries in a pool are not followed. */
#define MOST_QUERIES (1u << 20)

#define KEY(handle) ((gpointer)(gsize)(handle))

struct _VtrQueryPlan
{
  GHashTable *copies; /* index → VtrQueryCopy; both owned */
  GPtrArray *values;  /* VtrQueryValue: all that copies point to */
  GPtrArray *changed; /* VtrQueryCopy: those of variants */
  VtrQueryVariants *variants;
  GHashTable *copying; /* numbers of recordings that copy results; a set */
};

/* ---- What happens to queries ---- */

typedef enum
{
  EVENT_CREATE,
  EVENT_RESET, /* begun, ended or written: earlier results are no longer valid */
  EVENT_COPY,
  EVENT_TELL,
} EventKind;

typedef struct
{
  guint64 index;
  EventKind kind;
  guint64 pool;
  guint32 first, n;
} Event;

/* One use of a query, from a reset to the next. */
typedef struct
{
  VtrQueryValue *value; /* (nullable), the plan's */
  GArray *waiting;      /* (nullable): Waiting: copies that ran before the program read the value */
} Query;

typedef struct
{
  guint64 copy; /* index */
  guint32 nth;
} Waiting;

typedef struct
{
  VkQueryType type;
  guint n_values;      /* of each query */
  guint32 n;           /* queries */
  GHashTable *queries; /* number → Query, of those that something is known of */
} Pool;

typedef struct
{
  VtrQueryPlan *plan;
  VtrTrace *trace;
  VtrTimeline *timeline;
  GHashTable *pools;        /* VkQueryPool → Pool */
  GHashTable *recordings;   /* number of a recording → GArray of Event */
  GArray *calls;            /* Event: those that are no commands of a recording */
  GHashTable *n_runs;       /* index of a copy → how often it ran */
  GArray *earlier;          /* VtrQueryRunCopy, in the order in which they ran */
  GHashTable *last_earlier; /* index of a copy → VtrQueryCopy of the last of them */
  VtrArena arena;
  GError *error;
} Pass;

static void
query_free (gpointer data)
{
  Query *query = data;

  g_clear_pointer (&query->waiting, g_array_unref);
  g_free (query);
}

static void
pool_free (gpointer data)
{
  Pool *pool = data;

  g_hash_table_unref (pool->queries);
  g_free (pool);
}

/* ---- Finding them ---- */

static gboolean
matters (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCreateQueryPool:
    case VTR_CMD_vkResetQueryPool:
    case VTR_CMD_vkGetQueryPoolResults:
    case VTR_CMD_vkCmdResetQueryPool:
    case VTR_CMD_vkCmdBeginQuery:
    case VTR_CMD_vkCmdBeginQueryIndexedEXT:
    case VTR_CMD_vkCmdWriteTimestamp:
    case VTR_CMD_vkCmdWriteTimestamp2:
    case VTR_CMD_vkCmdCopyQueryPoolResults:
      return TRUE;
    default:
      return FALSE;
    }
}

#define EVENT(cmd, kind, pool, first, n) \
  case VTR_CMD_##cmd: \
    { \
      const VtrArgs_##cmd *a = command->args; \
      return (Event){ command->index, kind, (guint64)(gsize)(pool), first, n }; \
    }

/* .pool is 0 when it is none. */
static Event
event_of (const VtrCommand *command)
{
  switch (vtr_cmd_canonical (command->id))
    {
      EVENT (vkCreateQueryPool, EVENT_CREATE, a->pQueryPool != NULL ? *a->pQueryPool : 0, 0, 0)
      EVENT (vkResetQueryPool, EVENT_RESET, a->queryPool, a->firstQuery, a->queryCount)
      EVENT (vkCmdResetQueryPool, EVENT_RESET, a->queryPool, a->firstQuery, a->queryCount)
      EVENT (vkCmdBeginQuery, EVENT_RESET, a->queryPool, a->query, 1)
      EVENT (vkCmdBeginQueryIndexedEXT, EVENT_RESET, a->queryPool, a->query, 1)
      EVENT (vkCmdWriteTimestamp, EVENT_RESET, a->queryPool, a->query, 1)
      EVENT (vkCmdWriteTimestamp2, EVENT_RESET, a->queryPool, a->query, 1)
      EVENT (vkCmdCopyQueryPoolResults, EVENT_COPY, a->queryPool, a->firstQuery, a->queryCount)
      EVENT (vkGetQueryPoolResults, EVENT_TELL, a->queryPool, a->firstQuery, a->queryCount)
    default:
      return (Event){ 0 };
    }
}

static void
add_event (Pass        *self,
           const Event *event)
{
  guint32 recording = vtr_timeline_find_recording (self->timeline, event->index);
  GArray *events = self->calls;

  if (recording != VTR_NO_RECORDING)
    {
      events = g_hash_table_lookup (self->recordings, KEY (recording));
      if (events == NULL)
        {
          events = g_array_new (FALSE, FALSE, sizeof (Event));
          g_hash_table_insert (self->recordings, KEY (recording), events);
        }
    }
  g_array_append_val (events, *event);
}

static void
note_event (const VtrCommand *command,
            gpointer          data)
{
  const Event event = event_of (command);

  if (event.pool != 0)
    add_event (data, &event);
}

/* ---- One after the other ---- */

static void
create_pool (Pass             *self,
             const VtrCommand *command)
{
  const VtrArgs_vkCreateQueryPool *args = command->args;
  const VkQueryPoolCreateInfo *info = args->pCreateInfo;
  Pool *pool;

  g_hash_table_remove (self->pools, KEY (*args->pQueryPool));
  if (info == NULL || info->queryCount > MOST_QUERIES)
    return;
  pool = g_new0 (Pool, 1);
  pool->type = info->queryType;
  pool->n = info->queryCount;
  pool->n_values = 1;
  if (info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
    pool->n_values = (guint)__builtin_popcount (info->pipelineStatistics);
  else if (info->queryType == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT)
    pool->n_values = 2;
  pool->queries = g_hash_table_new_full (NULL, NULL, NULL, query_free);
  g_hash_table_insert (self->pools, KEY (*args->pQueryPool), pool);
}

static gboolean
is_in_range (gpointer key,
             gpointer value,
             gpointer data)
{
  const Event *event = data;
  guint32 query = GPOINTER_TO_UINT (key);

  return query >= event->first && query - event->first < event->n;
}

static void
forget (Pool        *pool,
        const Event *event)
{
  if (event->n > g_hash_table_size (pool->queries))
    g_hash_table_foreach_remove (pool->queries, is_in_range, (gpointer)event);
  else
    for (guint32 i = 0; i < event->n; i++)
      g_hash_table_remove (pool->queries, GUINT_TO_POINTER (event->first + i));
}

static Query *
use_query (Pool    *pool,
           guint32  number)
{
  Query *query = g_hash_table_lookup (pool->queries, GUINT_TO_POINTER (number));

  if (query == NULL)
    {
      query = g_new0 (Query, 1);
      g_hash_table_insert (pool->queries, GUINT_TO_POINTER (number), query);
    }
  return query;
}

/* ---- Values that the program reads ---- */

static guint64
read_number (const guint8 *data,
             gboolean      wide)
{
  guint64 value = 0;

  memcpy (&value, data, wide ? 8 : 4);
  return value;
}

static void
put_value (VtrQueryValue *value,
           const Pool    *pool,
           const guint8  *data,
           gboolean       wide)
{
  value->n = pool->n_values;
  for (guint i = 0; i < pool->n_values; i++)
    if (wide)
      value->wide[i] = read_number (data + i * 8, TRUE);
    else
      value->narrow[i] = (guint32)read_number (data + i * 4, FALSE);
  if (wide)
    value->has_wide = TRUE;
  else
    value->has_narrow = TRUE;
}

static void
tell_query (Pass         *self,
            Pool         *pool,
            guint32       number,
            const guint8 *data,
            gboolean      wide,
            gboolean      earlier)
{
  Query *query = use_query (pool, number);

  if (query->value == NULL)
    {
      query->value = g_new0 (VtrQueryValue, 1);
      query->value->earlier = earlier;
      g_ptr_array_add (self->plan->values, query->value);
    }
  put_value (query->value, pool, data, wide);
  for (guint i = 0; query->waiting != NULL && i < query->waiting->len; i++)
    {
      const Waiting *waiting = &g_array_index (query->waiting, Waiting, i);
      VtrQueryCopy *copy = g_hash_table_lookup (self->plan->copies, &waiting->copy);

      /* Every run of a copy has another time. */
      if (GPOINTER_TO_UINT (g_hash_table_lookup (self->n_runs, KEY (waiting->copy))) == 1)
        copy->values[waiting->nth] = query->value;
    }
  g_clear_pointer (&query->waiting, g_array_unref);
}

/* Results other than timestamps are the same in a replay, if the replay produces them. */
static void
tell (Pass             *self,
      Pool             *pool,
      const VtrCommand *command)
{
  const VtrArgs_vkGetQueryPoolResults *args = command->args;
  gboolean available = (args->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0;
  gboolean initial = (command->flags & VTR_COMMAND_INITIAL) != 0;
  gboolean wide = (args->flags & VK_QUERY_RESULT_64_BIT) != 0;
  gsize width = wide ? 8 : 4, size = width * (pool->n_values + (available ? 1 : 0));

  if (args->pData == NULL || pool->n_values > VTR_QUERY_MOST_VALUES ||
      (gint32)command->result < 0 || (!available && (gint32)command->result != VK_SUCCESS) ||
      (args->flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0 ||
      (!initial && pool->type != VK_QUERY_TYPE_TIMESTAMP))
    return;
  for (guint32 i = 0; i < args->queryCount && i < pool->n; i++)
    {
      const guint8 *data = args->pData;
      guint64 offset, end;

      if (__builtin_mul_overflow (args->stride, (guint64)i, &offset) ||
          __builtin_add_overflow (offset, size, &end) || end > args->dataSize)
        return;
      data += offset;
      if (!available || read_number (data + pool->n_values * width, wide) != 0)
        tell_query (self, pool, args->firstQuery + i, data, wide, initial);
    }
}

/* ---- Copies ---- */

static VtrQueryCopy *
new_copy (guint32 n)
{
  VtrQueryCopy *copy = g_malloc0 (sizeof *copy + n * sizeof copy->values[0]);

  copy->n = n;
  return copy;
}

static VtrQueryCopy *
use_copy (Pass        *self,
          const Event *event)
{
  VtrQueryCopy *copy = g_hash_table_lookup (self->plan->copies, &event->index);

  if (copy == NULL)
    {
      copy = new_copy (event->n);
      g_hash_table_insert (self->plan->copies, g_memdup2 (&event->index, sizeof event->index),
                           copy);
    }
  return copy;
}

static gboolean
is_same (const VtrQueryValue *a,
         const VtrQueryValue *b)
{
  return a == b || (a != NULL && b != NULL && memcmp (a, b, sizeof *a) == 0);
}

static void
wait_for_value (Query   *query,
                guint64  copy,
                guint32  nth)
{
  const Waiting waiting = { copy, nth };

  if (query->waiting == NULL)
    query->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  g_array_append_val (query->waiting, waiting);
}

static const VtrQueryValue *
known_value (const Pool *pool,
             guint32     number)
{
  const Query *query = g_hash_table_lookup (pool->queries, GUINT_TO_POINTER (number));

  return query != NULL ? query->value : NULL;
}

/* Notes which results of before the recording this run copies, if any. */
static void
note_earlier (Pass        *self,
              const Pool  *pool,
              const Event *event,
              guint32      run)
{
  VtrQueryCopy *last = g_hash_table_lookup (self->last_earlier, KEY (event->index));
  VtrQueryRunCopy earlier = { run, event->index, new_copy (event->n) };
  VtrQueryCopy *copy = earlier.copy;
  gboolean any = FALSE;

  for (guint32 i = 0; i < event->n; i++)
    {
      const VtrQueryValue *value = known_value (pool, event->first + i);

      copy->values[i] = value != NULL && value->earlier ? value : NULL;
      any = any || copy->values[i] != NULL;
    }
  if (any && (last == NULL || last->n != copy->n ||
              memcmp (copy->values, last->values, copy->n * sizeof copy->values[0]) != 0))
    {
      g_ptr_array_add (self->plan->changed, copy);
      g_hash_table_insert (self->last_earlier, KEY (event->index), copy);
    }
  else
    {
      g_free (copy);
      earlier.copy = last;
    }
  if (any)
    g_array_append_val (self->earlier, earlier);
}

static void
run_copy (Pass        *self,
          Pool        *pool,
          const Event *event,
          guint32      run_number)
{
  guint run = GPOINTER_TO_UINT (g_hash_table_lookup (self->n_runs, KEY (event->index)));
  VtrQueryCopy *copy;

  if (event->n > pool->n)
    return;
  note_earlier (self, pool, event, run_number);
  copy = use_copy (self, event);
  g_hash_table_insert (self->n_runs, KEY (event->index), GUINT_TO_POINTER (run + 1));
  for (guint32 i = 0; i < copy->n; i++)
    {
      guint32 number = event->first + i;
      const VtrQueryValue *value = known_value (pool, number);
      const VtrQueryValue *before = copy->values[i];

      if (run > 0 && !is_same (before, value))
        value = NULL;
      copy->values[i] = value;
      if (value == NULL && run == 0 && pool->type == VK_QUERY_TYPE_TIMESTAMP)
        wait_for_value (use_query (pool, number), event->index, i);
      copy->times = copy->times || pool->type == VK_QUERY_TYPE_TIMESTAMP;
    }
}

/* ---- In the order in which it all ran ---- */

static gboolean
run_event (Pass        *self,
           const Event *event,
           guint32      run)
{
  Pool *pool = g_hash_table_lookup (self->pools, KEY (event->pool));
  VtrCommand command;

  if (event->kind == EVENT_RESET && pool != NULL)
    forget (pool, event);
  else if (event->kind == EVENT_COPY && pool != NULL)
    run_copy (self, pool, event, run);
  if (event->kind != EVENT_CREATE && (event->kind != EVENT_TELL || pool == NULL))
    return TRUE;
  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (self->trace, event->index, &self->arena, &command, &self->error))
    return FALSE;
  if (event->kind == EVENT_CREATE)
    create_pool (self, &command);
  else
    tell (self, pool, &command);
  return TRUE;
}

static gboolean
run_recording (Pass    *self,
               guint32  number,
               guint    depth)
{
  const VtrRun *run = vtr_timeline_get_run (self->timeline, number);
  GArray *events = run->recording != VTR_NO_RECORDING
                     ? g_hash_table_lookup (self->recordings, KEY (run->recording))
                     : NULL;
  guint next = 0, n = events != NULL ? events->len : 0;
  gboolean ok = TRUE;

  for (guint32 i = 0; ok && depth == 0 && i < run->n_children; i++)
    {
      const VtrRun *child = vtr_timeline_get_run (self->timeline, run->first_child + i);

      while (ok && next < n && g_array_index (events, Event, next).index < child->executed_by)
        ok = run_event (self, &g_array_index (events, Event, next++), number);
      ok = ok && run_recording (self, run->first_child + i, depth + 1);
    }
  while (ok && next < n)
    ok = run_event (self, &g_array_index (events, Event, next++), number);
  return ok;
}

static gboolean
run_all (Pass *self)
{
  guint32 n = vtr_timeline_get_n_submissions (self->timeline);
  gboolean ok = TRUE;
  guint next = 0;

  for (guint32 i = 0; ok && i < n; i++)
    {
      const VtrSubmission *submission = vtr_timeline_get_submission (self->timeline, i);

      while (ok && next < self->calls->len &&
             g_array_index (self->calls, Event, next).index < submission->submit)
        ok = run_event (self, &g_array_index (self->calls, Event, next++), VTR_NO_RUN);
      for (guint32 j = 0; ok && j < submission->n_runs; j++)
        ok = run_recording (self, submission->first_run + j, 0);
    }
  while (ok && next < self->calls->len)
    ok = run_event (self, &g_array_index (self->calls, Event, next++), VTR_NO_RUN);
  return ok;
}

/* ---- At the end ---- */

/* Whether the recording with @events resets what its copy @nth copies before. */
static gboolean
is_reset_before (const GArray *events,
                 guint         nth)
{
  const Event *copy = &g_array_index (events, Event, nth);

  for (guint i = 0; i < nth; i++)
    {
      const Event *reset = &g_array_index (events, Event, i);

      if (reset->kind == EVENT_RESET && reset->pool == copy->pool &&
          reset->first <= copy->first &&
          (guint64)copy->first + copy->n <= (guint64)reset->first + reset->n)
        return TRUE;
    }
  return FALSE;
}

/* Which recordings copy results of queries that others may have counted, and which execute those
 * that do. */
static void
list_copying (Pass *self)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->recordings);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const GArray *events = value;
      gboolean copies = FALSE;

      for (guint i = 0; i < events->len && !copies; i++)
        copies =
          g_array_index (events, Event, i).kind == EVENT_COPY && !is_reset_before (events, i);
      if (copies)
        g_hash_table_add (self->plan->copying, key);
    }
  for (guint32 i = 0; i < vtr_timeline_get_n_runs (self->timeline); i++)
    {
      const VtrRun *run = vtr_timeline_get_run (self->timeline, i);

      if (run->parent != VTR_NO_RUN &&
          g_hash_table_contains (self->plan->copying, KEY (run->recording)))
        g_hash_table_add (
          self->plan->copying,
          KEY (vtr_timeline_get_run (self->timeline, run->parent)->recording));
    }
}

/* Copies of which nothing is known, and nothing is missing, are of no interest. */
static gboolean
is_plain (gpointer key,
          gpointer value,
          gpointer data)
{
  VtrQueryCopy *copy = value;
  gboolean known = FALSE, unknown = FALSE;

  for (guint32 i = 0; i < copy->n; i++)
    {
      known = known || copy->values[i] != NULL;
      unknown = unknown || copy->values[i] == NULL;
    }
  copy->times = copy->times && unknown;
  return !known && !copy->times;
}

VtrQueryPlan *
vtr_query_plan_build (VtrTrace      *trace,
                      VtrTimeline   *timeline,
                      GCancellable  *cancellable,
                      GError       **error)
{
  g_autoptr (VtrQueryPlan) self = g_new0 (VtrQueryPlan, 1);
  Pass pass = { .plan = self, .trace = trace, .timeline = timeline };
  gboolean ok;

  self->copies = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->values = g_ptr_array_new_with_free_func (g_free);
  self->changed = g_ptr_array_new_with_free_func (g_free);
  self->copying = g_hash_table_new (NULL, NULL);
  if (!vtr_trace_has_command (trace, VTR_CMD_vkCmdCopyQueryPoolResults))
    return g_steal_pointer (&self);
  pass.pools = g_hash_table_new_full (NULL, NULL, NULL, pool_free);
  pass.recordings = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
  pass.calls = g_array_new (FALSE, FALSE, sizeof (Event));
  pass.n_runs = g_hash_table_new (NULL, NULL);
  pass.earlier = g_array_new (FALSE, FALSE, sizeof (VtrQueryRunCopy));
  pass.last_earlier = g_hash_table_new (NULL, NULL);
  vtr_arena_init (&pass.arena);
  ok = vtr_trace_walk (trace, matters, note_event, &pass, cancellable, error);
  if (ok && !run_all (&pass))
    {
      g_propagate_error (error, pass.error);
      ok = FALSE;
    }
  self->variants = vtr_query_variants_new (timeline, pass.earlier, self->copies);
  list_copying (&pass);
  g_hash_table_foreach_remove (self->copies, is_plain, NULL);
  vtr_arena_finish (&pass.arena);
  g_hash_table_unref (pass.last_earlier);
  g_array_unref (pass.earlier);
  g_hash_table_unref (pass.n_runs);
  g_array_unref (pass.calls);
  g_hash_table_unref (pass.recordings);
  g_hash_table_unref (pass.pools);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
vtr_query_plan_free (VtrQueryPlan *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->copies);
  g_ptr_array_unref (self->values);
  g_ptr_array_unref (self->changed);
  vtr_query_variants_free (self->variants);
  g_hash_table_unref (self->copying);
  g_free (self);
}

const VtrQueryCopy *
vtr_query_plan_find (const VtrQueryPlan *self,
                     guint64             index)
{
  return g_hash_table_lookup (self->copies, &index);
}

const VtrQueryVariants *
vtr_query_plan_get_variants (const VtrQueryPlan *self)
{
  return self->variants;
}

gboolean
vtr_query_plan_copies (const VtrQueryPlan *self,
                       guint32             recording)
{
  return g_hash_table_contains (self->copying, KEY (recording));
}

void
vtr_query_plan_foreach (const VtrQueryPlan *self,
                        void (*each) (guint64 index,
                                      const VtrQueryCopy *copy,
                                      gpointer data),
                        gpointer data)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->copies);
  while (g_hash_table_iter_next (&iter, &key, &value))
    each (*(const guint64 *)key, value, data);
}
