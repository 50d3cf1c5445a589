/* The environment of Vitrine's own programs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What of our environment the replayer and vitrine-shader-tool get: variables that the Vulkan loader,
 * drivers and the C library read, and those that VITRINE_REPLAY_ENVIRONMENT names (separated by
 * commas, "NAME*" for all that begin so). A hostile trace that takes a driver over reads it all, so
 * nothing else is passed: no addresses of agents and buses, no tokens.
 *
 * Threading: any, while nobody changes the environment. Returns: (transfer full) */
char **vtr_own_environment_get (void);

G_END_DECLS
