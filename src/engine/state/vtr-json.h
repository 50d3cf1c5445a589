/* Commands, objects and values as JSON. Threading: any. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/format/vtr-trace.h"

G_BEGIN_DECLS

/* Of the room of the API's state. */
typedef struct _VtrHistory VtrHistory;
typedef struct _VtrObject VtrObject;

/* Steps into @node by member names and array positions ("3" or "[3]"). @path: how far the caller
   got, for messages. (transfer full); consumes @node. */
JsonNode *vtr_json_walk (JsonNode    *node,
                         char       **steps,
                         const char  *path,
                         GError     **error);
/* Parses JSON text that the API tables wrote. (transfer full): never NULL. */
JsonNode *vtr_json_parse (const VtrBuffer *text);
/* {"object":213,"type":"VkImage","handle":"0x…","name":"image 213","path":"objects/213"}; object,
   name and path are null when the handle means nothing at @index. A null handle is a null node.
   (transfer full) */
JsonNode *vtr_json_handle (VtrHistory *history,
                           guint32     type,
                           guint64     handle,
                           guint64     index);
JsonNode *vtr_json_object_ref (VtrHistory      *history,
                               const VtrObject *object);
/* A command in an answer: its number, or "initial/3"; null for VTR_COMMAND_NO_INDEX. (transfer
 * full) */
JsonNode *vtr_json_command (VtrTrace *trace,
                            guint64   index);
/* One struct with everything below it. (transfer full) */
JsonNode *vtr_json_struct (VtrStructId   id,
                           gconstpointer base);
/* Like vtr_json_struct (), with handles in it: @env is vtr_trace_get_env()'s. */
JsonNode *vtr_json_struct_in (const VtrApiEnv *env,
                              VtrStructId      id,
                              gconstpointer    base);
/* The name of an enumerant, or its number. (transfer full) */
char *vtr_json_enum (VtrEnumId id,
                     gint64    value);
/* Numbers above 2^53 lose digits in many readers of JSON: addresses and handles are written as "0x…". */
void vtr_json_set_hex (JsonObject *object,
                       const char *name,
                       guint64     value);
JsonNode *vtr_json_take_object (JsonObject *object);
JsonNode *vtr_json_take_array (JsonArray *array);

/* A call without its arguments: "vkCmdDraw". Unknown commands of other builds' traces have no name.
   */
const char *vtr_command_name (VtrCmdId id);

G_END_DECLS
