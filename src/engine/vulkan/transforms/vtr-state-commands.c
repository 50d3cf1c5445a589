/* Finds the commands of a command buffer that have to be recorded again to continue it from the
 * middle. */
#include "engine/vulkan/transforms/vtr-state-commands.h"

#include <xxhash.h>

#include "engine/vulkan/state/vtr-older-form.h"
#include "engine/vulkan/state/vtr-pass-references.h"
#include "vtr-api-args.h"

#define MEMORY_CLASSES \
  (VTR_CLASS_DRAW | VTR_CLASS_DISPATCH | VTR_CLASS_CLEAR | VTR_CLASS_TRANSFER | \
   VTR_CLASS_BARRIER | VTR_CLASS_BUILD | VTR_CLASS_TRACE_RAYS | VTR_CLASS_GENERATED)

/* The state that a command overwrites. */
typedef struct
{
  guint64 hash[2];
} Key;

struct _VtrStateCommands
{
  GHashTable *state;   /* Key → guint64, the last command that overwrites it */
  GArray *labels;      /* guint64: begins of those that are open */
  GArray *subpasses;   /* guint64: of the pass, vkCmdNextSubpass… */
  GArray *offsets;     /* Key: of .state, offsets into the descriptor buffers that are bound */
  guint64 after;       /* the last command */
  guint64 pass_begin;  /* VTR_COMMAND_NO_INDEX: in no pass */
  guint n_active;      /* queries, conditional rendering, transform feedback */
  gboolean is_unknown; /* some state was set that is not followed */
};

static guint
key_hash (gconstpointer key)
{
  return (guint)((const Key *)key)->hash[0];
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  return memcmp (a, b, sizeof (Key)) == 0;
}

static GHashTable *
new_state (void)
{
  return g_hash_table_new_full (key_hash, key_equal, g_free, g_free);
}

VtrStateCommands *
vtr_state_commands_new (void)
{
  VtrStateCommands *self = g_new0 (VtrStateCommands, 1);

  self->state = new_state ();
  self->labels = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->subpasses = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->offsets = g_array_new (FALSE, FALSE, sizeof (Key));
  self->after = self->pass_begin = VTR_COMMAND_NO_INDEX;
  return self;
}

VtrStateCommands *
vtr_state_commands_copy (const VtrStateCommands *self)
{
  VtrStateCommands *copy = g_memdup2 (self, sizeof *self);
  GHashTableIter iter;
  gpointer key;
  gpointer index;

  copy->state = new_state ();
  g_hash_table_iter_init (&iter, self->state);
  while (g_hash_table_iter_next (&iter, &key, &index))
    g_hash_table_insert (copy->state, g_memdup2 (key, sizeof (Key)),
                         g_memdup2 (index, sizeof (guint64)));
  copy->labels = g_array_copy (self->labels);
  copy->subpasses = g_array_copy (self->subpasses);
  copy->offsets = g_array_copy (self->offsets);
  return copy;
}

void
vtr_state_commands_free (VtrStateCommands *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->state);
  g_array_unref (self->labels);
  g_array_unref (self->subpasses);
  g_array_unref (self->offsets);
  g_free (self);
}

/* --- What overwrites what -------------------------------------------------------------------- */

/* Parameters that say which state a command overwrites; the others are only its value. Returns:
 * how many; -1 where all of them may say it. */
static int
get_scope (VtrCmdId    id,
           const void *args,
           guint64     scope[4])
{
  switch (id)
    {
    case VTR_CMD_vkCmdBindDescriptorSets:
      {
        const VtrArgs_vkCmdBindDescriptorSets *a = args;

        scope[0] = a->pipelineBindPoint;
        scope[1] = (guint64)(gsize)a->layout;
        scope[2] = a->firstSet;
        scope[3] = a->descriptorSetCount;
        return 4;
      }
    case VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT:
      {
        const VtrArgs_vkCmdSetDescriptorBufferOffsetsEXT *a = args;

        scope[0] = a->pipelineBindPoint;
        scope[1] = (guint64)(gsize)a->layout;
        scope[2] = a->firstSet;
        scope[3] = a->setCount;
        return 4;
      }
    case VTR_CMD_vkCmdPushConstants:
      {
        const VtrArgs_vkCmdPushConstants *a = args;

        scope[0] = (guint64)(gsize)a->layout;
        scope[1] = a->stageFlags;
        scope[2] = a->offset;
        scope[3] = a->size;
        return 4;
      }
    case VTR_CMD_vkCmdBindVertexBuffers:
      scope[0] = ((const VtrArgs_vkCmdBindVertexBuffers *)args)->firstBinding;
      scope[1] = ((const VtrArgs_vkCmdBindVertexBuffers *)args)->bindingCount;
      return 2;
    case VTR_CMD_vkCmdBindVertexBuffers2:
      {
        const VtrArgs_vkCmdBindVertexBuffers2 *a = args;

        scope[0] = a->firstBinding;
        scope[1] = a->bindingCount;
        scope[2] = (a->pSizes != NULL) + 2u * (a->pStrides != NULL);
        return 3;
      }
    case VTR_CMD_vkCmdSetViewport:
      scope[0] = ((const VtrArgs_vkCmdSetViewport *)args)->firstViewport;
      scope[1] = ((const VtrArgs_vkCmdSetViewport *)args)->viewportCount;
      return 2;
    case VTR_CMD_vkCmdSetScissor:
      scope[0] = ((const VtrArgs_vkCmdSetScissor *)args)->firstScissor;
      scope[1] = ((const VtrArgs_vkCmdSetScissor *)args)->scissorCount;
      return 2;
    case VTR_CMD_vkCmdSetViewportWithCount:
      scope[0] = ((const VtrArgs_vkCmdSetViewportWithCount *)args)->viewportCount;
      return 1;
    case VTR_CMD_vkCmdSetScissorWithCount:
      scope[0] = ((const VtrArgs_vkCmdSetScissorWithCount *)args)->scissorCount;
      return 1;
    case VTR_CMD_vkCmdSetStencilCompareMask:
    case VTR_CMD_vkCmdSetStencilWriteMask:
    case VTR_CMD_vkCmdSetStencilReference: /* all alike */
      scope[0] = ((const VtrArgs_vkCmdSetStencilReference *)args)->faceMask;
      return 1;
    case VTR_CMD_vkCmdBindDescriptorBuffersEXT:
    case VTR_CMD_vkCmdBindIndexBuffer:
    case VTR_CMD_vkCmdSetLineWidth:
    case VTR_CMD_vkCmdSetDepthBias:
    case VTR_CMD_vkCmdSetDepthBounds:
    case VTR_CMD_vkCmdSetBlendConstants:
      return 0;
    default:
      return -1;
    }
}

/* Of all that the command says. Returns: FALSE when it cannot be told. */
static gboolean
hash_arguments (const VtrCommand *command,
                XXH3_state_t     *hash)
{
  const VtrApiEnv env = { .decoded = true };
  VtrFlat flat = { 0 };
  gboolean ok = vtr_api_flatten (command->id, command->args, &env, &flat) == VTR_OK;

  if (ok)
    XXH3_128bits_update (hash, flat.blob.data, flat.blob.size);
  vtr_flat_finish (&flat);
  return ok;
}

/* Binding descriptor buffers makes offsets into the former ones invalid. */
static void
forget_offsets (VtrStateCommands *self)
{
  for (guint i = 0; i < self->offsets->len; i++)
    g_hash_table_remove (self->state, &g_array_index (self->offsets, Key, i));
  g_array_set_size (self->offsets, 0);
}

static void
note_state (VtrStateCommands *self,
            const VtrCommand *command,
            VtrCmdId          id)
{
  guint64 scope[4] = { 0 };
  int n = get_scope (id, command->args, scope);
  guint32 name = (guint32)command->id;
  XXH3_state_t *hash = XXH3_createState ();
  XXH128_hash_t digest;
  Key key;

  XXH3_128bits_reset (hash);
  XXH3_128bits_update (hash, &name, sizeof name);
  XXH3_128bits_update (hash, scope, sizeof scope);
  if (n < 0 && !hash_arguments (command, hash))
    self->is_unknown = TRUE;
  digest = XXH3_128bits_digest (hash);
  XXH3_freeState (hash);
  key = (Key){ { digest.low64, digest.high64 } };
  if (id == VTR_CMD_vkCmdBindDescriptorBuffersEXT)
    forget_offsets (self);
  else if (vtr_cmd_older_form (id) == VTR_CMD_vkCmdSetDescriptorBufferOffsetsEXT &&
           !g_hash_table_contains (self->state, &key))
    g_array_append_val (self->offsets, key);
  g_hash_table_replace (self->state, g_memdup2 (&key, sizeof key),
                        g_memdup2 (&command->index, sizeof command->index));
}

/* --- Following ------------------------------------------------------------------------------- */

static void
begin_pass (VtrStateCommands *self,
            guint64           index)
{
  self->pass_begin = index;
  g_array_set_size (self->subpasses, 0);
}

/* Commands that change neither memory nor what is bound. Returns: FALSE for others. */
static gboolean
note_scope (VtrStateCommands *self,
            VtrCmdId          id)
{
  switch (id)
    {
    case VTR_CMD_vkCmdBeginQuery:
    case VTR_CMD_vkCmdBeginQueryIndexedEXT:
    case VTR_CMD_vkCmdBeginConditionalRenderingEXT:
    case VTR_CMD_vkCmdBeginTransformFeedbackEXT:
      self->n_active++;
      return TRUE;
    case VTR_CMD_vkCmdEndQuery:
    case VTR_CMD_vkCmdEndQueryIndexedEXT:
    case VTR_CMD_vkCmdEndConditionalRenderingEXT:
    case VTR_CMD_vkCmdEndTransformFeedbackEXT:
      if (self->n_active > 0)
        self->n_active--;
      return TRUE;
    case VTR_CMD_vkCmdResetQueryPool:
    case VTR_CMD_vkCmdWriteTimestamp:
    case VTR_CMD_vkCmdWriteTimestamp2:
    case VTR_CMD_vkCmdInsertDebugUtilsLabelEXT:
    case VTR_CMD_vkCmdDebugMarkerInsertEXT:
    case VTR_CMD_vkCmdPreprocessGeneratedCommandsNV:
#ifdef VK_EXT_device_generated_commands
    case VTR_CMD_vkCmdPreprocessGeneratedCommandsEXT:
#endif
    case VTR_CMD_vkBeginCommandBuffer:
    case VTR_CMD_vkEndCommandBuffer:
      return TRUE;
    default:
      return FALSE;
    }
}

void
vtr_state_commands_add (VtrStateCommands *self,
                        const VtrCommand *command)
{
  VtrCmdId id = vtr_cmd_canonical (command->id);

  self->after = command->index;
  if (vtr_cmd_is (id, VTR_CLASS_BEGIN_PASS))
    begin_pass (self, command->index);
  else if (vtr_cmd_is (id, VTR_CLASS_END_PASS))
    begin_pass (self, VTR_COMMAND_NO_INDEX);
  else if (vtr_cmd_is (id, VTR_CLASS_NEXT_SUBPASS))
    g_array_append_val (self->subpasses, command->index);
  else if (vtr_cmd_is (id, VTR_CLASS_EXECUTE))
    g_hash_table_remove_all (self->state); /* undefined from now on */
  else if (vtr_cmd_is (id, VTR_CLASS_BEGIN_LABEL))
    g_array_append_val (self->labels, command->index);
  else if (vtr_cmd_is (id, VTR_CLASS_END_LABEL))
    g_array_set_size (self->labels, MAX (1, self->labels->len) - 1);
  else if (g_str_has_prefix (vtr_cmd_name (id), "vkCmdSetRendering"))
    self->is_unknown = TRUE; /* of the pass, not of the command buffer */
  else if (vtr_cmd_is (id, VTR_CLASS_BIND | VTR_CLASS_DYNAMIC))
    note_state (self, command, id);
  else if (!note_scope (self, id) && !vtr_cmd_is (id, MEMORY_CLASSES))
    self->is_unknown = TRUE;
}

/* --- Answers --------------------------------------------------------------------------------- */

gboolean
vtr_state_commands_is_complete (const VtrStateCommands *self)
{
  return self->n_active == 0 && !self->is_unknown && self->after != VTR_COMMAND_NO_INDEX;
}

void
vtr_state_commands_get_start (const VtrStateCommands *self,
                              VtrCutStart            *out)
{
  *out = (VtrCutStart){ self->after, self->pass_begin, self->subpasses->len };
}

static gint
compare_indices (gconstpointer a,
                 gconstpointer b)
{
  guint64 x = *(const guint64 *)a;
  guint64 y = *(const guint64 *)b;

  return (x > y) - (x < y);
}

GArray *
vtr_state_commands_list (const VtrStateCommands *self)
{
  GArray *list = g_array_copy (self->labels);
  GHashTableIter iter;
  gpointer index;

  g_hash_table_iter_init (&iter, self->state);
  while (g_hash_table_iter_next (&iter, NULL, &index))
    g_array_append_vals (list, index, 1);
  if (self->pass_begin != VTR_COMMAND_NO_INDEX)
    {
      g_array_append_val (list, self->pass_begin);
      g_array_append_vals (list, self->subpasses->data, self->subpasses->len);
    }
  g_array_sort (list, compare_indices);
  return list;
}

gboolean
vtr_state_commands_may_begin_again (const VtrStateCommands *self,
                                    VtrBoundWalker         *walker,
                                    VtrHistory             *history)
{
  g_autofree VtrBoundState *state = NULL;
  g_autoptr (GArray) references = NULL;
  gboolean resolves = FALSE;
  guint32 last = 0;
  VtrCutStart start;

  vtr_state_commands_get_start (self, &start);
  if (start.pass_begin == VTR_COMMAND_NO_INDEX)
    return TRUE;
  state = g_new (VtrBoundState, 1);
  if (!vtr_bound_walker_get (walker, start.pass_begin, state, NULL) || !state->in_pass)
    return FALSE;
  references = vtr_pass_list_references (history, state);
  for (guint i = 0; i < references->len; i++)
    {
      const VtrPassReference *reference = &g_array_index (references, VtrPassReference, i);

      resolves = resolves || vtr_pass_use_is_resolve (reference->use);
      last = MAX (last, reference->subpass);
    }
  return !resolves || last == 0;
}
