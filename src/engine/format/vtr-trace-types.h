/* The type definitions of a trace: written from the API tables, read into what decoding needs.
 *
 * All objects, and all commands of Vulkan, have theirs at the front. Those of another API come as a whole,
 * before the first command of it. */
#pragma once

#include <glib.h>

#include "api/vtr-api-types.h"
#include "base/vtr-arena.h"
#include "base/vtr-buffer.h"
#include "wire/vtr-pack-type.h"
#include "wire/vtr-trace-objects.h"

G_BEGIN_DECLS

/* ---- Writing ---- */

/* Type index of an object in files that this build writes, and of a command whose API has its types at
 * the front. */
guint vtr_trace_types_get_command (VtrCmdId id);
guint vtr_trace_types_get_object (VtrTraceObject object);

/* Where the types of each API's commands begin in one file: type index of the first one; 0: they are not
 * defined yet. */
typedef struct
{
  guint first[VTR_N_MODELS]; /* in the order of vtr_api_models */
  guint n;                   /* types so far */
} VtrTraceTypePlaces;

/* Returns: type index of a known command; 0: its API has no types yet. */
guint vtr_trace_type_places_get (const VtrTraceTypePlaces *self,
                                 VtrCmdId                  id);

/* Appends the definitions at the front, in the order of their type indices. */
void vtr_trace_types_write (VtrBuffer          *to,
                            VtrTraceTypePlaces *places);
/* Appends those of the commands of @id's API, which has none yet. */
void vtr_trace_types_write_more (VtrBuffer          *to,
                                 VtrTraceTypePlaces *places,
                                 VtrCmdId            id);

/* ---- Reading ---- */

/* Above all numbers of fields of a command whose API this build lacks: those of commands and 255 parameters. */
#define VTR_FOREIGN_FIELDS 512

/* One type of a file. */
typedef struct
{
  VtrPackType type;
  gboolean is_command;   /* vulkan.vk… */
  gboolean is_call;      /* vulkan.vk…Call or api.CmdCall of a GAPID file */
  VtrCmdId command;      /* from VTR_CMD_FOREIGN on if this build lacks its API; VTR_CMD_NONE if unknown */
  VtrTraceObject object; /* VTR_N_OBJECTS if it is no vitrine.* */
  guint32
    *field_numbers;         /* of each parameter of .command in the messages; NULL if as we write them */
  const char *foreign_name; /* of a foreign command: its name without the API's, UTF-8 */
} VtrTraceType;

/**
 * VtrTraceTypes:
 *
 * The types of a file by type index. Threading: one at a time while it is filled, then any.
 */
typedef struct _VtrTraceTypes VtrTraceTypes;

VtrTraceTypes *vtr_trace_types_new (void);
void vtr_trace_types_free (VtrTraceTypes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrTraceTypes, vtr_trace_types_free)

/* Adds the next definition of the stream. A definition that cannot be read still takes an index. */
void vtr_trace_types_add (VtrTraceTypes *self,
                          const guint8  *name,
                          gsize          name_size,
                          const guint8  *descriptor,
                          gsize          size);

guint vtr_trace_types_get_n (const VtrTraceTypes *self);
/* Forgets all but the first @n. */
void vtr_trace_types_truncate (VtrTraceTypes *self,
                               guint          n);

/* @index: from 1. Returns: (nullable) (transfer none) */
const VtrTraceType *vtr_trace_types_lookup (const VtrTraceTypes *self,
                                            guint64              index);
/* The type of a foreign command. Returns: NULL when the file has no such id. */
const VtrTraceType *vtr_trace_types_get_foreign (const VtrTraceTypes *self,
                                                 VtrCmdId             id);
guint vtr_trace_types_get_n_foreign (const VtrTraceTypes *self);
/* The first type of a full name; O(n). Returns: (nullable) (transfer none) */
const VtrTraceType *vtr_trace_types_find (const VtrTraceTypes *self,
                                          const char          *name);

/* Whether the file defines exactly what this build would write: the front, then whole APIs. @places:
 * (out) (optional) */
gboolean vtr_trace_types_are_ours (const VtrTraceTypes *self,
                                   VtrTraceTypePlaces  *places);

G_END_DECLS
