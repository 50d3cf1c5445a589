/* The environment of Vitrine's own programs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The part of our environment that the replayer and vitrine-shader-tool get: variables that the
 * Vulkan loader, drivers and the C library read, and those that VITRINE_REPLAY_ENVIRONMENT names
 * (separated by commas, "NAME*" for all that begin so). A hostile trace that takes over a driver
 * can read all of it, so nothing else is passed: no addresses of agents and buses, no tokens.
 *
 * Threading: any, while no thread changes the environment. Returns: (transfer full) */
char **vtr_own_environment_get (void);

G_END_DECLS
