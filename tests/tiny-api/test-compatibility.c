/* Tests which devices and findings a trace of two APIs gets: the tiny API neither plans a replay
 * nor tells what its traces need of a device, so only Vulkan has a say. */
#include "engine/api/vtr-build-api.h"
#include "engine/replay-builder/vtr-compatibility.h"
#include "engine/vulkan/host/vtr-vulkan-device.h"

#include "api/vtr-api-args.h"
#include "api/vtr-tiny-args.h"
#include "engine/format/vtr-trace-writer.h"

#include <glib/gstdio.h>
#include <string.h>

static void
append (VtrTraceWriter *writer,
        VtrCmdId        id,
        gconstpointer   args)
{
  g_autoptr (GError) error = NULL;
  VtrBuffer message = { 0 };

  vtr_api_encode (&message, id, args, 0, 7, 0, 0, NULL);
  vtr_trace_writer_append_command (writer, id, message.data, message.size, 0, FALSE, &error);
  g_assert_no_error (error);
  vtr_buffer_finish (&message);
}

/* One call of the tiny API; @both: then memory of Vulkan that is imported, which no replay has. */
static VtrTrace *
make_trace (gboolean both)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("vtr-tiny-devices-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace.gfxtrace", NULL);
  VtrTraceWriter *writer = vtr_trace_writer_new (path, &error);
  const VkImportMemoryFdInfoKHR import = { VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR };
  const VkMemoryAllocateInfo info = { VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, 16, 0 };
  VkDeviceMemory memory = (VkDeviceMemory)(gsize)0x40;
  VtrTrace *trace;

  g_assert_no_error (error);
  append (writer, VTR_CMD_tnPen, &(VtrArgs_tnPen){ .rgba = 5 });
  if (both)
    append (writer, VTR_CMD_vkAllocateMemory,
            &(VtrArgs_vkAllocateMemory){ (VkDevice)(gsize)0xd0, &info, NULL, &memory });
  g_assert_true (vtr_trace_writer_finish (writer, &error));
  vtr_trace_writer_free (writer, FALSE);
  trace = vtr_trace_open (path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
  return trace;
}

/* A device of each API, that of the tiny one first. */
static VtrReplayBackend *
make_backend (void)
{
  g_autoptr (GPtrArray) devices =
    g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_replay_device_unref);
  const VkPhysicalDeviceProperties properties = { .deviceName = "Card" };
  VtrReplayBackend *backend = vtr_replay_null_new ();

  g_ptr_array_add (devices,
                   vtr_api_get (VTR_CMD_tnPen)->build->read_device ("libtiny", strlen ("libtiny")));
  g_ptr_array_add (devices, vtr_vulkan_device_new (0, &properties));
  vtr_replay_null_set_devices (backend, devices);
  return backend;
}

static void
test_findings (gconstpointer data)
{
  const gboolean both = GPOINTER_TO_INT (data);
  g_autoptr (VtrTrace) trace = make_trace (both);
  g_autoptr (GError) error = NULL;
  VtrReplayBackend *backend = make_backend ();
  g_autoptr (VtrPlan) plan =
    vtr_plan_new (trace, backend, NULL, VTR_REPLAY_ADDRESSES_AUTO, NULL, &error);
  g_autoptr (VtrCompatibility) findings = NULL;
  VtrPlanDevice device;

  g_assert_no_error (error);
  g_assert_true (vtr_plan_is_same (plan));
  vtr_plan_describe (plan, &device);
  g_assert_cmpstr (device.name, ==, both ? "Card" : NULL);
  findings = vtr_compatibility_new (trace, plan, backend, NULL, &error);
  if (both)
    {
      g_assert_no_error (error);
      g_assert_cmpuint (vtr_compatibility_get_n (findings), ==, 1);
      g_assert_cmpstr (vtr_compatibility_get (findings, 0)->what, ==, "memory");
      g_assert_cmpuint (vtr_compatibility_get (findings, 0)->commands[0], ==, 1);
    }
  else
    {
      g_assert_null (findings);
      g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED);
      g_assert_cmpstr (error->message, ==,
                       "It is unknown what this trace needs from a device");
    }
  backend->klass->free (backend);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/tiny/compatibility/alone", GINT_TO_POINTER (FALSE), test_findings);
  g_test_add_data_func ("/tiny/compatibility/both", GINT_TO_POINTER (TRUE), test_findings);
  return g_test_run ();
}
