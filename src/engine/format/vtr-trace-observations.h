/* The observations of memory in a trace, without decoding calls and without reading contents that
   are not requested. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "wire/vtr-pack-field.h"

G_BEGIN_DECLS

/* Bytes that were seen in memory. The content is inline or a resource. */
typedef struct
{
  guint64 memory; /* of a write to mapped memory: the byte space; 0: memory of the program */
  guint64 base;   /* address in the program; of a write to mapped memory: offset in the space */
  guint64 size;
  const guint8 *data; /* inline content, valid while the visitor runs; NULL: see .resource */
  guint64 resource;   /* number, from 1; 0: inline */
  gboolean write;     /* as the driver left it, not as it found it */
} VtrTraceObservation;

/* Reads a vitrine.Observation into @out, which keeps what the message does not say. .data is NULL where it gives a number of
 * zeros instead. Returns: FALSE: it is damaged. Threading: any. */
gboolean vtr_trace_parse_observation (const VtrPackFieldValue *message,
                                      VtrTraceObservation     *out);

/* The most zeros that an observation can represent by their number alone. */
#define VTR_TRACE_MAX_ZEROS (1024u * 1024u)

/* As many zeros. Threading: any (constant). */
const guint8 *vtr_trace_get_zeros (void);

/* Gives zeros to an observation that only says how many. Returns: FALSE: they are more than one may stand for. Threading: any. */
gboolean vtr_trace_fill_zeros (VtrTraceObservation *self);

/* Returns: FALSE to stop. */
typedef gboolean (*VtrTraceObservationVisitor) (const VtrTraceObservation *observation,
                                                gpointer data);

/* The program's memory that command @index read and wrote, reads before writes. Errors: RANGE,
 * DAMAGED. Threading: any. */
gboolean vtr_trace_visit_observations (VtrTrace                    *self,
                                       guint64                      index,
                                       VtrTraceObservationVisitor   visit,
                                       gpointer                     data,
                                       GError                     **error);

/* The writes to mapped memory that precede command @index (n_commands: that follow the last one),
 * in order. */
gboolean vtr_trace_visit_mapped_writes (VtrTrace                    *self,
                                        guint64                      index,
                                        VtrTraceObservationVisitor   visit,
                                        gpointer                     data,
                                        GError                     **error);

/* Copies @size bytes of an observation's content, from @offset in it, to @out. @arena: for the
 * resource. Returns: FALSE when the trace has not got them. */
gboolean vtr_trace_copy_observed (VtrTrace                  *self,
                                  const VtrTraceObservation *observation,
                                  guint64                    offset,
                                  gsize                      size,
                                  VtrArena                  *arena,
                                  guint8                    *out);

/* How many bytes a decoded call observed from where the pointer in @slot, of its arguments, led; 0: unknown. Threading: any. */
gsize vtr_command_get_observed_size (const VtrCommand *command,
                                     const void       *slot);

G_END_DECLS
