/* How commands nest: those of one recording of a list, or those of a frame that are in no list. */
#pragma once

#include "engine/api/vtr-scope-api.h"
#include "engine/state/vtr-segments.h"
#include "engine/state/vtr-timeline.h"

G_BEGIN_DECLS

/* A row that stands for several commands, with rows below it or (.n_children 0) without. Positions count the commands of
 * the tree. */
typedef struct
{
  VtrNodeKind kind; /* LIST or FRAME (the whole, always container 0), PASS, SUBPASS, GROUP, SCOPE */
  VtrCommandKind icon;
  guint32 parent;                 /* container; of the whole: itself */
  gint64 first, last;             /* what the row stands for */
  gint64 inner_first, inner_last; /* the commands of its children: without the label commands of a
                                     group */
  guint32 child_position;         /* among its parent's children */
  guint32 first_sub, n_subs;      /* of VtrScopeTree.subs */
  guint32 n_children;
  gboolean leaf;                 /* a row without rows below it, though it stands for several commands */
  guint32 ordinal;               /* passes: number of passes before it in the tree; subpasses:
                                    number in the pass */
  guint32 n_draws, n_dispatches; /* with those of the lists that its commands run inside of a list */
} VtrContainer;

/* Immutable, reference-counted (g_atomic_rc_box). */
typedef struct
{
  guint32 recording; /* VTR_NO_RECORDING: of a frame */
  VtrSegments commands;
  GArray *containers; /* of VtrContainer, by first; parents before children */
  guint32 *subs;      /* containers by parent, in order */
} VtrScopeTree;

VtrScopeTree *vtr_scope_tree_build (VtrTimeline *timeline,
                                    guint32      recording);
/* Of the commands from @first to @last that are in no list. */
VtrScopeTree *vtr_scope_tree_build_frame (VtrTimeline *timeline,
                                          guint64      first,
                                          guint64      last);
VtrScopeTree *vtr_scope_tree_ref (VtrScopeTree *self);
void vtr_scope_tree_unref (VtrScopeTree *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrScopeTree, vtr_scope_tree_unref)

#define vtr_scope_tree_at(self, nth) (&g_array_index ((self)->containers, VtrContainer, (nth)))

/* Child @nth of a container: another one (returned; *@position is its first command), or the
   command at *@position (G_MAXUINT32 is returned). */
guint32 vtr_scope_tree_get_child (VtrScopeTree *self,
                                  guint32       container,
                                  guint32       nth,
                                  gint64       *position);
/* The container that directly shows @position, and as which of its children. For a group's own
   label commands: the group and G_MAXUINT32. */
guint32 vtr_scope_tree_locate (VtrScopeTree *self,
                               gint64        position,
                               guint32      *nth);
/* The container of @kind that begins with @position, or after it if it is empty; G_MAXUINT32:
   none. */
guint32 vtr_scope_tree_find (VtrScopeTree *self,
                             VtrNodeKind   kind,
                             gint64        position);
/* The number of passes that begin before @position. O(log n + containers since the last of
 * them). */
guint32 vtr_scope_tree_count_passes (VtrScopeTree *self,
                                     gint64        position);

/* --- For the APIs (P2): containers that the current command begins and ends --- */

VtrTimeline *vtr_scope_builder_get_timeline (VtrScopeBuilder *self);
/* A number that the API keeps between its commands; 0 at first, and after a command of another API. */
guint64 vtr_scope_builder_get_word (VtrScopeBuilder *self);
void vtr_scope_builder_set_word (VtrScopeBuilder *self,
                                 guint64          word);
/* Looks at the commands of the tree after the current one: TRUE with the id of the @nth, from 0. */
gboolean vtr_scope_builder_peek (VtrScopeBuilder *self,
                                 guint64          nth,
                                 VtrCmdId        *id);
/* Whether a container of @kind is open that does not only wait for the end of a pass. */
gboolean vtr_scope_builder_has_open (VtrScopeBuilder *self,
                                     VtrNodeKind      kind);
/* Opens a container with the current command, or (@after) with the next one; a GROUP does not show
 * its first command.
 * @leaf: it is one row without rows below it. */
void vtr_scope_builder_open (VtrScopeBuilder *self,
                             VtrNodeKind      kind,
                             VtrCommandKind   icon,
                             gboolean         after,
                             gboolean         leaf);
/* Ends the innermost container of @kind with the current command, after ending the containers that
 * are open in it. Does nothing without such a container. A label that ends inside of a pass that
 * began after it lasts until the pass ends. */
void vtr_scope_builder_close (VtrScopeBuilder *self,
                              VtrNodeKind      kind);
/* Ends the innermost container of @kind before the current command. */
void vtr_scope_builder_close_before (VtrScopeBuilder *self,
                                     VtrNodeKind      kind);

G_END_DECLS
