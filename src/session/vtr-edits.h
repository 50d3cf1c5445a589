/* The edits that the user makes to an open trace to see their effect: an overlay, disabled
 * commands, replaced shaders. */
#pragma once

#include "engine/document/vtr-document.h"

G_BEGIN_DECLS

/**
 * VtrEdits:
 *
 * All images of a window show the edits of its session; the framebuffer also shows the overlay.
 * Disabled commands and replaced shaders can be undone step by step, overlays cannot.
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
/* The first command that a highlight or wireframe covers; VTR_COMMAND_NO_INDEX: only the
 * selected one, or its pass. Choosing no overlay resets it. */
guint64 vtr_edits_get_overlay_from (VtrEdits *self);
void vtr_edits_set_overlay_from (VtrEdits *self,
                                 guint64   command);

guint vtr_edits_get_n_disabled (VtrEdits *self);
gboolean vtr_edits_is_disabled (VtrEdits *self,
                                guint64   command);
/* Disables or enables @commands (guint64, in any order) as one step of undo. Errors:
 * VTR_RESOLVE_ERROR_PATH with the reason if one of them cannot be disabled, or if they are too
 * many; nothing changes then. */
gboolean vtr_edits_set_disabled (VtrEdits  *self,
                                 GArray    *commands,
                                 gboolean   disabled,
                                 GError   **error);
void vtr_edits_enable_all (VtrEdits *self);

guint vtr_edits_get_n_shaders (VtrEdits *self);
/* The SPIR-V that replaces shader @object; NULL: it is not replaced. @stage: the stage of a
 * pipeline, or VTR_SHADER_MODULE. (transfer none) */
GBytes *vtr_edits_get_shader (VtrEdits *self,
                              guint32   object,
                              guint32   stage);
/* Replaces a shader. @code: code that vtr_document_check_shader() accepted; NULL: restores the
 * program's shader. */
void vtr_edits_set_shader (VtrEdits *self,
                           guint32   object,
                           guint32   stage,
                           GBytes   *code);
/* Copies the edits of @from, which belongs to the same trace opened before. */
void vtr_edits_copy (VtrEdits *self,
                     VtrEdits *from);

/* Enables all commands, restores all shaders, and removes the overlay. */
void vtr_edits_reset (VtrEdits *self);
/* Returns: FALSE: there is nothing to undo or redo. */
gboolean vtr_edits_undo (VtrEdits *self);
gboolean vtr_edits_redo (VtrEdits *self);
gboolean vtr_edits_can_undo (VtrEdits *self);
gboolean vtr_edits_can_redo (VtrEdits *self);

/* The edits as requests take them; NULL: nothing is edited. (transfer none) */
const VtrPictureEdit *vtr_edits_get (VtrEdits *self,
                                     gboolean  with_overlay);
/* The edits as options of a path, "disable=12,15"; "" for none. (transfer full) */
char *vtr_edits_format (VtrEdits *self,
                        gboolean  with_overlay);
/* The edits as people read them: "Wireframe · 3 commands disabled"; NULL: nothing is edited.
 * (transfer full) */
char *vtr_edits_describe (VtrEdits *self,
                          gboolean  with_overlay);

/* @path with @options appended after a question mark. (transfer full) */
char *vtr_edits_append (const char *path,
                        const char *options);

G_END_DECLS
