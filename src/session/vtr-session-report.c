/* The report of a VtrSession, whose entries come from the document, and its log. */
#include "vtr-config.h"

#include "session/vtr-session-private.h"

#include <glib/gi18n.h>

/* The most entries of the log; older ones are dropped. */
#define MAX_LOG 10000

static void
report_opening (VtrSession *self)
{
  VtrTrace *trace = vtr_document_get_trace (self->document);
  const VtrTraceInfo *info = vtr_trace_get_info (trace);
  g_autofree char *count = vtr_format_number (vtr_trace_get_n_program_commands (trace));
  g_autofree char *opened =
    g_strdup_printf (_ ("Opened “%s”: %s commands"), vtr_trace_get_path (trace), count);

  vtr_session_add_log (self, VTR_MESSAGE_HINT, opened, VTR_COMMAND_NO_INDEX);
  for (gsize i = 0; info->hidden_extensions && info->hidden_extensions[i]; i++)
    {
      g_autofree char *text =
        g_strdup_printf (_ ("%s was hidden from the program while capturing."),
                         info->hidden_extensions[i]);

      vtr_session_add_report (self, VTR_MESSAGE_HINT, text, VTR_COMMAND_NO_INDEX);
    }
}

typedef struct
{
  VtrTrace *trace;
  GPtrArray *messages;
} ReportReader;

static void
add_report_entry (JsonArray *entries, guint i, JsonNode *node, gpointer data)
{
  ReportReader *reader = data;
  JsonObject *entry = json_node_get_object (node);
  const char *level = json_object_get_string_member_with_default (entry, "level", "info");
  VtrMessageLevel kind = VTR_MESSAGE_HINT;
  guint64 command;

  if (g_str_equal (level, "error"))
    kind = VTR_MESSAGE_ERROR;
  else if (g_str_equal (level, "warning"))
    kind = VTR_MESSAGE_WARNING;
  command = vtr_path_read_json_command (reader->trace, json_object_get_member (entry, "command"));
  g_ptr_array_add (
    reader->messages,
    vtr_message_new (kind, json_object_get_string_member_with_default (entry, "text", ""),
                     command));
}

static void
report_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrSession) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) report = vtr_document_get_finish (VTR_DOCUMENT (source), result, &error);
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_object_unref);
  ReportReader reader = { vtr_session_get_trace (self), messages };

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  self->report_read = TRUE;
  if (report == NULL)
    {
      vtr_session_add_log (self, VTR_MESSAGE_WARNING, error->message, VTR_COMMAND_NO_INDEX);
      g_list_model_items_changed (G_LIST_MODEL (self->report), 0, 0, 0);
      return;
    }
  if (JSON_NODE_HOLDS_OBJECT (report) &&
      json_object_has_member (json_node_get_object (report), "entries"))
    json_array_foreach_element (
      json_object_get_array_member (json_node_get_object (report), "entries"), add_report_entry,
      &reader);
  g_list_store_splice (self->report, 0, 0, messages->pdata, messages->len);
}

void
vtr_session_read_report (VtrSession *self)
{
  report_opening (self);
  vtr_document_get_async (self->document, "report", self->cancellable, report_cb,
                          g_object_ref (self));
}

static void
add_address_entry (JsonArray *entries, guint i, JsonNode *node, gpointer data)
{
  const char *what = json_object_get_string_member (json_node_get_object (node), "what");

  if (g_strcmp0 (what, "address") == 0)
    add_report_entry (entries, i, node, data);
}

/* Adds what the replay's device does not support, or does differently. */
static void
compatibility_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (VtrSession) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) answer = vtr_document_get_finish (VTR_DOCUMENT (source), result, &error);
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_object_unref);
  ReportReader reader = { vtr_session_get_trace (self), messages };

  /* The view that requested the image shows the error. */
  if (answer == NULL)
    return;
  json_array_foreach_element (
    json_object_get_array_member (json_node_get_object (answer), "findings"),
    self->told ? add_address_entry : add_report_entry, &reader);
  self->told = TRUE;
  g_list_store_splice (self->report, 0, 0, messages->pdata, messages->len);
}

void
vtr_session_compare_devices (VtrSession *self)
{
  gboolean guesses = vtr_document_guesses_addresses (self->document);

  if (self->compared && self->guesses == guesses)
    return;
  self->compared = TRUE;
  self->guesses = guesses;
  vtr_document_get_async (self->document, "compatibility", self->cancellable, compatibility_cb,
                          g_object_ref (self));
}

static void
add_validation_entry (JsonArray *entries, guint i, JsonNode *node, gpointer data)
{
  if (json_object_has_member (json_node_get_object (node), "rule"))
    add_report_entry (entries, i, node, data);
}

static void
validated_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  VtrSession *self = g_task_get_source_object (task);
  g_autoptr (JsonNode) report = NULL;
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_object_unref);
  ReportReader reader = { vtr_session_get_trace (self), messages };
  GError *error = NULL;

  report = vtr_document_get_finish (VTR_DOCUMENT (source), result, &error);
  if (report == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  json_array_foreach_element (
    json_object_get_array_member (json_node_get_object (report), "entries"), add_validation_entry,
    &reader);
  if (!self->validated)
    g_list_store_splice (self->report, 0, 0, messages->pdata, messages->len);
  self->validated = TRUE;
  g_task_return_int (task, messages->len);
}

void
vtr_session_validate_async (VtrSession          *self,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);

  vtr_document_get_async (self->document, "report?replay=1", cancellable, validated_cb, task);
}

gssize
vtr_session_validate_finish (VtrSession *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_int (G_TASK (result), error);
}

GListModel *
vtr_session_get_report (VtrSession *self)
{
  return G_LIST_MODEL (self->report);
}

gboolean
vtr_session_is_report_read (VtrSession *self)
{
  return self->report_read;
}

GListModel *
vtr_session_get_log (VtrSession *self)
{
  return G_LIST_MODEL (self->log);
}

void
vtr_session_add_report (VtrSession *self, VtrMessageLevel level, const char *text, guint64 command)
{
  g_autoptr (VtrMessage) message = vtr_message_new (level, text, command);

  g_list_store_append (self->report, message);
}

void
vtr_session_add_log (VtrSession *self, VtrMessageLevel level, const char *text, guint64 command)
{
  g_autoptr (VtrMessage) message = vtr_message_new (level, text, command);

  if (g_list_model_get_n_items (G_LIST_MODEL (self->log)) >= MAX_LOG)
    g_list_store_splice (self->log, 0, MAX_LOG / 10, NULL, 0);
  g_list_store_append (self->log, message);
}
