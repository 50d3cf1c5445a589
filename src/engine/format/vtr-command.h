/* One call of a trace, decoded: native C structures that the rest of the engine works on. */
#pragma once

#include <glib.h>

#include "api/vtr-api-walk.h"
#include "base/vtr-arena.h"
#include "engine/format/vtr-namespace.h"

G_BEGIN_DECLS

#define VTR_COMMAND_NO_INDEX G_MAXUINT64

typedef VtrCmdId VtrCommandId;

/* VtrCommand.flags. The file has its own bits (field 7, api/vtr-api-walk.h). */
typedef enum
{
  VTR_COMMAND_ABANDONED = 1 << 0,  /* recorded into a command buffer that was reset before its end */
  VTR_COMMAND_UNFINISHED = 1 << 1, /* recorded into a command buffer that the process died over */
  VTR_COMMAND_PENDING = 1 << 2,    /* committed before the call; result comes apart from it */
  VTR_COMMAND_IN_BLOCK = 1 << 3,   /* recorded into a command buffer (vkCmd*, begin, end) */
  VTR_COMMAND_DIED = 1 << 4,       /* the call was entered and never came back */
  VTR_COMMAND_DAMAGED = 1 << 5,    /* its message could not be decoded whole; from decoding only */
  VTR_COMMAND_INITIAL = 1 << 6,    /* re-creates state that was there when recording began */
  VTR_COMMAND_OPAQUE = 1 << 7,     /* an unknown structure was passed in a pNext chain */
  VTR_COMMAND_UNREADABLE = 1 << 8, /* a pointer that Vulkan may ignore led nowhere */
} VtrCommandStateFlags;

/**
 * VtrCommand:
 *
 * A decoded call. @args points to the command's VtrArgs_* structure in native (LP64) layout;
 * every pointer below it leads into the arena given to the decoder, or is NULL when the capture
 * observed nothing there. Outputs hold what the call wrote. The structures may be changed freely
 * (transforms do).
 *
 * Threading: one at a time; the arena owns everything.
 */
typedef struct _VtrForeignCommand VtrForeignCommand;
typedef struct _VtrCommand
{
  VtrCmdId id;
  guint64
    index;                           /* flat index in publication order, or VTR_COMMAND_NO_INDEX when made by a transform */
  guint64 thread;                    /* gettid() of the caller */
  const VtrNamespaceInfo *namespace; /* that its names are looked up in; NULL: 0 */
  guint32 flags;                     /* VtrCommandStateFlags */
  gboolean has_result;
  guint64 result; /* VkResult sign-extended, handle, address, … as the command returns */
  guint64 time;   /* raw CPU ticks; 0: not recorded */
  void *args;
  const VtrDecoded
    *decoded;                       /* captured addresses and observations; NULL when made by a transform */
  guint64 found;                    /* 1 + flat index of the call in the trace whose contents these are, whatever .index
                    says now; 0: made or changed by a transform */
  const VtrForeignCommand *foreign; /* of an API that this build lacks (vtr-foreign-command.h), and without
                                       arguments in .args; NULL: of one that it has */
} VtrCommand;

G_END_DECLS
