/* Connects a document to its replay session: device, status, and failures. */
#include "engine/document/vtr-document-private.h"

#include "engine/answers/vtr-edit-path.h"

void
vtr_document_prepare_replay (VtrDocument *self)
{
  vtr_replay_session_prepare (self->session);
}

void
vtr_document_set_replay_device (VtrDocument *self,
                                const char  *device)
{
  vtr_replay_session_set_device (self->session, device);
}

void
vtr_document_set_replay_addresses (VtrDocument        *self,
                                   VtrReplayAddresses  addresses)
{
  vtr_replay_session_set_addresses (self->session, addresses);
}

void
vtr_document_set_poison (VtrDocument *self,
                         gboolean     poison)
{
  vtr_replay_session_set_poison (self->session, poison);
}

gboolean
vtr_document_guesses_addresses (VtrDocument *self)
{
  return vtr_replay_session_guesses_addresses (self->session);
}

char *
vtr_document_describe_replay (VtrDocument *self)
{
  return vtr_replay_session_dup_status (self->session);
}

VtrReplayActivity
vtr_document_get_replay_activity (VtrDocument *self)
{
  return vtr_replay_session_get_activity (self->session);
}

guint64
vtr_document_get_failed_command (VtrDocument *self)
{
  return vtr_replay_session_get_failed_command (self->session);
}

char *
vtr_document_add_shader (VtrDocument *self,
                         GBytes      *code)
{
  return vtr_picture_edits_add_shader (vtr_replay_session_get_edits (self->session), code);
}

gboolean
vtr_document_parse_edit (VtrDocument           *self,
                         const char            *options,
                         const VtrPictureEdit **out,
                         GError               **error)
{
  return vtr_edit_path_parse (self->session, options, out, error);
}

gboolean
vtr_document_check_shader (VtrDocument   *self,
                           guint32        object,
                           guint32        stage,
                           GBytes        *code,
                           GCancellable  *cancellable,
                           GError       **error)
{
  return vtr_picture_edit_check_shader (self->history, object, stage, code, cancellable, error);
}

gboolean
vtr_document_can_disable (VtrDocument  *self,
                          guint64       index,
                          GError      **error)
{
  return vtr_picture_edit_can_disable (self->trace, index, error);
}
