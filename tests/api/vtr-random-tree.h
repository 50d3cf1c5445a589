/* Random argument trees for any command, made from the tables alone. Every piece is a malloc ()
 * of its exact size, so that AddressSanitizer reports each byte read beyond it. */
#pragma once

#include "api/vtr-api-program.h"
#include "api/vtr-api-walk.h"

#include <stdbool.h>
#include <stdint.h>

/* Says what a well-formed call has there; both may leave it to chance. */
typedef struct
{
  void *data;
  const VtrApiEnv *env;
  /* Returns: whether @value was set. */
  bool (*choose) (void *data,
                  const VtrScope *scope,
                  const VtrApiField *field,
                  uint64_t *value);
  /* Whether a structure may appear in a pNext chain. */
  bool (*admit) (void *data,
                 VtrStructId id);
} VtrRandomTaste;

typedef struct
{
  uint64_t state; /* of the generator; never 0 */
  uint64_t next_handle;
  uint64_t next_address;
  void **pieces;
  size_t n_pieces;
  size_t room;
  unsigned depth;
  unsigned group;              /* of dynamic states that occur together */
  bool has_unknown;            /* some pNext chain has an unknown structure */
  const VtrRandomTaste *taste; /* nullable */
  const VtrApiEnv *env;        /* of the application whose call this is */
  void *args;
} VtrRandomTree;

uint32_t vtr_random (VtrRandomTree *self);

/* Below @limit. */
uint32_t vtr_random_below (VtrRandomTree *self,
                           uint32_t       limit);

/* Fills in .args. Pointers and handles that the rules say are ignored hold garbage that faults when
 * followed. */
void vtr_random_tree_init (VtrRandomTree *self,
                           VtrCmdId       cmd,
                           uint64_t       seed);

/* Like vtr_random_tree_init (), but well-formed: @taste chooses every number and handle, all pointers are set,
 * and chains contain each known structure at most once. */
void vtr_random_tree_init_tame (VtrRandomTree        *self,
                                VtrCmdId              cmd,
                                uint64_t              seed,
                                const VtrRandomTaste *taste);
void vtr_random_tree_finish (VtrRandomTree *self);

/* State of a context of OpenGL. */
const VtrApiEnv *vtr_random_gl_env (uint64_t seed);

/* State of Vulkan's objects as these trees need it: it depends on nothing but handle values. */
extern const VtrApiEnv vtr_random_env;

/* The state that trees of @cmd need: one of its API. In vtr-random-env.c; tests of other APIs have
 * their own. */
const VtrApiEnv *vtr_random_env_of (VtrCmdId cmd,
                                    uint64_t seed);
