/* The control connection between the layer (client) and the host (server).
 *
 * A SOCK_SEQPACKET Unix socket; its path is in $VITRINE_SOCKET. A program in a sandbox with its own
 * file system cannot reach this path; for it there is an abstract socket, whose name is a NUL and
 * the path. One message per packet: a VtrCaptureMessage, then .size bytes. The first intercepted
 * call connects, sends HELLO and blocks until WELCOME or DECLINE arrives. The host, while it is
 * busy with others, sends WAIT at least every VTR_CAPTURE_WAIT_MS. When no message arrives for
 * VTR_CAPTURE_HELLO_TIMEOUT_MS, or without a host, the program runs uncaptured. Native byte order
 * and layout: both ends run on one machine.
 *
 * Threading: one thread of the layer reads, sends are serialised. */
#pragma once

#include "wire/vtr-wire-apis.h"

#include <assert.h>
#include <stdint.h>

#define VTR_CAPTURE_PROTOCOL 3
#define VTR_CAPTURE_HELLO_TIMEOUT_MS 10000
#define VTR_CAPTURE_WAIT_MS 1000
#define VTR_CAPTURE_MAX_MESSAGE 16384
/* The socket on which a host waits for programs that it does not start, in its folder for rings:
 * $XDG_RUNTIME_DIR/vitrine, or /dev/shm/vitrine-UID without one. The layer looks there when it was
 * enabled by $VITRINE_CAPTURE and there is no $VITRINE_SOCKET. */
#define VTR_CAPTURE_HOME_SOCKET "capture.sock"

typedef enum
{
  /* layer → host */
  VTR_CAPTURE_HELLO = 1,    /* VtrCaptureHello */
  VTR_CAPTURE_RUNG = 2,     /* VtrCaptureRung: a step of starting a capture was reached */
  VTR_CAPTURE_NOTICE = 3,   /* VtrCaptureNotice: a warning for the person at the window */
  VTR_CAPTURE_BYE = 4,      /* empty: orderly end (last instance destroyed, library unloaded) */
  VTR_CAPTURE_WITHHELD = 5, /* VtrCaptureWithheld: features hidden from the program */

  /* host → layer */
  VTR_CAPTURE_WELCOME = 64, /* VtrCaptureWelcome, with the ring's file descriptor (SCM_RIGHTS) */
  VTR_CAPTURE_DECLINE = 65, /* empty: run uncaptured */
  VTR_CAPTURE_WAIT = 66,    /* empty: the answer takes longer, because others come first */
} VtrCaptureMessageType;

typedef struct
{
  uint32_t type;
  uint32_t size;
} VtrCaptureMessage;

typedef struct
{
  uint32_t protocol; /* VTR_CAPTURE_PROTOCOL */
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t reserved;
  VtrWireApi apis[VTR_WIRE_MAX_APIS]; /* that the layer can record */
  char executable[1024];              /* /proc/self/exe; NUL-terminated, cut if longer */
  char command_line[4096];            /* arguments separated by NUL, ended by two */
} VtrCaptureHello;

/* The steps that the capture page shows. */
typedef enum
{
  VTR_CAPTURE_RUNG_LOADED = 0,
  VTR_CAPTURE_RUNG_STARTED = 1,
  VTR_CAPTURE_RUNG_DEVICE = 2,
  VTR_CAPTURE_RUNG_FIRST_FRAME = 3,
  VTR_CAPTURE_N_RUNGS = 4,
} VtrCaptureRungKind;

typedef struct
{
  uint32_t rung;  /* VtrCaptureRungKind */
  int32_t result; /* VkResult; negative: the step failed */
  char fact[256]; /* English, short: "Vulkan 1.3, 4 extensions", "llvmpipe (LLVM 15.0.6, 256 bits)" */
} VtrCaptureRung;

typedef struct
{
  uint32_t level; /* VtrLogLevel */
  char text[1020];
} VtrCaptureNotice;

/* All hidden features so far; sent again when there are more. */
typedef struct
{
  char names[12288]; /* extensions, "Vulkan 1.4"; each ended by a line feed, then NUL */
} VtrCaptureWithheld;

typedef struct
{
  uint64_t ring_bytes; /* size of the ring's file */
  uint32_t options;    /* VTR_CAPTURE_OPTION_* */
  uint32_t reserved;
} VtrCaptureWelcome;

enum
{
  /* For programs that die inside a call. The layer does nothing more then: command buffers are
   * encoded in the shared file and committed before the driver is called, VtrRingStream.inside
   * names each other unfinished call, and the host lists both when the process is dead. */
  VTR_CAPTURE_OPTION_CRASH_MODE = 1 << 0,
};

static_assert (sizeof (VtrCaptureMessage) + sizeof (VtrCaptureHello) < VTR_CAPTURE_MAX_MESSAGE, "");
static_assert (sizeof (VtrCaptureMessage) + sizeof (VtrCaptureWithheld) < VTR_CAPTURE_MAX_MESSAGE,
               "");
