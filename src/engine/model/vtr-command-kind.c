/* Icons by the classes of the API tables. */
#include "engine/model/vtr-command-tree.h"

#include "api/vtr-api-types.h"

VtrCommandKind
vtr_command_kind (VtrCmdId id)
{
  static const struct
  {
    VtrApiClass classes;
    VtrCommandKind kind;
  } kinds[] = {
    { VTR_CLASS_DRAW | VTR_CLASS_GENERATED, VTR_COMMAND_KIND_DRAW },
    { VTR_CLASS_DISPATCH | VTR_CLASS_TRACE_RAYS | VTR_CLASS_BUILD, VTR_COMMAND_KIND_DISPATCH },
    { VTR_CLASS_CLEAR, VTR_COMMAND_KIND_CLEAR },
    { VTR_CLASS_TRANSFER, VTR_COMMAND_KIND_COPY },
    { VTR_CLASS_FRAME_END, VTR_COMMAND_KIND_PRESENT },
    { VTR_CLASS_SUBMIT, VTR_COMMAND_KIND_SUBMIT },
    { VTR_CLASS_BEGIN_PASS | VTR_CLASS_END_PASS | VTR_CLASS_NEXT_SUBPASS, VTR_COMMAND_KIND_PASS },
    { VTR_CLASS_BEGIN_LABEL | VTR_CLASS_END_LABEL, VTR_COMMAND_KIND_GROUP },
    { VTR_CLASS_BARRIER, VTR_COMMAND_KIND_BARRIER },
    { VTR_CLASS_EXECUTE, VTR_COMMAND_KIND_COMMAND_BUFFER },
    { VTR_CLASS_BIND | VTR_CLASS_DYNAMIC, VTR_COMMAND_KIND_STATE },
  };

  if (!vtr_cmd_is_known (id))
    return VTR_COMMAND_KIND_OTHER;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (vtr_cmd_is (id, kinds[i].classes))
      return kinds[i].kind;
  /* Events have no class: they are neither waited for nor a barrier themselves. */
  switch (vtr_cmd_canonical (id))
    {
    case VTR_CMD_vkCmdSetEvent:
    case VTR_CMD_vkCmdSetEvent2:
    case VTR_CMD_vkCmdResetEvent:
    case VTR_CMD_vkCmdResetEvent2:
      return VTR_COMMAND_KIND_BARRIER;
    default:
      return VTR_COMMAND_KIND_OTHER;
    }
}
