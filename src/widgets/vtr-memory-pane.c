#include "vtr-config.h"

#include "widgets/vtr-memory-pane.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/format/vtr-number.h"
#include "engine/resolve/vtr-document-memory.h"
#include "vtr-dialogs.h"
#include "widgets/vtr-hex-bytes.h"
#include "widgets/vtr-hex-grid.h"
#include "widgets/vtr-memory-tree.h"
#include "widgets/vtr-pane-state.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-text-factory.h"

/* Bytes shown before and after a range of the program's memory, which has no end. */
#define AROUND 65536
/* Bytes whose values the tree shows, and that can be copied. */
#define MAX_VALUES (1 << 20)
/* Milliseconds between two looks at the index that is being made. */
#define PROGRESS_INTERVAL 100

struct _VtrMemoryPane
{
  PanelWidget parent_instance;

  GtkStack *stack;
  VtrPaneState *empty;
  GtkDropDown *ranges;
  GtkStringList *range_names;
  GtkDropDown *layout;
  GtkEntry *type_entry;
  GtkEntry *go_to;
  GtkWidget *read_back;
  GtkWidget *spinner;
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
  gboolean filling; /* the range list: its selection is nobody's wish */
  gboolean pending; /* the selection changed while hidden */

  VtrCommandAddress address;
  gboolean has_place;
  gboolean placed; /* by a path: the list of the command's ranges, when it comes, leaves it alone */
  guint32 pool;
  guint64 offset, size; /* what was asked for; the grid shows more around it */
  VtrMemoryType *type;
  char *hint; /* the type that a range suggested; NULL: none */
};

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrMemoryPane,
                               vtr_memory_pane,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

static VtrDocument *
get_document (VtrMemoryPane *self)
{
  return vtr_session_get_document (self->session);
}

static void
show_empty (VtrMemoryPane *self,
            const char    *icon,
            const char    *title,
            const char    *text)
{
  vtr_pane_state_set (self->empty, icon, title, text);
  gtk_stack_set_visible_child (self->stack, GTK_WIDGET (self->empty));
}

static void
show_nothing (VtrMemoryPane *self)
{
  show_empty (self, "vtr-memory-symbolic", _ ("No Memory to Show"),
              _ ("Pick a command that reads or writes memory, or go to an address"));
}

/* --- Reading --------------------------------------------------------------------------------- */

static void
set_busy (VtrMemoryPane *self,
          int            change)
{
  self->n_reading += (guint)change;
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), self->n_reading > 0);
}

static void update_read_out (VtrMemoryPane *self);
static void load_values (VtrMemoryPane *self,
                         gboolean       replay);

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
          update_read_out (self);
          if (reading->query.replay)
            load_values (self, TRUE);
        }
      else if (reading->query.replay)
        {
          vtr_session_report_replay_failure (self->session, reading->query.address.index, error);
          gtk_label_set_label (self->read_out, error->message);
        }
      else
        show_empty (self, "dialog-warning-symbolic", _ ("Cannot Be Read"), error->message);
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
  reading->query = (VtrMemoryQuery){ self->address, self->pool, offset, size, replay };
  set_busy (self, 1);
  vtr_document_get_memory_view_async (get_document (self), &reading->query, self->reading, read_cb,
                                      reading);
}

static void
load_cb (VtrMemoryPane *self,
         guint64        offset,
         guint64        size)
{
  read_bytes (self, offset, size, FALSE);
}

/* Whole pieces of the grid are read, as it keeps them. */
static void
read_by_replay (VtrMemoryPane *self,
                guint64        offset,
                guint64        size)
{
  guint64 limit = 0, first, end;

  vtr_memory_get_pool_size (vtr_document_get_memory (get_document (self)), self->pool,
                            VTR_COMMAND_NO_INDEX, &limit, NULL);
  first = offset / VTR_HEX_PIECE * VTR_HEX_PIECE;
  end = MIN ((offset + size + VTR_HEX_PIECE - 1) / VTR_HEX_PIECE * VTR_HEX_PIECE, limit);
  if (end > first)
    read_bytes (self, first, end - first, TRUE);
}

/* What the GPU wrote of the selection, else of what is on the screen. */
static void
read_back_cb (VtrMemoryPane *self)
{
  guint64 offset, size;

  vtr_hex_grid_get_selection (self->grid, &offset, &size);
  if (size > 1 || vtr_hex_grid_find_gpu (self->grid, &offset, &size))
    read_by_replay (self, offset, MIN (size, MAX_VALUES));
}

/* --- Values ---------------------------------------------------------------------------------- */

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
    vtr_memory_tree_set (self->values, view, self->type);
  reading_free (reading);
}

static void
load_values (VtrMemoryPane *self,
             gboolean       replay)
{
  Reading *reading;

  if (self->type == NULL || !self->has_place || self->session == NULL)
    {
      gtk_column_view_set_model (self->values, NULL);
      return;
    }
  reading = g_new0 (Reading, 1);
  reading->pane = g_object_ref (self);
  reading->cancellable = g_object_ref (self->reading);
  reading->query = (VtrMemoryQuery){ self->address, self->pool, self->offset,
                                     MIN (self->size, MAX_VALUES), replay };
  set_busy (self, 1);
  vtr_document_get_memory_view_async (get_document (self), &reading->query, self->reading,
                                      values_cb, reading);
}

static VtrMemoryType *
parse_type (VtrMemoryPane  *self,
            GError        **error)
{
  return vtr_memory_type_parse (gtk_editable_get_text (GTK_EDITABLE (self->type_entry)),
                                (VtrMemoryLayout)gtk_drop_down_get_selected (self->layout), error);
}

/* The grid gets what its bytes need, the tree the rest, but a third at least. */
static void
place_divider (VtrMemoryPane *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self->paned));
  int natural;

  gtk_widget_measure (GTK_WIDGET (self->grid), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural,
                      NULL, NULL);
  if (width > 0)
    gtk_paned_set_position (self->paned, MIN (natural, width * 2 / 3));
}

/* A type that cannot be read is marked, and the last one stays. */
static void
type_changed_cb (VtrMemoryPane *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->type_entry));
  g_autoptr (GError) error = NULL;
  VtrMemoryType *type = *text != '\0' ? parse_type (self, &error) : NULL;

  if (error != NULL)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->type_entry), "error");
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->type_entry), error->message);
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->type_entry), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->type_entry),
                               _ ("float, u32, vec4, mat4, unorm8x4, {vec3 position; vec2 uv}"));
  g_clear_pointer (&self->type, vtr_memory_type_unref);
  self->type = type;
  if (gtk_widget_get_visible (self->tree) != (type != NULL))
    {
      gtk_widget_set_visible (self->tree, type != NULL);
      place_divider (self);
    }
  vtr_hex_grid_set_type (self->grid, type, self->offset, 0);
  load_values (self, FALSE);
}

/* --- Where ----------------------------------------------------------------------------------- */

/* The ranges of the command in the pool that is shown. */
static void
mark_accesses (VtrMemoryPane *self)
{
  g_autoptr (GArray) here = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));

  for (guint i = 0; self->list != NULL && i < self->list->len; i++)
    {
      VtrMemoryRange range = g_array_index (self->list, VtrMemoryRange, i);

      /* The grid does not look at words. */
      range.label = range.type = NULL;
      if (range.pool == self->pool)
        g_array_append_val (here, range);
    }
  vtr_hex_grid_set_accesses (self->grid, here);
}

void
vtr_memory_pane_show (VtrMemoryPane *self,
                      guint32        pool,
                      guint64        offset,
                      guint64        size)
{
  guint64 first = 0, all = 0;
  g_autoptr (GError) error = NULL;

  if (self->session == NULL)
    return;
  if (!vtr_memory_get_pool_size (vtr_document_get_memory (get_document (self)), pool,
                                 VTR_COMMAND_NO_INDEX, &all, &error))
    {
      show_empty (self, "dialog-warning-symbolic", _ ("No Such Memory"), error->message);
      return;
    }
  if (pool == VTR_MEMORY_APPLICATION)
    {
      first = (offset - MIN (offset, AROUND)) & ~(guint64)15;
      all = (offset - first) + size + MIN (AROUND, G_MAXUINT64 - offset - size);
    }
  else if (offset >= all)
    {
      show_empty (self, "dialog-warning-symbolic", _ ("Beyond the End"),
                  _ ("This memory ends before that address"));
      return;
    }
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  self->reading = g_cancellable_new ();
  self->has_place = TRUE;
  self->pool = pool;
  self->offset = offset;
  self->size = pool == VTR_MEMORY_APPLICATION ? size : MIN (size, all - offset);
  vtr_hex_grid_set_range (self->grid, first, all);
  mark_accesses (self);
  vtr_hex_grid_set_type (self->grid, self->type, offset, 0);
  gtk_stack_set_visible_child_name (self->stack, "grid");
  vtr_hex_grid_go_to (self->grid, offset);
  load_values (self, FALSE);
}

/* A type that somebody typed stays; one that another range suggested goes with it. */
static void
suggest_type (VtrMemoryPane *self,
              const char    *type)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->type_entry));

  if (*text != '\0' && g_strcmp0 (text, self->hint) != 0)
    return;
  g_free (self->hint);
  self->hint = g_strdup (type);
  gtk_editable_set_text (GTK_EDITABLE (self->type_entry), type != NULL ? type : "");
}

static void
range_selected_cb (VtrMemoryPane *self)
{
  guint nth = gtk_drop_down_get_selected (self->ranges);
  const VtrMemoryRange *range;

  if (self->filling || self->list == NULL || nth >= self->list->len)
    return;
  range = &g_array_index (self->list, VtrMemoryRange, nth);
  suggest_type (self, range->type);
  vtr_memory_pane_show (self, range->pool, range->offset, range->size);
}

/* "0x7f00", "41/0x100", "41:256", "objects/41", or the handle of a buffer, image or memory. */
static gboolean
parse_place (VtrMemoryPane *self,
             const char    *text,
             guint32       *pool,
             guint64       *offset,
             guint64       *size)
{
  static const guint32 types[] = { VTR_HANDLE_VkBuffer, VTR_HANDLE_VkDeviceMemory,
                                   VTR_HANDLE_VkImage };
  VtrMemory *memory = vtr_document_get_memory (get_document (self));
  const char *separator = strpbrk (text, "/:");
  char *end;
  guint64 number;

  *size = 64;
  if (g_str_has_prefix (text, "objects/"))
    return vtr_memory_locate_object (memory, self->address.index,
                                     (guint32)g_ascii_strtoull (text + strlen ("objects/"), NULL,
                                                                10),
                                     pool, offset, size);
  if (separator != NULL)
    {
      *pool = (guint32)g_ascii_strtoull (text, &end, 10);
      if (end != separator)
        return FALSE;
      text = separator + 1;
    }
  else
    *pool = self->has_place ? self->pool : VTR_MEMORY_APPLICATION;
  if (!g_ascii_isxdigit (*text))
    return FALSE;
  number = g_ascii_strtoull (text, &end, g_str_has_prefix (text, "0x") ? 16 : 0);
  if (*end != '\0')
    return FALSE;
  for (guint i = 0; separator == NULL && i < G_N_ELEMENTS (types); i++)
    {
      const VtrObject *object = vtr_history_find (vtr_document_get_history (get_document (self)),
                                                  types[i], number, self->address.index);

      if (object != NULL &&
          vtr_memory_locate_object (memory, self->address.index, object->id, pool, offset, size))
        return TRUE;
    }
  *offset = number;
  return TRUE;
}

static void
go_to_cb (VtrMemoryPane *self)
{
  g_autofree char *text = g_strstrip (
    g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->go_to))));
  guint64 offset = 0, size = 0;
  guint32 pool = 0;

  if (self->session == NULL || *text == '\0')
    return;
  if (!vtr_memory_is_ready (vtr_document_get_memory (get_document (self))) ||
      !parse_place (self, text, &pool, &offset, &size))
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->go_to), "error");
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->go_to), "error");
  vtr_memory_pane_show (self, pool, offset, size);
  gtk_widget_grab_focus (GTK_WIDGET (self->grid));
}

/* --- Read-out -------------------------------------------------------------------------------- */

static char *
describe_kind (VtrMemoryPane       *self,
               const VtrMemorySpan *span)
{
  VtrTrace *trace = vtr_session_get_trace (self->session);
  g_autofree char *link = NULL;

  if (span->kind == VTR_MEMORY_UNKNOWN)
    return g_strdup (_ ("never seen"));
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
      return g_strdup_printf (_ ("perhaps written by the GPU in command %s"), link);
    case VTR_MEMORY_REPLAYED:
      return g_strdup_printf (_ ("written by the GPU in command %s, read back by replay"), link);
    case VTR_MEMORY_OBSERVED:
    case VTR_MEMORY_UNKNOWN:
    default:
      return g_strdup_printf (_ ("seen at command %s"), link);
    }
}

static void
update_read_out (VtrMemoryPane *self)
{
  guint64 offset, size, gpu_offset, gpu_size;
  g_autofree char *place = NULL;
  g_autofree char *kind = NULL;
  g_autofree char *markup = NULL;
  const VtrMemorySpan *span;
  guint8 byte = 0;

  gtk_widget_set_visible (self->read_back,
                          self->pool != VTR_MEMORY_APPLICATION &&
                            vtr_hex_grid_find_gpu (self->grid, &gpu_offset, &gpu_size));
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

static gboolean
activate_link_cb (GtkWidget  *label,
                  const char *uri)
{
  gtk_widget_activate_action (label, "win.select", "s", uri);
  return TRUE;
}

/* --- Copying and saving ---------------------------------------------------------------------- */

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
  query.size = MIN (query.size, MAX_VALUES);
  vtr_document_get_memory_view_async (get_document (self), &query, NULL, copy_cb, copying);
}

static void
focus_go_to (GtkWidget  *widget,
             const char *action,
             GVariant   *parameter)
{
  gtk_widget_grab_focus (GTK_WIDGET (VTR_MEMORY_PANE (widget)->go_to));
}

/* --- Following the selection ----------------------------------------------------------------- */

static char *
describe_range (VtrMemoryPane        *self,
                const VtrMemoryRange *range)
{
  gboolean read = (range->access & VTR_MEMORY_READ) != 0;
  gboolean write = (range->access & VTR_MEMORY_WRITE) != 0;
  g_autofree char *size = g_format_size_full (range->size, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *place =
    range->pool == VTR_MEMORY_APPLICATION
      ? g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", range->offset)
      : g_strdup_printf (_ ("memory %u at %s"), range->pool, VTR_NUMBER_HEX (range->offset));

  /* Translators: R, W: reads, writes; what; where; how much */
  return g_strdup_printf (_ ("%s %s · %s + %s"), read && write ? "RW" : write ? "W"
                                                                              : "R",
                          range->label, place, size);
}

static void
fill_ranges (VtrMemoryPane *self)
{
  guint best = 0;

  self->filling = TRUE;
  gtk_string_list_splice (self->range_names, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (self->range_names)), NULL);
  for (guint i = 0; i < self->list->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (self->list, VtrMemoryRange, i);

      gtk_string_list_take (self->range_names, describe_range (self, range));
      if (self->has_place && range->pool == self->pool && range->offset == self->offset)
        best = i;
    }
  gtk_drop_down_set_selected (self->ranges, best);
  gtk_widget_set_sensitive (GTK_WIDGET (self->ranges), self->list->len > 0);
  self->filling = FALSE;
}

static void
stop_progress (VtrMemoryPane *self)
{
  g_clear_handle_id (&self->progress, g_source_remove);
}

static gboolean
progress_cb (gpointer data)
{
  VtrMemoryPane *self = data;
  g_autofree char *text =
    g_strdup_printf (_ ("Reading memory · %u %%"),
                     vtr_document_get_memory_progress (get_document (self)) / 10);

  show_empty (self, "content-loading-symbolic", text, NULL);
  return G_SOURCE_CONTINUE;
}

typedef struct
{
  VtrMemoryPane *pane;
  GCancellable *cancellable;
} Listing;

static void
list_cb (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  Listing *listing = data;
  VtrMemoryPane *self = listing->pane;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) list =
    vtr_document_list_memory_finish (VTR_DOCUMENT (source), result, &error);

  if (!g_cancellable_is_cancelled (listing->cancellable) && self->session != NULL)
    {
      stop_progress (self);
      g_clear_pointer (&self->list, g_array_unref);
      if (list == NULL)
        show_empty (self, "dialog-warning-symbolic", _ ("Cannot Be Read"), error->message);
      else
        {
          self->list = g_steal_pointer (&list);
          fill_ranges (self);
          if (self->placed)
            {
              mark_accesses (self);
              gtk_stack_set_visible_child_name (self->stack, "grid");
            }
          else if (self->list->len > 0)
            range_selected_cb (self);
          else if (self->has_place)
            vtr_memory_pane_show (self, self->pool, self->offset, self->size);
          else
            show_nothing (self);
          self->placed = FALSE;
        }
    }
  g_object_unref (listing->pane);
  g_object_unref (listing->cancellable);
  g_free (listing);
}

static void
update (VtrMemoryPane *self)
{
  const char *path = self->session != NULL ? vtr_session_get_path (self->session) : NULL;
  g_auto (GStrv) steps = path != NULL ? vtr_path_split (path) : NULL;
  Listing *listing;

  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  stop_progress (self);
  self->pending = !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->pending)
    return;
  if (steps == NULL || g_strv_length (steps) < 2 ||
      !vtr_path_parse_command_steps (get_document (self), steps, &self->address, NULL))
    {
      show_nothing (self);
      return;
    }
  self->listing = g_cancellable_new ();
  listing = g_new0 (Listing, 1);
  listing->pane = g_object_ref (self);
  listing->cancellable = g_object_ref (self->listing);
  if (!vtr_memory_is_ready (vtr_document_get_memory (get_document (self))))
    self->progress = g_timeout_add (PROGRESS_INTERVAL, progress_cb, self);
  vtr_document_list_memory_async (get_document (self), &self->address, self->listing, list_cb,
                                  listing);
}

static void
selection_changed_cb (VtrMemoryPane *self)
{
  self->placed = FALSE;
  update (self);
}

static void
map_cb (VtrMemoryPane *self)
{
  if (self->pending)
    update (self);
}

/* --- Construction ---------------------------------------------------------------------------- */

static GtkWidget *
make_copy_button (void)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  GtkWidget *button = gtk_menu_button_new ();

  g_menu_append (menu, _ ("Copy as Hexadecimal"), "memory.copy::hex");
  g_menu_append (menu, _ ("Copy as Text"), "memory.copy::text");
  g_menu_append (menu, _ ("Copy as C Array"), "memory.copy::c");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "edit-copy-symbolic");
  gtk_widget_set_tooltip_text (button, _ ("Copy the Selected Bytes"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Copy the Selected Bytes"), -1);
  gtk_widget_add_css_class (button, "flat");
  return button;
}

static void
set_label (gpointer    widget,
           const char *text)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                  -1);
}

static GtkWidget *
make_tools (VtrMemoryPane *self)
{
  static const char *const layouts[] = { "scalar", "std430", "std140", NULL };
  GtkWidget *tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autoptr (GtkListItemFactory) factory = vtr_text_factory_new ();

  self->range_names = gtk_string_list_new (NULL);
  self->ranges = GTK_DROP_DOWN (
    gtk_drop_down_new (g_object_ref (G_LIST_MODEL (self->range_names)), NULL));
  gtk_drop_down_set_factory (self->ranges, factory);
  gtk_widget_set_hexpand (GTK_WIDGET (self->ranges), TRUE);
  gtk_widget_set_size_request (GTK_WIDGET (self->ranges), 60, -1);
  set_label (self->ranges, _ ("Read or written by the command"));
  g_signal_connect_object (self->ranges, "notify::selected", G_CALLBACK (range_selected_cb), self,
                           G_CONNECT_SWAPPED);

  self->type_entry = GTK_ENTRY (gtk_entry_new ());
  gtk_entry_set_placeholder_text (self->type_entry, _ ("Type, such as vec4"));
  gtk_editable_set_width_chars (GTK_EDITABLE (self->type_entry), 6);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->type_entry), 14);
  set_label (self->type_entry, _ ("Type"));
  g_signal_connect_object (self->type_entry, "changed", G_CALLBACK (type_changed_cb), self,
                           G_CONNECT_SWAPPED);
  self->layout = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (layouts));
  set_label (self->layout, _ ("Layout"));
  g_signal_connect_object (self->layout, "notify::selected", G_CALLBACK (type_changed_cb), self,
                           G_CONNECT_SWAPPED);

  self->go_to = GTK_ENTRY (gtk_entry_new ());
  gtk_entry_set_placeholder_text (self->go_to, _ ("Go to address"));
  gtk_editable_set_width_chars (GTK_EDITABLE (self->go_to), 6);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->go_to), 14);
  gtk_widget_set_tooltip_text (
    GTK_WIDGET (self->go_to),
    _ ("An address, MEMORY/ADDRESS, objects/NUMBER, or the handle of a buffer or image"));
  set_label (self->go_to, _ ("Go to address"));
  g_signal_connect_object (self->go_to, "activate", G_CALLBACK (go_to_cb), self,
                           G_CONNECT_SWAPPED);

  self->spinner = gtk_spinner_new ();
  self->read_back = gtk_button_new_with_label (_ ("Read Back"));
  gtk_widget_set_tooltip_text (self->read_back, _ ("Replay to see what the GPU wrote here"));
  gtk_widget_set_visible (self->read_back, FALSE);
  g_signal_connect_object (self->read_back, "clicked", G_CALLBACK (read_back_cb), self,
                           G_CONNECT_SWAPPED);

  gtk_widget_add_css_class (tools, "tool-row");
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (self->ranges));
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (self->type_entry));
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (self->layout));
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (self->go_to));
  gtk_box_append (GTK_BOX (tools), self->spinner);
  gtk_box_append (GTK_BOX (tools), self->read_back);
  gtk_box_append (GTK_BOX (tools), make_copy_button ());
  return tools;
}

static GtkWidget *
make_body (VtrMemoryPane *self)
{
  GtkWidget *left = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->grid = VTR_HEX_GRID (vtr_hex_grid_new ());
  g_signal_connect_object (self->grid, "load", G_CALLBACK (load_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->grid, "cursor-moved", G_CALLBACK (update_read_out), self,
                           G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (left), GTK_WIDGET (self->grid));
  self->values = GTK_COLUMN_VIEW (vtr_memory_tree_new ());
  self->tree = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->tree), GTK_WIDGET (self->values));
  gtk_widget_set_size_request (self->tree, 120, -1);
  gtk_widget_set_visible (self->tree, FALSE);
  self->paned = GTK_PANED (gtk_paned_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_paned_set_start_child (self->paned, left);
  gtk_paned_set_end_child (self->paned, self->tree);
  gtk_paned_set_resize_start_child (self->paned, FALSE);
  g_signal_connect_object (self->paned, "notify::max-position", G_CALLBACK (place_divider), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_set_vexpand (GTK_WIDGET (self->paned), TRUE);

  self->read_out = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->read_out, 0);
  gtk_label_set_ellipsize (self->read_out, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->read_out), "read-out");
  gtk_widget_add_css_class (GTK_WIDGET (self->read_out), "numeric");
  g_signal_connect (self->read_out, "activate-link", G_CALLBACK (activate_link_cb), NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->paned));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->read_out));
  return box;
}

static void
vtr_memory_pane_dispose (GObject *object)
{
  vtr_memory_pane_set_session (VTR_MEMORY_PANE (object), NULL);
  G_OBJECT_CLASS (vtr_memory_pane_parent_class)->dispose (object);
}

static void
vtr_memory_pane_finalize (GObject *object)
{
  VtrMemoryPane *self = VTR_MEMORY_PANE (object);

  g_clear_object (&self->reading);
  g_clear_object (&self->range_names);
  g_clear_pointer (&self->list, g_array_unref);
  g_clear_pointer (&self->type, vtr_memory_type_unref);
  g_clear_pointer (&self->hint, g_free);
  G_OBJECT_CLASS (vtr_memory_pane_parent_class)->finalize (object);
}

static gboolean
vtr_memory_pane_grab_focus (GtkWidget *widget)
{
  VtrMemoryPane *self = VTR_MEMORY_PANE (widget);

  return gtk_widget_grab_focus (self->has_place ? GTK_WIDGET (self->grid)
                                                : GTK_WIDGET (self->go_to));
}

static void
vtr_memory_pane_class_init (VtrMemoryPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = vtr_memory_pane_dispose;
  G_OBJECT_CLASS (klass)->finalize = vtr_memory_pane_finalize;
  widget_class->grab_focus = vtr_memory_pane_grab_focus;
  gtk_widget_class_install_action (widget_class, "memory.copy", "s", copy);
  gtk_widget_class_install_action (widget_class, "memory.go-to", NULL, focus_go_to);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "memory.copy",
                                       "s", "hex");
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_g, GDK_CONTROL_MASK, "memory.go-to",
                                       NULL);
}

static void
vtr_memory_pane_init (VtrMemoryPane *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->reading = g_cancellable_new ();
  panel_widget_set_title (PANEL_WIDGET (self), _ ("Memory"));
  panel_widget_set_id (PANEL_WIDGET (self), "memory");
  panel_widget_set_can_maximize (PANEL_WIDGET (self), TRUE);

  self->empty = VTR_PANE_STATE (vtr_pane_state_new ());
  vtr_pane_state_set_compact (self->empty, TRUE);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_box_append (GTK_BOX (box), make_tools (self));
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->empty), "empty");
  gtk_stack_add_named (self->stack, make_body (self), "grid");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  panel_widget_set_child (PANEL_WIDGET (self), box);
  g_signal_connect (self, "map", G_CALLBACK (map_cb), NULL);
  show_nothing (self);
}

GtkWidget *
vtr_memory_pane_new (void)
{
  return g_object_new (VTR_TYPE_MEMORY_PANE, NULL);
}

void
vtr_memory_pane_set_session (VtrMemoryPane *self,
                             VtrSession    *session)
{
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  self->reading = g_cancellable_new ();
  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  stop_progress (self);
  g_clear_object (&self->session);
  self->has_place = FALSE;
  if (session == NULL)
    return;
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  selection_changed_cb (self);
}

/* --- Pane ------------------------------------------------------------------------------------ */

static void
pane_set_session (VtrPane    *pane,
                  VtrSession *session)
{
  vtr_memory_pane_set_session (VTR_MEMORY_PANE (pane), session);
}

/* "commands/12/memory/41/0x100-0x200?type=vec4" */
static gboolean
pane_show_path (VtrPane    *pane,
                const char *path)
{
  VtrMemoryPane *self = VTR_MEMORY_PANE (pane);
  const char *rest = vtr_pane_match_path (path, "memory");
  VtrMemoryTypeQuery type;
  VtrMemoryQuery query;

  if (rest == NULL || self->session == NULL)
    return FALSE;
  if (*rest == '\0')
    return TRUE;
  if (!vtr_memory_query_parse (get_document (self), path, &query, &type, NULL))
    return FALSE;
  if (type.type != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->type_entry), type.type);
  vtr_memory_type_query_clear (&type);
  self->address = query.address;
  self->placed = self->pending || self->listing != NULL;
  vtr_memory_pane_show (self, query.pool, query.offset, query.size);
  if (query.replay && query.pool != VTR_MEMORY_APPLICATION)
    read_by_replay (self, query.offset, MIN (query.size, MAX_VALUES));
  return TRUE;
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
