/* The shader editor of the Shaders pane: keeps drafts, compiles them in a worker thread, and
 * replaces the shader in replays. */
#include "vtr-config.h"

#include "widgets/vtr-shader-editor.h"

#include <glib/gi18n.h>
#include <string.h>

#include "widgets/vtr-accessible.h"
#include "widgets/vtr-copy-menu.h"
#include "widgets/vtr-pane-load.h"

/* The most lines of the compiler's messages; the tooltip has the rest. */
#define MAX_LINES 5

/* The edited text of a shader. */
typedef struct
{
  guint form;
  VtrShaderTextKind kind;
  char *text;
  char *problem; /* (nullable) */
  guint line;    /* of the problem; 0: none */
  gboolean applied;
} Draft;

struct _VtrShaderEditor
{
  GtkWidget parent_instance;

  VtrShaderText *text;
  GtkWidget *status;
  GtkWidget *spinner;
  GtkWidget *apply, *revert;
  GtkWidget *problem_row;
  GtkWidget *problem;

  VtrSession *session;
  GHashTable *drafts; /* VtrShader → Draft */
  VtrShader *shader;  /* that is shown */
  guint form;
  VtrShaderTextKind kind;
  GCancellable *compiling;
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (VtrShaderEditor, vtr_shader_editor, GTK_TYPE_WIDGET)

static guint reverted_signal;

static void
draft_free (gpointer data)
{
  Draft *draft = data;

  g_free (draft->text);
  g_free (draft->problem);
  g_free (draft);
}

/* The draft of the shown shader in the shown form; NULL: it is not edited. */
static Draft *
get_draft (VtrShaderEditor *self)
{
  Draft *draft = self->shader != NULL ? g_hash_table_lookup (self->drafts, self->shader) : NULL;

  return draft != NULL && draft->form == self->form ? draft : NULL;
}

gboolean
vtr_shader_editor_has_draft (VtrShaderEditor *self, VtrShader *shader, guint form)
{
  const Draft *draft = g_hash_table_lookup (self->drafts, shader);

  return draft != NULL && draft->form == form;
}

const char *
vtr_shader_editor_get_problem (VtrShaderEditor *self)
{
  const Draft *draft = get_draft (self);

  return draft != NULL ? draft->problem : NULL;
}

/* --- what is shown --------------------------------------------------------------------------- */

static gboolean
is_replaced (VtrShaderEditor *self)
{
  return self->session != NULL && self->shader != NULL &&
         vtr_edits_get_shader (vtr_session_get_edits (self->session),
                               vtr_shader_get_object (self->shader),
                               vtr_shader_get_nth (self->shader)) != NULL;
}

/* "Line 12: 'x' : undeclared" leads to the line. */
static char *
make_problem_markup (const char *problem)
{
  g_auto (GStrv) lines = g_strsplit (problem, "\n", -1);
  g_autoptr (GRegex) regex = g_regex_new ("^\\D*(\\d+):", 0, 0, NULL);
  GString *markup = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL && i < MAX_LINES; i++)
    {
      g_autofree char *escaped = g_markup_escape_text (lines[i], -1);
      g_autoptr (GMatchInfo) match = NULL;

      if (i > 0)
        g_string_append_c (markup, '\n');
      if (g_regex_match (regex, lines[i], 0, &match))
        {
          g_autofree char *number = g_match_info_fetch (match, 1);

          g_string_append_printf (markup, "<a href=\"%s\">%s</a>", number, escaped);
        }
      else
        g_string_append (markup, escaped);
    }
  return g_string_free (markup, FALSE);
}

static void
update (VtrShaderEditor *self)
{
  const Draft *draft = get_draft (self);
  gboolean busy = self->compiling != NULL, replaced = is_replaced (self);
  g_autofree char *markup = NULL;
  const char *status;

  if (busy)
    status = _ ("Compiling…");
  else if (draft == NULL)
    status = _ ("Replaced: images use a different text");
  else if (draft->applied && replaced)
    status = _ ("Images use this text");
  else if (draft->problem != NULL)
    status = _ ("Not applied");
  else if (replaced)
    status = _ ("Edited since it was applied");
  else
    status = _ ("Editing");

  gtk_widget_set_visible (GTK_WIDGET (self), draft != NULL || replaced);
  vtr_shader_text_set_editable (self->text, draft != NULL);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), busy);
  gtk_widget_set_visible (self->spinner, busy);
  gtk_widget_set_sensitive (self->apply, draft != NULL && !busy && !(draft->applied && replaced));
  gtk_label_set_label (GTK_LABEL (self->status), status);
  gtk_widget_set_visible (self->problem_row, draft != NULL && draft->problem != NULL);
  if (draft != NULL && draft->problem != NULL)
    {
      markup = make_problem_markup (draft->problem);
      gtk_label_set_markup (GTK_LABEL (self->problem), markup);
      gtk_widget_set_tooltip_text (self->problem, draft->problem);
    }
  vtr_shader_text_mark_line (self->text, draft != NULL && draft->problem ? draft->line : 0);
}

void
vtr_shader_editor_hide (VtrShaderEditor *self)
{
  vtr_pane_load_cancel (&self->compiling);
  g_clear_object (&self->shader);
  update (self);
}

void
vtr_shader_editor_show (VtrShaderEditor   *self,
                        VtrShader         *shader,
                        guint              form,
                        VtrShaderTextKind  kind)
{
  const Draft *draft;

  if (self->shader != shader || self->form != form)
    vtr_pane_load_cancel (&self->compiling);
  g_set_object (&self->shader, shader);
  self->form = form;
  self->kind = kind;
  draft = get_draft (self);
  if (draft != NULL)
    {
      self->syncing = TRUE;
      vtr_shader_text_set_text (self->text, draft->text,
                                kind == VTR_SHADER_TEXT_GLSL ? "glsl" : "spirv-asm");
      self->syncing = FALSE;
    }
  update (self);
}

/* --- editing --------------------------------------------------------------------------------- */

void
vtr_shader_editor_begin (VtrShaderEditor *self)
{
  Draft *draft;

  if (self->shader == NULL || get_draft (self) != NULL)
    return;
  draft = g_new0 (Draft, 1);
  draft->form = self->form;
  draft->kind = self->kind;
  draft->text = g_strdup (vtr_shader_text_get_text (self->text));
  g_hash_table_replace (self->drafts, g_object_ref (self->shader), draft);
  update (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->text));
}

static void
edited_cb (VtrShaderEditor *self)
{
  Draft *draft = get_draft (self);

  if (self->syncing || draft == NULL)
    return;
  g_free (draft->text);
  draft->text = g_strdup (vtr_shader_text_get_text (self->text));
  draft->applied = FALSE;
  vtr_pane_load_cancel (&self->compiling);
  /* The error stays until the text is compiled again; its line may have moved. */
  draft->line = 0;
  update (self);
}

void
vtr_shader_editor_revert (VtrShaderEditor *self)
{
  g_autoptr (VtrShader) shader = self->shader != NULL ? g_object_ref (self->shader) : NULL;

  if (shader == NULL || self->session == NULL)
    return;
  vtr_pane_load_cancel (&self->compiling);
  g_hash_table_remove (self->drafts, shader);
  vtr_edits_set_shader (vtr_session_get_edits (self->session), vtr_shader_get_object (shader),
                        vtr_shader_get_nth (shader), NULL);
  update (self);
  g_signal_emit (self, reverted_signal, 0);
}

/* --- compiling ------------------------------------------------------------------------------- */

typedef struct
{
  VtrDocument *document;
  VtrShader *shader;
  VtrSpirv *like;
  VtrShaderTextKind kind;
  GBytes *text;
  guint line;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_object_unref (job->document);
  g_object_unref (job->shader);
  g_clear_pointer (&job->like, vtr_spirv_unref);
  g_bytes_unref (job->text);
  g_free (job);
}

static void
compile_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  const VtrSpirvEntry *entry =
    job->like != NULL && vtr_spirv_get_n_entries (job->like) > 0
      ? vtr_spirv_get_entry (job->like, 0)
      : NULL;
  GError *error = NULL;
  g_autoptr (GBytes) code = vtr_shader_compile (
    job->kind, job->text, entry != NULL ? (VtrShaderStage)entry->stage : 0, job->like,
    &job->line, cancellable, &error);

  if (code != NULL &&
      vtr_document_check_shader (job->document, vtr_shader_get_object (job->shader),
                                 vtr_shader_get_nth (job->shader), code, cancellable, &error))
    g_task_return_pointer (task, g_steal_pointer (&code), (GDestroyNotify)g_bytes_unref);
  else
    g_task_return_error (task, error);
}

/* "…:12: …" of the assembler, which has no line of its own. */
static guint
find_line (const char *message)
{
  g_autoptr (GRegex) regex = g_regex_new ("(?:^|[^\\d])(\\d+)(?::\\d+)?:", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *number = NULL;

  if (!g_regex_match (regex, message, 0, &match))
    return 0;
  number = g_match_info_fetch (match, 1);
  return (guint)MIN (g_ascii_strtoull (number, NULL, 10), G_MAXINT);
}

static void
compiled_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrShaderEditor *self = load->owner;
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) code = g_task_propagate_pointer (G_TASK (result), &error);
  Draft *draft;

  /* Replaced by a newer text, or by another shader. */
  if (vtr_pane_load_is_over (load) || self->session == NULL)
    return;
  g_clear_object (&self->compiling);
  draft = get_draft (self);
  if (draft == NULL || self->shader != job->shader)
    return;
  g_clear_pointer (&draft->problem, g_free);
  draft->applied = code != NULL;
  if (code == NULL)
    {
      draft->problem = g_strdup (error->message);
      draft->line = job->line != 0 ? job->line : find_line (error->message);
    }
  else
    vtr_edits_set_shader (vtr_session_get_edits (self->session),
                          vtr_shader_get_object (self->shader), vtr_shader_get_nth (self->shader),
                          code);
  update (self);
}

void
vtr_shader_editor_apply (VtrShaderEditor *self)
{
  const Draft *draft = get_draft (self);
  VtrSpirv *spirv = self->shader != NULL ? vtr_shader_get_spirv (self->shader) : NULL;
  g_autoptr (GTask) task = NULL;
  VtrPaneLoad *load;
  Job *job;

  if (draft == NULL || self->session == NULL)
    return;
  job = g_new0 (Job, 1);
  job->document = g_object_ref (vtr_session_get_document (self->session));
  job->shader = g_object_ref (self->shader);
  job->like = spirv != NULL ? vtr_spirv_ref (spirv) : NULL;
  job->kind = draft->kind;
  job->text = g_bytes_new (draft->text, strlen (draft->text));
  load = vtr_pane_load_new (self, &self->compiling);
  task = g_task_new (self, self->compiling, compiled_cb, load);
  g_task_set_source_tag (task, vtr_shader_editor_apply);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, compile_thread);
  update (self);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
forget_session (VtrShaderEditor *self)
{
  vtr_pane_load_cancel (&self->compiling);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
  g_clear_object (&self->session);
  g_clear_object (&self->shader);
  if (self->drafts != NULL)
    g_hash_table_remove_all (self->drafts);
}

void
vtr_shader_editor_set_session (VtrShaderEditor *self, VtrSession *session)
{
  forget_session (self);
  if (session != NULL)
    {
      self->session = g_object_ref (session);
      g_signal_connect_object (vtr_session_get_edits (session), "changed", G_CALLBACK (update),
                               self, G_CONNECT_SWAPPED);
    }
  update (self);
}

static gboolean
activate_link_cb (VtrShaderEditor *self, const char *uri)
{
  vtr_shader_text_go_to_line (self->text, (guint)g_ascii_strtoull (uri, NULL, 10));
  return TRUE;
}

static void
vtr_shader_editor_dispose (GObject *object)
{
  VtrShaderEditor *self = VTR_SHADER_EDITOR (object);
  GtkWidget *child;

  forget_session (self);
  g_clear_pointer (&self->drafts, g_hash_table_unref);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (vtr_shader_editor_parent_class)->dispose (object);
}

static void
apply_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  VtrShaderEditor *self = VTR_SHADER_EDITOR (widget);

  if (g_str_equal (name, "shader-editor.apply"))
    vtr_shader_editor_apply (self);
  else
    vtr_shader_editor_revert (self);
}

static void
vtr_shader_editor_class_init (VtrShaderEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_shader_editor_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "vtrshadereditor");
  gtk_widget_class_install_action (widget_class, "shader-editor.apply", NULL, apply_action);
  gtk_widget_class_install_action (widget_class, "shader-editor.revert", NULL, apply_action);
  reverted_signal = g_signal_new ("reverted", VTR_TYPE_SHADER_EDITOR, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
}

static void
init_problem (VtrShaderEditor *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *icon = gtk_image_new_from_icon_name ("dialog-error-symbolic");

  self->problem = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  /* The text does not wrap, because wrapping rounds heights and GTK then prints warnings; the
   * tooltip has the full text. */
  gtk_label_set_ellipsize (GTK_LABEL (self->problem), PANGO_ELLIPSIZE_END);
  gtk_label_set_selectable (GTK_LABEL (self->problem), TRUE);
  vtr_copy_menu_add (self->problem);
  gtk_widget_set_hexpand (self->problem, TRUE);
  g_signal_connect_object (self->problem, "activate-link", G_CALLBACK (activate_link_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_css_class (icon, "error");
  gtk_widget_set_valign (icon, GTK_ALIGN_START);
  gtk_widget_add_css_class (box, "shader-problem");
  gtk_box_append (GTK_BOX (box), icon);
  gtk_box_append (GTK_BOX (box), self->problem);
  self->problem_row = box;
  gtk_widget_set_parent (box, GTK_WIDGET (self));
}

static GtkWidget *
make_button (const char *label, const char *tooltip, const char *action)
{
  GtkWidget *button = vtr_button_new_with_mnemonic (label);

  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

static void
vtr_shader_editor_init (VtrShaderEditor *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *icon = gtk_image_new_from_icon_name ("document-edit-symbolic");

  gtk_orientable_set_orientation (
    GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
  self->drafts = g_hash_table_new_full (NULL, NULL, g_object_unref, draft_free);
  self->status = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->status), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->status), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (self->status, TRUE);
  self->spinner = gtk_spinner_new ();
  self->revert = make_button (_ ("_Revert"), _ ("Restore the Program’s Shader"),
                              "shader-editor.revert");
  self->apply = make_button (_ ("_Apply"), _ ("Compile and Use in Images (Ctrl+Return)"),
                             "shader-editor.apply");
  gtk_widget_add_css_class (self->apply, "suggested-action");
  gtk_widget_add_css_class (bar, "tool-row");
  gtk_box_append (GTK_BOX (bar), icon);
  gtk_box_append (GTK_BOX (bar), self->status);
  gtk_box_append (GTK_BOX (bar), self->spinner);
  gtk_box_append (GTK_BOX (bar), self->revert);
  gtk_box_append (GTK_BOX (bar), self->apply);
  gtk_widget_set_parent (bar, GTK_WIDGET (self));
  init_problem (self);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

GtkWidget *
vtr_shader_editor_new (VtrShaderText *text)
{
  VtrShaderEditor *self = g_object_new (VTR_TYPE_SHADER_EDITOR, NULL);

  self->text = text;
  g_signal_connect_object (text, "edited", G_CALLBACK (edited_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (text, "apply", G_CALLBACK (vtr_shader_editor_apply), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
