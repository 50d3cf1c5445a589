/* The APIs of this build, and the rows of their tables by id.
 *
 * Ids of commands, structs, enumerations and handles are flat: their upper four bits are a page, and a page belongs to
 * one API, so that an id says whose it is. Each API counts from its first page on; nothing has the ids between. Ids are
 * never in a file. A library of one API is compiled with VTR_API_ONLY, the API's name in capitals: it has the rows of
 * this API alone and finds them without looking at the page. So does a build of one API. Threading: any (immutable). */
#pragma once

#include "api/vtr-api-rows.h"

/* The position and data of a walk: vtr-api-rules.h. */
typedef struct VtrApiWalk VtrApiWalk;
typedef struct VtrApiVisitor VtrApiVisitor;

/* Answers what no table says: how long an array is, and whether a pointer is used at all. @question: the API's own
 * number, as its overlay asks; @operand: 0 where the question has none. Returns: false when it is not known. */
typedef bool VtrApiAnswer (const VtrApiWalk *walk,
                           unsigned          question,
                           int64_t           operand,
                           int64_t          *out);

/* Visits the contents of the @size bytes at @data of a field with VTR_FIELD_SIZED, whose shape
 * other objects define: nothing if the walk does not know them; never beyond @size. */
typedef void VtrApiVisitData (const VtrApiWalk    *walk,
                              uint8_t             *data,
                              uint64_t             size,
                              const VtrApiVisitor *visitor);

/* Words of an API. */
enum
{
  VTR_WORD_FALSE,
  VTR_WORD_TRUE,
  VTR_WORD_NULL, /* the name of nothing */
};

/* A number that stands for something else, where a member of this type has it. */
typedef struct
{
  const char *member; /* NULL: any */
  const char *type;
  uint64_t value;
  const char *text; /* NULL: any number but 0 is a version, as 7 bits, 10 bits and 12 bits say it */
} VtrApiSpecial;

typedef struct
{
  char name[16]; /* also stands in front of the names of its commands in files */
  uint64_t hash; /* of its registry: processes with the same one number everything alike */
  uint16_t first_id;
  uint16_t n_commands, n_structs, n_enums, n_handles, n_extensions;
  const VtrApiCommand *commands; /* by id, without .first_id */
  const VtrApiStruct *structs;   /* by id, as .commands */
  const VtrApiEnum *enums;       /* by id, as .commands */
  const VtrApiHandle *handles;   /* by id, as .commands */
  const VtrApiExtension *extensions;
  const VtrApiField *fields;   /* of its structs and commands */
  const char *words[3];        /* for people: VTR_WORD_… */
  VtrApiAnswer *answer;        /* NULL: its overlay asks nothing */
  VtrApiVisitData *visit_data; /* NULL: there is nothing in such fields to visit */
  VtrEnumId status_enum;       /* of results that are VTR_RESULT_STATUS; VTR_ENUM_NONE: none is */
  uint16_t n_specials;
  const VtrApiSpecial *specials; /* for people */
} VtrApiModel;

/* All names, fields, rows and programs: those of one API stand together, in the order of vtr_api_models. */
extern const char vtr_api_strings[];
extern const VtrApiCommand vtr_api_commands[];
extern const VtrApiStruct vtr_api_structs[];
extern const VtrApiField vtr_api_fields[];
extern const VtrApiEnum vtr_api_enums[];
extern const VtrApiEnumValue vtr_api_enum_values[];
extern const VtrApiHandle vtr_api_handles[];
extern const VtrApiExtension vtr_api_extensions[];
extern const uint16_t vtr_api_walk[];
extern const uint16_t vtr_api_extends[];
extern const uint16_t vtr_api_programs[];

#define VTR_API_N_PAGES 16
#define VTR_API_PAGE_BITS 12

/* The first id of a page that no API has. A trace numbers commands of APIs that this build lacks from here on. */
#define VTR_CMD_FOREIGN 0xd000u
#define VTR_N_FOREIGN (1u << VTR_API_PAGE_BITS)

extern const VtrApiModel vtr_api_models[];
/* The API that a page of ids belongs to; NULL: none. */
extern const VtrApiModel *const vtr_api_pages[VTR_API_N_PAGES];
/* For each page, what is taken from its ids to get positions in vtr_api_commands and so on. */
extern const uint16_t vtr_api_commands_from[VTR_API_N_PAGES];
extern const uint16_t vtr_api_structs_from[VTR_API_N_PAGES];
extern const uint16_t vtr_api_enums_from[VTR_API_N_PAGES];
extern const uint16_t vtr_api_handles_from[VTR_API_N_PAGES];

/* For each of FOO, which is cmd, struct, enum or handle:
 *
 * vtr_FOO_is_known ():  whether an API of this build has @id.
 * vtr_FOO_get ():       the row of a known @id. A command of a page that no API has, such as VTR_CMD_NONE, has one as
 *                       well, behind those of all others: it has no parameters and no classes.
 * vtr_FOO_index ():     the position of a known @id among all in this build: an index of arrays of VTR_N_FOOS. That
 *                       of such a command is VTR_N_COMMANDS.
 * vtr_FOO_at ():        the id at a position below VTR_N_FOOS.
 */
#define VTR_API_PLACE(index, total) (index)
#define VTR_API_PLACE_OR_LAST(index, total) ((index) < (total) ? (index) : (total))

#ifdef VTR_API_ONLY

#define VTR_API_JOIN(api, what) VTR_##api##_##what
#define VTR_API_OF(api, what) VTR_API_JOIN (api, what)
#define VTR_FIRST_ID VTR_API_OF (VTR_API_ONLY, FIRST_ID)
#define VTR_N_COMMANDS VTR_API_OF (VTR_API_ONLY, N_COMMANDS)
#define VTR_N_STRUCTS VTR_API_OF (VTR_API_ONLY, N_STRUCTS)
#define VTR_N_ENUMS VTR_API_OF (VTR_API_ONLY, N_ENUMS)
#define VTR_N_HANDLES VTR_API_OF (VTR_API_ONLY, N_HANDLES)
#define VTR_N_MODELS 1

#define VTR_API_FAMILY(name, Id, Row, rows, total, place) \
  static inline bool vtr_##name##_is_known (uint32_t id) \
  { \
    return id - VTR_FIRST_ID < total; \
  } \
\
  static inline unsigned vtr_##name##_index (Id id) \
  { \
    return place ((unsigned)id - VTR_FIRST_ID, total); \
  } \
\
  static inline Id vtr_##name##_at (unsigned index) \
  { \
    return (Id)(index + VTR_FIRST_ID); \
  } \
\
  static inline const Row *vtr_##name##_get (Id id) \
  { \
    return &vtr_api_##rows[vtr_##name##_index (id)]; \
  }

#else

#define VTR_N_COMMANDS VTR_ALL_N_COMMANDS
#define VTR_N_STRUCTS VTR_ALL_N_STRUCTS
#define VTR_N_ENUMS VTR_ALL_N_ENUMS
#define VTR_N_HANDLES VTR_ALL_N_HANDLES
#define VTR_N_MODELS VTR_N_APIS

#define VTR_API_FAMILY(name, Id, Row, rows, total, place) \
  static inline bool vtr_##name##_is_known (uint32_t id) \
  { \
    const VtrApiModel *model = \
      id >> VTR_API_PAGE_BITS < VTR_API_N_PAGES ? vtr_api_pages[id >> VTR_API_PAGE_BITS] : NULL; \
\
    return model != NULL && id - model->first_id < model->n_##rows; \
  } \
\
  static inline unsigned vtr_##name##_index (Id id) \
  { \
    return place ((unsigned)id - vtr_api_##rows##_from[(unsigned)id >> VTR_API_PAGE_BITS], total); \
  } \
\
  static inline const Row *vtr_##name##_get (Id id) \
  { \
    return &vtr_api_##rows[vtr_##name##_index (id)]; \
  } \
\
  static inline Id vtr_##name##_at (unsigned index) \
  { \
    const VtrApiModel *model = vtr_api_models; \
\
    for (; index >= model->n_##rows; model++) \
      index -= model->n_##rows; \
    return (Id)(model->first_id + index); \
  }

#endif

VTR_API_FAMILY (cmd, VtrCmdId, VtrApiCommand, commands, VTR_N_COMMANDS, VTR_API_PLACE_OR_LAST)
VTR_API_FAMILY (struct, VtrStructId, VtrApiStruct, structs, VTR_N_STRUCTS, VTR_API_PLACE)
VTR_API_FAMILY (enum, VtrEnumId, VtrApiEnum, enums, VTR_N_ENUMS, VTR_API_PLACE)
VTR_API_FAMILY (handle, VtrHandleId, VtrApiHandle, handles, VTR_N_HANDLES, VTR_API_PLACE)

#undef VTR_API_FAMILY
#undef VTR_API_PLACE
#undef VTR_API_PLACE_OR_LAST

/* Whether a trace has numbered the command, as no API of this build has it. */
static inline bool
vtr_cmd_is_foreign (uint32_t id)
{
  return id >> VTR_API_PAGE_BITS == VTR_CMD_FOREIGN >> VTR_API_PAGE_BITS;
}

/* The API of a command. Returns: NULL when no API of this build has it. */
static inline const VtrApiModel *
vtr_api_of (uint32_t id)
{
  return vtr_cmd_is_known (id) ? vtr_api_pages[id >> VTR_API_PAGE_BITS] : NULL;
}

/* Returns: NULL when this build has no API of this name. */
const VtrApiModel *vtr_api_from_name (const char *name);
