/* The scope in which names are unique, as a trace describes it: vitrine.Namespace (FORMAT.md
 * §5). */
#pragma once

#include <glib.h>

#include "api/vtr-api-model.h"

G_BEGIN_DECLS

/* Immutable; owned by its trace. Traces without any, and commands outside of all, have NULL in its place:
 * their names are unique in the trace, in namespace 0. */
typedef struct _VtrNamespaceInfo VtrNamespaceInfo;
struct _VtrNamespaceInfo
{
  guint32 number;                 /* from 1; unique in the trace */
  VtrApiNames scope;              /* its sort; VTR_NAMES_NOWHERE: unknown to this build */
  const VtrNamespaceInfo *parent; /* the one around it; NULL: none */
  const VtrApiModel *api;         /* NULL: unknown to this build */
  guint64 name;                   /* of the object that it is of, such as a context; 0: none */
  guint64 begun;                  /* flat index of the first command after its beginning */
  const guint8 *facts;            /* what the API says of it; NULL: nothing */
  gsize facts_size;
};

/* The word that files have for a scope; "" for one that they never have. */
const char *vtr_namespace_name_scope (VtrApiNames scope);

/* The number of the namespace in which a command of @self (nullable) looks up @name of @kind, as
 * VtrApiHandle.names_in and .zero_in say. Returns: 0 when there is none. */
static inline guint32
vtr_namespace_find_names (const VtrNamespaceInfo *self,
                          VtrHandleId             kind,
                          guint64                 name)
{
  const VtrApiHandle *handle;
  guint scope;

  if (self == NULL || !vtr_handle_is_known (kind))
    return 0;
  handle = vtr_handle_get (kind);
  scope = name == 0 && (handle->flags & VTR_HANDLE_ZERO_IS_OBJECT) != 0 ? handle->zero_in
                                                                        : handle->names_in;
  while (self != NULL && (guint)self->scope != scope)
    self = self->parent;
  return self != NULL ? self->number : 0;
}

G_END_DECLS
