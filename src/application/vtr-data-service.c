/* The D-Bus interface that answers questions of scripts about a trace, by path, as JSON or as
 * PNG. */
#include "vtr-config.h"

#include "application/vtr-data-service.h"

#include <glib/gi18n.h>
#include <string.h>

#include "application/vtr-request-gate.h"
#include "application/vtr-turns.h"
#include "engine/answers/vtr-json-text.h"
#include "window/vtr-window.h"

#define INTERFACE "io.github.vitrine.Vitrine.Data"
#define ERROR_PREFIX "io.github.vitrine.Vitrine.Error."
#define KEEP_SECONDS 60
/* GDBus sends messages of up to 128 MiB and arrays of 64 MiB; the rest is the header. */
#define MAX_STRING (127u << 20)
#define MAX_ARRAY ((64u << 20) - 64)

/* A file that is kept open although no window shows it. */
typedef struct
{
  char *path;
  guint64 mtime, size; /* the file's state when it was opened */
  VtrDocument *document;
  guint n_users;
  guint timeout;
  VtrDataService *service; /* borrowed: owns us */
} KeptFile;

struct _VtrDataService
{
  GObject parent_instance;

  VtrApplication *application;
  GDBusConnection *connection;
  GDBusNodeInfo *info;
  guint registration;
  GPtrArray *kept; /* KeptFile */
  VtrTurns *turns;
};

G_DEFINE_FINAL_TYPE (VtrDataService, vtr_data_service, G_TYPE_OBJECT)

/* A call that is being answered. */
typedef struct
{
  VtrDataService *self;
  GDBusMethodInvocation *invocation;
  GCancellable *cancellable;
  guint watch;
  char *sender;
  gboolean begun; /* it has been given a turn */
  char *path;
  gboolean image;
  KeptFile *kept;
  char *wanted; /* file that the caller names */
  char *file;
  guint64 mtime, size;
} Call;

static void kept_file_release (KeptFile *kept);

static void
call_free (Call *call)
{
  if (call->watch)
    g_bus_unwatch_name (call->watch);
  if (call->kept)
    kept_file_release (call->kept);
  if (call->begun)
    vtr_turns_give_back (call->self->turns, call->sender);
  g_application_release (G_APPLICATION (call->self->application));
  g_object_unref (call->invocation);
  g_object_unref (call->cancellable);
  g_free (call->sender);
  g_free (call->path);
  g_free (call->wanted);
  g_free (call->file);
  g_object_unref (call->self);
  g_free (call);
}

static void
call_fail (Call *call, const char *name, const char *message)
{
  g_autofree char *error = g_strconcat (ERROR_PREFIX, name, NULL);

  g_dbus_method_invocation_return_dbus_error (g_object_ref (call->invocation), error, message);
  call_free (call);
}

static void
call_return_error (Call *call, const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    call_fail (call, "Cancelled", error->message);
  else if (g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH))
    call_fail (call, "Path", error->message);
  else if (g_error_matches (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING) ||
           g_error_matches (error, VTR_IMAGE_ERROR, VTR_IMAGE_ERROR_FORMAT))
    call_fail (call, "Nothing", error->message);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE))
    call_fail (call, "TooLarge", error->message);
  else
    call_fail (call, "Failed", error->message);
}

/* --- answers, made on a worker: they can be large --------------------------------------------- */

static gboolean
check_size (gsize size, gsize limit, GError **error)
{
  g_autofree char *words = g_format_size_full (size, G_FORMAT_SIZE_IEC_UNITS);

  if (size <= limit)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE,
               _ ("The answer to %s is too large for D-Bus; ask for a part of it, or use "
                  "“vitrine-cli”"),
               words);
  return FALSE;
}

static GVariant *
make_json (JsonNode *node, GError **error)
{
  g_autofree char *text = vtr_json_to_text (node, FALSE);
  g_autofree char *valid = NULL;

  if (!check_size (strlen (text), MAX_STRING, error))
    return NULL;
  if (!g_utf8_validate (text, -1, NULL))
    valid = g_utf8_make_valid (text, -1);
  return g_variant_new_take_string (valid ? g_steal_pointer (&valid) : g_steal_pointer (&text));
}

static GVariant *
make_png (VtrImage *image, GError **error)
{
  g_autoptr (GBytes) png = vtr_image_to_png (image, error);

  if (png == NULL || !check_size (g_bytes_get_size (png), MAX_ARRAY, error))
    return NULL;
  return g_variant_new_from_bytes (G_VARIANT_TYPE ("ay"), png, TRUE);
}

static void
encode_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Call *call = g_object_get_data (G_OBJECT (task), "call");
  GError *error = NULL;
  GVariant *answer = call->image ? make_png (data, &error) : make_json (data, &error);

  if (answer)
    g_task_return_pointer (task, g_variant_ref_sink (g_variant_new_tuple (&answer, 1)),
                           (GDestroyNotify)g_variant_unref);
  else
    g_task_return_error (task, error);
}

static void
encoded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = g_task_propagate_pointer (G_TASK (result), &error);

  if (answer == NULL)
    {
      call_return_error (call, error);
      return;
    }
  g_dbus_method_invocation_return_value (g_object_ref (call->invocation), answer);
  call_free (call);
}

static void
encode (Call *call, gpointer result, GDestroyNotify free_result)
{
  g_autoptr (GTask) task = g_task_new (call->self, call->cancellable, encoded_cb, call);

  g_task_set_source_tag (task, encode);
  g_object_set_data (G_OBJECT (task), "call", call);
  g_task_set_task_data (task, result, free_result);
  g_task_run_in_thread (task, encode_thread);
}

/* --- questions ------------------------------------------------------------------------------- */

static void
got_json_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = vtr_document_get_finish (VTR_DOCUMENT (source), result, &error);

  if (node)
    encode (data, node, (GDestroyNotify)json_node_unref);
  else
    call_return_error (data, error);
}

static void
got_image_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  VtrImage *image = vtr_document_get_image_finish (VTR_DOCUMENT (source), result, &error);

  if (image)
    encode (data, image, (GDestroyNotify)vtr_image_unref);
  else
    call_return_error (data, error);
}

static void
ask (Call *call, VtrDocument *document)
{
  if (call->image)
    vtr_document_get_image_async (document, call->path, VTR_PRIORITY_NORMAL, call->cancellable,
                                  got_image_cb, call);
  else
    vtr_document_get_async (document, call->path, call->cancellable, got_json_cb, call);
}

/* --- files that no window shows --------------------------------------------------------------- */

static void
kept_file_free (KeptFile *kept)
{
  g_clear_handle_id (&kept->timeout, g_source_remove);
  g_object_unref (kept->document);
  g_free (kept->path);
  g_free (kept);
}

static gboolean
drop_kept_cb (gpointer data)
{
  KeptFile *kept = data;

  kept->timeout = 0;
  g_ptr_array_remove (kept->service->kept, kept);
  return G_SOURCE_REMOVE;
}

static void
kept_file_release (KeptFile *kept)
{
  if (--kept->n_users == 0)
    kept->timeout = g_timeout_add_seconds (KEEP_SECONDS, drop_kept_cb, kept);
}

static void
ask_kept (Call *call, KeptFile *kept)
{
  g_clear_handle_id (&kept->timeout, g_source_remove);
  kept->n_users++;
  call->kept = kept;
  ask (call, kept->document);
}

static KeptFile *
find_kept (Call *call)
{
  GPtrArray *files = call->self->kept;

  for (guint i = 0; i < files->len; i++)
    {
      KeptFile *kept = g_ptr_array_index (files, i);

      if (g_str_equal (kept->path, call->file) && kept->mtime == call->mtime &&
          kept->size == call->size)
        return kept;
    }
  return NULL;
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (VtrDocument) document = vtr_document_open_finish (result, &error);
  KeptFile *kept;

  if (document == NULL)
    {
      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        call_return_error (call, error);
      else
        call_fail (call, "NoTrace", error->message);
      return;
    }
  /* Another call may have opened it in the meantime. */
  kept = find_kept (call);
  if (kept == NULL)
    {
      kept = g_new0 (KeptFile, 1);
      kept->path = g_strdup (call->file);
      kept->mtime = call->mtime;
      kept->size = call->size;
      kept->document = g_steal_pointer (&document);
      kept->service = call->self;
      g_ptr_array_add (call->self->kept, kept);
    }
  ask_kept (call, kept);
}

static void
queried_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info = g_file_query_info_finish (G_FILE (source), result, &error);
  KeptFile *kept;

  if (info == NULL)
    {
      call_fail (call, "NoTrace", error->message);
      return;
    }
  call->mtime = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED);
  call->size = (guint64)g_file_info_get_size (info);
  kept = find_kept (call);
  if (kept)
    ask_kept (call, kept);
  else
    vtr_document_open_async (call->file, NULL, NULL, call->cancellable, opened_cb, call);
}

/* --- windows --------------------------------------------------------------------------------- */

static VtrWindow *
find_window (VtrDataService *self, GFile *file)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self->application)); l; l = l->next)
    if (VTR_IS_WINDOW (l->data) && vtr_window_get_file (l->data) &&
        g_file_equal (vtr_window_get_file (l->data), file))
      return l->data;
  return NULL;
}

static void
window_ready_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Call *call = data;
  g_autoptr (GError) error = NULL;
  VtrSession *session;

  if (!vtr_window_wait_finish (VTR_WINDOW (source), result, &error))
    {
      call_return_error (call, error);
      return;
    }
  session = vtr_window_get_session (VTR_WINDOW (source));
  if (session)
    ask (call, vtr_session_get_document (session));
  else
    call_fail (call, "NoTrace", _ ("The window shows no trace"));
}

static void
ask_active (Call *call)
{
  VtrWindow *window = vtr_application_find_window (call->self->application);

  if (window)
    vtr_window_wait_async (window, call->cancellable, window_ready_cb, call);
  else
    call_fail (call, "NoTrace", _ ("No trace is open. Open one, or name the file in the call"));
}

static void
ask_file (Call *call, const char *name)
{
  g_autoptr (GFile) file = g_str_has_prefix (name, "file:") ? g_file_new_for_uri (name)
                           : g_path_is_absolute (name)      ? g_file_new_for_path (name)
                                                            : NULL;
  VtrWindow *window;

  call->file = file ? g_file_get_path (file) : NULL;
  if (call->file == NULL)
    {
      g_autofree char *text = g_strdup_printf (
        _ ("“%s” is not an absolute file name; D-Bus does not know the caller’s folder"), name);

      call_fail (call, "NoTrace", text);
      return;
    }
  window = find_window (call->self, file);
  if (window)
    vtr_window_wait_async (window, call->cancellable, window_ready_cb, call);
  else
    g_file_query_info_async (
      file, G_FILE_ATTRIBUTE_TIME_MODIFIED "," G_FILE_ATTRIBUTE_STANDARD_SIZE,
      G_FILE_QUERY_INFO_NONE, G_PRIORITY_DEFAULT, call->cancellable, queried_cb, call);
}

static void
list_traces (VtrDataService *self, GDBusMethodInvocation *invocation)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("as"));
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self->application)); l; l = l->next)
    {
      VtrSession *session = VTR_IS_WINDOW (l->data) ? vtr_window_get_session (l->data) : NULL;

      if (session)
        {
          const char *path = vtr_trace_get_path (vtr_session_get_trace (session));
          g_autofree char *text = g_filename_to_utf8 (path, -1, NULL, NULL, NULL);
          g_autofree char *uri = text ? NULL : g_filename_to_uri (path, NULL, NULL);

          g_variant_builder_add (&builder, "s", text ? text : uri ? uri
                                                                  : "");
        }
    }
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(as)", &builder));
}

/* --- D-Bus ----------------------------------------------------------------------------------- */

static void
vanished_cb (GDBusConnection *connection, const char *name, gpointer data)
{
  g_cancellable_cancel (data);
}

static void
begin_call (gpointer data)
{
  Call *call = data;
  GDBusConnection *connection = g_dbus_method_invocation_get_connection (call->invocation);

  call->begun = TRUE;
  if (*call->sender != '\0')
    call->watch =
      g_bus_watch_name_on_connection (connection, call->sender, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL,
                                      vanished_cb, g_object_ref (call->cancellable),
                                      g_object_unref);
  if (call->wanted)
    ask_file (call, call->wanted);
  else
    ask_active (call);
}

static void
method_call_cb (GDBusConnection       *connection,
                const char            *sender,
                const char            *object_path,
                const char            *interface_name,
                const char            *method,
                GVariant              *parameters,
                GDBusMethodInvocation *invocation,
                gpointer               data)
{
  VtrDataService *self = data;
  gboolean from_file = g_str_has_suffix (method, "From");
  Call *call;
  const char *file = NULL;
  const char *path = NULL;

  if (g_str_equal (method, "ListTraces"))
    {
      list_traces (self, invocation);
      return;
    }
  if (from_file)
    g_variant_get (parameters, "(&s&s)", &file, &path);
  else
    g_variant_get (parameters, "(&s)", &path);
  call = g_new0 (Call, 1);
  call->self = g_object_ref (self);
  call->invocation = invocation;
  call->cancellable = g_cancellable_new ();
  call->sender = g_strdup (sender ? sender : "");
  call->path = g_strdup (path);
  call->wanted = g_strdup (file);
  call->image = g_str_has_prefix (method, "GetImage");
  /* An application that D-Bus started for this call alone must not quit before it has answered. */
  g_application_hold (G_APPLICATION (self->application));
  if (!vtr_turns_take (self->turns, call->sender, begin_call, call))
    {
      vtr_request_gate_refuse (g_object_ref (invocation));
      call_free (call);
    }
}

static const GDBusInterfaceVTable vtable = { method_call_cb, NULL, NULL, { NULL } };

gboolean
vtr_data_service_export (VtrDataService   *self,
                         GDBusConnection  *connection,
                         const char       *object_path,
                         GError          **error)
{
  g_autoptr (GBytes) xml = g_resources_lookup_data (
    "/io/github/vitrine/Vitrine/" INTERFACE ".xml", G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  if (xml == NULL)
    return FALSE;
  self->info = g_dbus_node_info_new_for_xml (g_bytes_get_data (xml, NULL), error);
  if (self->info == NULL)
    return FALSE;
  self->registration = g_dbus_connection_register_object (
    connection, object_path, g_dbus_node_info_lookup_interface (self->info, INTERFACE), &vtable,
    self, NULL, error);
  if (self->registration == 0)
    return FALSE;
  self->connection = g_object_ref (connection);
  return TRUE;
}

void
vtr_data_service_unexport (VtrDataService *self)
{
  if (self->registration)
    g_dbus_connection_unregister_object (self->connection, self->registration);
  self->registration = 0;
  g_clear_object (&self->connection);
}

/* --- life ------------------------------------------------------------------------------------ */

static void
vtr_data_service_finalize (GObject *object)
{
  VtrDataService *self = VTR_DATA_SERVICE (object);

  vtr_data_service_unexport (self);
  g_clear_pointer (&self->info, g_dbus_node_info_unref);
  g_clear_pointer (&self->kept, g_ptr_array_unref);
  g_clear_pointer (&self->turns, vtr_turns_free);
  G_OBJECT_CLASS (vtr_data_service_parent_class)->finalize (object);
}

static void
vtr_data_service_class_init (VtrDataServiceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = vtr_data_service_finalize;
}

static void
vtr_data_service_init (VtrDataService *self)
{
  self->kept = g_ptr_array_new_with_free_func ((GDestroyNotify)kept_file_free);
  self->turns = vtr_turns_new ();
}

VtrDataService *
vtr_data_service_new (VtrApplication *application)
{
  VtrDataService *self = g_object_new (VTR_TYPE_DATA_SERVICE, NULL);

  self->application = application;
  return self;
}
