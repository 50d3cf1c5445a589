/* The identity of a recording: 16 random bytes, the same in the ring, in the header of the
 * unfinished trace file, in the ring's lock file and in the journal of recordings.
 *
 * Threading: any. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  uint8_t bytes[16]; /* all 0: none, as in files of version 1 */
} VtrRecordingId;

/* 32 hexadecimal digits and the NUL. */
#define VTR_RECORDING_ID_TEXT 33

VtrRecordingId vtr_recording_id_new (void);
bool vtr_recording_id_is_none (const VtrRecordingId *self);
bool vtr_recording_id_equal (const VtrRecordingId *a,
                             const VtrRecordingId *b);
void vtr_recording_id_print (const VtrRecordingId *self,
                             char                  text[VTR_RECORDING_ID_TEXT]);
/* Reads the 32 digits at the beginning of @text. Returns: false, @out untouched, if they are not
 * there. */
bool vtr_recording_id_parse (const char     *text,
                             VtrRecordingId *out);
