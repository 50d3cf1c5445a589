/* Searches in a VtrStatePane: the entry, the matches, and stepping through them. */
#include "vtr-config.h"

#include "widgets/vtr-list-keys.h"
#include "widgets/vtr-state-pane-private.h"

#include <glib/gi18n.h>

#define MATCH_LIMIT 10000

void
vtr_state_pane_update_count (VtrStatePane *self)
{
  g_autofree char *n = vtr_format_number (self->n_matches);
  g_autofree char *at = vtr_format_number ((guint64)self->match + 1);
  g_autofree char *text = NULL;
  gboolean any = self->matches && self->n_matches > 0;

  if (self->searching)
    text = g_strdup (_ ("Searching…"));
  else if (self->matches == NULL)
    text = g_strdup ("");
  else if (self->n_matches == 0)
    text = g_strdup (_ ("No match"));
  else if (self->match < self->n_matches)
    text = g_strdup_printf (_ ("%s of %s"), at, n);
  else
    text = g_strdup_printf (ngettext ("%s match", "%s matches", self->n_matches), n);
  gtk_label_set_label (GTK_LABEL (self->count), text);
  gtk_widget_set_visible (self->count, *text != '\0');
  gtk_widget_set_visible (self->steps, any);
  if (self->matches && self->n_matches == 0)
    gtk_widget_add_css_class (self->entry, "error");
  else
    gtk_widget_remove_css_class (self->entry, "error");
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "state-pane.next-match", any);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "state-pane.previous-match", any);
}

void
vtr_state_pane_step_match (VtrStatePane *self, int step)
{
  if (self->matches == NULL || self->n_matches == 0)
    return;
  if (self->match >= self->n_matches)
    self->match = step > 0 ? 0 : self->n_matches - 1;
  else
    self->match = (self->match + (step > 0 ? 1 : self->n_matches - 1)) % self->n_matches;
  /* The search may find state that the command did not change, so that is shown again. */
  if (!vtr_state_list_reveal (self->list, self->matches[self->match]) &&
      gtk_toggle_button_get_active (self->only_changed))
    {
      gtk_toggle_button_set_active (self->only_changed, FALSE);
      vtr_state_list_reveal (self->list, self->matches[self->match]);
    }
  vtr_state_pane_update_count (self);
}

void
vtr_state_pane_drop_search (VtrStatePane *self)
{
  g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  g_clear_pointer (&self->matches, g_strfreev);
  self->n_matches = 0;
  self->match = 0;
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrStatePane) self = data;
  g_autoptr (GError) error = NULL;
  GStrv matches = vtr_state_node_search_finish (result, &error);

  if (matches == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_warning ("%s", error->message);
      return;
    }
  g_clear_object (&self->searching);
  g_strfreev (self->matches);
  self->matches = matches;
  self->n_matches = g_strv_length (matches);
  self->match = self->n_matches;
  if (self->go_to_match)
    vtr_state_pane_step_match (self, 1);
  vtr_state_pane_update_count (self);
}

void
vtr_state_pane_search (VtrStatePane *self, gboolean go)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));

  vtr_state_pane_drop_search (self);
  self->go_to_match = go;
  if (*text && self->root)
    {
      self->searching = g_cancellable_new ();
      vtr_state_node_search_async (self->root, text, MATCH_LIMIT, self->searching, found_cb,
                                   g_object_ref (self));
    }
  vtr_state_pane_update_count (self);
}

static void
search_changed_cb (VtrStatePane *self)
{
  vtr_state_pane_search (self, TRUE);
}

static void
next_match_cb (VtrStatePane *self)
{
  vtr_state_pane_step_match (self, 1);
}

static void
previous_match_cb (VtrStatePane *self)
{
  vtr_state_pane_step_match (self, -1);
}

static GtkWidget *
make_button (const char *icon, const char *tip, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

void
vtr_state_pane_add_search (VtrStatePane *self, GtkBox *row)
{
  self->entry = gtk_search_entry_new ();
  g_object_set (self->entry, "placeholder-text", _ ("Find"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Find in state"), -1);
  gtk_widget_set_hexpand (self->entry, TRUE);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->entry), 9);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), 5);
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (search_changed_cb), self,
                           G_CONNECT_SWAPPED);
  vtr_list_keys_add_filter (GTK_WIDGET (self->list), self->entry);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (next_match_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "next-match", G_CALLBACK (next_match_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "previous-match", G_CALLBACK (previous_match_cb), self,
                           G_CONNECT_SWAPPED);

  self->count = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->count, "dim-text");
  gtk_widget_add_css_class (self->count, "caption");
  gtk_widget_add_css_class (self->count, "numeric");
  self->steps = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->steps, "linked");
  gtk_box_append (GTK_BOX (self->steps), make_button ("go-up-symbolic", _ ("Previous Match"),
                                                      "state-pane.previous-match"));
  gtk_box_append (GTK_BOX (self->steps),
                  make_button ("go-down-symbolic", _ ("Next Match"), "state-pane.next-match"));

  gtk_box_append (row, self->entry);
  gtk_box_append (row, self->count);
  gtk_box_append (row, self->steps);
}
