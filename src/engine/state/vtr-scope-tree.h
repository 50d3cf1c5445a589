/* How commands nest: the commands of one recording of a command list, or the commands of one frame that are in no list. */
#pragma once

#include "engine/api/vtr-scope-api.h"
#include "engine/state/vtr-segments.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/* A row that stands for several commands. It has rows below it, or none (.n_children is 0). Positions count the commands
 * of the tree, from 0. */
typedef struct
{
  VtrNodeKind kind; /* LIST or FRAME (the root, always container 0), PASS, SUBPASS, GROUP, SCOPE */
  VtrCommandKind icon;
  guint32 parent;                 /* container; of the root: itself */
  gint64 first, last;             /* positions of the commands that the row stands for */
  gint64 inner_first, inner_last; /* positions of its children's commands: without the label commands
                                     of a group */
  guint32 child_position;         /* among its parent's children */
  guint32 first_sub, n_subs;      /* its containers in VtrScopeTree.subs */
  guint32 n_children;
  gboolean leaf;                 /* the row is shown without rows below it */
  guint32 ordinal;               /* passes: number of passes before it in the tree; subpasses:
                                    number in the pass */
  guint32 n_draws, n_dispatches; /* including those of secondary lists that its commands run */
} VtrContainer;

/* Immutable, reference-counted (g_atomic_rc_box). */
typedef struct
{
  guint32 recording; /* VTR_NO_RECORDING: the tree of a frame */
  VtrSegments commands;
  GArray *containers; /* VtrContainer, ascending by .first; parents before children */
  guint32 *subs;      /* the containers inside each container, in order */
} VtrScopeTree;

/* Both build functions return: (transfer full). O(commands). Threading: any. */
VtrScopeTree *vtr_scope_tree_build (VtrTimeline *timeline,
                                    guint32      recording);
/* @first, @last: flat indices, inclusive. Commands that are recorded into a list are left out. */
VtrScopeTree *vtr_scope_tree_build_frame (VtrTimeline *timeline,
                                          guint64      first,
                                          guint64      last);
VtrScopeTree *vtr_scope_tree_ref (VtrScopeTree *self);
void vtr_scope_tree_unref (VtrScopeTree *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrScopeTree, vtr_scope_tree_unref)

#define vtr_scope_tree_at(self, nth) (&g_array_index ((self)->containers, VtrContainer, (nth)))

/* Child @nth of @container. Returns: the child if it is a container, and its first command in *@position; G_MAXUINT32
 * if the child is the single command at *@position. */
guint32 vtr_scope_tree_get_child (VtrScopeTree *self,
                                  guint32       container,
                                  guint32       nth,
                                  gint64       *position);
/* Returns: the innermost container that shows the command at @position. @nth: (out): which of its children that is;
 * G_MAXUINT32 for the label commands of a group, which belong to the group itself. */
guint32 vtr_scope_tree_locate (VtrScopeTree *self,
                               gint64        position,
                               guint32      *nth);
/* Returns: the container of @kind that begins at @position, or right after it if it is empty; G_MAXUINT32: none. */
guint32 vtr_scope_tree_find (VtrScopeTree *self,
                             VtrNodeKind   kind,
                             gint64        position);
/* The number of passes that begin before @position. O(log n + containers since the last of these passes). */
guint32 vtr_scope_tree_count_passes (VtrScopeTree *self,
                                     gint64        position);

/* --- For the API's nest () (vtr-scope-api.h): containers that the current command begins and ends --- */

VtrTimeline *vtr_scope_builder_get_timeline (VtrScopeBuilder *self);
/* A number that the API keeps between its commands; 0 at first, and after a command of another API. */
guint64 vtr_scope_builder_get_word (VtrScopeBuilder *self);
void vtr_scope_builder_set_word (VtrScopeBuilder *self,
                                 guint64          word);
/* Looks ahead: gets the id of the @nth command after the current one, from 0. Returns: FALSE past the end of the tree. */
gboolean vtr_scope_builder_peek (VtrScopeBuilder *self,
                                 guint64          nth,
                                 VtrCmdId        *id);
/* Whether a container of @kind is open. A label that was closed inside a pass, and lasts until the pass ends, does not
 * count. */
gboolean vtr_scope_builder_has_open (VtrScopeBuilder *self,
                                     VtrNodeKind      kind);
/* Opens a container. @after: it begins with the next command, not with the current one. A GROUP does not show its first
 * command. @leaf: the container is shown without rows below it. */
void vtr_scope_builder_open (VtrScopeBuilder *self,
                             VtrNodeKind      kind,
                             VtrCommandKind   icon,
                             gboolean         after,
                             gboolean         leaf);
/* Ends the innermost container of @kind with the current command, and the containers that are open inside it. Does
 * nothing if no such container is open. A label that ends inside a pass that began after it lasts until the pass ends. */
void vtr_scope_builder_close (VtrScopeBuilder *self,
                              VtrNodeKind      kind);
/* Ends the innermost container of @kind before the current command. */
void vtr_scope_builder_close_before (VtrScopeBuilder *self,
                                     VtrNodeKind      kind);

G_END_DECLS
