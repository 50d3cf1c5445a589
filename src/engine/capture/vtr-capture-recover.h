/* Completes the recordings of earlier runs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What became of a recovery. */
typedef struct
{
  GStrv paths;        /* of the traces that were completed */
  GPtrArray *notices; /* of char *: sentences about the rest */
  guint n_failed;     /* recordings that are still there and could not be completed */
} VtrCaptureRecovery;

void vtr_capture_recovery_free (VtrCaptureRecovery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCaptureRecovery, vtr_capture_recovery_free)

/* Completes what earlier runs left behind. Only files are touched whose recording a ring or the
 * journal of this user names, and that nobody else has open; an existing trace is kept, and a name
 * beside it is taken. Blocks. */
VtrCaptureRecovery *vtr_capture_recover (GError **error);

/* Completes these unfinished files (strv), whoever made them, as far as they are Vitrine's. */
VtrCaptureRecovery *vtr_capture_recover_files (const char *const *files,
                                               GError           **error);

G_END_DECLS
