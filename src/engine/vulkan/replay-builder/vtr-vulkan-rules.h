/* Which Vulkan commands are replayed, and how. */
#pragma once

#include "engine/replay-builder/vtr-replay-rule.h"

G_BEGIN_DECLS

/* The rule of a command. Made for the whole registry on first use. Threading: any. */
const VtrReplayRule *vtr_vulkan_rule_get (VtrCmdId id);

/* Why the call is declined on another device or driver: because of its .elsewhere, or of bytes among its
 * arguments that are the captured driver's own. Returns: NULL: it is not. Static. */
const char *vtr_vulkan_rule_why_not_elsewhere (const VtrReplayRule *rule,
                                               const VtrCommand    *command);

/* Whether the call did in the capture what a replay should do again: it did not fail, and did not answer "not yet". */
gboolean vtr_vulkan_rule_result_counts (const VtrReplayRule *rule,
                                        const VtrCommand    *command);

G_END_DECLS
