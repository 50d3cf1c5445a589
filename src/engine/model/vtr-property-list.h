/* Rows of names and values: a command's parameters, an object's creation, unfolded on demand. */
#pragma once

#include "engine/state/vtr-analysis.h"

#include "api/vtr-api-print.h"

G_BEGIN_DECLS

/**
 * VtrPropertyRow:
 *
 * One name with its value. Immutable. Properties of the same names as the getters can be bound:
 * "name", "type-name", "text", "link", "children", "warning", "path", "note", "ignored", "out",
 * "kind".
 *
 * Threading: main (may be made on a worker and handed over).
 */
#define VTR_TYPE_PROPERTY_ROW (vtr_property_row_get_type ())
G_DECLARE_FINAL_TYPE (VtrPropertyRow, vtr_property_row, VTR, PROPERTY_ROW, GObject)

/* A row that is not part of an argument tree. @link, @note, @warning, @children may be NULL. */
VtrPropertyRow *vtr_property_row_new (const char *name,
                                      const char *text,
                                      const char *link,
                                      GListModel *children);
/* Set more of a new row; each value may be NULL. Only before the row is shown. */
void vtr_property_row_set_note (VtrPropertyRow *self,
                                const char     *note);
void vtr_property_row_set_warning (VtrPropertyRow *self,
                                   const char     *warning);

/* "extent", "[3]", "0 · uniform". */
const char *vtr_property_row_get_name (VtrPropertyRow *self);
/* "VkExtent3D", "uint32_t"; "" where a row has no C type. */
const char *vtr_property_row_get_type_name (VtrPropertyRow *self);
/* The value for people: "36", "VK_FORMAT_R8_UNORM", "image 213", "1920 × 1080 × 1", "4 elements",
   "null". */
const char *vtr_property_row_get_text (VtrPropertyRow *self);
/* Facts shown dim after the text: "1024² BC7"; NULL: none. */
const char *vtr_property_row_get_note (VtrPropertyRow *self);
/* Path that a click on the value leads to ("objects/213", "commands/12"); NULL: no link. */
const char *vtr_property_row_get_link (VtrPropertyRow *self);
/* A sentence when something is wrong with the value (shown with a warning icon); NULL: fine. */
const char *vtr_property_row_get_warning (VtrPropertyRow *self);
/* The row's own address ("commands/12/parameters/pCreateInfo/extent"); NULL: it has none. */
const char *vtr_property_row_get_path (VtrPropertyRow *self);
/* VtrPropertyKind of rows from an argument tree; VTR_PROPERTY_STRING for others. */
VtrPropertyKind vtr_property_row_get_kind (VtrPropertyRow *self);
/* The driver does not look at it: show dim. */
gboolean vtr_property_row_get_ignored (VtrPropertyRow *self);
/* (transfer none) (nullable): rows below, made when first asked for; NULL: a leaf. For
   GtkTreeListModel. */
GListModel *vtr_property_row_get_children (VtrPropertyRow *self);

/**
 * VtrPropertyList:
 *
 * A GListModel of VtrPropertyRow. Rows are made when asked for, so an array of a million elements
 * costs nothing until scrolled.
 *
 * Threading: main.
 */
#define VTR_TYPE_PROPERTY_LIST (vtr_property_list_get_type ())
G_DECLARE_FINAL_TYPE (VtrPropertyList, vtr_property_list, VTR, PROPERTY_LIST, GObject)

/* The parameters of command @index, then its result (row "returns") when it has one. Decodes one
   command: microseconds, so call it directly. NULL with @error: the command's bytes are damaged.
   (transfer full) */
VtrPropertyList *vtr_property_list_new_for_command (VtrAnalysis  *analysis,
                                                    guint64       index,
                                                    GError      **error);
/* An object: name, type, lifetime, parent, then how it was created. (transfer full) */
VtrPropertyList *vtr_property_list_new_for_object (VtrAnalysis  *analysis,
                                                   guint32       id,
                                                   GError      **error);

G_END_DECLS
