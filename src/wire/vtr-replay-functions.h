/* Functions of the replay machine that are in no registry, and that every API implements.
 *
 * They have ids of API 0, the machine's own (VTR_VM_API_BUILTIN). The functions of an API have its
 * number: those of its registry are called with their own parameters under their ids (VtrCmdId);
 * other functions that the replay needs from one API have ids from VTR_REPLAY_FIRST_SYNTHETIC on.
 * Arguments are pushed in the order written, handles as uint64, pointers as ABSOLUTE or VOLATILE.
 *
 * A request for texels or bytes names its object by kind and value; the kind (VtrHandleId) says
 * which API it belongs to.
 *
 * Threading: any (constants). */
#pragma once

#include <stdint.h>

#define VTR_REPLAY_FIRST_SYNTHETIC 0xf000u

/* Volatile address of the first handle slot; the others follow without gaps. */
#define VTR_REPLAY_FIRST_SLOT 0x40000u

/* Flags of a request */
enum
{
  VTR_REPLAY_POISON = 1 << 0,   /* fill memory that no observation covers with a pattern */
  VTR_REPLAY_VALIDATE = 1 << 2, /* under VK_LAYER_KHRONOS_validation; UNSUPPORTED without it */
  VTR_REPLAY_RESUME = 1 << 1,   /* start from the state that an earlier request kept, and go back */
  VTR_REPLAY_INNER = 1 << 3,    /* with VTR_REPLAY_RESUME: from the inner state */
};

/* The id of the data that the n-th POST instruction of a request (from 0) sends is this | n.
 * NOTIFICATION and the functions below state their ids. */
#define VTR_REPLAY_POST_RUNNING (1ull << 63)

/* One of VTR_VM_API_BUILTIN below, or of one API from VTR_REPLAY_FIRST_SYNTHETIC to
 * VTR_REPLAY_FIRST_COMMON. */
typedef uint32_t VtrReplayFunction;

#define VTR_REPLAY_FIRST_COMMON 0xfe00u

enum
{
  /* (pointer slots, u64 size): saves the current state, with this range of volatile memory:
   * requests with VTR_REPLAY_RESUME start from it and return to it. The outcome tells whether
   * something could not be saved. */
  VTR_REPLAY_SAVE = VTR_REPLAY_FIRST_COMMON,

  /* (u64 mark, pointer slots, u64 size, u64 post): in a request with VTR_REPLAY_RESUME; waits for the
   * devices. Mark 0 saves an inner state, as VTR_REPLAY_SAVE does, in addition to the resumed one:
   * requests with VTR_REPLAY_INNER return to it, and the next request without that flag drops it.
   * Other marks save the contents of memory as well, for VTR_REPLAY_GO_TO_MARK in later requests.
   * Posts the cost of the mark (u64 bytes, u64 microseconds). UNSUPPORTED when there is no room. */
  VTR_REPLAY_MARK,

  /* (u64 mark): first in a request with VTR_REPLAY_INNER: restores memory as it was at the mark. */
  VTR_REPLAY_GO_TO_MARK,

  /* (u64 mark) */
  VTR_REPLAY_FORGET_MARK,

  /* (u64 post): waits for all devices; posts how long the request has run so far, without the time
   * that it waited for the engine (u64 nanoseconds). */
  VTR_REPLAY_READ_CLOCK,

  /* (): waits for all devices, unless their work waits for something that the trace does later. */
  VTR_REPLAY_SETTLE,

  /* (pointer VtrReplayReadTexels): waits for the device, reads one part of an image, posts it as
   * tightly packed texels. */
  VTR_REPLAY_READ_TEXELS,

  /* (pointer VtrReplayReadBytes): posts a range of an object that is an array of bytes. */
  VTR_REPLAY_READ_BYTES,

  /* (u32 kind, u64 object, u64 offset, pointer source, u64 size): writes into an object that is an array
   * of bytes, wherever the replay keeps them. */
  VTR_REPLAY_WRITE_BYTES,

  /* (pointer VtrReplayWriteTexels, pointer source, u64 size): waits for the device, fills one part of an
   * image, or rows or slices of it. */
  VTR_REPLAY_WRITE_TEXELS,

  VTR_REPLAY_LAST_COMMON,
};

/* In volatile memory. Handles are the replay's own (patched from slots). */
typedef struct
{
  uint64_t owner;  /* the driver's object to ask: a device, a context; 0: the API chooses */
  uint64_t stream; /* queue or context for the copy, which can do transfers; 0: the replayer picks
                      one */
  uint64_t object;
  uint32_t kind;         /* VtrHandleId of .object */
  uint32_t format;       /* of the image, the API's own number; 0 where the API knows it */
  uint32_t pixel_aspect; /* VtrPixelAspect */
  uint32_t word;         /* of the API: the state in which this part is, and is left */
  uint32_t samples;
  uint32_t width, height, depth; /* of the level, texels */
  uint32_t level;
  uint32_t layer;
  uint32_t slice;  /* first of .depth ones of a 3-D image; else 0 */
  uint32_t sample; /* which sample of a multisampled image; UINT32_MAX: resolve */
  uint64_t post;   /* id of the post */
} VtrReplayReadTexels;

/* Posted bytes of depth are D16 (2 bytes), D32F (4 bytes) or X8D24 (4 bytes, depth in the low 24 bits);
 * stencil is 1 byte per texel. */

typedef struct
{
  uint64_t owner; /* as in VtrReplayReadTexels, both */
  uint64_t stream;
  uint64_t object;
  uint64_t offset;
  uint64_t size; /* UINT64_MAX: to the end */
  uint64_t post;
  uint32_t kind; /* VtrHandleId of .object */
  uint32_t reserved;
} VtrReplayReadBytes;

/* The content has the form of posts of VTR_REPLAY_READ_TEXELS, except for gaps. */
typedef struct
{
  uint64_t owner; /* as in VtrReplayReadTexels */
  uint64_t object;
  uint64_t row_pitch;   /* bytes from row to row of blocks; 0: no gaps */
  uint64_t depth_pitch; /* bytes from slice to slice; 0: no gaps */
  uint32_t kind;        /* VtrHandleId of .object */
  uint32_t format;      /* as in VtrReplayReadTexels, up to .word */
  uint32_t pixel_aspect;
  uint32_t word;
  uint32_t width, height, depth; /* size of the filled part in texels */
  uint32_t x, y, z;              /* its first column, row and slice */
  uint32_t level;
  uint32_t layer;
  uint32_t sample; /* which sample of a multisampled image */
  uint32_t reserved;
} VtrReplayWriteTexels;
