/* Finds out for the heap meter which library made an allocation, by walking up the stack. */
#include "vtr-heap-sites.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unwind.h>

#define N_SITES 65536u
#define N_MODULES 256u

/* What others allocate through. */
static const char *const PASSED[] = { "libc.so", "ld-linux", "libstdc++", "libasan",
                                      "libubsan", "libtsan", "libpthread",
                                      "libglib-2.0", "libheap-meter" };

typedef enum
{
  MODULE_OTHER,
  MODULE_PASSED,
  MODULE_UNWINDER,
  MODULE_OWNER
} Module;

static struct
{
  const char *owner;
  bool stacks;
  pthread_mutex_t lock; /* guards the making of sites */
  _Atomic (uint64_t) modules[N_MODULES];
} meter = { .lock = PTHREAD_MUTEX_INITIALIZER };

static HeapSite sites[N_SITES];
static _Atomic (uint32_t) n_sites;
static uint32_t places[2 * N_SITES]; /* by their calls: 1 + the site's number */
/* Without stacks. */
static HeapSite plain[2] = { { .owned = false }, { .owned = true } };

void
heap_sites_init (const char *owner,
                 bool        stacks)
{
  meter.owner = owner;
  meter.stacks = stacks;
}

/* --- Modules ---------------------------------------------------------------------------------- */

static const char *
file_name (const struct link_map *map)
{
  const char *slash = strrchr (map->l_name, '/');

  return slash != NULL ? slash + 1 : map->l_name;
}

static bool
begins (const char *name,
        const char *with)
{
  return strncmp (name, with, strlen (with)) == 0;
}

static Module
classify (const struct link_map *map)
{
  const char *name = file_name (map);

  if (meter.owner != NULL && begins (name, meter.owner))
    return MODULE_OWNER;
  if (begins (name, "libgcc_s"))
    return MODULE_UNWINDER;
  for (size_t i = 0; i < sizeof PASSED / sizeof PASSED[0]; i++)
    if (begins (name, PASSED[i]))
      return MODULE_PASSED;
  return MODULE_OTHER;
}

/* Results are kept by the module's address, so that a library that replaces an unloaded one is
 * noticed. */
static Module
module_of (uintptr_t address)
{
  struct dl_find_object found;
  uint64_t begin, known;
  _Atomic (uint64_t) *slot;
  Module module;

  if (_dl_find_object ((void *)address, &found) != 0 || found.dlfo_link_map == NULL)
    return MODULE_OTHER;
  begin = (uint64_t)(uintptr_t)found.dlfo_map_start;
  slot = &meter.modules[(begin >> 12) % N_MODULES];
  known = atomic_load_explicit (slot, memory_order_relaxed);
  if (known >> 2 == begin >> 2)
    return (Module)(known & 3);
  module = classify (found.dlfo_link_map);
  atomic_store_explicit (slot, begin | module, memory_order_relaxed);
  return module;
}

/* --- Stacks ----------------------------------------------------------------------------------- */

typedef struct
{
  uintptr_t calls[HEAP_SITE_DEPTH];
  uint32_t n;
  Module asker;
  bool whole; /* all calls are wanted, not only the asker */
} Walk;

/* Frames of pass-through functions are left out above the caller and kept below it. */
static _Unwind_Reason_Code
visit (struct _Unwind_Context *context,
       void                   *data)
{
  Walk *walk = data;
  uintptr_t call = _Unwind_GetIP (context);

  if (call == 0)
    return _URC_END_OF_STACK;
  if (walk->asker == MODULE_PASSED)
    walk->asker = module_of (call - 1);
  if (walk->asker == MODULE_PASSED)
    return _URC_NO_REASON;
  walk->calls[walk->n++] = call;
  return walk->whole && walk->n < HEAP_SITE_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static HeapSite *
site_of (const Walk *walk)
{
  HeapSite *site = &plain[walk->asker == MODULE_OWNER];
  uint64_t hash = 0;
  uint32_t n;

  for (uint32_t i = 0; i < walk->n; i++)
    hash = (hash ^ walk->calls[i]) * UINT64_C (0x9e3779b97f4a7c15);
  pthread_mutex_lock (&meter.lock);
  n = atomic_load_explicit (&n_sites, memory_order_relaxed);
  for (uint32_t i = (uint32_t)(hash >> 40);; i++)
    {
      uint32_t *place = &places[i % (2 * N_SITES)];

      if (*place == 0 && n == N_SITES)
        break;
      if (*place == 0)
        {
          *place = n + 1;
          site = &sites[n];
          site->n = walk->n;
          site->owned = walk->asker == MODULE_OWNER;
          memcpy (site->calls, walk->calls, sizeof site->calls);
          atomic_store_explicit (&n_sites, n + 1, memory_order_release);
          break;
        }
      if (sites[*place - 1].n == walk->n &&
          memcmp (sites[*place - 1].calls, walk->calls, walk->n * sizeof walk->calls[0]) == 0)
        {
          site = &sites[*place - 1];
          break;
        }
    }
  pthread_mutex_unlock (&meter.lock);
  return site;
}

HeapSite *
heap_site_unknown (void)
{
  return &plain[0];
}

/* The unwinder allocates with its lock held: what it asks for cannot be traced back. */
HeapSite *
heap_site_here (const void *caller)
{
  static __thread bool inside __attribute__ ((tls_model ("initial-exec")));
  const Module direct = module_of ((uintptr_t)caller - 1);
  Walk walk = { .asker = MODULE_PASSED, .whole = meter.stacks };

  if (inside || direct == MODULE_UNWINDER)
    return heap_site_unknown ();
  if (direct != MODULE_PASSED && !meter.stacks)
    return &plain[direct == MODULE_OWNER];
  inside = true;
  _Unwind_Backtrace (visit, &walk);
  inside = false;
  return meter.stacks ? site_of (&walk) : &plain[walk.asker == MODULE_OWNER];
}

/* --- Samples ---------------------------------------------------------------------------------- */

void
heap_sites_sample (void)
{
  const uint32_t n = atomic_load_explicit (&n_sites, memory_order_acquire);

  for (uint32_t i = 0; i < n; i++)
    {
      HeapSite *site = &sites[i];
      size_t bytes = atomic_load_explicit (&site->bytes, memory_order_relaxed);

      if (site->n_samples == 0 || bytes < site->least)
        site->least = bytes;
      site->sum += (double)bytes;
      site->n_samples++;
    }
}

static void
write_call (FILE      *file,
            uintptr_t  call)
{
  struct dl_find_object found;

  if (_dl_find_object ((void *)(call - 1), &found) != 0 || found.dlfo_link_map == NULL)
    fprintf (file, " ?+%#lx", (unsigned long)call);
  else
    fprintf (file, " %s+%#lx",
             found.dlfo_link_map->l_name[0] == '\0' ? "program" : found.dlfo_link_map->l_name,
             (unsigned long)(call - 1 - found.dlfo_link_map->l_addr));
}

void
heap_sites_write (FILE *file)
{
  const uint32_t n = atomic_load_explicit (&n_sites, memory_order_acquire);

  for (uint32_t i = 0; i < n; i++)
    {
      HeapSite *site = &sites[i];

      fprintf (file, "%zu %zu %.1f %zu %d", atomic_load (&site->bytes), atomic_load (&site->blocks),
               site->n_samples != 0 ? site->sum / (double)site->n_samples : 0.0, site->least,
               site->owned);
      for (uint32_t j = 0; j < site->n; j++)
        write_call (file, site->calls[j]);
      fputc ('\n', file);
      site->n_samples = 0;
      site->sum = 0;
    }
}
