/* Tests that the handles read from an encoded message are those of the decoded call. */
#include "vtr-random-tree.h"

#include "api/vtr-api-args.h"

#include <glib.h>

#define TREES 64
#define CHANGES 16

typedef struct
{
  guint64 value;
  guint64 type;
} Named;

static void
add_named (void        *data,
           VtrHandleId  type,
           uint64_t     value)
{
  const Named named = { value, type };

  if (value != 0)
    g_array_append_val ((GArray *)data, named);
}

static void
add_visited (void                 *data,
             const VtrVisitHandle *handle)
{
  guint64 value = 0;

  value = vtr_visit_handle_get (handle);
  if (!handle->ignored)
    add_named (data, handle->type, value);
}

static gint
compare_named (gconstpointer a,
               gconstpointer b)
{
  const Named *left = a, *right = b;

  if (left->type != right->type)
    return left->type < right->type ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

/* The handles of the call, except for the one by which it is dispatched. */
static GArray *
list_decoded (VtrCmdId         cmd,
              const VtrBuffer *message)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (Named));
  const VtrApiVisitor visitor = { .data = list, .handle = add_visited };
  VtrDecoded decoded;
  VtrArena arena;

  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_decode (cmd, message->data, message->size, NULL, &arena, &decoded), ==,
                   VTR_OK);
  if (vtr_cmd_get (cmd)->dispatch != VTR_HANDLE_NONE)
    memset (decoded.args, 0, sizeof (void *));
  vtr_api_visit (cmd, decoded.args, NULL, &visitor);
  vtr_arena_finish (&arena);
  return list;
}

/* Returns: whether the message could be read. */
static gboolean
compare (VtrHandleReader *reader,
         VtrCmdId         cmd,
         const VtrBuffer *message)
{
  g_autoptr (GArray) read = g_array_new (FALSE, TRUE, sizeof (Named));
  g_autoptr (GArray) decoded = NULL;

  if (!vtr_handle_reader_read (reader, cmd, message->data, message->size, add_named, read))
    {
      g_assert_cmpuint (read->len, ==, 0);
      return FALSE;
    }
  decoded = list_decoded (cmd, message);
  g_array_sort (read, compare_named);
  g_array_sort (decoded, compare_named);
  if (read->len != decoded->len ||
      (read->len > 0 && memcmp (read->data, decoded->data, read->len * sizeof (Named)) != 0))
    g_error ("%s: %u handles were read, %u are there", vtr_cmd_name (cmd), read->len,
             decoded->len);
  return TRUE;
}

/* Commands that are recorded again and again, whose messages have to be read quickly. */
static const VtrCmdId frequent[] = {
  VTR_CMD_vkCmdBindPipeline,
  VTR_CMD_vkCmdBindDescriptorSets,
  VTR_CMD_vkCmdBindIndexBuffer,
  VTR_CMD_vkCmdBindVertexBuffers,
  VTR_CMD_vkCmdBindVertexBuffers2,
  VTR_CMD_vkCmdCopyBuffer,
  VTR_CMD_vkCmdCopyBufferToImage,
  VTR_CMD_vkCmdDispatch,
  VTR_CMD_vkCmdDraw,
  VTR_CMD_vkCmdDrawIndexed,
  VTR_CMD_vkCmdDrawIndexedIndirect,
  VTR_CMD_vkCmdExecuteCommands,
  VTR_CMD_vkCmdPushConstants,
  VTR_CMD_vkCmdSetScissor,
  VTR_CMD_vkCmdSetViewport,
};

static void
test_same (void)
{
  VtrHandleReader *reader = vtr_handle_reader_new ();
  g_autofree guint *n_read = g_new0 (guint, VTR_N_COMMANDS);

  for (unsigned i = 0; i < VTR_N_COMMANDS; i++)
    for (guint64 seed = 0; seed < TREES; seed++)
      {
        const VtrCmdId cmd = vtr_cmd_at (i);
        VtrBuffer message = { 0 };
        VtrRandomTree tree;

        vtr_random_tree_init (&tree, cmd, seed);
        vtr_api_encode (&message, cmd, tree.args, 0, 1, 0, 0, tree.env);
        n_read[i] += compare (reader, cmd, &message);
        vtr_random_tree_finish (&tree);
        vtr_buffer_finish (&message);
      }
  /* Some of the random calls have the address of an empty array, behind which nothing was read. */
  for (guint i = 0; i < G_N_ELEMENTS (frequent); i++)
    if (n_read[frequent[i]] < TREES / 4)
      g_error ("%s has to be decoded", vtr_cmd_name (frequent[i]));
  vtr_handle_reader_free (reader);
}

/* What was read behind one address may be longer than the array of handles there. */
static void
test_shared (void)
{
  VtrHandleReader *reader = vtr_handle_reader_new ();
  g_autoptr (GArray) read = g_array_new (FALSE, TRUE, sizeof (Named));
  guint64 both[2] = { 16, 32 };
  const VtrArgs_vkCmdBindVertexBuffers args = {
    (VkCommandBuffer)(gsize)1, 0, 2, (const VkBuffer *)(gconstpointer)both, both
  };
  VtrBuffer message = { 0 };

  vtr_api_encode (&message, VTR_CMD_vkCmdBindVertexBuffers, &args, 0, 1, 0, 0, &vtr_random_env);
  g_assert_false (vtr_handle_reader_read (reader, VTR_CMD_vkCmdBindVertexBuffers, message.data,
                                          message.size, add_named, read));
  vtr_buffer_finish (&message);
  vtr_handle_reader_free (reader);
}

/* Whatever the bytes, nothing is read beyond them. */
static void
test_damaged (void)
{
  VtrHandleReader *reader = vtr_handle_reader_new ();

  for (guint i = 0; i < G_N_ELEMENTS (frequent) * TREES; i++)
    {
      const VtrCmdId cmd = frequent[i % G_N_ELEMENTS (frequent)];
      VtrBuffer message = { 0 };
      VtrRandomTree tree;

      vtr_random_tree_init (&tree, cmd, i);
      vtr_api_encode (&message, cmd, tree.args, 0, 1, 0, 0, tree.env);
      for (guint k = 0; k < CHANGES; k++)
        {
          const guint size = 1 + vtr_random_below (&tree, (guint32)message.size);
          g_autofree guint8 *exact = g_memdup2 (message.data, size);
          g_autoptr (GArray) read = g_array_new (FALSE, TRUE, sizeof (Named));

          if (k % 2 == 1)
            exact[vtr_random_below (&tree, size)] = (guint8)vtr_random (&tree);
          vtr_handle_reader_read (reader, cmd, exact, size, add_named, read);
        }
      vtr_random_tree_finish (&tree);
      vtr_buffer_finish (&message);
    }
  vtr_handle_reader_free (reader);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/handles/same", test_same);
  g_test_add_func ("/api/handles/shared", test_shared);
  g_test_add_func ("/api/handles/damaged", test_damaged);
  return g_test_run ();
}
