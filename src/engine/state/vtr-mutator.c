/* Applies commands to a state with the help of their API, from one position to another. */
#include "engine/state/vtr-mutator.h"

#include <stdarg.h>
#include <string.h>

static guint32
find_next_end (VtrStateShared *shared,
               guint64         index)
{
  guint32 low = 0, high = shared->n_ends;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (vtr_history_get_object (shared->history, shared->ends[middle])->destroyed + 1 <=
          index + 1)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
vtr_mutator_init (VtrMutator     *self,
                  VtrStateShared *shared,
                  VtrApiState    *state)
{
  *self = (VtrMutator){
    .shared = shared,
    .state = state,
    .next_end = find_next_end (shared, state->index),
  };
  vtr_arena_init (&self->arena);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->state != NULL && vtr_apis[i]->state->mutator_new != NULL)
      self->parts[i] = vtr_apis[i]->state->mutator_new ();
}

void
vtr_mutator_finish (VtrMutator *self)
{
  for (guint i = 0; i < VTR_MAX_APIS; i++)
    g_free (self->parts[i]);
  g_clear_pointer (&self->state, vtr_api_state_unref);
  vtr_arena_finish (&self->arena);
}

guint32
vtr_mutator_find (VtrMutator *self,
                  guint32     kind,
                  guint64     name)
{
  const VtrObject *object =
    vtr_history_find_name (self->shared->history, kind, name, self->command.index);

  return object != NULL ? object->id : 0;
}

gpointer
vtr_mutator_edit_id (VtrMutator *self,
                     guint32     id)
{
  VtrStateRecord *record = vtr_api_state_edit (self->state, id);

  if (record != NULL)
    record->command = (guint32)self->command.index;
  return record;
}

gpointer
vtr_mutator_edit (VtrMutator *self,
                  guint32     kind,
                  guint64     name)
{
  return vtr_mutator_edit_id (self, vtr_mutator_find (self, kind, name));
}

gpointer
vtr_mutator_edit_own (VtrMutator *self,
                      guint32     id)
{
  VtrStateRecord *record = vtr_api_state_edit_own (self->state, id);

  record->command = (guint32)self->command.index;
  return record;
}

char *
vtr_mutator_describe (VtrMutator *self,
                      guint32     id)
{
  return vtr_history_describe (self->shared->history,
                               vtr_history_get_object (self->shared->history, id));
}

void
vtr_mutator_say (VtrMutator *self,
                 VtrStateLevel level,
                 guint64 index,
                 const char *check,
                 const char *format,
                 ...)
{
  VtrStateMessage message = { .level = level, .index = index, .check = check };
  g_autofree char *key = NULL;
  va_list args;

  if (self->messages == NULL)
    return;
  if (self->unordered && level == VTR_STATE_ERROR)
    message.level = VTR_STATE_WARNING;

  va_start (args, format);
  message.text = g_strdup_vprintf (format, args);
  va_end (args);
  /* One recording may run a thousand times. */
  key = g_strdup_printf ("%" G_GUINT64_FORMAT " %s", index, message.text);
  if (g_hash_table_add (self->said, g_steal_pointer (&key)))
    g_array_append_val (self->messages, message);
  else
    g_free (message.text);
}

/* --- Commands --- */

/* Whether a command changes anything but by creating and destroying. */
static gboolean
is_wanted (VtrCmdId id)
{
  const VtrApi *api = vtr_api_get (id);

  return api != NULL && api->state != NULL && api->state->mutate != NULL &&
         (api->state->wants == NULL || api->state->wants (vtr_cmd_canonical (id)));
}

static gboolean
wants (VtrCmdId id)
{
  static guint8 *table;

  if (g_once_init_enter (&table))
    {
      guint8 *made = g_new (guint8, VTR_N_COMMANDS);

      for (guint i = 0; i < VTR_N_COMMANDS; i++)
        made[i] = (guint8)is_wanted (vtr_cmd_at (i));
      g_once_init_leave (&table, made);
    }
  return vtr_cmd_is_known (id) && table[vtr_cmd_index (id)] != 0;
}

static gboolean
mutator_decode (VtrMutator *self,
                guint64     index)
{
  vtr_arena_reset (&self->arena);
  self->work++;
  if (!vtr_trace_decode (vtr_timeline_get_trace (self->shared->timeline), index, &self->arena,
                         &self->command, NULL))
    return FALSE;
  self->command.id = vtr_cmd_canonical (self->command.id);
  return TRUE;
}

static void
end_objects (VtrMutator *self,
             guint64     index)
{
  VtrHistory *history = self->shared->history;

  while (self->next_end < self->shared->n_ends &&
         vtr_history_get_object (history, self->shared->ends[self->next_end])->destroyed <= index)
    vtr_api_state_drop (self->state, self->shared->ends[self->next_end++]);
}

/* The command is over. */
static void
arrive (VtrMutator *self,
        guint64     index)
{
  end_objects (self, index);
  self->state->index = index;
  self->state->run = VTR_NO_RUN;
}

void
vtr_mutator_apply (VtrMutator *self,
                   guint64     index)
{
  VtrCmdId id = vtr_trace_get_command_id (vtr_timeline_get_trace (self->shared->timeline), index);

  if (wants (id) && mutator_decode (self, index))
    vtr_api_get (self->command.id)->state->mutate (self);
  arrive (self, index);
}

/* Into a submission, or from inside it. */
static void
mutator_submit_part (VtrMutator             *self,
                     guint64                 index,
                     const VtrStatePosition *from,
                     const VtrStatePosition *to)
{
  const VtrApi *api;

  if (mutator_decode (self, index))
    {
      api = vtr_api_get (self->command.id);
      if (api != NULL && api->state != NULL && api->state->run != NULL)
        api->state->run (self, from, to);
    }
  if (to == NULL)
    arrive (self, index);
}

gboolean
vtr_mutator_go (VtrMutator              *self,
                const VtrStatePosition  *from,
                const VtrStatePosition  *to,
                GCancellable            *cancellable,
                GError                 **error)
{
  guint64 next = from->index + 1;

  if (from->run != VTR_NO_RUN)
    {
      gboolean inside = to->index == from->index && to->run != VTR_NO_RUN;

      mutator_submit_part (self, from->index, from, inside ? to : NULL);
      if (to->index == from->index)
        return TRUE;
    }
  for (; next != VTR_COMMAND_NO_INDEX && next + 1 <= to->index + 1; next++)
    {
      if (next % 1024 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (next == to->index && to->run != VTR_NO_RUN)
        mutator_submit_part (self, next, NULL, to);
      else
        vtr_mutator_apply (self, next);
    }
  return TRUE;
}
