/* Tests every walker on names whose kind another argument tells, names of 0, and pointers that may
 * be offsets, which the tiny API has and Vulkan has not. */
#include "vtr-tiny-env.h"

#include "api/vtr-api-print.h"
#include "api/vtr-api-slot-private.h"
#include "api/vtr-tiny-args.h"

#include <glib.h>

enum
{
  TN_PICTURE = 1,
  TN_STORE = 2,
  TN_ARRAY = 3,
};

typedef VtrArgs_tnBind BindArgs;
typedef VtrArgs_tnGen NamesArgs;
typedef VtrArgs_tnPictureData PictureArgs;
typedef VtrArgs_tnPointer PointerArgs;

static const VtrTinyEnv bound = { VTR_YES }, unbound = { VTR_NO }, untold = { VTR_UNKNOWN };
static const VtrApiEnv live_bound = { .state = &bound };
static const VtrApiEnv live_unbound = { .state = &unbound };
static const VtrApiEnv live_untold = { .state = &untold };
static const VtrApiEnv decoded_bound = { .decoded = true, .state = &bound };
static const VtrApiEnv decoded_unbound = { .decoded = true, .state = &unbound };

static void
test_tables (void)
{
  const VtrApiModel *tiny = vtr_api_from_name ("tiny"), *vulkan = vtr_api_from_name ("vulkan");

  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_tnBind)->args_size, ==, sizeof (BindArgs));
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_tnGen)->args_size, ==, sizeof (NamesArgs));
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_tnPictureData)->args_size, ==, sizeof (PictureArgs));
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_tnPointer)->args_size, ==, sizeof (PointerArgs));
  g_assert_true (vtr_cmd_get (VTR_CMD_tnPictureData)->has_offsets);
  g_assert_false (vtr_cmd_get (VTR_CMD_tnPointer)->has_offsets);
  g_assert_cmpuint (vtr_cmd_get (VTR_CMD_tnCreateContext)->dispatch, ==, VTR_HANDLE_NONE);

  /* Both APIs have a kind number 1. */
  g_assert_cmpuint (vtr_handle_from_object_type (tiny, 1), ==, VTR_HANDLE_picture);
  g_assert_cmpuint (vtr_handle_from_object_type (vulkan, 1), ==, VTR_HANDLE_VkInstance);
  g_assert_cmpuint (vtr_handle_from_object_type (tiny, 4), ==, VTR_HANDLE_NONE);
  g_assert_cmpuint (vtr_handle_from_object_type (tiny, 0), ==, VTR_HANDLE_NONE);
}

/* --- Names ----------------------------------------------------------------------------------- */

static void
note_handle (void                 *data,
             const VtrVisitHandle *handle)
{
  g_string_append_printf (data, "%s%s %u of %u bytes;", handle->out ? "out " : "",
                          vtr_api_string (vtr_handle_get (handle->type)->name),
                          (guint)vtr_visit_handle_get (handle), handle->size);
}

static void
assert_names (VtrCmdId    cmd,
              void       *args,
              const char *expected)
{
  g_autoptr (GString) found = g_string_new (NULL);
  const VtrApiVisitor visitor = { .data = found, .handle = note_handle };

  vtr_api_visit (cmd, args, &live_unbound, &visitor);
  g_assert_cmpstr (found->str, ==, expected);
}

static void
test_names (void)
{
  uint32_t names[] = { 4711, 0, 5 };
  BindArgs bind = { TN_ARRAY, 7 };
  NamesArgs many = { TN_STORE, 3, names };

  assert_names (VTR_CMD_tnBind, &bind, "array 7 of 4 bytes;");
  bind = (BindArgs){ TN_PICTURE, 0 };
  assert_names (VTR_CMD_tnBind, &bind, "picture 0 of 4 bytes;");
  bind.kind = 9;
  assert_names (VTR_CMD_tnBind, &bind, "");
  assert_names (VTR_CMD_tnDelete, &many,
                "store 4711 of 4 bytes;store 0 of 4 bytes;store 5 of 4 bytes;");
  many.kind = TN_PICTURE;
  many.n = 1;
  assert_names (VTR_CMD_tnGen, &many, "out picture 4711 of 4 bytes;");
}

static uint64_t
add_hundred (void        *data,
             VtrHandleId  type,
             uint64_t     value)
{
  return value + 100;
}

/* A name of 0 is replaced where it is an object, and nothing behind a name of 32 bits ever is. */
static void
test_replaced (void)
{
  uint32_t names[] = { 1, 0, 2, 77 };
  NamesArgs many = { TN_STORE, 3, names };

  vtr_api_remap (VTR_CMD_tnDelete, &many, &live_unbound, false, add_hundred, NULL);
  g_assert_cmpuint (names[0], ==, 101);
  g_assert_cmpuint (names[1], ==, 0);
  g_assert_cmpuint (names[2], ==, 102);
  many.kind = TN_PICTURE;
  vtr_api_remap (VTR_CMD_tnDelete, &many, &live_unbound, false, add_hundred, NULL);
  g_assert_cmpuint (names[0], ==, 201);
  g_assert_cmpuint (names[1], ==, 100);
  g_assert_cmpuint (names[3], ==, 77);
  vtr_api_remap (VTR_CMD_tnGen, &many, &live_unbound, false, add_hundred, NULL);
  g_assert_cmpuint (names[0], ==, 201);
}

static void
test_flat_names (void)
{
  uint32_t names[] = { 3, 0, 4, 0xffffffff };
  NamesArgs many = { TN_STORE, 3, names };
  const VtrFlatHandle *handles;
  VtrFlat flat = { 0 };

  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnDelete, &many, &live_unbound, &flat), ==, VTR_OK);
  handles = (gconstpointer)flat.handles.data;
  g_assert_cmpuint (flat.n_handles, ==, 2);
  g_assert_cmpuint (handles[1].type, ==, VTR_HANDLE_store);
  g_assert_cmpuint (handles[1].value, ==, 4);
  g_assert_cmpuint (handles[1].size, ==, 4);
  g_assert_cmpuint (handles[1].at - handles[0].at, ==, 8);

  many.kind = TN_PICTURE;
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnDelete, &many, &live_unbound, &flat), ==, VTR_OK);
  g_assert_cmpuint (flat.n_handles, ==, 3);

  /* Of outputs all are listed; their place is empty, and nothing beside it is touched. */
  many.n = 1;
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnGen, &many, &live_unbound, &flat), ==, VTR_OK);
  handles = (gconstpointer)flat.handles.data;
  g_assert_cmpuint (flat.n_handles, ==, 1);
  g_assert_true (handles[0].out);
  g_assert_cmpuint (vtr_slot_load (flat.blob.data + handles[0].at, 4), ==, 0);
  vtr_flat_finish (&flat);
}

static void
assert_json (VtrCmdId         cmd,
             const void      *args,
             const VtrApiEnv *env,
             const char      *expected)
{
  VtrBuffer text = { 0 };

  vtr_api_json (cmd, args, NULL, env, &text);
  vtr_buffer_append_u8 (&text, 0);
  g_assert_cmpstr ((const char *)text.data, ==, expected);
  vtr_buffer_finish (&text);
}

static void
test_shown (void)
{
  uint32_t names[] = { 3, 0 };
  NamesArgs many = { TN_STORE, 2, names };
  PictureArgs picture = { 64, 64, (void *)(guintptr)4660, 0 };
  PointerArgs pointer = { 8, (void *)(guintptr)24 };
  VtrBuffer text = { 0 };

  assert_json (VTR_CMD_tnDelete, &many, &live_unbound,
               "{\"kind\":\"TN_STORE\",\"n\":2,\"names\":[\"0x3\",\"0x0\"]}");
  assert_json (VTR_CMD_tnPictureData, &picture, &live_bound,
               "{\"width\":64,\"height\":64,\"texels\":4660}");
  assert_json (VTR_CMD_tnPointer, &pointer, &live_bound, "{\"stride\":8,\"points\":24}");
  assert_json (VTR_CMD_tnPointer, &pointer, &live_unbound,
               "{\"stride\":8,\"points\":{\"address\":\"0x18\"}}");
  many.kind = TN_PICTURE;
  vtr_api_print (VTR_CMD_tnDelete, &many, NULL, &live_unbound, &text);
  vtr_buffer_append_u8 (&text, 0);
  g_assert_cmpstr ((const char *)text.data, ==, "tnDelete(kind=TN_PICTURE, n=2, names=[0x3, 0x0])");
  vtr_buffer_finish (&text);
}

/* --- Offsets --------------------------------------------------------------------------------- */

static void
count_pointers (void                  *data,
                const VtrVisitPointer *pointer)
{
  guint *n = data;

  *n += !pointer->ignored && pointer->count > 0;
}

static guint
n_followed (void            *args,
            const VtrApiEnv *env)
{
  guint n = 0;
  const VtrApiVisitor visitor = { .data = &n, .pointer = count_pointers };

  vtr_api_visit (VTR_CMD_tnPictureData, args, env, &visitor);
  return n;
}

/* A picture of which nothing was observed: its texels are at @offset of a store. */
static PictureArgs *
decode_offset (VtrArena   *arena,
               guint64     offset,
               VtrDecoded *decoded)
{
  PictureArgs args = { 64, 64, (void *)(guintptr)offset, 0 };
  VtrBuffer message = { 0 };

  vtr_api_encode (&message, VTR_CMD_tnPictureData, &args, 0, 1, 0, 0, &live_bound);
  g_assert_cmpint (vtr_api_decode (VTR_CMD_tnPictureData, message.data, message.size, NULL, arena,
                                   decoded),
                   ==, VTR_OK);
  g_assert_cmpuint (decoded->n_observations, ==, 0);
  g_assert_cmpuint (decoded->flags, ==, 0);
  vtr_buffer_finish (&message);
  return decoded->args;
}

static guint64
flat_texels (const VtrFlat *flat)
{
  return vtr_slot_load (flat->blob.data + offsetof (PictureArgs, texels), sizeof (void *));
}

static void
test_offset (void)
{
  VtrDecoded decoded, other;
  VtrFlat flat = { 0 };
  VtrArena arena;
  void *args, *copy;

  vtr_arena_init (&arena);
  args = decode_offset (&arena, 0x12345678, &decoded);
  g_assert_true (((PictureArgs *)args)->texels == (void *)(guintptr)0x12345678);
  g_assert_cmpuint (vtr_decoded_address (&decoded, &((PictureArgs *)args)->texels), ==, 0x12345678);

  /* Whatever the state says, nothing goes there. */
  g_assert_cmpuint (n_followed (args, NULL), ==, 0);
  g_assert_cmpuint (n_followed (args, &decoded_bound), ==, 0);
  g_assert_cmpuint (n_followed (args, &decoded_unbound), ==, 0);

  g_assert_cmpint (vtr_api_copy (VTR_CMD_tnPictureData, args, NULL, &arena, &copy), ==, VTR_OK);
  g_assert_true (((PictureArgs *)copy)->texels == (void *)(guintptr)0x12345678);
  g_assert_cmpuint (n_followed (copy, &decoded_unbound), ==, 0);
  g_assert_true (vtr_api_compare (VTR_CMD_tnPictureData, args, copy, 0, NULL, NULL, 0));
  copy = decode_offset (&arena, 0x12345679, &other);
  g_assert_false (vtr_api_compare (VTR_CMD_tnPictureData, args, copy, 0, NULL, NULL, 0));

  /* A replay gets it, unless the state says that it is a pointer, of which nothing is known. */
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnPictureData, args, &decoded_bound, &flat), ==,
                   VTR_OK);
  g_assert_cmpuint (flat_texels (&flat), ==, 0x12345678);
  g_assert_cmpuint (flat.n_pointers, ==, 0);
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnPictureData, args, NULL, &flat), ==, VTR_OK);
  g_assert_cmpuint (flat_texels (&flat), ==, 0x12345678);
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnPictureData, args, &decoded_unbound, &flat), ==,
                   VTR_OK);
  g_assert_cmpuint (flat_texels (&flat), ==, 0);
  vtr_flat_finish (&flat);
  vtr_arena_finish (&arena);
}

/* The same argument as a pointer; the layer's copy of the call says so as the decoded one does. */
static void
test_pointer (void)
{
  const guint8 texels[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  PictureArgs args = { 2, 1, texels, 0 };
  VtrBuffer message = { 0 };
  const PictureArgs *result;
  VtrDecoded decoded;
  VtrFlat flat = { 0 };
  VtrArena arena;
  void *copy;

  vtr_arena_init (&arena);
  vtr_api_encode (&message, VTR_CMD_tnPictureData, &args, 0, 1, 0, 0, &live_unbound);
  g_assert_cmpuint (vtr_api_measure (VTR_CMD_tnPictureData, &args, 0, &live_unbound), >=,
                    message.size);
  g_assert_cmpint (vtr_api_decode (VTR_CMD_tnPictureData, message.data, message.size, NULL, &arena,
                                   &decoded),
                   ==, VTR_OK);
  result = decoded.args;
  g_assert_cmpmem (result->texels, 8, texels, 8);
  g_assert_cmpuint (n_followed (decoded.args, NULL), ==, 1);
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnPictureData, decoded.args, NULL, &flat), ==, VTR_OK);
  g_assert_cmpuint (flat.n_pointers, ==, 1);
  vtr_flat_finish (&flat);

  g_assert_cmpint (vtr_api_copy (VTR_CMD_tnPictureData, &args, &live_unbound, &arena, &copy), ==,
                   VTR_OK);
  g_assert_cmpmem (((PictureArgs *)copy)->texels, 8, texels, 8);
  g_assert_true (((PictureArgs *)copy)->texels != args.texels);
  g_assert_cmpuint (n_followed (copy, NULL), ==, 1);
  g_assert_true (vtr_api_compare (VTR_CMD_tnPictureData, decoded.args, copy, 0, NULL, NULL, 0));

  /* Where the recorder cannot know, it does not look. */
  vtr_buffer_clear (&message);
  vtr_api_encode (&message, VTR_CMD_tnPictureData, &args, 0, 1, 0, 0, &live_untold);
  g_assert_cmpint (vtr_api_decode (VTR_CMD_tnPictureData, message.data, message.size, NULL, &arena,
                                   &decoded),
                   ==, VTR_OK);
  g_assert_cmpuint (decoded.n_observations, ==, 0);
  vtr_buffer_finish (&message);
  vtr_arena_finish (&arena);
}

/* A pointer that later calls read is never followed; a replay is given it only as an offset. */
static void
test_lasting (void)
{
  PointerArgs args = { 8, (void *)(guintptr)24 };
  VtrFlat flat = { 0 };

  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnPointer, &args, &decoded_bound, &flat), ==, VTR_OK);
  g_assert_cmpuint (vtr_slot_load (flat.blob.data + offsetof (PointerArgs, points), 8), ==, 24);
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnPointer, &args, &decoded_unbound, &flat), ==, VTR_OK);
  g_assert_cmpuint (vtr_slot_load (flat.blob.data + offsetof (PointerArgs, points), 8), ==, 0);
  g_assert_cmpint (vtr_api_flatten (VTR_CMD_tnPointer, &args, NULL, &flat), ==, VTR_OK);
  g_assert_cmpuint (vtr_slot_load (flat.blob.data + offsetof (PointerArgs, points), 8), ==, 0);
  vtr_flat_finish (&flat);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiny/walk/tables", test_tables);
  g_test_add_func ("/tiny/walk/names", test_names);
  g_test_add_func ("/tiny/walk/replaced", test_replaced);
  g_test_add_func ("/tiny/walk/flat-names", test_flat_names);
  g_test_add_func ("/tiny/walk/shown", test_shown);
  g_test_add_func ("/tiny/walk/offset", test_offset);
  g_test_add_func ("/tiny/walk/pointer", test_pointer);
  g_test_add_func ("/tiny/walk/lasting", test_lasting);
  return g_test_run ();
}
