/* The Vulkan objects that a request created, and functions that act on them: objects by handle and
 * in order of creation, and a table of functions for each instance and device.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-replayer-api.h"
#include "vtr-thunks.h"
#include "vtr-vk-object-info.h"

#include "api/vtr-api-types.h"

typedef struct VtrReplayVk VtrReplayVk;
typedef struct VtrReplayObject VtrReplayObject;
typedef struct VtrTable VtrTable;
typedef struct VtrVirtualSwapchain VtrVirtualSwapchain;
typedef struct VtrSave VtrSave;

/* Handles as the machine's 64-bit values. */
#if defined(__LP64__) || defined(_WIN64)
#define VTR_HANDLE_FROM(type, value) ((type)(uintptr_t)(value))
#define VTR_HANDLE_BITS(handle) ((uint64_t)(uintptr_t)(handle))
#else
/* Handles that do not dispatch are numbers here. */
#define VTR_HANDLE_FROM(type, value) ((type)(value))
#define VTR_HANDLE_BITS(handle) ((uint64_t)(handle))
#endif

/* Functions of an instance (with its physical devices) or of a device (with queues and command
 * buffers). */
struct VtrTable
{
  VtrTable *next;
  VkInstance instance;
  VkPhysicalDevice physical; /* of a device */
  VkDevice device;           /* NULL: an instance */
  VtrTable *parent;          /* instance's table, of a device */
  uint32_t api_version;      /* what instance and device may be used as */
  VtrParkedInstance *parked; /* of an instance: what it becomes in the end */
  VkPhysicalDeviceMemoryProperties memory;
  uint64_t atom;              /* nonCoherentAtomSize */
  bool emulates_push;         /* the trace pushes descriptors, and the driver cannot */
  uint64_t host_import_unit;  /* minImportedHostPointerAlignment; 0: memory is not imported */
  bool maintenance9;          /* the feature is switched on */
  bool opaque;                /* opaque addresses are given back to it (vtr-opaque.h) */
  bool has_way;               /* it was tried whether they are */
  bool opaque_structures;     /* opaque addresses of acceleration structures are given back to it */
  bool mixes_groups;          /* shader groups with handles of the capture can come after others */
  bool has_plain_groups;      /* others have come */
  uint32_t group_handle_size; /* of what is given back to shader groups; 0: nothing is */
  VkQueueFamilyProperties *families;
  uint32_t n_families;
  uint32_t *queue_families; /* those the device was created with */
  VkDeviceQueueCreateFlags *queue_flags;
  uint32_t n_queue_families;
  VtrUtility utility;
  struct VtrChunk *chunks;                             /* allocations of our own choice (vtr-heap.h), linked by .next */
  PFN_vkVoidFunction functions[VTR_VULKAN_N_COMMANDS]; /* resolved when first called */
};

struct VtrReplayObject
{
  VtrHandleId type;
  bool journaled;  /* to be destroyed at the end */
  uint64_t serial; /* grows with every object */
  uint64_t handle;
  uint64_t parent; /* first argument of the creating call */
  uint64_t pool;
  VtrTable *table; /* whose functions act on it */
  union
  {
    VtrMemoryInfo memory;
    VtrBufferInfo buffer;
    VtrReplayImage image;
    uint32_t queue_family;
    VtrSemaphoreInfo semaphore;
    VtrEventInfo event;
    VtrCommandsInfo commands;
    bool replayable; /* of pipelines: their shader groups can be given handles again */
    /* Of layouts and templates for pushed descriptors (vtr-vk-push.c); owned. */
    struct VtrPushLayout *push_layout;
    struct VtrPushSets *push_sets;
    struct VtrPushTemplate *push_template;
    VtrVirtualSwapchain *swapchain;
  } info;
  VtrReplayObject *older; /* in order of creation */
  VtrReplayObject *newer;
  VtrReplayObject *chain; /* in its bucket */
};

/* The handle last looked up, by kind of dispatchable handle. */
typedef struct
{
  uint64_t handle;
  VtrTable *table;
} VtrLastOwner;

struct VtrReplayVk
{
  VtrVm *vm;
  VtrReplayerHost host;
  /* Ends what the other parts know of an object, or of a table, that is about to be freed. */
  void (*forget_object) (VtrReplayVk *vk, VtrReplayObject *object);
  void (*forget_table) (VtrReplayVk *vk, VtrTable *table);
  void *library; /* of the loader; NULL until first needed */
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  VtrParkedInstance *parked; /* of the last request */
  VkInstance describer;      /* for vtr-describe.h; VK_NULL_HANDLE: none */
  VtrInstanceOffers offers;
  uint32_t flags; /* of the request */
  char driver[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  uint64_t n_fakes;
  uint64_t next_address; /* where the next allocation is to lie; 0: anywhere */
  VtrOpaque next_opaque;
  VtrReplayGroupHandles next_groups;
  uint64_t n_addresses;    /* that were found to be as captured in this request */
  uint64_t n_groups;       /* handles of shader groups that were found to be as captured */
  uint64_t n_other_groups; /* handles of shader groups that were found to differ */
  VtrEdgePage *edge_pages;
  size_t n_edge_pages;
  VtrScatter *next_scatter; /* what the next allocation becomes; NULL: an ordinary one */
  VtrLastOwner last[5];
  VtrSave *save; /* NULL: no state is kept */
  VtrSerialised serialised;
  uint64_t next_serial;
  bool has_events;                /* the request made some */
  bool has_pushes;                /* a command buffer has descriptors pushed */
  struct VtrBlockedWait *blocked; /* waits that nothing submitted so far will satisfy */
  size_t n_blocked;
  size_t max_blocked;
  VtrTable *tables; /* linked by .next */
  VtrReplayObject **buckets;
  size_t n_buckets; /* 0 or a power of two */
  size_t n_objects;
  VtrReplayObject *newest;
  VtrReplayObject *oldest;
  VtrVmFunction functions[VTR_VULKAN_N_COMMANDS];
  VtrVmFunction synthetics[VTR_N_SYNTHETICS];
};

/* --- Objects --------------------------------------------------------------------------------- */

/* Notes an object the request must not leave behind. @handle 0 is ignored. Returns: NULL for 0, or
 * after vtr_vm_fail(). */
VtrReplayObject *vtr_objects_created (VtrReplayVk *vk,
                                      VtrHandleId  type,
                                      uint64_t     handle,
                                      uint64_t     parent,
                                      uint64_t     pool);

/* Notes an object that is never destroyed (queues, physical devices); may be called again. */
VtrReplayObject *vtr_objects_seen (VtrReplayVk *vk,
                                   VtrHandleId  type,
                                   uint64_t     handle,
                                   uint64_t     parent,
                                   uint64_t     pool);

/* Forgets an object, and what lives in it. */
void vtr_objects_destroying (VtrReplayVk *vk,
                             VtrHandleId  type,
                             uint64_t     handle);

/* Forgets everything whose functions are @table's. */
void vtr_objects_forget_table (VtrReplayVk    *vk,
                               const VtrTable *table);

/* Returns: the object, or NULL. */
VtrReplayObject *vtr_objects_find (VtrReplayVk *vk,
                                   VtrHandleId  type,
                                   uint64_t     handle);

/* Like vtr_objects_find(), but NULL comes after vtr_vm_fail(). */
VtrReplayObject *vtr_objects_need (VtrReplayVk *vk,
                                   VtrHandleId  type,
                                   uint64_t     handle);

/* Whether a list of @n elements is there: a trace may lack elements that it counts. Returns: false
 * after vtr_vm_fail(). */
static inline bool
vtr_replay_vk_has (VtrReplayVk *vk,
                   uint32_t     n,
                   const void  *list,
                   const char  *name)
{
  if (__builtin_expect (n == 0 || list != NULL, true))
    return true;
  vtr_vm_fail (vk->vm, VTR_VM_ERROR_TRACE, "The trace lacks %s of this call.", name);
  return false;
}

/* Like vtr_replay_vk_has (), for names. */
bool vtr_replay_vk_has_names (VtrReplayVk        *vk,
                              uint32_t            n,
                              const char  *const *names);

/* The place to which our own functions may write a result of @size bytes: @to, checked to lie in
 * the machine's memory. Returns: NULL after vtr_vm_fail(). */
void *vtr_replay_vk_output (VtrReplayVk *vk,
                            const void  *to,
                            uint64_t     size);

/* Writes a handle of the replayer to @to; fails the machine if nothing may be written there. */
void vtr_objects_fake (VtrReplayVk *vk,
                       uint64_t     to);

/* Destroys the remaining objects, newest first, down to those with a smaller serial than @serial.
 * The devices have finished all submitted work. */
void vtr_objects_destroy_since (VtrReplayVk *vk,
                                uint64_t     serial);

/* The object has another handle now. */
void vtr_objects_rename (VtrReplayVk     *vk,
                         VtrReplayObject *object,
                         uint64_t         handle);

/* --- Tables ---------------------------------------------------------------------------------- */

VtrTable *vtr_table_create (VtrReplayVk *vk);
void vtr_table_destroy (VtrReplayVk *vk,
                        VtrTable    *table);

/* The function of a command, under any of its names; NULL when there is none. */
PFN_vkVoidFunction vtr_table_get (VtrReplayVk *vk,
                                  VtrTable    *table,
                                  VtrCmdId     cmd);

/* Like vtr_table_get(), but NULL comes after vtr_vm_fail(). */
PFN_vkVoidFunction vtr_table_need (VtrReplayVk *vk,
                                   VtrTable    *table,
                                   VtrCmdId     cmd);

/* Waits until a device has finished all submitted work. Returns: false after
 * vtr_replay_vk_failed(), so that a lost device is reported at the command that finds it lost, and
 * not by a later wait that never ends. */
bool vtr_table_wait (VtrReplayVk *vk,
                     VtrTable    *table);

/* Sets vk->last[@slot] for @handle. Returns: its table, or NULL after vtr_vm_fail(). */
VtrTable *vtr_table_look_up (VtrReplayVk *vk,
                             unsigned     slot,
                             VtrHandleId  type,
                             uint64_t     handle);

/* Loads the loader. Returns: false after vtr_vm_fail(). */
bool vtr_replay_vk_load (VtrReplayVk *vk);

/* A function without object; NULL after vtr_vm_fail(). */
PFN_vkVoidFunction vtr_thunk_find_global (VtrReplayVk *vk,
                                          VtrCmdId     cmd);

static inline unsigned
vtr_table_slot (VtrHandleId type)
{
  switch (type)
    {
    case VTR_HANDLE_VkCommandBuffer:
      return 0;
    case VTR_HANDLE_VkDevice:
      return 1;
    case VTR_HANDLE_VkQueue:
      return 2;
    case VTR_HANDLE_VkPhysicalDevice:
      return 3;
    default:
      return 4;
    }
}

static inline VtrTable *
vtr_table_of (VtrReplayVk *vk,
              VtrHandleId  type,
              uint64_t     handle)
{
  const VtrLastOwner *last = &vk->last[vtr_table_slot (type)];

  if (__builtin_expect (last->handle == handle, 1) && handle != 0)
    return last->table;
  return vtr_table_look_up (vk, vtr_table_slot (type), type, handle);
}

/* The function of a command for @handle, checked to be a live object of @type. Returns: NULL
 * after vtr_vm_fail(). */
static inline PFN_vkVoidFunction
vtr_thunk_find (VtrReplayVk *vk,
                VtrHandleId  type,
                uint64_t     handle,
                VtrCmdId     cmd)
{
  VtrTable *table = vtr_table_of (vk, type, handle);

  if (__builtin_expect (table == NULL, 0))
    return NULL;
  if (__builtin_expect (table->functions[cmd] != NULL, 1))
    return table->functions[cmd];
  return vtr_table_need (vk, table, cmd);
}

static inline VtrTable *
vtr_device_table (VtrReplayVk *vk,
                  VkDevice     device)
{
  return vtr_table_of (vk, VTR_HANDLE_VkDevice, VTR_HANDLE_BITS (device));
}

/* Calls a core command that every driver has. */
#define VTR_CALL(vk, table, name) ((PFN_##name)vtr_table_get (vk, table, VTR_CMD_##name))

/* Whether a VkResult says that a call failed, as VtrVmFunctions.judge () does. */
VtrVmErrorCode vtr_vulkan_judge (uint32_t  function,
                                 uint64_t  result,
                                 char     *text,
                                 size_t    size);

/* Notes a failed call of the replayer itself. Returns: false, for convenience. */
bool vtr_replay_vk_failed (VtrReplayVk *vk,
                           const char  *what,
                           VkResult     result);

/* --- pNext chains ---------------------------------------------------------------------------- */

/* Returns: the struct of type @s_type in the chain @next, or NULL. Chains end after 64 links, so
 * that a ring in a payload does not hang us. */
const void *vtr_chain_find (const void      *next,
                            VkStructureType  s_type);

/* Removes the structures of the @n types from the chain that starts at @next. The structures
 * before them are changed in place, because they are in the machine's memory and are written
 * again for every call. */
void vtr_chain_remove (const void            **next,
                       const VkStructureType  *s_types,
                       size_t                  n);

__attribute__ ((format (printf, 3, 4))) void vtr_replay_vk_message (VtrReplayVk *vk,
                                                                    VtrLogLevel level,
                                                                    const char *format,
                                                                    ...);
