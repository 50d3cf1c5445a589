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
  guint64 handle;     /* the name by which commands refer to it */
  guint64 created;    /* flat index of the command that created it */
  guint64 destroyed;  /* flat index of the command that ended it; VTR_COMMAND_NO_INDEX: none did */
  guint64 name_ended; /* flat index of the command that ended .handle; at most .destroyed */
  guint32 namespace;  /* in which .handle is valid */
  guint32 element;    /* position in the array of objects that the command created; 0 without one */
  guint32 parent;     /* id of the device, pool, … it was created from; 0: none */
  const char *name;   /* the last label that the program gave it in the whole trace; NULL: none */
} VtrObject;

/**
 * VtrLifetimes:
 *
 * The objects of a trace. It is filled in the order of the commands, and read afterwards. Several
 * objects with the same identity may be alive at once: a name may end before its object and be given
 * to another one, and in traces without namespaces two objects may share a name. Threading: one
 * thread while it is filled, then any.
 */
typedef struct _VtrLifetimes VtrLifetimes;

VtrLifetimes *vtr_lifetimes_new (void);
void vtr_lifetimes_free (VtrLifetimes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrLifetimes, vtr_lifetimes_free)

/* Adds an object that command @index creates; @identity means it from then on. @parent: an id, 0 for
 * none; the object ends with its parent. Returns: the new object's id. */
guint32 vtr_lifetimes_begin (VtrLifetimes *self,
                             VtrIdentity   identity,
                             guint64       index,
                             guint32       element,
                             guint32       parent);
/* Ends the name of object @id with command @index. The object stays alive; the name means the object
 * that it meant before, or none. */
void vtr_lifetimes_end_name (VtrLifetimes *self,
                             guint32       id,
                             guint64       index);
/* Ends object @id with command @index, its name if that is still valid, and every object created
 * from it. */
void vtr_lifetimes_end_object (VtrLifetimes *self,
                               guint32       id,
                               guint64       index);
/* Ends every object created from @id, as when a pool is reset. Object @id stays alive. */
void vtr_lifetimes_end_children (VtrLifetimes *self,
                                 guint32       id,
                                 guint64       index);
/* Sets the program's label for object @id. @text: (nullable): removes it. */
void vtr_lifetimes_set_name (VtrLifetimes *self,
                             guint32       id,
                             const char   *text);
/* The object that @identity means after the calls so far. Returns: an id, or 0. */
guint32 vtr_lifetimes_get_current (VtrLifetimes *self,
                                   VtrIdentity   identity);
/* Ends filling. Call it after the last command, and once. */
void vtr_lifetimes_finish (VtrLifetimes *self);

guint32 vtr_lifetimes_get_n_objects (VtrLifetimes *self);
/* Ids count from 1. Returns: (transfer none) (nullable): NULL beyond the last. While objects are still
 * added, the pointer is valid until the next one is. */
const VtrObject *vtr_lifetimes_get_object (VtrLifetimes *self,
                                           guint32       id);
/* The object that @identity means to command @index: the newest one with a valid name, or else the
 * object whose name the command itself ends. Only after vtr_lifetimes_finish (). O(log n). Returns:
 * (transfer none) (nullable). */
const VtrObject *vtr_lifetimes_find (VtrLifetimes *self,
                                     VtrIdentity   identity,
                                     guint64       index);

G_END_DECLS
