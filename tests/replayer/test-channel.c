/* Tests packets, descriptors and sealed memory of the replay protocol, and invalid messages. */
#include "wire/vtr-replay-message.h"

#include "vtr-fuzz-vm.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void
make_pair (int sockets[2])
{
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), ==, 0);
}

static void
test_packets (void)
{
  int sockets[2], fd;
  char bytes[16];
  gsize size = sizeof bytes;

  make_pair (sockets);
  g_assert_cmpint (vtr_replay_channel_receive (sockets[1], bytes, &size, &fd, false), ==,
                   VTR_TIMEOUT);
  g_assert_cmpint (vtr_replay_channel_send (sockets[0], "hello", 5, STDERR_FILENO, true), ==,
                   VTR_OK);
  g_assert_cmpint (vtr_replay_channel_send (sockets[0], "again", 5, -1, true), ==, VTR_OK);
  g_assert_cmpint (vtr_replay_channel_receive (sockets[1], bytes, &size, &fd, true), ==, VTR_OK);
  g_assert_cmpmem (bytes, size, "hello", 5);
  g_assert_cmpint (fd, >, 2);
  g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
  close (fd);
  size = sizeof bytes;
  g_assert_cmpint (vtr_replay_channel_receive (sockets[1], bytes, &size, &fd, true), ==, VTR_OK);
  g_assert_cmpint (fd, ==, -1);
  /* Too long for the receiver. */
  g_assert_cmpint (vtr_replay_channel_send (sockets[0], "0123456789012345678901", 22, -1, true), ==,
                   VTR_OK);
  size = sizeof bytes;
  g_assert_cmpint (vtr_replay_channel_receive (sockets[1], bytes, &size, &fd, true), ==,
                   VTR_CORRUPT);
  close (sockets[0]);
  size = sizeof bytes;
  g_assert_cmpint (vtr_replay_channel_receive (sockets[1], bytes, &size, &fd, true), ==,
                   VTR_CLOSED);
  g_assert_cmpint (vtr_replay_channel_send (sockets[1], "x", 1, -1, true), ==, VTR_CLOSED);
  close (sockets[1]);
}

static void
test_full (void)
{
  int sockets[2];
  VtrStatus status = VTR_OK;
  guint n;

  make_pair (sockets);
  for (n = 0; status == VTR_OK; n++)
    status = vtr_replay_channel_send (sockets[0], "x", 1, -1, false);
  g_assert_cmpint (status, ==, VTR_TIMEOUT);
  g_assert_cmpuint (n, >, 5);
  close (sockets[0]);
  close (sockets[1]);
}

static void
test_bulk (void)
{
  VtrReplayBulk bulk, other;
  int fd;

  g_assert_cmpint (vtr_replay_bulk_create (&bulk, "test", 5000), ==, VTR_OK);
  memcpy (bulk.bytes, "content", 7);
  /* Not sealed yet: truncating it would make the receiver fault. */
  g_assert_cmpint (vtr_replay_bulk_open (&other, dup (bulk.fd), 5000), ==, VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_bulk_seal (&bulk), ==, VTR_OK);
  g_assert_cmpint (vtr_replay_bulk_open (&other, dup (bulk.fd), 5000), ==, VTR_OK);
  g_assert_cmpmem (other.bytes, 7, "content", 7);
  vtr_replay_bulk_finish (&other);
  g_assert_cmpint (vtr_replay_bulk_open (&other, dup (bulk.fd), 5001), ==, VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_bulk_open (&other, dup (bulk.fd), 0), ==, VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_bulk_open (&other, dup (bulk.fd), G_MAXUINT64), ==, VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_bulk_open (&other, -1, 10), ==, VTR_CORRUPT);
  fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  g_assert_cmpint (vtr_replay_bulk_open (&other, fd, 10), ==, VTR_CORRUPT);
  g_assert_cmpint (fcntl (fd, F_GETFD), ==, -1); /* it was taken over, and closed */
  vtr_replay_bulk_finish (&bulk);
  g_assert_cmpint (vtr_replay_bulk_create (&bulk, "test", 0), ==, VTR_NO_SPACE);
  g_assert_cmpint (vtr_replay_bulk_create (&bulk, "test", G_MAXUINT64), ==, VTR_NO_SPACE);
}

static void
test_layout (void)
{
  VtrReplaySegmentLayout layout;

  g_assert_cmpint (vtr_replay_segment_layout (3, 2, 10, &layout), ==, VTR_OK);
  g_assert_cmpuint (layout.words, ==, 0);
  g_assert_cmpuint (layout.resources, ==, 16);
  g_assert_cmpuint (layout.constants, ==, 64);
  g_assert_cmpuint (layout.total, ==, 74);
  g_assert_cmpint (vtr_replay_segment_layout (G_MAXUINT64, 0, 0, &layout), ==, VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_segment_layout (G_MAXUINT64 / 4, 0, 0, &layout), ==, VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_segment_layout (0, G_MAXUINT64 / 24 + 1, 0, &layout), ==,
                   VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_segment_layout (0, 0, G_MAXUINT64, &layout), ==, VTR_CORRUPT);
  g_assert_cmpint (vtr_replay_segment_layout (1, 1, G_MAXUINT64 - 20, &layout), ==, VTR_CORRUPT);
}

static void
test_messages (void)
{
  guint8 bytes[64];
  int sockets[2], fd;
  Vtr__Replay__ToReplayer *message;

  make_pair (sockets);
  g_assert_cmpint (vtr_replay_channel_send (sockets[0], "\xff\xff\xff", 3, -1, true), ==, VTR_OK);
  g_assert_cmpint (vtr_replay_receive_at_replayer (sockets[1], &message, &fd, true), ==,
                   VTR_CORRUPT);
  close (sockets[0]);
  close (sockets[1]);
  for (guint round = 0; round < 20000; round++)
    {
      gsize n = (gsize)g_test_rand_int_range (0, sizeof bytes);

      for (gsize i = 0; i < n; i++)
        bytes[i] = (guint8)g_test_rand_int ();
      /* A message of one of the kinds, with a length that fits. */
      if (n > 2)
        {
          bytes[0] = (guint8)(g_test_rand_int_range (1, 8) << 3 | 2);
          bytes[1] = (guint8)(n - 2);
        }
      vtr_fuzz_replay_message (bytes, n);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/replayer/channel/packets", test_packets);
  g_test_add_func ("/replayer/channel/full", test_full);
  g_test_add_func ("/replayer/channel/bulk", test_bulk);
  g_test_add_func ("/replayer/channel/layout", test_layout);
  g_test_add_func ("/replayer/channel/messages", test_messages);
  return g_test_run ();
}
