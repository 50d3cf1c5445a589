/* Loads the bytes and values that the Memory pane shows, by replay where the GPU wrote them, and
 * describes the byte at the cursor. */
#include "vtr-config.h"

#include "widgets/vtr-memory-pane-private.h"

#include <glib/gi18n.h>

#include "base/vtr-number.h"

/* --- Reading --------------------------------------------------------------------------------- */

static void
set_busy (VtrMemoryPane *self,
          int            change)
{
  self->n_reading += (guint)change;
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), self->n_reading > 0);
}

typedef struct
{
  VtrMemoryPane *pane;
  GCancellable *cancellable;
  VtrMemoryQuery query;
} Reading;

static void
reading_free (Reading *self)
{
  g_object_unref (self->pane);
  g_object_unref (self->cancellable);
  g_free (self);
}

static void
read_cb (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  Reading *reading = data;
  VtrMemoryPane *self = reading->pane;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrMemoryView) view =
    vtr_document_get_memory_view_finish (VTR_DOCUMENT (source), result, &error);

  set_busy (self, -1);
  if (!g_cancellable_is_cancelled (reading->cancellable) && self->session != NULL)
    {
      if (view != NULL)
        {
          vtr_hex_grid_take (self->grid, view);
          vtr_memory_pane_update_read_out (self);
          if (reading->query.replay)
            {
              self->read_back_once = TRUE;
              vtr_memory_pane_load_values (self, TRUE);
            }
        }
      else if (reading->query.replay)
        {
          vtr_session_report_replay_failure (self->session, reading->query.address.index, error);
          gtk_label_set_label (self->read_out, error->message);
        }
      else
        vtr_memory_pane_show_empty (self, "dialog-warning-symbolic", _ ("Cannot Be Read"),
                                    error->message);
    }
  reading_free (reading);
}

static void
read_bytes (VtrMemoryPane *self,
            guint64        offset,
            guint64        size,
            gboolean       replay)
{
  Reading *reading;

  if (self->session == NULL || size == 0)
    return;
  reading = g_new0 (Reading, 1);
  reading->pane = g_object_ref (self);
  reading->cancellable = g_object_ref (self->reading);
  reading->query = (VtrMemoryQuery){ self->address, self->space, offset, size, replay,
                                     vtr_memory_pane_get_edit (self) };
  set_busy (self, 1);
  vtr_document_get_memory_view_async (vtr_memory_pane_get_document (self), &reading->query,
                                      self->reading, read_cb,
                                      reading);
}

void
vtr_memory_pane_load (VtrMemoryPane *self,
                      guint64        offset,
                      guint64        size)
{
  read_bytes (self, offset, size, FALSE);
}

/* Reads whole pieces of the grid. */
void
vtr_memory_pane_read_by_replay (VtrMemoryPane *self,
                                guint64        offset,
                                guint64        size)
{
  guint64 limit = 0, first, end;

  vtr_memory_get_space_size (vtr_document_get_memory (vtr_memory_pane_get_document (self)),
                             self->space,
                             VTR_COMMAND_NO_INDEX, &limit, NULL);
  first = offset / VTR_HEX_PIECE * VTR_HEX_PIECE;
  end = MIN ((offset + size + VTR_HEX_PIECE - 1) / VTR_HEX_PIECE * VTR_HEX_PIECE, limit);
  if (end > first)
    read_bytes (self, first, end - first, TRUE);
}

/* Reads back the bytes that the GPU wrote in the selection, or else on the screen. */
void
vtr_memory_pane_read_back (VtrMemoryPane *self)
{
  guint64 offset, size;

  vtr_hex_grid_get_selection (self->grid, &offset, &size);
  if (size > 1 || vtr_hex_grid_find_gpu (self->grid, &offset, &size))
    vtr_memory_pane_read_by_replay (self, offset, MIN (size, VTR_MEMORY_PANE_MAX_VALUES));
  else if (self->gpu_values)
    vtr_memory_pane_load_values (self, TRUE);
}

/* --- Values ---------------------------------------------------------------------------------- */

/* Whether the GPU wrote some of the bytes, so that only a replay can read them. */
static gboolean
has_gpu_part (const VtrMemoryView *view)
{
  for (guint i = 0; i < view->spans->len; i++)
    {
      VtrMemoryKind kind = g_array_index (view->spans, VtrMemorySpan, i).kind;

      if (kind == VTR_MEMORY_GPU_WRITTEN || kind == VTR_MEMORY_GPU_MAYBE)
        return TRUE;
    }
  return FALSE;
}

static void
values_cb (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  Reading *reading = data;
  VtrMemoryPane *self = reading->pane;
  g_autoptr (VtrMemoryView) view =
    vtr_document_get_memory_view_finish (VTR_DOCUMENT (source), result, NULL);

  set_busy (self, -1);
  if (view != NULL && self->type != NULL && !g_cancellable_is_cancelled (reading->cancellable))
    {
      GtkSelectionModel *rows = gtk_column_view_get_model (self->values);

      vtr_memory_tree_set (self->values, view, self->type);
      if (gtk_column_view_get_model (self->values) != rows)
        g_signal_connect_object (gtk_column_view_get_model (self->values), "notify::selected",
                                 G_CALLBACK (vtr_memory_pane_pick_value), self,
                                 G_CONNECT_SWAPPED);
      self->gpu_values = has_gpu_part (view);
      vtr_memory_pane_update_read_out (self);
    }
  reading_free (reading);
}

void
vtr_memory_pane_load_values (VtrMemoryPane *self,
                             gboolean       replay)
{
  Reading *reading;

  if (self->type == NULL || !gtk_toggle_button_get_active (self->decode) || !self->has_place ||
      self->session == NULL)
    {
      gtk_column_view_set_model (self->values, NULL);
      return;
    }
  reading = g_new0 (Reading, 1);
  reading->pane = g_object_ref (self);
  reading->cancellable = g_object_ref (self->reading);
  reading->query = (VtrMemoryQuery){ self->address, self->space, self->offset,
                                     MIN (self->size, VTR_MEMORY_PANE_MAX_VALUES), replay,
                                     vtr_memory_pane_get_edit (self) };
  set_busy (self, 1);
  vtr_document_get_memory_view_async (vtr_memory_pane_get_document (self), &reading->query,
                                      self->reading,
                                      values_cb, reading);
}

/* --- Read-out -------------------------------------------------------------------------------- */

static char *
describe_kind (VtrMemoryPane       *self,
               const VtrMemorySpan *span)
{
  VtrTrace *trace = vtr_session_get_trace (self->session);
  g_autofree char *link = NULL;

  if (span->kind == VTR_MEMORY_UNKNOWN)
    return g_strdup (_ ("contents unknown"));
  if (span->index < vtr_trace_get_n_commands (trace))
    {
      g_autofree char *path = vtr_trace_format_command (trace, span->index);
      g_autofree char *number = vtr_trace_format_number (trace, span->index);

      link = g_strdup_printf ("<a href=\"%s\">%s</a>", path, number);
    }
  else
    link = g_strdup ("?");
  switch (span->kind)
    {
    case VTR_MEMORY_GPU_WRITTEN:
      return g_strdup_printf (_ ("written by the GPU in command %s"), link);
    case VTR_MEMORY_GPU_MAYBE:
      return g_strdup_printf (_ ("possibly written by the GPU in command %s"), link);
    case VTR_MEMORY_REPLAYED:
      return g_strdup_printf (_ ("written by the GPU in command %s, read back by replay"), link);
    case VTR_MEMORY_OBSERVED:
    case VTR_MEMORY_UNKNOWN:
    default:
      return g_strdup_printf (_ ("recorded at command %s"), link);
    }
}

void
vtr_memory_pane_update_read_out (VtrMemoryPane *self)
{
  guint64 offset, size, gpu_offset, gpu_size;
  g_autofree char *place = NULL;
  g_autofree char *kind = NULL;
  g_autofree char *markup = NULL;
  const VtrMemorySpan *span;
  guint8 byte = 0;

  gtk_widget_set_visible (self->read_back,
                          self->space != VTR_SPACE_PROGRAM &&
                            (vtr_hex_grid_find_gpu (self->grid, &gpu_offset, &gpu_size) ||
                             (self->gpu_values && gtk_widget_get_visible (self->tree))));
  if (self->session == NULL || !self->has_place)
    return;
  vtr_hex_grid_get_selection (self->grid, &offset, &size);
  span = vtr_hex_grid_get_byte (self->grid, vtr_hex_grid_get_cursor (self->grid), &byte);
  place = size > 1 ? g_strdup_printf ("0x%" G_GINT64_MODIFIER "x + %" G_GUINT64_FORMAT, offset,
                                      size)
                   : g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", offset);
  if (span == NULL)
    kind = g_strdup ("…");
  else
    kind = describe_kind (self, span);
  if (span != NULL && span->known)
    markup = g_strdup_printf ("%s · 0x%02x · %u · %s", place, byte, byte, kind);
  else
    markup = g_strdup_printf ("%s · %s", place, kind);
  gtk_label_set_markup (self->read_out, markup);
}
