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

/* Returns: the @nth API from 0 on, in the order in which they were added; NULL: there are no more. */
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
  VtrApiNames scope;    /* what it is */
  VtrNamespace *parent; /* the one around it; NULL: none */
  uint64_t name;        /* of the object that it is of; 0: none */
  VtrLayerBatch *batch; /* where its calls go that let nobody else act on them; NULL: into the log of their thread */

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
