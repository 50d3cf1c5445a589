/* Tests which objects live when: namespaces, names of 0, and names that end before their objects.
 * Vulkan has none of these. */
#include "engine/state/vtr-lifetimes.h"

#define NONE VTR_COMMAND_NO_INDEX

static VtrIdentity
named (guint32 kind,
       guint32 namespace,
       guint64 name)
{
  return (VtrIdentity){ .name = name, .namespace = namespace, .kind = kind };
}

static guint32
find (VtrLifetimes *self,
      VtrIdentity   identity,
      guint64       index)
{
  const VtrObject *object = vtr_lifetimes_find (self, identity, index);

  return object != NULL ? object->id : 0;
}

/* A picture is deleted while another context has it bound, and its name is used again. */
static void
test_name_ends_first (void)
{
  g_autoptr (VtrLifetimes) self = vtr_lifetimes_new ();
  const VtrIdentity picture = named (VTR_HANDLE_picture, 1, 4711);
  const guint32 first = vtr_lifetimes_begin (self, picture, 10, 0, 0);
  guint32 second;

  g_assert_cmpuint (vtr_lifetimes_get_current (self, picture), ==, first);
  vtr_lifetimes_end_name (self, first, 20);
  g_assert_cmpuint (vtr_lifetimes_get_current (self, picture), ==, 0);
  second = vtr_lifetimes_begin (self, picture, 30, 0, 0);
  vtr_lifetimes_end_object (self, first, 40);
  /* Its name has ended, so nothing happens to that of the other. */
  g_assert_cmpuint (vtr_lifetimes_get_current (self, picture), ==, second);
  vtr_lifetimes_end_object (self, second, 50);
  vtr_lifetimes_finish (self);

  g_assert_cmpuint (find (self, picture, 9), ==, 0);
  g_assert_cmpuint (find (self, picture, 10), ==, first);
  g_assert_cmpuint (find (self, picture, 19), ==, first);
  g_assert_cmpuint (find (self, picture, 20), ==, first); /* to the command that ends the name */
  g_assert_cmpuint (find (self, picture, 21), ==, 0);
  g_assert_cmpuint (find (self, picture, 30), ==, second);
  g_assert_cmpuint (find (self, picture, 40), ==, second);
  g_assert_cmpuint (find (self, picture, 50), ==, second);
  g_assert_cmpuint (find (self, picture, 51), ==, 0);
  g_assert_cmpuint (vtr_lifetimes_get_object (self, first)->name_ended, ==, 20);
  g_assert_cmpuint (vtr_lifetimes_get_object (self, first)->destroyed, ==, 40);
  g_assert_cmpuint (vtr_lifetimes_get_object (self, second)->name_ended, ==, 50);
  g_assert_cmpuint (vtr_lifetimes_get_object (self, second)->destroyed, ==, 50);
}

/* Without namespaces one name may mean two things at once: the newest, and then the other again. */
static void
test_two_of_one_name (void)
{
  g_autoptr (VtrLifetimes) self = vtr_lifetimes_new ();
  const VtrIdentity store = named (VTR_HANDLE_store, 0, 7);
  const guint32 first = vtr_lifetimes_begin (self, store, 1, 0, 0);
  const guint32 second = vtr_lifetimes_begin (self, store, 2, 0, 0);
  const guint32 third = vtr_lifetimes_begin (self, store, 3, 0, 0);

  vtr_lifetimes_end_object (self, second, 4);
  g_assert_cmpuint (vtr_lifetimes_get_current (self, store), ==, third);
  vtr_lifetimes_end_name (self, third, 5);
  g_assert_cmpuint (vtr_lifetimes_get_current (self, store), ==, first);
  vtr_lifetimes_finish (self);
  g_assert_cmpuint (find (self, store, 2), ==, second);
  g_assert_cmpuint (find (self, store, 5), ==, first);
  g_assert_cmpuint (find (self, store, 1000), ==, first);
  g_assert_cmpuint (vtr_lifetimes_get_object (self, third)->destroyed, ==, NONE);
  g_assert_cmpuint (vtr_lifetimes_get_object (self, first)->name_ended, ==, NONE);
}

static void
test_namespaces (void)
{
  g_autoptr (VtrLifetimes) self = vtr_lifetimes_new ();
  const guint32 one = vtr_lifetimes_begin (self, named (VTR_HANDLE_array, 1, 5), 1, 0, 0);
  const guint32 two = vtr_lifetimes_begin (self, named (VTR_HANDLE_array, 2, 5), 2, 0, 0);
  const guint32 store = vtr_lifetimes_begin (self, named (VTR_HANDLE_store, 1, 5), 3, 0, 0);

  vtr_lifetimes_end_object (self, two, 4);
  vtr_lifetimes_finish (self);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_array, 1, 5), 9), ==, one);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_array, 2, 5), 3), ==, two);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_array, 2, 5), 9), ==, 0);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_store, 1, 5), 9), ==, store);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_store, 2, 5), 9), ==, 0);
  g_assert_cmpuint (vtr_lifetimes_get_object (self, two)->namespace, ==, 2);
}

/* A name of 0 is an object if the kind says so, another one in each context; otherwise it is
 * nothing. */
static void
test_zero (void)
{
  g_autoptr (VtrLifetimes) self = vtr_lifetimes_new ();
  const guint32 window = vtr_lifetimes_begin (self, named (VTR_HANDLE_picture, 3, 0), 1, 0, 0);
  const guint32 other = vtr_lifetimes_begin (self, named (VTR_HANDLE_picture, 4, 0), 1, 0, 0);

  vtr_lifetimes_finish (self);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_picture, 3, 0), 2), ==, window);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_picture, 4, 0), 2), ==, other);
  g_assert_true (vtr_identity_is_null (named (VTR_HANDLE_store, 3, 0)));
  g_assert_true (vtr_identity_is_null (named (VTR_HANDLE_VkBuffer, 0, 0)));
  g_assert_true (vtr_identity_is_null (named (VTR_HANDLE_NONE, 0, 1)));
  g_assert_false (vtr_identity_is_null (named (VTR_HANDLE_array, 0, 0)));
  g_assert_cmpuint (find (self, named (VTR_HANDLE_store, 3, 0), 2), ==, 0);
  g_assert_cmpuint (find (self, named (VTR_HANDLE_NONE, 3, 1), 2), ==, 0);
}

/* What a context made ends with it, whether it has a name still or not. */
static void
test_families (void)
{
  g_autoptr (VtrLifetimes) self = vtr_lifetimes_new ();
  const guint32 context =
    vtr_lifetimes_begin (self, named (VTR_HANDLE_TnContext, 0, 0x1000), 1, 0, 0);
  guint32 arrays[4];

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    arrays[i] = vtr_lifetimes_begin (self, named (VTR_HANDLE_array, 1, i), 2 + i, i, context);
  vtr_lifetimes_end_name (self, arrays[1], 10);
  vtr_lifetimes_end_object (self, arrays[2], 11);
  vtr_lifetimes_end_object (self, arrays[2], 12); /* it has ended */
  vtr_lifetimes_set_name (self, arrays[3], "grid");
  vtr_lifetimes_end_object (self, context, 20);
  vtr_lifetimes_finish (self);
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      const VtrObject *array = vtr_lifetimes_get_object (self, arrays[i]);

      g_assert_cmpuint (array->destroyed, ==, i == 2 ? 11 : 20);
      g_assert_cmpuint (array->name_ended, ==, i == 1 ? 10 : i == 2 ? 11
                                                                    : 20);
      g_assert_cmpuint (array->parent, ==, context);
      g_assert_cmpuint (array->element, ==, i);
    }
  g_assert_cmpstr (vtr_lifetimes_get_object (self, arrays[3])->name, ==, "grid");
  g_assert_null (vtr_lifetimes_get_object (self, arrays[0])->name);
  g_assert_cmpuint (vtr_lifetimes_get_n_objects (self), ==, 5);
  g_assert_null (vtr_lifetimes_get_object (self, 6));
  g_assert_null (vtr_lifetimes_get_object (self, 0));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiny/lifetimes/name-ends-first", test_name_ends_first);
  g_test_add_func ("/tiny/lifetimes/two-of-one-name", test_two_of_one_name);
  g_test_add_func ("/tiny/lifetimes/namespaces", test_namespaces);
  g_test_add_func ("/tiny/lifetimes/zero", test_zero);
  g_test_add_func ("/tiny/lifetimes/families", test_families);
  return g_test_run ();
}
