/* The row of attachment thumbnails in the Framebuffer pane; a click chooses which attachment is
 * shown. */
#include "vtr-config.h"

#include "widgets/vtr-attachment-strip.h"

#include <glib/gi18n.h>

#include "widgets/vtr-thumb.h"

#define THUMB_WIDTH 112
#define THUMB_HEIGHT 63

struct _VtrAttachmentStrip
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkWidget *box;
  VtrSession *session;
  guint64 index;
  GArray *infos;
  GCancellable *loading;
};

G_DEFINE_FINAL_TYPE (VtrAttachmentStrip, vtr_attachment_strip, GTK_TYPE_WIDGET)

static guint selected_signal;

const char *
vtr_format_short_name (const VtrPixelFormat *format)
{
  return format != NULL ? format->text : _ ("unknown format");
}

char *
vtr_attachment_describe (VtrSession *session, const VtrTarget *info)
{
  VtrHistory *history = vtr_document_get_history (vtr_session_get_document (session));
  const VtrObject *image =
    info->object && history ? vtr_history_get_object (history, info->object) : NULL;
  const char *name = image && image->name && *image->name ? image->name : NULL;

  if (info->kind == VTR_ATTACHMENT_DEPTH)
    return g_strdup (name ? name : _ ("Depth"));
  if (info->kind == VTR_ATTACHMENT_STENCIL)
    return g_strdup (_ ("Stencil"));
  return g_strdup_printf ("%u · %s", (guint)info->kind, name ? name : _ ("Colour"));
}

static void
toggled_cb (VtrAttachmentStrip *self, GtkToggleButton *button)
{
  if (gtk_toggle_button_get_active (button))
    g_signal_emit (self, selected_signal, 0,
                   GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "kind")));
}

static GtkWidget *
make_button (VtrAttachmentStrip *self, const VtrTarget *info, GdkTexture *texture)
{
  GtkWidget *button = gtk_toggle_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *thumb = vtr_thumb_new (THUMB_WIDTH, THUMB_HEIGHT, 0);
  g_autofree char *title = vtr_attachment_describe (self->session, info);
  g_autofree char *tooltip = g_strdup_printf ("%s\n%u × %u · %s", title, info->width, info->height,
                                              vtr_format_short_name (info->format));
  GtkWidget *label = gtk_label_new (title);

  vtr_thumb_set_texture (VTR_THUMB (thumb), texture);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 14);
  gtk_widget_add_css_class (label, "caption");
  gtk_box_append (GTK_BOX (box), thumb);
  gtk_box_append (GTK_BOX (box), label);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "attachment");
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  g_object_set_data (G_OBJECT (button), "kind", GUINT_TO_POINTER (info->kind));
  g_object_set_data (G_OBJECT (button), "thumb", thumb);
  return button;
}

static GtkWidget *
find_button (VtrAttachmentStrip *self, VtrAttachmentKind kind)
{
  for (GtkWidget *child = gtk_widget_get_first_child (self->box); child;
       child = gtk_widget_get_next_sibling (child))
    if (GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (child), "kind")) == (guint)kind)
      return child;
  return NULL;
}

static void
remove_all (VtrAttachmentStrip *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->box)))
    gtk_box_remove (GTK_BOX (self->box), child);
}

static gboolean
same_infos (GArray *a, GArray *b)
{
  if (a == NULL || b == NULL || a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const VtrTarget *x = &g_array_index (a, VtrTarget, i);
      const VtrTarget *y = &g_array_index (b, VtrTarget, i);

      if (x->kind != y->kind || x->object != y->object || x->format != y->format ||
          x->width != y->width || x->height != y->height)
        return FALSE;
    }
  return TRUE;
}

static void
rebuild (VtrAttachmentStrip *self, GArray *infos)
{
  g_autoptr (GHashTable) textures = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  GtkWidget *first = NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (self->box); child;
       child = gtk_widget_get_next_sibling (child))
    {
      GdkTexture *texture = vtr_thumb_get_texture (g_object_get_data (G_OBJECT (child), "thumb"));

      if (texture)
        g_hash_table_insert (textures, g_object_get_data (G_OBJECT (child), "kind"),
                             g_object_ref (texture));
    }
  remove_all (self);
  for (guint i = 0; i < infos->len; i++)
    {
      const VtrTarget *info = &g_array_index (infos, VtrTarget, i);
      GtkWidget *button =
        make_button (self, info, g_hash_table_lookup (textures, GUINT_TO_POINTER (info->kind)));

      if (first)
        gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), GTK_TOGGLE_BUTTON (first));
      else
        first = button;
      gtk_box_append (GTK_BOX (self->box), button);
    }
}

void
vtr_attachment_strip_set (VtrAttachmentStrip *self,
                          VtrSession         *session,
                          guint64             index,
                          GArray             *infos,
                          VtrAttachmentKind   current)
{
  GtkWidget *button;

  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_set_object (&self->session, session);
  self->index = index;
  if (!same_infos (self->infos, infos))
    rebuild (self, infos);
  g_clear_pointer (&self->infos, g_array_unref);
  self->infos = g_array_ref (infos);

  button = find_button (self, current);
  for (GtkWidget *child = gtk_widget_get_first_child (self->box); child;
       child = gtk_widget_get_next_sibling (child))
    g_signal_handlers_disconnect_by_func (child, toggled_cb, self);
  if (button)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  for (GtkWidget *child = gtk_widget_get_first_child (self->box); child;
       child = gtk_widget_get_next_sibling (child))
    g_signal_connect_object (child, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_set_visible (GTK_WIDGET (self), infos->len > 0);
}

void
vtr_attachment_strip_clear (VtrAttachmentStrip *self)
{
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_pointer (&self->infos, g_array_unref);
  remove_all (self);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/* --- thumbnails ------------------------------------------------------------------------------ */

static void
shrink_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GdkTexture *texture = vtr_thumb_texture_from_image (data, THUMB_WIDTH * 2, THUMB_HEIGHT * 2);

  if (texture)
    g_task_return_pointer (task, texture, g_object_unref);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                             "This format cannot be shown");
}

static void
shrunk_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  VtrAttachmentStrip *self = VTR_ATTACHMENT_STRIP (source);
  g_autoptr (GdkTexture) texture = g_task_propagate_pointer (G_TASK (result), NULL);
  GtkWidget *button = find_button (self, GPOINTER_TO_UINT (data));

  if (texture && button)
    vtr_thumb_set_texture (g_object_get_data (G_OBJECT (button), "thumb"), texture);
}

typedef struct
{
  VtrAttachmentStrip *self;
  VtrAttachmentKind kind;
  GCancellable *cancellable;
} Load;

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Load *load = data;
  g_autoptr (VtrImage) image =
    vtr_document_get_image_finish (VTR_DOCUMENT (source), result, NULL);

  if (image && !g_cancellable_is_cancelled (load->cancellable))
    {
      g_autoptr (GTask) task =
        g_task_new (load->self, load->cancellable, shrunk_cb, GUINT_TO_POINTER (load->kind));

      g_task_set_source_tag (task, loaded_cb);
      g_task_set_task_data (task, g_steal_pointer (&image), (GDestroyNotify)vtr_image_unref);
      g_task_run_in_thread (task, shrink_worker);
    }
  g_object_unref (load->self);
  g_object_unref (load->cancellable);
  g_free (load);
}

void
vtr_attachment_strip_load (VtrAttachmentStrip *self)
{
  if (self->infos == NULL || self->loading != NULL)
    return;
  self->loading = g_cancellable_new ();
  for (guint i = 0; i < self->infos->len; i++)
    {
      Load *load = g_new0 (Load, 1);
      g_autofree char *path = NULL;

      load->self = g_object_ref (self);
      load->cancellable = g_object_ref (self->loading);
      load->kind = g_array_index (self->infos, VtrTarget, i).kind;
      path = vtr_session_get_image_path (self->session, self->index, load->kind, FALSE);
      vtr_document_get_image_async (vtr_session_get_document (self->session), path,
                                    VTR_PRIORITY_THUMBNAIL, self->loading, loaded_cb, load);
    }
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_attachment_strip_dispose (GObject *object)
{
  VtrAttachmentStrip *self = VTR_ATTACHMENT_STRIP (object);

  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_object (&self->session);
  g_clear_pointer (&self->infos, g_array_unref);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (vtr_attachment_strip_parent_class)->dispose (object);
}

static void
vtr_attachment_strip_class_init (VtrAttachmentStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_attachment_strip_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrattachments");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_RADIO_GROUP);
  selected_signal = g_signal_new ("selected", VTR_TYPE_ATTACHMENT_STRIP, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
vtr_attachment_strip_init (VtrAttachmentStrip *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  gtk_widget_add_css_class (self->box, "attachments");
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (self->scroller), TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), self->box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Attachments"), -1);
}
