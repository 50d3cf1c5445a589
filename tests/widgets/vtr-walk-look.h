/* Checks the screen for the walk (walk.c), and keeps the findings. Threading: main. */
#pragma once

#include "vtr-test-names.h"
#include "vtr-walk-check.h"

G_BEGIN_DECLS

/* One walk per process. */
typedef struct
{
  VtrWalkCheck check;
  VtrTestNames names;
  GPtrArray *findings; /* of char*: with the place */
  GHashTable *known;   /* findings without place and numbers: each is reported once */
  char *place;
  char *folder; /* for pictures; NULL: none are kept */
  guint n_places;
  gboolean is_foreign; /* the widget is part of GTK: its faults are not ours */
} VtrWalk;

extern VtrWalk vtr_walk;

/* From now on warnings are findings. */
void vtr_walk_init (void);
void vtr_walk_set_place (const char *format, ...) G_GNUC_PRINTF (1, 2);
void vtr_walk_add_finding (const char *text);

/* Until nothing moves and nothing is waited for. */
void vtr_walk_settle (GtkWidget *root);
/* Checks what @root shows. @foreign: a window of GTK's, whose names and pale texts are its own. */
void vtr_walk_look_at (GtkWidget *root, gboolean foreign, const char *format, ...)
  G_GNUC_PRINTF (3, 4);

typedef void (*VtrWalkVisit) (GtkWidget *widget, gpointer data);

/* Calls @visit with all that is on the screen, popovers left out. */
void vtr_walk_visit (GtkWidget *widget, VtrWalkVisit visit, gpointer data);
/* Opens each menu and list of choices that is shown of @within, a part of @root, and looks at it. */
void vtr_walk_look_at_menus (GtkWidget *root, GtkWidget *within, const char *where);

/* Goes once around @root with Tab: each control is reached, in sight and marked. */
void vtr_walk_look_at_tab (GtkWidget *root, const char *where);

/* No popover may be left open. */
void vtr_walk_check_closed (GtkWidget *root);

/* Shows a window with one fault of each kind. Returns: the status to exit with, 0 when each was found. */
int vtr_walk_planted (void);

G_END_DECLS
