/* Shared by the files of VtrCommandView: vtr-command-view.c (selection, filter), -rows (contents
 * of the rows), -cells (which cells are filled), -times (the column of GPU times) and -menu
 * (actions and context menu). */
#pragma once

#include "widgets/vtr-command-list.h"
#include "widgets/vtr-command-thumbs.h"
#include "widgets/vtr-command-view.h"
#include "widgets/vtr-pane-state.h"

G_BEGIN_DECLS

struct _VtrCommandView
{
  PanelWidget parent_instance;

  GtkEditable *filter;
  GtkToggleButton *flat;
  GtkRevealer *filter_revealer;
  GtkLabel *filter_note;
  GtkStack *stack;
  GtkColumnView *list;
  GtkColumnViewColumn *command_column;
  GtkColumnViewColumn *index_column;
  VtrPaneState *empty;

  VtrSession *session;
  VtrCommandList *model;
  GtkSingleSelection *selection;
  GSimpleActionGroup *actions; /* "commands." */
  GtkWidget *menu;
  VtrCommandItem *menu_item;
  GSettings *settings;
  GCancellable *filtering;
  VtrCommandThumbs *thumbs;
  guint64 frame;   /* that thumbnails are loaded for */
  gboolean narrow; /* no room for thumbnails and numbers */
  GPtrArray *rows; /* VtrCommandRow made so far, weak */
  guint reshow_idle;
  guint narrow_idle;
  gboolean following; /* the selection comes from the session, do not send it back */
  gboolean selecting; /* the session's selection comes from a row: stay on it */
};

/* Back to all commands, and to the list. */
void vtr_command_view_clear_filter (VtrCommandView *self);

/* -cells: what is in view is filled, what is not is emptied. */
/* Once the rows are laid out; where the list is not shown, once it is. */
void vtr_command_view_scroll_to_selection (VtrCommandView *self);
/* The focus goes to the selected row, once that is in view. Returns: whether the list can have it. */
gboolean vtr_command_view_focus_list (VtrCommandView *self);
typedef void (*VtrCellFunc) (VtrCommandView *self, GtkListItem *item);

void vtr_command_view_init_cells (VtrCommandView *self);
/* Instead of filling it: @fill is called when the cell comes into view, @empty when it leaves. */
void vtr_command_view_bind_cell (VtrCommandView *self,
                                 GtkListItem    *item,
                                 VtrCellFunc     fill,
                                 VtrCellFunc     empty);
void vtr_command_view_unbind_cell (VtrCommandView *self, GtkListItem *item);
/* Calls @fill for the cells that it had filled. */
void vtr_command_view_refill (VtrCommandView *self, VtrCellFunc fill);

/* -rows */
void vtr_command_view_init_factories (VtrCommandView *self);
/* Of all rows on the screen. */
void vtr_command_view_update_thumbs (VtrCommandView *self);
void vtr_command_view_update_failed (VtrCommandView *self);
void vtr_command_view_update_edited (VtrCommandView *self);
void vtr_command_view_toggle_row (VtrCommandView *self, guint row);

/* -times */
void vtr_command_view_init_times (VtrCommandView *self);
void vtr_command_view_set_times_session (VtrCommandView *self, VtrSession *session);

/* -menu: the actions "commands.…", and the menu of a row. */
void vtr_command_view_init_menus (VtrCommandView *self);
void vtr_command_view_go_to_parent (VtrCommandView *self);

G_END_DECLS
