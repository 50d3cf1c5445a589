/* Tests with random argument trees of every command that encoding and decoding gives an equal
 * tree, and that every pointer and handle is visited exactly once. */
#include "vtr-random-tree.h"

#include "api/vtr-api-print.h"
#include "api/vtr-api-slot-private.h"

#include <glib.h>
#include <json-glib/json-glib.h>

#define TREES_PER_COMMAND 64

typedef void (*TreeTest) (VtrCmdId cmd,
                          VtrRandomTree *tree);

static void
for_every_command (TreeTest test)
{
  for (unsigned i = 0; i < VTR_N_COMMANDS; i++)
    for (uint64_t seed = 0; seed < TREES_PER_COMMAND; seed++)
      {
        VtrRandomTree tree;

        vtr_random_tree_init (&tree, vtr_cmd_at (i), seed);
        test (vtr_cmd_at (i), &tree);
        vtr_random_tree_finish (&tree);
      }
}

static void
assert_equal (VtrCmdId         cmd,
              const void      *a,
              const void      *b,
              const VtrApiEnv *env)
{
  char where[256];

  if (!vtr_api_compare (cmd, a, b, VTR_COMPARE_HANDLES | VTR_COMPARE_ADDRESSES, env, where,
                        sizeof where))
    g_error ("%s differs at %s", vtr_cmd_name (cmd), where);
}

/* --- Round trip ------------------------------------------------------------------------------ */

static void
round_trip (VtrCmdId       cmd,
            VtrRandomTree *tree)
{
  VtrBuffer message = { 0 };
  VtrDecoded decoded;
  VtrArena arena;
  VtrStatus status;
  void *copy;

  vtr_arena_init (&arena);
  vtr_api_encode (&message, cmd, tree->args, 0, 42, 77, 0, tree->env);
  g_assert_false (message.failed);
  g_assert_cmpuint (vtr_api_measure (cmd, tree->args, 0, tree->env), >=, message.size);
  status = vtr_api_decode (cmd, message.data, message.size, NULL, &arena, &decoded);
  g_assert_cmpint (status, ==, VTR_OK);
  if ((decoded.flags & VTR_DECODED_DAMAGED) != 0)
    g_error ("%s decodes as damaged", vtr_cmd_name (cmd));
  g_assert_cmpint ((decoded.flags & VTR_DECODED_UNKNOWN_NEXT) != 0, <=, tree->has_unknown);
  g_assert_cmpuint (decoded.thread, ==, 42);
  g_assert_cmpuint (decoded.time, ==, 77);
  g_assert_cmpint (decoded.has_result, ==, vtr_cmd_get (cmd)->result != VTR_RESULT_VOID);
  assert_equal (cmd, tree->args, decoded.args, tree->env);

  status = vtr_api_copy (cmd, tree->args, tree->env, &arena, &copy);
  g_assert_cmpint (status, ==, VTR_OK);
  assert_equal (cmd, tree->args, copy, tree->env);
  vtr_arena_finish (&arena);
  vtr_buffer_finish (&message);
}

static void
test_round_trip (void)
{
  for_every_command (round_trip);
}

/* A comparison that always agreed would prove nothing. */
static void
test_compare_sees_differences (void)
{
  unsigned n_different = 0, n_trees = 0;

  for (unsigned nth = 0; nth < VTR_N_COMMANDS; nth++)
    {
      VtrCmdId cmd = vtr_cmd_at (nth);
      VtrRandomTree a, b;

      if (vtr_cmd_get (cmd)->n_params < 3)
        continue;
      vtr_random_tree_init (&a, (VtrCmdId)cmd, 1);
      vtr_random_tree_init (&b, (VtrCmdId)cmd, 2);
      n_trees++;
      n_different += !vtr_api_compare ((VtrCmdId)cmd, a.args, b.args, VTR_COMPARE_HANDLES,
                                       a.env, NULL, 0);
      vtr_random_tree_finish (&a);
      vtr_random_tree_finish (&b);
    }
  g_assert_cmpuint (n_different, >, n_trees * 9 / 10);
}

/* --- Exactly once ---------------------------------------------------------------------------- */

typedef struct
{
  GHashTable *slots;
  guint n_handles;
  guint n_pointers;
  const VtrApiEnv *env;
} Slots;

static void
add_slot (Slots *self,
          void  *slot)
{
  if (!g_hash_table_add (self->slots, slot))
    g_error ("a slot was visited twice");
}

static void
count_handle (void                 *data,
              const VtrVisitHandle *handle)
{
  Slots *self = data;

  add_slot (self, handle->slot);
  self->n_handles++;
}

static void
count_pointer (void                  *data,
               const VtrVisitPointer *pointer)
{
  Slots *self = data;

  add_slot (self, pointer->slot);
  self->n_pointers++;
}

static void expect_struct (Slots          *self,
                           const VtrScope *parent,
                           VtrStructId     id,
                           const uint8_t  *base,
                           bool            in_chain);

static void
expect_elements (Slots             *self,
                 const VtrScope    *scope,
                 const VtrApiField *field,
                 const uint8_t     *base,
                 uint64_t           count)
{
  uint32_t size = vtr_field_element_size (field, field->pointers, VTR_ABI_NATIVE);

  for (uint64_t i = 0; i < count; i++)
    if (field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION)
      expect_struct (self, scope, field->type, base + i * size, false);
    else if (field->kind == VTR_KIND_ADDRESS || field->kind == VTR_KIND_FUNCTION)
      self->n_pointers++;
    else if (field->kind == VTR_KIND_HANDLE)
      self->n_handles++;
    else if ((field->flags & VTR_FIELD_OBJECT) != 0)
      self->n_handles += vtr_field_object_type (field, scope) != VTR_HANDLE_NONE;
}

/* Pointers and handles of the tree, counted by a walk that shares nothing with the visitor. */
static void
expect_fields (Slots          *self,
               const VtrScope *scope)
{
  for (unsigned i = 0; i < scope->n_fields; i++)
    {
      const VtrApiField *field = &vtr_api_fields[scope->first_field + i];
      const uint8_t *slot = vtr_scope_slot (scope, field);
      const uint8_t *pointer;
      uint64_t count;

      if (field->kind == VTR_KIND_NEXT)
        {
          for (const uint8_t *node = scope->in_chain ? NULL : vtr_slot_pointer (slot); node != NULL;
               node = vtr_slot_pointer (node + 8))
            {
              VtrStructId id = vtr_struct_from_stype ((uint32_t)vtr_slot_load (node, 4));

              self->n_pointers++;
              if (id != VTR_STRUCT_NONE)
                expect_struct (self, scope, id, node, true);
            }
          self->n_pointers += !scope->in_chain;
          continue;
        }
      if (vtr_field_is_dead (field, scope, self->env))
        continue;
      if (field->pointers == 0)
        {
          if ((field->kind != VTR_KIND_STRUCT && field->kind != VTR_KIND_UNION) ||
              vtr_field_is_followed (field, scope, self->env))
            expect_elements (self, scope, field, slot, vtr_field_array_count (field, scope));
          continue;
        }
      self->n_pointers++;
      pointer = vtr_slot_pointer (slot);
      if (pointer == NULL || !vtr_field_is_followed (field, scope, self->env) ||
          !vtr_field_length (field, 0, scope, self->env, 0, pointer, &count))
        continue;
      if (vtr_field_has_data (field, scope))
        /* The template of the environment: 2 images with samplers, a buffer, 3 views, a sampler
         * whose view counts as a (ignored) handle all the same. */
        self->n_handles += count == 24 ? 0 : 2 * 2 + 1 + 3 + 2;
      else if (field->pointers == 1)
        expect_elements (self, scope, field, pointer, count);
      else
        for (uint64_t k = 0; k < count; k++)
          {
            const uint8_t *element = vtr_slot_pointer (pointer + k * 8);
            uint64_t inner;

            self->n_pointers++;
            if (element != NULL &&
                vtr_field_length (field, 1, scope, self->env, k, element, &inner))
              expect_elements (self, scope, field, element, inner);
          }
    }
}

static void
expect_struct (Slots          *self,
               const VtrScope *parent,
               VtrStructId     id,
               const uint8_t  *base,
               bool            in_chain)
{
  VtrScope scope;

  if (vtr_struct_is_raw (vtr_struct_get (id)))
    return;
  vtr_scope_init_struct (&scope, parent, id, base);
  scope.in_chain = in_chain;
  expect_fields (self, &scope);
}

static void
visited_once (VtrCmdId       cmd,
              VtrRandomTree *tree)
{
  Slots seen = { g_hash_table_new (NULL, NULL), 0, 0, NULL }, expected = { .env = tree->env };
  VtrApiVisitor visitor = { .data = &seen, .handle = count_handle, .pointer = count_pointer };
  VtrScope scope;

  vtr_api_visit (cmd, tree->args, tree->env, &visitor);
  vtr_scope_init_args (&scope, cmd, tree->args);
  expect_fields (&expected, &scope);
  if (seen.n_handles != expected.n_handles || seen.n_pointers != expected.n_pointers)
    g_error ("%s: %u of %u handles, %u of %u pointers", vtr_cmd_name (cmd), seen.n_handles,
             expected.n_handles, seen.n_pointers, expected.n_pointers);
  g_hash_table_unref (seen.slots);
}

/* --- Remap ----------------------------------------------------------------------------------- */

static uint64_t
flip (void        *data,
      VtrHandleId  type,
      uint64_t     value)
{
  return value ^ 0x40000000;
}

/* There and back again is where one was. */
static void
remaps (VtrCmdId       cmd,
        VtrRandomTree *tree)
{
  VtrArena arena;
  void *copy;

  vtr_arena_init (&arena);
  g_assert_cmpint (vtr_api_copy (cmd, tree->args, tree->env, &arena, &copy), ==, VTR_OK);
  vtr_api_remap (cmd, copy, tree->env, true, flip, NULL);
  if (vtr_cmd_get (cmd)->dispatch != VTR_HANDLE_NONE &&
      vtr_slot_load (tree->args, sizeof (void *)) != 0)
    g_assert_false (vtr_api_compare (cmd, tree->args, copy, VTR_COMPARE_HANDLES, tree->env,
                                     NULL, 0));
  vtr_api_remap (cmd, copy, tree->env, true, flip, NULL);
  assert_equal (cmd, tree->args, copy, tree->env);
  vtr_arena_finish (&arena);
}

static void
test_remaps (void)
{
  for_every_command (remaps);
}

static void
test_visited_once (void)
{
  for_every_command (visited_once);
}

/* --- Flatten --------------------------------------------------------------------------------- */

static int
compare_u32 (const void *a,
             const void *b)
{
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;

  return x < y ? -1 : x > y;
}

static void
flattens (VtrCmdId       cmd,
          VtrRandomTree *tree)
{
  static VtrFlat flat;
  const VtrFlatPointer *pointers;
  const VtrFlatHandle *handles;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  VtrStatus status = vtr_api_flatten (cmd, tree->args, tree->env, &flat);

  g_assert_cmpint (status, ==, VTR_OK);
  pointers = (const VtrFlatPointer *)(const void *)flat.pointers.data;
  handles = (const VtrFlatHandle *)(const void *)flat.handles.data;
  for (size_t i = 0; i < flat.n_pointers; i++)
    {
      guint64 value = 0;

      g_assert_cmpuint (pointers[i].at, <=, flat.blob.size - sizeof (void *));
      g_assert_cmpuint (pointers[i].to, <=, flat.blob.size);
      g_assert_cmpuint (pointers[i].to % 8, ==, 0);
      memcpy (&value, flat.blob.data + pointers[i].at, sizeof (void *));
      g_assert_cmpuint (value, ==, pointers[i].to);
      g_array_append_val (places, pointers[i].at);
    }
  for (size_t i = 0; i < flat.n_handles; i++)
    {
      g_assert_cmpuint (handles[i].at, <=, flat.blob.size - handles[i].size);
      g_assert_true (handles[i].out || !vtr_handle_is_null (handles[i].type, handles[i].value));
      g_array_append_val (places, handles[i].at);
    }
  g_array_sort (places, compare_u32);
  for (guint i = 1; i < places->len; i++)
    g_assert_cmpuint (g_array_index (places, guint32, i), !=,
                      g_array_index (places, guint32, i - 1));
}

static void
test_flattens (void)
{
  for_every_command (flattens);
}

/* --- Text ------------------------------------------------------------------------------------ */

static void
shows (VtrCmdId       cmd,
       VtrRandomTree *tree)
{
  VtrBuffer message = { 0 }, text = { 0 };
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  VtrDecoded decoded;
  VtrArena arena;

  vtr_arena_init (&arena);
  vtr_api_encode (&message, cmd, tree->args, 0, 1, 2, 0, tree->env);
  g_assert_cmpint (vtr_api_decode (cmd, message.data, message.size, NULL, &arena, &decoded), ==,
                   VTR_OK);
  vtr_api_json (cmd, decoded.args, &decoded, NULL, &text);
  g_assert_false (text.failed);
  json_parser_load_from_data (parser, (const char *)text.data, (gssize)text.size, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (json_object_get_size (json_node_get_object (json_parser_get_root (parser))), ==,
                    vtr_cmd_get (cmd)->n_params);
  vtr_buffer_clear (&text);
  vtr_api_print (cmd, decoded.args, &decoded, NULL, &text);
  vtr_api_print_full (cmd, decoded.args, &decoded, NULL, &text);
  g_assert_true (g_utf8_validate_len ((const char *)text.data, text.size, NULL));
  vtr_arena_finish (&arena);
  vtr_buffer_finish (&message);
  vtr_buffer_finish (&text);
}

static void
test_shows (void)
{
  for_every_command (shows);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/trees/round-trip", test_round_trip);
  g_test_add_func ("/api/trees/compare-sees-differences", test_compare_sees_differences);
  g_test_add_func ("/api/trees/visited-once", test_visited_once);
  g_test_add_func ("/api/trees/remaps", test_remaps);
  g_test_add_func ("/api/trees/flattens", test_flattens);
  g_test_add_func ("/api/trees/shows", test_shows);
  return g_test_run ();
}
