/* The common data of the rules of vtr-walk-check.h: the texts and icons on the screen, and its
 * pixels. */
#pragma once

#include "vtr-walk-check.h"

G_BEGIN_DECLS

/* Something with ink: a text, an icon, the frame of a button. */
typedef struct
{
  GtkWidget *widget;
  graphene_rect_t bounds;  /* of its ink, in the root */
  graphene_rect_t visible; /* of the widget, without what its ancestors cut off */
  gboolean is_text;
} VtrWalkLeaf;

typedef struct
{
  VtrWalkCheck *check;
  GtkWidget *root;
  GArray *leaves; /* of VtrWalkLeaf */
  guchar *pixels;
  int width, height; /* of the picture, pixels */
  double scale;      /* pixels for each unit */
  float text_scale;
} VtrWalkLook;

/* The text of a label or inscription; NULL: it is neither. */
const char *vtr_walk_get_text (GtkWidget *widget);
/* Adds a finding about @widget. */
void vtr_walk_find (VtrWalkLook *look, const char *rule, GtkWidget *widget, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
/* Finds texts that are too pale; nothing without a picture. */
void vtr_walk_check_contrast (VtrWalkLook *look);

G_END_DECLS
