/* The row types of the tables about an API's commands, structs, enumerations and handles.
 *
 * The tables are generated at build time from the API's registry and an overlay (src/api/gen); nothing in them is
 * written by hand per command. All are constant and free of relocations: names are offsets into one blob, types are
 * ids. Threading: any (immutable). */
#pragma once

#include "api/vtr-api-ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- ABIs ---------------------------------------------------------------------------------- */

typedef enum
{
  VTR_ABI_LP64,  /* x86-64, AArch64 */
  VTR_ABI_I386,  /* 32 bits, 64-bit numbers aligned to 4 */
  VTR_ABI_ARM32, /* 32 bits, 64-bit numbers aligned to 8 */
  VTR_ABI_COUNT,
} VtrAbi;

#if UINTPTR_MAX > 0xffffffffu
#define VTR_ABI_NATIVE VTR_ABI_LP64
#elif defined(__i386__)
#define VTR_ABI_NATIVE VTR_ABI_I386
#else
#define VTR_ABI_NATIVE VTR_ABI_ARM32
#endif

/* Bytes of a pointer, size_t, dispatchable handle. */
static inline unsigned
vtr_abi_pointer_size (VtrAbi abi)
{
  return abi == VTR_ABI_LP64 ? 8 : 4;
}

/* --- Fields: members of structs and parameters of commands ----------------------------------- */

typedef enum
{
  VTR_KIND_VOID, /* untyped bytes, only behind a pointer */
  VTR_KIND_CHAR,
  VTR_KIND_U8,
  VTR_KIND_U16,
  VTR_KIND_U32,
  VTR_KIND_U64,
  VTR_KIND_I8,
  VTR_KIND_I16,
  VTR_KIND_I32,
  VTR_KIND_I64,
  VTR_KIND_F32,
  VTR_KIND_F64,
  VTR_KIND_SIZE, /* size_t, unsigned long */
  VTR_KIND_BOOL32,
  VTR_KIND_ENUM,     /* .type: VtrEnumId */
  VTR_KIND_FLAGS32,  /* .type: VtrEnumId of the bits, or VTR_ENUM_NONE */
  VTR_KIND_FLAGS64,  /* .type: as of VTR_KIND_FLAGS32 */
  VTR_KIND_HANDLE,   /* .type: VtrHandleId */
  VTR_KIND_STRUCT,   /* .type: VtrStructId */
  VTR_KIND_UNION,    /* .type: VtrStructId */
  VTR_KIND_FUNCTION, /* a function pointer */
  VTR_KIND_ADDRESS,  /* a pointer that is recorded and never followed */
  VTR_KIND_NEXT,     /* a pNext pointer */
  VTR_KIND_BOOL8,    /* a truth in one byte */
  VTR_KIND_SSIZE,    /* as VTR_KIND_SIZE, with a sign */
  VTR_KIND_COUNT,
} VtrApiKind;

typedef enum
{
  VTR_FIELD_CONST = 1 << 0,      /* behind the pointer the driver only reads */
  VTR_FIELD_OUT = 1 << 1,        /* ... the driver writes (pointer without const) */
  VTR_FIELD_IN = 1 << 2,         /* ... the driver (also) reads; in-out when with OUT */
  VTR_FIELD_OPTIONAL = 1 << 3,   /* the pointer or handle may be null */
  VTR_FIELD_STRING = 1 << 4,     /* innermost pointee ends with NUL */
  VTR_FIELD_LEN_SOURCE = 1 << 5, /* a sibling's length is read from here */
  VTR_FIELD_STYPE = 1 << 6,      /* the sType member */
  VTR_FIELD_SIZED = 1 << 7,      /* length known only when observed (template data) */
  VTR_FIELD_EXTERNSYNC = 1 << 8,
  VTR_FIELD_ARRAY_2D = 1 << 9,           /* .row elements per row */
  VTR_FIELD_HEX = 1 << 10,               /* shown in hexadecimal (device addresses) */
  VTR_FIELD_ALLOCATOR = 1 << 11,         /* a VkAllocationCallbacks, recorded as address only */
  VTR_FIELD_SELECTED = 1 << 12,          /* a union member with a selector; .live says when */
  VTR_FIELD_OBJECT = 1 << 13,            /* a handle in a number; .length[.pointers] gives the .object_type of its kind */
  VTR_FIELD_OFFSET_OR_POINTER = 1 << 14, /* of a parameter: not .live, a number, which stays as it is */
  VTR_FIELD_LASTING = 1 << 15,           /* the pointer is kept: later commands read behind it */
} VtrApiFieldFlags;

/* Index of a program (see vtr-api-program.h), 0: none. */
typedef uint16_t VtrApiProgram;

typedef struct
{
  uint32_t name;                  /* of the string blob */
  uint32_t c_type;                /* name of the C type, without const and pointers */
  uint32_t offset[VTR_ABI_COUNT]; /* in the struct, or in VtrArgs_… for a parameter */
  uint32_t size[VTR_ABI_COUNT];   /* of the whole slot (with its array, or its pointer) */
  uint32_t array;                 /* elements in the slot itself; 1 unless T name[N] */
  uint16_t row;                   /* elements per row of a two-dimensional array, else 0 */
  uint16_t type;                  /* index, depending on .kind */
  VtrApiProgram length[2];        /* elements behind the outer and the inner pointer; 0: one */
  VtrApiProgram live;             /* 0: always looked at by the driver */
  uint16_t flags;                 /* VtrApiFieldFlags */
  uint8_t kind;                   /* VtrApiKind of the innermost element */
  uint8_t pointers;               /* levels of pointers that are followed: 0, 1, 2 */
  uint8_t bit_offset;             /* from .offset, for bit-fields */
  uint8_t bit_width;              /* 0: not a bit-field */
} VtrApiField;

/* --- Structs and unions ---------------------------------------------------------------------- */

typedef enum
{
  VTR_STRUCT_UNION = 1 << 0,
  VTR_STRUCT_RETURNED_ONLY = 1 << 1, /* filled by the driver */
  VTR_STRUCT_HAS_POINTERS = 1 << 2,  /* itself or embedded: pointers to follow, or pNext */
  VTR_STRUCT_HAS_HANDLES = 1 << 3,   /* itself or anything reachable by types, pNext aside */
  VTR_STRUCT_HAS_OUT = 1 << 4,       /* reaches memory the driver writes, pNext aside */
  VTR_STRUCT_NEXT_OUT = 1 << 5,      /* a pNext chain below it may reach such memory */
  VTR_STRUCT_VIDEO = 1 << 6,         /* from video.xml */
  VTR_STRUCT_C = 1 << 7,             /* declared by vtr-vulkan.h */
  VTR_STRUCT_PLAIN = 1 << 8,         /* no pointer, address, function or handle in it */
  VTR_STRUCT_PLACES = 1 << 9,        /* as VTR_CLASS_PLACES, pNext included */
} VtrApiStructFlags;

#define VTR_STYPE_NONE 0xffffffffu
#define VTR_API_NO_INDEX 0xffffu

typedef struct
{
  uint32_t name;
  uint32_t stype; /* VkStructureType, or VTR_STYPE_NONE */
  uint32_t size[VTR_ABI_COUNT];
  uint8_t align[VTR_ABI_COUNT];
  uint8_t pad;
  uint16_t flags; /* VtrApiStructFlags */
  uint16_t first_field;
  uint16_t n_fields;
  uint16_t first_pointer; /* of vtr_api_walk: fields that are, or embed, pointers to follow */
  uint16_t n_pointers;
  uint16_t first_extends; /* of vtr_api_extends: the structs whose pNext chain may hold this */
  uint16_t n_extends;
  uint16_t extension; /* VtrExtensionId that introduced it, or VTR_API_NO_INDEX */
} VtrApiStruct;

/* --- Enumerations ---------------------------------------------------------------------------- */

typedef struct
{
  uint32_t name;
  uint32_t first_value; /* of vtr_api_enum_values, sorted by value, the preferred name first */
  uint16_t n_values;
  uint8_t is_bitmask;
  uint8_t width; /* 32 or 64 */
} VtrApiEnum;

typedef struct
{
  uint32_t name;
  uint32_t alias; /* 1: another name of the value before it */
  int64_t value;
} VtrApiEnumValue;

/* --- Handles --------------------------------------------------------------------------------- */

/* The scope in which a name is unique. */
typedef enum
{
  VTR_NAMES_NOWHERE,
  VTR_NAMES_IN_PROCESS,
  VTR_NAMES_IN_DISPLAY,
  VTR_NAMES_IN_DEVICE,
  VTR_NAMES_IN_GROUP, /* contexts that share */
  VTR_NAMES_IN_CONTEXT,
  VTR_NAMES_IN_OBJECT, /* the object in another argument */
} VtrApiNames;

typedef enum
{
  VTR_HANDLE_ZERO_IS_OBJECT = 1 << 0,     /* a name of 0 is an object, of .zero_in */
  VTR_HANDLE_MADE_BY_USE = 1 << 1,        /* naming it makes it */
  VTR_HANDLE_NAME_MAY_END_FIRST = 1 << 2, /* the object may live on without its name */
} VtrApiHandleFlags;

typedef struct
{
  uint32_t name;
  uint32_t object_type; /* the API's number of the kind, as other arguments have it; 0: none */
  uint16_t parent;      /* VtrHandleId, or VTR_HANDLE_NONE */
  uint8_t dispatchable; /* names are addresses: of the size of a pointer */
  uint8_t names_in;     /* VtrApiNames: where its names are looked up */
  uint8_t zero_in;      /* VtrApiNames: the namespaces of which each has its own object with name 0, if 0 is an object */
  uint8_t flags;        /* VtrApiHandleFlags */
  uint8_t size;         /* bytes of a name: 4 or 8; 0: those of a pointer (.dispatchable) */
  uint8_t pad;
} VtrApiHandle;

/* --- Commands -------------------------------------------------------------------------------- */

typedef enum
{
  VTR_RESULT_VOID,
  VTR_RESULT_STATUS, /* a value of VtrApiModel.status_enum; below 0: the call failed */
  VTR_RESULT_BOOL32,
  VTR_RESULT_U32,
  VTR_RESULT_U64,
  VTR_RESULT_FUNCTION, /* a function pointer */
  VTR_RESULT_I32,
  VTR_RESULT_F32,     /* its bits */
  VTR_RESULT_ENUM,    /* .result_type: VtrEnumId */
  VTR_RESULT_ADDRESS, /* memory of the driver or a window system: never followed */
  VTR_RESULT_STRING,  /* text that ends with NUL, which a record has among its writes */
} VtrApiResultKind;

typedef enum
{
  VTR_LEVEL_GLOBAL, /* no dispatchable object */
  VTR_LEVEL_INSTANCE,
  VTR_LEVEL_PHYSICAL_DEVICE,
  VTR_LEVEL_DEVICE, /* VkDevice, VkQueue or VkCommandBuffer */
} VtrApiLevel;

/* When the record of a call takes its ticket, its place in the order of all calls. */
typedef enum
{
  VTR_ORDER_AFTER,
  VTR_ORDER_BEFORE, /* signallers and destroyers: their result follows as a Returned record */
} VtrApiOrder;

/* The class of a command, in terms of no API. Classes of one API have bits from 32 on, and names
 * that only the API's own code uses (vtr-api-ids.h). */
typedef uint64_t VtrApiClass;

#define VTR_CLASS_CREATE (UINT64_C (1) << 0)   /* .create is valid */
#define VTR_CLASS_DESTROY (UINT64_C (1) << 1)  /* .destroy is valid */
#define VTR_CLASS_RETRIEVE (UINT64_C (1) << 2) /* returns objects that existed; .create is valid */
#define VTR_CLASS_DRAW (UINT64_C (1) << 3)
#define VTR_CLASS_DISPATCH (UINT64_C (1) << 4)
#define VTR_CLASS_CLEAR (UINT64_C (1) << 5)
#define VTR_CLASS_TRANSFER (UINT64_C (1) << 6) /* copy, fill, update, blit, resolve */
#define VTR_CLASS_BUILD (UINT64_C (1) << 7)    /* builds or copies acceleration structures */
#define VTR_CLASS_STATE (UINT64_C (1) << 8)    /* sets what later work uses */
#define VTR_CLASS_QUERY (UINT64_C (1) << 9)    /* getter without side effects; replay may leave it out */
#define VTR_CLASS_WAIT (UINT64_C (1) << 10)    /* may block until the device signals, or asks whether */
#define VTR_CLASS_MAP (UINT64_C (1) << 11)
#define VTR_CLASS_UNMAP (UINT64_C (1) << 12)
#define VTR_CLASS_SIGNAL (UINT64_C (1) << 13) /* makes earlier work visible to others */
#define VTR_CLASS_FRAME_END (UINT64_C (1) << 14)
#define VTR_CLASS_BEGIN_LABEL (UINT64_C (1) << 15)
#define VTR_CLASS_END_LABEL (UINT64_C (1) << 16)
#define VTR_CLASS_BEGIN_LIST (UINT64_C (1) << 17) /* begins a command list */
#define VTR_CLASS_END_LIST (UINT64_C (1) << 18)
#define VTR_CLASS_RUN_LIST (UINT64_C (1) << 19)     /* runs command lists */
#define VTR_CLASS_MAKE_CURRENT (UINT64_C (1) << 20) /* changes the calling thread's call context */
#define VTR_CLASS_READS_STATE (UINT64_C (1) << 21)  /* reads memory through pointers that earlier calls left */
#define VTR_CLASS_HAS_EXTRA (UINT64_C (1) << 22)    /* the recorder adds what no argument says */
#define VTR_CLASS_PLACES (UINT64_C (1) << 29)       /* may give the device addresses, or bytes of any meaning */
#define VTR_CLASS_C (UINT64_C (1) << 30)            /* VtrArgs_… and PFN_… exist */
#define VTR_CLASS_ENABLED (UINT64_C (1) << 31)      /* of a version or an extension that is not disabled */

#define VTR_PARAM_NONE 0xff

/* How a command makes objects, or what of them it ends. */
typedef enum
{
  VTR_HOW_PLAIN,    /* what is in or behind .param is made; name and object end */
  VTR_HOW_RESULT,   /* the result is the name of what is made; .param is VTR_PARAM_NONE */
  VTR_HOW_RESERVED, /* names are given out, but no object is made yet */
  VTR_HOW_USE,      /* naming it makes it, if it is not there */
  VTR_HOW_NAME,     /* only the name ends, the object may live on */
  VTR_HOW_OBJECT,   /* only the object ends, the name may stay */
} VtrApiHow;

/* An object that a command makes or ends. */
typedef struct
{
  uint16_t handle;     /* VtrHandleId; VTR_HANDLE_NONE: nothing, or (.param) as VTR_FIELD_OBJECT says */
  VtrApiProgram count; /* how many; 0: one */
  VtrApiProgram pool;  /* pushes the pool handle they come from; 0: none */
  uint8_t param;       /* the parameter holding (or pointing to) the handle(s), or VTR_PARAM_NONE */
  uint8_t how;         /* VtrApiHow */
} VtrApiLifetime;

typedef struct
{
  uint64_t classes; /* VtrApiClass */
  uint32_t name;
  uint32_t version;     /* VK_MAKE_API_VERSION of the core version that has it, else 0 */
  uint16_t first_field; /* parameters are fields */
  uint16_t first_pointer;
  uint16_t args_size; /* of VtrArgs_…, native, with what .has_offsets adds */
  uint16_t alias_of;  /* VtrCmdId, or VTR_CMD_NONE */
  uint16_t dispatch;  /* VtrHandleId of the first parameter, or VTR_HANDLE_NONE */
  uint16_t extension; /* VtrExtensionId of the first that has it, or VTR_API_NO_INDEX */
  VtrApiLifetime create;
  VtrApiLifetime destroy;
  uint8_t n_params;
  uint8_t n_pointers;
  uint8_t result; /* VtrApiResultKind */
  uint8_t level;  /* VtrApiLevel */
  uint8_t order;  /* VtrApiOrder */
  /* The arguments end with a uint64_t. In decoded and copied ones it has a bit for each parameter with
   * VTR_FIELD_OFFSET_OR_POINTER that would be followed, but is an offset; otherwise it is not
   * read. */
  uint8_t has_offsets;
  uint16_t result_type; /* VtrEnumId of VTR_RESULT_ENUM, VtrHandleId of names; VTR_API_NO_INDEX: none */
} VtrApiCommand;

typedef struct
{
  uint32_t name;
  uint32_t number;
  uint32_t platform; /* name, offset 0 (empty) for none */
  uint8_t device;    /* 1: device extension, 0: instance extension */
  uint8_t enabled;   /* 0: disabled in the registry */
  uint8_t provisional;
  uint8_t native; /* 1: vtr-vulkan.h declares what it brings */
} VtrApiExtension;
