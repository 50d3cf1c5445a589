/* The tree of the State pane. It keeps rows expanded from one command to the next. */
#pragma once

#include <gtk/gtk.h>

#include "engine/model/vtr-state-tree.h"

G_BEGIN_DECLS

/**
 * VtrStateList:
 *
 * Rows are identified by their path below the root, so that the root of another command shows the
 * same rows, expanded and scrolled as before. Actions: "state.go-to", "state.copy-value",
 * "state.copy-path", "state.find-value", "state.collapse-all".
 *
 * Signals: "link" (gchar *path, gboolean elsewhere), "find" (gchar *text).
 *
 * Threading: main.
 */
#define VTR_TYPE_STATE_LIST (vtr_state_list_get_type ())
G_DECLARE_FINAL_TYPE (VtrStateList, vtr_state_list, VTR, STATE_LIST, GtkWidget)

GtkWidget *vtr_state_list_new (void);
/* Shows @root; NULL: nothing. @only_changed: leaves out state that the command did not change. */
void vtr_state_list_set_root (VtrStateList *self,
                              VtrStateNode *root,
                              gboolean      only_changed);
/* Expands the rows above the node of @path, selects it and scrolls to it. Returns: FALSE if it does
 * not exist; the nearest existing ancestor is shown then. */
gboolean vtr_state_list_reveal (VtrStateList *self,
                                const char   *path);
/* Path of the selected row; NULL: none. (transfer full) */
char *vtr_state_list_dup_selected (VtrStateList *self);
/* Rows on display; for tests. */
guint vtr_state_list_get_n_rows (VtrStateList *self);

G_END_DECLS
