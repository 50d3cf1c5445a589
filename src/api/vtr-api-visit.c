/* Walks that touch every slot once. */
#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"

const void *
vtr_api_find_next (const void *next,
                   uint32_t stype)
{
  for (unsigned n = 0; next != NULL && n < VTR_WALK_MAX_CHAIN; n++)
    {
      VtrChainHeader header;

      memcpy (&header, next, sizeof header);
      if (header.stype == stype)
        return next;
      next = header.next;
    }
  return NULL;
}
