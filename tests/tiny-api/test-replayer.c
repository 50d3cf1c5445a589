/* Tests that the replayer runs the tiny API beside Vulkan: calls, reading and filling pictures,
 * and words that no builder writes. */
#include "engine/api/vtr-build-api.h"
#include "engine/replay/vtr-replay-backend.h"

#include "api/vtr-api-ids.h"
#include "wire/vtr-replay-asm.h"

#include <string.h>

#define CONTEXT 0x1000 /* volatile addresses: handles of two contexts */
#define OTHER 0x1008
#define NAMES 0x2000
#define DATA 0x4000
#define REQUEST 0x8000

#define SIDE 8
#define RED 0xff0000ffu
#define BLUE 0xffff0000u

typedef struct
{
  VtrReplayBackend *backend;
  VtrBuffer code;
  GHashTable *posts; /* id → GBytes */
  VtrReplayOutcome outcome;
} Fixture;

static void
posted (guint64       post,
        const guint8 *bytes,
        gsize         size,
        gpointer      data)
{
  Fixture *self = data;

  g_hash_table_replace (self->posts, g_memdup2 (&post, sizeof post), g_bytes_new (bytes, size));
}

static void
set_up (Fixture       *self,
        gconstpointer  data)
{
  self->backend = vtr_replay_process_new (NULL);
  self->posts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                       (GDestroyNotify)g_bytes_unref);
}

static void
tear_down (Fixture       *self,
           gconstpointer  data)
{
  self->backend->klass->free (self->backend);
  vtr_buffer_finish (&self->code);
  g_hash_table_unref (self->posts);
}

/* Runs the words that were written, and begins new ones. */
static gboolean
run (Fixture  *self,
     guint32   flags,
     GError  **error)
{
  const VtrReplayEvents events = { .posted = posted };
  const VtrReplaySegment segment = {
    .opcodes = (const guint32 *)(gconstpointer)self->code.data,
    .n_opcodes = self->code.size / 4,
  };
  gboolean ok;

  g_assert_false (self->code.failed);
  g_hash_table_remove_all (self->posts);
  ok = self->backend->klass->begin (self->backend, flags, &events, self, NULL, error);
  if (ok)
    {
      self->backend->klass->send (self->backend, &segment, NULL);
      ok = self->backend->klass->finish (self->backend, &self->outcome, NULL, error);
    }
  vtr_buffer_finish (&self->code);
  memset (&self->code, 0, sizeof self->code);
  return ok;
}

static void
run_fine (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  run (self, 0, &error);
  g_assert_no_error (error);
  g_assert_false (self->outcome.failed);
}

/* --- Words ----------------------------------------------------------------------------------- */

static void
number (Fixture *self,
        guint64  value)
{
  vtr_asm_push (&self->code, VTR_VM_UINT64, value);
}

static void
at (Fixture *self,
    guint64  address)
{
  vtr_asm_push (&self->code, VTR_VM_VOLATILE, address);
}

static void
call (Fixture  *self,
      VtrCmdId  id)
{
  vtr_asm_call (&self->code, VTR_VM_API_TINY, id, false);
}

static void
create (Fixture *self,
        guint64  to,
        guint64  share)
{
  if (share != 0)
    vtr_asm_load (&self->code, VTR_VM_UINT64, share);
  else
    number (self, 0);
  number (self, SIDE);
  number (self, SIDE);
  vtr_asm_call (&self->code, VTR_VM_API_TINY, VTR_CMD_tnCreateContext, true);
  vtr_asm_store (&self->code, to);
}

static void
make_current (Fixture *self,
              guint64  context)
{
  vtr_asm_load (&self->code, VTR_VM_UINT64, context);
  call (self, VTR_CMD_tnMakeCurrent);
}

static void
bind (Fixture *self,
      guint    kind,
      guint    name)
{
  number (self, kind);
  number (self, name);
  call (self, VTR_CMD_tnBind);
}

static void
forget (Fixture *self,
        guint    kind,
        guint32  name)
{
  vtr_asm_inline (&self->code, NAMES, &name, sizeof name, NULL, 0, NULL, 0);
  number (self, kind);
  number (self, 1);
  at (self, NAMES);
  call (self, VTR_CMD_tnDelete);
}

/* Gives the bound picture SIDE × SIDE texels of one colour. */
static void
give_texels (Fixture *self,
             guint32  rgba)
{
  guint32 texels[SIDE * SIDE];

  for (guint i = 0; i < G_N_ELEMENTS (texels); i++)
    texels[i] = rgba;
  vtr_asm_inline (&self->code, DATA, texels, sizeof texels, NULL, 0, NULL, 0);
  number (self, SIDE);
  number (self, SIDE);
  at (self, DATA);
  call (self, VTR_CMD_tnPictureData);
}

/* Draws the lower half of what is bound. */
static void
draw_half (Fixture *self,
           guint32  rgba)
{
  static const float points[][2] = {
    { 0, 0 },
    { SIDE, 0 },
    { SIDE, SIDE / 2 },
    { 0, 0 },
    { SIDE, SIDE / 2 },
    { 0, SIDE / 2 },
  };

  vtr_asm_inline (&self->code, DATA, points, sizeof points, NULL, 0, NULL, 0);
  number (self, rgba);
  call (self, VTR_CMD_tnPen);
  number (self, sizeof points[0]);
  at (self, DATA);
  call (self, VTR_CMD_tnPointer);
  number (self, 0);
  number (self, 6);
  call (self, VTR_CMD_tnDraw);
}

/* Reads picture @object of @context as post @post; @word as in VtrReplayReadTexels. */
static void
read_picture (Fixture *self,
              guint64  context,
              guint    object,
              guint    word,
              guint    side,
              guint64  post)
{
  const VtrReplayReadTexels read = {
    .object = object,
    .kind = VTR_HANDLE_picture,
    .word = word,
    .width = side,
    .height = side,
    .depth = 1,
    .post = post,
  };
  const guint32 copies[] = { REQUEST + G_STRUCT_OFFSET (VtrReplayReadTexels, owner),
                             (guint32)context };

  vtr_asm_inline (&self->code, REQUEST, &read, sizeof read, NULL, 0, copies, 1);
  at (self, REQUEST);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_READ_TEXELS, false);
}

/* Fills picture @object of @context with texels whose red is their index. */
static void
fill_picture (Fixture *self,
              guint64  context,
              guint    object,
              guint    side)
{
  const VtrReplayWriteTexels write = {
    .object = object,
    .kind = VTR_HANDLE_picture,
    .width = side,
    .height = side,
    .depth = 1,
  };
  const guint32 copies[] = { REQUEST + G_STRUCT_OFFSET (VtrReplayWriteTexels, owner),
                             (guint32)context };
  guint32 texels[SIDE * SIDE];

  for (guint i = 0; i < G_N_ELEMENTS (texels); i++)
    texels[i] = i;
  vtr_asm_inline (&self->code, DATA, texels, sizeof texels, NULL, 0, NULL, 0);
  vtr_asm_inline (&self->code, REQUEST, &write, sizeof write, NULL, 0, copies, 1);
  at (self, REQUEST);
  at (self, DATA);
  number (self, sizeof texels);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_WRITE_TEXELS, false);
}

static guint32
get_texel (Fixture *self,
           guint64  post,
           guint    x,
           guint    y)
{
  GBytes *bytes = g_hash_table_lookup (self->posts, &post);
  guint32 texel;

  g_assert_nonnull (bytes);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, SIDE * SIDE * 4);
  memcpy (&texel, (const guint8 *)g_bytes_get_data (bytes, NULL) + (y * SIDE + x) * 4, 4);
  return texel;
}

/* --- Tests ----------------------------------------------------------------------------------- */

/* A window and a named picture are drawn into and read, with something else bound. */
static void
test_draw (Fixture       *self,
           gconstpointer  data)
{
  create (self, CONTEXT, 0);
  make_current (self, CONTEXT);
  draw_half (self, RED);
  bind (self, 1, 4711);
  give_texels (self, BLUE);
  draw_half (self, RED);
  read_picture (self, CONTEXT, 0, 0, SIDE, 1);
  read_picture (self, CONTEXT, 4711, 0, SIDE, 2);
  bind (self, 1, 4712);
  read_picture (self, CONTEXT, 4711, 0, SIDE, 3);
  run_fine (self);
  g_assert_cmphex (get_texel (self, 1, 0, 0), ==, RED);
  g_assert_cmphex (get_texel (self, 1, SIDE - 1, SIDE / 2 - 1), ==, RED);
  g_assert_cmphex (get_texel (self, 1, 0, SIDE / 2), ==, 0);
  g_assert_cmphex (get_texel (self, 2, 0, 0), ==, RED);
  g_assert_cmphex (get_texel (self, 2, 0, SIDE - 1), ==, BLUE);
  g_assert_cmphex (get_texel (self, 3, 0, SIDE - 1), ==, BLUE);
}

/* A picture whose name was deleted lives while it is bound; the name may mean another picture
 * meanwhile. */
static void
test_unnamed (Fixture       *self,
              gconstpointer  data)
{
  create (self, CONTEXT, 0);
  create (self, OTHER, CONTEXT);
  make_current (self, CONTEXT);
  bind (self, 1, 5);
  give_texels (self, BLUE);
  make_current (self, OTHER);
  forget (self, 1, 5);
  bind (self, 1, 5);
  give_texels (self, RED);
  read_picture (self, CONTEXT, 5, 0, SIDE, 1);
  read_picture (self, CONTEXT, 5, 1, SIDE, 2);
  draw_half (self, 7);
  read_picture (self, OTHER, 5, 1, SIDE, 3);
  run_fine (self);
  g_assert_cmphex (get_texel (self, 1, 0, 0), ==, RED);
  g_assert_cmphex (get_texel (self, 2, 0, 0), ==, BLUE);
  g_assert_cmphex (get_texel (self, 3, 0, 0), ==, 7);
  g_assert_cmphex (get_texel (self, 3, 0, SIDE - 1), ==, RED);
}

/* Contents come back texel by texel, and what is bound stays bound. */
static void
test_fill (Fixture       *self,
           gconstpointer  data)
{
  create (self, CONTEXT, 0);
  make_current (self, CONTEXT);
  bind (self, 3, 9);
  bind (self, 1, 5);
  give_texels (self, BLUE);
  number (self, RED);
  call (self, VTR_CMD_tnPen);
  fill_picture (self, CONTEXT, 0, SIDE);
  fill_picture (self, CONTEXT, 5, SIDE);
  read_picture (self, CONTEXT, 0, 0, SIDE, 1);
  read_picture (self, CONTEXT, 5, 0, SIDE, 2);
  draw_half (self, RED);
  read_picture (self, CONTEXT, 5, 0, SIDE, 3);
  read_picture (self, CONTEXT, 0, 0, SIDE, 4);
  run_fine (self);
  for (guint i = 0; i < SIDE * SIDE; i++)
    {
      g_assert_cmphex (get_texel (self, 1, i % SIDE, i / SIDE), ==, i);
      g_assert_cmphex (get_texel (self, 2, i % SIDE, i / SIDE), ==, i);
      g_assert_cmphex (get_texel (self, 3, i % SIDE, i / SIDE), ==, i < SIDE * SIDE / 2 ? RED : i);
      g_assert_cmphex (get_texel (self, 4, i % SIDE, i / SIDE), ==, i);
    }
}

/* A state without contexts is saved and restored; one with a context is not. */
static void
test_keep (Fixture       *self,
           gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  at (self, VTR_REPLAY_FIRST_SLOT);
  number (self, 64);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_SAVE, false);
  run_fine (self);
  g_assert_true (self->outcome.kept);
  create (self, CONTEXT, 0);
  make_current (self, CONTEXT);
  draw_half (self, RED);
  read_picture (self, CONTEXT, 0, 0, SIDE, 1);
  run (self, VTR_REPLAY_RESUME, &error);
  g_assert_no_error (error);
  g_assert_true (self->outcome.kept);
  g_assert_cmphex (get_texel (self, 1, 0, 0), ==, RED);
  create (self, CONTEXT, 0);
  at (self, VTR_REPLAY_FIRST_SLOT);
  number (self, 64);
  vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_SAVE, false);
  run_fine (self);
  g_assert_false (self->outcome.kept);
}

typedef enum
{
  BAD_CONTEXT,
  BAD_TEXELS,
  BAD_NAMES,
  BAD_POINTS,
  MANY_POINTS,
  BAD_PICTURE,
  SMALL_READ,
  LARGE_READ,
  BAD_KIND,
  NO_BYTES,
  N_HOSTILE,
} Hostile;

static void
write_hostile (Fixture *self,
               Hostile  hostile)
{
  switch (hostile)
    {
    case BAD_CONTEXT:
      number (self, 0x1234);
      call (self, VTR_CMD_tnMakeCurrent);
      break;
    case BAD_TEXELS:
      bind (self, 1, 5);
      number (self, 16384);
      number (self, 16384);
      number (self, 0x10000);
      call (self, VTR_CMD_tnPictureData);
      break;
    case BAD_NAMES:
      number (self, 1);
      number (self, G_MAXUINT32);
      number (self, 0x10000);
      call (self, VTR_CMD_tnGen);
      break;
    case BAD_POINTS:
    case MANY_POINTS:
      number (self, hostile == MANY_POINTS ? G_MAXUINT32 : 8);
      if (hostile == MANY_POINTS)
        at (self, DATA);
      else
        number (self, 0x10000);
      call (self, VTR_CMD_tnPointer);
      number (self, hostile == MANY_POINTS ? G_MAXUINT32 : 0);
      number (self, hostile == MANY_POINTS ? G_MAXUINT32 : 3);
      call (self, VTR_CMD_tnDraw);
      break;
    case BAD_PICTURE:
      read_picture (self, CONTEXT, 77, 0, SIDE, 1);
      break;
    case SMALL_READ:
      read_picture (self, CONTEXT, 0, 0, 1, 1);
      break;
    case LARGE_READ:
      read_picture (self, CONTEXT, 0, 0, G_MAXUINT32, 1);
      break;
    case BAD_KIND:
      number (self, 0xd000);
      number (self, 0);
      number (self, 0);
      at (self, DATA);
      number (self, 4);
      vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_WRITE_BYTES, false);
      break;
    case NO_BYTES:
      number (self, VTR_HANDLE_store);
      number (self, 0);
      number (self, 0);
      at (self, DATA);
      number (self, 4);
      vtr_asm_call (&self->code, VTR_VM_API_BUILTIN, VTR_REPLAY_WRITE_BYTES, false);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* Each fails with a sentence instead of ending the process, which then runs what is right. */
static void
test_hostile (Fixture       *self,
              gconstpointer  data)
{
  for (guint i = 0; i < N_HOSTILE; i++)
    {
      g_autoptr (GError) error = NULL;

      create (self, CONTEXT, 0);
      make_current (self, CONTEXT);
      write_hostile (self, (Hostile)i);
      g_assert_false (run (self, 0, &error));
      g_test_message ("%u: %s", i, error->message);
      g_assert_error (error, VTR_REPLAY_ERROR,
                      (i == SMALL_READ || i == NO_BYTES ? VTR_REPLAY_ERROR_UNSUPPORTED
                                                        : VTR_REPLAY_ERROR_PAYLOAD));
      g_assert_cmpuint (g_hash_table_size (self->posts), ==, 0);
    }
  test_draw (self, data);
}

/* --- Devices --------------------------------------------------------------------------------- */

/* Its device is beside those of Vulkan, and only the half of its own API answers a question. */
static void
test_device (Fixture       *self,
             gconstpointer  data)
{
  const VtrApi *api = vtr_api_get (VTR_CMD_tnDraw);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) all = self->backend->klass->describe (self->backend, NULL, &error);
  g_autoptr (GPtrArray) own = NULL;
  const VtrReplayDevice *device;
  char answer[3];

  g_assert_no_error (error);
  own = vtr_replay_device_select (all, api);
  g_assert_cmpuint (own->len, ==, 1);
  g_assert_cmpuint (own->len, <, all->len);
  device = g_ptr_array_index (own, 0);
  g_assert_true (device == vtr_replay_device_find (own, "TINY", &error));
  g_assert_cmpstr (device->name, ==, "libtiny");
  g_assert_cmpstr (device->version, ==, "Tiny");
  g_assert_cmpstr (vtr_replay_device_get_kind_name (device), ==, "Software");
  g_assert_null (vtr_replay_device_find (own, "llvmpipe", &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER);
  g_clear_error (&error);

  self->backend->klass->ask (self->backend, api, "abc", 3, answer, 3, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (answer, 3, "cba", 3);
  /* An answer of another size than that of the question is none. */
  g_assert_false (self->backend->klass->ask (self->backend, api, "ab", 2, answer, 3, NULL, &error));
  g_assert_error (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_DRIVER);
  test_draw (self, data);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/tiny/replayer/draw", Fixture, NULL, set_up, test_draw, tear_down);
  g_test_add ("/tiny/replayer/unnamed", Fixture, NULL, set_up, test_unnamed, tear_down);
  g_test_add ("/tiny/replayer/fill", Fixture, NULL, set_up, test_fill, tear_down);
  g_test_add ("/tiny/replayer/keep", Fixture, NULL, set_up, test_keep, tear_down);
  g_test_add ("/tiny/replayer/device", Fixture, NULL, set_up, test_device, tear_down);
  g_test_add ("/tiny/replayer/hostile", Fixture, NULL, set_up, test_hostile, tear_down);
  return g_test_run ();
}
