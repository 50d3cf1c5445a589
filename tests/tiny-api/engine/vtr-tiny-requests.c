/* Answers requests about the tiny API with chains that stop after a command and read pictures.
 * Every replay runs from the beginning of the trace. */
#include "vtr-tiny-build.h"
#include "vtr-tiny-text.h"

#include <string.h>

#include "engine/replay-builder/vtr-stream-edit.h"
#include "engine/state/vtr-history.h"
#include "engine/state/vtr-resolve-error.h"

/* --- The chain ------------------------------------------------------------------------------- */

typedef struct
{
  VtrTransform parent;
  VtrTrace *trace;
  VtrTinyWalk *walk;
  VtrReplayQuestion *question; /* (nullable): nothing is read */
  guint64 n_posts;
  VtrCommand last; /* the last command of the tiny API, without arguments */
} Tiny;

static gboolean
read_picture (Tiny *self, const VtrTinyPicture *picture, guint64 post, GError **error)
{
  VtrTinyRead read = { .parent = { &vtr_api_tiny },
                       .context = picture->context,
                       .picture = picture->picture,
                       .is_bound = picture->is_bound,
                       .width = picture->width,
                       .height = picture->height,
                       .post = post };

  return vtr_transform_read (self->parent.next, &read.parent, error);
}

static gboolean
read_window (Tiny *self, const VtrCommand *command, GError **error)
{
  VtrTinyPicture picture;
  VtrTarget target;
  const guint64 post = self->n_posts;

  if (!vtr_tiny_walk_get_bound (self->walk, command, TRUE, &picture))
    return TRUE;
  self->n_posts++;
  target = (VtrTarget){ .part = { .aspect = VTR_PIXEL_COLOR },
                        .n_layers = 1,
                        .format = &vtr_pixel_rgba8_unorm,
                        .width = picture.width,
                        .height = picture.height,
                        .samples = 1,
                        .bottom_up = TRUE };
  self->question->found (post, &target, command->index, self->question->data);
  return read_picture (self, &picture, post, error);
}

static gboolean
tiny_command (VtrTransform *transform, VtrCommand *command, GError **error)
{
  Tiny *self = (Tiny *)transform;

  if (vtr_api_get (command->id) != &vtr_api_tiny)
    return vtr_transform_command (transform->next, command, error);
  vtr_tiny_walk_add (self->walk, command);
  self->last = *command;
  if (!vtr_transform_command (transform->next, command, error))
    return FALSE;
  return command->id != VTR_CMD_tnSwap || self->question == NULL || !self->question->images ||
         read_window (self, command, error);
}

/* What is bound may have no name any more: then its context reads it. */
static gboolean
find_picture (Tiny *self, VtrIdentity identity, VtrTinyPicture *out)
{
  if (identity.name == 0)
    return vtr_tiny_walk_get_window (self->walk, identity.namespace, out);
  if (self->last.id != VTR_CMD_NONE &&
      vtr_tiny_walk_get_bound (self->walk, &self->last, FALSE, out) && out->is_bound &&
      vtr_identity_equal (out->picture, identity))
    return TRUE;
  return vtr_tiny_walk_get_named (self->walk, identity, out);
}

static gboolean
read_target (Tiny *self, const VtrTarget *target, guint64 post, GError **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (self->question->session);
  const VtrObject *object =
    target->object != 0 ? vtr_history_get_object (basis->history, target->object) : NULL;
  VtrTinyPicture picture;

  if (object != NULL &&
      find_picture (self, (VtrIdentity){ object->handle, object->namespace, object->type },
                    &picture))
    return read_picture (self, &picture, post, error);
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNWRITTEN,
                       _ ("There is no picture with texels here."));
  return FALSE;
}

static gboolean
tiny_end (VtrTransform *transform, GError **error)
{
  Tiny *self = (Tiny *)transform;
  const VtrReplayQuestion *question = self->question;

  for (guint i = 0; question->what == VTR_ASK_TARGETS && i < question->n_targets; i++)
    if (!read_target (self, question->targets[i], i, error))
      return FALSE;
  return vtr_transform_end (transform->next, error);
}

static void
tiny_free (VtrTransform *transform)
{
  Tiny *self = (Tiny *)transform;

  vtr_tiny_walk_free (self->walk);
  g_free (self);
}

static const VtrTransformClass tiny_class = {
  .name = "tiny",
  .command = tiny_command,
  .end = tiny_end,
  .free = tiny_free,
};

static VtrTransform *
make_chain (VtrReplayQuestion *question, guint64 *end, GCancellable *cancellable, GError **error)
{
  VtrTrace *trace = vtr_replay_session_get_basis (question->session)->trace;
  const guint64 n = vtr_trace_get_n_commands (trace);
  Tiny *self;

  if (question->what == VTR_ASK_SPACE || question->n_spaces > 0)
    {
      g_set_error_literal (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                           _ ("Stores are not read back."));
      return NULL;
    }
  *end = question->place.index < n ? question->place.index + 1 : n;
  self = g_new0 (Tiny, 1);
  self->parent.klass = &tiny_class;
  self->trace = trace;
  self->walk = vtr_tiny_walk_new ();
  self->question = question;
  self->last.id = VTR_CMD_NONE;
  return &self->parent;
}

/* --- Edits ----------------------------------------------------------------------------------- */

typedef struct
{
  VtrTransform parent;
  const VtrStreamEdit *edit;
} Disable;

static gboolean
disable_command (VtrTransform *transform, VtrCommand *command, GError **error)
{
  const Disable *self = (const Disable *)transform;

  if (command->index != VTR_COMMAND_NO_INDEX && vtr_stream_edit_can_disable (command->id) &&
      vtr_api_get (command->id) == &vtr_api_tiny &&
      vtr_stream_edit_is_disabled (self->edit, command->index))
    return TRUE;
  return vtr_transform_command (transform->next, command, error);
}

static void
disable_free (VtrTransform *transform)
{
  g_free (transform);
}

static const VtrTransformClass disable_class = {
  .name = "disable",
  .command = disable_command,
  .free = disable_free,
};

static VtrTransform *
complete (const VtrReplayRequest *request, VtrTransform *chain, VtrReplayBuilder *builder)
{
  Disable *self;

  if (request->edit == NULL)
    return chain;
  self = g_new0 (Disable, 1);
  self->parent.klass = &disable_class;
  self->edit = request->edit->stream;
  return vtr_transform_chain (chain, &self->parent, NULL);
}

const VtrRequestApi vtr_tiny_requests = {
  .chain = make_chain,
  .complete = complete,
};
