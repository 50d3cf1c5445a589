/* Tests trees of other ABIs: every random tree is written as a process of that ABI has it in
 * memory, and must decode to the same tree. */
#include "vtr-random-tree.h"

#include "api/vtr-api-slot-private.h"

#include <glib.h>

typedef struct
{
  VtrAbi abi;
  GArray *observations; /* VtrObservation */
  GPtrArray *memory;    /* owns their bytes */
  guint32 next_address;
  const VtrApiEnv *env;
} Image;

static void write_struct (Image          *self,
                          const VtrScope *parent,
                          VtrStructId     id,
                          const guint8   *from,
                          guint8         *to,
                          gboolean        in_chain);

static gboolean
is_struct (const VtrApiField *field)
{
  return field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION;
}

/* Fake memory of the captured process. */
static guint8 *
new_memory (Image    *self,
            gsize     size,
            gboolean  write,
            guint64  *address)
{
  guint8 *bytes = g_malloc0 (size + 1);
  VtrObservation observation = { self->next_address, bytes, size, 0, write };

  g_ptr_array_add (self->memory, bytes);
  g_array_append_val (self->observations, observation);
  *address = self->next_address;
  self->next_address += (guint32)((size + 31) & ~(gsize)15);
  return bytes;
}

static void
store (guint8  *to,
       guint64  value,
       guint    size)
{
  memcpy (to, &value, size);
}

static void
write_elements (Image             *self,
                const VtrScope    *scope,
                const VtrApiField *field,
                const guint8      *from,
                guint8            *to,
                guint64            count)
{
  guint from_size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);
  guint to_size = vtr_field_element_size (field, field->pointers, self->abi);

  for (guint64 i = 0; i < count; i++)
    if (is_struct (field))
      write_struct (self, scope, field->type, from + i * from_size, to + i * to_size, FALSE);
    else
      store (to + i * to_size, vtr_slot_load (from + i * from_size, from_size), to_size);
}

/* Returns: the fake address of what @pointer leads to. */
static guint64
write_pointer (Image             *self,
               const VtrScope    *scope,
               const VtrApiField *field,
               const guint8      *pointer,
               guint              level,
               guint64            index)
{
  gboolean out = (field->flags & VTR_FIELD_OUT) != 0;
  guint size = vtr_field_element_size (field, level + 1, self->abi);
  guint64 count, address;
  guint8 *bytes;

  if (pointer == NULL ||
      (level == 0 && !vtr_field_is_followed (field, scope, self->env)) ||
      !vtr_field_length (field, level, scope, self->env, index, pointer, &count) ||
      count == 0)
    return 0;
  bytes = new_memory (self, count * size, out, &address);
  if (level + 1u == field->pointers)
    write_elements (self, scope, field, pointer, bytes, count);
  else
    for (guint64 i = 0; i < count; i++)
      store (bytes + i * size,
             write_pointer (self, scope, field, vtr_slot_pointer (pointer + i * sizeof (void *)),
                            level + 1, i),
             size);
  return address;
}

static guint64
write_chain (Image          *self,
             const VtrScope *head,
             const guint8   *node)
{
  guint pointer = vtr_abi_pointer_size (self->abi);
  VtrStructId id;
  guint64 address, next;
  gsize size;
  guint8 *bytes;

  if (node == NULL)
    return 0;
  id = vtr_struct_from_stype ((guint32)vtr_slot_load (node, 4));
  size = id == VTR_STRUCT_NONE ? 2 * pointer : vtr_struct_get (id)->size[self->abi];
  bytes = new_memory (self, size, FALSE, &address);
  if (id != VTR_STRUCT_NONE)
    write_struct (self, head, id, node, bytes, TRUE);
  else
    store (bytes, vtr_slot_load (node, 4), 4);
  next = write_chain (self, head, vtr_slot_pointer (node + offsetof (VtrChainHeader, next)));
  store (bytes + pointer, next, pointer);
  return address;
}

static guint64
field_value (Image             *self,
             const VtrScope    *scope,
             const VtrApiField *field)
{
  const guint8 *slot = vtr_scope_slot (scope, field);

  if (field->kind == VTR_KIND_NEXT)
    return scope->in_chain ? 0 : write_chain (self, scope, vtr_slot_pointer (slot));
  if (vtr_field_is_offset (field, scope, self->env))
    return vtr_slot_load (slot, sizeof (void *));
  return write_pointer (self, scope, field, vtr_slot_pointer (slot), 0, 0);
}

static void
write_struct (Image          *self,
              const VtrScope *parent,
              VtrStructId     id,
              const guint8   *from,
              guint8         *to,
              gboolean        in_chain)
{
  const VtrApiStruct *type = vtr_struct_get (id);
  VtrScope scope;

  if (vtr_struct_is_raw (type))
    {
      memcpy (to, from, MIN (type->size[self->abi], type->size[VTR_ABI_NATIVE]));
      return;
    }
  vtr_scope_init_struct (&scope, parent, id, from);
  scope.in_chain = in_chain;
  for (unsigned i = 0; i < type->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[type->first_field + i];
      guint8 *slot = to + field->offset[self->abi];

      if (vtr_field_is_dead (field, &scope, self->env))
        continue;
      if (field->kind == VTR_KIND_NEXT || field->pointers > 0)
        store (slot, field_value (self, &scope, field), vtr_abi_pointer_size (self->abi));
      else
        write_elements (self, &scope, field, vtr_scope_slot (&scope, field), slot, field->array);
    }
}

/* Wide values do not fit a narrow ABI and are never in a trace of one. */
static void
narrow_handle (void                 *data,
               const VtrVisitHandle *handle)
{
  if (handle->dispatchable && handle->ignored)
    memset (handle->slot, 0, sizeof (void *));
}

static void
decodes_as (VtrCmdId cmd,
            guint64  seed,
            VtrAbi   abi)
{
  const VtrApiCommand *command = vtr_cmd_get (cmd);
  VtrApiVisitor narrow = { .handle = narrow_handle };
  g_autoptr (GArray) observations = g_array_new (FALSE, TRUE, sizeof (VtrObservation));
  g_autoptr (GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);
  Image image = { abi, observations, memory, 0x10000 };
  guint64 params[32] = { 0 };
  VtrRandomTree tree;
  VtrDecoded decoded;
  VtrArena arena;
  VtrScope scope;
  char where[256];

  vtr_random_tree_init (&tree, cmd, seed);
  vtr_api_visit (cmd, tree.args, tree.env, &narrow);
  image.env = tree.env;
  vtr_scope_init_args (&scope, cmd, tree.args);
  for (unsigned i = 0; i < command->n_params; i++)
    {
      const VtrApiField *field = vtr_cmd_param (cmd, i);

      params[i] = field->pointers > 0
                    ? field_value (&image, &scope, field)
                    : vtr_slot_load (vtr_scope_slot (&scope, field), field->size[VTR_ABI_NATIVE]);
    }
  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_rebuild (cmd, abi, params, (VtrObservation *)(void *)observations->data,
                                    observations->len, &arena, &decoded),
                   ==, VTR_OK);
  if (!vtr_api_compare (cmd, tree.args, decoded.args, VTR_COMPARE_HANDLES | VTR_COMPARE_ADDRESSES,
                        tree.env, where, sizeof where))
    g_error ("%s differs at %s", vtr_cmd_name (cmd), where);
  vtr_arena_finish (&arena);
  vtr_random_tree_finish (&tree);
}

static void
test_abi (gconstpointer data)
{
  for (unsigned i = 0; i < VTR_N_COMMANDS; i++)
    for (guint64 seed = 0; seed < 24; seed++)
      decodes_as (vtr_cmd_at (i), seed, (VtrAbi)GPOINTER_TO_INT (data));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/api/foreign/lp64", GINT_TO_POINTER (VTR_ABI_LP64), test_abi);
  g_test_add_data_func ("/api/foreign/i386", GINT_TO_POINTER (VTR_ABI_I386), test_abi);
  g_test_add_data_func ("/api/foreign/arm32", GINT_TO_POINTER (VTR_ABI_ARM32), test_abi);
  return g_test_run ();
}
