/* The column of GPU times, which appears after the first measurement. */
#include "vtr-config.h"

#include "widgets/vtr-command-view-private.h"

#include <glib/gi18n.h>

#include "session/vtr-measurement.h"
#include "widgets/vtr-time-cell.h"

typedef struct
{
  GtkColumnViewColumn *column;
  VtrMeasurement *measurement; /* (nullable) */
} Times;

static void
times_free (gpointer data)
{
  Times *times = data;

  g_clear_object (&times->measurement);
  g_object_unref (times->column);
  g_free (times);
}

static Times *
times_of (VtrCommandView *self)
{
  return g_object_get_data (G_OBJECT (self), "vtr-times");
}

/* The unit is that of the column. */
static char *
format_time (const VtrTimings *timings, guint64 nanoseconds)
{
  if (timings->gpu < 1000000)
    return g_strdup_printf ("%.1f", (double)nanoseconds / 1e3);
  return g_strdup_printf ("%.3f", (double)nanoseconds / 1e6);
}

static void
fill_time (VtrCommandView *self, GtkListItem *list_item)
{
  Times *times = times_of (self);
  VtrTimeCell *cell = VTR_TIME_CELL (gtk_list_item_get_child (list_item));
  VtrCommandItem *item = gtk_list_item_get_item (list_item);
  g_autofree char *text = NULL;
  VtrSpread spread;

  if (item == NULL || times->measurement == NULL ||
      !vtr_measurement_get_time (times->measurement, vtr_command_item_get_node (item), &spread))
    {
      vtr_time_cell_set (cell, NULL, -1);
      return;
    }
  text = format_time (vtr_measurement_get_timings (times->measurement), spread.median);
  vtr_time_cell_set (cell, text, vtr_measurement_get_share (times->measurement, spread.median));
}

static void
setup_time_cb (VtrCommandView *self, GtkListItem *list_item)
{
  gtk_list_item_set_child (list_item, vtr_time_cell_new ());
}

static void
empty_time (VtrCommandView *self, GtkListItem *list_item)
{
}

static void
bind_time_cb (VtrCommandView *self, GtkListItem *list_item)
{
  vtr_command_view_bind_cell (self, list_item, fill_time, empty_time);
}

static void
update (VtrCommandView *self)
{
  Times *times = times_of (self);
  const VtrTimings *timings =
    times->measurement != NULL ? vtr_measurement_get_timings (times->measurement) : NULL;

  gtk_column_view_column_set_visible (times->column, timings != NULL && timings->gpu > 0);
  if (timings == NULL)
    return;
  gtk_column_view_column_set_title (times->column,
                                    timings->gpu < 1000000 ? _ ("GPU µs") : _ ("GPU ms"));
  vtr_command_view_refill (self, fill_time);
}

void
vtr_command_view_set_times_session (VtrCommandView *self, VtrSession *session)
{
  Times *times = times_of (self);

  if (times == NULL)
    return;
  if (times->measurement != NULL)
    g_signal_handlers_disconnect_by_data (times->measurement, self);
  g_clear_object (&times->measurement);
  if (session != NULL)
    {
      times->measurement = g_object_ref (vtr_measurement_of (session));
      g_signal_connect_object (times->measurement, "changed", G_CALLBACK (update), self,
                               G_CONNECT_SWAPPED);
    }
  update (self);
}

void
vtr_command_view_init_times (VtrCommandView *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  Times *times = g_new0 (Times, 1);

  times->column = gtk_column_view_column_new (_ ("GPU µs"), factory);
  g_object_set_data_full (G_OBJECT (self), "vtr-times", times, times_free);
  g_signal_connect_object (factory, "setup", G_CALLBACK (setup_time_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_time_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (vtr_command_view_unbind_cell), self,
                           G_CONNECT_SWAPPED);
  gtk_column_view_column_set_visible (times->column, FALSE);
  gtk_column_view_append_column (self->list, times->column);
}
