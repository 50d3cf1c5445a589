/* Keeps the list of programs that registered in a capture session: chooses which to record, names
 * their traces, and gathers results and notices. */
#include "vtr-capture-registry.h"

#include "api/vtr-api-ids.h"
#include "base/vtr-log.h"
#include "api/vtr-api-model.h"
#include "engine/api/vtr-capture-error.h"
#include "engine/capture/vtr-capture-launch.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MAX_NOTICES 100
#define MAX_WITHHELD 500

static void
entry_free (gpointer data)
{
  VtrCaptureEntry *entry = data;

  vtr_capture_process_free (entry->process);
  g_free (entry->name);
  g_free (entry->path);
  g_free (entry);
}

static VtrCaptureEntry *
find_entry_locked (VtrCaptureRegistry *self,
                   guint               peer)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->peer == peer)
        return entry;
    }
  return NULL;
}

/* ---- Hello ---- */

static gboolean
is_taken_locked (VtrCaptureRegistry *self,
                 const char         *path)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (g_strcmp0 (((VtrCaptureEntry *)g_ptr_array_index (self->entries, i))->path, path) == 0)
      return TRUE;
  return FALSE;
}

/* "cube.gfxtrace" → "cube-4711.gfxtrace"; a program that replaces itself comes again with its
 * number: "cube-4711-2.gfxtrace" */
static char *
path_of_process_locked (VtrCaptureRegistry *self,
                        guint               pid)
{
  gsize stem = strlen (self->output);
  char *path;

  if (g_str_has_suffix (self->output, ".gfxtrace"))
    stem -= strlen (".gfxtrace");
  path = g_strdup_printf ("%.*s-%u.gfxtrace", (int)stem, self->output, pid);
  for (guint nth = 2; is_taken_locked (self, path); nth++)
    {
      g_free (path);
      path = g_strdup_printf ("%.*s-%u-%u.gfxtrace", (int)stem, self->output, pid, nth);
    }
  return path;
}

static int
refuse_locked (VtrCaptureRegistry *self,
               GError             *error)
{
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  return -1;
}

/* Both separators: programs of other systems run here, too. */
static char *
base_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *backslash = strrchr (path, '\\');

  path = slash != NULL ? slash + 1 : path;
  return g_strdup (backslash != NULL && backslash >= path ? backslash + 1 : path);
}

static gboolean
matches (char       **patterns,
         const char  *name,
         const char  *called)
{
  for (; patterns != NULL && *patterns != NULL; patterns++)
    if (g_pattern_match_simple (*patterns, name) || g_pattern_match_simple (*patterns, called))
      return TRUE;
  return FALSE;
}

/* Whether the options let this program be recorded: by its file's name, or by how it is called. */
static gboolean
is_wanted (VtrCaptureRegistry  *self,
           const char          *name,
           char               **arguments)
{
  g_autofree char *called = base_name (arguments[0] != NULL ? arguments[0] : name);

  if (self->only != NULL && !matches (self->only, name, called))
    return FALSE;
  return !matches (self->not, name, called);
}

static guint
count_recorded_locked (VtrCaptureRegistry *self)
{
  guint n = 0;

  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      n += entry->process != NULL || entry->coming;
    }
  return n;
}

/* Its place in the list, and the name of its trace, if it is to be recorded. Returns: NULL when it
 * is not. */
static VtrCaptureEntry *
register_locked (VtrCaptureRegistry     *self,
                 guint                   peer,
                 const VtrCaptureHello  *hello,
                 char                  **arguments)
{
  VtrCaptureEntry *entry;
  g_autofree char *executable = g_utf8_make_valid (hello->executable, -1);

  entry = g_new0 (VtrCaptureEntry, 1);
  entry->peer = peer;
  entry->pid = hello->pid;
  entry->parent_pid = hello->parent_pid;
  entry->name = base_name (executable);
  if (is_wanted (self, entry->name, arguments))
    {
      if (self->output == NULL)
        self->output = vtr_capture_default_output (entry->name);
      if (count_recorded_locked (self) == 0)
        entry->path = g_strdup (self->output);
      else
        entry->path = path_of_process_locked (self, hello->pid);
      entry->coming = TRUE;
    }
  g_ptr_array_add (self->entries, entry);
  return entry->coming ? entry : NULL;
}

/* @process: NULL with @error. Returns: the ring's descriptor, or -1. */
static int
arrive_locked (VtrCaptureRegistry *self,
               VtrCaptureEntry    *entry,
               const char         *path,
               VtrCaptureProcess  *process,
               GError             *error,
               guint64            *ring_bytes)
{
  entry->coming = FALSE;
  if (process == NULL)
    {
      entry->missed = TRUE;
      self->n_missed++;
      return refuse_locked (self, error);
    }
  entry->process = process;
  /* Applies a path that was set meanwhile. */
  if (!g_str_equal (path, entry->path))
    vtr_capture_process_set_path (process, entry->path);
  if (self->closed)
    vtr_capture_process_stop (process);
  *ring_bytes = vtr_capture_process_get_ring_bytes (process);
  return vtr_capture_process_get_ring_fd (process);
}

static gboolean
is_of_this_version (const VtrCaptureHello *hello)
{
  gboolean good = hello->protocol == VTR_CAPTURE_PROTOCOL && hello->apis[0].prefix[0] != '\0';

  for (guint i = 0; good && i < VTR_WIRE_MAX_APIS && hello->apis[i].prefix[0] != '\0'; i++)
    {
      g_autofree char *prefix =
        g_strndup (hello->apis[i].prefix, sizeof hello->apis[i].prefix);
      const VtrApiModel *api = vtr_api_from_name (prefix);

      good = api != NULL && api->hash == hello->apis[i].hash;
    }
  return good;
}

static GError *
make_version_error (void)
{
  return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_LAYER,
                              _ ("The program loaded the capture layer of another version of "
                                 "Vitrine. Remove that layer, or set VITRINE_LAYER_DIR."));
}

/* The ring and the first trace are made without the lock: that takes time, and others ask. */
static int
on_hello (guint                   peer,
          const VtrCaptureHello  *hello,
          char                  **arguments,
          guint64                *ring_bytes,
          gpointer                data)
{
  VtrCaptureRegistry *self = data;
  VtrCaptureEntry *entry = NULL;
  VtrCaptureProcess *process;
  g_autofree char *path = NULL;
  GError *error = NULL;
  int fd;

  g_mutex_lock (&self->lock);
  if (!self->closed && !is_of_this_version (hello))
    {
      refuse_locked (self, make_version_error ());
      self->n_missed++;
    }
  else if (!self->closed)
    entry = register_locked (self, peer, hello, arguments);
  path = entry != NULL ? g_strdup (entry->path) : NULL;
  g_mutex_unlock (&self->lock);
  if (entry == NULL)
    return -1;
  process = vtr_capture_process_new (path, hello, arguments, &self->plan, &error);
  g_mutex_lock (&self->lock);
  fd = arrive_locked (self, entry, path, process, error, ring_bytes);
  g_mutex_unlock (&self->lock);
  return fd;
}

/* It gave up, or was ended, while it waited in line. */
static void
on_missed (const VtrCaptureHello  *hello,
           char                  **arguments,
           gpointer                data)
{
  VtrCaptureRegistry *self = data;
  VtrCaptureEntry *entry = NULL;

  g_mutex_lock (&self->lock);
  if (!self->closed && is_of_this_version (hello))
    entry = register_locked (self, 0, hello, arguments);
  if (entry != NULL)
    {
      g_clear_pointer (&entry->path, g_free);
      entry->coming = FALSE;
      entry->gone = entry->missed = TRUE;
      self->n_missed++;
    }
  g_mutex_unlock (&self->lock);
}

/* ---- Later ---- */

static void
set_entry_path (VtrCaptureEntry *entry,
                const char      *path)
{
  g_free (entry->path);
  entry->path = g_strdup (path);
  vtr_capture_process_set_path (entry->process, path);
}

/* Whether the chosen process ended before anything was recorded: a launcher with a window of its
 * own, or a program that looked at the driver and became another one. */
static gboolean
is_superseded_locked (VtrCaptureRegistry *self)
{
  VtrCaptureCounts counts;

  if (self->plan.from_launch || !self->chosen->gone)
    return FALSE;
  vtr_capture_process_get_counts (self->chosen->process, &counts);
  return counts.commands == 0;
}

/* The first process with a device gets the name that was asked for. */
static void
choose_locked (VtrCaptureRegistry *self,
               VtrCaptureEntry    *entry)
{
  self->chosen = entry;
  if (g_str_equal (entry->path, self->output))
    return;
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *other = g_ptr_array_index (self->entries, i);
      g_autofree char *path = NULL;

      if (other->process == NULL || !g_str_equal (other->path, self->output))
        continue;
      path = path_of_process_locked (self, other->pid);
      set_entry_path (other, path);
      break;
    }
  set_entry_path (entry, self->output);
}

static void
on_rung (guint                 peer,
         const VtrCaptureRung *rung,
         gpointer              data)
{
  VtrCaptureRegistry *self = data;
  VtrCaptureEntry *entry;

  g_mutex_lock (&self->lock);
  entry = find_entry_locked (self, peer);
  if (entry != NULL && rung->rung == VTR_CAPTURE_RUNG_LOADED && rung->result >= 0)
    entry->loaded = TRUE;
  if (self->rungs[rung->rung].state != VTR_CAPTURE_RUNG_DONE)
    {
      self->rungs[rung->rung].state =
        rung->result >= 0 ? VTR_CAPTURE_RUNG_DONE : VTR_CAPTURE_RUNG_TRIED;
      self->rungs[rung->rung].time = g_get_monotonic_time () - self->start;
      g_free (self->rungs[rung->rung].fact);
      self->rungs[rung->rung].fact = g_utf8_make_valid (rung->fact, -1);
    }
  if (entry != NULL && entry->process != NULL && rung->result >= 0 &&
      rung->rung == VTR_CAPTURE_RUNG_DEVICE)
    {
      entry->has_device = TRUE;
      if (self->chosen == NULL || is_superseded_locked (self))
        choose_locked (self, entry);
    }
  g_mutex_unlock (&self->lock);
}

static void
on_notice (guint                   peer,
           const VtrCaptureNotice *notice,
           gpointer                data)
{
  VtrCaptureRegistry *self = data;
  VtrCaptureEntry *entry;
  char *text = g_utf8_make_valid (notice->text, -1);

  g_mutex_lock (&self->lock);
  entry = find_entry_locked (self, peer);
  if (entry != NULL && entry->process != NULL && notice->level <= VTR_LOG_WARNING)
    vtr_capture_process_set_notice (entry->process, text);
  if (self->notices->len < MAX_NOTICES)
    g_ptr_array_add (self->notices, text);
  else
    g_free (text);
  g_mutex_unlock (&self->lock);
}

static void
on_hang_up (guint    peer,
            gpointer data)
{
  VtrCaptureRegistry *self = data;
  VtrCaptureEntry *entry;

  g_mutex_lock (&self->lock);
  entry = find_entry_locked (self, peer);
  if (entry != NULL)
    entry->gone = TRUE;
  if (entry != NULL && entry->process != NULL)
    {
      vtr_capture_process_hang_up (entry->process);
      entry->missed = !entry->loaded && !self->closed;
      self->n_missed += entry->missed;
    }
  g_mutex_unlock (&self->lock);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
on_withheld (guint       peer,
             const char *names,
             gpointer    data)
{
  VtrCaptureRegistry *self = data;
  g_autofree char *valid = g_utf8_make_valid (names, -1);
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);

  g_mutex_lock (&self->lock);
  for (char **line = lines; *line != NULL; line++)
    if (**line != '\0' && self->withheld->len < MAX_WITHHELD &&
        !g_ptr_array_find_with_equal_func (self->withheld, *line, g_str_equal, NULL))
      g_ptr_array_add (self->withheld, g_strdup (*line));
  g_ptr_array_sort (self->withheld, compare_names);
  g_mutex_unlock (&self->lock);
}

const VtrCaptureControlEvents vtr_capture_registry_events = { on_hello, on_rung, on_notice,
                                                              on_hang_up, on_missed, on_withheld };

/* ---- Main thread ---- */

static void
make_plan (VtrCapturePlan          *plan,
           const VtrCaptureOptions *options)
{
  plan->from_launch = options->trigger == VTR_CAPTURE_FROM_LAUNCH;
  plan->at_frame = options->trigger == VTR_CAPTURE_AT_FRAME;
  plan->frame = options->frame;
  plan->n_frames = plan->from_launch ? options->n_frames : MAX (options->n_frames, 1);
  plan->every = options->every;
  plan->times = options->times;
  if (plan->times == 0 && plan->every == 0 && options->trigger != VTR_CAPTURE_BY_HAND)
    plan->times = 1;
}

void
vtr_capture_registry_init (VtrCaptureRegistry      *self,
                           const VtrCaptureOptions *options)
{
  make_plan (&self->plan, options);
  self->only = g_strdupv ((char **)options->only);
  self->not = g_strdupv ((char **)options->not );
  self->start = g_get_monotonic_time ();
  g_mutex_init (&self->lock);
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  self->notices = g_ptr_array_new_with_free_func (g_free);
  self->withheld = g_ptr_array_new_with_free_func (g_free);
}

void
vtr_capture_registry_clear (VtrCaptureRegistry *self)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->process != NULL)
        vtr_capture_process_hang_up (entry->process);
    }
  g_ptr_array_unref (self->entries);
  g_ptr_array_unref (self->notices);
  g_ptr_array_unref (self->withheld);
  for (guint i = 0; i < VTR_CAPTURE_N_RUNGS; i++)
    g_free (self->rungs[i].fact);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_strfreev (self->only);
  g_strfreev (self->not );
  g_free (self->output);
}

VtrCaptureEntry *
vtr_capture_registry_get_main_locked (VtrCaptureRegistry *self)
{
  if (self->chosen != NULL)
    return self->chosen;
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->process != NULL)
        return entry;
    }
  return NULL;
}

guint
vtr_capture_registry_trigger (VtrCaptureRegistry *self)
{
  guint n = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->process != NULL && entry->has_device && !entry->gone)
        n += vtr_capture_process_trigger (entry->process);
    }
  g_mutex_unlock (&self->lock);
  return n;
}

void
vtr_capture_registry_stop (VtrCaptureRegistry *self)
{
  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->process != NULL)
        vtr_capture_process_stop (entry->process);
    }
  g_mutex_unlock (&self->lock);
}

gboolean
vtr_capture_registry_signal (VtrCaptureRegistry *self,
                             GPid                group,
                             int                 number)
{
  gboolean any = FALSE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      if (entry->process != NULL && !entry->gone && entry->pid > 1 &&
          getpgid ((pid_t)entry->pid) != group)
        any |= kill ((pid_t)entry->pid, number) == 0;
    }
  g_mutex_unlock (&self->lock);
  return any;
}

gboolean
vtr_capture_registry_is_complete (VtrCaptureRegistry *self)
{
  gboolean all = TRUE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->entries->len; i++)
    {
      VtrCaptureEntry *entry = g_ptr_array_index (self->entries, i);

      all &= !entry->coming &&
             (entry->process == NULL || vtr_capture_process_is_complete (entry->process));
    }
  g_mutex_unlock (&self->lock);
  return all;
}

GPtrArray *
vtr_capture_registry_take_notices (VtrCaptureRegistry *self)
{
  GPtrArray *notices;

  g_mutex_lock (&self->lock);
  notices = self->notices;
  self->notices = g_ptr_array_new_with_free_func (g_free);
  g_mutex_unlock (&self->lock);
  return notices;
}

void
vtr_capture_registry_take_notice (VtrCaptureRegistry *self,
                                  char               *text)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->notices, text);
  g_mutex_unlock (&self->lock);
}

static void
move_traces (GPtrArray       *to,
             VtrCaptureEntry *entry)
{
  if (entry != NULL && entry->process != NULL)
    g_ptr_array_extend_and_steal (to, vtr_capture_process_take_traces (entry->process));
}

static void
move_notices (GPtrArray       *to,
              VtrCaptureEntry *entry)
{
  if (entry->process != NULL)
    g_ptr_array_extend_and_steal (to, vtr_capture_process_take_notices (entry->process));
}

GPtrArray *
vtr_capture_registry_take_traces (VtrCaptureRegistry *self)
{
  GPtrArray *traces =
    g_ptr_array_new_with_free_func ((GDestroyNotify)vtr_capture_trace_free);
  VtrCaptureEntry *first;

  g_mutex_lock (&self->lock);
  first = vtr_capture_registry_get_main_locked (self);
  move_traces (traces, first);
  for (guint i = 0; i < self->entries->len; i++)
    {
      move_traces (traces, g_ptr_array_index (self->entries, i));
      move_notices (self->notices, g_ptr_array_index (self->entries, i));
    }
  g_mutex_unlock (&self->lock);
  return traces;
}
