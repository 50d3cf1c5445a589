/* Tests which device addresses a trace tells, of which objects, and when they are valid. */
#include "engine/vulkan/replay-builder/vtr-address-ranges.h"
#include "vtr-test-trace.h"

#define BASE G_GUINT64_CONSTANT (0x00007f1234560000)

static void
add_buffer (VtrTestTrace *trace,
            guint64       device,
            guint64       buffer,
            guint64       size)
{
  const VkBufferCreateInfo info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size };
  VkBuffer out = H (VkBuffer, buffer);

  ADD (trace, vkCreateBuffer, .device = H (VkDevice, device), .pCreateInfo = &info,
       .pBuffer = &out);
}

static guint64
ask (VtrTestTrace *trace,
     guint64       device,
     guint64       buffer,
     guint64       address)
{
  const VkBufferDeviceAddressInfo info = { VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                           .buffer = H (VkBuffer, buffer) };

  return ADD_RESULT (trace, (gint64)address, vkGetBufferDeviceAddressKHR,
                     .device = H (VkDevice, device), .pInfo = &info);
}

static guint64
destroy (VtrTestTrace *trace,
         guint64       device,
         guint64       buffer)
{
  return ADD (trace, vkDestroyBuffer, .device = H (VkDevice, device),
              .buffer = H (VkBuffer, buffer));
}

static void
add_commands (VtrTestTrace *trace,
              guint64       device,
              guint64       buffer)
{
  const VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandBufferCount = 1 };
  VkCommandBuffer out = H (VkCommandBuffer, buffer);

  ADD (trace, vkAllocateCommandBuffers, .device = H (VkDevice, device), .pAllocateInfo = &info,
       .pCommandBuffers = &out);
}

static VtrAddressRanges *
make_ranges (VtrTestTrace *test)
{
  g_autoptr (VtrTrace) trace = vtr_test_trace_open (test);
  g_autoptr (GError) error = NULL;
  VtrAddressRanges *ranges = vtr_address_ranges_new (trace, NULL, &error);

  g_assert_no_error (error);
  return ranges;
}

/* Handles and addresses that come back; asked twice, or for what does not exist. */
static void
test_lives (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrAddressRanges) ranges = NULL;
  guint64 first, again, end, second;
  guint32 id = 7;

  vtr_test_add_device (test);
  add_buffer (test, 3, 0x10, 0x100);
  add_buffer (test, 3, 0x11, 0x100);
  first = ask (test, 3, 0x10, BASE);
  again = ask (test, 3, 0x10, BASE);
  ask (test, 3, 0x99, BASE + 0x5000);
  end = destroy (test, 3, 0x10);
  destroy (test, 3, 0x11);
  add_buffer (test, 3, 0x10, 0x80);
  second = ask (test, 3, 0x10, BASE + 0x40);
  ranges = make_ranges (test);
  g_assert_cmpuint (vtr_address_ranges_get_n (ranges), ==, 2);
  g_assert_cmphex (vtr_address_ranges_get (ranges, 0)->begin, ==, BASE);
  g_assert_cmphex (vtr_address_ranges_get (ranges, 0)->end, ==, BASE + 0x100);
  g_assert_cmpuint (vtr_address_ranges_get (ranges, 0)->from, ==, first);
  g_assert_cmpuint (vtr_address_ranges_get (ranges, 0)->to, ==, end);
  g_assert_cmphex (vtr_address_ranges_get (ranges, 1)->begin, ==, BASE + 0x40);
  g_assert_cmphex (vtr_address_ranges_get (ranges, 1)->end, ==, BASE + 0xc0);
  g_assert_cmpuint (vtr_address_ranges_get (ranges, 1)->to, ==, G_MAXUINT64);
  g_assert_true (vtr_address_ranges_find (ranges, first, &id) && id == 0);
  g_assert_true (vtr_address_ranges_find (ranges, again, &id) && id == 0);
  g_assert_true (vtr_address_ranges_find (ranges, second, &id) && id == 1);
  g_assert_false (vtr_address_ranges_find (ranges, end, &id));
  g_assert_cmpuint (vtr_address_ranges_find_device (ranges, H (VkCommandBuffer, 0x40), 0), ==, 0);
}

/* Sizes and addresses that do not fit the address space. */
static void
test_ends (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrAddressRanges) ranges = NULL;

  vtr_test_add_device (test);
  add_buffer (test, 3, 0x10, G_MAXUINT64);
  add_buffer (test, 3, 0x11, 0x1000);
  add_buffer (test, 3, 0x12, 0);
  ask (test, 3, 0x10, BASE);
  ask (test, 3, 0x11, G_MAXUINT64 - 0xfff);
  ask (test, 3, 0x12, G_MAXUINT64);
  ranges = make_ranges (test);
  g_assert_cmpuint (vtr_address_ranges_get_n (ranges), ==, 3);
  for (guint32 i = 0; i < 3; i++)
    g_assert_cmphex (vtr_address_ranges_get (ranges, i)->end, ==, G_MAXUINT64);
}

/* Two devices with an address space each. */
static void
test_devices (void)
{
  g_autoptr (VtrTestTrace) test = vtr_test_trace_new ();
  g_autoptr (VtrAddressRanges) ranges = NULL;
  const VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
  VkDevice other = H (VkDevice, 0x33);
  guint64 middle;

  vtr_test_add_device (test);
  ADD (test, vkCreateDevice, .physicalDevice = H (VkPhysicalDevice, 2), .pCreateInfo = &info,
       .pDevice = &other);
  add_buffer (test, 3, 0x10, 0x100);
  add_buffer (test, 0x33, 0x11, 0x100);
  ask (test, 3, 0x10, BASE);
  ask (test, 0x33, 0x11, BASE);
  add_commands (test, 3, 0x40);
  add_commands (test, 0x33, 0x41);
  middle = destroy (test, 3, 0x10);
  add_commands (test, 0x33, 0x40);
  ranges = make_ranges (test);
  g_assert_cmpuint (vtr_address_ranges_get (ranges, 0)->device, ==, 3);
  g_assert_cmpuint (vtr_address_ranges_get (ranges, 1)->device, ==, 0x33);
  g_assert_cmpuint (vtr_address_ranges_find_device (ranges, H (VkCommandBuffer, 0x40), middle), ==,
                    3);
  g_assert_cmpuint (vtr_address_ranges_find_device (ranges, H (VkCommandBuffer, 0x41), middle), ==,
                    0x33);
  g_assert_cmpuint (
    vtr_address_ranges_find_device (ranges, H (VkCommandBuffer, 0x40), middle + 1), ==, 0x33);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/address-ranges/lives", test_lives);
  g_test_add_func ("/engine/address-ranges/ends", test_ends);
  g_test_add_func ("/engine/address-ranges/devices", test_devices);
  return g_test_run ();
}
