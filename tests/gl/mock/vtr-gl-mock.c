/* How the mock driver answers: by the model, so that it knows every command. */
#include "vtr-gl-mock.h"

#include "api/vtr-api-walk.h"
#include "api/vtr-gl-enums.h"
#include "gl/vtr-gl-env.h"
#include "vtr-gl-functions.h"

#include <stdlib.h>

VtrGlFunction_eglGetProcAddress eglGetProcAddress;
VtrGlFunction_glXGetProcAddress glXGetProcAddress;
VtrGlFunction_glXGetProcAddressARB glXGetProcAddressARB;

/* Of maps, and of whatever else is an address. */
#define MEMORY_SIZE (1u << 20)

static uint8_t memory[MEMORY_SIZE];
static uint64_t counts[VTR_GL_N_COMMANDS];
static uint64_t last_args[256];
static uint16_t last_cmd = VTR_CMD_NONE;
static uint32_t next_name = 1;
static const char text[] = "mock";

uint64_t
vtr_gl_mock_last (uint16_t    *cmd,
                  const void **args)
{
  *cmd = last_cmd;
  *args = last_args;
  return last_cmd == VTR_CMD_NONE ? 0 : counts[last_cmd - VTR_GL_FIRST_ID];
}

/* --- Outputs --------------------------------------------------------------------------------- */

static void
fill_element (const VtrVisitPointer *pointer,
              uint8_t               *at)
{
  const uint64_t one = 1;
  const void *address = memory;
  const float single = 1;
  const double wide = 1;
  uint64_t name;

  switch ((int)pointer->kind)
    {
    case VTR_KIND_HANDLE:
      name = next_name++;
      memcpy (at, &name, pointer->element_size);
      break;
    case VTR_KIND_F32:
      memcpy (at, &single, sizeof single);
      break;
    case VTR_KIND_F64:
      memcpy (at, &wide, sizeof wide);
      break;
    case VTR_KIND_ADDRESS:
      memcpy (at, &address, sizeof address);
      break;
    default:
      memcpy (at, &one, pointer->element_size);
    }
}

/* @data: unused. */
static void
fill_output (void                  *data,
             const VtrVisitPointer *pointer)
{
  uint8_t *at;

  memcpy (&at, pointer->slot, sizeof at);
  if (at == NULL || !pointer->out || pointer->ignored)
    return;
  if (pointer->kind == VTR_KIND_CHAR)
    {
      if (pointer->count > 0)
        memset (at, 0, 1);
      if (pointer->count >= sizeof text)
        memcpy (at, text, sizeof text);
      return;
    }
  for (uint64_t i = 0; i < pointer->count; i++)
    fill_element (pointer, at + i * pointer->element_size);
}

/* --- Results --------------------------------------------------------------------------------- */

static uint64_t
enum_result (uint16_t cmd)
{
  switch (cmd)
    {
    case VTR_CMD_eglGetError:
      return EGL_SUCCESS;
    case VTR_CMD_eglClientWaitSync:
    case VTR_CMD_eglClientWaitSyncKHR:
    case VTR_CMD_eglClientWaitSyncNV:
      return EGL_CONDITION_SATISFIED;
    case VTR_CMD_eglQueryAPI:
      return EGL_OPENGL_ES_API;
    case VTR_CMD_glCheckFramebufferStatus:
    case VTR_CMD_glCheckFramebufferStatusEXT:
    case VTR_CMD_glCheckFramebufferStatusOES:
    case VTR_CMD_glCheckNamedFramebufferStatus:
    case VTR_CMD_glCheckNamedFramebufferStatusEXT:
      return GL_FRAMEBUFFER_COMPLETE;
    case VTR_CMD_glClientWaitSync:
    case VTR_CMD_glClientWaitSyncAPPLE:
      return GL_ALREADY_SIGNALED;
    default:
      return GL_NO_ERROR;
    }
}

static uint64_t
result_of (uint16_t cmd)
{
  const float one = 1;

  switch ((VtrApiResultKind)vtr_cmd_get (cmd)->result)
    {
    case VTR_RESULT_VOID:
    case VTR_RESULT_STATUS:
      return 0;
    case VTR_RESULT_BOOL32:
      return 1;
    case VTR_RESULT_I32:
      return 1;
    case VTR_RESULT_U32:
    case VTR_RESULT_U64:
      return next_name++;
    case VTR_RESULT_F32:
      return vtr_gl_mock_bits (one);
    case VTR_RESULT_ENUM:
      return enum_result (cmd);
    case VTR_RESULT_STRING:
      return (uintptr_t)text;
    case VTR_RESULT_ADDRESS:
    case VTR_RESULT_FUNCTION:
      return (uintptr_t)memory;
    }
  return 0;
}

uint64_t
vtr_gl_mock_call (uint16_t    cmd,
                  const void *args)
{
  /* A context as it is made: nothing is bound. */
  static const VtrGlEnv state = { .stores_known = true,
                                  .pack = { .alignment = 4 },
                                  .unpack = { .alignment = 4 } };
  static const VtrApiEnv env = { .state = &state };
  const VtrApiVisitor visitor = { .pointer = fill_output };

  if (vtr_cmd_get (cmd)->args_size > sizeof last_args)
    abort ();
  memcpy (last_args, args, vtr_cmd_get (cmd)->args_size);
  last_cmd = cmd;
  counts[cmd - VTR_GL_FIRST_ID]++;
  if (vtr_cmd_get (cmd)->n_pointers > 0)
    vtr_api_visit (cmd, last_args, &env, &visitor);
  return result_of (cmd);
}

/* --- Looking functions up -------------------------------------------------------------------- */

static void *
find_function (const char *name)
{
  const VtrCmdId cmd = vtr_cmd_from_name (name);

  return cmd == VTR_CMD_NONE ? NULL : (void *)vtr_gl_mock_functions[cmd - VTR_GL_FIRST_ID].function;
}

VTR_GL_MOCK_EXPORT void *
eglGetProcAddress (const char *name)
{
  return find_function (name);
}

VTR_GL_MOCK_EXPORT void *
glXGetProcAddress (const uint8_t *name)
{
  return find_function ((const char *)name);
}

VTR_GL_MOCK_EXPORT void *
glXGetProcAddressARB (const uint8_t *name)
{
  return find_function ((const char *)name);
}
