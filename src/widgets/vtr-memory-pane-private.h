/* VtrMemoryPane itself. Its files are vtr-memory-pane.c (follows the selection), -build (makes
 * the widgets), -read (loads bytes and values) and -copy (clipboard and files). */
#pragma once

#include "engine/document/vtr-document-memory.h"
#include "widgets/vtr-hex-bytes.h"
#include "widgets/vtr-hex-grid.h"
#include "widgets/vtr-memory-pane.h"
#include "widgets/vtr-memory-tree.h"
#include "widgets/vtr-pane-state.h"

G_BEGIN_DECLS

/* Bytes whose values the tree shows, and that can be copied. */
#define VTR_MEMORY_PANE_MAX_VALUES (1 << 20)

struct _VtrMemoryPane
{
  PanelWidget parent_instance;

  GtkStack *stack;
  VtrPaneState *empty;
  GtkDropDown *ranges;
  GtkStringList *range_names;
  GtkToggleButton *decode; /* values, else raw bytes alone */
  GtkDropDown *layout;
  GtkEntry *type_entry;
  GtkEntry *go_to;
  GtkWidget *read_back;
  GtkWidget *spinner;
  GtkWidget *body; /* the grid, the values and what the cursor is on */
  VtrHexGrid *grid;
  GtkPaned *paned;
  GtkWidget *tree; /* scrolls .values */
  GtkColumnView *values;
  GtkLabel *read_out;

  VtrSession *session;
  GCancellable *listing; /* of the command's ranges */
  GCancellable *reading; /* of bytes */
  GArray *list;          /* VtrMemoryRange; NULL: not there yet */
  guint n_reading;
  guint progress;
  gboolean filling; /* the list of ranges is being filled: its selection is not the user's */
  gboolean pending; /* the selection changed while hidden */

  VtrPlace address;
  gboolean has_place;
  gboolean chosen;         /* the user or a link chose the place; otherwise it is the command's
                              range */
  gboolean read_back_once; /* bytes were read back since the place was shown */
  gboolean gpu_values;     /* the GPU wrote some of the values, and they were not read back */
  /* a path chose the place: the list of the command's ranges does not change it */
  gboolean placed;
  guint32 space;
  guint64 offset, size; /* the requested range; the grid shows more around it */
  VtrMemoryType *type;
  char *type_text;   /* that .type was read from, with .layout_read */
  guint layout_read; /* row of .layout */
  gboolean single;   /* the divider is placed for a type that does not repeat */
  char *hint;        /* the type that a range suggested; NULL: none */
};

VtrDocument *vtr_memory_pane_get_document (VtrMemoryPane *self);
void vtr_memory_pane_show_empty (VtrMemoryPane *self,
                                 const char    *icon,
                                 const char    *title,
                                 const char    *text);
/* The entry's type, if it can be read. */
void vtr_memory_pane_read_type (VtrMemoryPane *self);
/* Shows the values of the type, or raw bytes, as the user chose. */
void vtr_memory_pane_show_values (VtrMemoryPane *self);
/* Selects the bytes of the value that is selected in the tree. */
void vtr_memory_pane_pick_value (VtrMemoryPane *self);
/* Shares the width between the grid and the tree. */
void vtr_memory_pane_place_divider (VtrMemoryPane *self);
/* The range that the drop-down names. */
void vtr_memory_pane_choose_range (VtrMemoryPane *self);
/* The place that the entry names. */
void vtr_memory_pane_go_to (VtrMemoryPane *self);

/* -build. (transfer floating) */
GtkWidget *vtr_memory_pane_make_tools (VtrMemoryPane *self);
GtkWidget *vtr_memory_pane_make_body (VtrMemoryPane *self);

/* -read */
void vtr_memory_pane_load (VtrMemoryPane *self, guint64 offset, guint64 size);
/* Reads a range back by replay, in whole pieces of the grid. */
void vtr_memory_pane_read_by_replay (VtrMemoryPane *self, guint64 offset, guint64 size);
/* Reads back the bytes that the GPU wrote in the selection, or else on the screen. */
void vtr_memory_pane_read_back (VtrMemoryPane *self);
void vtr_memory_pane_load_values (VtrMemoryPane *self, gboolean replay);
void vtr_memory_pane_update_read_out (VtrMemoryPane *self);

/* -copy: the actions memory.copy (s) and memory.save. */
void vtr_memory_pane_install_copying (GtkWidgetClass *widget_class);

/* The edits that replays for this pane apply. */
const VtrPictureEdit *vtr_memory_pane_get_edit (VtrMemoryPane *self);

G_END_DECLS
