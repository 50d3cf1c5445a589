/* Renderings in several parts. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/**
 * vtr_whole_rendering_change:
 *
 * A dynamic rendering that is suspended and resumed becomes several whole ones, in place: a cut may
 * fall between them. What the first parts leave in the attachments, the next ones load, and only
 * the last one resolves. Secondaries inherit the rendering as it is now, and may be recorded into
 * several primaries at once: a cut one and its original. @next gets the barriers that this needs
 * before @command. Threading: one at a time.
 */
gboolean vtr_whole_rendering_change (VtrTransform  *next,
                                     VtrCommand    *command,
                                     GError       **error);

G_END_DECLS
