/* The tree of the State pane. It keeps rows expanded from one command to the next. */
#pragma once

#include <gtk/gtk.h>

#include "engine/model/vtr-state-tree.h"

G_BEGIN_DECLS

/**
 * VtrStateList:
 *
 * Rows are known by their path below the root, so that another command's root shows the same ones, unfolded and scrolled as
 * before. Actions: "state.go-to", "state.copy-value", "state.copy-path", "state.find-value", "state.collapse-all".
 *
 * Signals: "link" (gchar *path, gboolean elsewhere), "find" (gchar *text).
 *
 * Threading: main.
 */
#define VTR_TYPE_STATE_LIST (vtr_state_list_get_type ())
G_DECLARE_FINAL_TYPE (VtrStateList, vtr_state_list, VTR, STATE_LIST, GtkWidget)

GtkWidget *vtr_state_list_new (void);
/* NULL: shows nothing. @only_changed: leaves out what the command did not change. */
void vtr_state_list_set_root (VtrStateList *self,
                              VtrStateNode *root,
                              gboolean      only_changed);
/* Unfolds what is above the node of @path, selects it and scrolls to it. Returns: FALSE when there is none, then the nearest
 * on the way is shown. */
gboolean vtr_state_list_reveal (VtrStateList *self,
                                const char   *path);
/* Path of the selected row; NULL: none. (transfer full) */
char *vtr_state_list_dup_selected (VtrStateList *self);
/* Rows on display; for tests. */
guint vtr_state_list_get_n_rows (VtrStateList *self);

G_END_DECLS
