/* Makes, compares, prints and parses the random identity that ties a ring to its unfinished
 * trace file. */
#include "vtr-recording-id.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

VtrRecordingId
vtr_recording_id_new (void)
{
  VtrRecordingId self = { { 0 } };
  struct timespec now;
  ssize_t got;

  do
    got = getrandom (self.bytes, sizeof self.bytes, 0);
  while (got < 0 && errno == EINTR);
  if (got == (ssize_t)sizeof self.bytes)
    return self;
  /* A kernel without getrandom(): unique on this machine is enough. */
  clock_gettime (CLOCK_REALTIME, &now);
  memcpy (self.bytes, &now.tv_sec, sizeof (uint32_t));
  memcpy (self.bytes + 4, &now.tv_nsec, sizeof (uint32_t));
  clock_gettime (CLOCK_MONOTONIC, &now);
  memcpy (self.bytes + 8, &now.tv_nsec, sizeof (uint32_t));
  memcpy (self.bytes + 12, &(uint32_t){ (uint32_t)getpid () }, sizeof (uint32_t));
  return self;
}

bool
vtr_recording_id_is_none (const VtrRecordingId *self)
{
  return vtr_recording_id_equal (self, &(VtrRecordingId){ { 0 } });
}

bool
vtr_recording_id_equal (const VtrRecordingId *a,
                        const VtrRecordingId *b)
{
  return memcmp (a->bytes, b->bytes, sizeof a->bytes) == 0;
}

void
vtr_recording_id_print (const VtrRecordingId *self,
                        char                  text[VTR_RECORDING_ID_TEXT])
{
  static const char digits[] = "0123456789abcdef";

  for (unsigned i = 0; i < sizeof self->bytes; i++)
    {
      text[2 * i] = digits[self->bytes[i] >> 4];
      text[2 * i + 1] = digits[self->bytes[i] & 15];
    }
  text[2 * sizeof self->bytes] = '\0';
}

static int
digit_value (char digit)
{
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool
vtr_recording_id_parse (const char     *text,
                        VtrRecordingId *out)
{
  VtrRecordingId id;

  for (unsigned i = 0; i < sizeof id.bytes; i++)
    {
      int high = digit_value (text[2 * i]);
      int low = high < 0 ? -1 : digit_value (text[2 * i + 1]);

      if (low < 0)
        return false;
      id.bytes[i] = (uint8_t)(high << 4 | low);
    }
  *out = id;
  return true;
}
