/* Floods a program with D-Bus calls, while a second connection asks politely.
 *
 *   vtr-bus-flood NAME OBJECT SECONDS PER_SECOND CALL…
 *
 * CALL is an action and perhaps its string ("select", "commands/3"), or "Get" and a path, or "Open"
 * and one file. The first connection makes the call PER_SECOND times a second and waits for no
 * answer. The second one calls Data.Get ("info") and waits for each answer, a tenth of a second
 * apart. A line of JSON tells what came of it. */
#include <gio/gio.h>
#include <stdlib.h>

#define TICK_MILLISECONDS 2

static const char *name, *object, *call, *value;
static int sent, answered, refused, failed;
static char *error_name, *sentence;
static volatile gboolean done;

static void
answer_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result,
                                                               &error);

  if (answer)
    answered++;
  else if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_LIMITS_EXCEEDED))
    {
      if (refused++ == 0)
        {
          error_name = g_dbus_error_get_remote_error (error);
          g_dbus_error_strip_remote_error (error);
          sentence = g_strescape (error->message, NULL);
        }
    }
  else if (failed++ == 0)
    g_printerr ("%s\n", error->message);
}

static void
send_one (GDBusConnection *connection)
{
  g_autofree char *data = g_strconcat (name, ".Data", NULL);
  const char *interface = "org.gtk.Actions";
  const char *method = "Activate";
  GVariant *parameters;

  if (g_str_equal (call, "Get"))
    {
      interface = data;
      method = "Get";
      parameters = g_variant_new ("(s)", value);
    }
  else if (g_str_equal (call, "Open"))
    {
      g_autofree char *uri = g_filename_to_uri (value, NULL, NULL);
      const char *uris[] = { uri, NULL };

      interface = "org.freedesktop.Application";
      method = "Open";
      parameters = g_variant_new ("(^as@a{sv})", uris, g_variant_new ("a{sv}", NULL));
    }
  else
    {
      GVariantBuilder builder;

      g_variant_builder_init (&builder, G_VARIANT_TYPE ("av"));
      if (value)
        g_variant_builder_add (&builder, "v", g_variant_new_string (value));
      parameters = g_variant_new ("(sava{sv})", call, &builder, NULL);
    }
  sent++;
  g_dbus_connection_call (connection, name, object, interface, method, parameters, NULL,
                          G_DBUS_CALL_FLAGS_NO_AUTO_START, G_MAXINT, NULL, answer_cb, NULL);
}

typedef struct
{
  GDBusConnection *connection;
  int n, failed;
  gint64 longest;
} Polite;

static gpointer
polite_thread (gpointer data)
{
  Polite *self = data;
  g_autofree char *interface = g_strconcat (name, ".Data", NULL);

  while (!done)
    {
      g_autoptr (GError) error = NULL;
      gint64 begun = g_get_monotonic_time ();
      g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
        self->connection, name, object, interface, "Get", g_variant_new ("(s)", "info"), NULL,
        G_DBUS_CALL_FLAGS_NO_AUTO_START, 300 * 1000, NULL, &error);

      self->longest = MAX (self->longest, g_get_monotonic_time () - begun);
      self->n++;
      if (answer == NULL && self->failed++ == 0)
        g_printerr ("Get: %s\n", error->message);
      g_usleep (100 * 1000);
    }
  return NULL;
}

static GDBusConnection *
get_connection (void)
{
  g_autofree char *address = g_dbus_address_get_for_bus_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GError) error = NULL;
  GDBusConnection *connection = g_dbus_connection_new_for_address_sync (
    address,
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
    NULL, NULL, &error);

  if (connection == NULL)
    g_error ("%s", error->message);
  return connection;
}

int
main (int n, char **words)
{
  g_autoptr (GDBusConnection) connection = NULL;
  Polite polite = { NULL };
  gint64 begun, until;
  double per_second;
  GThread *thread;

  if (n < 6)
    return 2;
  name = words[1];
  object = words[2];
  per_second = atof (words[4]);
  call = words[5];
  value = n > 6 ? words[6] : NULL;
  connection = get_connection ();
  polite.connection = get_connection ();
  thread = g_thread_new ("polite", polite_thread, &polite);
  begun = g_get_monotonic_time ();
  until = begun + (gint64)(atof (words[3]) * G_USEC_PER_SEC);
  for (gint64 now = begun; now < until; now = g_get_monotonic_time ())
    {
      while (sent < (double)(now - begun) / G_USEC_PER_SEC * per_second)
        send_one (connection);
      g_usleep (TICK_MILLISECONDS * 1000);
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
  done = TRUE;
  g_thread_join (thread);
  for (until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
       answered + refused + failed < sent && g_get_monotonic_time () < until; g_usleep (1000))
    while (g_main_context_iteration (NULL, FALSE))
      ;
  g_print ("{\"sent\": %d, \"answered\": %d, \"refused\": %d, \"failed\": %d, \"error\": \"%s\", "
           "\"sentence\": \"%s\", \"gets\": %d, \"gets_failed\": %d, \"longest\": %.3f}\n",
           sent, answered, refused, failed, error_name ? error_name : "", sentence ? sentence : "",
           polite.n, polite.failed, (double)polite.longest / G_USEC_PER_SEC);
  return 0;
}
