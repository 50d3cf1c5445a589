/* VtrWindow itself. Its files are vtr-window.c (header bar, life), -pages, -open, -wait,
 * -actions, -edits, -export, -jobs and -measure. */
#pragma once

#include "widgets/vtr-banner.h"
#include "widgets/vtr-capture-page.h"
#include "widgets/vtr-start-page.h"
#include "window/vtr-trace-page.h"
#include "window/vtr-window.h"

G_BEGIN_DECLS

struct _VtrWindow
{
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toasts;
  char *toast;    /* text of the last one */
  guint n_toasts; /* toasts that are shown or waiting */
  AdwWindowTitle *title;
  GtkWidget *page_back;
  GtkWidget *trace_start;
  GtkWidget *trace_end;
  GtkWidget *start_toggle;
  GtkWidget *bottom_toggle;
  GtkWidget *end_toggle;
  GtkMenuButton *menu;
  VtrBanner *banner;
  GtkStack *stack;
  VtrStartPage *start;
  AdwBin *capture_place;
  VtrCapturePage *capture; /* weak; NULL until vtr_window_need_capture_page() */
  GtkWidget *asking;       /* whether to stop a capture; weak */
  AdwStatusPage *loading;
  GtkProgressBar *progress;
  AdwStatusPage *error;
  GtkWidget *show_in_files;
  AdwBin *trace_place;
  VtrTracePage *trace; /* weak; NULL until vtr_window_need_trace_page(), never while there is a session */
  GtkRevealer *drop_revealer;

  GSettings *settings;
  VtrSession *session;
  GFile *file;
  guint64 file_time, file_size; /* µs, bytes: of .file when it was opened; 0 unknown */
  GCancellable *opening;
  GCancellable *stepping; /* to the next write of an image */
  char *page_before_loading;
  gboolean maximize;     /* maximise the window once it is on the screen */
  guint present_timeout; /* 0: the window does not wait for its trace */
};

/* "start", "capture", "loading", "error", "trace" */
void vtr_window_show_page (VtrWindow *self, const char *name);
gboolean vtr_window_is_page (VtrWindow *self, const char *name);
/* Makes the page if it does not exist. (transfer none) */
VtrCapturePage *vtr_window_need_capture_page (VtrWindow *self);
VtrTracePage *vtr_window_need_trace_page (VtrWindow *self);
/* Makes the header and the actions match the page that is shown. */
void vtr_window_update_page (VtrWindow *self);
void vtr_window_update_history (VtrWindow *self);
/* Opens @file in a window of its own. */
void vtr_window_open_beside (VtrWindow *self, GFile *file);
/* The capture ended by itself: closes the dialog that asks whether to stop it, and the window. */
void vtr_window_capture_ended (VtrWindow *self);
/* Leaves the trace, or stops opening it. */
void vtr_window_drop_session (VtrWindow *self);
/* Opens the trace again with its selection kept. @wish: a device as
 * vtr_document_set_replay_device() takes it, "" for the best one, then perhaps "?addresses=exact"
 * or "?addresses=guess". */
void vtr_window_replay_on (VtrWindow *self, const char *wish);
/* Opens @file, which the capture page has made, and shows the notices of the capture in its log and
 * banner. */
void vtr_window_open_captured (VtrWindow *self, GFile *file);
/* Opens @files (GFile): the first one here unless this window shows something, the others in
 * windows of their own. */
void vtr_window_open_files (VtrWindow *self, GSList *files);
void vtr_window_install_actions (GtkWidgetClass *widget_class);
void vtr_window_install_edit_actions (GtkWidgetClass *widget_class);
/* Makes the actions and the state that D-Bus shows match the edits of the trace. */
void vtr_window_update_edits (VtrWindow *self);
void vtr_window_install_job_actions (GtkWidgetClass *widget_class);
void vtr_window_install_measure_actions (GtkWidgetClass *widget_class);
/* Shows a toast. @button: its label; NULL: no button. @action takes @target, a string. */
void vtr_window_toast (VtrWindow  *self,
                       const char *text,
                       const char *button,
                       const char *action,
                       const char *target);
/* The path of the image that the framebuffer pane shows or is loading. (transfer full) */
char *vtr_window_dup_image_path (VtrWindow *self, GError **error);

G_END_DECLS
