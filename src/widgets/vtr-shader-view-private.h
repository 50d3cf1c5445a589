/* VtrShaderView itself. Its files are vtr-shader-view.c (shows one shader in its forms) and
 * -follow (chooses the shader of the selected command or of a link). */
#pragma once

#include "engine/document/vtr-document-lists.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane-update.h"
#include "widgets/vtr-shader-editor.h"
#include "widgets/vtr-shader-table.h"
#include "widgets/vtr-shader-text.h"
#include "widgets/vtr-shader-view.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_SHADER_FORM_SOURCE,
  VTR_SHADER_FORM_GLSL,
  VTR_SHADER_FORM_SPIRV,
  VTR_SHADER_FORM_REFLECTION,
  VTR_N_SHADER_FORMS
} VtrShaderForm;

struct _VtrShaderView
{
  PanelWidget parent_instance;

  GtkStack *stack; /* state, content */
  VtrPaneState *state;
  VtrShaderTable *table;
  GtkWidget *toggles[VTR_N_SHADER_FORMS];
  GtkMenuButton *chooser; /* chooses the form where there is no room for .toggles */
  GtkStack *form_stack;   /* text, rows, problem */
  VtrShaderText *text;
  VtrShaderEditor *editor;
  GtkScrolledWindow *rows;
  VtrPaneState *problem;
  GtkWidget *edit, *copy, *save;
  GtkWidget *footer;

  VtrSession *session;
  VtrShaderList *list;
  VtrShader *shader;
  GHashTable *bound; /* VtrShader → number of its stage + 1; of the selected command */
  guint32 pipeline;  /* bound there; 0: none */
  VtrShaderForm form;
  gboolean has_form; /* chosen by the user */
  char *pending;     /* a link that arrived before the list */
  GCancellable *listing, *loading;
  VtrPaneUpdate update;
  gboolean syncing;
  gboolean begin; /* start editing once the text is loaded */
};

/* The word for the form in a path: "glsl", "disassembly". */
const char *vtr_shader_form_get_word (VtrShaderForm form);
/* Sets the form that is shown. The caller then calls load_form(). */
void vtr_shader_view_set_form (VtrShaderView *self,
                               VtrShaderForm  form);
void vtr_shader_view_choose (VtrShaderView *self,
                             VtrShader     *shader);

/* Fills the list and selects a shader: that of a link that arrived before the list, otherwise one
 * of the selected command. The list must be loaded and not empty. */
void vtr_shader_view_follow (VtrShaderView *self);
/* Follows a pending link, if it leads to a shader. */
void vtr_shader_view_apply_pending (VtrShaderView *self);

G_END_DECLS
