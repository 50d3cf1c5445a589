/* What a picture is asked to show other than what the trace did: overlays, commands left out,
 * shaders replaced. As options of a path:
 *
 *   overlay=wireframe-all     everything before it drawn as lines
 *   overlay=wireframe         the command drawn as lines, over the picture
 *   overlay=highlight         what the command covers
 *   overlay=overdraw          how often each pixel was drawn to in the pass
 *   from=12                   with wireframe or highlight: all from this command on
 *   disable=12,15             these commands do not run (each as in commands/N)
 *   shader=41:/some/file.spv  object 41 has this code; or 41.2:…, the third stage of a pipeline that
 *                             carries its code itself; instead of a file, a name that
 *                             vtr_document_add_shader() gave
 *
 * Threading: any. */
#pragma once

#include "engine/answers/vtr-path.h"
#include "engine/vulkan/transforms/vtr-stream-edit.h"

G_BEGIN_DECLS

/**
 * VtrPictureEdit:
 *
 * Immutable; owned by its document. Equal edits are the same one.
 */
struct _VtrPictureEdit
{
  VtrOverlay overlay;
  guint64 from;          /* VTR_COMMAND_NO_INDEX: not said */
  VtrStreamEdit *stream; /* owned */
  char *key;             /* of all of it */
  char *stream_key;      /* of .stream */
};

/* One that is being read. */
typedef struct
{
  VtrOverlay overlay;
  gboolean has_from;
  guint64 from;
  VtrStreamEdit *stream; /* (nullable) owned */
} VtrEditDraft;

void vtr_edit_draft_clear (VtrEditDraft *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VtrEditDraft, vtr_edit_draft_clear)

/* Whether @name is an option of an edit. */
gboolean vtr_edit_draft_knows (const char *name);

/* Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_edit_draft_parse (VtrEditDraft  *self,
                               VtrDocument   *document,
                               const char    *name,
                               const char    *value,
                               GError       **error);

/* Takes what is in @self. Returns: NULL when nothing is edited. */
const VtrPictureEdit *vtr_edit_draft_finish (VtrEditDraft *self,
                                             VtrDocument  *document);

/* The same without what is shown over the picture. Returns: NULL: the picture as it is. */
const VtrPictureEdit *vtr_picture_edit_without_overlay (const VtrPictureEdit *self,
                                                        VtrDocument          *document);

/* That the modules are SPIR-V with the entry points that the ones they stand for have. Blocks. On the
 * replay worker. */
gboolean vtr_picture_edit_check (const VtrPictureEdit  *self,
                                 VtrDocument           *document,
                                 GCancellable          *cancellable,
                                 GError               **error);

/* What the replay worker runs from here to vtr_picture_edit_end() is edited. @self: (nullable): it is
 * not. Errors: those of a check; for overlays of single draws, which are of one picture. */
gboolean vtr_picture_edit_begin (const VtrPictureEdit  *self,
                                 VtrDocument           *document,
                                 GCancellable          *cancellable,
                                 GError               **error);
void vtr_picture_edit_end (VtrDocument *document);

/* Of the document, at its end. */
void vtr_picture_edits_free (gpointer edits);

G_END_DECLS
