/* X: the contents of lists and panes for an API (docs/design/api.md, 3.8).
 *
 * Each member may be NULL: then the API has nothing of the kind, and lists stay empty. Threading: any. */
#pragma once

#include <gio/gio.h>

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

/* Of the rooms above this one. */
typedef struct _JsonNode JsonNode;
typedef struct _VtrAnalysis VtrAnalysis;
typedef struct _VtrBoundModel VtrBoundModel;
typedef struct _VtrHistory VtrHistory;
typedef struct _VtrImageFacts VtrImageFacts;
typedef struct _VtrImageView VtrImageView;
typedef struct _VtrObject VtrObject;
typedef struct _VtrShaderCode VtrShaderCode;
typedef struct _VtrShaderList VtrShaderList;
typedef struct _VtrUses VtrUses;

/* A statistic of a draw or dispatch that a replay can count. */
typedef struct
{
  const char *key;  /* in JSON: "clippingInvocations" */
  const char *name; /* for people; not translated yet: call vtr_locale_translate () */
} VtrCounter;

struct _VtrShowApi
{
  /* X3. The name of a command without the prefix that all names have. NULL: the whole name. */
  const char *(*short_name) (VtrCmdId id);

  /* The kinds of command lists and of what they run on, if the API has such. */
  VtrHandleId list_kind, executor_kind;

  /* X4. Counts what the commands of this API use, in one pass over the trace. Errors: cancellation. */
  gboolean (*count_uses) (VtrAnalysis *analysis,
                          VtrUses *uses,
                          GCancellable *cancellable,
                          GError **error);
  /* X4. The images that a command uses: a GArray of VtrUse (transfer full). @run: of its command list, or VTR_NO_RUN. */
  GArray *(*list_uses) (VtrAnalysis  *analysis,
                        guint64       index,
                        guint32       run,
                        GError      **error);

  /* X5. What is bound after a command, by stages (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING with the sentence
   * for the empty pane; those of decoding. */
  VtrBoundModel *(*list_bound) (VtrAnalysis   *analysis,
                                guint64        index,
                                GCancellable  *cancellable,
                                GError       **error);

  /* S9. The kind of images, and the properties of one. Returns: FALSE without an error if the object is not an image. */
  VtrHandleId image_kind;
  gboolean (*get_image) (VtrHistory *history,
                         const VtrObject *object,
                         VtrImageFacts *out,
                         GError **error);
  /* "swapchain": what the images belong to that come to the screen (VtrImageFacts.presented); not translated yet. NULL: such
   * images are not told apart. */
  const char *presenter;
  /* X8. The image of which @object is a view. Returns: FALSE if it is not a view. */
  gboolean (*find_image) (VtrHistory *history,
                          const VtrObject *object,
                          VtrImageView *out);

  /* S9. Flat index of the command that bound memory to @object; VTR_COMMAND_NO_INDEX: none. */
  guint64 (*find_binding) (VtrHistory *history,
                           const VtrObject *object);

  /* X6. Adds all shaders of the trace, with the pipelines that use them. Errors: cancellation. */
  gboolean (*list_code) (VtrHistory *history,
                         VtrUses *uses,
                         VtrShaderList *list,
                         GCancellable *cancellable,
                         GError **error);
  /* X6. The stages bound at a command: a GArray of VtrBoundShader (transfer full). Errors: as of .list_bound. */
  GArray *(*list_bound_code) (VtrAnalysis  *analysis,
                              guint64       index,
                              GError      **error);
  /* X6. The stages of a pipeline, as .list_bound_code; of a shader by itself one, VTR_SHADER_MODULE. NULL
   * without an error: it is neither. */
  GArray *(*list_stages) (VtrHistory       *history,
                          const VtrObject  *object,
                          GError          **error);
  /* X6. Stage @nth of pipeline @object, or shader @object by itself (VTR_SHADER_MODULE). (transfer full). Errors: those
   * of the trace; VTR_SHADER_ERROR. */
  VtrShaderCode *(*load_code) (VtrHistory       *history,
                               const VtrObject  *object,
                               guint32           nth,
                               GError          **error);
  /* X6. The id of the last shader with this name; 0: none. */
  guint32 (*find_code) (VtrHistory *history,
                        guint64 name);

  /* The devices on which the trace was captured: an array (transfer full). */
  JsonNode *(*describe_devices) (VtrAnalysis *analysis);
  /* The contents that the recorder added before command @index: an array (transfer full). Errors: those of decoding. */
  JsonNode *(*describe_writes) (VtrAnalysis  *analysis,
                                guint64       index,
                                GError      **error);
  /* "1.3.239": the version of the API that a device has. (transfer full) */
  char *(*format_version) (guint32 version);

  /* X7. The statistics that the API's replays can count, in the order of their numbers. (transfer none) */
  const VtrCounter *(*list_counters) (guint *n);
};

/* The table of an API, by any of its ids. Returns: a table of NULLs if no API of this build has the
 * id. O(1). */
const VtrShowApi *vtr_show_api_get (guint32 id);

G_END_DECLS
