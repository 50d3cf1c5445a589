/* The tiny API as the replayer's process knows it: its library, its contexts, and the bindings of
 * each.
 *
 * The library does not check its arguments, so names and pointers of a payload are checked here.
 * Threading: the replayer's one thread. */
#pragma once

#include "vtr-replayer-api.h"
#include "vtr-tiny-signatures.h"

#include "../library/tiny.h"

/* The library's functions, as @F (name). */
#define VTR_TINY_FUNCTIONS(F) \
  F (tnCreateContext) \
  F (tnDestroyContext) \
  F (tnMakeCurrent) \
  F (tnGen) \
  F (tnDelete) \
  F (tnBind) \
  F (tnPictureData) \
  F (tnStoreData) \
  F (tnPointer) \
  F (tnPen) \
  F (tnDraw) \
  F (tnRead) \
  F (tnFlush) \
  F (tnSwap) \
  F (tnGetError)

typedef struct
{
#define MEMBER(name) __typeof__ (name) *name;
  VTR_TINY_FUNCTIONS (MEMBER)
#undef MEMBER
} VtrTinyLibrary;

/* The source of the points of a draw. Lives until its context is destroyed. */
typedef struct VtrTinyArray VtrTinyArray;
struct VtrTinyArray
{
  VtrTinyArray *next;
  uint32_t name; /* 0: the first one */
  bool named;    /* its name still means it */
  bool in_store; /* .points is an offset, which the library checks */
  uint32_t stride;
  const uint8_t *points;
};

/* Pictures of a group that a name means. */
typedef struct
{
  unsigned n_contexts;
  uint32_t *pictures;
  size_t n;
  size_t max;
} VtrTinyGroup;

typedef struct VtrTinyContext VtrTinyContext;
struct VtrTinyContext
{
  VtrTinyContext *next;
  TnContext context;
  VtrTinyGroup *group;
  bool ended; /* destroyed while it was current */
  uint32_t width, height;
  uint32_t picture, store; /* bound; 0: the window, none */
  bool picture_unnamed;    /* the name of the bound picture was deleted */
  bool store_unnamed;
  uint32_t pen;
  VtrTinyArray *array; /* bound */
  VtrTinyArray *arrays;
};

typedef struct
{
  VtrVm *vm;
  VtrReplayerHost host;
  void *handle; /* of the library; NULL: not loaded */
  VtrTinyLibrary library;
  VtrVmFunction functions[VTR_TINY_N_COMMANDS];
  VtrTinyContext *contexts;
  VtrTinyContext *current;
} VtrTinyReplay;

extern const VtrVmCall vtr_tiny_thunks[VTR_TINY_N_COMMANDS];

/* Loads the library, once. Returns: false after vtr_vm_fail (). */
bool vtr_tiny_replay_load (VtrTinyReplay *self);

/* Returns: the context, or NULL after vtr_vm_fail (). */
VtrTinyContext *vtr_tiny_need_context (VtrTinyReplay *self, uint64_t context);

/* Whether @name means a picture in @context's group. */
bool vtr_tiny_has_picture (const VtrTinyContext *context, uint32_t name);

/* Destroys all contexts, the current one too. */
void vtr_tiny_destroy_contexts (VtrTinyReplay *self);

/* Calls that are looked into. Each fails the machine instead of calling what the library could not survive. */
TnContext vtr_tiny_call_tnCreateContext (VtrTinyReplay *self, TnContext share, uint32_t width, uint32_t height);
void vtr_tiny_call_tnDestroyContext (VtrTinyReplay *self, TnContext context);
uint32_t vtr_tiny_call_tnMakeCurrent (VtrTinyReplay *self, TnContext context);
void vtr_tiny_call_tnGen (VtrTinyReplay *self, TnKind kind, uint32_t n, uint32_t *names);
void vtr_tiny_call_tnDelete (VtrTinyReplay *self, TnKind kind, uint32_t n, const uint32_t *names);
void vtr_tiny_call_tnBind (VtrTinyReplay *self, TnKind kind, uint32_t name);
void vtr_tiny_call_tnPictureData (VtrTinyReplay *self, uint32_t width, uint32_t height, const void *texels);
void vtr_tiny_call_tnStoreData (VtrTinyReplay *self, size_t size, const void *bytes);
void vtr_tiny_call_tnPointer (VtrTinyReplay *self, uint32_t stride, const void *points);
void vtr_tiny_call_tnPen (VtrTinyReplay *self, uint32_t rgba);
void vtr_tiny_call_tnDraw (VtrTinyReplay *self, uint32_t first, uint32_t count);
void vtr_tiny_call_tnRead (VtrTinyReplay *self, size_t size, void *texels);

/* VtrReplayReadTexels.word, VtrReplayWriteTexels.word: the picture that .owner has bound; .object
 * is ignored. A picture whose name was deleted cannot be named otherwise. */
#define VTR_TINY_BOUND_PICTURE 1u

/* Members of VtrReplayerApi; @data is the VtrTinyReplay. Pictures are read and filled whole. */
void vtr_tiny_read_texels (void *data, const VtrReplayReadTexels *read);
void vtr_tiny_write_texels (void *data, const VtrReplayWriteTexels *write, const void *source, uint64_t size);
