/* Finds the captured handles of shader groups for each ray tracing pipeline, libraries included. */
#include "engine/vulkan/replay-builder/vtr-group-handles.h"

#include <string.h>

#include "engine/format/vtr-trace-walk.h"

/* Libraries in libraries in libraries: more than that is a damaged trace. */
#define MAX_DEPTH 16

/* The data of the extra about one pipeline. */
typedef struct
{
  const guint8 *bytes;
  guint32 n;
} Told;

/* A pipeline that was made. */
typedef struct
{
  guint64 index; /* of its command */
  guint32 element;
  guint32 n_own, n_all; /* groups; with those of libraries */
  GPtrArray *libraries; /* Made, not owned; NULL: none */
  GBytes *handles;      /* of .n_own; NULL: not known */
} Made;

struct _VtrGroupHandles
{
  GPtrArray *made;       /* Made, owned */
  GHashTable *libraries; /* those with handles, by index and element */
};

typedef struct
{
  VtrGroupHandles *plan;
  GHashTable *pipelines; /* VkPipeline → Made */
} Pass;

static void
made_free (gpointer data)
{
  Made *self = data;

  g_clear_pointer (&self->libraries, g_ptr_array_unref);
  g_clear_pointer (&self->handles, g_bytes_unref);
  g_free (self);
}

static guint
made_hash (gconstpointer data)
{
  const Made *self = data;

  return g_int64_hash (&self->index) ^ self->element;
}

static gboolean
made_equal (gconstpointer a,
            gconstpointer b)
{
  const Made *left = a, *right = b;

  return left->index == right->index && left->element == right->element;
}

/* --- The extra ------------------------------------------------------------------------------- */

static gboolean
read_u32 (const guint8 **at,
          gsize         *left,
          guint32       *value)
{
  if (*left < sizeof *value)
    return FALSE;
  memcpy (value, *at, sizeof *value);
  *value = GUINT32_FROM_LE (*value);
  *at += sizeof *value;
  *left -= sizeof *value;
  return TRUE;
}

/* Returns: of Told, for each pipeline of @command; NULL: nothing is said of them. *@size: bytes of
 * a handle. */
static GArray *
read_extra (const VtrCommand *command,
            guint32          *size)
{
  const VtrArgs_vkCreateRayTracingPipelinesKHR *args = command->args;
  const VtrCommandExtra *extra =
    vtr_decoded_get_extra (command->decoded, VTR_EXTRA_GROUP_HANDLES);
  const guint8 *at = extra != NULL ? extra->data : NULL;
  gsize left = extra != NULL ? extra->size : 0;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Told));
  guint32 n;

  if (!read_u32 (&at, &left, size) || !read_u32 (&at, &left, &n) || *size == 0 ||
      n != args->createInfoCount || args->pCreateInfos == NULL)
    return NULL;
  for (guint32 i = 0; i < n; i++)
    {
      Told told = { 0 };

      if (!read_u32 (&at, &left, &told.n) || told.n > left / *size)
        return NULL;
      told.bytes = at;
      at += (gsize)told.n * *size;
      left -= (gsize)told.n * *size;
      g_array_append_val (all, told);
    }
  return g_steal_pointer (&all);
}

/* --- Libraries ------------------------------------------------------------------------------- */

/* Gives the libraries of @self theirs, each once. @bytes: of all groups of it, its own first. */
static void
hand_down (Pass         *pass,
           const Made   *self,
           const guint8 *bytes,
           guint32       size,
           guint         depth)
{
  bytes += (gsize)self->n_own * size;
  for (guint i = 0; self->libraries != NULL && depth < MAX_DEPTH && i < self->libraries->len; i++)
    {
      Made *library = self->libraries->pdata[i];

      if (library->handles == NULL)
        {
          library->handles = g_bytes_new (bytes, (gsize)library->n_own * size);
          g_hash_table_add (pass->plan->libraries, library);
          hand_down (pass, library, bytes, size, depth + 1);
        }
      bytes += (gsize)library->n_all * size;
    }
}

/* Own groups and those of libraries; G_MAXUINT32: more than there can be. */
static guint32
count_all (const Made *self)
{
  guint32 n = self->n_own;

  for (guint i = 0; self->libraries != NULL && i < self->libraries->len; i++)
    if (__builtin_add_overflow (n, ((const Made *)self->libraries->pdata[i])->n_all, &n))
      return G_MAXUINT32;
  return n;
}

static GPtrArray *
find_libraries (Pass                                 *self,
                const VkPipelineLibraryCreateInfoKHR *info)
{
  GPtrArray *libraries = NULL;

  for (guint32 i = 0; info != NULL && info->pLibraries != NULL && i < info->libraryCount; i++)
    {
      const guint64 key = (guint64)(gsize)info->pLibraries[i];
      Made *library = g_hash_table_lookup (self->pipelines, &key);

      if (libraries == NULL)
        libraries = g_ptr_array_new ();
      if (library != NULL)
        g_ptr_array_add (libraries, library);
    }
  return libraries;
}

static void
note (const VtrCommand *command,
      gpointer          data)
{
  const VtrArgs_vkCreateRayTracingPipelinesKHR *args = command->args;
  Pass *self = data;
  guint32 size;
  g_autoptr (GArray) all = read_extra (command, &size);

  for (guint32 i = 0; all != NULL && args->pPipelines != NULL && i < all->len; i++)
    {
      const VkRayTracingPipelineCreateInfoKHR *info = &args->pCreateInfos[i];
      const Told *told = &g_array_index (all, Told, i);
      const guint64 key = (guint64)(gsize)args->pPipelines[i];
      Made *made = g_new0 (Made, 1);

      made->index = command->index;
      made->element = i;
      made->n_own = info->groupCount;
      made->libraries = find_libraries (self, info->pLibraryInfo);
      g_ptr_array_add (self->plan->made, made);
      g_hash_table_replace (self->pipelines, g_memdup2 (&key, sizeof key), made);
      made->n_all = count_all (made);
      if (made->libraries != NULL && told->n > 0 && made->n_all == told->n)
        hand_down (self, made, told->bytes, size, 0);
    }
}

static gboolean
matters (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  return id == VTR_CMD_vkCreateRayTracingPipelinesKHR;
}

gboolean
vtr_group_handles_new (VtrTrace         *trace,
                       VtrGroupHandles **out,
                       GCancellable     *cancellable,
                       GError          **error)
{
  g_autoptr (GHashTable) pipelines =
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  VtrGroupHandles *self = g_new0 (VtrGroupHandles, 1);
  Pass pass = { self, pipelines };
  gboolean ok;

  *out = NULL;
  self->made = g_ptr_array_new_with_free_func (made_free);
  self->libraries = g_hash_table_new (made_hash, made_equal);
  ok = vtr_trace_walk (trace, matters, note, &pass, cancellable, error);
  if (ok && g_hash_table_size (self->libraries) > 0)
    *out = self;
  else
    vtr_group_handles_free (self);
  return ok;
}

void
vtr_group_handles_free (VtrGroupHandles *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->libraries);
  g_ptr_array_unref (self->made);
  g_free (self);
}

/* --- Commands -------------------------------------------------------------------------------- */

/* Adds the handles of the groups of one pipeline. Returns: FALSE when they are not known. */
static gboolean
add_handles (const VtrGroupHandles *self,
             const VtrCommand      *command,
             guint32                element,
             const Told            *told,
             guint32                n_own,
             guint32                size,
             GByteArray            *out)
{
  const Made key = { .index = command->index, .element = element };
  const Made *library = self != NULL ? g_hash_table_lookup (self->libraries, &key) : NULL;
  gsize n_bytes;

  if (n_own == 0)
    return TRUE;
  if (told->n >= n_own)
    {
      g_byte_array_append (out, told->bytes, n_own * size);
      return TRUE;
    }
  if (library == NULL || g_bytes_get_size (library->handles) != (gsize)n_own * size)
    return FALSE;
  g_byte_array_append (out, g_bytes_get_data (library->handles, &n_bytes), n_own * size);
  return TRUE;
}

GByteArray *
vtr_group_handles_find (const VtrGroupHandles *self,
                        const VtrCommand      *command,
                        guint32               *size)
{
  const VtrArgs_vkCreateRayTracingPipelinesKHR *args = command->args;
  g_autoptr (GArray) all = read_extra (command, size);
  GByteArray *out;

  if (all == NULL)
    return NULL;
  out = g_byte_array_new ();
  for (guint32 i = 0; i < all->len; i++)
    if (!add_handles (self, command, i, &g_array_index (all, Told, i),
                      args->pCreateInfos[i].groupCount, *size, out))
      {
        g_byte_array_set_size (out, 0);
        break;
      }
  return out;
}
