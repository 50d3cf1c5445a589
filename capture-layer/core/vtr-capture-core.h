/* The APIs that the core of the capture layer records, and the namespaces of their objects.
 *
 * Threading: any. An API that was added stays. */
#pragma once

#include "api/vtr-api-env.h"
#include "api/vtr-api-rows.h"
#include "vtr-capture-api.h"

#include <stdatomic.h>

/* How many APIs a process can have. */
#define VTR_CAPTURE_MAX_APIS 4u

/* Makes @api known. Once for each API, before any of its calls is recorded: from a constructor of its library. Returns:
 * false where there are too many, or no memory. */
bool vtr_capture_core_add_api (const VtrCaptureApi *api);

/* Returns: (nullable): API @nth, from 0, in the order in which they were added; NULL beyond the last. */
const VtrCaptureApi *vtr_capture_core_get_api (unsigned nth);

/* Returns: the API that has @cmd; NULL: none that was added. */
const VtrCaptureApi *vtr_capture_core_find_api (VtrCmdId cmd);

/**
 * VtrNamespace:
 * @env: answers the walkers for calls in it; its .data is the API's
 * @n_late: how many parts of its contents are still to be copied after the cut (vtr-layer-late.h)
 *
 * The scope in which names are unique: a device, an instance, a share group, a context. Its API
 * embeds it in its own data, fills @env, and begins and ends it.
 */
struct VtrNamespace
{
  VtrApiEnv env; /* first: calls pass it on without asking for it */
  const VtrCaptureApi *api;
  const uint8_t *traits; /* VtrCallTraits of each command of .api */
  VtrCmdId first_command;
  atomic_uint n_late;

  /* Zero in an API whose names are unique in the process, or that tells them apart itself. */
  uint32_t number;      /* that traces call it by, from 1 */
  VtrApiNames scope;    /* its sort: a device, a group, a context, … */
  VtrNamespace *parent; /* the namespace around it; NULL: none */
  uint64_t name;        /* of the object to which it belongs; 0: none */
  VtrLayerBatch *batch; /* gets its calls that are not signallers; NULL: they go into the log of their thread */

  VtrNamespace *next;
  VtrNamespace *previous;
};

/* Begins a namespace of @api, which was added; .env is set. */
void vtr_namespace_begin (VtrNamespace        *self,
                          const VtrCaptureApi *api);

/* Gives a namespace that has begun a number, and records it. @scope, @parent, @name: as the members above. Within a call
 * that was entered, before the first one in the namespace. */
void vtr_namespace_tell (VtrNamespace *self,
                         VtrApiNames   scope,
                         VtrNamespace *parent,
                         uint64_t      name);

/* Commits the records of all that have a number: a recording begins in the middle of the run. */
void vtr_namespace_tell_all (VtrLayerThread *thread);

/* Returns: VtrCallTraits of @cmd, a command of the namespace's API. */
static inline uint8_t
vtr_namespace_get_traits (const VtrNamespace *self,
                          VtrCmdId            cmd)
{
  return self->traits[(uint32_t)cmd - (uint32_t)self->first_command];
}

/* Nothing is recorded in it any more. */
void vtr_namespace_end (VtrNamespace *self);

/* Calls @each for all namespaces of @api (NULL: of all), the youngest first. None begins or ends meanwhile. */
void vtr_namespace_for_each (const VtrCaptureApi *api,
                             void (*each) (VtrNamespace *self,
                                           void *data),
                             void *data);
