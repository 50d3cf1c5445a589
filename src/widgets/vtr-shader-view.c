/* The Shaders pane: all shaders of the trace, and the chosen one as source, disassembly or
 * reflection. */
#include "vtr-config.h"

#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-shader-view-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/api/vtr-show-api.h"
#include "widgets/vtr-export.h"
#include "widgets/vtr-pane-load.h"
#include "widgets/vtr-pane-room.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-reflection-rows.h"
#include "widgets/vtr-shader-facts.h"
#include "widgets/vtr-wrap-layout.h"

/* Narrower panes have the list above the text. */
#define STACKED_WIDTH 620
#define LIST_WIDTH 270

static const struct
{
  const char *label;
  const char *word; /* in the path */
  const char *suffix;
} forms[VTR_N_SHADER_FORMS] = {
  [VTR_SHADER_FORM_SOURCE] = { N_ ("Source"), "source", ".txt" },
  [VTR_SHADER_FORM_GLSL] = { N_ ("GLSL"), "glsl", ".glsl" },
  [VTR_SHADER_FORM_SPIRV] = { N_ ("SPIR-V"), "disassembly", ".spvasm" },
  [VTR_SHADER_FORM_REFLECTION] = { N_ ("Reflection"), "reflection", ".json" },
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrShaderView,
                               vtr_shader_view,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

/* --- one shader ------------------------------------------------------------------------------ */

static void
show_problem (VtrShaderView *self, const GError *error, VtrShaderForm form)
{
  gboolean no_source = g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING);

  vtr_pane_state_set (self->problem,
                      no_source ? "text-x-generic-symbolic" : "dialog-warning-symbolic",
                      no_source                       ? _ ("No Source")
                      : form == VTR_SHADER_FORM_GLSL  ? _ ("No GLSL")
                      : form == VTR_SHADER_FORM_SPIRV ? _ ("No Disassembly")
                                                      : _ ("This Shader Cannot Be Shown"),
                      error->message);
  if (form != VTR_SHADER_FORM_GLSL)
    vtr_pane_state_add_button (self->problem, _ ("Show _GLSL"), "shaders.form::glsl");
  if (form != VTR_SHADER_FORM_SPIRV)
    vtr_pane_state_add_button (self->problem, _ ("Show _SPIR-V"), "shaders.form::disassembly");
  gtk_stack_set_visible_child_name (self->form_stack, "problem");
}

static const char *
language_id (const char *language)
{
  return g_str_equal (language, "GLSL") || g_str_equal (language, "ESSL") ? "glsl"
         : *language == '\0'                                              ? NULL
                                                                          : "cpp";
}

/* Why the text cannot be compiled again; NULL: it can. */
static const char *
find_obstacle (VtrShaderView *self, VtrShaderForm form)
{
  VtrSpirv *spirv = vtr_shader_get_spirv (self->shader);
  const VtrSpirvSource *source =
    spirv != NULL && vtr_spirv_get_n_sources (spirv) == 1 ? vtr_spirv_get_source (spirv, 0) : NULL;

  if (form == VTR_SHADER_FORM_REFLECTION || spirv == NULL)
    return _ ("No text to edit");
  if (form == VTR_SHADER_FORM_SPIRV)
    return NULL;
  if (vtr_spirv_get_n_entries (spirv) != 1)
    return _ ("This shader has several entry points. Edit its SPIR-V instead.");
  if (form == VTR_SHADER_FORM_SOURCE && (source == NULL || !g_str_equal (source->language, "GLSL")))
    return _ ("Only single-file GLSL can be compiled here. Edit the GLSL or SPIR-V instead.");
  return NULL;
}

/* @good: the text of the form is available. */
static void
update_editor (VtrShaderView *self, VtrShaderForm form, gboolean good)
{
  const char *obstacle = good ? find_obstacle (self, form) : _ ("No text to edit");

  if (obstacle != NULL)
    vtr_shader_editor_hide (self->editor);
  else
    vtr_shader_editor_show (self->editor, self->shader, form,
                            form == VTR_SHADER_FORM_SPIRV ? VTR_SHADER_TEXT_ASSEMBLY
                                                          : VTR_SHADER_TEXT_GLSL);
  if (obstacle == NULL && self->begin)
    vtr_shader_editor_begin (self->editor);
  self->begin = FALSE;
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "shaders.edit", obstacle == NULL);
  gtk_widget_set_tooltip_text (self->edit, obstacle != NULL ? obstacle : _ ("Edit (Ctrl+E)"));
}

/* All source files one after the other, each with its name if there are several. */
static void
show_sources (VtrShaderView *self, JsonArray *sources)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = json_array_get_length (sources);
  const char *language = "";

  for (guint i = 0; i < n; i++)
    {
      JsonObject *source = json_array_get_object_element (sources, i);

      language = json_object_get_string_member (source, "language");
      if (n > 1)
        g_string_append_printf (text, "%s// %s\n\n", i > 0 ? "\n" : "",
                                json_object_get_string_member (source, "file"));
      g_string_append (text, json_object_get_string_member (source, "text"));
    }
  vtr_shader_text_set_text (self->text, text->str, language_id (language));
  gtk_stack_set_visible_child_name (self->form_stack, "text");
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrShaderView *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = vtr_document_get_finish (VTR_DOCUMENT (source), result, &error);

  panel_widget_unmark_busy (PANEL_WIDGET (self));
  if (vtr_pane_load_is_over (load) || self->session == NULL)
    return;
  g_clear_object (&self->loading);
  if (node == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        show_problem (self, error, (VtrShaderForm)load->tag);
    }
  else if (load->tag == VTR_SHADER_FORM_REFLECTION)
    {
      gtk_scrolled_window_set_child (self->rows, vtr_reflection_rows_new (node));
      gtk_stack_set_visible_child_name (self->form_stack, "rows");
    }
  /* The draft stays, and the scroll position in it. */
  else if (vtr_shader_editor_has_draft (self->editor, self->shader, (guint)load->tag))
    gtk_stack_set_visible_child_name (self->form_stack, "text");
  else if (load->tag == VTR_SHADER_FORM_SOURCE)
    show_sources (self, json_node_get_array (node));
  else
    {
      vtr_shader_text_set_text (self->text, json_node_get_string (node),
                                load->tag == VTR_SHADER_FORM_GLSL ? "glsl" : "spirv-asm");
      gtk_stack_set_visible_child_name (self->form_stack, "text");
    }
  update_editor (self, (VtrShaderForm)load->tag, node != NULL);
  gtk_widget_set_sensitive (self->copy, node != NULL && load->tag != VTR_SHADER_FORM_REFLECTION);
  gtk_widget_set_sensitive (self->save, node != NULL && load->tag != VTR_SHADER_FORM_REFLECTION);
}

/* The path of the shader: in the bound pipeline, with its constants; otherwise, and for edits that
 * apply to all pipelines, the module itself. */
static char *
get_shader_path (VtrShaderView *self)
{
  guint stage = GPOINTER_TO_UINT (g_hash_table_lookup (self->bound, self->shader));

  if (stage > 0 && !self->begin)
    return g_strdup_printf ("objects/%u/shader/%u", self->pipeline, stage - 1);
  return g_strdup (vtr_shader_get_path (self->shader));
}

static void
load_form (VtrShaderView *self)
{
  g_autofree char *shader = NULL;
  g_autofree char *path = NULL;
  VtrPaneLoad *load;

  if (self->shader == NULL || self->session == NULL)
    return;
  shader = get_shader_path (self);
  path = g_strdup_printf ("%s/%s", shader, forms[self->form].word);
  load = vtr_pane_load_new (self, &self->loading);
  load->tag = self->form;
  panel_widget_mark_busy (PANEL_WIDGET (self));
  vtr_document_get_async (vtr_session_get_document (self->session), path, self->loading, loaded_cb,
                          load);
}

static void
update_footer (VtrShaderView *self)
{
  g_autofree char *markup = vtr_shader_dup_facts (
    self->shader, vtr_document_get_history (vtr_session_get_document (self->session)));

  gtk_label_set_markup (GTK_LABEL (self->footer), markup);
}

static gboolean
activate_link_cb (VtrShaderView *self, const char *uri)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.select", "s", uri);
  return TRUE;
}

const char *
vtr_shader_form_get_word (VtrShaderForm form)
{
  return forms[form].word;
}

static void
show_form (VtrShaderView *self)
{
  const char *label = _ (forms[self->form].label);

  gtk_menu_button_set_label (self->chooser, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->chooser), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
}

void
vtr_shader_view_set_form (VtrShaderView *self, VtrShaderForm form)
{
  self->form = form;
  show_form (self);
  self->syncing = TRUE;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->toggles[form]), TRUE);
  self->syncing = FALSE;
}

void
vtr_shader_view_choose (VtrShaderView *self, VtrShader *shader)
{
  VtrSpirv *spirv = vtr_shader_get_spirv (shader);
  gboolean has_source = spirv != NULL && vtr_spirv_has_source (spirv);

  g_set_object (&self->shader, shader);
  gtk_widget_set_sensitive (self->toggles[VTR_SHADER_FORM_SOURCE], has_source);
  gtk_widget_set_tooltip_text (
    self->toggles[VTR_SHADER_FORM_SOURCE],
    has_source ? NULL : _ ("This shader contains no source text"));
  /* Source text is preferred to decompiled code. */
  if (!self->has_form || (self->form == VTR_SHADER_FORM_SOURCE && !has_source))
    vtr_shader_view_set_form (self, has_source ? VTR_SHADER_FORM_SOURCE : VTR_SHADER_FORM_GLSL);
  update_footer (self);
  load_form (self);
}

static void
selected_cb (VtrShaderView *self, VtrShader *shader)
{
  if (shader != self->shader)
    vtr_shader_view_choose (self, shader);
}

/* --- which shaders there are ------------------------------------------------------------------ */

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrShaderView *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrShaderList) list =
    vtr_document_list_shaders_finish (VTR_DOCUMENT (source), result, &error);

  panel_widget_unmark_busy (PANEL_WIDGET (self));
  if (vtr_pane_load_is_over (load) || self->session == NULL)
    return;
  g_clear_object (&self->listing);
  if (list == NULL)
    {
      vtr_pane_state_set (self->state, "dialog-error-symbolic", _ ("Shaders Cannot Be Listed"),
                          error->message);
      return;
    }
  g_set_object (&self->list, list);
  if (g_list_model_get_n_items (G_LIST_MODEL (list)) == 0)
    {
      vtr_pane_state_set (self->state, "text-x-generic-symbolic", _ ("No Shaders"),
                          _ ("This program created no shaders."));
      return;
    }
  gtk_stack_set_visible_child_name (self->stack, "content");
  vtr_shader_view_follow (self);
}

static void
update (gpointer data)
{
  VtrShaderView *self = data;

  if (self->session == NULL)
    return;
  if (self->list == NULL && self->listing == NULL)
    {
      panel_widget_mark_busy (PANEL_WIDGET (self));
      vtr_document_list_shaders_async (vtr_session_get_document (self->session), NULL, listed_cb,
                                       vtr_pane_load_new (self, &self->listing));
    }
  else if (self->list != NULL && g_list_model_get_n_items (G_LIST_MODEL (self->list)) > 0)
    vtr_shader_view_follow (self);
}

static void
queue_update (VtrShaderView *self)
{
  vtr_pane_update_queue (&self->update);
}

/* --- tools ----------------------------------------------------------------------------------- */

static void
form_toggled_cb (VtrShaderView *self, GtkToggleButton *toggle)
{
  if (self->syncing || !gtk_toggle_button_get_active (toggle))
    return;
  self->form = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (toggle), "form"));
  self->has_form = TRUE;
  show_form (self);
  load_form (self);
}

static void
form_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrShaderView *self = VTR_SHADER_VIEW (widget);

  for (guint i = 0; i < VTR_N_SHADER_FORMS; i++)
    if (g_str_equal (forms[i].word, g_variant_get_string (parameter, NULL)))
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->toggles[i]), TRUE);
}

static void
edit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrShaderView *self = VTR_SHADER_VIEW (widget);

  if (self->shader == NULL ||
      vtr_shader_editor_has_draft (self->editor, self->shader, self->form))
    {
      gtk_widget_grab_focus (GTK_WIDGET (self->text));
      return;
    }
  self->begin = TRUE;
  load_form (self);
}

static void
copy_cb (VtrShaderView *self)
{
  const char *text = vtr_shader_text_get_text (self->text);

  if (text != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
save_cb (VtrShaderView *self)
{
  const char *text = vtr_shader_text_get_text (self->text);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *name = NULL;

  if (text == NULL || self->shader == NULL)
    return;
  bytes = g_bytes_new (text, strlen (text));
  name = g_strconcat (vtr_shader_get_name (self->shader), forms[self->form].suffix, NULL);
  g_strcanon (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
  vtr_export_bytes (GTK_WIDGET (self), bytes, name);
}

/* --- pane ------------------------------------------------------------------------------------ */

/* Whether @object is a shader, or a pipeline whose path goes on to one. */
static gboolean
is_shader (VtrHistory *history, guint32 object, gboolean below)
{
  const VtrObject *info = vtr_history_get_object (history, object);
  const VtrShowApi *show = vtr_show_api_get (info->type);
  g_autoptr (GArray) stages =
    show->list_stages != NULL ? show->list_stages (history, info, NULL) : NULL;

  return stages != NULL &&
         (below || (stages->len == 1 &&
                    g_array_index (stages, VtrBoundShader, 0).nth == VTR_SHADER_MODULE));
}

static gboolean
pane_show_path (VtrPane *pane, const char *path)
{
  VtrShaderView *self = VTR_SHADER_VIEW (pane);
  VtrHistory *history;
  char *end;
  guint64 id;

  if (self->session == NULL)
    return FALSE;
  /* The shaders of the selected command come first. */
  if (g_str_equal (path, "shaders") || vtr_pane_match_path (path, "shaders") != NULL)
    return TRUE;
  if (!g_str_has_prefix (path, "objects/"))
    return FALSE;
  history = vtr_document_get_history (vtr_session_get_document (self->session));
  id = g_ascii_strtoull (path + strlen ("objects/"), &end, 10);
  if (id == 0 || id > vtr_history_get_n_objects (history))
    return FALSE;
  if (!is_shader (history, (guint32)id, g_str_has_prefix (end, "/shader")))
    return FALSE;
  g_free (self->pending);
  self->pending = g_strdup (path);
  if (self->list != NULL)
    vtr_shader_view_apply_pending (self);
  else
    queue_update (self);
  return TRUE;
}

static gboolean
pane_find (VtrPane *pane, int step)
{
  vtr_shader_text_find (VTR_SHADER_VIEW (pane)->text, step);
  return TRUE;
}

static void
drop_session (VtrShaderView *self)
{
  vtr_pane_load_cancel (&self->listing);
  vtr_pane_load_cancel (&self->loading);
  vtr_pane_update_cancel (&self->update);
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  g_clear_object (&self->shader);
  g_clear_object (&self->list);
  self->begin = FALSE;
  if (self->editor != NULL)
    vtr_shader_editor_set_session (self->editor, NULL);
  g_clear_pointer (&self->pending, g_free);
  if (self->bound != NULL)
    g_hash_table_remove_all (self->bound);
}

static void
pane_set_session (VtrPane *pane, VtrSession *session)
{
  VtrShaderView *self = VTR_SHADER_VIEW (pane);

  drop_session (self);
  vtr_shader_table_set_edits (self->table,
                              session != NULL ? vtr_session_get_edits (session) : NULL);
  vtr_pane_state_set (self->state, "content-loading-symbolic", _ ("Reading Shaders…"), NULL);
  gtk_stack_set_visible_child_name (self->stack, "state");
  if (session == NULL)
    return;
  self->session = g_object_ref (session);
  vtr_shader_editor_set_session (self->editor, session);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  queue_update (self);
}

static void
vtr_shader_view_dispose (GObject *object)
{
  VtrShaderView *self = VTR_SHADER_VIEW (object);

  drop_session (self);
  self->editor = NULL;
  g_clear_pointer (&self->bound, g_hash_table_unref);
  G_OBJECT_CLASS (vtr_shader_view_parent_class)->dispose (object);
}

static gboolean
vtr_shader_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (VTR_SHADER_VIEW (widget)->text));
}

static void
vtr_shader_view_class_init (VtrShaderViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_shader_view_dispose;
  widget_class->grab_focus = vtr_shader_view_grab_focus;
  vtr_focus_chain_init_class (widget_class);
  gtk_widget_class_install_action (widget_class, "shaders.form", "s", form_action);
  gtk_widget_class_install_action (widget_class, "shaders.edit", NULL, edit_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_e, GDK_CONTROL_MASK, "shaders.edit",
                                       NULL);
}

static GtkWidget *
make_button (VtrShaderView *self, const char *icon, const char *label, GCallback callback)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  g_signal_connect_object (button, "clicked", callback, self, G_CONNECT_SWAPPED);
  return button;
}

static void
find_cb (VtrShaderView *self)
{
  vtr_shader_text_find (self->text, 0);
}

/* The drop-down replaces the toggles where they do not fit. */
static GtkWidget *
make_form_chooser (VtrShaderView *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();

  for (guint i = 0; i < VTR_N_SHADER_FORMS; i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (_ (forms[i].label), NULL);

      g_menu_item_set_action_and_target (item, "shaders.form", "s", forms[i].word);
      g_menu_append_item (menu, item);
    }
  self->chooser = GTK_MENU_BUTTON (gtk_menu_button_new ());
  gtk_menu_button_set_menu_model (self->chooser, G_MENU_MODEL (menu));
  gtk_widget_set_halign (GTK_WIDGET (self->chooser), GTK_ALIGN_START);
  show_form (self);
  return GTK_WIDGET (self->chooser);
}

static GtkWidget *
make_tools (VtrShaderView *self)
{
  GtkWidget *tools = vtr_wrap_box_new (4, GTK_ALIGN_START);
  AdwSqueezer *squeezer = ADW_SQUEEZER (adw_squeezer_new ());
  GtkWidget *linked = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_add_css_class (tools, "tool-row");
  gtk_widget_add_css_class (linked, "linked");
  for (guint i = 0; i < VTR_N_SHADER_FORMS; i++)
    {
      GtkWidget *toggle = gtk_toggle_button_new_with_label (_ (forms[i].label));

      g_object_set_data (G_OBJECT (toggle), "form", GUINT_TO_POINTER (i));
      if (i > 0)
        gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (toggle),
                                     GTK_TOGGLE_BUTTON (self->toggles[0]));
      g_signal_connect_object (toggle, "toggled", G_CALLBACK (form_toggled_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (linked), toggle);
      self->toggles[i] = toggle;
    }
  self->edit = gtk_button_new_from_icon_name ("document-edit-symbolic");
  gtk_widget_add_css_class (self->edit, "flat");
  gtk_widget_set_tooltip_text (self->edit, _ ("Edit (Ctrl+E)"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->edit), "shaders.edit");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->edit), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Edit"), -1);
  self->copy = make_button (self, "edit-copy-symbolic", _ ("Copy Text"), G_CALLBACK (copy_cb));
  self->save = make_button (self, "document-save-symbolic", _ ("Save Text…"),
                            G_CALLBACK (save_cb));
  gtk_widget_set_halign (linked, GTK_ALIGN_START);
  gtk_widget_set_halign (buttons, GTK_ALIGN_END);
  gtk_widget_set_hexpand (buttons, TRUE);
  gtk_box_append (GTK_BOX (buttons), self->edit);
  gtk_box_append (GTK_BOX (buttons), make_button (self, "edit-find-symbolic", _ ("Find in Text"),
                                                  G_CALLBACK (find_cb)));
  gtk_box_append (GTK_BOX (buttons), self->copy);
  gtk_box_append (GTK_BOX (buttons), self->save);
  adw_squeezer_set_switch_threshold_policy (squeezer, ADW_FOLD_THRESHOLD_POLICY_NATURAL);
  adw_squeezer_set_xalign (squeezer, 0);
  adw_squeezer_add (squeezer, linked);
  adw_squeezer_add (squeezer, make_form_chooser (self));
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (squeezer));
  gtk_box_append (GTK_BOX (tools), buttons);
  return tools;
}

static GtkWidget *
make_viewer (VtrShaderView *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->text = VTR_SHADER_TEXT (vtr_shader_text_new ());
  self->editor = VTR_SHADER_EDITOR (vtr_shader_editor_new (self->text));
  g_signal_connect_object (self->editor, "reverted", G_CALLBACK (load_form), self,
                           G_CONNECT_SWAPPED);
  self->rows = GTK_SCROLLED_WINDOW (gtk_scrolled_window_new ());
  self->problem = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->problem, TRUE);
  self->form_stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->form_stack, GTK_WIDGET (self->text), "text");
  gtk_stack_add_named (self->form_stack, GTK_WIDGET (self->rows), "rows");
  gtk_stack_add_named (self->form_stack, GTK_WIDGET (self->problem), "problem");
  gtk_widget_set_vexpand (GTK_WIDGET (self->form_stack), TRUE);
  self->footer = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->footer), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->footer), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->footer, "texture-facts");
  gtk_widget_add_css_class (self->footer, "numeric");
  g_signal_connect_object (self->footer, "activate-link", G_CALLBACK (activate_link_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), make_tools (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->editor));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->form_stack));
  gtk_box_append (GTK_BOX (box), self->footer);
  return box;
}

static void
vtr_shader_view_init (VtrShaderView *self)
{
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);

  vtr_pane_update_init (&self->update, self, update, G_PRIORITY_DEFAULT_IDLE);
  panel_widget_set_title (PANEL_WIDGET (self), _ ("Shaders"));
  panel_widget_set_id (PANEL_WIDGET (self), "shaders");
  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);
  self->bound = g_hash_table_new (NULL, NULL);
  self->state = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set (self->state, "text-x-generic-symbolic", _ ("No Shaders"), NULL);
  self->table = VTR_SHADER_TABLE (vtr_shader_table_new ());
  g_signal_connect_object (self->table, "selected", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_paned_set_start_child (GTK_PANED (paned), GTK_WIDGET (self->table));
  gtk_paned_set_end_child (GTK_PANED (paned), make_viewer (self));
  gtk_paned_set_resize_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->state), "state");
  gtk_stack_add_named (
    self->stack, vtr_pane_room_new_fold (GTK_PANED (paned), STACKED_WIDTH, LIST_WIDTH), "content");
  panel_widget_set_child (PANEL_WIDGET (self), GTK_WIDGET (self->stack));
}

GtkWidget *
vtr_shader_view_new (void)
{
  return g_object_new (VTR_TYPE_SHADER_VIEW, NULL);
}

const char *
vtr_shader_view_get_text (VtrShaderView *self)
{
  return vtr_shader_text_get_text (self->text);
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
  iface->find = pane_find;
}
