/* Turns the parts of a suspended and resumed dynamic rendering into renderings of their own. */
#pragma once

#include "engine/vulkan/transforms/vtr-vulkan-transform.h"

G_BEGIN_DECLS

/**
 * vtr_whole_rendering_change:
 *
 * Changes @command, in place, so that every part of the rendering is a rendering of its own, because a cut
 * may fall between two parts. Each part loads what the part before it has stored; only the last one resolves.
 * Secondaries inherit the changed rendering, and may be executed by several primaries at once, a cut copy and
 * its original. @next gets the necessary barriers before @command. Errors: those of @next. Threading: one at
 * a time.
 */
gboolean vtr_whole_rendering_change (VtrTransform  *next,
                                     VtrCommand    *command,
                                     GError       **error);

G_END_DECLS
