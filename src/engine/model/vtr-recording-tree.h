/* How the commands of one recording nest: passes, subpasses, debug groups. */
#pragma once

#include "engine/model/vtr-command-tree.h"
#include "engine/model/vtr-segments.h"

G_BEGIN_DECLS

/* A row with rows below it. Positions count the commands of the recording. */
typedef struct
{
  VtrNodeKind kind;               /* COMMAND_BUFFER (the whole, always container 0), PASS, SUBPASS, GROUP */
  guint32 parent;                 /* container; of the whole: itself */
  gint64 first, last;             /* what the row stands for */
  gint64 inner_first, inner_last; /* what its children are made of: without the label commands of a group */
  guint32 child_position;         /* among its parent's children */
  guint32 first_sub, n_subs;      /* of VtrRecordingTree.subs */
  guint32 n_children;
  guint32 ordinal;               /* passes: how many came before in the recording; subpasses: number in the pass */
  guint32 n_draws, n_dispatches; /* with secondaries */
} VtrContainer;

/* Immutable, reference-counted (g_atomic_rc_box). */
typedef struct
{
  guint32 recording;
  VtrSegments commands;
  GArray *containers; /* of VtrContainer, by first; parents before children */
  guint32 *subs;      /* containers by parent, in order */
} VtrRecordingTree;

VtrRecordingTree *vtr_recording_tree_build (VtrTimeline *timeline,
                                            guint32      recording);
VtrRecordingTree *vtr_recording_tree_ref (VtrRecordingTree *self);
void vtr_recording_tree_unref (VtrRecordingTree *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrRecordingTree, vtr_recording_tree_unref)

#define vtr_recording_tree_at(self, nth) (&g_array_index ((self)->containers, VtrContainer, (nth)))

/* Child @nth of a container: another one (returned; *@position is its first command), or the
   command at *@position (G_MAXUINT32 is returned). */
guint32 vtr_recording_tree_get_child (VtrRecordingTree *self,
                                      guint32           container,
                                      guint32           nth,
                                      gint64           *position);
/* The container that directly shows @position, and as which of its children. For a group's own
   label commands: the group and G_MAXUINT32. */
guint32 vtr_recording_tree_locate (VtrRecordingTree *self,
                                   gint64            position,
                                   guint32          *nth);
/* The container of @kind that begins with @position, or, if it is empty, after it; G_MAXUINT32:
   none. */
guint32 vtr_recording_tree_find (VtrRecordingTree *self,
                                 VtrNodeKind       kind,
                                 gint64            position);
/* Passes that begin before @position. O(log n), and what is nested since the last of them. */
guint32 vtr_recording_tree_count_passes (VtrRecordingTree *self,
                                         gint64            position);

G_END_DECLS
