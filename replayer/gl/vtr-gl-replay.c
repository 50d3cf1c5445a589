/* OpenGL in the replayer (vtr-replayer-api.h). It loads no driver yet and has no functions, so
 * there is never a state that would have to be saved. */
#include "vtr-replayer-api.h"

#include "api/vtr-api-ids.h"
#include "wire/vtr-replay-functions.h"

#include <stdlib.h>

/* Nothing, but not NULL. */
static char nothing;

static void *
gl_create (VtrVm                 *vm,
           const VtrReplayerHost *host)
{
  return &nothing;
}

static void
gl_destroy (void *self)
{
}

static void
gl_functions (void           *self,
              VtrVmFunctions *calls,
              VtrVmFunctions *own)
{
  *calls = (VtrVmFunctions){ .first = VTR_GL_FIRST_ID };
  *own = (VtrVmFunctions){ .first = VTR_REPLAY_FIRST_SYNTHETIC };
}

static void
gl_begin (void       *self,
          uint32_t    flags,
          const char *device)
{
}

static void
gl_end (void *self)
{
}

static bool
gl_save (void *self)
{
  return true;
}

static bool
gl_rewind (void *self,
           bool  inner)
{
  return true;
}

static bool
gl_mark (void            *self,
         uint64_t         mark,
         VtrReplayerMark *taken)
{
  return true;
}

static bool
gl_go_to_mark (void     *self,
               uint64_t  mark)
{
  return true;
}

static void
gl_forget_mark (void     *self,
                uint64_t  mark)
{
}

const VtrReplayerApi vtr_replayer_gl = {
  .create = gl_create,
  .destroy = gl_destroy,
  .functions = gl_functions,
  .begin = gl_begin,
  .end = gl_end,
  .save = gl_save,
  .drop = gl_end,
  .rewind = gl_rewind,
  .mark = gl_mark,
  .go_to_mark = gl_go_to_mark,
  .forget_mark = gl_forget_mark,
};
