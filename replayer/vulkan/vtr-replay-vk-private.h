/* What the parts of the replayer's Vulkan side share.
 *
 * Threading: one at a time. */
#pragma once

#include "vtr-replay-vk.h"
#include "vtr-thunks.h"

#include "api/vtr-api-types.h"
#include "api/vtr-vulkan.h"
#include "base/vtr-buffer.h"

typedef struct VtrReplayObject VtrReplayObject;
typedef struct VtrTable VtrTable;
typedef struct VtrVirtualSwapchain VtrVirtualSwapchain;
typedef struct VtrScatter VtrScatter;
typedef struct VtrBlock VtrBlock;
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

/* An instance outlives its request: one that wants the same needs not make it anew, and the
 * drivers stay loaded. It has no state that a request could leave behind. */
typedef struct
{
  VkInstance instance;
  VkDebugUtilsMessengerEXT messenger;
  VtrBuffer key; /* what it was created from */
} VtrParkedInstance;

/* NULL until first asked for. */
typedef struct
{
  VkLayerProperties *layers;
  uint32_t n_layers;
  VkExtensionProperties *extensions;
  uint32_t n_extensions;
} VtrInstanceOffers;

/* Our own things on a device: a queue to work with and memory to read through. Made when first
 * needed. */
typedef struct
{
  VkQueue queue; /* of the family .family */
  uint32_t family;
  VkCommandPool pool; /* of .pool_family */
  uint32_t pool_family;
  VkCommandBuffer commands;
  VkFence fence;
  VkBuffer staging;
  VkDeviceMemory staging_memory;
  uint64_t staging_size;
  uint8_t *staging_map;
  bool staging_coherent;
} VtrUtility;

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
  bool opaque_structures;     /* likewise addresses of acceleration structures */
  bool mixes_groups;          /* shader groups with handles of the capture can come after others */
  bool has_plain_groups;      /* others have come */
  uint32_t group_handle_size; /* of what is given back to shader groups; 0: nothing is */
  VkQueueFamilyProperties *families;
  uint32_t n_families;
  uint32_t *queue_families; /* those the device was created with */
  VkDeviceQueueCreateFlags *queue_flags;
  uint32_t n_queue_families;
  VtrUtility utility;
  struct VtrChunk *chunks;                     /* allocations of our own choice (vtr-heap.h), linked by .next */
  PFN_vkVoidFunction functions[VTR_CMD_COUNT]; /* resolved when first called */
};

/* Memory of our own that a driver uses (vtr-fixed-address.h). */
typedef struct
{
  void *at;      /* NULL: none */
  size_t size;   /* whole pages */
  size_t page;   /* as the driver imports them */
  uint64_t bias; /* the captured memory begins so many bytes behind .at */
} VtrFixedAddress;

/* What the next allocation, buffer or acceleration structure is to get back (vtr-opaque.h). */
typedef struct
{
  bool wanted;
  uint64_t address; /* 0: the driver said none */
} VtrOpaque;

/* The same of the groups of the next pipelines. */
typedef struct
{
  bool wanted;
  uint32_t size;    /* of one */
  uint64_t n_bytes; /* 0: none are known */
  uint8_t *bytes;   /* owned */
} VtrReplayGroupHandles;

/* Pages that places begin and end with: neighbours share them. */
typedef struct
{
  uintptr_t at;
  unsigned n_users;
} VtrEdgePage;

typedef struct
{
  uint64_t size;
  uint32_t type; /* index */
  VtrFixedAddress place;
  uint8_t *map; /* whole; NULL until first needed */
  bool dedicated;
  VtrScatter *scatter; /* NULL: an allocation of the driver's; .type is nothing then */
} VtrMemoryInfo;

typedef struct
{
  uint64_t size;
  uint64_t usage;  /* VkBufferUsageFlags, or its wider form */
  uint64_t memory; /* .serial of the driver's that it is bound to; 0: none */
  uint64_t offset; /* in .memory */
  VtrBlock *block; /* where it lies in scattered memory; NULL: elsewhere */
} VtrBufferInfo;

#define VTR_MAX_PLANES 4

typedef struct
{
  VkImageUsageFlags usage;
  VkImageCreateFlags flags;
  VkImageTiling tiling;
  VkFormat format;
  VkExtent3D extent;
  uint32_t mips;
  uint32_t layers;
  VkSampleCountFlagBits samples;
  bool slices;                      /* each slice has a layout of its own */
  VtrBlock *blocks[VTR_MAX_PLANES]; /* of a disjoint image one for each plane, else the first */
  VtrReplayLinearLayout *layouts;   /* of a linear image in the capture; owned */
  uint32_t n_layouts;
} VtrReplayImage;

/* What the queues will have done to a semaphore once all that was submitted has run. */
typedef struct
{
  bool timeline;
  bool signaled;  /* binary */
  uint64_t reach; /* timeline: largest value that somebody will signal */
} VtrSemaphoreInfo;

/* What the device will have done to an event once all that was submitted has run. */
typedef struct
{
  bool set;
  uint64_t n_resets; /* so far */
  bool was_set;      /* before a reset */
} VtrEventInfo;

/* What was recorded into a command buffer. */
typedef struct
{
  struct VtrEventActs *acts; /* vtr-vk-events.c; owned */
  struct VtrPushes *pushes;  /* vtr-vk-push.c; owned */
} VtrCommandsInfo;

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

/* Parts of what an acceleration structure was serialised to (vtr-write-structure.c). */
typedef struct
{
  uint8_t *bytes; /* owned */
  uint64_t structure;
  uint64_t size, filled;
} VtrSerialised;

struct VtrReplayVk
{
  VtrVm *vm;
  VtrReplayVkHost host;
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
  uint64_t n_groups;       /* handles of shader groups, likewise */
  uint64_t n_other_groups; /* those that were found to be others */
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
  VtrVmFunction functions[VTR_CMD_COUNT];
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

/* Notes an object that nobody destroys (queues, physical devices); again is no harm. */
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

/* Whether a list of @n that we look into is there: a trace may lack what it counts. Returns: false
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

/* The same, of names. */
bool vtr_replay_vk_has_names (VtrReplayVk        *vk,
                              uint32_t            n,
                              const char  *const *names);

/* Where our own functions may write a result of @size bytes: @to, checked to lie in the machine's
 * memory. Returns: NULL after vtr_vm_fail(). */
void *vtr_replay_vk_output (VtrReplayVk *vk,
                            const void  *to,
                            uint64_t     size);

/* Writes a handle of our own to @to; fails the machine where that may not be written. */
void vtr_objects_fake (VtrReplayVk *vk,
                       uint64_t     to);

/* Destroys what is left, newest first. */
void vtr_objects_destroy_all (VtrReplayVk *vk);

/* The same down to those with a smaller serial than @serial. Returns: whether the devices did all
 * before. */
bool vtr_objects_destroy_since (VtrReplayVk *vk,
                                uint64_t     serial);

/* The object has another handle now. */
void vtr_objects_rename (VtrReplayVk     *vk,
                         VtrReplayObject *object,
                         uint64_t         handle);

/* Until all devices have done all that was submitted. Returns: false after vtr_vm_fail(). */
bool vtr_objects_wait_for_devices (VtrReplayVk *vk);

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

/* Waits until a device has done all that was submitted. Returns: false after
 * vtr_replay_vk_failed(): a device that is lost is told with the command that finds it so, and not
 * by a later wait that never ends. */
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

/* --- Memory ---------------------------------------------------------------------------------- */

/* Maps @memory whole, once. Returns: its first byte, or NULL after vtr_vm_fail(). */
uint8_t *vtr_memory_map (VtrReplayVk     *vk,
                         VtrReplayObject *memory);

bool vtr_memory_is_host_visible (const VtrReplayObject *memory);

/* Makes @size bytes at @offset visible to the other side, where memory is not coherent. */
VkResult vtr_memory_flush (VtrReplayVk     *vk,
                           VtrReplayObject *memory,
                           uint64_t         offset,
                           uint64_t         size);
VkResult vtr_memory_invalidate (VtrReplayVk     *vk,
                                VtrReplayObject *memory,
                                uint64_t         offset,
                                uint64_t         size);

/* Index of a memory type of @bits that has @wanted, preferably also @liked; UINT32_MAX: none. */
uint32_t vtr_memory_find_type (const VtrTable        *table,
                               uint32_t               bits,
                               VkMemoryPropertyFlags  wanted,
                               VkMemoryPropertyFlags  liked);

/* --- Our own work on a device ---------------------------------------------------------------- */

/* A queue that can copy. Returns: false after vtr_vm_fail(). */
bool vtr_utility_queue (VtrReplayVk *vk,
                        VtrTable    *table);

/* Starts recording for @queue (0: our own). Returns: NULL after vtr_vm_fail(). */
VkCommandBuffer vtr_utility_begin (VtrReplayVk *vk,
                                   VtrTable    *table,
                                   uint64_t     queue);

/* Submits what was recorded and waits. Returns: false after vtr_vm_fail(). */
bool vtr_utility_run (VtrReplayVk *vk,
                      VtrTable    *table,
                      uint64_t     queue);

/* Makes the staging buffer at least @size bytes large. Returns: false after vtr_vm_fail(). */
bool vtr_utility_stage (VtrReplayVk *vk,
                        VtrTable    *table,
                        uint64_t     size);

/* Makes what we wrote to the staging buffer visible to the device. */
bool vtr_utility_deliver (VtrReplayVk *vk,
                          VtrTable    *table);

/* Makes what the device wrote to the staging buffer visible to us. */
bool vtr_utility_collect (VtrReplayVk *vk,
                          VtrTable    *table);

void vtr_utility_finish (VtrReplayVk *vk,
                         VtrTable    *table);

/* Notes a failed call of our own. Returns: false, for convenience. */
bool vtr_replay_vk_failed (VtrReplayVk *vk,
                           const char  *what,
                           VkResult     result);

/* --- pNext chains ---------------------------------------------------------------------------- */

/* Returns: the struct of type @s_type in the chain @next, or NULL. Chains end after 64 links, so
 * that a ring in a payload does not hang us. */
const void *vtr_chain_find (const void      *next,
                            VkStructureType  s_type);

/* Takes structs of the @n types out of the chain that starts at @next. The structs before them
 * are changed in place: they lie in the machine's memory and are written anew for every call. */
void vtr_chain_remove (const void            **next,
                       const VkStructureType  *s_types,
                       size_t                  n);

__attribute__ ((format (printf, 3, 4))) void vtr_replay_vk_message (VtrReplayVk *vk,
                                                                    VtrLogLevel level,
                                                                    const char *format,
                                                                    ...);

/* Our callback for VK_EXT_debug_utils, with the VtrReplayVk as user data. */
VKAPI_ATTR VkBool32 VKAPI_CALL vtr_replay_vk_debug (VkDebugUtilsMessageSeverityFlagBitsEXT      severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT             types,
                                                    const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                    void                                       *user);

/* --- Swapchains ------------------------------------------------------------------------------ */

/* Destroys the images of @object's swapchain. */
void vtr_virtual_swapchain_finish (VtrReplayVk     *vk,
                                   VtrReplayObject *object);

/* Memory of one of its images. Returns: VK_NULL_HANDLE when there is no such image. */
VkDeviceMemory vtr_virtual_swapchain_memory (VtrReplayVk    *vk,
                                             VkSwapchainKHR  swapchain,
                                             uint32_t        image);

/* Device memory of image @nth. Returns: false when there are not so many. */
bool vtr_virtual_swapchain_get_memory (const VtrReplayObject *object,
                                       uint32_t               nth,
                                       VkDeviceMemory        *memory,
                                       uint64_t              *size);

/* Maps it whole, once. Returns: NULL where that cannot be. */
uint8_t *vtr_virtual_swapchain_map (VtrReplayVk     *vk,
                                    VtrReplayObject *object,
                                    uint32_t         nth);

/* --- Pushed descriptors ---------------------------------------------------------------------- */

/* A command buffer is recorded anew. */
void vtr_push_restart (VtrReplayVk     *vk,
                       VtrReplayObject *commands);

/* Frees what is known of an object, before its device ends. */
void vtr_push_forget (VtrReplayVk     *vk,
                      VtrReplayObject *object);

/* --- Kept state ------------------------------------------------------------------------------ */

/* Forgets the kept state; what it holds lives on as the request's own. */
void vtr_save_drop (VtrReplayVk *vk);

/* The object is destroyed for good: nothing goes back to a state that had it. */
void vtr_save_lost (VtrReplayVk           *vk,
                    const VtrReplayObject *object);

/* --- Synthetic functions --------------------------------------------------------------------- */

extern const VtrVmCall vtr_synthetics[VTR_N_SYNTHETICS];

uint64_t vtr_synthetic_get_physical_device (void *context, const uint64_t *args);
uint64_t vtr_synthetic_acquire (void *context, const uint64_t *args);
uint64_t vtr_synthetic_present (void *context, const uint64_t *args);
uint64_t vtr_synthetic_wait_event (void *context, const uint64_t *args);
uint64_t vtr_synthetic_write_memory (void *context, const uint64_t *args);
uint64_t vtr_synthetic_read_image (void *context, const uint64_t *args);
uint64_t vtr_synthetic_read_buffer (void *context, const uint64_t *args);
uint64_t vtr_synthetic_read_memory (void *context, const uint64_t *args);
uint64_t vtr_synthetic_scatter_memory (void *context, const uint64_t *args);
uint64_t vtr_synthetic_linear_layout (void *context, const uint64_t *args);
uint64_t vtr_synthetic_save (void *context, const uint64_t *args);
uint64_t vtr_synthetic_mark (void *context, const uint64_t *args);
uint64_t vtr_synthetic_go_to_mark (void *context, const uint64_t *args);
uint64_t vtr_synthetic_forget_mark (void *context, const uint64_t *args);
/* Enables what the engine's own queries need and the device offers. @features: where to put them if
 * @info has none. */
void vtr_queries_enable (VtrReplayVk              *vk,
                         VtrTable                 *table,
                         VkPhysicalDevice          physical,
                         VkDeviceCreateInfo       *info,
                         VkPhysicalDeviceFeatures *features);
uint64_t vtr_synthetic_reset_queries (void *context, const uint64_t *args);
uint64_t vtr_synthetic_read_queries (void *context, const uint64_t *args);
uint64_t vtr_synthetic_read_clock (void *context, const uint64_t *args);
uint64_t vtr_synthetic_settle (void *context, const uint64_t *args);
uint64_t vtr_synthetic_write_image (void *context, const uint64_t *args);
uint64_t vtr_synthetic_write_structure (void *context, const uint64_t *args);
void vtr_serialised_finish (VtrSerialised *self);
uint64_t vtr_synthetic_back_image (void *context, const uint64_t *args);

/* Returns: a buffer of our own over the whole of @memory, to be destroyed; VK_NULL_HANDLE where memory of
 * this type, or made for one resource, takes none. */
VkBuffer vtr_memory_cover (VtrReplayVk           *vk,
                           const VtrReplayObject *memory);

/* Fills fresh memory with VTR_POISON_BYTE where that is possible. */
#define VTR_POISON_BYTE 0xa5
void vtr_poison_memory (VtrReplayVk     *vk,
                        VtrReplayObject *memory);

/* The barriers to the layout in which @read's image is copied from, and back. */
void vtr_read_barrier (VtrReplayVk              *vk,
                       VtrTable                 *table,
                       VkCommandBuffer           commands,
                       const VtrReplayReadImage *read,
                       VkImageLayout             layout,
                       bool                      back);

/* Reads one sample, or sample 0 of depth and stencil, through a shader. Returns: false after
 * vtr_vm_fail(). */
bool vtr_read_sample (VtrReplayVk              *vk,
                      VtrTable                 *table,
                      const VtrReplayReadImage *read,
                      uint64_t                  size);

/* Writes bytes to memory that cannot be mapped. */
bool vtr_memory_write_by_device (VtrReplayVk     *vk,
                                 VtrReplayObject *memory,
                                 uint64_t         offset,
                                 const void      *source,
                                 uint64_t         size);

/* Fills rows of one sample of a multisampled image from the staging buffer. */
bool vtr_write_sample (VtrReplayVk               *vk,
                       VtrTable                  *table,
                       const VtrReplayWriteImage *write,
                       const VtrReplayImage      *image);
