#include "vtr-config.h"

#include "widgets/vtr-memory-pane-private.h"

#include <glib/gi18n.h>

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
  VtrMemoryQuery query = { self->address, self->pool, 0, 0, FALSE };
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

void
vtr_memory_pane_install_copying (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "memory.copy", "s", copy);
}
