/* Asks the API of a command what it is, or else its neutral classes. */
#include "engine/state/vtr-command-class.h"

VtrCommandKind
vtr_command_kind (VtrCmdId id)
{
  static const struct
  {
    VtrApiClass classes;
    VtrCommandKind kind;
  } kinds[] = {
    { VTR_CLASS_DRAW, VTR_COMMAND_KIND_DRAW },
    { VTR_CLASS_DISPATCH | VTR_CLASS_BUILD, VTR_COMMAND_KIND_DISPATCH },
    { VTR_CLASS_CLEAR, VTR_COMMAND_KIND_CLEAR },
    { VTR_CLASS_TRANSFER, VTR_COMMAND_KIND_COPY },
    { VTR_CLASS_FRAME_END, VTR_COMMAND_KIND_PRESENT },
    { VTR_CLASS_RUN_LIST, VTR_COMMAND_KIND_LIST },
    { VTR_CLASS_BEGIN_LABEL | VTR_CLASS_END_LABEL, VTR_COMMAND_KIND_GROUP },
    { VTR_CLASS_STATE | VTR_CLASS_MAKE_CURRENT, VTR_COMMAND_KIND_STATE },
  };
  const VtrApi *api = vtr_api_get (id);

  if (!vtr_cmd_is_known (id))
    return VTR_COMMAND_KIND_OTHER;
  if (api != NULL && api->scopes != NULL && api->scopes->get_kind != NULL)
    return api->scopes->get_kind (id);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (vtr_cmd_is (id, kinds[i].classes))
      return kinds[i].kind;
  return VTR_COMMAND_KIND_OTHER;
}

VtrCommandCount
vtr_command_count (VtrTrace *trace,
                   guint64   index)
{
  const VtrCmdId id = vtr_trace_get_command_id (trace, index);
  const VtrApi *api = vtr_api_get (id);

  if (!vtr_cmd_is_known (id))
    return VTR_COUNT_NOTHING;
  if (api != NULL && api->scopes != NULL && api->scopes->count != NULL)
    return api->scopes->count (trace, index);
  if (vtr_cmd_is (id, VTR_CLASS_DRAW))
    return VTR_COUNT_DRAW;
  if (vtr_cmd_is (id, VTR_CLASS_DISPATCH))
    return VTR_COUNT_DISPATCH;
  return vtr_cmd_is (id, VTR_CLASS_TRANSFER) ? VTR_COUNT_TRANSFER : VTR_COUNT_NOTHING;
}
