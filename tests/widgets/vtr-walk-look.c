/* Applies the checks to each state of the window that the walk (walk.c) reaches, opens its menus
 * and popovers, and logs the findings. */
#include "vtr-walk-look.h"

#include <execinfo.h>

#include "vtr-test-ui.h"

VtrWalk vtr_walk;

void
vtr_walk_set_place (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_free (vtr_walk.place);
  vtr_walk.place = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

void
vtr_walk_add_finding (const char *text)
{
  GString *key = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    if (!g_ascii_isxdigit (*at))
      g_string_append_c (key, *at);
  if (g_hash_table_add (vtr_walk.known, g_string_free (key, FALSE)))
    g_ptr_array_add (vtr_walk.findings, g_strdup_printf ("%s: %s", vtr_walk.place, text));
}

/* --- what GTK complains of ------------------------------------------------------------------- */

#define MAX_FRAMES 40

/* The public functions that are being called, innermost first: " < gtk_widget_allocate < …" */
static char *
list_callers (void)
{
  void *frames[MAX_FRAMES];
  int n = backtrace (frames, MAX_FRAMES);
  char **symbols = backtrace_symbols (frames, n);
  GString *text = g_string_new (NULL);

  for (int i = 0; symbols != NULL && i < n; i++)
    {
      const char *name = strchr (symbols[i], '(');
      const char *end = name != NULL ? strchr (name, '+') : NULL;

      /* What reports the warning is of no interest. */
      if (end != NULL && end > name + 1 && !g_str_has_prefix (name + 1, "g_log") &&
          !g_str_has_prefix (name + 1, "g_return"))
        g_string_append_printf (text, " < %.*s", (int)(end - name - 1), name + 1);
    }
  free (symbols);
  return g_string_free (text, FALSE);
}

static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0)
    for (gsize i = 0; i < n_fields; i++)
      if (g_str_equal (fields[i].key, "MESSAGE"))
        {
          g_autofree char *callers = list_callers ();
          g_autofree char *text =
            g_strdup_printf ("warning: %s%s", (const char *)fields[i].value, callers);

          /* The path bar of GTK's file chooser. */
          if (!vtr_walk.is_foreign || strstr (text, "Trying to snapshot GtkButton") == NULL)
            vtr_walk_add_finding (text);
        }
  if ((level & G_LOG_LEVEL_ERROR) != 0)
    return g_log_writer_standard_streams (level, fields, n_fields, data);
  return G_LOG_WRITER_HANDLED;
}

void
vtr_walk_init (void)
{
  vtr_walk.findings = g_ptr_array_new_with_free_func (g_free);
  vtr_walk.known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  vtr_walk.check.findings = g_ptr_array_new_with_free_func (g_free);
  vtr_walk.place = g_strdup ("start");
  g_log_set_writer_func (write_log, NULL, NULL);
}

/* --- looking --------------------------------------------------------------------------------- */

static gboolean
is_loading (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (vtr_walk_is_in_motion (widget) ||
      (GTK_IS_SPINNER (widget) && gtk_spinner_get_spinning (GTK_SPINNER (widget))))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (is_loading (child))
      return TRUE;
  return FALSE;
}

void
vtr_walk_settle (GtkWidget *root)
{
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  vtr_test_ui_spin (60);
  while (is_loading (root) && g_get_monotonic_time () < end)
    vtr_test_ui_spin (50);
  vtr_test_ui_spin (20);
}

static void
save_picture (GdkTexture *texture)
{
  g_autofree char *name = g_strdup_printf ("%03u-%s.png", vtr_walk.n_places, vtr_walk.place);
  g_autofree char *path =
    g_build_filename (vtr_walk.folder, g_strdelimit (name, "/ \n", '_'), NULL);

  gdk_texture_save_to_png (texture, path);
}

/* Fills vtr_walk.check.findings with what @root shows now. */
static void
look_once (GtkWidget *root, gboolean foreign, gboolean save)
{
  g_autoptr (GdkTexture) texture = vtr_walk_take_picture (root);

  g_ptr_array_set_size (vtr_walk.check.findings, 0);
  if (save && vtr_walk.folder != NULL && texture != NULL)
    save_picture (texture);
  vtr_walk_check (&vtr_walk.check, root, foreign ? NULL : texture);
  vtr_walk.names.findings = vtr_walk.check.findings;
  if (!foreign)
    vtr_test_names_check (&vtr_walk.names, root);
}

void
vtr_walk_look_at (GtkWidget *root, gboolean foreign, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_free (vtr_walk.place);
  vtr_walk.place = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  vtr_walk.n_places++;
  look_once (root, foreign, TRUE);
  /* Only differences that stay, because an animation may still have been running. */
  for (guint i = 0; i < 3 && vtr_walk.check.findings->len > 0; i++)
    {
      vtr_walk_settle (root);
      look_once (root, foreign, FALSE);
    }
  for (guint i = 0; i < vtr_walk.check.findings->len; i++)
    vtr_walk_add_finding (vtr_walk.check.findings->pdata[i]);
}

/* --- lists of choices and menus -------------------------------------------------------------- */

void
vtr_walk_visit (GtkWidget *widget, VtrWalkVisit visit, gpointer data)
{
  g_autoptr (GPtrArray) children = g_ptr_array_new_with_free_func (g_object_unref);

  if (!gtk_widget_get_mapped (widget) || GTK_IS_POPOVER (widget))
    return;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    g_ptr_array_add (children, g_object_ref (child));
  visit (widget, data);
  for (guint i = 0; i < children->len; i++)
    vtr_walk_visit (children->pdata[i], visit, data);
}

static GtkWidget *
find_open_popover (GtkWidget *widget)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_open_popover (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

void
vtr_walk_check_closed (GtkWidget *root)
{
  GtkWidget *popover = find_open_popover (root);
  g_autofree char *text =
    popover != NULL
      ? g_strdup_printf ("popover: a %s of a %s is still open", G_OBJECT_TYPE_NAME (popover),
                         G_OBJECT_TYPE_NAME (gtk_widget_get_parent (popover)))
      : NULL;

  if (text != NULL)
    vtr_walk_add_finding (text);
}

/* So few choices are all seen at once, unless they are higher than GTK's limit of a drop-down. */
#define FEW_CHOICES 8
#define MOST_HEIGHT 380

static void
check_choices (GtkWidget *widget, gpointer data)
{
  GtkAdjustment *adjustment;
  guint n;

  if (!GTK_IS_LIST_VIEW (widget) || !GTK_IS_SCROLLED_WINDOW (gtk_widget_get_parent (widget)))
    return;
  n = g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (widget))));
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (widget));
  if (n <= FEW_CHOICES && gtk_widget_get_height (widget) < MOST_HEIGHT &&
      gtk_adjustment_get_upper (adjustment) > gtk_adjustment_get_page_size (adjustment) + 1)
    {
      g_autofree char *text =
        g_strdup_printf ("choices: only some of %u are seen without scrolling", n);

      vtr_walk_add_finding (text);
    }
}

/* Looks at the popover that has just been opened in @root, and closes it. */
static void
look_at_popover (GtkWidget *root, const char *where, const char *what)
{
  GtkWidget *popover = find_open_popover (root);

  /* Left open, it would be laid out at each size of the window, for which GTK looks for a monitor
     under it and may find none. */
  for (guint i = 0; i < 50 && popover == NULL; i++)
    {
      vtr_test_ui_spin (20);
      popover = find_open_popover (root);
    }
  if (popover == NULL)
    {
      vtr_walk_set_place ("%s/%s", where, what);
      vtr_walk_add_finding ("popover: it does not open");
      return;
    }
  vtr_walk_settle (popover);
  vtr_walk_look_at (popover, FALSE, "%s/%s", where, what);
  for (GtkWidget *child = gtk_widget_get_first_child (popover); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    vtr_walk_visit (child, check_choices, NULL);
  gtk_popover_popdown (GTK_POPOVER (popover));
  for (guint i = 0; i < 20 && find_open_popover (root) != NULL; i++)
    vtr_test_ui_spin (20);
}

typedef struct
{
  GtkWidget *root;
  char *where;
  GHashTable *seen; /* kinds of widgets whose right click was tried */
} Menus;

static void
right_click (GtkWidget *widget, Menus *menus)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      double x, y;

      if (!GTK_IS_GESTURE_CLICK (controller) ||
          gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) != GDK_BUTTON_SECONDARY ||
          g_hash_table_contains (menus->seen, G_OBJECT_TYPE_NAME (widget)))
        continue;
      x = MIN (60., gtk_widget_get_width (widget) / 2.);
      y = MIN (60., gtk_widget_get_height (widget) / 2.);
      g_signal_emit_by_name (controller, "pressed", 1, x, y);
      if (find_open_popover (menus->root) == NULL)
        continue;
      g_hash_table_add (menus->seen, (gpointer)G_OBJECT_TYPE_NAME (widget));
      look_at_popover (menus->root, menus->where, G_OBJECT_TYPE_NAME (widget));
    }
}

static void
open_menu (GtkWidget *widget, gpointer data)
{
  Menus *menus = data;

  if (!gtk_widget_is_sensitive (widget) || GTK_IS_WINDOW_CONTROLS (widget))
    return;
  if (GTK_IS_MENU_BUTTON (widget))
    {
      gtk_menu_button_popup (GTK_MENU_BUTTON (widget));
      look_at_popover (menus->root, menus->where,
                       gtk_widget_get_tooltip_text (widget) ? gtk_widget_get_tooltip_text (widget)
                                                            : "menu");
    }
  else if (GTK_IS_DROP_DOWN (widget))
    {
      g_signal_emit_by_name (widget, "activate");
      look_at_popover (menus->root, menus->where, "choices");
    }
  else
    right_click (widget, menus);
}

void
vtr_walk_look_at_menus (GtkWidget *root, GtkWidget *within, const char *where)
{
  Menus menus = { root, g_strdup (where), g_hash_table_new (g_str_hash, g_str_equal) };

  vtr_walk_visit (within, open_menu, &menus);
  g_hash_table_unref (menus.seen);
  g_free (menus.where);
}
