/* Payloads made by hand: puts structures and handle slots into volatile memory, and makes calls. */
#pragma once

#include "api/vtr-api-ids.h"
#include "engine/replay/vtr-replay-backend.h"
#include "vulkan/vtr-vulkan.h"
#include "wire/vtr-replay-asm.h"
#include "vulkan/vtr-vulkan-replay.h"

typedef struct
{
  VtrBuffer code;
  guint32 next;      /* free volatile address */
  GArray *resources; /* VtrReplayResource */
} Payload;

/* One argument of a call. */
typedef struct
{
  enum
  {
    ARG_U32,
    ARG_U64,
    ARG_SLOT,    /* the handle in the slot at .value */
    ARG_POINTER, /* volatile address */
    ARG_FLOAT,
  } kind;
  guint64 value;
} Arg;

#define U32(v) ((Arg){ ARG_U32, (v) })
#define U64(v) ((Arg){ ARG_U64, (v) })
#define SLOT(v) ((Arg){ ARG_SLOT, (v) })
#define AT(v) ((Arg){ ARG_POINTER, (v) })
#define NOTHING ((Arg){ ARG_U64, 0 })

void payload_init (Payload *self);
void payload_clear (Payload *self);

/* Room for @size bytes, zero. Returns: its address. */
guint32 payload_room (Payload *self,
                      gsize    size);

/* Room filled with @data. */
guint32 payload_put (Payload       *self,
                     gconstpointer  data,
                     gsize          size);

/* Stores the absolute address of @target at @at, or copies the handle in the slot @source to
 * @at. */
void payload_point (Payload *self,
                    guint32  at,
                    guint32  target);
void payload_copy_handle (Payload *self,
                          guint32  at,
                          guint32  source);

void payload_call_args (Payload   *self,
                        guint      function,
                        const Arg *args,
                        gsize      n);
#define payload_call(self, function, ...) \
  payload_call_args (self, function, (const Arg[]){ __VA_ARGS__ }, \
                     sizeof ((const Arg[]){ __VA_ARGS__ }) / sizeof (Arg))

/* Runs it as one request. Returns: as finish(). */
gboolean payload_run (Payload                *self,
                      VtrReplayBackend       *backend,
                      guint32                 flags,
                      const VtrReplayEvents  *events,
                      gpointer                data,
                      VtrReplayOutcome       *outcome,
                      GError                **error);

/* --- A device, made the same way by all tests ------------------------------------------------ */

typedef struct
{
  guint32 instance, physical, device, queue, pool, commands; /* slots */
} Device;

/* Labels 1 to 6. */
void payload_make_device (Payload *self,
                          Device  *device);

/* An image of its own memory (type 0, which lavapipe has), and its slots. */
guint32 payload_make_image (Payload                 *self,
                            const Device            *device,
                            const VkImageCreateInfo *info,
                            guint64                  bytes,
                            guint32                 *memory);

void payload_begin_commands (Payload      *self,
                             const Device *device);
void payload_barrier (Payload            *self,
                      const Device       *device,
                      guint32             image,
                      VkImageAspectFlags  aspects,
                      VkImageLayout       from,
                      VkImageLayout       to);
/* Ends the command buffer and submits it. */
void payload_submit_commands (Payload      *self,
                              const Device *device);

/* Reads an image; handles are filled in. */
void payload_read_image (Payload                  *self,
                         const Device             *device,
                         guint32                   image,
                         const VtrReplayReadImage *read);
