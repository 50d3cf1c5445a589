/* VtrCommandView itself. Its files are vtr-command-view.c (selection, filter), -rows (contents
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
  gboolean selecting; /* the session's selection came from this row: stay on it */
};

/* Clears the filter, and moves the focus to the list. */
void vtr_command_view_clear_filter (VtrCommandView *self);

/* -cells: cells in view are filled, cells out of view are emptied. */
/* Scrolls to the selected row once the rows are laid out, or once the list is shown. */
void vtr_command_view_scroll_to_selection (VtrCommandView *self);
/* Moves the focus to the selected row once that is in view. Returns: whether the list can have the
 * focus. */
gboolean vtr_command_view_focus_list (VtrCommandView *self);
typedef void (*VtrCellFunc) (VtrCommandView *self, GtkListItem *item);

void vtr_command_view_init_cells (VtrCommandView *self);
/* Calls @fill when the cell comes into view, and @empty when it leaves. */
void vtr_command_view_bind_cell (VtrCommandView *self,
                                 GtkListItem    *item,
                                 VtrCellFunc     fill,
                                 VtrCellFunc     empty);
void vtr_command_view_unbind_cell (VtrCommandView *self, GtkListItem *item);
/* Calls @fill again for all filled cells. */
void vtr_command_view_refill (VtrCommandView *self, VtrCellFunc fill);

/* -rows */
void vtr_command_view_init_factories (VtrCommandView *self);
/* Updates the thumbnails of all rows on the screen. */
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
