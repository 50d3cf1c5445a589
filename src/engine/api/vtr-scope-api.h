/* P: how an API's commands nest, and which command lists it has (docs/design/api.md, 3.4). */
#pragma once

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

/* Of src/engine/format, src/engine/state and src/engine/model. */
typedef struct _VtrTrace VtrTrace;
typedef struct _VtrCommand VtrCommand;
typedef struct _VtrAnalysis VtrAnalysis;
typedef struct _VtrTimelineBuilder VtrTimelineBuilder;
typedef struct _VtrScopeBuilder VtrScopeBuilder;
typedef struct _VtrTreeNode VtrTreeNode;

/* The kind of a row of the command tree. */
typedef enum
{
  VTR_NODE_ROOT,
  VTR_NODE_FRAME,
  VTR_NODE_COMMAND, /* a call outside of command lists */
  VTR_NODE_SUBMIT,  /* a call that runs command lists; children: their runs */
  VTR_NODE_LIST,    /* one run of a command list; children: scopes, groups, commands */
  VTR_NODE_PASS,    /* a stretch of work on one set of targets; numbered within its frame */
  VTR_NODE_SUBPASS, /* a part of a pass; numbered within it */
  VTR_NODE_GROUP,   /* between a label and its end */
  VTR_NODE_SCOPE,   /* another scope of the API, such as the calls in one context */
  VTR_NODE_CMD,     /* a command in a command list */
} VtrNodeKind;

/* Which icon a command gets. */
typedef enum
{
  VTR_COMMAND_KIND_OTHER,
  VTR_COMMAND_KIND_DRAW,
  VTR_COMMAND_KIND_DISPATCH,
  VTR_COMMAND_KIND_COPY, /* copy, blit, resolve */
  VTR_COMMAND_KIND_CLEAR,
  VTR_COMMAND_KIND_BARRIER, /* and events */
  VTR_COMMAND_KIND_STATE,   /* bind, set, push */
  VTR_COMMAND_KIND_PASS,
  VTR_COMMAND_KIND_GROUP,
  VTR_COMMAND_KIND_SUBMIT,
  VTR_COMMAND_KIND_LIST,
  VTR_COMMAND_KIND_FRAME,
  VTR_COMMAND_KIND_PRESENT,
} VtrCommandKind;

/* The statistic in which a command is counted. */
typedef enum
{
  VTR_COUNT_NOTHING,
  VTR_COUNT_DRAW,
  VTR_COUNT_DISPATCH,
  VTR_COUNT_TRANSFER,
  VTR_COUNT_PASS, /* it begins a PASS */
} VtrCommandCount;

/* The name of a pass, which is the same in each run of its list except for the number. */
typedef struct
{
  const char *name;  /* (nullable): the whole title, from an object of the program that names the pass. Owned by the history */
  gboolean is_known; /* the fields below are valid */
  guint n_colors;    /* targets */
  gboolean has_depth, has_stencil;
} VtrPassName;

/* How an API describes its commands while a trace's timeline is built. NULL: none of them is in a
 * command list. */
struct _VtrScopeApi
{
  /**
   * @scan_new, @scan, @scan_free: P1
   *
   * A pass over the commands of a trace. @scan_new makes the API's data for the pass; @scan gets each command of the API, in
   * order, and tells @builder which command lists are recorded and run; @scan_free frees the data. @scan returns FALSE if the
   * commands of several recordings are mixed in the trace: the pass then begins again, with vtr_timeline_builder_is_mixed ().
   * An API is asked only if the trace has commands of it. Threading: one worker.
   */
  gpointer (*scan_new) (VtrTimelineBuilder *builder);
  gboolean (*scan) (gpointer self,
                    guint64 index,
                    VtrCmdId id);
  void (*scan_free) (gpointer self);
  /* Kinds (VtrHandleId) of VtrRecording.list and VtrSubmission.executor; VTR_HANDLE_NONE: they have no objects. */
  guint32 list_kind, executor_kind;

  /* The statistic in which command @index is counted. NULL: by the neutral classes of its id.
   * Threading: that of @trace. */
  VtrCommandCount (*count) (VtrTrace *trace,
                            guint64 index);
  /* The icon of a command. NULL: by the neutral classes. */
  VtrCommandKind (*get_kind) (VtrCmdId id);

  /**
   * @nest_list, @nest_frame: P2
   *
   * Get the commands of a recording, or the commands of a frame that are in no list, in order, and say which scopes command
   * @index begins or ends (src/engine/state/vtr-scope-tree.h). NULL: the commands are a flat list. The open scopes of an API in
   * a frame end at a command of another API. Threading: one.
   */
  void (*nest_list) (VtrScopeBuilder *builder,
                     guint64 index,
                     VtrCmdId id);
  void (*nest_frame) (VtrScopeBuilder *builder,
                      guint64 index,
                      VtrCmdId id);

  /* P4. The text of a label command, in the command's arena; NULL: none. */
  const char *(*get_label) (const VtrCommand *command);
  /* P4. The title of a LIST or SCOPE, or the text after the title of a SUBMIT. (transfer full) (nullable). */
  char *(*get_text) (VtrAnalysis       *analysis,
                     const VtrTreeNode *node);
  /* P4. Whether rows leave out a first argument of this kind, because their place in the tree shows it. NULL: none. */
  gboolean (*is_implied) (guint32 kind);
  /* P4. The name of a result that is shown after the arguments; NULL: it is not shown. */
  const char *(*get_result) (const VtrCommand *command);
  /* P4. The name of the PASS that begins with command @first. @out: all zero before. */
  void (*name_pass) (VtrAnalysis *analysis,
                     guint64 first,
                     VtrPassName *out);
};

G_END_DECLS
