/* Describes Vulkan's images without Vulkan's types, for the list of textures. Threading: any. */
#pragma once

#include "engine/state/vtr-image-facts.h"

G_BEGIN_DECLS

/* VtrShowApi.get_image, .find_image */
gboolean vtr_vulkan_get_image (VtrHistory       *history,
                               const VtrObject  *object,
                               VtrImageFacts    *out,
                               GError          **error);
gboolean vtr_vulkan_find_image (VtrHistory      *history,
                                const VtrObject *object,
                                VtrImageView    *out);

G_END_DECLS
