/* Capturing Vulkan programs, seen from outside of them. Threading: any. */
#pragma once

#include "engine/api/vtr-host-api.h"

G_BEGIN_DECLS

extern const VtrHostApi vtr_vulkan_host_api;

/* Folder with the layer's manifest; NULL with a sentence in @error. (transfer full) */
char *vtr_vulkan_find_layer (GError **error);

/* Of VtrHostApi: the implicit layer, which the Vulkan loader loads into every program with VITRINE_CAPTURE=1 in its
 * environment. Its manifest is VkLayer_vitrine_implicit.json in the user's vulkan/implicit_layer.d. */
gboolean vtr_vulkan_install (gboolean   on,
                             GError   **error);
VtrHostInstallState vtr_vulkan_get_installed (void);
char *vtr_vulkan_get_install_path (void);

G_END_DECLS
