/* Identifies a trace and the version of its file, for what is cached about it. */
#include "engine/format/vtr-trace-private.h"

#include <xxhash.h>

void
vtr_trace_get_identity (VtrTrace *self,
                        guint64   identity[2])
{
  XXH128_hash_t hash = XXH3_128bits (self->data, self->size);

  identity[0] = hash.low64;
  identity[1] = hash.high64;
}

const char *
vtr_trace_get_file_version (VtrTrace *self)
{
  return self->version;
}
