/* Queues the questions that D-Bus clients ask: each client may have a few running at a time, so
 * that none of them delays the others. */
#include "vtr-config.h"

#include "application/vtr-turns.h"

/* The most jobs of one caller, if it is alone, and of all callers. */
#define MAX_OF_SENDER 64u
#define MAX_TOTAL 512u
#define MAX_RUNNING 2u

typedef struct
{
  VtrTurnFunc begin;
  gpointer data;
} Job;

typedef struct
{
  guint n_running;
  GQueue waiting; /* Job */
} Sender;

struct _VtrTurns
{
  GHashTable *senders; /* char * → Sender, for callers with jobs */
};

guint
vtr_turns_share (guint n_senders)
{
  return CLAMP (MAX_TOTAL / MAX (n_senders, 1), 1, MAX_OF_SENDER);
}

static void
sender_free (gpointer data)
{
  Sender *sender = data;

  g_queue_clear_full (&sender->waiting, g_free);
  g_free (sender);
}

VtrTurns *
vtr_turns_new (void)
{
  VtrTurns *self = g_new0 (VtrTurns, 1);

  self->senders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, sender_free);
  return self;
}

void
vtr_turns_free (VtrTurns *self)
{
  g_hash_table_unref (self->senders);
  g_free (self);
}

gboolean
vtr_turns_take (VtrTurns *self, const char *name, VtrTurnFunc begin, gpointer data)
{
  Sender *sender = g_hash_table_lookup (self->senders, name);
  Job *job;

  if (sender == NULL)
    {
      sender = g_new0 (Sender, 1);
      g_queue_init (&sender->waiting);
      g_hash_table_insert (self->senders, g_strdup (name), sender);
    }
  if (sender->n_running < MAX_RUNNING)
    {
      sender->n_running++;
      begin (data);
      return TRUE;
    }
  if (sender->n_running + sender->waiting.length >=
      MAX (vtr_turns_share (g_hash_table_size (self->senders)), MAX_RUNNING))
    return FALSE;
  job = g_new (Job, 1);
  *job = (Job){ begin, data };
  g_queue_push_tail (&sender->waiting, job);
  return TRUE;
}

void
vtr_turns_give_back (VtrTurns *self, const char *name)
{
  Sender *sender = g_hash_table_lookup (self->senders, name);
  g_autofree Job *job = NULL;

  g_return_if_fail (sender != NULL && sender->n_running > 0);
  sender->n_running--;
  job = g_queue_pop_head (&sender->waiting);
  if (job)
    {
      sender->n_running++;
      job->begin (job->data);
    }
  else if (sender->n_running == 0)
    g_hash_table_remove (self->senders, name);
}
