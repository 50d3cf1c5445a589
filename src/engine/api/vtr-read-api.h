/* Messages of a trace that only an API can read.
 *
 * Threading: any. */
#pragma once

#include "engine/api/vtr-api.h"
#include "wire/vtr-trace-objects.h"

G_BEGIN_DECLS

/* The fields of a message with contents that name their object. */
typedef struct
{
  VtrHandleId kind;     /* of the object */
  guint32 owner_field;  /* number of the field with the object that its name is looked up in */
  guint32 object_field; /* and of the field with its name */
} VtrContentObject;

struct _VtrReadApi
{
  /* D5: finds the fields that name the object of messages of type @object. Returns: FALSE: the
   * messages are not of this API. */
  gboolean (*find_content) (VtrTraceObject object,
                            VtrContentObject *out);
};

G_END_DECLS
