/* Drives a fuzz target without libFuzzer: mutates sound inputs for a given time.
 *
 * Usage: fuzz-TARGET [--seconds N] [--seed N] [FILE…]
 *
 * With files, only those are run. With VITRINE_FUZZ_SAVE=PATH each input is in PATH before it is
 * run, so that the one that ends the process can be handed back. */
#include "vtr-fuzz.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LARGEST_INPUT (1u << 20)
#define SLOW_SECONDS 5 /* of the processor */

typedef struct
{
  GPtrArray *seeds; /* GBytes */
  GRand *rand;
} Driver;

static void
add_seed (void       *user,
          const void *data,
          size_t      size)
{
  g_ptr_array_add (((Driver *)user)->seeds, g_bytes_new (data, size));
}

static guint32
below (Driver *self,
       gsize   limit)
{
  return limit == 0 ? 0 : (guint32)(g_rand_int (self->rand) % limit);
}

static GBytes *
pick (Driver *self)
{
  return g_ptr_array_index (self->seeds, below (self, self->seeds->len));
}

static void
overwrite_number (Driver     *self,
                  GByteArray *input)
{
  static const guint64 values[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff,
                                    0x80000000, 0xffffffff, 0x7fffffffffffffff, G_MAXUINT64 };
  guint64 value = values[below (self, G_N_ELEMENTS (values))];
  gsize width = (gsize)1 << below (self, 4);

  if (input->len < width)
    return;
  memcpy (input->data + below (self, input->len - width + 1), &value, width);
}

/* A piece of another seed, put in or laid over. */
static void
splice (Driver     *self,
        GByteArray *input)
{
  GBytes *other = pick (self);
  gsize size, from, n;
  const guint8 *data = g_bytes_get_data (other, &size);
  g_autofree guint8 *tail = NULL;
  gsize at = below (self, input->len + 1), rest = input->len - at;

  if (size == 0 || input->len > LARGEST_INPUT)
    return;
  from = below (self, size);
  n = 1 + below (self, MIN (size - from, 512));
  tail = g_memdup2 (input->data + at, rest);
  g_byte_array_set_size (input, (guint)at);
  g_byte_array_append (input, data + from, (guint)n);
  if (g_rand_boolean (self->rand))
    g_byte_array_append (input, tail, (guint)rest);
  else if (rest > n)
    g_byte_array_append (input, tail + n, (guint)(rest - n));
}

static void
mutate_once (Driver     *self,
             GByteArray *input)
{
  guint at, n;

  if (input->len == 0)
    return;
  at = below (self, input->len);
  switch (below (self, 8))
    {
    case 0:
    case 1:
      input->data[at] ^= (guint8)(1 << below (self, 8));
      break;
    case 2:
      input->data[at] = (guint8)g_rand_int (self->rand);
      break;
    case 3:
      input->data[at] = (guint8)(input->data[at] + 1 - 2 * (int)below (self, 2));
      break;
    case 4:
      overwrite_number (self, input);
      break;
    case 5:
      n = 1 + below (self, MIN (input->len - at, 64));
      g_byte_array_remove_range (input, at, n);
      break;
    case 6:
      splice (self, input);
      break;
    default:
      if (below (self, 4) == 0)
        g_byte_array_set_size (input, at);
      break;
    }
}

static void
run_one (const guint8 *data,
         gsize         size,
         const char   *save)
{
  clock_t start = clock ();

  if (save != NULL)
    g_file_set_contents (save, (const char *)data, (gssize)size, NULL);
  LLVMFuzzerTestOneInput (data, size);
  if (clock () - start > SLOW_SECONDS * CLOCKS_PER_SEC)
    {
      fprintf (stderr, "an input of %zu bytes takes more than %d seconds of the processor\n", size,
               SLOW_SECONDS);
      g_abort ();
    }
}

static guint64
fuzz (Driver     *self,
      double      seconds,
      const char *save)
{
  gint64 end = g_get_monotonic_time () + (gint64)(seconds * G_USEC_PER_SEC);
  guint64 n = 0;

  while (g_get_monotonic_time () < end)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (pick (self), &size);
      g_autoptr (GByteArray) input = g_byte_array_sized_new ((guint)size + 1024);
      guint rounds = 1 + below (self, 1u << below (self, 5));

      g_byte_array_append (input, data, (guint)size);
      for (guint i = 0; i < rounds; i++)
        mutate_once (self, input);
      run_one (input->data, input->len, save);
      n++;
    }
  return n;
}

int
main (int    argc,
      char **argv)
{
  static double seconds = 1;
  static int seed = 1;
  static char **files;
  const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "How long to mutate", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of the random numbers", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, "Inputs to run once", "FILE" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  const char *save = g_getenv ("VITRINE_FUZZ_SAVE");
  Driver self = { g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref), NULL };
  guint64 n;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, NULL))
    return 2;
  for (char **file = files; file != NULL && *file != NULL; file++)
    {
      g_autofree char *data = NULL;
      gsize size;

      if (!g_file_get_contents (*file, &data, &size, NULL))
        return 2;
      run_one ((const guint8 *)data, size, NULL);
    }
  if (files != NULL)
    return 0;

  self.rand = g_rand_new_with_seed ((guint32)seed);
  vtr_fuzz_make_seeds (add_seed, &self);
  for (guint i = 0; i < self.seeds->len; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (g_ptr_array_index (self.seeds, i), &size);

      run_one (data, size, save);
    }
  n = fuzz (&self, seconds, save);
  printf ("%u seeds, %" G_GUINT64_FORMAT " inputs in %.0f s\n", self.seeds->len, n, seconds);
  g_ptr_array_unref (self.seeds);
  g_rand_free (self.rand);
  return n > 0 ? 0 : 1;
}
