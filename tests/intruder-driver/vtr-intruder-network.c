/* Tries to use the network: sockets of every kind. */
#include "vtr-intruder-private.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool
connect_tcp (void)
{
  struct sockaddr_in address = {
    .sin_family = AF_INET,
    .sin_port = htons ((uint16_t)atoi (vtr_intruder_setting ("INTRUDER_PORT"))),
  };
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  bool done;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  done = fd >= 0 && connect (fd, (struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
connect_unix_at (bool abstract)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  const char *path = vtr_intruder_setting ("INTRUDER_SOCKET");
  socklen_t size = (socklen_t)(offsetof (struct sockaddr_un, sun_path) + strlen (path) + 1);
  bool done;

  snprintf (address.sun_path + abstract, sizeof address.sun_path - abstract, "%s", path);
  done = fd >= 0 && connect (fd, (struct sockaddr *)&address, size) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
connect_unix (void)
{
  return connect_unix_at (false);
}

static bool
connect_abstract (void)
{
  return connect_unix_at (true);
}

static bool
listen_tcp (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  bool done;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  done = fd >= 0 && bind (fd, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen (fd, 1) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
listen_unix (void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  bool done;

  snprintf (address.sun_path + 1, sizeof address.sun_path - 1, "vtr-intruder-%d", (int)getpid ());
  done = fd >= 0 && bind (fd, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen (fd, 1) == 0;
  if (fd >= 0)
    close (fd);
  return done;
}

static bool
speak_to_kernel (void)
{
  return vtr_intruder_opened (socket (AF_NETLINK, SOCK_RAW, 0));
}

/* Whether a socket of one of @families can be made: ENOPROTOOPT and the like where the kernel has
 * none, which it has looked for. */
static bool
make_socket_of (const int *families)
{
  for (; *families != 0; families++)
    if (vtr_intruder_was_looked_at (socket (*families, SOCK_RAW, 0)))
      return true;
  return false;
}

/* The machine that this one runs on. */
static bool
speak_to_host (void)
{
  return vtr_intruder_opened (socket (AF_VSOCK, SOCK_STREAM, 0));
}

static bool
speak_to_devices (void)
{
  static const int families[] = { AF_PACKET, AF_BLUETOOTH, AF_CAN, AF_TIPC, 0 };

  return make_socket_of (families);
}

static bool
speak_to_ciphers (void)
{
  static const int families[] = { AF_ALG, AF_KEY, AF_XDP, AF_RDS, 0 };

  return make_socket_of (families);
}

static bool
make_pair (void)
{
  int fds[2];

  if (socketpair (AF_UNIX, SOCK_DGRAM, 0, fds) != 0)
    return false;
  close (fds[0]);
  close (fds[1]);
  return true;
}

const VtrIntruderAct vtr_intruder_network[] = {
  ACT (connect_tcp),
  ACT (connect_unix),
  ACT (connect_abstract),
  ACT (listen_tcp),
  ACT (listen_unix),
  ACT (speak_to_kernel),
  ACT (speak_to_host),
  ACT (speak_to_devices),
  ACT (speak_to_ciphers),
  ACT (make_pair),
  { 0 },
};
