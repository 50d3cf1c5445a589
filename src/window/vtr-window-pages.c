/* Switches between the pages of a window. It makes the capture page and the trace page only when
 * they are first needed. */
#include "vtr-config.h"

#include "window/vtr-window-private.h"

/* Small traces are read in less time than this. */
#define PRESENT_MS 200

/* The capture page and the trace page are the two costly ones: together they are a third of the
 * work of showing a window, and the start page needs neither. Each is made when it is first
 * needed. */

static gboolean
present_cb (gpointer data)
{
  VtrWindow *self = data;

  self->present_timeout = 0;
  gtk_window_present (GTK_WINDOW (self));
  return G_SOURCE_REMOVE;
}

void
vtr_window_show_page (VtrWindow *self, const char *name)
{
  gboolean waited_for = g_str_equal (name, "loading") || g_str_equal (name, "trace");

  if (g_str_equal (name, "capture"))
    vtr_window_need_capture_page (self);
  else if (g_str_equal (name, "trace"))
    vtr_window_need_trace_page (self);
  /* A fade draws the whole window a dozen times, which would delay a trace that the user waits
   * for. */
  gtk_stack_set_visible_child_full (self->stack, name,
                                    waited_for ? GTK_STACK_TRANSITION_TYPE_NONE
                                               : GTK_STACK_TRANSITION_TYPE_CROSSFADE);
  if (self->present_timeout != 0 && !g_str_equal (name, "loading"))
    {
      g_clear_handle_id (&self->present_timeout, g_source_remove);
      gtk_window_present (GTK_WINDOW (self));
    }
}

void
vtr_window_present_soon (VtrWindow *self)
{
  if (gtk_widget_get_visible (GTK_WIDGET (self)) || !vtr_window_is_page (self, "loading"))
    gtk_window_present (GTK_WINDOW (self));
  else if (self->present_timeout == 0)
    self->present_timeout = g_timeout_add (PRESENT_MS, present_cb, self);
}

const char *
vtr_window_get_page (VtrWindow *self)
{
  return gtk_stack_get_visible_child_name (self->stack);
}

gboolean
vtr_window_is_page (VtrWindow *self, const char *name)
{
  return g_strcmp0 (vtr_window_get_page (self), name) == 0;
}

/* --- the capture page ------------------------------------------------------------------------ */

static void
captured_cb (VtrWindow *self, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  /* The capture page stays while the program keeps running. */
  if (vtr_window_is_capturing (self))
    vtr_window_open_beside (self, file);
  else
    vtr_window_open_captured (self, file);
}

VtrCapturePage *
vtr_window_need_capture_page (VtrWindow *self)
{
  if (self->capture == NULL)
    {
      g_set_weak_pointer (&self->capture, VTR_CAPTURE_PAGE (vtr_capture_page_new ()));
      g_signal_connect_object (self->capture, "captured", G_CALLBACK (captured_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (self->capture, "ended", G_CALLBACK (vtr_window_capture_ended), self,
                               G_CONNECT_SWAPPED);
      adw_bin_set_child (self->capture_place, GTK_WIDGET (self->capture));
    }
  return self->capture;
}

gboolean
vtr_window_is_capturing (VtrWindow *self)
{
  return self->capture != NULL && vtr_capture_page_get_running (self->capture);
}

/* --- the trace page -------------------------------------------------------------------------- */

VtrTracePage *
vtr_window_need_trace_page (VtrWindow *self)
{
  const GBindingFlags both = G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE;

  if (self->trace == NULL)
    {
      g_set_weak_pointer (&self->trace, VTR_TRACE_PAGE (vtr_trace_page_new ()));
      g_object_bind_property (self->trace, "reveal-start", self->start_toggle, "active", both);
      g_object_bind_property (self->trace, "reveal-bottom", self->bottom_toggle, "active", both);
      g_object_bind_property (self->trace, "reveal-end", self->end_toggle, "active", both);
      adw_bin_set_child (self->trace_place, GTK_WIDGET (self->trace));
    }
  return self->trace;
}
