/* The session of an open trace: the selected command or object, its history (back and forward),
 * and stepping by draw or frame. */
#include "vtr-config.h"

#include "session/vtr-session-private.h"

#include "engine/state/vtr-path.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/model/vtr-draw-order.h"
#include "engine/replay/vtr-replay-backend.h"

#define HISTORY_MAX 200

/* An entry of the history of selections. */
typedef struct
{
  guint64 command;
  char *path;
} Visit;

static void
visit_clear (Visit *visit)
{
  g_free (visit->path);
}

G_DEFINE_FINAL_TYPE (VtrSession, vtr_session, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_CAN_GO_BACK,
  PROP_CAN_GO_FORWARD,
  N_PROPS
};

enum
{
  SELECTION_CHANGED,
  SELECTED_AGAIN,
  REPLAY_FAILED,
  REPLAY_CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void
vtr_session_finalize (GObject *object)
{
  VtrSession *self = VTR_SESSION (object);

  g_clear_pointer (&self->tree, vtr_command_tree_free);
  g_clear_object (&self->edits);
  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_object (&self->cancellable);
  g_free (self->path);
  g_array_unref (self->history);
  g_object_unref (self->report);
  g_object_unref (self->log);
  g_hash_table_unref (self->failed);
  G_OBJECT_CLASS (vtr_session_parent_class)->finalize (object);
}

static void
vtr_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  VtrSession *self = VTR_SESSION (object);

  switch (id)
    {
    case PROP_CAN_GO_BACK:
      g_value_set_boolean (value, self->cursor > 0);
      break;
    case PROP_CAN_GO_FORWARD:
      g_value_set_boolean (value, self->cursor + 1 < self->history->len);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
vtr_session_class_init (VtrSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = vtr_session_finalize;
  object_class->get_property = vtr_session_get_property;

  properties[PROP_CAN_GO_BACK] = g_param_spec_boolean ("can-go-back", NULL, NULL, FALSE,
                                                       G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_CAN_GO_FORWARD] = g_param_spec_boolean (
    "can-go-forward", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[SELECTION_CHANGED] = g_signal_new (
    "selection-changed", VTR_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SELECTED_AGAIN] = g_signal_new (
    "selected-again", VTR_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[REPLAY_FAILED] =
    g_signal_new ("replay-failed", VTR_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 2, G_TYPE_UINT64, G_TYPE_STRING);
  signals[REPLAY_CHANGED] = g_signal_new ("replay-changed", VTR_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
vtr_session_init (VtrSession *self)
{
  self->command = VTR_COMMAND_NO_INDEX;
  self->history = g_array_new (FALSE, FALSE, sizeof (Visit));
  g_array_set_clear_func (self->history, (GDestroyNotify)visit_clear);
  self->report = g_list_store_new (VTR_TYPE_MESSAGE);
  self->log = g_list_store_new (VTR_TYPE_MESSAGE);
  self->failed = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

static void
replay_changed_cb (VtrSession *self)
{
  g_autofree char *text = vtr_document_describe_replay (self->document);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->log));
  g_autoptr (VtrMessage) last =
    n > 0 ? g_list_model_get_item (G_LIST_MODEL (self->log), n - 1) : NULL;

  /* Progress is shown in the status bar only. */
  if (vtr_document_get_replay_activity (self->document) != VTR_REPLAY_IS_WORKING &&
      text && *text && (last == NULL || strcmp (vtr_message_get_text (last), text) != 0))
    vtr_session_add_log (self, VTR_MESSAGE_HINT, text, VTR_COMMAND_NO_INDEX);
  g_signal_emit (self, signals[REPLAY_CHANGED], 0);
  vtr_session_compare_devices (self);
}

VtrSession *
vtr_session_new (VtrDocument *document)
{
  VtrSession *self = g_object_new (VTR_TYPE_SESSION, NULL);

  self->document = g_object_ref (document);
  self->edits = vtr_edits_new (document);
  self->tree = vtr_command_tree_new (vtr_document_get_analysis (document));
  if (g_signal_lookup ("replay-changed", VTR_TYPE_DOCUMENT) != 0)
    g_signal_connect_object (document, "replay-changed", G_CALLBACK (replay_changed_cb), self,
                             G_CONNECT_SWAPPED);
  self->cancellable = g_cancellable_new ();
  vtr_session_read_report (self);
  return self;
}

VtrDocument *
vtr_session_get_document (VtrSession *self)
{
  return self->document;
}

VtrAnalysis *
vtr_session_get_analysis (VtrSession *self)
{
  return vtr_document_get_analysis (self->document);
}

VtrTrace *
vtr_session_get_trace (VtrSession *self)
{
  return vtr_document_get_trace (self->document);
}

VtrCommandTree *
vtr_session_get_tree (VtrSession *self)
{
  return self->tree;
}

VtrEdits *
vtr_session_get_edits (VtrSession *self)
{
  return self->edits;
}

guint64
vtr_session_get_command (VtrSession *self)
{
  return self->command;
}

const char *
vtr_session_get_path (VtrSession *self)
{
  return self->path;
}

/* Takes @path. */
static void
set_selection (VtrSession *self, guint64 command, char *path)
{
  self->command = command;
  g_free (self->path);
  self->path = path;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_GO_BACK]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_GO_FORWARD]);
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

static void
remember (VtrSession *self, guint64 command, const char *path, VtrSelectHow how)
{
  Visit visit = { command, g_strdup (path) };

  if (self->history->len > 0 && how == VTR_SELECT_STEP)
    {
      visit_clear (&g_array_index (self->history, Visit, self->cursor));
      g_array_index (self->history, Visit, self->cursor) = visit;
      return;
    }
  if (self->history->len > 0)
    g_array_set_size (self->history, self->cursor + 1);
  g_array_append_val (self->history, visit);
  if (self->history->len > HISTORY_MAX)
    g_array_remove_index (self->history, 0);
  self->cursor = self->history->len - 1;
}

/* @path NULL: of the first run. */
static void
select_at (VtrSession *self, guint64 command, const char *path, VtrSelectHow how)
{
  g_autofree char *own = NULL;

  if (command >= vtr_trace_get_n_commands (vtr_session_get_trace (self)))
    return;
  if (path == NULL)
    path = own = vtr_trace_format_command (vtr_session_get_trace (self), command);
  if (command == self->command && g_strcmp0 (path, self->path) == 0)
    {
      g_signal_emit (self, signals[SELECTED_AGAIN], 0);
      return;
    }
  remember (self, command, path, how);
  set_selection (self, command, g_strdup (path));
}

void
vtr_session_select (VtrSession *self, guint64 command, VtrSelectHow how)
{
  g_return_if_fail (VTR_IS_SESSION (self));

  select_at (self, command, NULL, how);
}

void
vtr_session_select_run (VtrSession *self, guint64 command, const char *path, VtrSelectHow how)
{
  g_return_if_fail (VTR_IS_SESSION (self));

  select_at (self, command, path, how);
}

char *
vtr_session_get_image_path (VtrSession        *self,
                            guint64            command,
                            VtrAttachmentKind  attachment,
                            gboolean           with_overlay)
{
  g_autofree char *address = NULL;
  g_autofree char *path = NULL;
  g_autofree char *name = vtr_attachment_kind_to_string (attachment);
  g_autofree char *options = vtr_edits_format (self->edits, with_overlay);

  if (command == self->command && self->path && !g_str_has_prefix (self->path, "frames/"))
    {
      const char *step = strchr (self->path, '/');

      /* "commands/12" of "commands/12/parameters" */
      address = g_strndup (self->path,
                           step ? (gsize)(step + 1 + strcspn (step + 1, "/") - self->path) : 0);
    }
  else
    address = vtr_trace_format_command (vtr_session_get_trace (self), command);
  path = g_strdup_printf ("%s/framebuffer/%s", address, name);
  return vtr_edits_append (path, options);
}

/* "commands/12", "commands/12@3", "initial/3": the address alone, as rows and panes name it.
 * (transfer full) */
static char *
format_address (VtrSession *self, const VtrPlace *address)
{
  VtrTimeline *timeline = vtr_document_get_timeline (self->document);
  g_autofree char *path = vtr_trace_format_command (vtr_session_get_trace (self), address->index);
  guint32 k = address->run == VTR_NO_RUN
                ? 0
                : vtr_timeline_get_run_number (timeline, address->run);

  return k > 0 ? g_strdup_printf ("%s@%u", path, k) : g_steal_pointer (&path);
}

void
vtr_session_select_address (VtrSession *self, const VtrPlace *address, VtrSelectHow how)
{
  g_autofree char *path = format_address (self, address);

  select_at (self, address->index, path, how);
}

/* An object selects the command that created it; its contents ("objects/41/texture?after=12@1")
 * select the command after which they are requested, or keep the selection. */
static gboolean
select_object (VtrSession *self, const char *path, char **steps, GError **error)
{
  VtrHistory *history = vtr_document_get_history (self->document);
  VtrTimeline *timeline = vtr_document_get_timeline (self->document);
  const char *after = strstr (path, "after=");
  guint64 n = history ? (guint64)vtr_history_get_n_objects (history) + 1 : 0;
  guint64 id;

  if (!vtr_path_parse_number (steps[1], _ ("object"), n, &id, error))
    return FALSE;
  if (id == 0)
    {
      g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
                   _ ("The trace has no object %s"), steps[1]);
      return FALSE;
    }
  if (after)
    {
      g_autofree char *step = g_strndup (after + strlen ("after="), strcspn (after + 6, "&"));
      VtrPlace address;

      if (!vtr_path_parse_command (timeline, step, &address, error))
        return FALSE;
      vtr_session_select_address (self, &address, VTR_SELECT_JUMP);
    }
  else if (steps[2] == NULL)
    select_at (self, vtr_history_get_object (history, (guint32)id)->created, NULL, VTR_SELECT_JUMP);
  return TRUE;
}

/* The last command of a frame. */
static gboolean
select_frame (VtrSession *self, const char *digits, GError **error)
{
  guint64 n = vtr_trace_get_n_frames (vtr_session_get_trace (self)), frame;

  if (!vtr_path_parse_number (digits, _ ("frame"), n, &frame, error))
    return FALSE;
  vtr_session_select_frame_end (self, frame);
  return TRUE;
}

gboolean
vtr_session_select_path (VtrSession *self, const char *path, GError **error)
{
  g_autofree char *plain = g_strndup (path, strcspn (path, "?"));
  g_auto (GStrv) steps = vtr_path_split (plain);
  gboolean bare = g_ascii_isdigit (path[0]);
  VtrTimeline *timeline = vtr_document_get_timeline (self->document);
  VtrPlace address;

  if (g_strcmp0 (steps[0], "objects") == 0 && steps[1] != NULL)
    return select_object (self, path, steps, error);
  if (g_strcmp0 (steps[0], "frames") == 0 && steps[1] != NULL)
    return select_frame (self, steps[1], error);
  if (!bare && !(vtr_path_is_commands (steps[0]) && steps[1] != NULL))
    {
      g_set_error (
        error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_PATH,
        _ ("“%s” is not a valid path. Use commands/NUMBER, frames/NUMBER or objects/NUMBER"), path);
      return FALSE;
    }
  if (bare ? !vtr_path_parse_command (timeline, steps[0], &address, error)
           : !vtr_path_parse_command_steps (timeline, steps, &address, error))
    return FALSE;
  vtr_session_select_address (self, &address, VTR_SELECT_JUMP);
  return TRUE;
}

void
vtr_session_clear_selection (VtrSession *self)
{
  if (self->command != VTR_COMMAND_NO_INDEX)
    set_selection (self, VTR_COMMAND_NO_INDEX, NULL);
}

static void
go (VtrSession *self, int step)
{
  const Visit *visit;

  if ((step < 0 && self->cursor == 0) || (step > 0 && self->cursor + 1 >= self->history->len))
    return;
  self->cursor += step;
  visit = &g_array_index (self->history, Visit, self->cursor);
  set_selection (self, visit->command, g_strdup (visit->path));
}

void
vtr_session_go_back (VtrSession *self)
{
  go (self, -1);
}

void
vtr_session_go_forward (VtrSession *self)
{
  go (self, 1);
}

/* The selection, with the run that its path names. */
VtrPlace
vtr_session_get_address (VtrSession *self)
{
  VtrPlace address = { self->command, VTR_NO_RUN };

  if (self->path)
    {
      g_auto (GStrv) steps = vtr_path_split (self->path);

      if (!vtr_path_parse_command_steps (vtr_document_get_timeline (self->document), steps,
                                         &address, NULL))
        address = (VtrPlace){ self->command, VTR_NO_RUN };
    }
  return address;
}

/* Draws in the order in which the queues ran them: the last draw of a command buffer is followed by
 * the first one of the next submitted command buffer. */
gboolean
vtr_session_step_draw (VtrSession *self, int step)
{
  VtrPlace address = vtr_session_get_address (self);

  if (!vtr_draw_order_step (vtr_document_get_timeline (self->document), &address.index,
                            &address.run, step))
    return FALSE;
  vtr_session_select_address (self, &address, VTR_SELECT_STEP);
  return TRUE;
}

gboolean
vtr_session_has_draw (VtrSession *self, int step)
{
  VtrPlace address = vtr_session_get_address (self);

  return vtr_draw_order_step (vtr_document_get_timeline (self->document), &address.index,
                              &address.run, step);
}

/* The frame of the selection, or the part after the frames. */
static guint64
get_part (VtrSession *self)
{
  VtrTrace *trace = vtr_session_get_trace (self);
  guint64 n_frames = vtr_trace_get_n_frames (trace);

  if (self->command != VTR_COMMAND_NO_INDEX)
    {
      VtrPlace address = vtr_session_get_address (self);
      const VtrRun *run =
        address.run == VTR_NO_RUN
          ? NULL
          : vtr_timeline_get_run (vtr_document_get_timeline (self->document), address.run);

      /* A command that was recorded in one frame may run in another. */
      return vtr_trace_get_part_of (trace, run ? run->submit : self->command);
    }
  return n_frames > 0 ? n_frames - 1 : 0;
}

guint64
vtr_session_get_frame (VtrSession *self)
{
  guint64 n_frames = vtr_trace_get_n_frames (vtr_session_get_trace (self));

  return MIN (get_part (self), n_frames > 0 ? n_frames - 1 : 0);
}

void
vtr_session_select_frame_end (VtrSession *self, guint64 frame)
{
  VtrTrace *trace = vtr_session_get_trace (self);

  if (frame < vtr_trace_get_n_frames (trace))
    vtr_session_select (self, vtr_trace_get_frame_end (trace, frame), VTR_SELECT_JUMP);
}

gboolean
vtr_session_step_frame (VtrSession *self, int step)
{
  guint64 n_frames = vtr_trace_get_n_frames (vtr_session_get_trace (self));
  guint64 frame = get_part (self);

  if (step < 0 ? frame == 0 : frame + 1 >= n_frames)
    return FALSE;
  vtr_session_select_frame_end (self, frame + step);
  return TRUE;
}

void
vtr_session_report_replay_failure (VtrSession *self, guint64 command, const GError *error)
{
  /* If the replayer cannot start, no command is at fault. */
  if (g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_START) ||
      g_error_matches (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER))
    command = VTR_COMMAND_NO_INDEX;
  if (!g_hash_table_contains (self->failed, &command))
    {
      g_autoptr (VtrMessage) message = vtr_message_new (VTR_MESSAGE_ERROR, error->message, command);

      g_hash_table_add (self->failed, g_memdup2 (&command, sizeof command));
      /* The most severe message comes first. */
      g_list_store_insert (self->report, 0, message);
    }
  vtr_session_add_log (self, VTR_MESSAGE_ERROR, error->message, command);
  g_signal_emit (self, signals[REPLAY_FAILED], 0, command, error->message);
}

gboolean
vtr_session_get_command_failed (VtrSession *self, guint64 command)
{
  return g_hash_table_contains (self->failed, &command);
}
