/* The walkers over argument trees: observe, encode, decode, visit, flatten, copy and compare.
 *
 * Without an environment, observe and encode take the tree for one of a live application and do
 * not follow what may have to be ignored; all others take it for a decoded one.
 *
 * "args" is always a VtrArgs_<command> of vtr-api-args.h in native layout. Handles in it are the
 * values the application sees. Whether a parameter with VTR_FIELD_OFFSET_OR_POINTER is an offset, the API's rules say
 * of live arguments; decoded and copied ones say it themselves, so that no offset is ever followed there
 * (VtrApiCommand.has_offsets: arguments that are made for such walks need that word, 0 for none). None of these allocates, but where a VtrBuffer or VtrArena is
 * given. Threading: any; the walkers keep no state of their own. */
#pragma once

#include "api/vtr-api-env.h"
#include "api/vtr-api-types.h"
#include "base/vtr-arena.h"
#include "base/vtr-buffer.h"
#include "base/vtr-status.h"

#include <string.h>

/* --- Observe --------------------------------------------------------------------------------- */

typedef enum
{
  VTR_PHASE_BEFORE, /* memory that the driver will read */
  VTR_PHASE_AFTER,  /* what it wrote */
} VtrPhase;

/* Gets every range once per pointer that leads to it; @size > 0. */
typedef void (*VtrObserveSink) (void *data,
                                const void *base,
                                size_t size);

typedef enum
{
  VTR_OBSERVE_OPAQUE_NEXT = 1 << 0, /* an unknown sType was met; only its header was observed */
  VTR_OBSERVE_TOO_DEEP = 1 << 1,    /* a chain or nesting beyond all reason was cut */
  VTR_OBSERVE_UNREADABLE = 1 << 2,  /* a pointer that may be ignored leads nowhere; not followed */
} VtrObserveFlags;

/**
 * vtr_api_observe:
 * @result: of the call, sign-extended; used in VTR_PHASE_AFTER only. Outputs of failed calls are
 *   ignored, except handles that are not null
 * Returns: VtrObserveFlags
 *
 * Follows pointers of the running application exactly as far as the driver does: pointers the
 * specification tells it to ignore are not touched. If it is not certain whether one is ignored,
 * env->readable says whether it and its target may be touched.
 */
unsigned vtr_api_observe (VtrCmdId         cmd,
                          const void      *args,
                          VtrPhase         phase,
                          int64_t          result,
                          const VtrApiEnv *env,
                          VtrObserveSink   sink,
                          void            *data);

/* --- Encode ---------------------------------------------------------------------------------- */

/* Field numbers of a command message; see FORMAT.md. */
typedef enum
{
  VTR_COMMAND_THREAD = 1, /* fixed32; none where the stream says it (vitrine.Batch) */
  VTR_COMMAND_READS = 2,  /* Observation, repeated */
  VTR_COMMAND_WRITES = 3, /* Observation, repeated */
  VTR_COMMAND_RESULT = 4, /* fixed32, or fixed64 for 64-bit results and pointers; none for void */
  VTR_COMMAND_TIME = 5,   /* fixed64; none when 0 */
  VTR_COMMAND_EXTRAS = 6, /* { type = 1 string, data = 2 bytes }, repeated */
  VTR_COMMAND_FLAGS = 7,  /* fixed32, VtrCommandFlags */
  VTR_COMMAND_PARAMS = 8, /* the first parameter, then upwards */
} VtrCommandField;

typedef enum
{
  VTR_OBSERVATION_BASE = 1,     /* fixed64 */
  VTR_OBSERVATION_DATA = 2,     /* bytes */
  VTR_OBSERVATION_RESOURCE = 3, /* varint, index from 1 */
  VTR_OBSERVATION_SIZE = 4,     /* varint, with a resource only */
} VtrObservationField;

typedef enum
{
  VTR_COMMAND_FLAG_OPAQUE_NEXT = 1 << 0, /* an unknown structure was passed in a pNext chain */
  VTR_COMMAND_FLAG_TOO_DEEP = 1 << 1,
  VTR_COMMAND_FLAG_INITIAL = 1 << 2,    /* re-creates state, was not called by the application */
  VTR_COMMAND_FLAG_ABANDONED = 1 << 3,  /* of a command buffer reset or freed before its end */
  VTR_COMMAND_FLAG_UNFINISHED = 1 << 4, /* of a command buffer still being recorded at the end */
  VTR_COMMAND_FLAG_NO_RETURN = 1 << 5,  /* the call was entered and never came back */
  VTR_COMMAND_FLAG_SYNTHETIC = 1 << 6,  /* made by the recorder (memory marker, frame boundary) */
  /* 1 << 7 is VTR_TRACE_FLAG_PENDING. */
  VTR_COMMAND_FLAG_UNREADABLE = 1 << 8, /* a pointer that Vulkan may ignore led nowhere */
} VtrCommandFlags;

/* Appends thread (0: the stream says it), time, parameters and reads: all that is known before the call. Returns: flags
 * (VtrCommandFlags) to hand to vtr_api_encode_end(). */
uint32_t vtr_api_encode_begin (VtrBuffer       *to,
                               VtrCmdId         cmd,
                               const void      *args,
                               uint32_t         thread,
                               uint64_t         time,
                               const VtrApiEnv *env);

/* Appends writes, result and flags. @result: any result widened to 64 bits (VkResult sign-extended,
 * pointers as numbers). */
void vtr_api_encode_end (VtrBuffer       *to,
                         VtrCmdId         cmd,
                         const void      *args,
                         uint64_t         result,
                         uint32_t         flags,
                         const VtrApiEnv *env);

/* Both, for a call that has already happened. */
void vtr_api_encode (VtrBuffer       *to,
                     VtrCmdId         cmd,
                     const void      *args,
                     uint64_t         result,
                     uint32_t         thread,
                     uint64_t         time,
                     uint32_t         flags,
                     const VtrApiEnv *env);

/* Bytes that vtr_api_encode() would append, or a little more; nothing is copied. */
size_t vtr_api_measure (VtrCmdId         cmd,
                        const void      *args,
                        uint64_t         result,
                        const VtrApiEnv *env);

/* Appends one observation; @field: VTR_COMMAND_READS or VTR_COMMAND_WRITES. */
void vtr_api_encode_observation (VtrBuffer       *to,
                                 VtrCommandField  field,
                                 const void      *base,
                                 size_t           size);

/* Like vtr_api_encode_observation (), for bytes that lie elsewhere than at the address they are recorded for. */
void vtr_api_encode_observation_at (VtrBuffer       *to,
                                    VtrCommandField  field,
                                    uint64_t         base,
                                    const void      *data,
                                    size_t           size);

void vtr_api_encode_extra (VtrBuffer  *to,
                           const char *type,
                           const void *data,
                           size_t      size);

/* --- Decode ---------------------------------------------------------------------------------- */

typedef struct
{
  uint64_t base;       /* captured address */
  const uint8_t *data; /* NULL when the resource could not be read */
  uint64_t size;
  uint64_t resource; /* index from 1; 0: the data is inline */
  bool write;
} VtrObservation;

typedef struct
{
  const uint8_t *type; /* not NUL-terminated */
  size_t type_size;
  const uint8_t *data;
  size_t size;
} VtrCommandExtra;

/* Of vkAllocateMemory and vkCreateBuffer: the object's opaque capture address; of
 * vkCreateAccelerationStructureKHR: its address. 8 bytes; 0: not queried, but the object can have its
 * address again. */
#define VTR_EXTRA_OPAQUE_ADDRESS "vitrine.OpaqueAddress"

/* Of vkCreateRayTracingPipelinesKHR: the data that gives the groups of its pipelines their handles
 * again. u32 bytes of a handle, u32 number of pipelines; for each of them u32 number of groups,
 * those of libraries last, and their handles; 0 groups: none are known. */
#define VTR_EXTRA_GROUP_HANDLES "vitrine.GroupHandles"

/* The namespace in which the command's names are looked up, where that is not its stream's: u32. */
#define VTR_EXTRA_NAMESPACE "vitrine.Namespace"

/* Finds the bytes of a resource. They must stay as long as the decoded command.
 * Returns: false when there is no such resource. */
typedef bool (*VtrResourceResolver) (void *data,
                                     uint64_t index,
                                     const uint8_t **bytes,
                                     size_t *size);

/* A pointer slot of the native tree and the address the application had in it. */
typedef struct
{
  const void *slot;
  uint64_t address;
} VtrPointerSlot;

typedef enum
{
  VTR_DECODED_DAMAGED = 1 << 0,      /* something the driver read was not observed in full */
  VTR_DECODED_TOO_DEEP = 1 << 1,     /* a chain or nesting was cut */
  VTR_DECODED_UNKNOWN_NEXT = 1 << 2, /* pNext holds a header of an unknown structure (opaque) */
} VtrDecodedFlags;

/**
 * VtrDecoded:
 *
 * A command rebuilt natively. Everything lies in the arena given to vtr_api_decode(), but the data
 * of observations and extras, which point into the message and the resources. Pointers that were
 * not observed are NULL in .args; vtr_decoded_address() still knows what the application passed. Where a parameter
 * may be an offset, it is one if nothing was observed there, and keeps its value.
 */
typedef struct
{
  VtrCmdId cmd;
  VtrAbi abi;
  void *args; /* VtrArgs_<cmd> */
  uint64_t result;
  uint64_t time;
  uint32_t thread;
  uint32_t command_flags; /* VtrCommandFlags */
  uint32_t flags;         /* VtrDecodedFlags */
  bool has_result;
  const VtrObservation *observations; /* in the order of the message, reads before writes */
  size_t n_observations;
  const VtrCommandExtra *extras;
  size_t n_extras;
  const VtrPointerSlot *slots; /* sorted by .slot */
  size_t n_slots;
} VtrDecoded;

typedef struct
{
  VtrAbi abi;                    /* of the captured process */
  const uint32_t *field_numbers; /* of each parameter in the message; NULL: from 8 upwards.
                                      0: the parameter is not in the message */
  VtrResourceResolver resolve;   /* may be NULL */
  void *resolve_data;
} VtrDecodeOptions;

/**
 * vtr_api_decode:
 * @options: (nullable): native ABI, no resources
 *
 * Rebuilds the argument tree from the parameters and observations of one message. Writes overlay
 * reads, so outputs appear as they were after the call. The message may have any contents: pointers
 * without an observation become NULL, sizes are checked against what was observed, chains and
 * nesting are bounded. Of a command that vtr_cmd_is_foreign () only what all commands have is read.
 * Errors: VTR_TRUNCATED, VTR_CORRUPT (not protobuf), VTR_NO_MEMORY (also: the arena's limit).
 */
VTR_MUST_CHECK VtrStatus vtr_api_decode (VtrCmdId                cmd,
                                         const void             *message,
                                         size_t                  size,
                                         const VtrDecodeOptions *options,
                                         VtrArena               *arena,
                                         VtrDecoded             *out);

/* The half of it that readers of other formats need. @params: captured value of each parameter,
 * zero-extended (signed 32-bit numbers and floats as their bits). @observations must outlive
 * @out. */
VTR_MUST_CHECK VtrStatus vtr_api_rebuild (VtrCmdId              cmd,
                                          VtrAbi                abi,
                                          const uint64_t       *params,
                                          const VtrObservation *observations,
                                          size_t                n_observations,
                                          VtrArena             *arena,
                                          VtrDecoded           *out);

/* Only the scalars: @params gets the captured values (one per parameter; absent ones are 0),
 * *@thread, *@flags, *@result (each nullable) the rest. No allocation, no observation is read. */
VTR_MUST_CHECK VtrStatus vtr_api_decode_scalars (VtrCmdId        cmd,
                                                 const void     *message,
                                                 size_t          size,
                                                 const uint32_t *field_numbers,
                                                 uint64_t       *params,
                                                 uint32_t       *thread,
                                                 uint32_t       *flags,
                                                 uint64_t       *result);

/* Captured address of the pointer in @slot (a place inside .args or what it points to).
 * Returns: 0 when the pointer was null or @slot is no pointer slot. */
uint64_t vtr_decoded_address (const VtrDecoded *self,
                              const void       *slot);

/* Copies the data of the extra of @type. @self: (nullable). Returns: false when there is none of @size
 * bytes. */
bool vtr_decoded_find_extra (const VtrDecoded *self,
                             const char       *type,
                             void             *data,
                             size_t            size);

/* The text of a VTR_RESULT_STRING, of *@size bytes and then a NUL. Returns: NULL when it was not recorded. */
const char *vtr_decoded_result_text (const VtrDecoded *self,
                                     size_t           *size);

/* The extra of @type. @self: (nullable). Returns: NULL when there is none. */
const VtrCommandExtra *vtr_decoded_get_extra (const VtrDecoded *self,
                                              const char       *type);

/* Converts one struct at @from, in the layout of @abi, to native layout at @to. Pointers become
 * their captured values on 64-bit hosts, for the caller to replace. */
void vtr_api_convert_struct (VtrStructId  id,
                             VtrAbi       abi,
                             const void  *from,
                             void        *to);

/* --- Visit ----------------------------------------------------------------------------------- */

typedef struct
{
  const VtrApiField *field;
  void *slot;
  uint16_t type; /* VtrHandleId */
  uint8_t dispatchable;
  uint8_t size; /* bytes of .slot: of a pointer for dispatchable handles, else 8, or 4 in numbers of 32 bits */
  bool out;     /* the driver writes it */
  bool ignored; /* the driver does not look at it; its value may be anything */
} VtrVisitHandle;

/* The name that is there. */
static inline uint64_t
vtr_visit_handle_get (const VtrVisitHandle *self)
{
  uint64_t wide;
  uint32_t narrow;

  if (self->size == sizeof narrow)
    {
      memcpy (&narrow, self->slot, sizeof narrow);
      return narrow;
    }
  memcpy (&wide, self->slot, sizeof wide);
  return wide;
}

/* Whether @name of a handle or a number with VTR_FIELD_OBJECT names nothing. */
static inline bool
vtr_handle_is_null (VtrHandleId type,
                    uint64_t    name)
{
  return name == 0 && (vtr_handle_get (type)->flags & VTR_HANDLE_ZERO_IS_OBJECT) == 0;
}

typedef struct
{
  const VtrApiField *field;
  void *slot;            /* of the pointer */
  uint16_t struct_id;    /* of the pointee, or VTR_STRUCT_NONE */
  uint8_t kind;          /* VtrApiKind of an element; VTR_KIND_NEXT for pNext, VTR_KIND_ADDRESS and
                            VTR_KIND_FUNCTION for pointers that are not followed */
  uint8_t levels;        /* 2 when the elements are themselves pointers */
  bool out;              /* the driver writes there */
  bool in;               /* the driver reads there */
  bool ignored;          /* the driver does not follow it; nothing below is visited */
  uint32_t element_size; /* native; 0 for VTR_KIND_ADDRESS and _FUNCTION, and for a pNext unknown */
  uint64_t count;        /* elements; strings include their NUL */
} VtrVisitPointer;

typedef struct
{
  const VtrApiField *field;
  void *slot;    /* 32 bits (64 for VTR_KIND_FLAGS64) */
  uint16_t type; /* VtrEnumId */
  uint8_t kind;  /* VTR_KIND_ENUM, _FLAGS32 or _FLAGS64 */
  bool out;
} VtrVisitEnum;

typedef struct
{
  uint16_t id; /* VtrStructId, VTR_STRUCT_NONE for an unknown sType in a pNext chain */
  void *base;
  bool out;
  bool in_chain; /* reached through pNext */
} VtrVisitStruct;

/**
 * VtrApiVisitor:
 *
 * Any callback may be NULL. Each slot is visited exactly once, a struct before its members, a
 * pointer before what it points to; a callback may change what its slot holds (the pointee walked
 * is the one before the change). Pointers that are NULL are visited too.
 */
struct VtrApiVisitor
{
  void *data;
  void (*handle) (void *data,
                  const VtrVisitHandle *handle);
  void (*pointer) (void *data,
                   const VtrVisitPointer *pointer);
  void (*enumerant) (void *data,
                     const VtrVisitEnum *enumerant);
  void (*structure) (void *data,
                     const VtrVisitStruct *structure);
  /* Bytes of any meaning, in data whose shape another object says. */
  void (*opaque) (void *data,
                  void *bytes,
                  uint64_t size);
};

/* Returns: VtrObserveFlags. */
unsigned vtr_api_visit (VtrCmdId             cmd,
                        void                *args,
                        const VtrApiEnv     *env,
                        const VtrApiVisitor *visitor);

/* Gets a handle, which may be null (vtr_handle_is_null ()). */
typedef void (*VtrHandleSink) (void *data,
                               VtrHandleId type,
                               uint64_t value);

/**
 * VtrHandleReader:
 *
 * Reads the handles of messages without decoding these, in a tenth of the time. Threading: one at a
 * time.
 */
typedef struct VtrHandleReader VtrHandleReader;

/* Returns: NULL without memory. */
VtrHandleReader *vtr_handle_reader_new (void);
void vtr_handle_reader_free (VtrHandleReader *self);

/* Passes each handle that the driver looks at in a call to @sink, but the one that the call is
 * dispatched by. @message: of this process, as vtr_api_encode() writes it. Returns: false, with
 * nothing passed, where that takes decoding: for handles in structures, template data, and parameters
 * that are looked at only sometimes. */
bool vtr_handle_reader_read (VtrHandleReader *self,
                             VtrCmdId         cmd,
                             const void      *message,
                             size_t           size,
                             VtrHandleSink    sink,
                             void            *data);

/* Returns: the value that replaces the handle @value of type @type. */
typedef uint64_t (*VtrHandleMap) (void *data,
                                  VtrHandleId type,
                                  uint64_t value);

/* Replaces every handle of the tree that is not null (vtr_handle_is_null ()): inputs always, outputs when @outputs. What
 * the driver ignores becomes null. Returns: VtrObserveFlags. */
unsigned vtr_api_remap (VtrCmdId         cmd,
                        void            *args,
                        const VtrApiEnv *env,
                        bool             outputs,
                        VtrHandleMap     map,
                        void            *data);

/* First struct with @stype in the chain that starts at @next; NULL when there is none. */
const void *vtr_api_find_next (const void *next,
                               uint32_t    stype);

/* --- Flatten --------------------------------------------------------------------------------- */

typedef struct
{
  uint32_t at; /* offset of the pointer in the blob */
  uint32_t to; /* offset of what it points to */
} VtrFlatPointer;

typedef struct
{
  uint32_t at; /* offset of the handle in the blob */
  uint16_t type;
  uint8_t size;   /* bytes there, as VtrVisitHandle.size */
  bool out;       /* to be stored after the call, not loaded before it */
  uint64_t value; /* captured */
} VtrFlatHandle;

typedef struct
{
  uint32_t at;
  uint32_t size;
} VtrFlatRange;

/* Where the program gives the device addresses, or may do so (VTR_CLASS_PLACES). */
typedef struct
{
  uint32_t at; /* offset in the blob */
  uint32_t size;
  uint32_t owner; /* name of the command or struct that has it, of the string blob */
  bool exact;     /* a VkDeviceAddress; else bytes of any meaning */
} VtrFlatPlace;

/**
 * VtrFlat:
 *
 * A whole argument tree in one blob: at 0 the VtrArgs_…, then everything it reaches, each piece
 * aligned to 8. Pointers inside hold the offset of their target in the blob (0: NULL) and are
 * listed; handles hold the captured value and are listed unless null (outputs are always listed, and
 * hold 0). Offsets stay as they are.
 * Initialise with zeroes; reuse keeps the capacity.
 */
typedef struct
{
  VtrBuffer blob;
  VtrBuffer pointers; /* VtrFlatPointer[n_pointers] */
  VtrBuffer handles;  /* VtrFlatHandle[n_handles] */
  VtrBuffer outputs;  /* VtrFlatRange[n_outputs]: what the driver writes */
  VtrBuffer places;   /* VtrFlatPlace[n_places] */
  size_t n_pointers;
  size_t n_handles;
  size_t n_outputs;
  size_t n_places;
  bool wants_places; /* the caller's: .places is filled */
} VtrFlat;

/**
 * vtr_api_flatten:
 *
 * pAllocator, user data and function pointers become NULL, unknown pNext structures are unlinked,
 * ignored pointers and handles become NULL, and so does an offset where the rules are sure of a pointer. Output memory is reserved and zeroed, but for structs,
 * whose sType, pNext and inputs are kept, and for in-out numbers.
 * Errors: VTR_NO_MEMORY, VTR_UNSUPPORTED (over 4 GiB).
 */
VTR_MUST_CHECK VtrStatus vtr_api_flatten (VtrCmdId         cmd,
                                          const void      *args,
                                          const VtrApiEnv *env,
                                          VtrFlat         *out);
void vtr_flat_clear (VtrFlat *self);
void vtr_flat_finish (VtrFlat *self);

/* --- Copy and compare ------------------------------------------------------------------------ */

/* Deep copy of a native tree into the arena; ignored and unknown pointers become NULL there. */
VTR_MUST_CHECK VtrStatus vtr_api_copy (VtrCmdId          cmd,
                                       const void       *args,
                                       const VtrApiEnv  *env,
                                       VtrArena         *arena,
                                       void            **out_args);

typedef enum
{
  VTR_COMPARE_HANDLES = 1 << 0,   /* handle values must be equal too */
  VTR_COMPARE_ADDRESSES = 1 << 1, /* values of pointers that are not followed too */
} VtrCompareFlags;

/* Deep equality of two native trees of one command: by content, never by pointer value; padding and
 * ignored parts do not count. @where (nullable, @where_size bytes) gets the path of the first
 * difference. */
bool vtr_api_compare (VtrCmdId         cmd,
                      const void      *a,
                      const void      *b,
                      unsigned         flags,
                      const VtrApiEnv *env,
                      char            *where,
                      size_t           where_size);
