/* Asks the APIs of a trace whether it can replay on the devices of a plan; keeps their findings. */
#include "vtr-config.h"

#include "engine/replay-builder/vtr-compatibility.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/api/vtr-build-api.h"

struct _VtrCompatibility
{
  GPtrArray *findings; /* VtrCompatibilityFinding */
  GHashTable *by_text; /* their text → themselves */
  GArray *addresses;   /* VtrAddressCount; NULL: none are guessed */
};

/* --- Findings -------------------------------------------------------------------------------- */

static void
finding_free (gpointer data)
{
  VtrCompatibilityFinding *finding = data;

  g_free (finding->text);
  g_free (finding);
}

void
vtr_compatibility_add (VtrCompatibility *self,
                       VtrCompatibilityLevel level,
                       const char *what,
                       guint64 index,
                       const char *format,
                       ...)
{
  g_autofree char *text = NULL;
  VtrCompatibilityFinding *finding;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  finding = g_hash_table_lookup (self->by_text, text);
  if (finding == NULL)
    {
      finding = g_new0 (VtrCompatibilityFinding, 1);
      finding->level = level;
      finding->what = what;
      finding->text = g_steal_pointer (&text);
      g_ptr_array_add (self->findings, finding);
      g_hash_table_insert (self->by_text, finding->text, finding);
    }
  if (index == VTR_COMMAND_NO_INDEX)
    return;
  if (finding->n_commands < VTR_COMPATIBILITY_COMMANDS)
    finding->commands[finding->n_commands] = index;
  finding->n_commands++;
}

static gint
compare_findings (gconstpointer a,
                  gconstpointer b)
{
  const VtrCompatibilityFinding *x = *(VtrCompatibilityFinding *const *)a;
  const VtrCompatibilityFinding *y = *(VtrCompatibilityFinding *const *)b;

  if (x->level != y->level)
    return (gint)y->level - (gint)x->level;
  if (x->commands[0] != y->commands[0])
    return x->commands[0] < y->commands[0] ? -1 : 1;
  return strcmp (x->text, y->text);
}

const char *
vtr_compatibility_level_name (VtrCompatibilityLevel level)
{
  switch (level)
    {
    case VTR_COMPATIBILITY_ERROR:
      return "error";
    case VTR_COMPATIBILITY_WARNING:
      return "warning";
    default:
      return "note";
    }
}

VtrCompatibility *
vtr_compatibility_new (VtrTrace          *trace,
                       VtrPlan           *plan,
                       VtrReplayBackend  *backend,
                       GCancellable      *cancellable,
                       GError           **error)
{
  g_autoptr (VtrCompatibility) self = g_atomic_rc_box_new0 (VtrCompatibility);
  gboolean is_known = FALSE;

  self->findings = g_ptr_array_new_with_free_func (finding_free);
  self->by_text = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; vtr_apis[i] != NULL; i++)
    {
      gpointer own = vtr_plan_get (plan, vtr_apis[i]);

      if (own == NULL || vtr_apis[i]->build->find_incompatible == NULL)
        continue;
      if (!vtr_apis[i]->build->find_incompatible (trace, own, backend, self, cancellable, error))
        return NULL;
      is_known = TRUE;
    }
  if (!is_known)
    {
      g_set_error_literal (error, VTR_REPLAY_ERROR, VTR_REPLAY_ERROR_UNSUPPORTED,
                           _ ("It is unknown what this trace needs from a device"));
      return NULL;
    }
  g_ptr_array_sort (self->findings, compare_findings);
  return g_steal_pointer (&self);
}

void
vtr_compatibility_take_addresses (VtrCompatibility *self,
                                  GArray           *addresses)
{
  if (self->addresses == NULL)
    {
      self->addresses = addresses;
      return;
    }
  g_array_append_vals (self->addresses, addresses->data, addresses->len);
  g_array_unref (addresses);
}

/* --- Life and getters ------------------------------------------------------------------------ */

VtrCompatibility *
vtr_compatibility_ref (VtrCompatibility *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
compatibility_clear (gpointer data)
{
  VtrCompatibility *self = data;

  g_ptr_array_unref (self->findings);
  g_hash_table_unref (self->by_text);
  g_clear_pointer (&self->addresses, g_array_unref);
}

void
vtr_compatibility_unref (VtrCompatibility *self)
{
  g_atomic_rc_box_release_full (self, compatibility_clear);
}

guint
vtr_compatibility_get_n (VtrCompatibility *self)
{
  return self->findings->len;
}

const VtrCompatibilityFinding *
vtr_compatibility_get (VtrCompatibility *self,
                       guint             nth)
{
  return g_ptr_array_index (self->findings, nth);
}

const GArray *
vtr_compatibility_get_addresses (VtrCompatibility *self)
{
  return self->addresses;
}

const VtrCompatibilityFinding *
vtr_compatibility_get_error (VtrCompatibility *self)
{
  const VtrCompatibilityFinding *first;

  if (self->findings->len == 0)
    return NULL;
  first = g_ptr_array_index (self->findings, 0);
  return first->level == VTR_COMPATIBILITY_ERROR ? first : NULL;
}
