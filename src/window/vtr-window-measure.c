/* The window's actions that start and stop a measurement, and the progress that scripts can
 * read. */
#include "vtr-config.h"

#include "window/vtr-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/answers/vtr-timings-json.h"
#include "session/vtr-measurement.h"
#include "session/vtr-remote-state.h"

/* The state for scripts: "measuring 3/6" (3/0: until it is stopped), "measured 5", "failed
 * SENTENCE". */
static void
tell_state (VtrWindow *self, VtrMeasurement *measurement)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  const VtrTimings *timings = vtr_measurement_get_timings (measurement);
  const char *error = vtr_measurement_get_error (measurement);
  g_autofree char *state = NULL;
  guint done, total;

  if (application == NULL)
    return;
  if (vtr_measurement_is_running (measurement, &done, &total))
    state = g_strdup_printf ("measuring %u/%u", done, total);
  else if (error != NULL)
    state = g_strdup_printf ("failed %s", error);
  else if (timings != NULL)
    state = g_strdup_printf ("measured %u", timings->n_loops);
  vtr_remote_state_set (application, "measurement", state);
}

/* "by=pass&loops=20&statistics"; loops=0: until it is stopped. */
static gboolean
parse_wish (const char *text, VtrTimingsQuery *wish, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "&", -1);

  for (guint i = 0; parts[i] != NULL && *text != '\0'; i++)
    if (g_str_equal (parts[i], "statistics"))
      wish->statistics = TRUE;
    else if (g_str_equal (parts[i], "loops=0"))
      wish->n_loops = VTR_TIMINGS_FOR_EVER;
    else if (!vtr_timings_query_parse (parts[i], wish, error))
      return FALSE;
  return TRUE;
}

static void
measure_now (VtrWindow *self, const char *wish)
{
  g_autoptr (GError) error = NULL;
  VtrMeasurement *measurement;

  if (self->session == NULL)
    {
      vtr_window_complain (self, _ ("The window shows no trace"));
      return;
    }
  measurement = vtr_measurement_of (self->session);
  if (wish != NULL)
    {
      VtrTimingsQuery query = {
        .by = VTR_TIMINGS_BY_DRAW,
        .n_loops = VTR_TIMINGS_LOOPS,
        .n_warm = 1,
      };

      if (!parse_wish (wish, &query, &error))
        {
          vtr_window_complain (self, error->message);
          return;
        }
      vtr_measurement_set_wish (measurement, &query);
    }
  vtr_trace_page_raise (self->trace, "timings");
  g_signal_handlers_disconnect_by_data (measurement, self);
  g_signal_connect_object (measurement, "changed", G_CALLBACK (tell_state), self,
                           G_CONNECT_SWAPPED);
  vtr_measurement_start (measurement);
}

static void
ready_to_measure_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree char *wish = data;

  if (vtr_window_wait_finish (VTR_WINDOW (source), result, NULL))
    measure_now (VTR_WINDOW (source), wish);
}

void
vtr_window_measure (VtrWindow *self, const char *wish)
{
  if (vtr_window_is_page (self, "loading"))
    vtr_window_wait_async (self, NULL, ready_to_measure_cb, g_strdup (wish));
  else
    measure_now (self, wish);
}

void
vtr_window_stop_measuring (VtrWindow *self)
{
  if (self->session != NULL)
    vtr_measurement_stop (vtr_measurement_of (self->session));
}

static void
measure_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_measure (VTR_WINDOW (widget), NULL);
}

static void
stop_measuring_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vtr_window_stop_measuring (VTR_WINDOW (widget));
}

void
vtr_window_install_measure_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.measure", NULL, measure_action);
  gtk_widget_class_install_action (widget_class, "win.stop-measuring", NULL,
                                   stop_measuring_action);
}
