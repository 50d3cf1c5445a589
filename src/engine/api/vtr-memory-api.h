/* S7, S8: which bytes an API's commands read and write, and to which images work writes (docs/design/api.md, 3.5).
 *
 * A byte space is an object that is an array of bytes, or space 0, the program's own memory. An API
 * reports writes to the index of a trace's memory (VtrMemory), and lists the bytes that one command
 * touches. Each function may be NULL, unless its comment says otherwise; there is nothing to report then.
 *
 * Threading: create() and destroy() are called by the owner of the memory; begin() to end() by one
 * worker, before all other functions except find_space(), get_space_size() and fill(); the rest by
 * any thread. */
#pragma once

#include "engine/api/vtr-api.h"

G_BEGIN_DECLS

/* Of src/engine/format and src/engine/state. */
typedef struct _VtrCommand VtrCommand;
typedef struct _VtrAnalysis VtrAnalysis;
typedef struct _VtrPlace VtrPlace;
typedef struct _VtrTarget VtrTarget;
typedef struct _VtrTargetQuery VtrTargetQuery;
/* Receives the writes of a pass over the trace (src/engine/memory/vtr-effects.h). */
typedef struct _VtrEffects VtrEffects;
/* Receives the ranges of one command (src/engine/memory/vtr-memory-list.h). */
typedef struct _VtrMemoryList VtrMemoryList;

struct _VtrMemoryApi
{
  /* Never NULL. The API's data about one trace; all other functions get it as @self. Cheap: a
     trace that is opened may never be asked for its memory. @analysis: outlives it. */
  gpointer (*create) (VtrAnalysis *analysis);
  /* Never NULL. */
  void (*destroy) (gpointer self);

  /* The pass over the trace: begin(), then follow() for each command of this API, in order, then end(). Effects
     that follow() adds to @effects happen after the command. @complete: FALSE: the pass was
     cancelled, and may be made again. */
  void (*begin) (gpointer self,
                 VtrEffects *effects);
  void (*follow) (gpointer self,
                  VtrEffects *effects,
                  VtrCmdId id);
  void (*end) (gpointer self,
               VtrEffects *effects,
               gboolean complete);

  /* The byte space that @name means in contents before command @index. Returns: an object id; 0: none. */
  guint32 (*find_space) (gpointer self,
                         guint64 name,
                         guint64 index);
  /* The size of @object in bytes after command @index; VTR_COMMAND_NO_INDEX: when created. Returns: FALSE if it is not a byte
   * space; FALSE with @error if its creation cannot be read. */
  gboolean (*get_space_size) (gpointer self,
                              guint32 object,
                              guint64 index,
                              guint64 *size,
                              GError **error);

  /* The bytes that a command wrote by an effect of VTR_EFFECT_KNOWN: @size bytes from @offset of
   * its range. @index: of the command.
     Returns: FALSE: the trace does not have them. */
  gboolean (*fill) (gpointer self,
                    guint64 index,
                    guint64 offset,
                    gsize size,
                    guint8 *out);
  /* Commands @first to @last share one effect. Returns: the last of them that may have had it. NULL: @first. */
  guint64 (*attribute) (gpointer self,
                        guint64 first,
                        guint64 last);

  /* Adds the ranges that @command reads and writes to @list, in the order in which they are shown; its arguments go in by
   * vtr_memory_list_add_arguments (). NULL: only the arguments are listed. */
  void (*list) (gpointer self,
                VtrMemoryList *list,
                const VtrCommand *command);
  /* The kind of objects that are shown as buffers, whose bytes locate () finds. Only with locate (). */
  VtrHandleId buffer_kind;
  /* Adds the ranges in which @object is stored to @list, its first bytes first; none if it has no memory. */
  void (*locate) (gpointer self,
                  VtrMemoryList *list,
                  guint32 object);
  /* Like locate (), for the object whose name at the command is @name, of the kinds for which users search. */
  void (*locate_name) (gpointer self,
                       VtrMemoryList *list,
                       guint64 name);

  /* S8: adds the targets at @place to @list (VtrTarget), in the order in which people see them. @all: with the images that
     the work reads as input and resolves into. Errors: VTR_RESOLVE_ERROR_NOTHING with the sentence for the empty pane. */
  gboolean (*list_targets) (gpointer self,
                            const VtrPlace *place,
                            gboolean all,
                            GArray *list,
                            GError **error);
  /* S8: the image part from which a picture is read, and the command after which it is read. @out: .read_at is the requested place
   * before. Errors: VTR_RESOLVE_ERROR_NOTHING with a sentence. */
  gboolean (*find_target) (gpointer self,
                           const VtrTargetQuery *query,
                           VtrTarget *out,
                           GError **error);
  /* The last command after which @object can still be read with its final contents. NULL: the command that ends it. */
  guint64 (*find_last_readable) (gpointer self,
                                 guint32 object);
};

G_END_DECLS
