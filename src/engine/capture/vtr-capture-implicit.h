/* The layer for programs that Vitrine does not start: an implicit layer in the user's data
 * folder, which the Vulkan loader loads into every program with VITRINE_CAPTURE=1 in its
 * environment. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  VTR_CAPTURE_IMPLICIT_ABSENT,
  VTR_CAPTURE_IMPLICIT_OTHER, /* installed, but of another Vitrine, or its library is gone */
  VTR_CAPTURE_IMPLICIT_INSTALLED,
} VtrCaptureImplicitState;

/* The manifest's place: VkLayer_vitrine_implicit.json in the user's vulkan/implicit_layer.d.
 * (transfer full) */
char *vtr_capture_implicit_get_path (void);

VtrCaptureImplicitState vtr_capture_implicit_get_state (void);

/* Writes the manifest, or anew. FALSE with a sentence. Threading: any; all of these block for a small
 * file. */
gboolean vtr_capture_implicit_install (GError **error);
/* Removing what is not there is no error. */
gboolean vtr_capture_implicit_remove (GError **error);

G_END_DECLS
