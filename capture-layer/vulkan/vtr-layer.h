/* The layer's data about the application's Vulkan objects, and how trampolines find it.
 *
 * Trampolines are generated (gen/emit_trampolines.py); this is what they stand on. Handles are never
 * wrapped: objects are found by handle or, for all that share a loader dispatch table, by its address.
 *
 * Threading: look-ups are lock-free (vtr-layer-map.h). */
#pragma once

#include "api/vtr-api-args.h"
#include "api/vtr-api-dispatch.h"
#include "api/vtr-api-env.h"
#include "api/vtr-api-ids.h"
#include "vtr-capture-core.h"
#include "vtr-layer-batch.h"
#include "vtr-layer-map.h"
#include "vtr-layer-members.h"
#include "vtr-layer-memory.h"
#include "vtr-layer-transport.h"

#include <vulkan/vk_layer.h>

typedef struct VtrLayerInstance VtrLayerInstance;
typedef struct VtrLayerDevice VtrLayerDevice;
typedef struct VtrLayerCommandPool VtrLayerCommandPool;
typedef struct VtrLayerCommandBuffer VtrLayerCommandBuffer;
typedef struct VtrLayerWorld VtrLayerWorld;
typedef struct VtrLayerPicture VtrLayerPicture;

/**
 * VtrLayerInstance:
 *
 * A VkInstance of the application. Created and destroyed with it.
 */
struct VtrLayerInstance
{
  VtrNamespace names;
  VtrInstanceDispatch next;
  VkInstance handle;
  PFN_vkGetInstanceProcAddr get_proc_addr;
  PFN_GetPhysicalDeviceProcAddr get_physical_proc_addr; /* NULL with old loaders */
  uint32_t api_version;                                 /* VkApplicationInfo.apiVersion, or 1.0 */
  char *extensions;                                     /* enabled, separated by NUL, ended by two */
  VtrLayerWorld *live;                                  /* NULL: nothing is followed */
};

/**
 * VtrLayerDevice:
 *
 * A VkDevice of the application. Created and destroyed with it.
 */
struct VtrLayerDevice
{
  VtrNamespace names; /* .env.data is this device */
  VtrDeviceDispatch next;
  VkDevice handle;
  VkPhysicalDevice physical;
  VtrLayerInstance *instance;
  bool address_replay;        /* the layer has switched on bufferDeviceAddressCaptureReplay */
  bool structure_replay;      /* the layer has switched on accelerationStructureCaptureReplay */
  bool maintenance9;          /* the program switched the feature on */
  uint32_t group_handle_size; /* of what gives shader groups their handles back; 0: nothing does */
  VtrLayerMap command_pools;  /* VkCommandPool → VtrLayerCommandPool */
  VtrLayerMap templates;      /* VkDescriptorUpdateTemplate → its entries */
  VtrLayerMap render_passes;  /* VkRenderPass → what its subpasses have */
  VtrLayerMap host_images;    /* VkImage → what vtr-layer-host-copy.c knows of it */
  VtrLayerMap ray_libraries;  /* VkPipeline → what vtr-layer-rays.c knows of it */
  VtrLayerMemory memory;
  VtrLayerStaging staging;  /* kept for the next who needs one */
  VtrLayerPicture *picture; /* NULL: presented images are not copied */
  VtrLayerWorld *live;      /* NULL: nothing is followed */
};

/**
 * VtrLayerCommandBuffer:
 *
 * The application synchronises access to it, as to the VkCommandBuffer.
 */
struct VtrLayerCommandBuffer
{
  VtrLayerBatch batch;
  const VtrDeviceDispatch *next;
  VtrLayerDevice *device;
  VkCommandBuffer handle;
  VtrLayerCommandPool *pool;
  VtrLayerCommandBuffer *next_in_pool;
  VtrLayerCommandBuffer *previous_in_pool;
  bool secondary;

  /* Where recordings can begin at any frame. */
  VtrLayerEffects effects; /* what a submission changes, of the recording under way or ended */
  VtrLayerReach reach;     /* what its shaders may write to, of the recording under way or ended */
  bool one_time;           /* it may be submitted once only */
  bool executes;           /* secondaries */
  bool valid;              /* at the cut: everything that the kept block names still exists */
};

extern const VtrCaptureApi vtr_layer_vulkan_api;
extern const VtrCaptureLate vtr_layer_vulkan_late;

/* The namespace of calls that are made before there is an instance. */
extern VtrNamespace vtr_layer_process;

/* The environment of calls that no device is known for. */
extern const VtrApiEnv vtr_layer_global_env;

extern VtrLayerMap vtr_layer_instances;       /* dispatch key → VtrLayerInstance */
extern VtrLayerMap vtr_layer_devices;         /* dispatch key → VtrLayerDevice */
extern VtrLayerMap vtr_layer_command_buffers; /* VkCommandBuffer → VtrLayerCommandBuffer */

/* The first word of every dispatchable object is the loader's table of its instance or device. */
static inline uint64_t
vtr_layer_key (const void *dispatchable)
{
  return *(const uintptr_t *)dispatchable;
}

static inline VtrLayerInstance *
vtr_layer_instance (const void *dispatchable)
{
  return vtr_layer_map_get (&vtr_layer_instances, vtr_layer_key (dispatchable));
}

static inline VtrLayerDevice *
vtr_layer_device (const void *dispatchable)
{
  return vtr_layer_map_get (&vtr_layer_devices, vtr_layer_key (dispatchable));
}

static inline VtrLayerCommandBuffer *
vtr_layer_command_buffer (VkCommandBuffer handle)
{
  return vtr_layer_map_get (&vtr_layer_command_buffers, (uint64_t)(uintptr_t)handle);
}

/* Whether any of the structures in an array of @size bytes has a pNext chain. */
static inline bool
vtr_layer_has_next (const void *array,
                    size_t      size,
                    size_t      stride)
{
  for (size_t at = 0; at < size; at += stride)
    if (((const VkBaseInStructure *)(const void *)((const uint8_t *)array + at))->pNext != NULL)
      return true;
  return false;
}

/* Gives up the blocks of command buffers that are about to be reset or freed. */
void vtr_layer_abandon (uint32_t               n_command_buffers,
                        const VkCommandBuffer *command_buffers);
void vtr_layer_abandon_pool (VtrLayerDevice *device,
                             VkCommandPool   handle);
void vtr_layer_command_pools_finish (VtrLayerDevice *device);

/* A pipeline is about to be destroyed (vtr-layer-rays.c). */
void vtr_layer_forget_library (VtrLayerDevice *device,
                               VkPipeline      pipeline);

/* Has the system give pages for mapped memory of the layer's in one call: software drivers would take a fault for each
 * of them when they first write it. */
void vtr_layer_populate (const void *bytes,
                         size_t      size);

/* The trampoline of a command, or NULL (a command without one is passed through). */
PFN_vkVoidFunction vtr_layer_get_trampoline (VtrCmdId cmd);

/* Whether a call can tell the program how shaders find an image without a descriptor set that is followed: the bytes
 * of its descriptor, a handle or an address for shaders, the memory of a descriptor set. */
bool vtr_layer_gives_descriptors (VtrCmdId cmd);
