/* Implements VtrReplayerApi for the tiny API; its library is loaded when a request first calls
 * it. */
#include "vtr-tiny-replay.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Where a test has put the library; the linker finds it by its name otherwise. */
static const char *
get_path (void)
{
  const char *path = getenv ("TINY_LIBRARY");

  return path != NULL && path[0] != '\0' ? path : "libtiny.so";
}

bool
vtr_tiny_replay_load (VtrTinyReplay *self)
{
  bool fine = true;

  if (self->handle != NULL)
    return true;
  self->handle = dlopen (get_path (), RTLD_NOW | RTLD_LOCAL);
  if (self->handle == NULL)
    {
      vtr_vm_fail (self->vm, VTR_VM_ERROR_DRIVER, "The tiny API cannot be loaded: %s.", dlerror ());
      return false;
    }
#define FIND(name) \
  self->library.name = (__typeof__ (name) *)dlsym (self->handle, #name); \
  fine = fine && self->library.name != NULL;
  VTR_TINY_FUNCTIONS (FIND)
#undef FIND
  if (fine)
    return true;
  dlclose (self->handle);
  self->handle = NULL;
  vtr_vm_fail (self->vm, VTR_VM_ERROR_DRIVER, "%s is not the tiny API.", get_path ());
  return false;
}

static void *
tiny_create (VtrVm *vm, const VtrReplayerHost *host)
{
  VtrTinyReplay *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  self->vm = vm;
  self->host = *host;
  vtr_vm_signature_fill (self->functions, vtr_tiny_signatures, VTR_TINY_N_COMMANDS, vtr_tiny_thunks,
                         NULL);
  return self;
}

static void
tiny_end (void *data)
{
  vtr_tiny_destroy_contexts (data);
}

static void
tiny_destroy (void *data)
{
  VtrTinyReplay *self = data;

  if (self->handle != NULL)
    dlclose (self->handle);
  free (self);
}

static void
tiny_functions (void *data, VtrVmFunctions *calls, VtrVmFunctions *own)
{
  VtrTinyReplay *self = data;

  *calls = (VtrVmFunctions){ .functions = self->functions,
                             .first = VTR_TINY_FIRST_ID,
                             .n = VTR_TINY_N_COMMANDS,
                             .context = self };
  *own = (VtrVmFunctions){ .first = VTR_REPLAY_FIRST_SYNTHETIC };
}

static void
tiny_begin (void *data, uint32_t flags, const char *device)
{
}

/* What contexts hold cannot be kept; that there are none can be. */
static bool
tiny_save (void *data)
{
  const VtrTinyReplay *self = data;

  return self->contexts == NULL;
}

static void
tiny_drop (void *data)
{
}

static bool
tiny_rewind (void *data, bool inner)
{
  vtr_tiny_destroy_contexts (data);
  return true;
}

static bool
tiny_mark (void *data, uint64_t mark, VtrReplayerMark *taken)
{
  VtrTinyReplay *self = data;

  if (self->contexts == NULL)
    return true;
  vtr_vm_fail (self->vm, VTR_VM_ERROR_UNSUPPORTED, "The state cannot be kept here.");
  return false;
}

static bool
tiny_go_to_mark (void *data, uint64_t mark)
{
  return true;
}

static void
tiny_forget_mark (void *data, uint64_t mark)
{
}

/* The library is the device, where it is said to be. */
static const char *
tiny_describe (void *data, VtrDescribeSink sink, void *sink_data)
{
  static const char name[] = "libtiny";

  if (getenv ("TINY_LIBRARY") == NULL)
    return "There is no library of the tiny API.";
  sink (sink_data, name, sizeof name - 1);
  return NULL;
}

/* Any question is answered with its bytes in reverse; an empty one is none. */
static bool
tiny_ask (void            *data,
          const void      *question,
          size_t           size,
          VtrDescribeSink  sink,
          void            *sink_data)
{
  const uint8_t *bytes = question;
  uint8_t answer[16];

  if (size == 0 || size > sizeof answer)
    return false;
  for (size_t i = 0; i < size; i++)
    answer[i] = bytes[size - 1 - i];
  sink (sink_data, answer, size);
  return true;
}

static void
tiny_visit_files (VtrSandboxAllow allow, void *data)
{
  if (getenv ("TINY_LIBRARY") != NULL)
    allow (data, getenv ("TINY_LIBRARY"), false);
}

const VtrReplayerApi vtr_replayer_tiny = {
  .create = tiny_create,
  .destroy = tiny_destroy,
  .functions = tiny_functions,
  .begin = tiny_begin,
  .end = tiny_end,
  .save = tiny_save,
  .drop = tiny_drop,
  .rewind = tiny_rewind,
  .mark = tiny_mark,
  .go_to_mark = tiny_go_to_mark,
  .forget_mark = tiny_forget_mark,
  .read_texels = vtr_tiny_read_texels,
  .write_texels = vtr_tiny_write_texels,
  .describe = tiny_describe,
  .ask = tiny_ask,
  .visit_files = tiny_visit_files,
};
