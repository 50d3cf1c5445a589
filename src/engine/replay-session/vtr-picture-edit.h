/* How a picture differs from what the trace did: overlays, disabled commands, replaced shaders. As options of a path:
 *
 *   overlay=wireframe-all     everything before it drawn as lines
 *   overlay=wireframe         the command drawn as lines, over the picture
 *   overlay=highlight         what the command covers
 *   overlay=overdraw          how often each pixel was drawn to in the pass
 *   from=12                   with wireframe or highlight: all from this command on
 *   disable=12,15             these commands do not run (each as in commands/N)
 *   shader=41:/some/file.spv  object 41 has this code; or 41.2:…, the third stage of a pipeline that
 *                             carries its code itself; instead of a file, a name that
 *                             vtr_picture_edits_add_shader () gave
 *
 * vtr-edit-path.h reads these options. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/picture/vtr-image.h"
#include "engine/replay-builder/vtr-stream-edit.h"
#include "engine/state/vtr-history.h"

G_BEGIN_DECLS

/* --- Overlays. Threading: any ---------------------------------------------------------------- */

typedef struct
{
  VtrOverlay overlay;
  const char *name;    /* "wireframe-all": the word in paths */
  const char *title;   /* for a menu; not translated yet: call _() */
  const char *summary; /* one sentence; not translated yet */
} VtrOverlayInfo;

/* All overlays, in the order of a menu; VTR_OVERLAY_NONE first. (transfer none) */
const VtrOverlayInfo *vtr_overlay_list (guint *n);
/* "wireframe-all": the word in paths. */
const char *vtr_overlay_to_string (VtrOverlay overlay);
/* Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_overlay_from_string (const char  *text,
                                  VtrOverlay  *out,
                                  GError     **error);

/* --- Edits. Threading: any ------------------------------------------------------------------- */

/**
 * VtrPictureEdit:
 *
 * Immutable; owned by the VtrPictureEdits that made it. Of one owner, equal edits are the same object.
 */
typedef struct
{
  VtrOverlay overlay;
  guint64 from;          /* VTR_COMMAND_NO_INDEX: not said */
  VtrStreamEdit *stream; /* owned; never NULL */
  char *key;             /* of all of it */
  char *stream_key;      /* of .stream */
} VtrPictureEdit;

/**
 * VtrPictureEdits:
 *
 * The edits of one trace, and the new shaders that they may name. Locks inside.
 */
typedef struct _VtrPictureEdits VtrPictureEdits;

VtrPictureEdits *vtr_picture_edits_new (void);
void vtr_picture_edits_free (VtrPictureEdits *self);

/* Adds a SPIR-V module. Returns: (transfer full): the name by which edits may name it. */
char *vtr_picture_edits_add_shader (VtrPictureEdits *self,
                                    GBytes          *code);
/* The module of that name, or the file of that absolute path. (transfer full): NULL with @error. Errors:
 * VTR_RESOLVE_ERROR_PATH, those of reading a file. */
GBytes *vtr_picture_edits_load_shader (VtrPictureEdits  *self,
                                       const char       *name,
                                       GError          **error);

/* An edit that is being put together. All zero: nothing is edited. */
typedef struct
{
  VtrOverlay overlay;
  gboolean has_from;
  guint64 from;
  VtrStreamEdit *stream; /* (nullable) owned */
} VtrEditDraft;

void vtr_edit_draft_clear (VtrEditDraft *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VtrEditDraft, vtr_edit_draft_clear)

/* Whether a replay can leave out command @index. Errors: VTR_RESOLVE_ERROR_PATH with the reason. */
gboolean vtr_picture_edit_can_disable (VtrTrace  *trace,
                                       guint64    index,
                                       GError   **error);
/* Errors: those of vtr_picture_edit_can_disable (). */
gboolean vtr_edit_draft_disable (VtrEditDraft  *self,
                                 VtrTrace      *trace,
                                 guint64        index,
                                 GError       **error);
/* @object: a shader (@stage: VTR_REPLACE_OBJECT), or a pipeline. @code: SPIR-V. Errors: VTR_RESOLVE_ERROR_PATH. */
gboolean vtr_edit_draft_replace_shader (VtrEditDraft  *self,
                                        VtrHistory    *history,
                                        guint32        object,
                                        guint32        stage,
                                        GBytes        *code,
                                        GError       **error);
/* Takes the edits out of @self. (transfer none): NULL when nothing is edited. */
const VtrPictureEdit *vtr_edit_draft_finish (VtrEditDraft    *self,
                                             VtrPictureEdits *edits);

/* The same edit without the overlay. (transfer none): NULL if nothing else is edited. */
const VtrPictureEdit *vtr_picture_edit_without_overlay (const VtrPictureEdit *self,
                                                        VtrPictureEdits      *edits);

/* Whether @code may replace the code of @object (@stage: of a pipeline; VTR_SHADER_MODULE): it is valid, and has the
 * entry points that the old code has. Blocks; runs the shader tool. Errors: VTR_RESOLVE_ERROR_NOTHING with the reason. */
gboolean vtr_picture_edit_check_shader (VtrHistory    *history,
                                        guint32        object,
                                        guint32        stage,
                                        GBytes        *code,
                                        GCancellable  *cancellable,
                                        GError       **error);
/* Checks all shaders of @self, once for each edit. Blocks. Errors: those of vtr_picture_edit_check_shader (). */
gboolean vtr_picture_edit_check (const VtrPictureEdit  *self,
                                 VtrPictureEdits       *edits,
                                 VtrHistory            *history,
                                 GCancellable          *cancellable,
                                 GError               **error);
/* Checks @self (nullable) for a replay that makes no picture. Errors: those of vtr_picture_edit_check ();
 * VTR_RESOLVE_ERROR_PATH for overlays of single draws, which only pictures have. */
gboolean vtr_picture_edit_check_stream (const VtrPictureEdit  *self,
                                        VtrPictureEdits       *edits,
                                        VtrHistory            *history,
                                        GCancellable          *cancellable,
                                        GError               **error);

G_END_DECLS
