/* Makes a thumbnail by replay, for traces that have none. */
#include "engine/document/vtr-document.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>

#include "engine/model/vtr-command-tree.h"
#include "engine/picture/vtr-thumbnail.h"

/* The attachments at the end of the last frame. A program that presents nothing ends with
 * everything destroyed: those of its last draw. */
static GArray *
find_attachments (VtrDocument  *document,
                  guint64      *command,
                  GError      **error)
{
  VtrTrace *trace = vtr_document_get_trace (document);
  guint64 n_frames = vtr_trace_get_n_frames (trace);
  guint64 first, last;

  if (n_frames > 0)
    {
      vtr_trace_get_frame (trace, n_frames - 1, &first, &last);
      for (guint64 i = last + 1; i-- > first;)
        {
          VtrCommandKind kind = vtr_command_kind (vtr_trace_get_command_id (trace, i));
          GArray *infos = NULL;

          if (kind == VTR_COMMAND_KIND_PRESENT || kind == VTR_COMMAND_KIND_DRAW)
            infos = vtr_document_list_attachments (document, i, NULL);
          *command = i;
          if (infos != NULL && infos->len > 0)
            return infos;
          g_clear_pointer (&infos, g_array_unref);
        }
    }
  g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
               _ ("“%s” has no thumbnail: its last frame is empty."),
               vtr_trace_get_path (trace));
  return NULL;
}

GBytes *
vtr_document_make_thumbnail (VtrDocument *document, GCancellable *cancellable, GError **error)
{
  guint64 command;
  g_autoptr (GArray) infos = find_attachments (document, &command, error);
  g_autoptr (VtrImage) image = NULL;
  GBytes *picture;

  if (infos == NULL)
    return NULL;
  image = vtr_document_get_framebuffer (document, command,
                                        g_array_index (infos, VtrTarget, 0).kind,
                                        cancellable, error);
  if (image == NULL)
    return NULL;
  picture = vtr_thumbnail_encode (image, image->height, NULL, NULL);
  if (picture == NULL)
    g_set_error (error, VTR_RESOLVE_ERROR, VTR_RESOLVE_ERROR_NOTHING,
                 _ ("“%s” has no thumbnail: the format of its last frame cannot be shown."),
                 vtr_trace_get_path (vtr_document_get_trace (document)));
  return picture;
}
