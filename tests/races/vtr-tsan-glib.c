/* Tells ThreadSanitizer what Debian's GLib does between threads: linked into programs built with
 * it, these
 * stand before GLib's own for them and for GIO alike, and hand on to GLib.
 *
 * GLib is not instrumented, so the sanitizer sees neither the futexes of GMutex and GCond nor its
 * atomic operations, and would take every hand-over through them for a race. What GLib does with
 * pthreads (GRWLock, GRecMutex, threads) it sees by itself. Each function here says what that
 * one of GLib
 * promises, no more: an edge that GLib does not promise would hide races. What containers hold is
 * touched inside GLib too, so reading and changing them is said here as well.
 *
 * Run with G_SLICE=always-malloc: memory must not pass from thread to thread behind the
 * sanitizer's back.
 *
 * Threading: any. */
#include <dlfcn.h>
#include <gio/gio.h>
#include <sanitizer/tsan_interface.h>

/* Not in the public header. */
extern void __tsan_read8 (void *address);
extern void __tsan_write8 (void *address);
extern void AnnotateIgnoreReadsBegin (const char *file, int line);
extern void AnnotateIgnoreReadsEnd (const char *file, int line);
extern void AnnotateIgnoreWritesBegin (const char *file,
                                       int         line);
extern void AnnotateIgnoreWritesEnd (const char *file,
                                     int         line);
extern int __tsan_atomic32_fetch_add (volatile int *value,
                                      int           by,
                                      int           order);
extern int __tsan_atomic32_load (const volatile int *value,
                                 int                 order);

#define SHOWN __attribute__ ((visibility ("default")))

/* GLib's own function @name as real_@name. */
#define REAL(name) \
  static __typeof__ (&(name)) real_##name; \
  if (G_UNLIKELY (real_##name == NULL)) \
  *(void **)&real_##name = dlsym (RTLD_NEXT, #name)

/* Around what GLib does behind locks of its own, which are not seen. */
#define UNSEEN_BEGIN \
  AnnotateIgnoreReadsBegin (__FILE__, __LINE__); \
  AnnotateIgnoreWritesBegin (__FILE__, __LINE__)
#define UNSEEN_END \
  AnnotateIgnoreWritesEnd (__FILE__, __LINE__); \
  AnnotateIgnoreReadsEnd (__FILE__, __LINE__)

/* --- Locks --- */

#define PLAIN 0

SHOWN void
g_mutex_lock (GMutex *mutex)
{
  REAL (g_mutex_lock);
  __tsan_mutex_pre_lock (mutex, PLAIN);
  real_g_mutex_lock (mutex);
  __tsan_mutex_post_lock (mutex, PLAIN, 0);
}

SHOWN gboolean
g_mutex_trylock (GMutex *mutex)
{
  gboolean locked;

  REAL (g_mutex_trylock);
  __tsan_mutex_pre_lock (mutex, __tsan_mutex_try_lock);
  locked = real_g_mutex_trylock (mutex);
  __tsan_mutex_post_lock (
    mutex, __tsan_mutex_try_lock | (locked ? 0 : __tsan_mutex_try_lock_failed), 0);
  return locked;
}

SHOWN void
g_mutex_unlock (GMutex *mutex)
{
  REAL (g_mutex_unlock);
  __tsan_mutex_pre_unlock (mutex, PLAIN);
  real_g_mutex_unlock (mutex);
  __tsan_mutex_post_unlock (mutex, PLAIN);
}

SHOWN void
g_mutex_clear (GMutex *mutex)
{
  REAL (g_mutex_clear);
  __tsan_mutex_destroy (mutex, PLAIN);
  real_g_mutex_clear (mutex);
}

SHOWN void
g_cond_wait (GCond  *cond,
             GMutex *mutex)
{
  REAL (g_cond_wait);
  __tsan_mutex_pre_unlock (mutex, PLAIN);
  __tsan_mutex_post_unlock (mutex, PLAIN);
  real_g_cond_wait (cond, mutex);
  __tsan_mutex_pre_lock (mutex, PLAIN);
  __tsan_mutex_post_lock (mutex, PLAIN, 0);
}

SHOWN gboolean
g_cond_wait_until (GCond  *cond,
                   GMutex *mutex,
                   gint64  end)
{
  gboolean signalled;

  REAL (g_cond_wait_until);
  __tsan_mutex_pre_unlock (mutex, PLAIN);
  __tsan_mutex_post_unlock (mutex, PLAIN);
  signalled = real_g_cond_wait_until (cond, mutex, end);
  __tsan_mutex_pre_lock (mutex, PLAIN);
  __tsan_mutex_post_lock (mutex, PLAIN, 0);
  return signalled;
}

/* The atomic load of the macro is seen; what comes of it is not. */
SHOWN
gboolean (g_once_init_enter) (volatile void *location)
{
  gboolean first;

  REAL (g_once_init_enter);
  first = real_g_once_init_enter (location);
  if (!first)
    __tsan_acquire ((void *)location);
  return first;
}

SHOWN void (g_once_init_leave) (volatile void *location, gsize result)
{
  REAL (g_once_init_leave);
  __tsan_release ((void *)location);
  real_g_once_init_leave (location, result);
}

/* --- References --- */

/* As GLib has them, in a way that is seen. */
SHOWN void (g_atomic_ref_count_inc) (gatomicrefcount *count)
{
  __tsan_atomic32_fetch_add (count, 1, __ATOMIC_RELAXED);
}

SHOWN
gboolean (g_atomic_ref_count_dec) (gatomicrefcount *count)
{
  return __tsan_atomic32_fetch_add (count, -1, __ATOMIC_ACQ_REL) == 1;
}

SHOWN
gboolean (g_atomic_ref_count_compare) (gatomicrefcount *count, gint value)
{
  return __tsan_atomic32_load (count, __ATOMIC_ACQUIRE) == value;
}

static _Thread_local GDestroyNotify clear_box;

static void
clear_acquired (gpointer box)
{
  GDestroyNotify clear = clear_box;

  __tsan_acquire (box);
  if (clear != NULL)
    clear (box);
}

SHOWN void
g_atomic_rc_box_release_full (gpointer       box,
                              GDestroyNotify clear)
{
  GDestroyNotify outer = clear_box;

  REAL (g_atomic_rc_box_release_full);
  __tsan_release (box);
  clear_box = clear;
  real_g_atomic_rc_box_release_full (box, clear_acquired);
  clear_box = outer;
}

SHOWN void
g_atomic_rc_box_release (gpointer box)
{
  g_atomic_rc_box_release_full (box, NULL);
}

/* The last reference is given up after all others; GLib does with it what it does. Toggle
 * references are
 * not for programs that run with this. */
SHOWN void
g_object_unref (gpointer object)
{
  volatile guint *count = &((GObject *)object)->ref_count;
  guint old = __atomic_load_n (count, __ATOMIC_ACQUIRE);

  REAL (g_object_unref);
  __tsan_release (object);
  while (old > 1)
    if (__atomic_compare_exchange_n (count, &old, old - 1, FALSE, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
      return;
  __tsan_acquire (object);
  real_g_object_unref (object);
}

/* Everything that exists when the first object of a class is created is visible to all users of
 * the class. */
static void
see_class (gpointer object)
{
  static GMutex lock;
  static GHashTable *seen;
  gpointer class = object != NULL ? G_OBJECT_GET_CLASS (object) : NULL;
  gboolean first;

  REAL (g_mutex_lock);
  REAL (g_mutex_unlock);
  REAL (g_hash_table_add);
  if (class == NULL)
    return;
  real_g_mutex_lock (&lock);
  if (seen == NULL)
    seen = g_hash_table_new (NULL, NULL);
  first = real_g_hash_table_add (seen, class);
  if (first)
    __tsan_release (class);
  real_g_mutex_unlock (&lock);
  __tsan_acquire (class);
}

SHOWN gpointer
g_object_new (GType type,
              const char *first,
              ...)
{
  va_list args;
  gpointer object;

  va_start (args, first);
  object = g_object_new_valist (type, first, args);
  va_end (args);
  see_class (object);
  return object;
}

/* --- Bytes --- */

/* Freeing the bytes happens after every drop of a reference. */
typedef struct
{
  gpointer bytes;
  GDestroyNotify free;
  gpointer data;
} Contents;

static void
free_contents (gpointer data)
{
  Contents *self = data;

  __tsan_acquire (self->bytes);
  self->free (self->data);
  g_free (self);
}

SHOWN GBytes *
g_bytes_new_with_free_func (gconstpointer  data,
                            gsize          size,
                            GDestroyNotify free_func,
                            gpointer       user_data)
{
  Contents *contents;
  GBytes *self;

  REAL (g_bytes_new_with_free_func);
  if (free_func == NULL)
    return real_g_bytes_new_with_free_func (data, size, NULL, user_data);
  contents = g_new0 (Contents, 1);
  contents->free = free_func;
  contents->data = user_data;
  self = real_g_bytes_new_with_free_func (data, size, free_contents, contents);
  contents->bytes = self;
  return self;
}

SHOWN GBytes *
g_bytes_new_take (gpointer data,
                  gsize    size)
{
  return g_bytes_new_with_free_func (data, size, g_free, data);
}

SHOWN GBytes *
g_bytes_new (gconstpointer data,
             gsize         size)
{
  return g_bytes_new_take (g_memdup2 (data, size), size);
}

SHOWN GBytes *
g_bytes_new_from_bytes (GBytes *bytes,
                        gsize   offset,
                        gsize   length)
{
  const char *data = g_bytes_get_data (bytes, NULL);

  return g_bytes_new_with_free_func (data + offset, length, (GDestroyNotify)g_bytes_unref,
                                     g_bytes_ref (bytes));
}

SHOWN void
g_bytes_unref (GBytes *self)
{
  REAL (g_bytes_unref);
  if (self != NULL)
    __tsan_release (self);
  real_g_bytes_unref (self);
}

/* --- Hand-over --- */

SHOWN void
g_async_queue_push (GAsyncQueue *queue,
                    gpointer     data)
{
  REAL (g_async_queue_push);
  __tsan_release (queue);
  UNSEEN_BEGIN;
  real_g_async_queue_push (queue, data);
  UNSEEN_END;
}

SHOWN gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  gpointer data;

  REAL (g_async_queue_try_pop);
  data = real_g_async_queue_try_pop (queue);
  if (data != NULL)
    __tsan_acquire (queue);
  return data;
}

/* A function and what is given to it, called in another thread. */
typedef struct
{
  gpointer source;
  GFunc work;
  GSourceFunc func;
  GDestroyNotify notify;
  gpointer data;
} Call;

static void
work (gpointer data,
      gpointer user_data)
{
  Call *self = user_data;

  __tsan_acquire (data);
  self->work (data, self->data);
  __tsan_release (self);
}

SHOWN GThreadPool *
g_thread_pool_new (GFunc      func,
                   gpointer   user_data,
                   gint       max_threads,
                   gboolean   exclusive,
                   GError   **error)
{
  Call *call = g_new0 (Call, 1);

  REAL (g_thread_pool_new);
  call->work = func;
  call->data = user_data;
  return real_g_thread_pool_new (work, call, max_threads, exclusive, error);
}

SHOWN gboolean
g_thread_pool_push (GThreadPool  *pool,
                    gpointer      data,
                    GError      **error)
{
  gboolean ok;

  REAL (g_thread_pool_push);
  __tsan_release (data);
  UNSEEN_BEGIN;
  ok = real_g_thread_pool_push (pool, data, error);
  UNSEEN_END;
  return ok;
}

SHOWN void
g_thread_pool_free (GThreadPool *pool,
                    gboolean     immediate,
                    gboolean     wait)
{
  Call *call = pool->user_data;

  REAL (g_thread_pool_free);
  UNSEEN_BEGIN;
  real_g_thread_pool_free (pool, immediate, wait);
  UNSEEN_END;
  if (wait)
    __tsan_acquire (call);
}

/* Both have to do with GLib's own thread. */
SHOWN void
g_subprocess_force_exit (GSubprocess *subprocess)
{
  REAL (g_subprocess_force_exit);
  UNSEEN_BEGIN;
  real_g_subprocess_force_exit (subprocess);
  UNSEEN_END;
}

SHOWN gboolean
g_subprocess_wait (GSubprocess   *subprocess,
                   GCancellable  *cancellable,
                   GError       **error)
{
  gboolean ok;

  REAL (g_subprocess_wait);
  UNSEEN_BEGIN;
  ok = real_g_subprocess_wait (subprocess, cancellable, error);
  UNSEEN_END;
  return ok;
}

static gboolean
call_source (gpointer data)
{
  Call *self = data;
  gboolean goes_on;

  __tsan_acquire (self->source);
  goes_on = self->func (self->data);
  __tsan_release (self->source);
  return goes_on;
}

static void
free_call (gpointer data)
{
  Call *self = data;

  __tsan_acquire (self->source);
  if (self->notify != NULL)
    self->notify (self->data);
  g_free (self);
}

/* Also what GTask answers with. Sources of other kinds have functions of other types, and are not
 * attached from other threads here. */
SHOWN void
g_source_set_callback (GSource        *source,
                       GSourceFunc     func,
                       gpointer        data,
                       GDestroyNotify  notify)
{
  Call *call;

  REAL (g_source_set_callback);
  if (source->source_funcs != &g_idle_funcs && source->source_funcs != &g_timeout_funcs)
    {
      real_g_source_set_callback (source, func, data, notify);
      return;
    }
  call = g_new0 (Call, 1);
  call->source = source;
  call->func = func;
  call->data = data;
  call->notify = notify;
  real_g_source_set_callback (source, call_source, call, free_call);
}

/* What a context keeps of its sources is behind a lock of its own. */
SHOWN guint
g_source_attach (GSource      *source,
                 GMainContext *context)
{
  guint id;

  REAL (g_source_attach);
  __tsan_release (source);
  UNSEEN_BEGIN;
  id = real_g_source_attach (source, context);
  UNSEEN_END;
  return id;
}

SHOWN void
g_source_unref (GSource *source)
{
  REAL (g_source_unref);
  __tsan_release (source);
  UNSEEN_BEGIN;
  real_g_source_unref (source);
  UNSEEN_END;
}

SHOWN void
g_main_context_invoke_full (GMainContext   *context,
                            gint            priority,
                            GSourceFunc     func,
                            gpointer        data,
                            GDestroyNotify  notify)
{
  Call *call = g_new0 (Call, 1);

  REAL (g_main_context_invoke_full);
  call->source = call;
  call->func = func;
  call->data = data;
  call->notify = notify;
  __tsan_release (call);
  real_g_main_context_invoke_full (context, priority, call_source, call, free_call);
}

/* GCancellable has a GMutex; only its flag is read without. */
SHOWN gboolean
g_cancellable_is_cancelled (GCancellable *cancellable)
{
  gboolean is;

  REAL (g_cancellable_is_cancelled);
  is = real_g_cancellable_is_cancelled (cancellable);
  if (is)
    __tsan_acquire (cancellable);
  return is;
}

SHOWN gboolean
g_cancellable_set_error_if_cancelled (GCancellable  *cancellable,
                                      GError       **error)
{
  gboolean is;

  REAL (g_cancellable_set_error_if_cancelled);
  is = real_g_cancellable_set_error_if_cancelled (cancellable, error);
  if (is)
    __tsan_acquire (cancellable);
  return is;
}

SHOWN void
g_cancellable_cancel (GCancellable *cancellable)
{
  REAL (g_cancellable_cancel);
  if (cancellable != NULL)
    __tsan_release (cancellable);
  real_g_cancellable_cancel (cancellable);
}

/* --- Containers --- */

#define HASH_READS(type, name, parameters, ...) \
  SHOWN type name parameters \
  { \
    REAL (name); \
    __tsan_read8 (table); \
    return real_##name (__VA_ARGS__); \
  }

#define HASH_WRITES(type, name, parameters, ...) \
  SHOWN type name parameters \
  { \
    REAL (name); \
    __tsan_write8 (table); \
    return real_##name (__VA_ARGS__); \
  }

HASH_READS (gpointer, g_hash_table_lookup, (GHashTable * table, gconstpointer key), table, key)
HASH_READS (gboolean, g_hash_table_contains, (GHashTable * table, gconstpointer key), table, key)
HASH_READS (guint, g_hash_table_size, (GHashTable * table), table)
HASH_READS (gboolean,
            g_hash_table_lookup_extended,
            (GHashTable * table, gconstpointer key, gpointer *stored, gpointer *value),
            table,
            key,
            stored,
            value)
HASH_WRITES (gboolean, g_hash_table_add, (GHashTable * table, gpointer key), table, key)
HASH_WRITES (gboolean,
             g_hash_table_insert,
             (GHashTable * table, gpointer key, gpointer value),
             table,
             key,
             value)
HASH_WRITES (gboolean,
             g_hash_table_replace,
             (GHashTable * table, gpointer key, gpointer value),
             table,
             key,
             value)
HASH_WRITES (gboolean, g_hash_table_remove, (GHashTable * table, gconstpointer key), table, key)
HASH_WRITES (guint,
             g_hash_table_foreach_remove,
             (GHashTable * table, GHRFunc func, gpointer data),
             table,
             func,
             data)

SHOWN void
g_hash_table_iter_init (GHashTableIter *iter,
                        GHashTable     *table)
{
  REAL (g_hash_table_iter_init);
  __tsan_read8 (table);
  real_g_hash_table_iter_init (iter, table);
}

SHOWN void
g_hash_table_remove_all (GHashTable *table)
{
  REAL (g_hash_table_remove_all);
  __tsan_write8 (table);
  real_g_hash_table_remove_all (table);
}

SHOWN void
g_ptr_array_add (GPtrArray *array,
                 gpointer   data)
{
  REAL (g_ptr_array_add);
  /* Length and place, as the macros that look into it read them. */
  __tsan_write8 (&array->len);
  __tsan_write8 (&array->pdata);
  real_g_ptr_array_add (array, data);
}

SHOWN GArray *
g_array_append_vals (GArray        *array,
                     gconstpointer  data,
                     guint          n)
{
  REAL (g_array_append_vals);
  __tsan_write8 (&array->len);
  __tsan_write8 (&array->data);
  return real_g_array_append_vals (array, data, n);
}
