/* Completes the recordings of earlier runs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The result of a recovery. */
typedef struct
{
  GStrv paths;        /* of the traces that were completed */
  GPtrArray *notices; /* of char *: sentences about the rest */
  guint n_failed;     /* recordings that are still there and could not be completed */
} VtrCaptureRecovery;

void vtr_capture_recovery_free (VtrCaptureRecovery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCaptureRecovery, vtr_capture_recovery_free)

/* Completes files that earlier runs left unfinished. Only files are touched whose recording a ring
 * or the journal of this user names, and that no other program has open; an existing trace is kept,
 * and the recovered one gets a similar name. Blocks. */
VtrCaptureRecovery *vtr_capture_recover (GError **error);

/* Completes these unfinished files (strv) of any user, if they are Vitrine's. */
VtrCaptureRecovery *vtr_capture_recover_files (const char *const *files,
                                               GError           **error);

G_END_DECLS
