/* B: how the commands of an API are replayed (docs/design/api.md, 3.6).
 *
 * A member may be NULL unless its comment says that it is required; the comment also says what happens then. Errors:
 * where there is @error, it says why. Threading: the thread that builds the replay. */
#pragma once

#include <gio/gio.h>

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

typedef struct _JsonBuilder JsonBuilder;
typedef struct _VtrCommand VtrCommand;
typedef struct _VtrCompatibility VtrCompatibility;
typedef struct _VtrHistory VtrHistory;
typedef struct _VtrIdentity VtrIdentity;
typedef struct _VtrContentRecord VtrContentRecord;
typedef struct _VtrPlanDevice VtrPlanDevice;
typedef struct _VtrReplayBackend VtrReplayBackend;
typedef struct _VtrReplayBuilder VtrReplayBuilder;
typedef struct _VtrReplayDevice VtrReplayDevice;
typedef struct _VtrReplayPart VtrReplayPart;
typedef struct _VtrReplayRule VtrReplayRule;
typedef struct _VtrRequestApi VtrRequestApi;
typedef struct _VtrShaderReplacement VtrShaderReplacement;
typedef struct _VtrTrace VtrTrace;
typedef struct _VtrTransformRead VtrTransformRead;

struct _VtrBuildApi
{
  /* B1. Required. Whether and how commands of @id are replayed. (transfer none): a constant. */
  const VtrReplayRule *(*rule) (VtrCmdId id);
  /* Why @command cannot be replayed with the builder's plan. Static. NULL: it can. */
  const char *(*decline) (VtrReplayBuilder    *builder,
                          const VtrReplayRule *rule,
                          const VtrCommand    *command);
  /* Whether the call had an effect in the capture that a replay should have, too. NULL: every call had. */
  gboolean (*result_counts) (const VtrReplayRule *rule,
                             const VtrCommand *command);

  /* B2. Fills @part, which a builder keeps for the API. @base: (nullable): the part of the builder
   * that the new one continues. set_plan: the builder has another plan now. */
  void (*part_init) (VtrReplayBuilder *builder,
                     VtrReplayPart *part,
                     const VtrReplayPart *base);
  void (*part_set_plan) (VtrReplayBuilder *builder,
                         VtrReplayPart *part);
  void (*part_clear) (VtrReplayPart *part);

  /* B3. Called when @command is of another stream than the command before it. NULL: nothing to do. */
  gboolean (*enter_stream) (VtrReplayBuilder *builder,
                            const VtrCommand *command,
                            GError **error);

  /* For an object that a command creates by using its name: builds a call that writes the replay's name to volatile @slot. NULL:
   * the replay uses the captured name. */
  gboolean (*reserve) (VtrReplayBuilder *builder,
                       const VtrIdentity *identity,
                       guint64 slot);

  /* Contents that the trace has before a command: the @nth before command @index. NULL: there are none. */
  gboolean (*write) (VtrReplayBuilder *builder,
                     guint64 index,
                     gsize nth,
                     const VtrContentRecord *write,
                     GError **error);

  /* B7. Builds a reading, or another request of a transform of the API. */
  gboolean (*read) (VtrReplayBuilder *builder,
                    const VtrTransformRead *read,
                    GError **error);

  /* B8. Whether commands of @id may be left out, so that the rest of the stream is still valid. NULL: none may. */
  gboolean (*can_disable) (VtrCmdId id);
  /* Where the code of @object, or of its stage @stage, enters the stream. NULL: no code can be replaced. */
  gboolean (*find_code) (VtrHistory *history,
                         guint32 object,
                         guint32 stage,
                         VtrShaderReplacement *out,
                         GError **error);

  /* B14. A device of this machine, from the @bytes in which the API's half in the replayer describes it (M6); they are
   * not trusted. (transfer full). Returns: NULL: they describe none. NULL: the replayer's half may describe none. */
  VtrReplayDevice *(*read_device) (gconstpointer bytes,
                                   gsize         size);
  /* (nullable): adds members for programs to the object of JSON that @builder makes of the device. */
  void (*describe_device) (const VtrReplayDevice *device,
                           JsonBuilder *builder);

  /* B13. What the API plans for a trace that has commands of it: opaque, immutable, reference-counted. @devices: of
   * VtrReplayDevice, those of the API that are here, at least one. @addresses: VtrReplayAddresses. NULL: nothing is planned, and the other plan_
   * members are not asked. */
  gpointer (*plan_new) (VtrTrace *trace,
                        GPtrArray *devices,
                        const char *wanted,
                        guint addresses,
                        GCancellable *cancellable,
                        GError **error);
  gpointer (*plan_ref) (gpointer plan);
  void (*plan_unref) (gpointer plan);
  gboolean (*plan_is_same) (gpointer plan);
  /* (nullable): whether device addresses are estimated. */
  gboolean (*plan_is_guessing) (gpointer plan);
  /* (nullable): the name of the device that replaces the captured one, for the user; NULL: unknown. */
  const char *(*plan_get_device) (gpointer  plan,
                                  VtrTrace *trace);
  /* (nullable): the device that commands replay on if nothing says otherwise. */
  void (*plan_describe) (gpointer plan,
                         VtrPlanDevice *out);
  /* (nullable): appends everything on which results depend, for the key of cached results. */
  void (*plan_identify) (gpointer plan,
                         VtrTrace *trace,
                         GString *text);
  /* X1. Adds to @findings what the trace uses and the devices of @plan lack. @backend: asked about them. NULL, or no
   * plan: that is not known. Errors: those of the trace and the backend, cancellation. */
  gboolean (*find_incompatible) (VtrTrace *trace,
                                 gpointer plan,
                                 VtrReplayBackend *backend,
                                 VtrCompatibility *findings,
                                 GCancellable *cancellable,
                                 GError **error);

  /* B5 to B12 (engine/replay-session/vtr-request-api.h). NULL: nothing can be asked of a replay. */
  const VtrRequestApi *requests;
};

G_END_DECLS
