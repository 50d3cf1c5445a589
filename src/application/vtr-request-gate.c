/* Refuses D-Bus calls of a client that sends more than the main loop can handle, so that it
 * cannot block the window or other clients. */
#include "vtr-config.h"

#include "application/vtr-request-gate.h"

#include <glib/gi18n.h>

#include "application/vtr-turns.h"

#define LIMITS_EXCEEDED "org.freedesktop.DBus.Error.LimitsExceeded"
#define FIRST_MILLISECONDS 500
#define AGAIN_MILLISECONDS 20000

struct _VtrRequestGate
{
  gatomicrefcount n_refs;
  GDBusConnection *connection;
  guint filter;
  VtrRequestGateFunc tell; /* NULL: freed. Main thread only, as its data */
  gpointer data;
  gboolean told;

  GMutex lock;
  GHashTable *taken; /* char * → number of calls since the main loop was idle */
  guint n_refused;
};

static void
gate_unref (gpointer data)
{
  VtrRequestGate *self = data;

  if (!g_atomic_ref_count_dec (&self->n_refs))
    return;
  g_object_unref (self->connection);
  g_hash_table_unref (self->taken);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gpointer
gate_ref (VtrRequestGate *self)
{
  g_atomic_ref_count_inc (&self->n_refs);
  return self;
}

/* The main loop is idle: everything that was ready is done, drawing included. */
static gboolean
idle_cb (gpointer data)
{
  VtrRequestGate *self = data;

  g_mutex_lock (&self->lock);
  g_hash_table_remove_all (self->taken);
  g_mutex_unlock (&self->lock);
  return G_SOURCE_REMOVE;
}

static gboolean
tell_cb (gpointer data)
{
  VtrRequestGate *self = data;
  guint n;

  g_mutex_lock (&self->lock);
  n = self->n_refused;
  self->n_refused = 0;
  g_mutex_unlock (&self->lock);
  g_atomic_int_set (&self->told, TRUE);
  if (self->tell)
    self->tell (n, self->data);
  return G_SOURCE_REMOVE;
}

static gboolean
admit (VtrRequestGate *self, const char *sender)
{
  gboolean first, first_refused = FALSE, admitted;
  guint n;

  g_mutex_lock (&self->lock);
  first = g_hash_table_size (self->taken) == 0;
  n = GPOINTER_TO_UINT (g_hash_table_lookup (self->taken, sender));
  if (n == 0)
    g_hash_table_insert (self->taken, g_strdup (sender), GUINT_TO_POINTER (1));
  admitted = n < vtr_turns_share (g_hash_table_size (self->taken));
  if (admitted)
    g_hash_table_insert (self->taken, g_strdup (sender), GUINT_TO_POINTER (n + 1));
  else
    first_refused = self->n_refused++ == 0;
  g_mutex_unlock (&self->lock);
  if (first)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, idle_cb, gate_ref (self), gate_unref);
  if (first_refused)
    g_timeout_add_full (G_PRIORITY_DEFAULT,
                        g_atomic_int_get (&self->told) ? AGAIN_MILLISECONDS : FIRST_MILLISECONDS,
                        tell_cb, gate_ref (self), gate_unref);
  return admitted;
}

static const char *
get_sentence (void)
{
  return _ ("Too many requests at a time. Wait for the answers before you send more");
}

static GDBusMessage *
filter_cb (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  const char *sender = g_dbus_message_get_sender (message);

  if (!incoming || g_dbus_message_get_message_type (message) != G_DBUS_MESSAGE_TYPE_METHOD_CALL ||
      admit (data, sender ? sender : ""))
    return message;
  if ((g_dbus_message_get_flags (message) & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED) == 0)
    {
      g_autoptr (GDBusMessage) reply =
        g_dbus_message_new_method_error_literal (message, LIMITS_EXCEEDED, get_sentence ());

      g_dbus_connection_send_message (connection, reply, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL,
                                      NULL);
    }
  g_object_unref (message);
  return NULL;
}

VtrRequestGate *
vtr_request_gate_new (GDBusConnection *connection, VtrRequestGateFunc tell, gpointer data)
{
  VtrRequestGate *self = g_new0 (VtrRequestGate, 1);

  g_atomic_ref_count_init (&self->n_refs);
  g_mutex_init (&self->lock);
  self->connection = g_object_ref (connection);
  self->tell = tell;
  self->data = data;
  self->taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->filter =
    g_dbus_connection_add_filter (connection, filter_cb, gate_ref (self), gate_unref);
  return self;
}

void
vtr_request_gate_free (VtrRequestGate *self)
{
  self->tell = NULL;
  g_dbus_connection_remove_filter (self->connection, self->filter);
  gate_unref (self);
}

void
vtr_request_gate_refuse (GDBusMethodInvocation *invocation)
{
  g_dbus_method_invocation_return_dbus_error (invocation, LIMITS_EXCEEDED, get_sentence ());
}
