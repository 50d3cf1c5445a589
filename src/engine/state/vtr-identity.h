/* How a command names an object. */
#pragma once

#include <glib.h>

#include "api/vtr-api-model.h"
#include "engine/format/vtr-command.h"

G_BEGIN_DECLS

/* An identity may be used again after its object has ended: an object is one lifetime of its
 * identity. */
typedef struct _VtrIdentity
{
  guint64 name;      /* the number that the program uses; 0 where VTR_HANDLE_ZERO_IS_OBJECT says so */
  guint32 namespace; /* that the name is unique in; 0 in traces that have none */
  guint32 kind;      /* VtrHandleId */
} VtrIdentity;

/* The identity that @command means by @name of @kind. */
static inline VtrIdentity
vtr_identity_of (const VtrCommand *command,
                 guint32           kind,
                 guint64           name)
{
  return (VtrIdentity){
    .name = name,
    .namespace = vtr_namespace_find_names (command->namespace, (VtrHandleId)kind, name),
    .kind = kind,
  };
}

/* Whether it can name an object at all. */
static inline gboolean
vtr_identity_is_null (VtrIdentity self)
{
  return !vtr_handle_is_known (self.kind) ||
         (self.name == 0 &&
          (vtr_handle_get ((VtrHandleId)self.kind)->flags & VTR_HANDLE_ZERO_IS_OBJECT) == 0);
}

static inline gboolean
vtr_identity_equal (VtrIdentity a,
                    VtrIdentity b)
{
  return a.name == b.name && a.namespace == b.namespace && a.kind == b.kind;
}

/* By kind, namespace and name. Returns: less than, equal to or more than 0. */
static inline int
vtr_identity_compare (VtrIdentity a,
                      VtrIdentity b)
{
  if (a.kind != b.kind)
    return a.kind < b.kind ? -1 : 1;
  if (a.namespace != b.namespace)
    return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name;
}

static inline guint
vtr_identity_hash (VtrIdentity self)
{
  const guint64 mixed = self.name ^ ((guint64)self.kind << 56) ^ ((guint64)self.namespace << 40);

  return (guint)((mixed * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);
}

G_END_DECLS
