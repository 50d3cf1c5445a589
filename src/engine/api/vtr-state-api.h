/* S: the objects that an API's commands create, their state, and what a command finds bound (docs/design/api.md, 3.5). */
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
   * The API's own data about a trace's objects (vtr_history_get_part ()). Made when the history of a trace with commands of the
   * API is built, filled by @lifetimes, and only read afterwards. Freed with the history.
   */
  gpointer (*objects_new) (VtrHistoryBuilder *builder);
  void (*objects_free) (gpointer objects);
  /* S1. Whether @lifetimes gets commands of @id; asked once for each id. @lifetimes gets these commands in order, after the
   * tables (T5) were applied to them: for further objects that begin or end, for labels, and for the API's own data. NULL: the
   * tables are complete. Threading: one worker. */
  gboolean (*wants_lifetimes) (VtrCmdId id);
  void (*lifetimes) (gpointer objects,
                     const VtrCommand *command);
  /* S1. Whether names are looked up in the namespace of their command (T4); FALSE: all in namespace
   * 0. */
  gboolean has_namespaces;
  /* S1. The id of the object from which a command creates one of @kind, if neither tables nor arguments show it; 0: none. */
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
   * The record of an object's state is a structure that begins with VtrStateRecord. @record_size: its size in bytes; if NULL,
   * objects of the API never change. @record_fill: fills a zeroed record with the state after the object's creation; @shared: of
   * @shared_new. @record_deepen: after the bytes of a record were copied, replaces the data that both share by copies.
   * @record_clear: frees the data of a record. @record_measure: the size of that data in bytes. VTR_RECORD_OWN is the type of a
   * record that each state has once for the API; it is all zero at first. Threading: any.
   */
  gsize (*record_size) (guint32 type);
  void (*record_fill) (gpointer shared,
                       const VtrObject *object,
                       VtrStateRecord *record);
  void (*record_deepen) (VtrStateRecord *record);
  void (*record_clear) (VtrStateRecord *record);
  gsize (*record_measure) (const VtrStateRecord *record);

  /* S3. The API's data in a mutator; freed with g_free (). */
  gpointer (*mutator_new) (void);
  /* S3. Whether commands of @id (canonical) change more than by creating and destroying objects; asked once for each id. NULL:
   * all do. */
  gboolean (*wants) (VtrCmdId id);
  /* S3. Applies the mutator's command, which is decoded, to its state. */
  void (*mutate) (VtrMutator *mutator);
  /* S4. Applies the command lists that the mutator's command runs, between two places inside it. @from, @to: (nullable): NULL
   * for its beginning and its end. The member is NULL if the API has no command lists. */
  void (*run) (VtrMutator *mutator,
               const VtrStatePosition *from,
               const VtrStatePosition *to);

  /* S5. Whether a state lists the objects that were created from an object of this kind below it. NULL: for no kind. */
  gboolean (*is_owner) (guint32 kind);
  /* S5. The API's data in a view of a state. Threading: any. */
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

  /* S6. The API's data in a VtrBoundWalker. Threading: any; it locks inside. */
  gpointer (*walker_new) (VtrTimeline *timeline,
                          VtrHistory *history);
  void (*walker_free) (gpointer part);
  /* S6. Everything that a command finds bound. (transfer full). Errors: VTR_RESOLVE_ERROR_NOTHING if nothing can be bound; those
   * of decoding. Threading: any. */
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
  /* S11. Whether the command succeeded: by its result if it has one, or else by the state before it, in which the API knows which
   * calls are errors. @state: (nullable): NULL if that is not available. VTR_UNKNOWN counts as yes. If the member is NULL, every
   * command succeeded. */
  VtrTristate (*succeeded) (const VtrCommand *command,
                            VtrApiState *state);
};

G_END_DECLS
