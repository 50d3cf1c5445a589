/* The Memory pane: follows the selected command, lists the memory that it reads and writes, and
 * shows any place in it. */
#include "vtr-config.h"

#include "widgets/vtr-focus-chain.h"
#include "widgets/vtr-memory-pane-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/answers/vtr-memory-path.h"
#include "base/vtr-number.h"
#include "widgets/vtr-pane-load.h"
#include "widgets/vtr-pane-room.h"
#include "widgets/vtr-pane.h"
#include "widgets/vtr-text-scale.h"

/* Bytes shown before and after a range of the program's memory, which has no end. */
#define AROUND 65536
/* Milliseconds between two updates of the progress of the index. */
#define PROGRESS_INTERVAL 100

static void pane_iface_init (VtrPaneInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (VtrMemoryPane,
                               vtr_memory_pane,
                               PANEL_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (VTR_TYPE_PANE, pane_iface_init))

VtrDocument *
vtr_memory_pane_get_document (VtrMemoryPane *self)
{
  return vtr_session_get_document (self->session);
}

void
vtr_memory_pane_show_empty (VtrMemoryPane *self,
                            const char    *icon,
                            const char    *title,
                            const char    *text)
{
  vtr_pane_state_set (self->empty, icon, title, text);
  gtk_stack_set_visible_child (self->stack, GTK_WIDGET (self->empty));
}

/* Shows no bytes, and disables copying, saving and reading back. */
static void
drop_place (VtrMemoryPane *self)
{
  self->has_place = FALSE;
  self->chosen = FALSE;
  gtk_widget_set_visible (self->read_back, FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "memory.copy", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "memory.save", FALSE);
}

static void
show_nothing (VtrMemoryPane *self)
{
  gboolean selected = self->list != NULL;

  drop_place (self);
  vtr_memory_pane_show_empty (
    self, "vtr-memory-symbolic", _ ("No Memory to Show"),
    selected ? _ ("This command neither reads nor writes memory. Select another, or go to an "
                  "address.")
             : _ ("Select a command that reads or writes memory, or go to an address"));
}

static VtrMemoryType *
parse_type (VtrMemoryPane  *self,
            GError        **error)
{
  return vtr_memory_type_parse (gtk_editable_get_text (GTK_EDITABLE (self->type_entry)),
                                (VtrMemoryLayout)gtk_drop_down_get_selected (self->layout), error);
}

/* The grid gets the width of its bytes, the tree the rest, but at least a third. A tree with a type
   of a shader gets three fifths, up to the width of its columns. */
#define TREE_WIDTH 560

void
vtr_memory_pane_place_divider (VtrMemoryPane *self)
{
  gboolean single = self->type != NULL && vtr_memory_type_is_single (self->type);
  int width = gtk_widget_get_width (GTK_WIDGET (self->paned));
  int natural, limit;

  gtk_widget_measure (GTK_WIDGET (self->grid), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural,
                      NULL, NULL);
  limit = single ? MAX (width * 2 / 5,
                        width - vtr_text_scaled (GTK_WIDGET (self->paned), TREE_WIDTH))
                 : width * 2 / 3;
  if (width > 0)
    gtk_paned_set_position (self->paned, MIN (natural, limit));
}

/* A type with an error is marked, and the last valid one stays in use. */
void
vtr_memory_pane_read_type (VtrMemoryPane *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->type_entry));
  g_autoptr (GError) error = NULL;
  VtrMemoryType *type;

  /* The same type for another command: expanded rows stay expanded. */
  if (self->type != NULL && self->layout_read == gtk_drop_down_get_selected (self->layout) &&
      g_strcmp0 (self->type_text, text) == 0)
    type = vtr_memory_type_ref (self->type);
  else
    type = *text != '\0' ? parse_type (self, &error) : NULL;

  if (error != NULL)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->type_entry), "error");
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->type_entry), error->message);
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->type_entry), "error");
  /* Types of shaders are longer than the entry. */
  if (type == NULL)
    text = _ ("float, u32, vec4, mat4, unorm8x4, {vec3 position; vec2 uv}");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->type_entry), text);
  g_clear_pointer (&self->type, vtr_memory_type_unref);
  self->type = type;
  g_free (self->type_text);
  self->type_text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->type_entry)));
  self->layout_read = gtk_drop_down_get_selected (self->layout);
  vtr_memory_pane_show_values (self);
}

/* Shows values beside the bytes, unless the tree shows them all. */
static void
set_grid_type (VtrMemoryPane *self)
{
  gboolean beside = self->type != NULL && !vtr_memory_type_is_single (self->type) &&
                    gtk_toggle_button_get_active (self->decode);

  vtr_hex_grid_set_type (self->grid, beside ? self->type : NULL, self->offset, 0);
}

void
vtr_memory_pane_show_values (VtrMemoryPane *self)
{
  gboolean single = self->type != NULL && vtr_memory_type_is_single (self->type);
  gboolean shown = self->type != NULL && gtk_toggle_button_get_active (self->decode);

  gtk_widget_set_sensitive (GTK_WIDGET (self->decode), self->type != NULL);
  if (gtk_widget_get_visible (self->tree) != shown || single != self->single)
    {
      self->single = single;
      gtk_widget_set_visible (self->tree, shown);
      vtr_memory_pane_place_divider (self);
    }
  set_grid_type (self);
  vtr_memory_pane_load_values (self, self->read_back_once);
}

void
vtr_memory_pane_pick_value (VtrMemoryPane *self)
{
  guint64 offset, size;

  if (vtr_memory_tree_get_selected (self->values, &offset, &size))
    vtr_hex_grid_select (self->grid, self->offset + offset, size);
}

/* --- Where ----------------------------------------------------------------------------------- */

/* The ranges of the command in the byte space that is shown. */
static void
mark_accesses (VtrMemoryPane *self)
{
  g_autoptr (GArray) here = g_array_new (FALSE, FALSE, sizeof (VtrMemoryRange));

  for (guint i = 0; self->list != NULL && i < self->list->len; i++)
    {
      VtrMemoryRange range = g_array_index (self->list, VtrMemoryRange, i);

      /* The grid does not use these texts. */
      range.label = range.type = NULL;
      if (range.space == self->space)
        g_array_append_val (here, range);
    }
  vtr_hex_grid_set_accesses (self->grid, here);
}

void
vtr_memory_pane_show (VtrMemoryPane *self,
                      guint32        space,
                      guint64        offset,
                      guint64        size)
{
  guint64 first = 0, all = 0;
  g_autoptr (GError) error = NULL;

  if (self->session == NULL)
    return;
  if (!vtr_memory_get_space_size (vtr_document_get_memory (vtr_memory_pane_get_document (self)),
                                  space,
                                  VTR_COMMAND_NO_INDEX, &all, &error))
    {
      drop_place (self);
      vtr_memory_pane_show_empty (self, "dialog-warning-symbolic", _ ("No Such Memory"),
                                  error->message);
      return;
    }
  if (space == VTR_SPACE_PROGRAM)
    {
      first = (offset - MIN (offset, AROUND)) & ~(guint64)15;
      all = (offset - first) + size + MIN (AROUND, G_MAXUINT64 - offset - size);
    }
  else if (offset >= all)
    {
      drop_place (self);
      vtr_memory_pane_show_empty (self, "dialog-warning-symbolic", _ ("Beyond the End"),
                                  _ ("This memory ends before that address"));
      return;
    }
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  self->reading = g_cancellable_new ();
  self->has_place = TRUE;
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "memory.copy", TRUE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "memory.save", TRUE);
  self->read_back_once = FALSE;
  self->gpu_values = FALSE;
  self->space = space;
  self->offset = offset;
  self->size = space == VTR_SPACE_PROGRAM ? size : MIN (size, all - offset);
  vtr_hex_grid_set_range (self->grid, first, all);
  mark_accesses (self);
  set_grid_type (self);
  gtk_stack_set_visible_child_name (self->stack, "grid");
  vtr_hex_grid_go_to (self->grid, offset);
  vtr_memory_pane_load_values (self, FALSE);
}

/* A type that the user typed stays; a type that another range suggested is removed. */
static void
suggest_type (VtrMemoryPane *self,
              const char    *type)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->type_entry));

  if (*text != '\0' && g_strcmp0 (text, self->hint) != 0)
    return;
  g_free (self->hint);
  self->hint = g_strdup (type);
  /* Setting the text first deletes the old one, which would drop the rows. */
  if (g_str_equal (text, type != NULL ? type : ""))
    return;
  gtk_editable_set_text (GTK_EDITABLE (self->type_entry), type != NULL ? type : "");
}

/* The type of the command's range that begins at the pane's place. */
static void
suggest_type_of_place (VtrMemoryPane *self)
{
  const char *type = NULL;

  for (guint i = 0; type == NULL && i < self->list->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (self->list, VtrMemoryRange, i);

      if (range->space == self->space && range->offset == self->offset)
        type = range->type;
    }
  suggest_type (self, type);
}

void
vtr_memory_pane_choose_range (VtrMemoryPane *self)
{
  guint nth = gtk_drop_down_get_selected (self->ranges);
  const VtrMemoryRange *range;

  if (self->filling || self->list == NULL || nth >= self->list->len)
    return;
  range = &g_array_index (self->list, VtrMemoryRange, nth);
  self->chosen = FALSE;
  suggest_type (self, range->type);
  vtr_memory_pane_show (self, range->space, range->offset, range->size);
}

/* "0x7f00", "41/0x100", "41:256", "objects/41", or the handle of a buffer, image or memory. */
static gboolean
parse_place (VtrMemoryPane *self,
             const char    *text,
             guint32       *space,
             guint64       *offset,
             guint64       *size)
{
  VtrMemory *memory = vtr_document_get_memory (vtr_memory_pane_get_document (self));
  const char *separator = strpbrk (text, "/:");
  char *end;
  guint64 number;

  *size = 64;
  if (g_str_has_prefix (text, "objects/"))
    return vtr_memory_locate_object (memory, self->address.index,
                                     (guint32)g_ascii_strtoull (text + strlen ("objects/"), NULL,
                                                                10),
                                     space, offset, size);
  if (separator != NULL)
    {
      *space = (guint32)g_ascii_strtoull (text, &end, 10);
      if (end != separator)
        return FALSE;
      text = separator + 1;
    }
  else
    *space = self->has_place ? self->space : VTR_SPACE_PROGRAM;
  if (!g_ascii_isxdigit (*text))
    return FALSE;
  number = g_ascii_strtoull (text, &end, g_str_has_prefix (text, "0x") ? 16 : 0);
  if (*end != '\0')
    return FALSE;
  if (separator == NULL &&
      vtr_memory_locate_name (memory, self->address.index, number, space, offset, size))
    return TRUE;
  *offset = number;
  return TRUE;
}

void
vtr_memory_pane_go_to (VtrMemoryPane *self)
{
  g_autofree char *text = g_strstrip (
    g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->go_to))));
  guint64 offset = 0, size = 0;
  guint32 space = 0;

  if (self->session == NULL || *text == '\0')
    return;
  if (!vtr_memory_is_ready (vtr_document_get_memory (vtr_memory_pane_get_document (self))) ||
      !parse_place (self, text, &space, &offset, &size))
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->go_to), "error");
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->go_to), "error");
  vtr_memory_pane_show (self, space, offset, size);
  self->chosen = self->has_place;
  gtk_widget_grab_focus (GTK_WIDGET (self->grid));
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
    range->space == VTR_SPACE_PROGRAM
      ? g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", range->offset)
      : g_strdup_printf (_ ("memory %u at %s"), range->space, VTR_NUMBER_HEX (range->offset));

  /* Translators: R, W: reads, writes; what; where; how much */
  return g_strdup_printf (_ ("%s %s · %s + %s"), read && write ? "RW" : write ? "W"
                                                                              : "R",
                          range->label, place, size);
}

static void
clear_ranges (VtrMemoryPane *self)
{
  self->filling = TRUE;
  gtk_string_list_splice (self->range_names, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (self->range_names)), NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->ranges), FALSE);
  self->filling = FALSE;
}

static void
fill_ranges (VtrMemoryPane *self)
{
  guint best = 0;

  clear_ranges (self);
  self->filling = TRUE;
  for (guint i = 0; i < self->list->len; i++)
    {
      const VtrMemoryRange *range = &g_array_index (self->list, VtrMemoryRange, i);

      gtk_string_list_take (self->range_names, describe_range (self, range));
      if (self->has_place && range->space == self->space && range->offset == self->offset)
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
  gtk_widget_remove_css_class (GTK_WIDGET (self->body), "stale");
}

static gboolean
progress_cb (gpointer data)
{
  VtrMemoryPane *self = data;
  VtrDocument *document = vtr_memory_pane_get_document (self);
  g_autofree char *text = NULL;

  if (vtr_memory_is_ready (vtr_document_get_memory (document)))
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->body), "stale");
      return G_SOURCE_CONTINUE;
    }
  text = g_strdup_printf (_ ("Reading memory · %u %%"),
                          vtr_document_get_memory_progress (document) / 10);
  vtr_memory_pane_show_empty (self, "content-loading-symbolic", text, NULL);
  return G_SOURCE_CONTINUE;
}

static void
list_cb (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  g_autoptr (VtrPaneLoad) load = data;
  VtrMemoryPane *self = load->owner;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) list =
    vtr_document_list_memory_finish (VTR_DOCUMENT (source), result, &error);

  if (!vtr_pane_load_is_over (load) && self->session != NULL)
    {
      stop_progress (self);
      g_clear_pointer (&self->list, g_array_unref);
      if (list == NULL)
        {
          clear_ranges (self);
          drop_place (self);
          vtr_memory_pane_show_empty (self, "dialog-warning-symbolic", _ ("Cannot Be Read"),
                                      error->message);
        }
      else
        {
          self->list = g_steal_pointer (&list);
          fill_ranges (self);
          if (self->placed)
            {
              suggest_type_of_place (self);
              mark_accesses (self);
              gtk_stack_set_visible_child_name (self->stack, "grid");
            }
          else if (self->list->len > 0)
            vtr_memory_pane_choose_range (self);
          /* An address that the user chose stays; a range of the last command does not. */
          else if (self->has_place && self->chosen)
            vtr_memory_pane_show (self, self->space, self->offset, self->size);
          else
            show_nothing (self);
          self->placed = FALSE;
        }
    }
}

static void
update (VtrMemoryPane *self)
{
  const char *path = self->session != NULL ? vtr_session_get_path (self->session) : NULL;
  g_auto (GStrv) steps = path != NULL ? vtr_path_split (path) : NULL;
  VtrPaneLoad *load;

  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  stop_progress (self);
  self->pending = !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->pending)
    return;
  if (steps == NULL || g_strv_length (steps) < 2 ||
      !vtr_path_parse_command_steps (
        vtr_document_get_timeline (vtr_memory_pane_get_document (self)), steps, &self->address,
        NULL))
    {
      g_clear_pointer (&self->list, g_array_unref);
      clear_ranges (self);
      show_nothing (self);
      return;
    }
  load = vtr_pane_load_new (self, &self->listing);
  self->progress = g_timeout_add (PROGRESS_INTERVAL, progress_cb, self);
  vtr_document_list_memory_async (vtr_memory_pane_get_document (self), &self->address,
                                  self->listing, list_cb,
                                  load);
}

static void
selection_changed_cb (VtrMemoryPane *self)
{
  self->placed = FALSE;
  update (self);
}

const VtrPictureEdit *
vtr_memory_pane_get_edit (VtrMemoryPane *self)
{
  return vtr_edits_get (vtr_session_get_edits (self->session), FALSE);
}

/* Bytes that were read back came from another replay. */
static void
edited_cb (VtrMemoryPane *self)
{
  if (!self->has_place || !self->read_back_once)
    return;
  self->read_back_once = FALSE;
  vtr_memory_pane_show (self, self->space, self->offset, self->size);
}

static void
map_cb (VtrMemoryPane *self)
{
  if (self->pending)
    update (self);
}

/* --- Construction ---------------------------------------------------------------------------- */

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
  g_clear_pointer (&self->type_text, g_free);
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
  vtr_focus_chain_init_class (widget_class);
  vtr_memory_pane_install_copying (widget_class);
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
  gtk_box_append (GTK_BOX (box), vtr_memory_pane_make_tools (self));
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->empty), "empty");
  self->body = vtr_memory_pane_make_body (self);
  gtk_stack_add_named (self->stack, self->body, "grid");
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
    {
      g_signal_handlers_disconnect_by_data (vtr_session_get_edits (self->session), self);
      g_signal_handlers_disconnect_by_data (self->session, self);
    }
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  self->reading = g_cancellable_new ();
  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  stop_progress (self);
  g_clear_object (&self->session);
  g_clear_pointer (&self->list, g_array_unref);
  clear_ranges (self);
  show_nothing (self);
  if (session == NULL)
    return;
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "selection-changed", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (vtr_session_get_edits (session), "changed", G_CALLBACK (edited_cb), self,
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
  if (!vtr_memory_query_parse (
        vtr_document_get_replay_session (vtr_memory_pane_get_document (self)), path, &query, &type,
        NULL))
    return FALSE;
  if (type.type != NULL && !g_str_equal (type.type, VTR_MEMORY_TYPE_AUTO))
    gtk_editable_set_text (GTK_EDITABLE (self->type_entry), type.type);
  vtr_memory_type_query_clear (&type);
  self->address = query.address;
  self->placed = self->pending || self->listing != NULL;
  vtr_memory_pane_show (self, query.space, query.offset, query.size);
  self->chosen = self->has_place;
  if (query.replay && query.space != VTR_SPACE_PROGRAM)
    vtr_memory_pane_read_by_replay (self, query.offset,
                                    MIN (query.size, VTR_MEMORY_PANE_MAX_VALUES));
  return TRUE;
}

static void
pane_iface_init (VtrPaneInterface *iface)
{
  iface->set_session = pane_set_session;
  iface->show_path = pane_show_path;
}
