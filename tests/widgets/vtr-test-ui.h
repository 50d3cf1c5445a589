/* Functions that the widget tests share. */
#pragma once

#include <adwaita.h>

#include "session/vtr-session.h"
#include "vtr-test-trace.h"

G_BEGIN_DECLS

/* gtk_test_init, libadwaita, libpanel. */
void vtr_test_ui_init (int    *argc,
                       char ***argv);
/* A trace of @n_frames frames: each records, submits and presents one pass with two draws under a label. */
VtrSession *vtr_test_ui_session (guint n_frames);
/* Runs the main loop until @condition is true of the data; fails after half a minute, with the words and the
 * line of the call. */
#define vtr_test_ui_wait(condition, ...) \
  vtr_test_ui_wait_at (condition, (__VA_ARGS__), #condition " (" #__VA_ARGS__ ")", __FILE__, __LINE__)
void vtr_test_ui_wait_at (gboolean (*condition) (gpointer data),
                          gpointer data,
                          const char *words,
                          const char *file,
                          int line);
/* Runs the main loop for @milliseconds, and then until no thread of the test has work: all requests
 * have been answered, even on a slow machine. */
void vtr_test_ui_spin (guint milliseconds);
/* Drops the test's last reference to @object (transfer full), and runs the main loop until the
 * object is gone, which happens after all cancelled requests have returned. Fails after half a
 * minute. */
void vtr_test_ui_assert_gone (gpointer object);
/* Shows @widget in a window of that size, draws it, and gives the window (transfer full). */
GtkWindow *vtr_test_ui_show (GtkWidget *widget,
                             int        width,
                             int        height);
/* Whether a label in @widget that is on the screen has @text, or contains it. */
gboolean vtr_test_ui_shows_text (GtkWidget  *widget,
                                 const char *text);

G_END_DECLS
