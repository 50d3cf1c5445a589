/* The list model of the Commands pane: the expanded rows of the command tree as one flat list,
 * all commands in order, or the matches of a filter. */
#pragma once

#include "widgets/vtr-command-item.h"
#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/**
 * VtrCommandList:
 *
 * A GListModel of VtrCommandItem. It knows only expanded rows, so its cost does not depend on the
 * length of the trace (GtkTreeListModel keeps an object per row). Items keep their identity while
 * somebody holds a reference.
 *
 * It shows the tree, all commands in order ("flat"), or the matches of a filter. Threading: main.
 */
#define VTR_TYPE_COMMAND_LIST (vtr_command_list_get_type ())
G_DECLARE_FINAL_TYPE (VtrCommandList, vtr_command_list, VTR, COMMAND_LIST, GObject)

/* @tree must outlive the list. */
VtrCommandList *vtr_command_list_new (VtrDocument    *document,
                                      VtrCommandTree *tree);

void vtr_command_list_set_flat (VtrCommandList *self,
                                gboolean        flat);
/* @matches: ascending flat indices (guint64), or NULL for no filter. */
void vtr_command_list_set_matches (VtrCommandList *self,
                                   GArray         *matches);
gboolean vtr_command_list_get_filtered (VtrCommandList *self);

/* Expands a row. Returns: FALSE if it has no children, or is expanded already. */
gboolean vtr_command_list_expand (VtrCommandList *self,
                                  guint           row);
gboolean vtr_command_list_collapse (VtrCommandList *self,
                                    guint           row);
void vtr_command_list_collapse_all (VtrCommandList *self);
/* GTK_INVALID_LIST_POSITION: none. */
guint vtr_command_list_get_parent (VtrCommandList *self,
                                   guint           row);
/* Expands the rows above @command, in the run that @path names ("commands/12@3"; NULL: the first).
Returns: the row of @command; GTK_INVALID_LIST_POSITION: the filter hides it. */
guint vtr_command_list_reveal (VtrCommandList *self,
                               guint64         command,
                               const char     *path);

G_END_DECLS
