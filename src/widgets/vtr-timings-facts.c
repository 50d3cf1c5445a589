/* The part of the Timings pane about one command: its durations, their spread, and pipeline
 * statistics. */
#include "vtr-config.h"

#include "widgets/vtr-timings-facts.h"

#include <glib/gi18n.h>

#include "engine/answers/vtr-resolve.h"

#define NAME_CHARS 15

struct _VtrTimingsFacts
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkWidget *title;
  GtkWidget *note;
  GtkWidget *rows;
  int n_rows;
};

G_DEFINE_FINAL_TYPE (VtrTimingsFacts, vtr_timings_facts, GTK_TYPE_WIDGET)

static void
vtr_timings_facts_dispose (GObject *object)
{
  g_clear_pointer (&VTR_TIMINGS_FACTS (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_timings_facts_parent_class)->dispose (object);
}

static void
vtr_timings_facts_class_init (VtrTimingsFactsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = vtr_timings_facts_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
make_label (const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
vtr_timings_facts_init (VtrTimingsFacts *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->title = make_label ("heading");
  self->note = make_label ("dim-text");
  self->rows = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (self->rows), 12);
  gtk_grid_set_row_spacing (GTK_GRID (self->rows), 4);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->rows), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Durations and Counts"), -1);
  gtk_box_append (GTK_BOX (box), self->title);
  gtk_box_append (GTK_BOX (box), self->note);
  gtk_box_append (GTK_BOX (box), self->rows);
  gtk_widget_set_margin_start (box, 10);
  gtk_widget_set_margin_end (box, 10);
  gtk_widget_set_margin_top (box, 6);
  gtk_widget_set_margin_bottom (box, 10);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
vtr_timings_facts_new (void)
{
  return g_object_new (VTR_TYPE_TIMINGS_FACTS, NULL);
}

/* --- contents -------------------------------------------------------------------------------- */

static void
add_fact (VtrTimingsFacts *self, const char *name, const char *value)
{
  GtkWidget *label = make_label ("dim-text");
  GtkWidget *number = make_label ("numeric");

  gtk_label_set_label (GTK_LABEL (label), name);
  gtk_label_set_width_chars (GTK_LABEL (label), NAME_CHARS);
  gtk_label_set_max_width_chars (GTK_LABEL (label), NAME_CHARS);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_label (GTK_LABEL (number), value);
  gtk_label_set_xalign (GTK_LABEL (number), 1);
  gtk_label_set_wrap (GTK_LABEL (number), FALSE);
  gtk_widget_set_valign (number, GTK_ALIGN_START);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (number), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  label, NULL, -1);
  gtk_grid_attach (GTK_GRID (self->rows), label, 0, self->n_rows, 1, 1);
  gtk_grid_attach (GTK_GRID (self->rows), number, 1, self->n_rows++, 1, 1);
}

static void
add_duration (VtrTimingsFacts *self, const char *name, guint64 nanoseconds)
{
  g_autofree char *value = vtr_format_duration (nanoseconds);

  add_fact (self, name, value);
}

static void
add_spread (VtrTimingsFacts *self, const VtrSpread *spread)
{
  add_duration (self, _ ("Median"), spread->median);
  add_duration (self, _ ("Mean"), spread->mean);
  add_duration (self, _ ("Min"), spread->minimum);
  add_duration (self, _ ("Max"), spread->maximum);
}

static void
add_statistics (VtrTimingsFacts *self, const VtrTimingRow *row)
{
  for (guint i = 0; i < row->n_statistics; i++)
    {
      guint nth = row->first_statistic + i;
      g_autofree char *number = vtr_format_number (row->statistics[nth]);

      if (row->statistics[nth] > 0)
        add_fact (self, vtr_timings_statistic_name (nth), number);
    }
  if (row->has_samples)
    {
      g_autofree char *number = vtr_format_number (row->samples);

      add_fact (self, _ ("Samples passed"), number);
    }
}

/* The end of a pass also stands for the pass. */
static const VtrTimingRow *
find_row (const VtrTimings *timings, const VtrPlace *address)
{
  guint32 nth = vtr_timings_find (timings, address->index, address->run);

  if (nth != VTR_PROBE_NONE)
    return &g_array_index (timings->rows, VtrTimingRow, nth);
  for (guint32 i = 0; i < timings->rows->len; i++)
    {
      const VtrTimingRow *row = &g_array_index (timings->rows, VtrTimingRow, i);

      if (row->last == address->index &&
          (address->run == VTR_NO_RUN || row->run == address->run))
        return row;
    }
  return NULL;
}

static void
show_row (VtrTimingsFacts *self, VtrSession *session, const VtrTimingRow *row)
{
  VtrTrace *trace = vtr_session_get_trace (session);
  g_autofree char *number = vtr_format_number (vtr_trace_get_number (trace, row->index));
  g_autofree char *title = NULL;
  g_autofree char *share = NULL;
  const char *note = vtr_timings_explain_time (row);

  /* Translators: the name of a command and its index: "DrawIndexed · 1 135" */
  title = g_strdup_printf (_ ("%s · %s"),
                           vtr_command_name (vtr_trace_get_command_id (trace, row->index)), number);
  gtk_label_set_label (GTK_LABEL (self->title), title);
  if (row->is_timed)
    {
      share = g_strdup_printf (
        "%.1f %%",
        100 * vtr_measurement_get_share (vtr_measurement_of (session), row->time.median));
      add_spread (self, &row->time);
      add_fact (self, _ ("Share of the frame"), share);
    }
  add_statistics (self, row);
  if (note == NULL)
    note = vtr_timings_explain_statistics (row);
  gtk_label_set_label (GTK_LABEL (self->note), note != NULL ? note : "");
  gtk_widget_set_visible (self->note, note != NULL);
}

static void
show_frame (VtrTimingsFacts *self, const VtrTimings *timings)
{
  g_autofree char *number = vtr_format_number (timings->frame);
  g_autofree char *title = g_strdup_printf (_ ("Frame %s"), number);
  g_autofree char *n_loops = vtr_format_number (timings->n_loops);
  g_auto (GStrv) caveats = vtr_timings_list_caveats (timings);
  g_autofree char *note = g_strjoinv (" ", caveats);

  gtk_label_set_label (GTK_LABEL (self->title), title);
  gtk_label_set_label (GTK_LABEL (self->note), note);
  gtk_widget_set_visible (self->note, TRUE);
  add_spread (self, &timings->wall);
  if (timings->gpu > 0)
    add_duration (self, _ ("GPU time"), timings->gpu);
  add_fact (self, _ ("Loops"), n_loops);
  if (timings->device != NULL)
    {
      g_autofree char *device = vtr_short_device_name (timings->device);

      add_fact (self, _ ("Device"), device);
    }
}

void
vtr_timings_facts_update (VtrTimingsFacts *self, VtrSession *session)
{
  const VtrTimings *timings =
    session != NULL ? vtr_measurement_get_timings (vtr_measurement_of (session)) : NULL;
  const VtrTimingRow *row = NULL;
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->rows)))
    gtk_grid_remove (GTK_GRID (self->rows), child);
  self->n_rows = 0;
  if (timings == NULL)
    return;
  if (vtr_session_get_command (session) != VTR_COMMAND_NO_INDEX)
    {
      VtrPlace address = vtr_session_get_address (session);

      row = find_row (timings, &address);
    }
  if (row != NULL)
    show_row (self, session, row);
  else
    show_frame (self, timings);
}
