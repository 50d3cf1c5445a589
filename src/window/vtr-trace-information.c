/* The Trace Information window: the file, the captured program and its devices, and what the
 * trace contains. */
#include "vtr-config.h"

#include "window/vtr-trace-information.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "session/vtr-text.h"

static AdwPreferencesGroup *
add_group (AdwPreferencesPage *page, const char *title)
{
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());

  adw_preferences_group_set_title (group, title);
  adw_preferences_page_add (page, group);
  return group;
}

/* Adds a row with @title and @text below it; nothing if @text is NULL. */
static void
add_row (AdwPreferencesGroup *group, const char *title, const char *text)
{
  GtkWidget *row;

  if (text == NULL || *text == '\0')
    return;
  row = adw_action_row_new ();
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  adw_preferences_group_add (group, row);
}

/* Adds a row with a count at its end. */
static void
add_count (AdwPreferencesGroup *group, const char *title, guint64 count)
{
  g_autofree char *text = vtr_format_number (count);
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *label = gtk_label_new (text);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_widget_add_css_class (label, "numeric");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  adw_preferences_group_add (group, row);
}

/* Adds a group with a row for each of @texts; nothing if there are none. */
static void
add_list (AdwPreferencesPage        *page,
          const char                *title,
          const char                *description,
          const char         *const *texts)
{
  AdwPreferencesGroup *group;

  if (texts == NULL || texts[0] == NULL)
    return;
  group = add_group (page, title);
  adw_preferences_group_set_description (group, description);
  for (guint i = 0; texts[i] != NULL; i++)
    {
      GtkWidget *row = adw_action_row_new ();

      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), *texts[i] ? _ (texts[i]) : "");
      adw_preferences_group_add (group, row);
    }
}

static void
add_file (AdwPreferencesPage *page, VtrTrace *trace)
{
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  AdwPreferencesGroup *group = add_group (page, _ ("File"));
  g_autofree char *size = g_format_size (info->bytes);
  g_autoptr (GDateTime) time =
    info->start_time != 0 ? g_date_time_new_from_unix_local (info->start_time / G_USEC_PER_SEC)
                          : NULL;
  g_autofree char *recorded = time != NULL ? g_date_time_format (time, "%x %X") : NULL;

  add_row (group, _ ("Path"), vtr_trace_get_path (trace));
  add_row (group, _ ("Size"), size);
  add_row (group, _ ("Recorded"), recorded);
  add_row (group, _ ("Recorded By"), info->producer);
  add_row (group, _ ("Problem"), vtr_trace_get_warning (trace));
}

static void
add_program (AdwPreferencesPage *page, const VtrTraceInfo *info)
{
  AdwPreferencesGroup *group = add_group (page, _ ("Program and Device"));
  g_autofree char *version =
    info->api_version != 0
      ? g_strdup_printf ("Vulkan %u.%u.%u", info->api_version >> 22 & 0x7f,
                         info->api_version >> 12 & 0x3ff, info->api_version & 0xfff)
      : NULL;

  add_row (group, _ ("Program"), info->application);
  add_row (group, _ ("Command Line"), info->command_line);
  add_row (group, _ ("Device"), info->device);
  add_row (group, _ ("Driver"), info->driver);
  add_row (group, _ ("API"), version != NULL ? version : info->apis);
}

static void
add_contents (AdwPreferencesPage *page, VtrSession *session)
{
  VtrTrace *trace = vtr_session_get_trace (session);
  VtrTimeline *timeline = vtr_document_get_timeline (vtr_session_get_document (session));
  AdwPreferencesGroup *group = add_group (page, _ ("Contents"));

  add_count (group, _ ("Frames"), vtr_trace_get_n_frames (trace));
  add_count (group, _ ("Commands"), vtr_trace_get_n_program_commands (trace));
  if (vtr_trace_get_n_initial_commands (trace) > 0)
    add_count (group, _ ("Initial Commands"), vtr_trace_get_n_initial_commands (trace));
  add_count (group, _ ("Submissions"),
             vtr_timeline_get_n_submissions (timeline) -
               vtr_timeline_get_n_initial_submissions (timeline));
  add_count (group, _ ("Draws"), vtr_timeline_get_n_draws (timeline));
  add_count (group, _ ("Dispatches"), vtr_timeline_get_n_dispatches (timeline));
}

void
vtr_trace_information_show (GtkWindow *parent, VtrSession *session)
{
  VtrTrace *trace = vtr_session_get_trace (session);
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  GtkWidget *window = adw_preferences_window_new ();
  AdwPreferencesPage *page = ADW_PREFERENCES_PAGE (adw_preferences_page_new ());

  add_file (page, trace);
  add_program (page, info);
  add_contents (page, session);
  add_list (page, _ ("Changes While Capturing"),
            _ ("Vitrine made these changes so that the trace can be replayed and inspected"),
            info->changes);
  add_list (page, _ ("Hidden Extensions"),
            _ ("Vitrine hid these from the program because it cannot capture or replay them"),
            info->hidden_extensions);
  add_list (page, _ ("Memory Write Tracking"), NULL, info->trackers);
  add_list (page, _ ("Notices"), NULL, info->notices);
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), page);
  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (window), FALSE);
  gtk_window_set_title (GTK_WINDOW (window), _ ("Trace Information"));
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_present (GTK_WINDOW (window));
}
