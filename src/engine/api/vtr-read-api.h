/* Messages of a trace that only an API can read.
 *
 * Threading: any. */
#pragma once

#include "engine/api/vtr-api.h"
#include "wire/vtr-trace-objects.h"

G_BEGIN_DECLS

/* Where a message of contents says whose they are. */
typedef struct
{
  VtrHandleId kind;     /* of the object */
  guint32 owner_field;  /* number of the field with the object that its name is looked up in */
  guint32 object_field; /* and of the field with its name */
} VtrContentObject;

struct _VtrReadApi
{
  /* D5: whose contents messages of type @object are. Returns: FALSE: they are not of this API. */
  gboolean (*find_content) (VtrTraceObject object,
                            VtrContentObject *out);
};

G_END_DECLS
