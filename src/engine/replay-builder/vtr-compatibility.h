/* Whether a trace can replay on the devices of a plan, found without running it. */
#pragma once

#include "engine/format/vtr-trace.h"
#include "engine/replay-builder/vtr-plan.h"
#include "engine/replay-builder/vtr-replay-addresses.h"
#include "engine/replay/vtr-replay-backend.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_COMPATIBILITY_NOTE,    /* different here, without harm */
  VTR_COMPATIBILITY_WARNING, /* the replay goes on; pictures may differ */
  VTR_COMPATIBILITY_ERROR,   /* the replay cannot work */
} VtrCompatibilityLevel;

/* The number of commands that are kept for a finding; further ones are counted. */
#define VTR_COMPATIBILITY_COMMANDS 8

typedef struct
{
  VtrCompatibilityLevel level;
  /* "device", "version", "queues", "extension", "feature", "format", "image", "limit", "memory",
   * "address" or "command": for programs. */
  const char *what;
  char *text;                                   /* a sentence */
  guint64 commands[VTR_COMPATIBILITY_COMMANDS]; /* flat indices */
  guint64 n_commands;
} VtrCompatibilityFinding;

/**
 * VtrCompatibility:
 *
 * Findings, errors first. Threading: any (immutable); atomically reference-counted.
 */
typedef struct _VtrCompatibility VtrCompatibility;

/**
 * vtr_compatibility_new:
 * @plan: of the trace; every API of it that knows what its traces need of devices is asked
 * @backend: asked about the devices, between requests
 *
 * Blocks for a pass over the commands that create objects. Errors: VTR_REPLAY_ERROR_UNSUPPORTED where no API of the
 * trace knows; those of the trace and the backend, G_IO_ERROR_CANCELLED.
 */
VtrCompatibility *vtr_compatibility_new (VtrTrace          *trace,
                                         VtrPlan           *plan,
                                         VtrReplayBackend  *backend,
                                         GCancellable      *cancellable,
                                         GError           **error);
VtrCompatibility *vtr_compatibility_ref (VtrCompatibility *self);
void vtr_compatibility_unref (VtrCompatibility *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrCompatibility, vtr_compatibility_unref)

guint vtr_compatibility_get_n (VtrCompatibility *self);
const VtrCompatibilityFinding *vtr_compatibility_get (VtrCompatibility *self,
                                                      guint             nth);

/* How many values are changed where device addresses are guessed: VtrAddressCount, by name. (transfer
 * none) (nullable): addresses are as captured. */
const GArray *vtr_compatibility_get_addresses (VtrCompatibility *self);

/* Why the replay cannot work; NULL: it can. */
const VtrCompatibilityFinding *vtr_compatibility_get_error (VtrCompatibility *self);

/* For VtrBuildApi.find_incompatible. Adds a finding at the command @index; one of the same text gets the command.
 * @index: VTR_COMMAND_NO_INDEX: none. */
void vtr_compatibility_add (VtrCompatibility *self,
                            VtrCompatibilityLevel level,
                            const char *what,
                            guint64 index,
                            const char *format,
                            ...) G_GNUC_PRINTF (5, 6);
/* For the same: more counts of addresses, of VtrAddressCount. Takes @addresses. */
void vtr_compatibility_take_addresses (VtrCompatibility *self,
                                       GArray           *addresses);

/* "error", "warning" or "note". */
const char *vtr_compatibility_level_name (VtrCompatibilityLevel level);

G_END_DECLS
