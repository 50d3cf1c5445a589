/* Shows a window with deliberate faults, to check that the walk finds each of them. */
#include "vtr-test-ui.h"

#include <libpanel.h>

#include "vtr-walk-look.h"

static void
bind_nothing (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, gtk_label_new (""));
}

static GtkWidget *
make_list_without_texts (void)
{
  const char *const words[] = { "one", "two", NULL };
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *list;

  g_signal_connect (factory, "bind", G_CALLBACK (bind_nothing), NULL);
  list = gtk_list_view_new (
    GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (words)))),
    factory);
  gtk_widget_set_size_request (list, 100, 60);
  return list;
}

static GtkWidget *
make_short_label (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *label = gtk_label_new ("A name that has room and does not take it");

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 6);
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_size_request (box, 400, -1);
  return box;
}

/* @width: of what it is in; narrower than its text. */
static GtkWidget *
make_cut_label (const char *text, int width)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 1);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_size_request (box, width, -1);
  return box;
}

static GtkWidget *
make_cut_placeholder (void)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 4);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), 4);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "Words that say what to type");
  return entry;
}

static GtkWidget *
make_pale_label (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_markup (GTK_LABEL (label),
                        "<span foreground='#e8e8e8' background='white'>pale</span>");
  return label;
}

/* What GTK vtr_walk.names twice: GTK 4.8 gives the button the underlined text, too. */
static GtkWidget *
make_doubled_button (void)
{
  GtkWidget *button = gtk_button_new_with_mnemonic ("_Twice");

  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, "_Twice",
                                  -1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  gtk_button_get_child (GTK_BUTTON (button)), NULL, -1);
  return button;
}

static void
bind_text (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label =
    gtk_label_new (gtk_string_object_get_string (gtk_list_item_get_item (item)));

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_list_item_set_child (item, label);
}

static GtkWidget *
make_uneven_columns (void)
{
  const char *const words[] = { "some words that are longer", NULL };
  GtkWidget *view = gtk_column_view_new (
    GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (words)))));

  for (int i = 0; i < 2; i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      GtkColumnViewColumn *column = gtk_column_view_column_new ("Title", factory);

      g_signal_connect (factory, "bind", G_CALLBACK (bind_text), NULL);
      gtk_column_view_column_set_fixed_width (column, i == 0 ? 80 : 400);
      gtk_column_view_append_column (GTK_COLUMN_VIEW (view), column);
      g_object_unref (column);
    }
  gtk_widget_set_size_request (view, 480, 80);
  return view;
}

static GtkWidget *
make_blank_pane (void)
{
  GtkWidget *pane = panel_widget_new ();

  gtk_widget_set_size_request (pane, 100, 40);
  return pane;
}

/* It takes the focus, and looks as it did before. */
static GtkWidget *
make_unmarked_stop (void)
{
  GtkWidget *picture = gtk_picture_new ();

  gtk_widget_set_focusable (picture, TRUE);
  gtk_widget_set_opacity (picture, 0);
  gtk_widget_set_tooltip_text (picture, "unmarked");
  gtk_widget_set_size_request (picture, 40, 20);
  return picture;
}

static void
check_found (const char *rule, const char *word)
{
  for (guint i = 0; i < vtr_walk.findings->len; i++)
    if (strstr (vtr_walk.findings->pdata[i], rule) && strstr (vtr_walk.findings->pdata[i], word))
      return;
  for (guint i = 0; i < vtr_walk.findings->len; i++)
    g_printerr ("%s\n", (char *)vtr_walk.findings->pdata[i]);
  g_printerr ("Not found: %s … %s\n", rule, word);
  exit (1);
}

int
vtr_walk_planted (void)
{
  static const struct
  {
    const char *rule, *word;
  } expected[] = {
    { "row: ", "has no text" },
    { "cut: ", "A name that has room" },
    { "cut: ", "texts of column 0" },
    { "stump: ", "“2560 × 1440 SRGB” only" },
    { "placeholder: ", "Words that say" },
    { "clipped: ", "beyond the edge" },
    { "overlap: ", "first over second" },
    { "pale: ", "“pale”" },
    { "A GtkButton", "named twice" },
    { "A GtkButton", "no accessible name" },
    { "blank: ", "a pane shows" },
    { "warning: ", "without a current allocation" },
    { "focus: ", "nothing shows it: GtkPicture (“unmarked”)" },
    { "popover: ", "GtkPopover of a GtkFixed is still open" },
  };
  GtkWidget *fixed = gtk_fixed_new ();
  const struct
  {
    GtkWidget *widget;
    int x, y;
  } faults[] = {
    { make_list_without_texts (), 0, 0 },
    { make_short_label (), 0, 80 },
    { make_pale_label (), 0, 110 },
    { make_cut_label ("2560 × 1440 SRGB", 40), 0, 360 },
    { make_cut_placeholder (), 0, 390 },
    { make_doubled_button (), 0, 140 },
    { gtk_button_new (), 100, 140 },
    { make_uneven_columns (), 0, 200 },
    { make_blank_pane (), 0, 300 },
    { gtk_label_new ("first over second"), 200, 0 },
    { gtk_label_new ("second"), 240, 4 },
    { gtk_label_new ("beyond the edge"), 560, 400 },
    { make_unmarked_stop (), 300, 300 },
  };
  GtkWindow *window;
  GtkWidget *label = gtk_label_new ("label"), *popover = gtk_popover_new ();
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    gtk_fixed_put (GTK_FIXED (fixed), faults[i].widget, faults[i].x, faults[i].y);
  gtk_widget_set_overflow (fixed, GTK_OVERFLOW_HIDDEN);
  {
    GtkWidget *scroller = gtk_scrolled_window_new ();

    gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_EXTERNAL,
                                    GTK_POLICY_EXTERNAL);
    gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), fixed);
    window = vtr_test_ui_show (scroller, 600, 500);
  }
  vtr_walk_look_at (GTK_WIDGET (window), FALSE, "planted");
  vtr_walk_look_at_tab (GTK_WIDGET (window), "planted");
  gtk_fixed_put (GTK_FIXED (fixed), label, 0, 450);
  gtk_widget_snapshot_child (fixed, label, snapshot);
  gtk_popover_set_child (GTK_POPOVER (popover), gtk_label_new ("forgotten"));
  gtk_widget_set_parent (popover, fixed);
  gtk_popover_popup (GTK_POPOVER (popover));
  vtr_walk_settle (GTK_WIDGET (window));
  vtr_walk_check_closed (GTK_WIDGET (window));
  gtk_widget_unparent (popover);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    check_found (expected[i].rule, expected[i].word);
  return 0;
}
