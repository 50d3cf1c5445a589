/* Answers compatibility: why the trace cannot replay on this device, found without a replay. */
#include "engine/answers/vtr-resolve.h"

#include "engine/replay-session/vtr-replay-questions.h"

static JsonObject *
describe_finding (VtrTrace                      *trace,
                  const VtrCompatibilityFinding *finding)
{
  JsonObject *object = json_object_new ();
  JsonArray *commands = json_array_new ();

  json_object_set_string_member (object, "level", vtr_compatibility_level_name (finding->level));
  json_object_set_string_member (object, "what", finding->what);
  json_object_set_string_member (object, "text", finding->text);
  if (finding->n_commands > 0)
    json_object_set_member (object, "command", vtr_json_command (trace, finding->commands[0]));
  else
    json_object_set_null_member (object, "command");
  for (guint64 i = 0; i < MIN (finding->n_commands, VTR_COMPATIBILITY_COMMANDS); i++)
    {
      g_autofree char *path = vtr_trace_format_command (trace, finding->commands[i]);

      json_array_add_string_element (commands, path);
    }
  json_object_set_array_member (object, "commands", commands);
  json_object_set_int_member (object, "n_commands", (gint64)finding->n_commands);
  return object;
}

/* Null where addresses are as captured. */
static JsonNode *
describe_addresses (const GArray *counts)
{
  JsonNode *node = json_node_new (counts != NULL ? JSON_NODE_OBJECT : JSON_NODE_NULL);
  JsonObject *object, *places;
  guint64 total = 0;

  if (counts == NULL)
    return node;
  object = json_object_new ();
  places = json_object_new ();
  for (guint i = 0; i < counts->len; i++)
    {
      const VtrAddressCount *count = &g_array_index (counts, VtrAddressCount, i);

      json_object_set_int_member (places, count->where, (gint64)count->n);
      total += count->n;
    }
  json_object_set_boolean_member (object, "guaranteed", FALSE);
  json_object_set_int_member (object, "changed", (gint64)total);
  json_object_set_object_member (object, "places", places);
  json_node_take_object (node, object);
  return node;
}

JsonNode *
vtr_resolve_compatibility (VtrAnswers    *answers,
                           GCancellable  *cancellable,
                           GError       **error)
{
  VtrTrace *trace = vtr_analysis_get_trace (answers->analysis);
  g_autoptr (VtrPlan) plan = NULL;
  g_autoptr (VtrCompatibility) compatibility =
    vtr_replay_session_find_compatibility (answers->session, &plan, cancellable, error);
  VtrPlanDevice device;
  JsonObject *object;
  JsonArray *findings;
  JsonNode *node;

  if (compatibility == NULL)
    return NULL;
  vtr_plan_describe (plan, &device);
  object = json_object_new ();
  json_object_set_string_member (object, "captured", vtr_trace_get_info (trace)->device);
  json_object_set_string_member (object, "device", device.name);
  json_object_set_string_member (object, "driver", device.driver);
  json_object_set_boolean_member (object, "same", vtr_plan_is_same (plan));
  json_object_set_boolean_member (object, "possible",
                                  vtr_compatibility_get_error (compatibility) == NULL);
  findings = json_array_new ();
  for (guint i = 0; i < vtr_compatibility_get_n (compatibility); i++)
    json_array_add_object_element (
      findings, describe_finding (trace, vtr_compatibility_get (compatibility, i)));
  json_object_set_array_member (object, "findings", findings);
  json_object_set_member (object, "addresses",
                          describe_addresses (vtr_compatibility_get_addresses (compatibility)));
  node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, object);
  return node;
}
