/* The lifetimes of objects, and the meaning of a name at any command. */
#pragma once

#include "engine/format/vtr-command.h"
#include "engine/state/vtr-identity.h"

G_BEGIN_DECLS

/* An object that the program created. Its properties are the decoded arguments of its creating
   command. Immutable; owned by the VtrLifetimes of the trace's VtrHistory, and valid as long as
   that. */
typedef struct _VtrObject
{
  guint32 id;         /* unique in the trace, from 1, in order of creation: "buffer 41" */
  guint32 type;       /* VtrHandleId */
  guint64 handle;     /* its name */
  guint64 created;    /* flat index of the creating command */
  guint64 destroyed;  /* of the command that ended it; VTR_COMMAND_NO_INDEX: lives to the end */
  guint64 name_ended; /* of the command after which its name is invalid; at most .destroyed */
  guint32 namespace;  /* of its name */
  guint32 element;    /* which element of the creating command's array */
  guint32 parent;     /* id of the device, pool, … it was made from; 0: none */
  const char
    *name; /* last name given by the program (debug utils) in the whole trace; NULL: none */
} VtrObject;

/**
 * VtrLifetimes:
 *
 * The objects of a trace. Filled in the order of the commands, then read. Several objects of one
 * identity may be alive at once: a name may end before its object and then name another one, and
 * traces without namespaces may have two objects of one name. Threading: one while it is filled;
 * then any.
 */
typedef struct _VtrLifetimes VtrLifetimes;

VtrLifetimes *vtr_lifetimes_new (void);
void vtr_lifetimes_free (VtrLifetimes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrLifetimes, vtr_lifetimes_free)

/* Begins an object at command @index, and makes @identity mean it. @parent: 0 for none; the object
 * ends with its parent. Returns: its id. */
guint32 vtr_lifetimes_begin (VtrLifetimes *self,
                             VtrIdentity   identity,
                             guint64       index,
                             guint32       element,
                             guint32       parent);
/* Ends the name of @id, which then means the object that it meant before, or none; the object lives
 * on. */
void vtr_lifetimes_end_name (VtrLifetimes *self,
                             guint32       id,
                             guint64       index);
/* Ends @id, its name if that has not ended, and everything made from it. */
void vtr_lifetimes_end_object (VtrLifetimes *self,
                               guint32       id,
                               guint64       index);
void vtr_lifetimes_end_children (VtrLifetimes *self,
                                 guint32       id,
                                 guint64       index);
/* Sets the program's name for @id. @text: (nullable): removes it. */
void vtr_lifetimes_set_name (VtrLifetimes *self,
                             guint32       id,
                             const char   *text);
/* The object that @identity means after the calls so far. Returns: an id, or 0. */
guint32 vtr_lifetimes_get_current (VtrLifetimes *self,
                                   VtrIdentity   identity);
/* Call it after the last command. */
void vtr_lifetimes_finish (VtrLifetimes *self);

guint32 vtr_lifetimes_get_n_objects (VtrLifetimes *self);
/* @id from 1. Returns: NULL beyond the last; valid until the next begins. */
const VtrObject *vtr_lifetimes_get_object (VtrLifetimes *self,
                                           guint32       id);
/* The object that @identity means to command @index: the newest that has this name then, or else
 * the object whose name the command itself ends. NULL: none. Call it only after
 * vtr_lifetimes_finish(); O(log n). */
const VtrObject *vtr_lifetimes_find (VtrLifetimes *self,
                                     VtrIdentity   identity,
                                     guint64       index);

G_END_DECLS
