/* The edits that the user makes to an open trace to see their effect: an overlay, disabled
 * commands, replaced shaders. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/**
 * VtrEdits:
 *
 * All pictures of a window are asked for with the edits of its session, the framebuffer's also with
 * the overlay. Disabling and replacing can be undone, step by step; an overlay is a way to look and
 * is chosen again.
 *
 * Signals: "changed" (): commands or shaders; "overlay-changed" ().
 * Threading: main.
 */
#define VTR_TYPE_EDITS (vtr_edits_get_type ())
G_DECLARE_FINAL_TYPE (VtrEdits, vtr_edits, VTR, EDITS, GObject)

VtrEdits *vtr_edits_new (VtrDocument *document);

VtrOverlay vtr_edits_get_overlay (VtrEdits *self);
void vtr_edits_set_overlay (VtrEdits   *self,
                            VtrOverlay  overlay);
/* The command that a highlight or wireframe begins with; VTR_COMMAND_NO_INDEX: the one that is shown, or its pass. No
 * overlay any more ends it, too. */
guint64 vtr_edits_get_overlay_from (VtrEdits *self);
void vtr_edits_set_overlay_from (VtrEdits *self,
                                 guint64   command);

guint vtr_edits_get_n_disabled (VtrEdits *self);
gboolean vtr_edits_is_disabled (VtrEdits *self,
                                guint64   command);
/* @commands: guint64, any order; one step to undo. Errors: VTR_RESOLVE_ERROR_PATH with the reason,
 * when one of them cannot be disabled, or they are too many; then nothing changes. */
gboolean vtr_edits_set_disabled (VtrEdits  *self,
                                 GArray    *commands,
                                 gboolean   disabled,
                                 GError   **error);
void vtr_edits_enable_all (VtrEdits *self);

guint vtr_edits_get_n_shaders (VtrEdits *self);
/* The SPIR-V that stands for shader @object (@stage: of a pipeline; VTR_SHADER_MODULE); NULL: its own
 * does. (transfer none) */
GBytes *vtr_edits_get_shader (VtrEdits *self,
                              guint32   object,
                              guint32   stage);
/* @code: vtr_document_check_shader() passed it; NULL: the shader's own again. */
void vtr_edits_set_shader (VtrEdits *self,
                           guint32   object,
                           guint32   stage,
                           GBytes   *code);
/* What holds in @from, of the same trace opened another time. */
void vtr_edits_copy (VtrEdits *self,
                     VtrEdits *from);

/* All commands, all shaders, no overlay. */
void vtr_edits_reset (VtrEdits *self);
/* FALSE: there is nothing to undo, or to do again. */
gboolean vtr_edits_undo (VtrEdits *self);
gboolean vtr_edits_redo (VtrEdits *self);
gboolean vtr_edits_can_undo (VtrEdits *self);
gboolean vtr_edits_can_redo (VtrEdits *self);

/* For questions; NULL: nothing is edited. (transfer none) */
const VtrPictureEdit *vtr_edits_get (VtrEdits *self,
                                     gboolean  with_overlay);
/* As options of a path, "disable=12,15"; "" for none. (transfer full) */
char *vtr_edits_format (VtrEdits *self,
                        gboolean  with_overlay);
/* For people: "Wireframe · 3 commands disabled"; NULL: nothing is edited. (transfer full) */
char *vtr_edits_describe (VtrEdits *self,
                          gboolean  with_overlay);

/* @path with @options behind its question mark. (transfer full) */
char *vtr_edits_append (const char *path,
                        const char *options);

G_END_DECLS
