/* Checks which widgets need an accessible name and whether they have one. Needs GTK_A11Y=test. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A name that GTK passes on: a label of its own, or another widget's. */
gboolean vtr_test_names_is_labelled (GtkWidget *widget);
/* A row of a list or table with something in it. */
gboolean vtr_test_names_is_row (GtkWidget *widget);

typedef struct
{
  guint n_controls; /* rows included */
  guint n_rows;
  GPtrArray *findings; /* of char*: sentences */
} VtrTestNames;

/* Checks @widget and its visible children; adds to @names. */
void vtr_test_names_check (VtrTestNames *names,
                           GtkWidget    *widget);

G_END_DECLS
