/* Writes the sentences that tell a person why a capture has recorded nothing, or nothing yet. */
#include "vtr-capture-explain.h"

#include "engine/api/vtr-host-api.h"
#include "base/vtr-number.h"
#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <sys/wait.h>

/* The most names in a sentence. */
#define MAX_NAMES 40

char *
vtr_capture_explain_exit (const VtrCaptureSituation *situation)
{
  int status = situation->wait_status;

  if (!situation->exited || situation->stopped)
    return g_strdup (_ ("was stopped"));
  if (WIFSIGNALED (status))
    return g_strdup_printf (_ ("was ended by signal %d (%s)"), WTERMSIG (status),
                            g_strsignal (WTERMSIG (status)));
  return g_strdup_printf (_ ("ended with status %d"), WEXITSTATUS (status));
}

/* A hint from the program's file; NULL: none. */
static char *
explain_hindrance (const VtrCaptureSituation *situation)
{
  if (situation->hindrance == VTR_CAPTURE_HINDRANCE_STATIC)
    return g_strdup_printf (_ ("“%s” is statically linked: no layer can be loaded into it. If it "
                               "starts another program, capture that one."),
                            situation->program);
  if (situation->hindrance == VTR_CAPTURE_HINDRANCE_RIGHTS)
    return g_strdup_printf (_ ("“%s” runs with extra privileges (setuid, setgid, "
                               "capabilities), so Vulkan ignores layers named in the "
                               "environment. Capture a copy without them."),
                            situation->program);
  if (situation->hindrance == VTR_CAPTURE_HINDRANCE_MACHINE)
    return g_strdup_printf (_ ("“%s” is built for another processor architecture or for 32 "
                               "bits, so the capture layer cannot be loaded. If it starts "
                               "another program, capture that one."),
                            situation->program);
  return NULL;
}

static GError *
explain_refusals (const VtrCaptureSituation *situation)
{
  GPtrArray *entries = situation->registry->entries;
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < entries->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                            ((VtrCaptureEntry *)g_ptr_array_index (entries, i))->name);
  return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOTHING,
                      _ ("No process with a matching name used Vulkan. Others did: %s."),
                      names->str);
}

char *
vtr_capture_explain_missed (const VtrCaptureRegistry *registry)
{
  const guint n = registry->n_missed;

  if (registry->error != NULL)
    return g_strdup_printf (ngettext ("%u program was not recorded. %s",
                                      "%u programs were not recorded. %s", n),
                            n, registry->error->message);
  return g_strdup_printf (
    ngettext ("%u program was not recorded: it ended or stopped waiting before Vitrine "
              "answered.",
              "%u programs were not recorded: they ended, or gave up waiting, before Vitrine could "
              "answer them.",
              n),
    n);
}

/* What an API knows that keeps programs from using it; NULL: nothing. */
static char *
explain_obstacle (const VtrCaptureSituation *situation,
                  const char                *end)
{
  char *sentence = NULL;

  for (guint i = 0; sentence == NULL && vtr_apis[i] != NULL; i++)
    if (vtr_apis[i]->host != NULL && vtr_apis[i]->host->explain != NULL)
      sentence = vtr_apis[i]->host->explain (situation->program, end);
  return sentence;
}

GError *
vtr_capture_explain_silence (const VtrCaptureSituation *situation)
{
  g_autofree char *end = vtr_capture_explain_exit (situation);
  g_autofree char *hindrance = explain_hindrance (situation);
  g_autofree char *obstacle = NULL;

  if (situation->registry->error != NULL)
    return g_error_copy (situation->registry->error);
  if (situation->registry->n_missed > 0)
    {
      g_autofree char *missed = vtr_capture_explain_missed (situation->registry);

      return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOTHING, missed);
    }
  if (situation->registry->entries->len > 0)
    return explain_refusals (situation);
  if (situation->waiting)
    return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOT_LOADED,
                                _ ("No program connected. Start one with VITRINE_CAPTURE=1 "
                                   "while Vitrine waits, and check that the layer is "
                                   "installed."));
  obstacle = explain_obstacle (situation, end);
  if (obstacle != NULL)
    return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NO_DRIVER, obstacle);
  if (hindrance != NULL)
    return g_error_new_literal (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOT_LOADED, hindrance);
  if (situation->exited && !situation->stopped && WIFSIGNALED (situation->wait_status))
    return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_ENDED,
                        _ ("“%s” %s before it used Vulkan. Start it without Vitrine to see "
                           "whether the same happens."),
                        situation->program, end);
  return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOT_LOADED,
                      _ ("“%s” %s without using Vulkan. If it starts another program, capture "
                         "that one; if it chose "
                         "OpenGL, tell it to use Vulkan."),
                      situation->program, end);
}

/* A program that was watched, and ended before the moment that was asked for. */
static GError *
explain_missed (const VtrCaptureSituation *situation,
                guint64                    presented)
{
  const VtrCapturePlan *plan = &situation->registry->plan;
  g_autofree char *end = vtr_capture_explain_exit (situation);

  if (plan->at_frame)
    return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOTHING,
                        _ ("“%s” %s after %s frames, before frame %s began. Nothing was "
                           "captured."),
                        situation->program, end, VTR_NUMBER (presented),
                        VTR_NUMBER (plan->frame));
  return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOTHING,
                      _ ("“%s” %s after %s frames, before a capture was started."),
                      situation->program, end, VTR_NUMBER (presented));
}

char *
vtr_capture_explain_withheld (VtrCaptureRegistry *registry)
{
  GPtrArray *all = registry->withheld;
  g_autoptr (GString) names = g_string_new (NULL);

  if (all->len == 0)
    return NULL;
  for (guint i = 0; i < all->len && i < MAX_NAMES; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", (char *)g_ptr_array_index (all, i));
  if (all->len > MAX_NAMES)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), all->len - MAX_NAMES);

      g_string_append_printf (names, ", %s", more);
    }
  return g_strdup_printf (_ ("Vitrine hides extensions that it cannot record or replay: %s. "
                             "If the program needs one of them, pass it through "
                             "(--pass-extension)."),
                          names->str);
}

GError *
vtr_capture_explain_nothing (const VtrCaptureSituation *situation,
                             VtrCaptureEntry           *entry)
{
  g_autofree char *end = vtr_capture_explain_exit (situation);
  VtrCaptureRegistry *registry = situation->registry;
  VtrCaptureCounts counts;

  if (registry->rungs[VTR_CAPTURE_RUNG_STARTED].state == VTR_CAPTURE_RUNG_TRIED)
    return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NO_DRIVER,
                        _ ("“%s” %s: its Vulkan instance could not be created (%s)."),
                        situation->program, end,
                        registry->rungs[VTR_CAPTURE_RUNG_STARTED].fact);
  vtr_capture_process_get_counts (entry->process, &counts);
  if (!registry->plan.from_launch)
    return explain_missed (situation, counts.presented);
  return g_error_new (VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_NOTHING,
                      _ ("“%s” %s before any Vulkan call was recorded."), situation->program, end);
}

static char *
explain_no_layer (const VtrCaptureSituation *situation)
{
  char *obstacle;

  if (situation->registry->error != NULL)
    return g_strdup (situation->registry->error->message);
  obstacle = explain_obstacle (situation, NULL);
  if (obstacle != NULL)
    return obstacle;
  if (situation->waiting)
    return g_strdup (_ ("No program has connected yet. Start one with VITRINE_CAPTURE=1. "
                        "Steam launch option: VITRINE_CAPTURE=1 %command%"));
  if (situation->hindrance != VTR_CAPTURE_HINDRANCE_NONE)
    return explain_hindrance (situation);
  if (situation->exited)
    return g_strdup (_ ("The capture layer is not loaded: the program has exited, and the "
                        "programs it left running have not used Vulkan yet."));
  return g_strdup (_ ("The capture layer is not loaded: the program has not used Vulkan yet. "
                      "It may be "
                      "waiting for you, use OpenGL, or have handed over to a program that was "
                      "already "
                      "running."));
}

static char *
explain_no_device (VtrCaptureRegistry *registry)
{
  g_autofree char *withheld = vtr_capture_explain_withheld (registry);
  const char *sentence = _ ("No device yet: the program has listed the GPUs but opened none. "
                            "None of them may suit it.");

  if (withheld == NULL)
    return g_strdup (sentence);
  return g_strdup_printf ("%s %s", sentence, withheld);
}

static char *
explain_rungs_locked (const VtrCaptureSituation *situation)
{
  VtrCaptureRegistry *registry = situation->registry;

  if (registry->rungs[VTR_CAPTURE_RUNG_LOADED].state != VTR_CAPTURE_RUNG_DONE)
    return explain_no_layer (situation);
  if (registry->rungs[VTR_CAPTURE_RUNG_STARTED].state == VTR_CAPTURE_RUNG_TRIED)
    return g_strdup_printf (_ ("No Vulkan instance: the driver refused (%s)."),
                            registry->rungs[VTR_CAPTURE_RUNG_STARTED].fact);
  if (registry->rungs[VTR_CAPTURE_RUNG_STARTED].state != VTR_CAPTURE_RUNG_DONE)
    return g_strdup (_ ("No Vulkan instance yet: the program has loaded Vulkan but only "
                        "queried its capabilities."));
  if (registry->rungs[VTR_CAPTURE_RUNG_DEVICE].state == VTR_CAPTURE_RUNG_TRIED)
    return g_strdup_printf (_ ("No device: the driver refused (%s)."),
                            registry->rungs[VTR_CAPTURE_RUNG_DEVICE].fact);
  if (registry->rungs[VTR_CAPTURE_RUNG_DEVICE].state != VTR_CAPTURE_RUNG_DONE)
    return explain_no_device (registry);
  if (registry->rungs[VTR_CAPTURE_RUNG_FIRST_FRAME].state == VTR_CAPTURE_RUNG_DONE)
    return NULL;
  if (!registry->plan.from_launch)
    return g_strdup (_ ("Nothing presented yet: the program may have no window, still be "
                        "loading, or draw with OpenGL. A frame can be captured once one is "
                        "presented."));
  return g_strdup (_ ("Nothing presented yet: the program may have no window, still be "
                      "loading, or draw with OpenGL. Its calls are being recorded."));
}

char *
vtr_capture_explain_rungs (const VtrCaptureSituation *situation)
{
  char *sentence;

  g_mutex_lock (&situation->registry->lock);
  sentence = explain_rungs_locked (situation);
  g_mutex_unlock (&situation->registry->lock);
  return sentence;
}
