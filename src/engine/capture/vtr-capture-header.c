/* Writes the header of a new trace: program, environment, and how the captured clock relates to
 * the time of day. */
#include "vtr-capture-header.h"

#include "base/vtr-buffer.h"
#include "engine/api/vtr-host-api.h"
#include "vtr-config.h"
#include "wire/vtr-trace-objects.h"

#include <sys/utsname.h>
#include <time.h>

#define WIRE_VARINT 0
#define WIRE_FIXED64 1
#define WIRE_BYTES 2

/* Only what says how the display was set up, and what each API names; other variables may be
 * private. */
static const char *const display_variables[] = {
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XDG_SESSION_TYPE",
  NULL,
};

static guint64
read_ticks (void)
{
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc ();
#elif defined(__aarch64__)
  guint64 ticks;

  __asm__ volatile("mrs %0, cntvct_el0"
                   : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

static void
calibrate (guint64 pair[2])
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  pair[0] = read_ticks ();
  pair[1] = (guint64)now.tv_sec * 1000000000u + (guint64)now.tv_nsec;
}

void
vtr_capture_header_init (VtrCaptureHeader       *self,
                         const VtrCaptureHello  *hello,
                         char                  **arguments)
{
  self->executable = g_strndup (hello->executable, sizeof hello->executable);
  self->arguments = g_strdupv (arguments);
  self->pid = hello->pid;
  memcpy (self->apis, hello->apis, sizeof self->apis);
  self->start_time = g_get_real_time ();
  calibrate (self->calibration[0]);
}

void
vtr_capture_header_clear (VtrCaptureHeader *self)
{
  g_clear_pointer (&self->executable, g_free);
  g_clear_pointer (&self->arguments, g_strfreev);
  g_clear_pointer (&self->thumbnail, g_bytes_unref);
}

static void
append_bytes (VtrBuffer  *to,
              guint       field,
              const void *data,
              gsize       size)
{
  vtr_buffer_append_varint (to, field << 3 | WIRE_BYTES);
  vtr_buffer_append_varint (to, size);
  vtr_buffer_append (to, data, size);
}

static void
append_string (VtrBuffer  *to,
               guint       field,
               const char *text)
{
  append_bytes (to, field, text, strlen (text));
}

static void
append_fixed64 (VtrBuffer *to,
                guint      field,
                guint64    value)
{
  vtr_buffer_append_varint (to, field << 3 | WIRE_FIXED64);
  vtr_buffer_append_u64 (to, value);
}

static void
append_varint (VtrBuffer *to,
               guint      field,
               guint64    value)
{
  vtr_buffer_append_varint (to, field << 3 | WIRE_VARINT);
  vtr_buffer_append_varint (to, value);
}

static void
append_calibration (VtrBuffer     *to,
                    const guint64  pair[2])
{
  VtrBuffer message = { 0 };

  append_fixed64 (&message, VTR_CALIBRATION_TICKS, pair[0]);
  append_fixed64 (&message, VTR_CALIBRATION_NANOSECONDS, pair[1]);
  append_bytes (to, VTR_HEADER_CALIBRATION, message.data, message.size);
  vtr_buffer_finish (&message);
}

static void
append_registries (VtrBuffer        *to,
                   const VtrWireApi  apis[VTR_WIRE_MAX_APIS])
{
  for (guint i = 0; i < VTR_WIRE_MAX_APIS && apis[i].prefix[0] != '\0'; i++)
    {
      VtrBuffer message = { 0 };

      append_bytes (&message, VTR_REGISTRY_API, apis[i].prefix,
                    strnlen (apis[i].prefix, sizeof apis[i].prefix));
      append_fixed64 (&message, VTR_REGISTRY_HASH, apis[i].hash);
      append_bytes (to, VTR_HEADER_REGISTRY, message.data, message.size);
      vtr_buffer_finish (&message);
    }
}

static void
append_environment (VtrBuffer         *to,
                    const char *const *names)
{
  for (; *names != NULL; names++)
    {
      const char *value = g_getenv (*names);
      g_autofree char *pair = NULL;

      if (value == NULL)
        continue;
      pair = g_strconcat (*names, "=", value, NULL);
      append_string (to, VTR_HEADER_ENVIRONMENT, pair);
    }
}

void
vtr_capture_header_append (VtrCaptureHeader *self,
                           VtrTraceWriter   *writer)
{
  VtrBuffer message = { 0 };
  struct utsname system;

  append_string (&message, VTR_HEADER_PRODUCER, "Vitrine " PACKAGE_VERSION);
  append_string (&message, VTR_HEADER_EXECUTABLE, self->executable);
  for (char **argument = self->arguments; argument != NULL && *argument != NULL; argument++)
    append_string (&message, VTR_HEADER_ARGUMENT, *argument);
  append_environment (&message, display_variables);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->host != NULL && vtr_apis[i]->host->environment_names != NULL)
      append_environment (&message, vtr_apis[i]->host->environment_names ());
  append_fixed64 (&message, VTR_HEADER_START_TIME, (guint64)self->start_time);
  append_varint (&message, VTR_HEADER_ABI, VTR_ABI_NATIVE);
  append_varint (&message, VTR_HEADER_PROCESS, self->pid);
  if (uname (&system) == 0)
    {
      g_autofree char *host = g_strdup_printf ("%s %s %s", system.sysname, system.release,
                                               system.machine);

      append_string (&message, VTR_HEADER_HOST, host);
    }
  append_registries (&message, self->apis);
  calibrate (self->calibration[1]);
  append_calibration (&message, self->calibration[0]);
  append_calibration (&message, self->calibration[1]);
  if (self->thumbnail != NULL)
    append_bytes (&message, VTR_HEADER_THUMBNAIL, g_bytes_get_data (self->thumbnail, NULL),
                  g_bytes_get_size (self->thumbnail));

  if (!message.failed)
    vtr_trace_writer_append_object (writer, "vitrine.Header", message.data, message.size, NULL);
  vtr_buffer_finish (&message);
}
