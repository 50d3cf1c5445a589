/* The builder of the calls that restore GAPID's state: its data, and the functions of its files. */
#pragma once

#include "api/vtr-api-args.h"
#include "engine/gapid/vtr-gapid-fill.h"
#include "engine/gapid/vtr-gapid-initial.h"

G_BEGIN_DECLS

typedef struct _VtrGapidBuilder VtrGapidBuilder;

/* Makes the calls that create one object. @handle: its handle in the new calls. Returns: FALSE
 * if that is impossible; builder->why says why, unless something is missing. */
typedef gboolean (*VtrGapidMake) (VtrGapidBuilder *self,
                                  VtrGapidValue *object,
                                  guint64 handle);

typedef struct
{
  VtrHandleId type;
  const char *field;  /* of vulkan.State */
  const char *class_; /* of the objects: "vulkan.BufferObject" */
  VtrGapidMake make;
  gboolean temporary; /* made again for those who need it, if the program destroyed it */
} VtrGapidClass;

/* An object of the state. */
typedef struct
{
  const VtrGapidClass *klass;
  VtrGapidValue *value;
  guint64 handle;
  guint64 device; /* that it belongs to; 0 for those of an instance */
  enum
  {
    VTR_GAPID_NEW,
    VTR_GAPID_BUSY, /* being made: an object that needs it now is part of a cycle */
    VTR_GAPID_MADE,
    VTR_GAPID_DROPPED,
  } status;
  gboolean live; /* still there when the recording began */
} VtrGapidObject;

struct _VtrGapidBuilder
{
  VtrGapidInitial *out;
  VtrGapidValue *state;
  VtrArena graph; /* of the state */
  VtrArena arena; /* of the call being made */
  VtrGapidFiller filler;
  GHashTable *objects; /* VtrGapidValue → VtrGapidObject (owned) */
  GHashTable *live;    /* VtrGapidKey → VtrGapidObject */
  GPtrArray *made;     /* VtrGapidObject that are not live, in the order they were made */
  GHashTable *pools;   /* guint32 → GArray of VtrGapidPoolPart */
  GHashTable *notes;   /* sentence → count */
  GPtrArray *order;    /* those sentences in the order they came up */
  VtrGapidReadResource read;
  gpointer read_data;
  guint64 next_handle; /* of what only the restoring needs */
  const char *why;     /* of the last failure */
  guint depth;
  GArray *scratch; /* of vtr-gapid-work.c, while it lists barriers */
  guint64 level;   /* of the command buffers that are being recorded */
};

typedef struct
{
  guint32 type;
  guint64 handle;
} VtrGapidKey;

/* ---- vtr-gapid-initial.c ---- */

/* Appends a call; @args: VtrArgs_… in native layout. */
void vtr_gapid_emit (VtrGapidBuilder *self,
                     VtrCmdId         id,
                     const void      *args);

/* Notes something that cannot be restored; equal notes are counted. */
void vtr_gapid_note (VtrGapidBuilder *self,
                     const char *format,
                     ...) G_GNUC_PRINTF (2, 3);

/* The live object of this value; made if need be. Returns: NULL when there is none. */
VtrGapidObject *vtr_gapid_find (VtrGapidBuilder *self,
                                VtrHandleId      type,
                                guint64          handle);
gboolean vtr_gapid_is_made (VtrGapidBuilder *self,
                            VtrHandleId      type,
                            guint64          handle);

/* The handle of a reference's object, made if need be; 0 when it cannot be. */
guint64 vtr_gapid_handle_of (VtrGapidBuilder *self,
                             VtrHandleId      type,
                             VtrGapidValue   *object);

/* Objects of one class, in the order of the state. Call with each that was made. */
typedef void (*VtrGapidEach) (VtrGapidBuilder *self,
                              VtrGapidObject *object);
void vtr_gapid_each (VtrGapidBuilder *self,
                     VtrHandleId      type,
                     VtrGapidEach     func);

/* A handle that the trace does not have. */
guint64 vtr_gapid_new_handle (VtrGapidBuilder *self);

/* Whether every handle in the arguments was made. */
gboolean vtr_gapid_knows_handles (VtrGapidBuilder *self,
                                  VtrCmdId         id,
                                  void            *args);

#define VTR_GAPID_HANDLE(type, value) ((type)(gsize)(value))
#define VTR_GAPID_BITS(handle) ((guint64)(gsize)(handle))

/* ---- vtr-gapid-objects.c ---- */

extern const VtrGapidClass vtr_gapid_classes[];
extern const guint vtr_gapid_n_classes;

/* The device that an object belongs to. */
VkDevice vtr_gapid_take_device (VtrGapidBuilder *self,
                                VtrGapidValue   *object);

/* A structure in the arena with its sType, filled from @from (nullable). */
void *vtr_gapid_new_struct (VtrGapidBuilder *self,
                            VtrStructId      id,
                            VtrGapidValue   *from);

/* Puts a structure filled from @from in front of the chain of @head; both nullable. */
void vtr_gapid_chain (VtrGapidBuilder *self,
                      void            *head,
                      VtrStructId      id,
                      VtrGapidValue   *from);

/* The call of a vkCreate… of a device. Returns: FALSE when something was missing. */
gboolean vtr_gapid_emit_create (VtrGapidBuilder *self,
                                VtrCmdId         id,
                                VtrGapidValue   *object,
                                void            *info,
                                guint64          handle);

/* ---- vtr-gapid-roots.c ---- */

gboolean vtr_gapid_make_instance (VtrGapidBuilder *self,
                                  VtrGapidValue   *object,
                                  guint64          handle);
gboolean vtr_gapid_make_physical_device (VtrGapidBuilder *self,
                                         VtrGapidValue   *object,
                                         guint64          handle);
gboolean vtr_gapid_make_device (VtrGapidBuilder *self,
                                VtrGapidValue   *object,
                                guint64          handle);
gboolean vtr_gapid_make_queue (VtrGapidBuilder *self,
                               VtrGapidValue   *object,
                               guint64          handle);
gboolean vtr_gapid_make_surface (VtrGapidBuilder *self,
                                 VtrGapidValue   *object,
                                 guint64          handle);
gboolean vtr_gapid_make_swapchain (VtrGapidBuilder *self,
                                   VtrGapidValue   *object,
                                   guint64          handle);

/* ---- vtr-gapid-work.c ---- */

/* Layouts, signalled semaphores and events, acquired images, queries. */
void vtr_gapid_work_all (VtrGapidBuilder *self);

/* ---- vtr-gapid-recordings.c ---- */

/* Descriptor sets' contents. */
void vtr_gapid_write_descriptors (VtrGapidBuilder *self);

/* Command buffers that may be submitted. */
void vtr_gapid_record_all (VtrGapidBuilder *self);

/* ---- vtr-gapid-memory.c ---- */

/* Binds buffers and images to their memory; sparse ones too. */
void vtr_gapid_bind_all (VtrGapidBuilder *self);

/* Maps what was mapped. */
void vtr_gapid_map_all (VtrGapidBuilder *self);

/* A queue of @device: the one that @preferred is, or any whose family can do @flags. NULL: none. */
VkQueue vtr_gapid_find_queue (VtrGapidBuilder *self,
                              guint64          device,
                              VtrGapidValue   *preferred,
                              VkQueueFlags     flags,
                              guint32         *family);

/* Content of memory and images. */
void vtr_gapid_add_contents (VtrGapidBuilder *self);

/* The whole content of a slice, without gaps; NULL when some of it was not recorded. */
const guint8 *vtr_gapid_read_slice (VtrGapidBuilder     *self,
                                    const VtrGapidValue *slice,
                                    gsize               *size);

G_END_DECLS
