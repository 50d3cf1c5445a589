/* D: messages of a trace that only an API can read, and names that need more than a command says (docs/design/api.md, 3.4).
 *
 * Each member may be NULL; its comment says what happens then. Threading: data_new, read_info and find_names are called
 * while a trace is opened, before another thread has it; data_free comes last; the others are called by any thread. */
#pragma once

#include <gio/gio.h>

#include "engine/api/vtr-api.h"
#include "wire/vtr-pack.h"
#include "wire/vtr-trace-objects.h"

G_BEGIN_DECLS

/* Of the room above this one. */
typedef struct _VtrCommand VtrCommand;
typedef struct _VtrContentRecord VtrContentRecord;
typedef struct _VtrTrace VtrTrace;

/* The fields of a message with contents that name their object. */
typedef struct
{
  VtrHandleId kind;     /* of the object */
  guint32 owner_field;  /* number of the field with the object that its name is looked up in */
  guint32 object_field; /* and of the field with its name */
} VtrContentObject;

struct _VtrReadApi
{
  /* What the API keeps of one trace, as long as the trace lives: @data of the other members. NULL: nothing. */
  gpointer (*data_new) (void);
  void (*data_free) (gpointer data);

  /* D1, D4: reads a message that stands before command @index, and tells @trace what it says of the program and its
   * device (engine/format/vtr-trace-describe.h). Returns: FALSE: such messages are not of this API. */
  gboolean (*read_info) (gpointer data,
                         VtrTrace *trace,
                         VtrTraceObject object,
                         const VtrPackChunk *chunk,
                         guint64 index);

  /* D2: finds names that mean different objects in different commands of @trace, all of which can be decoded then. *@out:
   * whether there are any; only then are the next three asked. NULL: a name is all that is needed. Errors: cancellation. */
  gboolean (*find_names) (gpointer data,
                          VtrTrace *trace,
                          void (*progress) (guint64 done,
                                            guint64 total,
                                            gpointer data),
                          gpointer progress_data,
                          GCancellable *cancellable,
                          gboolean *out,
                          GError **error);
  /* Replaces those names in a decoded command of the API by numbers that mean one object each. */
  void (*complete) (gpointer data,
                    VtrCommand *command);
  /* Returns: the number that stands for @name of @kind, looked up in @owner; @name where it means one object. */
  guint64 (*complete_name) (gpointer data,
                            VtrHandleId kind,
                            guint64 owner,
                            guint64 name);
  /* The way back. Returns: the name that @number stands for; @number where it stands for none. */
  guint64 (*get_driver_name) (gpointer data,
                              guint64 number);

  /* D5: finds the fields that name the object of messages of type @object. Returns: FALSE: the
   * messages are not of this API. */
  gboolean (*find_content) (VtrTraceObject object,
                            VtrContentObject *out);
  /* D5: reads a message with contents, all but .data and .size. Of bytes, .address is where .offset is mapped. *@out: all 0
   * before. Returns: FALSE: the message is damaged. NULL: the API has no such messages. */
  gboolean (*read_content) (VtrTraceObject object,
                            const VtrPackChunk *chunk,
                            VtrContentRecord *out);
};

G_END_DECLS
