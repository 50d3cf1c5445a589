/* Fuzzes the control connection as a hostile program, through a real socket. An input is a list of
 * packets: { u16 size, bytes[size] }*. */
#include "vtr-fuzz.h"

#include "engine/capture/vtr-capture-control.h"

#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static VtrCaptureControl *control;

static int
on_hello (guint                   peer,
          const VtrCaptureHello  *hello,
          char                  **arguments,
          guint64                *bytes,
          gpointer                data)
{
  for (char **argument = arguments; *argument != NULL; argument++)
    g_assert_true (g_utf8_validate (*argument, -1, NULL));
  g_assert_cmpuint (strlen (hello->executable), <, sizeof hello->executable);
  return -1;
}

static void
on_rung (guint                 peer,
         const VtrCaptureRung *rung,
         gpointer              data)
{
  g_assert_cmpuint (rung->rung, <, VTR_CAPTURE_N_RUNGS);
  g_assert_cmpuint (strlen (rung->fact), <, sizeof rung->fact);
}

static void
on_notice (guint                   peer,
           const VtrCaptureNotice *notice,
           gpointer                data)
{
  g_assert_cmpuint (strlen (notice->text), <, sizeof notice->text);
}

static void
on_hang_up (guint    peer,
            gpointer data)
{
}

static void
on_missed (const VtrCaptureHello  *hello,
           char                  **arguments,
           gpointer                data)
{
  g_assert_cmpuint (strlen (hello->executable), <, sizeof hello->executable);
}

static void
on_withheld (guint       peer,
             const char *names,
             gpointer    data)
{
  g_assert_cmpuint (strlen (names), <, sizeof (VtrCaptureWithheld));
}

static void
make_control (void)
{
  static const VtrCaptureControlEvents events = { on_hello, on_rung, on_notice, on_hang_up,
                                                  on_missed, on_withheld };
  g_autofree char *folder = g_dir_make_tmp ("vtr-XXXXXX", NULL);

  g_setenv ("XDG_RUNTIME_DIR", folder, TRUE);
  control = vtr_capture_control_new (0, FALSE, &events, NULL, NULL);
  g_assert_nonnull (control);
}

static int
connect_to_control (void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  g_strlcpy (address.sun_path, vtr_capture_control_get_path (control), sizeof address.sun_path);
  g_assert_cmpint (connect (fd, (struct sockaddr *)&address, sizeof address), ==, 0);
  return fd;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  char answer[64];
  int fd;

  if (control == NULL)
    make_control ();
  fd = connect_to_control ();
  while (size >= 2)
    {
      guint16 length;

      memcpy (&length, data, sizeof length);
      data += sizeof length;
      size -= sizeof length;
      length = (guint16)MIN (length, size);
      if (send (fd, data, length, MSG_NOSIGNAL) < 0)
        break;
      data += length;
      size -= length;
    }
  shutdown (fd, SHUT_WR);
  /* Until the other side has read all of it and closed. */
  while (recv (fd, answer, sizeof answer, 0) > 0)
    ;
  close (fd);
  return 0;
}

static void
add_packet (GByteArray *to,
            guint32     type,
            const void *body,
            gsize       size)
{
  VtrCaptureMessage head = { type, (guint32)size };
  guint16 length = (guint16)(sizeof head + size);

  g_byte_array_append (to, (const guint8 *)&length, sizeof length);
  g_byte_array_append (to, (const guint8 *)&head, sizeof head);
  g_byte_array_append (to, body, (guint)size);
}

void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  g_autoptr (GByteArray) input = g_byte_array_new ();
  VtrCaptureHello hello = {
    VTR_CAPTURE_PROTOCOL, 1, 2, 0, { { "vulkan", 3 } }, "/usr/bin/program", "program\0-x\0"
  };
  VtrCaptureRung rung = { VTR_CAPTURE_RUNG_DEVICE, 0, "device" };
  VtrCaptureNotice notice = { 1, "text" };
  VtrCaptureWithheld withheld = { "VK_EXT_one\nVulkan 1.4\n" };

  add_packet (input, VTR_CAPTURE_HELLO, &hello, sizeof hello);
  add_packet (input, VTR_CAPTURE_RUNG, &rung, sizeof rung);
  add_packet (input, VTR_CAPTURE_NOTICE, &notice, sizeof notice);
  add_packet (input, VTR_CAPTURE_WITHHELD, &withheld, sizeof withheld);
  add_packet (input, VTR_CAPTURE_BYE, "", 0);
  add (user, input->data, input->len);
  g_byte_array_set_size (input, 0);
  add_packet (input, VTR_CAPTURE_RUNG, &rung, sizeof rung);
  add (user, input->data, input->len);
}
