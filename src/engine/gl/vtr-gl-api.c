/* OpenGL for the engine: the table of its tables. Traces with its commands open and show them;
 * they are not replayed yet. */
#include "engine/api/vtr-api.h"
#include "engine/api/vtr-build-api.h"
#include "engine/gl/host/vtr-gl-host.h"
#include "engine/replay-builder/vtr-replay-rule.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>

static const VtrReplayRule *
get_rule (VtrCmdId id)
{
  static const VtrReplayRule declined = {
    .action = VTR_REPLAY_DECLINE,
    .reason = N_ ("this version of Vitrine does not replay OpenGL"),
  };

  return &declined;
}

static const VtrBuildApi build = { .rule = get_rule };

const VtrApi vtr_api_gl = {
  .name = "gl",
  .host = &vtr_gl_host_api,
  .build = &build,
};
