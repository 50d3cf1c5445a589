/* S: which objects an API's commands make, what their state is, and what a command finds bound (docs/design/api.md, 3.5). */
#pragma once

#include <gio/gio.h>

#include "api/vtr-api-env.h"
#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

/* Of src/engine/format and src/engine/state. */
typedef struct _VtrCommand VtrCommand;
typedef struct _VtrHistoryBuilder VtrHistoryBuilder;
typedef struct _VtrHistory VtrHistory;
typedef struct _VtrTimeline VtrTimeline;
typedef struct _VtrObject VtrObject;
typedef struct _VtrAnalysis VtrAnalysis;
typedef struct _VtrPlace VtrPlace;
typedef struct _VtrApiState VtrApiState;
typedef struct _VtrStateShared VtrStateShared;
typedef struct _VtrStateRecord VtrStateRecord;
typedef struct _VtrStatePosition VtrStatePosition;
typedef struct _VtrStateView VtrStateView;
typedef struct _VtrMutator VtrMutator;
/* Of json-glib. */
typedef struct _JsonObject JsonObject;
typedef struct _JsonNode JsonNode;

struct _VtrStateApi
{
  /**
   * @objects_new, @objects_free: S1
   *
   * What the API keeps of a trace's objects besides their lifetimes. Made when a history is built, of a trace that has
   * commands of the API, then filled by @lifetimes, then only read. Freed with the history (vtr_history_get_part ()).
   */
  gpointer (*objects_new) (VtrHistoryBuilder *builder);
  void (*objects_free) (gpointer objects);
  /* S1. The history calls it once per id, and gives @lifetimes each such command in its order,
   * after the tables were applied to it (T5): for further objects that begin or end, names, and the
   * API's own data. NULL: the tables are complete.
   * Threading: one worker. */
  gboolean (*wants_lifetimes) (VtrCmdId id);
  void (*lifetimes) (gpointer objects,
                     const VtrCommand *command);
  /* S1. Whether names are looked up in the namespace of their command (T4); FALSE: all in namespace
   * 0. */
  gboolean has_namespaces;
  /* S1. The object from which a command makes one of @kind, if neither tables nor arguments show
   * it; 0: none. */
  guint32 (*find_parent) (gpointer objects,
                          const VtrCommand *command,
                          guint32 kind);

  /* S2. The data that the API keeps for all states of a trace. Threading: @shared_new one worker;
   * its result locks inside. */
  gpointer (*shared_new) (VtrStateShared *shared);
  void (*shared_free) (gpointer part);
  /**
   * @record_size, @record_fill, @record_deepen, @record_clear, @record_measure: S2
   *
   * The record of an object: a structure that begins with VtrStateRecord. Its bytes; what it says right after the
   * object's creation (the rest is zero; @shared: as of @shared_new); makes own what a copy of its bytes shares; frees
   * what it holds; the bytes of that. Of @record_size NULL: objects of the API never change. Of VTR_RECORD_OWN the
   * record that the API has in each state besides those, which is all zero at first. Threading: any.
   */
  gsize (*record_size) (guint32 type);
  void (*record_fill) (gpointer shared,
                       const VtrObject *object,
                       VtrStateRecord *record);
  void (*record_deepen) (VtrStateRecord *record);
  void (*record_clear) (VtrStateRecord *record);
  gsize (*record_measure) (const VtrStateRecord *record);

  /* S3. What the API keeps in a mutator; freed by g_free (). */
  gpointer (*mutator_new) (void);
  /* S3. Whether a command (its canonical id) changes anything but by creating and destroying; asked once per id. NULL:
   * each does. */
  gboolean (*wants) (VtrCmdId id);
  /* S3. Applies the mutator's command, which is decoded, to its state. */
  void (*mutate) (VtrMutator *mutator);
  /* S4. Applies what the mutator's command, which runs command lists, does between two places inside of it (NULL: its
   * begin, its end). NULL: the API has no command lists. */
  void (*run) (VtrMutator *mutator,
               const VtrStatePosition *from,
               const VtrStatePosition *to);

  /* S5. Whether objects of this kind have the objects made from them listed below them in a state. NULL: none has. */
  gboolean (*is_owner) (guint32 kind);
  /* S5. What the API keeps in a view of a state. Threading: any. */
  gpointer (*view_new) (VtrStateView *view);
  void (*view_free) (gpointer part);
  /* S5. Adds the changes of @of since its creation to @object. @record: of its type. */
  void (*object_json) (VtrStateView *view,
                       const VtrObject *of,
                       const VtrStateRecord *record,
                       JsonObject *object);
  /* S5. Adds state that belongs to no object to @object; it is shown at the top of a state. */
  void (*facts_json) (VtrStateView *view,
                      JsonObject *object);

  /* S6. What the API needs to answer what commands of a trace find bound. Threading: any; it locks inside. */
  gpointer (*walker_new) (VtrTimeline *timeline,
                          VtrHistory *history);
  void (*walker_free) (gpointer part);
  /* S6. What a command finds bound. (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING where nothing can
   * be; those of decoding. Threading: any. */
  JsonNode *(*bound_json) (VtrAnalysis     *analysis,
                           const VtrPlace  *place,
                           GError         **error);

  /* S10. Appends the errors of the API's calls of a trace to @messages (of VtrStateMessage).
   * Errors: G_IO_ERROR_CANCELLED. */
  gboolean (*check) (VtrTimeline *timeline,
                     VtrHistory *history,
                     GArray *messages,
                     GCancellable *cancellable,
                     GError **error);
  /* S11. Whether the command succeeded: by its result if it has one; else by @state, the state
   * before it, in which the API knows its errors; NULL: not known. VTR_UNKNOWN counts as yes. NULL:
   * every command did. */
  VtrTristate (*succeeded) (const VtrCommand *command,
                            VtrApiState *state);
};

G_END_DECLS
