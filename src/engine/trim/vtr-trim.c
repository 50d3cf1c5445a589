/* Writes a smaller copy of a trace without the objects and contents that its frames do not use. */
#include "engine/trim/vtr-trim.h"

#include "vtr-config.h"

#include "engine/api/vtr-trim-api.h"
#include "engine/format/vtr-trace-rewrite.h"
#include "engine/state/vtr-history.h"

#include <glib/gstdio.h>

typedef struct
{
  VtrTrace *trace;
  VtrHistory *history;
  guint64 n_initial;
  guint8 *kept;                 /* of initial commands */
  gpointer found[VTR_MAX_APIS]; /* of each API, by its number; NULL: all that is its stays */
} Trim;

/* ---- What stays ---- */

/* What the API of @id has to say. Returns: NULL: nothing. */
static const VtrTraceFilter *
get_filter (const Trim *self,
            guint32     id)
{
  const guint number = vtr_api_get_number (id);

  return number < VTR_MAX_APIS && self->found[number] != NULL
           ? vtr_apis[number]->trim->get_filter (self->found[number])
           : NULL;
}

static VtrRewriteAnswer
filter_command (gpointer    data,
                guint64     index,
                VtrBuffer  *message,
                GError    **error)
{
  const Trim *self = data;
  const VtrTraceFilter *filter;

  if (index >= self->n_initial)
    return VTR_REWRITE_KEEP;
  if (!self->kept[index])
    return VTR_REWRITE_DROP;
  filter = get_filter (self, vtr_trace_get_command_id (self->trace, index));
  return filter != NULL ? filter->command (filter->data, index, message, error) : VTR_REWRITE_KEEP;
}

static const VtrRangeSet *
filter_bytes (gpointer    data,
              guint64     index,
              VtrHandleId kind,
              guint64     name)
{
  const VtrTraceFilter *filter = get_filter (data, kind);

  return filter != NULL ? filter->bytes (filter->data, index, kind, name) : NULL;
}

static gboolean
filter_contents (gpointer    data,
                 guint64     index,
                 VtrHandleId kind,
                 guint64     name)
{
  const VtrTraceFilter *filter = get_filter (data, kind);

  return filter == NULL || filter->contents (filter->data, index, kind, name);
}

/* ---- All of it ---- */

/* Commands of an API that cannot tell, or that this build does not have, stay. */
static gboolean
find (Trim          *self,
      GCancellable  *cancellable,
      GError       **error)
{
  for (guint64 i = 0; i < self->n_initial; i++)
    {
      const VtrApi *api = vtr_api_get (vtr_trace_get_command_id (self->trace, i));

      self->kept[i] = api == NULL || api->trim == NULL;
    }
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    {
      if (vtr_apis[i]->trim == NULL)
        continue;
      self->found[i] =
        vtr_apis[i]->trim->find (self->trace, self->history, self->kept, cancellable, error);
      if (self->found[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
count (const Trim   *self,
       VtrTrimFacts *facts)
{
  guint32 n = vtr_history_get_n_objects (self->history);

  facts->commands_before = self->n_initial;
  for (guint64 i = 0; i < self->n_initial; i++)
    facts->commands_after += self->kept[i];
  for (guint32 id = 1; id <= n; id++)
    {
      const VtrObject *object = vtr_history_get_object (self->history, id);

      if (object->created >= self->n_initial || object->destroyed < self->n_initial)
        continue;
      facts->objects_before++;
      facts->objects_after += self->kept[object->created];
    }
}

static gboolean
trim (Trim          *self,
      const char    *output,
      VtrTrimFacts  *facts,
      GCancellable  *cancellable,
      GError       **error)
{
  const VtrTraceFilter filter = {
    .data = self,
    .command = filter_command,
    .bytes = filter_bytes,
    .contents = filter_contents,
  };
  GStatBuf info;

  self->history = vtr_history_build (self->trace, NULL, NULL, cancellable, error);
  if (self->history == NULL)
    return FALSE;
  self->n_initial = vtr_trace_get_n_initial_commands (self->trace);
  self->kept = g_new0 (guint8, self->n_initial + 1);
  if (!find (self, cancellable, error))
    return FALSE;
  count (self, facts);
  facts->bytes_before = vtr_trace_get_info (self->trace)->bytes;
  if (!vtr_trace_rewrite (self->trace, &filter, output, cancellable, error))
    return FALSE;
  facts->bytes_after = g_stat (output, &info) == 0 ? (guint64)info.st_size : 0;
  return TRUE;
}

gboolean
vtr_trim (const char    *path,
          const char    *output,
          VtrTrimFacts  *facts,
          GCancellable  *cancellable,
          GError       **error)
{
  g_autoptr (VtrTrace) trace = vtr_trace_open (path, NULL, NULL, cancellable, error);
  VtrTrimFacts local = { 0 };
  Trim self = { .trace = trace };
  gboolean done;

  if (trace == NULL)
    return FALSE;
  done = trim (&self, output, &local, cancellable, error);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (self.found[i] != NULL)
      vtr_apis[i]->trim->free (self.found[i]);
  g_free (self.kept);
  g_clear_pointer (&self.history, vtr_history_unref);
  if (done && facts != NULL)
    *facts = local;
  return done;
}
