/* Calls every command of OpenGL, EGL and GLX with random arguments through eglGetProcAddress ():
 * each arrives whole at the mock driver, and its answers are recorded and read again. */
#include "../api/vtr-random-tree.h"
#include "mock/vtr-gl-mock.h"

#include "api/vtr-api-print.h"
#include "api/vtr-api-slot-private.h"

#include <dlfcn.h>
#include <glib.h>

#define TREES_PER_COMMAND 4

typedef void (*Function) (void);
typedef uint64_t Last (uint16_t *cmd, const void **args);

typedef struct
{
  void *(*get_address) (const char *name);
  Last *last;
} Driver;

static Driver
load_driver (void)
{
  void *library = dlopen (g_getenv ("VTR_GL_MOCK"), RTLD_NOW | RTLD_LOCAL);
  Driver driver;

  if (library == NULL)
    g_error ("%s", dlerror ());
  *(void **)&driver.get_address = dlsym (library, "eglGetProcAddress");
  *(void **)&driver.last = dlsym (library, "vtr_gl_mock_last");
  g_assert_nonnull (driver.get_address);
  g_assert_nonnull (driver.last);
  return driver;
}

/* The state that the mock answers by: nothing is bound. */
static const VtrApiEnv *
get_env (void)
{
  return vtr_random_gl_env (0);
}

static void
assert_arrived (const Driver *driver,
                VtrCmdId      cmd,
                const void   *args)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  const uint8_t *got;
  uint16_t last;

  g_assert_cmpuint (driver->last (&last, (const void **)&got), >, 0);
  g_assert_cmpstr (vtr_cmd_name (last), ==, vtr_cmd_name (cmd));
  for (unsigned i = 0; i < command->n_params; i++)
    {
      const VtrApiField *field = vtr_cmd_param (cmd, i);

      if (memcmp (got + field->offset[VTR_ABI_NATIVE],
                  (const uint8_t *)args + field->offset[VTR_ABI_NATIVE],
                  field->size[VTR_ABI_NATIVE]) != 0)
        g_error ("%s: %s arrived otherwise", vtr_cmd_name (cmd), vtr_api_string (field->name));
    }
}

/* The record of a call has the answers as the program got them. */
static void
assert_recorded (VtrCmdId    cmd,
                 const void *args,
                 uint64_t    result)
{
  VtrBuffer message = { 0 };
  VtrDecoded decoded;
  VtrArena arena;
  char where[256];

  vtr_arena_init (&arena);
  vtr_api_encode (&message, cmd, args, result, 1, 2, 0, get_env ());
  g_assert_false (message.failed);
  g_assert_cmpuint (vtr_api_measure (cmd, args, result, get_env ()), >=, message.size);
  g_assert_cmpint (vtr_api_decode (cmd, message.data, message.size, NULL, &arena, &decoded), ==,
                   VTR_OK);
  g_assert_cmpint (decoded.has_result, ==, vtr_cmd_get (cmd)->result != VTR_RESULT_VOID);
  if (!vtr_api_compare (cmd, args, decoded.args, VTR_COMPARE_HANDLES | VTR_COMPARE_ADDRESSES,
                        get_env (), where, sizeof where))
    g_error ("%s differs at %s", vtr_cmd_name (cmd), where);
  if (vtr_cmd_get (cmd)->result == VTR_RESULT_STRING)
    {
      VtrBuffer text = { 0 };

      vtr_api_print (cmd, decoded.args, &decoded, NULL, &text);
      vtr_buffer_append_u8 (&text, 0);
      g_assert_true (g_str_has_suffix ((const char *)text.data, " = \"mock\""));
      vtr_buffer_finish (&text);
    }
  vtr_arena_finish (&arena);
  vtr_buffer_finish (&message);
}

static bool
is_look_up (VtrCmdId cmd)
{
  return cmd == VTR_CMD_eglGetProcAddress || cmd == VTR_CMD_glXGetProcAddress ||
         cmd == VTR_CMD_glXGetProcAddressARB;
}

static void
test_every_command (void)
{
  const Driver driver = load_driver ();
  guint n_called = 0;

  for (unsigned i = 0; i < VTR_GL_N_COMMANDS; i++)
    for (uint64_t seed = 0; seed < TREES_PER_COMMAND; seed++)
      {
        const VtrCmdId cmd = (VtrCmdId)(VTR_GL_FIRST_ID + i);
        VtrRandomTree tree;
        Function function;
        uint64_t result;

        *(void **)&function = driver.get_address (vtr_cmd_name (cmd));
        if (function == NULL)
          g_error ("the driver lacks %s", vtr_cmd_name (cmd));
        if (is_look_up (cmd))
          continue;
        /* Trees of the seeds that have buffers bound hold no pointers that a driver may follow. */
        vtr_random_tree_init (&tree, cmd, seed * 4);
        result = vtr_gl_mock_callers[i](function, tree.args);
        assert_arrived (&driver, cmd, tree.args);
        assert_recorded (cmd, tree.args, result);
        vtr_random_tree_finish (&tree);
        n_called++;
      }
  g_assert_cmpuint (n_called, ==, (VTR_GL_N_COMMANDS - 3) * TREES_PER_COMMAND);
}

static void
test_answers (void)
{
  const Driver driver = load_driver ();
  uint32_t names[3] = { 0 };
  struct
  {
    int32_t n;
    uint32_t *names;
  } args = { 3, names };
  Function function;

  *(void **)&function = driver.get_address ("glGenTextures");
  vtr_gl_mock_callers[VTR_CMD_glGenTextures - VTR_GL_FIRST_ID](function, &args);
  g_assert_cmpuint (names[0], !=, 0);
  g_assert_cmpuint (names[1], ==, names[0] + 1);
  g_assert_cmpuint (names[2], ==, names[0] + 2);
  g_assert_null (driver.get_address ("glNoSuchThing"));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gl/mock/every-command", test_every_command);
  g_test_add_func ("/gl/mock/answers", test_answers);
  return g_test_run ();
}
