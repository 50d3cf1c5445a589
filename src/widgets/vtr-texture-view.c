/* The Textures pane: the table of all images, and the contents of the chosen one after the
 * selected command. */
#include "vtr-config.h"

#include "widgets/vtr-texture-view.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/answers/vtr-image-path.h"
#include "engine/api/vtr-show-api.h"
#include "engine/document/vtr-document-lists.h"
#include "engine/format/vtr-locale.h"
#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-image-viewer.h"
#include "widgets/vtr-pane-load.h"
#include "widgets/vtr-pane-room.h"
#include "widgets/vtr-pane-update.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-replay-problem.h"
#include "widgets/vtr-subresource-row.h"
#include "widgets/vtr-texture-path.h"
#include "widgets/vtr-texture-table.h"

/* Narrower panes have the list above the image. */
#define STACKED_WIDTH 520
#define LIST_WIDTH 430

struct _VtrTextureView
{
  PanelWidget parent_instance;

  GtkStack *stack; /* state, content */
  VtrPaneState *state;
  GtkPaned *paned;
  VtrTextureTable *table;
  GtkStack *viewer_stack; /* empty, image */
  VtrPaneState *empty;
  VtrImageViewer *viewer;
  VtrSubresourceRow *subresource;
  GtkWidget *facts;

  VtrSession *session;
  VtrTextureList *list;
  guint32 object; /* selected image; 0: none */
  VtrImageQuery pending;
  gboolean has_pending; /* a link arrived before the list */
  gboolean at_end;      /* shows the end of the image's life instead of the selection */
  GCancellable *listing, *loading, *using;
  VtrPaneUpdate update;
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrTextureView,
                               vtr_texture_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

static gboolean
load_is_over (VtrPaneLoad *load)
{
  return vtr_pane_load_is_over (load) || ((VtrTextureView *)load->owner)->session == NULL;
}

/* The selected command and run. Returns: FALSE: nothing is selected. */
static gboolean
get_address (VtrTextureView *self, VtrPlace *out)
{
  *out = vtr_session_get_address (self->session);
  return out->index != VTR_COMMAND_NO_INDEX;
}

/* --- the image ------------------------------------------------------------------------------- */

static VtrTexture *
get_texture (VtrTextureView *self)
{
  return self->list != NULL && self->object != 0
           ? vtr_texture_list_find (self->list, self->object)
           : NULL;
}

/* "Made by command 28 · device memory 25 at 4096 · sampled, transfer dst" */
static void
update_facts (VtrTextureView *self)
{
  VtrTexture *texture = get_texture (self);
  VtrTrace *trace = vtr_session_get_trace (self->session);
  VtrHistory *history = vtr_document_get_history (vtr_session_get_document (self->session));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *created = NULL, *number = NULL, *uses = NULL, *escaped = NULL;
  const VtrObject *memory;
  const char *presenter;

  if (texture == NULL)
    return;
  created = vtr_trace_format_command (trace, vtr_texture_get_created (texture));
  number = vtr_format_number (vtr_trace_get_number (trace, vtr_texture_get_created (texture)));
  g_string_append_printf (text, _ ("Created by <a href=\"%s\">command %s</a>"), created, number);
  memory = vtr_history_get_object (history, vtr_texture_get_facts (texture)->memory);
  presenter = vtr_show_api_get (vtr_texture_get_facts (texture)->object->type)->presenter;
  if (memory != NULL)
    {
      g_autofree char *name = vtr_history_describe (history, memory);
      g_autofree char *name_escaped = g_markup_escape_text (name, -1);

      g_string_append_printf (text, " · <a href=\"objects/%u\">%s</a>", memory->id, name_escaped);
    }
  else if (vtr_texture_get_facts (texture)->presented && presenter != NULL)
    g_string_append_printf (text, " · %s", vtr_locale_translate (presenter));
  uses = vtr_texture_dup_uses_sentence (texture);
  escaped = g_markup_escape_text (uses, -1);
  g_string_append_printf (text, " · %s", escaped);
  gtk_label_set_markup (GTK_LABEL (self->facts), text->str);
  gtk_widget_set_tooltip_text (self->facts, uses);
}

static gboolean
activate_link_cb (VtrTextureView *self, const char *uri)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", uri);
  return TRUE;
}

static void
show_image (VtrTextureView *self, VtrImage *image)
{
  VtrTexture *texture = get_texture (self);
  g_autofree char *number = vtr_format_number (
    vtr_trace_get_number (vtr_session_get_trace (self->session), image->after));
  g_autofree char *plain =
    g_strdup_printf (_ ("%s, %u by %u, %s, after command %s"), vtr_texture_get_name (texture),
                     image->width, image->height, vtr_texture_get_format_text (texture), number);
  g_autofree char *badge = vtr_edits_describe (vtr_session_get_edits (self->session), FALSE);
  g_autofree char *description = g_strconcat (plain, badge ? ", " : NULL, badge, NULL);
  VtrImageQuery query = VTR_IMAGE_QUERY_INIT;
  g_autoptr (GString) name = g_string_new (vtr_texture_get_name (texture));

  vtr_subresource_row_get (self->subresource, &query);
  if (query.mip > 0)
    g_string_append_printf (name, "-mip%u", query.mip);
  if (query.layer > 0)
    g_string_append_printf (name, "-layer%u", query.layer);
  if (query.slice > 0)
    g_string_append_printf (name, "-slice%u", query.slice);
  g_strcanon (name->str, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
  if (badge)
    g_string_append (name, "-edited");
  vtr_image_viewer_show (self->viewer, image, description, name->str);
  vtr_image_viewer_set_badge (self->viewer, badge);
  vtr_texture_table_show_image (self->table, image, name->str);
  gtk_stack_set_visible_child_name (self->viewer_stack, "image");
}

/* Command @asked comes before the first write of a texture that exists by then. */
static gboolean
is_unwritten (VtrTexture *texture, guint64 asked)
{
  const VtrImageUses *uses = vtr_texture_get_uses (texture);

  return asked != VTR_COMMAND_NO_INDEX && vtr_texture_get_created (texture) <= asked &&
         (uses->first_write == VTR_COMMAND_NO_INDEX || asked < uses->first_write);
}

/* Explains that the image has no contents at command @asked, or does not exist there. */
static void
show_nothing (VtrTextureView *self, guint64 asked, const char *sentence)
{
  VtrTexture *texture = get_texture (self);
  const VtrImageUses *uses = vtr_texture_get_uses (texture);

  gtk_stack_set_visible_child_name (self->viewer_stack, "empty");
  if (vtr_texture_get_n_uses (texture) == 0)
    {
      /* It has no contents at any other command, either. */
      vtr_pane_state_set (self->empty, "image-missing-symbolic", _ ("Never Used"),
                          _ ("No command in this trace writes to this image or reads from it."));
      return;
    }
  vtr_pane_state_set (self->empty, "image-missing-symbolic",
                      is_unwritten (texture, asked) ? _ ("Not Written Yet")
                                                    : _ ("No Contents Here"),
                      sentence);
  if (uses->first_write != VTR_COMMAND_NO_INDEX)
    {
      g_autofree char *path = vtr_trace_format_command (vtr_session_get_trace (self->session),
                                                        uses->first_write);
      g_autofree char *action = g_strdup_printf ("win.select::%s", path);

      vtr_pane_state_add_button (self->empty, _ ("_First Write"), action);
    }
  if (!self->at_end)
    vtr_pane_state_add_button (self->empty, _ ("Show _Last Contents"), "textures.show-end");
}

static void
show_problem (VtrTextureView *self, const GError *error, guint64 asked)
{
  gboolean has_image = vtr_image_viewer_get_image (self->viewer) != NULL;
  VtrPaneState *state = self->empty;

  if (has_image)
    state = vtr_image_viewer_show_problem (self->viewer);
  gtk_stack_set_visible_child_name (self->viewer_stack, has_image ? "image" : "empty");
  vtr_replay_problem_report (self->session, error, asked, state);
  if (has_image)
    vtr_image_viewer_offer_last_good (self->viewer);
  vtr_pane_state_add_button (state, _ ("_Try Again"), "textures.retry");
  vtr_pane_state_add_button (state, _ ("Other _Device…"), "win.choose-device");
  vtr_pane_state_add_button (state, _ ("Show L_og"), "win.show-log");
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrTextureView *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrImage) image =
    vtr_document_get_texture_finish (VTR_DOCUMENT (source), result, &error);

  if (load_is_over (load) || get_texture (self) == NULL)
    return;
  g_clear_object (&self->loading);
  vtr_image_viewer_end_loading (self->viewer);
  if (image != NULL)
    show_image (self, image);
  else if (g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING))
    show_nothing (self, load->tag, error->message);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    show_problem (self, error, load->tag);
}

static void
load_image (VtrTextureView *self)
{
  VtrImageQuery query = VTR_IMAGE_QUERY_INIT;
  VtrPlace address;
  VtrPaneLoad *load;

  if (get_texture (self) == NULL || self->session == NULL)
    return;
  vtr_subresource_row_get (self->subresource, &query);
  query.object = self->object;
  query.edit = vtr_edits_get (vtr_session_get_edits (self->session), FALSE);
  if (!self->at_end && get_address (self, &address))
    {
      query.index = address.index;
      query.run = address.run;
    }
  load = vtr_pane_load_new (self, &self->loading);
  load->tag = query.index;
  vtr_image_viewer_hide_problem (self->viewer);
  vtr_image_viewer_begin_loading (self->viewer, query.index);
  vtr_document_get_texture_async (vtr_session_get_document (self->session), &query, self->loading,
                                  loaded_cb, load);
}

static void
choose (VtrTextureView *self, VtrTexture *texture, gboolean keep)
{
  if (vtr_texture_get_object (texture) != self->object)
    vtr_image_viewer_set_session (self->viewer, self->session);
  self->object = vtr_texture_get_object (texture);
  self->at_end = FALSE;
  vtr_subresource_row_set_texture (self->subresource, texture, keep);
  update_facts (self);
  load_image (self);
}

static void
selected_cb (VtrTextureView *self, VtrTexture *texture)
{
  choose (self, texture, FALSE);
}

static void
activated_cb (VtrTextureView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->viewer));
}

/* --- what is used here ----------------------------------------------------------------------- */

static void
used_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrTextureView *self = load->owner;
  g_autoptr (JsonNode) node = vtr_document_get_finish (VTR_DOCUMENT (source), result, NULL);
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  guint32 first = 0;

  if (load_is_over (load))
    return;
  g_clear_object (&self->using);
  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++)
      {
        JsonObject *entry = json_array_get_object_element (json_node_get_array (node), i);
        JsonObject *object = json_object_get_object_member (entry, "object");
        guint32 id = (guint32)json_object_get_int_member_with_default (object, "object", 0);

        g_hash_table_add (used, GUINT_TO_POINTER (id));
        if (first == 0)
          first = id;
      }
  vtr_texture_table_set_used (self->table, used);
  /* If nothing was selected yet, selects the image that the command draws to. */
  if (self->object == 0 && self->list != NULL)
    {
      VtrTexture *texture = first != 0 ? vtr_texture_list_find (self->list, first) : NULL;

      if (texture == NULL && g_list_model_get_n_items (G_LIST_MODEL (self->list)) > 0)
        texture = vtr_texture_list_get (self->list, 0);
      if (texture == NULL)
        return;
      vtr_texture_table_select (self->table, vtr_texture_get_object (texture));
      choose (self, texture, FALSE);
    }
}

static void
ask_used (VtrTextureView *self)
{
  VtrPlace address;
  g_autofree char *path = NULL;

  if (!get_address (self, &address))
    {
      vtr_texture_table_set_used (self->table, NULL);
      path = g_strdup ("info");
    }
  else
    {
      g_auto (GStrv) steps = vtr_path_split (vtr_session_get_path (self->session));

      path = g_strdup_printf ("%s/%s/textures", steps[0], steps[1] != NULL ? steps[1] : "0");
    }
  vtr_document_get_async (vtr_session_get_document (self->session), path, NULL, used_cb,
                          vtr_pane_load_new (self, &self->using));
}

/* --- the list -------------------------------------------------------------------------------- */

static void
apply_pending (VtrTextureView *self)
{
  VtrTexture *texture =
    self->has_pending ? vtr_texture_list_find (self->list, self->pending.object) : NULL;

  self->has_pending = FALSE;
  if (texture == NULL)
    return;
  if (self->pending.object != self->object)
    vtr_image_viewer_set_session (self->viewer, self->session);
  self->object = self->pending.object;
  self->at_end = FALSE;
  vtr_texture_table_select (self->table, self->object);
  vtr_subresource_row_set_texture (self->subresource, texture, FALSE);
  vtr_subresource_row_set (self->subresource, &self->pending);
  update_facts (self);
  load_image (self);
}

static void
show_no_images (VtrTextureView *self)
{
  vtr_pane_state_set (self->state, "image-missing-symbolic", _ ("No Images"),
                      _ ("This program created no images."));
  gtk_stack_set_visible_child_name (self->stack, "state");
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrTextureView *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrTextureList) list =
    vtr_document_list_textures_finish (VTR_DOCUMENT (source), result, &error);

  panel_widget_unmark_busy (PANEL_WIDGET (self));
  if (load_is_over (load))
    return;
  g_clear_object (&self->listing);
  if (list == NULL)
    {
      vtr_pane_state_set (self->state, "dialog-error-symbolic", _ ("Images Cannot Be Listed"),
                          error->message);
      vtr_pane_state_add_button (self->state, _ ("_Try Again"), "textures.retry");
      gtk_stack_set_visible_child_name (self->stack, "state");
      return;
    }
  g_set_object (&self->list, list);
  if (g_list_model_get_n_items (G_LIST_MODEL (list)) == 0)
    {
      show_no_images (self);
      return;
    }
  vtr_texture_table_set_list (self->table, self->session, list);
  vtr_pane_room_set_list_width (self->paned, vtr_texture_table_get_wanted_width (self->table));
  gtk_stack_set_visible_child_name (self->stack, "content");
  apply_pending (self);
  ask_used (self);
}

static void
update (gpointer data)
{
  VtrTextureView *self = data;

  if (self->session == NULL)
    return;
  if (self->list == NULL && self->listing == NULL)
    {
      panel_widget_mark_busy (PANEL_WIDGET (self));
      vtr_document_list_textures_async (vtr_session_get_document (self->session), NULL, listed_cb,
                                        vtr_pane_load_new (self, &self->listing));
    }
  else if (self->list != NULL && g_list_model_get_n_items (G_LIST_MODEL (self->list)) > 0)
    {
      self->at_end = FALSE;
      ask_used (self);
      load_image (self);
    }
}

static void
queue_update (VtrTextureView *self)
{
  vtr_pane_update_queue (&self->update);
}

/* Cancels the image that is being loaded, which would show something else. */
static void
edited_cb (VtrTextureView *self)
{
  vtr_pane_load_cancel (&self->loading);
  vtr_image_viewer_end_loading (self->viewer);
  queue_update (self);
}

/* --- links ----------------------------------------------------------------------------------- */

static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  VtrTextureView *self = VTR_TEXTURE_VIEW (pane);
  VtrImageQuery query = VTR_IMAGE_QUERY_INIT;

  if (self->session == NULL)
    return FALSE;
  if (g_str_equal (path, "textures") || vtr_pane_match_path (path, "textures") != NULL)
    return TRUE;
  if (!vtr_texture_path_parse (vtr_document_get_history (vtr_session_get_document (self->session)),
                               path, &query))
    return FALSE;
  self->pending = query;
  self->has_pending = TRUE;
  if (self->list != NULL)
    apply_pending (self);
  else
    queue_update (self);
  return TRUE;
}

/* --- life ------------------------------------------------------------------------------------ */

static void
show_end_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrTextureView *self = VTR_TEXTURE_VIEW (widget);

  self->at_end = TRUE;
  load_image (self);
}

static void
retry_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  update (widget);
}

static void
forget_session (VtrTextureView *self)
{
  if (self->session == NULL)
    return;
  g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
  g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  VtrTextureView *self = VTR_TEXTURE_VIEW (pane);

  vtr_pane_load_cancel (&self->listing);
  vtr_pane_load_cancel (&self->loading);
  vtr_pane_load_cancel (&self->using);
  vtr_pane_update_cancel (&self->update);
  forget_session (self);
  g_set_object (&self->session, session);
  g_clear_object (&self->list);
  self->object = 0;
  self->has_pending = self->at_end = FALSE;
  vtr_texture_table_set_list (self->table, NULL, NULL);
  vtr_subresource_row_set_texture (self->subresource, NULL, FALSE);
  vtr_image_viewer_set_session (self->viewer, session);
  gtk_stack_set_visible_child_name (self->viewer_stack, "none");
  vtr_pane_state_set (self->state, "content-loading-symbolic", _ ("Reading Images…"), NULL);
  gtk_stack_set_visible_child_name (self->stack, "state");
  if (session == NULL)
    return;
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (vtr_session_get_edits (session), "changed", G_CALLBACK (edited_cb), self,
                           G_CONNECT_SWAPPED);
  queue_update (self);
}

static void
vtr_texture_view_dispose (GObject *object)
{
  VtrTextureView *self = VTR_TEXTURE_VIEW (object);

  vtr_pane_load_cancel (&self->listing);
  vtr_pane_load_cancel (&self->loading);
  vtr_pane_load_cancel (&self->using);
  vtr_pane_update_cancel (&self->update);
  forget_session (self);
  g_clear_object (&self->list);
  G_OBJECT_CLASS (vtr_texture_view_parent_class)->dispose (object);
}

static gboolean
vtr_texture_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_TEXTURE_VIEW (widget)->table));
}

static void
vtr_texture_view_class_init (VtrTextureViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_texture_view_dispose;
  widget_class->grab_focus = vtr_texture_view_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  gtk_widget_class_install_action (widget_class, "textures.show-end", NULL, show_end_action);
  gtk_widget_class_install_action (widget_class, "textures.retry", NULL, retry_action);
}

static GtkWidget *
make_viewer (VtrTextureView *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->viewer = VTR_IMAGE_VIEWER (vtr_image_viewer_new ());
  gtk_widget_set_vexpand (GTK_WIDGET (self->viewer), TRUE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->viewer));

  self->empty = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->empty, TRUE);
  self->viewer_stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->viewer_stack, gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), "none");
  gtk_stack_add_named (self->viewer_stack, GTK_WIDGET (self->empty), "empty");
  gtk_stack_add_named (self->viewer_stack, box, "image");
  gtk_widget_set_vexpand (GTK_WIDGET (self->viewer_stack), TRUE);

  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->subresource = VTR_SUBRESOURCE_ROW (vtr_subresource_row_new ());
  g_signal_connect_object (self->subresource, "changed", G_CALLBACK (load_image), self,
                           G_CONNECT_SWAPPED);
  self->facts = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->facts), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->facts), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->facts, "texture-facts");
  gtk_widget_add_css_class (self->facts, "numeric");
  g_signal_connect_object (self->facts, "activate-link", G_CALLBACK (activate_link_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->viewer_stack));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->subresource));
  gtk_box_append (GTK_BOX (box), self->facts);
  return box;
}

static void
vtr_texture_view_init (VtrTextureView *self)
{
  vtr_pane_update_init (&self->update, self, update, G_PRIORITY_DEFAULT_IDLE);
  panel_widget_set_title (PANEL_WIDGET (self), _ ("Textures"));
  panel_widget_set_id (PANEL_WIDGET (self), "textures");
  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);

  self->table = VTR_TEXTURE_TABLE (vtr_texture_table_new ());
  g_signal_connect_object (self->table, "selected", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->table, "activated", G_CALLBACK (activated_cb), self,
                           G_CONNECT_SWAPPED);
  self->paned = GTK_PANED (gtk_paned_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_paned_set_start_child (self->paned, GTK_WIDGET (self->table));
  gtk_paned_set_end_child (self->paned, make_viewer (self));
  gtk_paned_set_shrink_start_child (self->paned, FALSE);
  gtk_paned_set_shrink_end_child (self->paned, FALSE);
  gtk_paned_set_resize_start_child (self->paned, FALSE);

  self->state = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set (self->state, "image-missing-symbolic", _ ("No Images"), NULL);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->state), "state");
  gtk_stack_add_named (self->stack,
                       vtr_pane_room_new_fold (self->paned, STACKED_WIDTH, LIST_WIDTH), "content");
  panel_widget_set_child (PANEL_WIDGET (self), GTK_WIDGET (self->stack));
}

GtkWidget *
vtr_texture_view_new (void)
{
  return g_object_new (VTR_TYPE_TEXTURE_VIEW, NULL);
}

guint32
vtr_texture_view_get_object (VtrTextureView *self)
{
  return self->object;
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
