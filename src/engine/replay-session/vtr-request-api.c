/* Finds the VtrRequestApi for a question. */
#include "engine/replay-session/vtr-request-api.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/replay-session/vtr-replay-session-private.h"
#include "engine/state/vtr-history.h"

const VtrRequestApi *
vtr_request_api_get (guint32 id)
{
  static const VtrRequestApi nothing = { 0 };
  const VtrApi *api = vtr_api_get (id);

  return api != NULL && api->build != NULL && api->build->requests != NULL ? api->build->requests
                                                                           : &nothing;
}

static gboolean
cannot (GError **error)
{
  g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                       _ ("This version of Vitrine cannot replay calls of this API"));
  return FALSE;
}

/* --- Targets --------------------------------------------------------------------------------- */

const VtrRequestApi *
vtr_request_api_of_picture (const VtrReplayBasis *basis,
                            const VtrPicture     *picture)
{
  const VtrObject *object = !picture->is_attachment && picture->object != 0
                              ? vtr_history_get_object (basis->history, picture->object)
                              : NULL;
  const guint64 n = vtr_trace_get_n_commands (basis->trace);

  if (object != NULL)
    return vtr_request_api_get (object->type);
  return vtr_request_api_get (
    n > 0 ? vtr_trace_get_command_id (basis->trace, MIN (picture->address.index, n - 1))
          : VTR_CMD_NONE);
}

gsize
vtr_target_get_size (const VtrTarget *target)
{
  VtrPixelRows rows;

  return vtr_pixel_format_get_rows (target->format, target->part.aspect, target->width,
                                    target->height, 1, &rows) > 0
           ? rows.size
           : 0;
}

/* Turns the image so that its top row is the first one, as in all images of the engine. */
static GBytes *
turn_over (const VtrTarget *target,
           GBytes          *texels)
{
  const guint8 *from = g_bytes_get_data (texels, NULL);
  VtrPixelRows rows;
  guint8 *turned;

  if (vtr_pixel_format_get_rows (target->format, target->part.aspect, target->width,
                                 target->height, 1, &rows) <= 0 ||
      g_bytes_get_size (texels) < rows.size)
    return g_bytes_ref (texels);
  turned = g_malloc (rows.size);
  for (guint32 i = 0; i < rows.n_rows; i++)
    memcpy (turned + i * rows.row_bytes, from + (rows.n_rows - 1 - i) * rows.row_bytes,
            rows.row_bytes);
  return g_bytes_new_take (turned, rows.size);
}

VtrImage *
vtr_target_make_image (const VtrTarget  *target,
                       GBytes           *texels,
                       GError          **error)
{
  g_autoptr (GBytes) turned = target->bottom_up ? turn_over (target, texels) : g_bytes_ref (texels);

  return vtr_image_new (target->format, target->part.aspect, target->width, target->height, turned,
                        error);
}

/* --- Chains ---------------------------------------------------------------------------------- */

static const VtrApi *
api_of_command (VtrTrace *trace,
                guint64   index)
{
  return index < vtr_trace_get_n_commands (trace)
           ? vtr_api_get (vtr_trace_get_command_id (trace, index))
           : NULL;
}

const VtrRequestApi *
vtr_request_api_next (VtrReplaySession *session,
                      guint            *nth)
{
  while (vtr_apis[*nth] != NULL)
    {
      const VtrApi *api = vtr_apis[(*nth)++];

      if (api->build != NULL && api->build->requests != NULL &&
          vtr_replay_session_concerns (session, api))
        return api->build->requests;
    }
  return NULL;
}

static VtrTransform *
ask_one (const VtrApi       *api,
         VtrReplayQuestion  *question,
         guint64            *end,
         GCancellable       *cancellable,
         GError            **error)
{
  if (api != NULL && api->build != NULL && api->build->requests != NULL)
    return api->build->requests->chain (question, end, cancellable, error);
  cannot (error);
  return NULL;
}

/* A picture may leave out commands of an API that this build lacks, a replay of all commands may
 * not. */
static gboolean
check_whole (VtrTrace  *trace,
             GError   **error)
{
  const char *const *missing = vtr_trace_get_info (trace)->missing;
  g_autofree char *names = NULL;

  if (missing[0] == NULL)
    return TRUE;
  names = g_strjoinv (", ", (char **)missing);
  g_set_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
               _ ("The trace cannot be replayed as a whole: it has calls of an API that this "
                  "version of Vitrine does not know (%s)"),
               names);
  return FALSE;
}

/* Each API of the trace follows its own commands; that of the last one says where they end. */
static VtrTransform *
ask_all (VtrReplayQuestion  *question,
         guint64            *end,
         GCancellable       *cancellable,
         GError            **error)
{
  VtrTrace *trace = vtr_replay_session_get_basis (question->session)->trace;
  const VtrApi *last = api_of_command (trace, question->place.index);
  const guint64 index = question->place.index;
  VtrTransform *chain = NULL;

  if (!check_whole (trace, error))
    return NULL;
  *end = vtr_trace_get_n_commands (trace);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    {
      guint64 own_end = *end;
      VtrTransform *own;

      if (!vtr_replay_session_concerns (question->session, vtr_apis[i]))
        continue;
      question->place.index = last == vtr_apis[i] ? index : VTR_COMMAND_NO_INDEX;
      own = ask_one (vtr_apis[i], question, &own_end, cancellable, error);
      question->place.index = index;
      if (own == NULL)
        {
          vtr_transform_free (chain);
          return NULL;
        }
      *end = MIN (*end, own_end);
      chain = chain != NULL ? vtr_transform_chain (chain, own, NULL) : own;
    }
  if (chain == NULL)
    cannot (error);
  return chain;
}

VtrTransform *
vtr_replay_ask (VtrReplayQuestion  *question,
                guint64            *end,
                GCancellable       *cancellable,
                GError            **error)
{
  const VtrReplayBasis *basis = vtr_replay_session_get_basis (question->session);
  const VtrObject *object = question->what == VTR_ASK_SPACE && question->spaces[0].object != 0
                              ? vtr_history_get_object (basis->history, question->spaces[0].object)
                              : NULL;

  if (question->what == VTR_ASK_TARGETS && question->targets[0]->object != 0)
    object = vtr_history_get_object (basis->history, question->targets[0]->object);
  if (question->what != VTR_ASK_FRAMES)
    return ask_one (object != NULL ? vtr_api_get (object->type)
                                   : api_of_command (basis->trace, question->place.index),
                    question, end, cancellable, error);
  return ask_all (question, end, cancellable, error);
}
