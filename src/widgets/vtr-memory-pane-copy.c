/* The Memory pane's Copy and Save: the selected bytes as hex, text, a C array or a file. */
#include "vtr-config.h"

#include "widgets/vtr-memory-pane-private.h"

#include "widgets/vtr-export.h"

#define MAX_SAVED (G_GUINT64_CONSTANT (1) << 30)

typedef struct
{
  VtrMemoryPane *pane;
  VtrHexFormat as;
} Copying;

static void
copy_cb (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  Copying *copying = data;
  g_autoptr (VtrMemoryView) view =
    vtr_document_get_memory_view_finish (VTR_DOCUMENT (source), result, NULL);

  if (view != NULL)
    {
      g_autofree char *text = vtr_hex_format (view, copying->as);

      gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (copying->pane)), text);
    }
  g_object_unref (copying->pane);
  g_free (copying);
}

static void
copy (GtkWidget  *widget,
      const char *action,
      GVariant   *parameter)
{
  VtrMemoryPane *self = VTR_MEMORY_PANE (widget);
  VtrMemoryQuery query = { self->address, self->space, 0, 0, FALSE, NULL };
  const char *as = g_variant_get_string (parameter, NULL);
  Copying *copying;

  if (self->session == NULL || !self->has_place)
    return;
  copying = g_new0 (Copying, 1);
  copying->pane = g_object_ref (self);
  copying->as = g_str_equal (as, "text") ? VTR_HEX_TEXT : g_str_equal (as, "c") ? VTR_HEX_C
                                                                                : VTR_HEX_HEX;
  vtr_hex_grid_get_selection (self->grid, &query.offset, &query.size);
  query.size = MIN (query.size, VTR_MEMORY_PANE_MAX_VALUES);
  vtr_document_get_memory_view_async (vtr_memory_pane_get_document (self), &query, NULL, copy_cb,
                                      copying);
}

/* --- saving ---------------------------------------------------------------------------------- */

typedef struct
{
  VtrMemoryPane *pane;
  char *name;
} Saving;

static void
save_cb (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  Saving *saving = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrMemoryView) view =
    vtr_document_get_memory_view_finish (VTR_DOCUMENT (source), result, &error);

  if (view != NULL)
    vtr_export_bytes (GTK_WIDGET (saving->pane), view->bytes, saving->name);
  else
    gtk_label_set_label (saving->pane->read_out, error->message);
  g_object_unref (saving->pane);
  g_free (saving->name);
  g_free (saving);
}

/* The selected bytes, or the whole range that is shown, including bytes that were read back.
 * Unknown bytes are 0. */
static void
save (GtkWidget  *widget,
      const char *action,
      GVariant   *parameter)
{
  VtrMemoryPane *self = VTR_MEMORY_PANE (widget);
  VtrMemoryQuery query = { self->address, self->space, 0, 0, FALSE, NULL };
  Saving *saving;

  if (self->session == NULL || !self->has_place)
    return;
  vtr_hex_grid_get_selection (self->grid, &query.offset, &query.size);
  if (query.size <= 1)
    {
      query.offset = self->offset;
      query.size = self->size;
    }
  query.size = MIN (query.size, MAX_SAVED);
  query.replay = self->read_back_once;
  query.edit = vtr_memory_pane_get_edit (self);
  saving = g_new0 (Saving, 1);
  saving->pane = g_object_ref (self);
  saving->name = g_strdup_printf ("memory%u-0x%" G_GINT64_MODIFIER "x.bin", self->space,
                                  query.offset);
  vtr_document_get_memory_view_async (vtr_memory_pane_get_document (self), &query, NULL, save_cb,
                                      saving);
}

void
vtr_memory_pane_install_copying (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "memory.copy", "s", copy);
  gtk_widget_class_install_action (widget_class, "memory.save", NULL, save);
}
