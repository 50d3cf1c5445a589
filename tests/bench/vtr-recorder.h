/* Writes a trace call by call without a driver: what the layer encodes and the host writes. */
#pragma once

#include "engine/format/vtr-trace-writer.h"

#include "api/vtr-api-args.h"
#include "api/vtr-api-walk.h"

G_BEGIN_DECLS

/**
 * VtrRecorder:
 *
 * Handles are numbers that look like a driver's; a released one is given out again, so that
 * values are reused as drivers do. A failure ends the program with a sentence. Threading: one at a
 * time.
 */
typedef struct _VtrRecorder VtrRecorder;

/* With a header and without a device. */
VtrRecorder *vtr_recorder_new (const char *path);
/* Completes the file. Returns: commands in it. */
guint64 vtr_recorder_finish (VtrRecorder *self);

guint64 vtr_recorder_new_handle (VtrRecorder *self);
void vtr_recorder_release_handle (VtrRecorder *self,
                                  guint64      handle);
/* Sets the thread of all later calls. */
void vtr_recorder_set_thread (VtrRecorder *self,
                              guint32      thread);
/* Whether command buffer @handle is a secondary: the encoder has to know. */
void vtr_recorder_set_secondary (VtrRecorder *self,
                                 guint64      handle);

guint64 vtr_recorder_add (VtrRecorder *self,
                          VtrCmdId     id,
                          const void  *args,
                          guint64      result);
/* vitrine.DeviceInfo: one queue family that can do everything, one memory type. */
void vtr_recorder_add_device_info (VtrRecorder *self,
                                   guint64      physical_device,
                                   guint64      device);
/* @size bytes of @data were written at @offset of @memory, which is mapped from 0 at @address. */
void vtr_recorder_add_write (VtrRecorder   *self,
                             guint64        device,
                             guint64        memory,
                             gconstpointer  address,
                             gsize          offset,
                             gsize          size);
guint64 vtr_recorder_get_n_commands (VtrRecorder *self);

#define H(type, value) ((type)(gsize)(value))
#define CALL(recorder, command, ...) \
  vtr_recorder_add ((recorder), VTR_CMD_##command, &(VtrArgs_##command){ __VA_ARGS__ }, 0)

G_END_DECLS
