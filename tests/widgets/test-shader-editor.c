/* Tests editing a shader: what is applied, the compiler's messages, and what is kept when another
 * shader is shown. */
#include "vtr-test-ui.h"

#include <string.h>

#include "engine/document/vtr-document-lists.h"
#include "widgets/vtr-shader-editor.h"

static const guint32 fragment[] = {
#include "sample.frag.inc"
};

enum
{
  GLSL,
  ASSEMBLY
};

static VtrSession *
make_session (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrDocument) document = NULL;
  VkShaderModule module = H (VkShaderModule, 0x51);
  VkShaderModuleCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                    .codeSize = sizeof fragment,
                                    .pCode = fragment };

  vtr_test_add_device (test);
  ADD (test, vkCreateShaderModule, .device = H (VkDevice, 3), .pCreateInfo = &info,
       .pShaderModule = &module);
  vtr_test_present (test);
  document = vtr_test_trace_open_document (test);
  return vtr_session_new (document);
}

typedef struct
{
  VtrSession *session;
  VtrShaderList *list;
  VtrShader *shader;
  VtrShaderText *text;
  VtrShaderEditor *editor;
  GtkWindow *window;
  char *original;
} Fixture;

static char *
get_text (VtrSession *session, VtrShader *shader, const char *form)
{
  g_autofree char *path = g_strdup_printf ("%s/%s", vtr_shader_get_path (shader), form);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node =
    vtr_document_get (vtr_session_get_document (session), path, NULL, &error);

  g_assert_no_error (error);
  return g_strdup (json_node_get_string (node));
}

static void
set_up (Fixture *self, gconstpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->session = make_session ();
  self->list =
    vtr_document_list_shaders (vtr_session_get_document (self->session), NULL, NULL);
  self->shader = vtr_shader_list_get (self->list, 0);
  self->text = VTR_SHADER_TEXT (vtr_shader_text_new ());
  self->editor = VTR_SHADER_EDITOR (vtr_shader_editor_new (self->text));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->editor));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->text));
  self->window = vtr_test_ui_show (box, 600, 400);
  self->original = get_text (self->session, self->shader, "disassembly");
  vtr_shader_editor_set_session (self->editor, self->session);
  vtr_shader_text_set_text (self->text, self->original, "spirv-asm");
  vtr_shader_editor_show (self->editor, self->shader, ASSEMBLY, VTR_SHADER_TEXT_ASSEMBLY);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  vtr_shader_editor_set_session (self->editor, NULL);
  gtk_window_destroy (self->window);
  vtr_test_ui_spin (50);
  g_free (self->original);
  g_object_unref (self->list);
  g_object_unref (self->session);
}

static GtkWidget *
find_text_view (GtkWidget *widget)
{
  GtkWidget *found = GTK_IS_TEXT_VIEW (widget) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_text_view (child);
  return found;
}

/* As a user writes. */
static void
write_text (Fixture *self, const char *text)
{
  GtkTextView *view = GTK_TEXT_VIEW (find_text_view (GTK_WIDGET (self->text)));

  g_assert_true (gtk_text_view_get_editable (view));
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (view), text, -1);
}

static GBytes *
get_code (Fixture *self)
{
  return vtr_edits_get_shader (vtr_session_get_edits (self->session),
                               vtr_shader_get_object (self->shader),
                               vtr_shader_get_nth (self->shader));
}

static gboolean
is_replaced (gpointer data)
{
  return get_code (data) != NULL;
}

static gboolean
has_problem (gpointer data)
{
  return vtr_shader_editor_get_problem (((Fixture *)data)->editor) != NULL;
}

static void
test_apply (Fixture *self, gconstpointer data)
{
  GBytes *code;

  /* Nothing is edited yet. */
  vtr_shader_editor_apply (self->editor);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (self->editor)));
  vtr_shader_editor_begin (self->editor);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (self->editor)));
  g_assert_true (vtr_shader_editor_has_draft (self->editor, self->shader, ASSEMBLY));
  vtr_shader_editor_apply (self->editor);
  vtr_test_ui_wait (is_replaced, self);
  code = get_code (self);

  write_text (self, "OpNonsense\n");
  vtr_shader_editor_apply (self->editor);
  vtr_test_ui_wait (has_problem, self);
  g_assert_true (get_code (self) == code); /* what worked stays */
  write_text (self, self->original);
  g_assert_true (has_problem (self)); /* until it is tried again */
  vtr_shader_editor_apply (self->editor);
  vtr_test_ui_spin (50);

  vtr_shader_editor_revert (self->editor);
  g_assert_null (get_code (self));
  g_assert_false (vtr_shader_editor_has_draft (self->editor, self->shader, ASSEMBLY));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (self->editor)));
}

/* What was written stays with the form and the shader. */
static void
test_draft (Fixture *self, gconstpointer data)
{
  vtr_shader_editor_begin (self->editor);
  write_text (self, "; mine\n");
  vtr_shader_text_set_text (self->text, "void main () { }\n", "glsl");
  vtr_shader_editor_show (self->editor, self->shader, GLSL, VTR_SHADER_TEXT_GLSL);
  g_assert_cmpstr (vtr_shader_text_get_text (self->text), ==, "void main () { }\n");
  vtr_shader_editor_hide (self->editor);
  vtr_shader_editor_show (self->editor, self->shader, ASSEMBLY, VTR_SHADER_TEXT_ASSEMBLY);
  g_assert_cmpstr (vtr_shader_text_get_text (self->text), ==, "; mine\n");
  /* Cancelled by what comes next. */
  vtr_shader_editor_apply (self->editor);
  vtr_shader_editor_hide (self->editor);
  vtr_test_ui_spin (300);
  g_assert_null (get_code (self));
}

/* Without a compiler there is a sentence that names one. */
static void
test_no_compiler (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_strdup (g_getenv ("PATH"));

  vtr_shader_text_set_text (self->text, "#version 450\nvoid main () { }\n", "glsl");
  vtr_shader_editor_show (self->editor, self->shader, GLSL, VTR_SHADER_TEXT_GLSL);
  vtr_shader_editor_begin (self->editor);
  g_setenv ("PATH", "/nowhere", TRUE);
  vtr_shader_editor_apply (self->editor);
  vtr_test_ui_wait (has_problem, self);
  g_setenv ("PATH", path, TRUE);
  g_assert_nonnull (
    strstr (vtr_shader_editor_get_problem (self->editor), "glslangValidator"));
  g_assert_null (get_code (self));
}

int
main (int argc, char **argv)
{
  vtr_test_ui_init (&argc, &argv);
#define TEST(name, func) \
  g_test_add ("/widgets/shader-editor/" name, Fixture, NULL, set_up, func, tear_down)
  TEST ("apply", test_apply);
  TEST ("draft", test_draft);
  TEST ("no-compiler", test_no_compiler);
#undef TEST
  return g_test_run ();
}
