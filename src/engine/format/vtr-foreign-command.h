/* Commands of APIs that this build lacks, as far as a trace itself describes them.
 *
 * They have ids of their trace (VTR_CMD_FOREIGN), the name and the fields that its type definitions say, and no more:
 * nobody knows what they do. Threading: any. */
#pragma once

#include "base/vtr-buffer.h"
#include "engine/format/vtr-command.h"
#include "engine/format/vtr-trace-types.h"

G_BEGIN_DECLS

/* A parameter, or the result. */
typedef struct
{
  const char *name;      /* UTF-8 */
  VtrPackFieldType type; /* of the definition */
  guint64 value;         /* bits of a number; 0 for bytes */
  const guint8 *data;    /* of strings, bytes and messages; NULL: none */
  gsize size;
} VtrForeignField;

/* In the arena of its decoder, but for the names, which are the trace's. */
struct _VtrForeignCommand
{
  const char *name; /* UTF-8, without the API's */
  const VtrForeignField *fields;
  gsize n_fields;
  const VtrForeignField *result; /* NULL: none was recorded */
};

/* Reads the message of a command of @type. @returned: (nullable): the result that came apart from it. Returns: NULL when there is no memory, or it is damaged. */
const VtrForeignCommand *vtr_foreign_command_read (const VtrTraceType *type,
                                                   const guint8       *message,
                                                   gsize               size,
                                                   const guint64      *returned,
                                                   VtrArena           *arena);

/* Appends a value as JSON, or for people. */
void vtr_foreign_field_json (const VtrForeignField *self,
                             VtrBuffer             *to);
void vtr_foreign_field_text (const VtrForeignField *self,
                             VtrBuffer             *to);

/* Like vtr_api_json (), vtr_api_json_result () and vtr_api_print (), for a command of any API. */
void vtr_command_json (const VtrCommand *self,
                       const VtrApiEnv  *env,
                       VtrBuffer        *to);
void vtr_command_json_result (const VtrCommand *self,
                              VtrBuffer        *to);
void vtr_command_print (const VtrCommand *self,
                        const VtrApiEnv  *env,
                        VtrBuffer        *to);

G_END_DECLS
