/* A Vulkan driver that answers every command of the registry and draws nothing. See README.md.
 *
 * Entries (generated) count a call, delay it, fail it or write it down as the configuration says,
 * then go to mock_do_<command> where such a function was written, else do what commands of their
 * kind do: make handles, end them, fill what the caller wants filled.
 * Shares no code with the product; the generator reads the registry by the product's reader.
 * Threading: any; one lock (mock_lock ()) for everything that is remembered. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;
typedef struct _XDisplay Display;
typedef unsigned long XID;
typedef unsigned long VisualID;
typedef XID Window;
typedef XID RROutput;
struct wl_display;
struct wl_surface;

#define VK_NO_PROTOTYPES 1
#define VK_ENABLE_BETA_EXTENSIONS 1
#include <vulkan/vulkan_core.h>

#include <vulkan/vulkan_beta.h>
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
#include <vulkan/vulkan_xlib_xrandr.h>

#define MOCK_MAX_TYPES 32
#define MOCK_MAX_FAMILIES 16
#define MOCK_MAX_GROUPS 32

/* --- Text: one line of JSON for a call ------------------------------------------------------- */

typedef struct
{
  char *bytes;
  size_t size;
  size_t room;
  bool wanted;   /* the call is written down or its handles are checked */
  bool in_chain; /* pNext is written by the code that walks the chain */
  bool first;    /* no comma before what comes next */
  void *owner;   /* whose handles these are: an instance or a device */
} MockText;

void mock_text_raw (MockText   *self,
                    const char *text);
void mock_text_key (MockText   *self,
                    const char *name);
void mock_text_open (MockText *self,
                     char      bracket);
void mock_text_close (MockText *self,
                      char      bracket);
void mock_text_comma (MockText *self);
void mock_text_unsigned (MockText *self,
                         uint64_t  value);
void mock_text_signed (MockText *self,
                       int64_t   value);
void mock_text_double (MockText *self,
                       double    value);
void mock_text_address (MockText *self,
                        uint64_t  value);
void mock_text_string (MockText   *self,
                       const char *text,
                       size_t      room);
void mock_text_bytes (MockText   *self,
                      const void *bytes,
                      uint64_t    size);

/* @checked: an unknown or destroyed handle is a violation. */
void mock_text_handle (MockText *self,
                       uint32_t  type,
                       uint64_t  value,
                       bool      checked);

/* Generated. */
void mock_dump_chain (MockText   *self,
                      const void *chain);

/* --- A call ---------------------------------------------------------------------------------- */

typedef struct
{
  unsigned cmd;
  uint64_t n; /* of this command, from 1 */
  bool forced;
  bool partly;     /* every second of the handles that it makes is null */
  VkResult result; /* .forced: what the call returns instead of being done; .partly */
  MockText text;
} MockCall;

/* Whether anything but the plain driver was asked for: a log, checks, failures, delays. */
extern int mock_watching;
extern FILE *mock_log; /* nullable */

void mock_call_begin (MockCall   *self,
                      unsigned    cmd,
                      const void *object);
void mock_call_end (MockCall *self,
                    uint64_t  result);

/* A line of its own in the log, and counted. */
void mock_violation (const char *format,
                     ...) __attribute__ ((format (printf, 1, 2)));

/* --- Objects --------------------------------------------------------------------------------- */

typedef struct MockObject MockObject;
struct MockObject
{
  uintptr_t loader;  /* dispatchable handles begin with this */
  uint32_t type;     /* VkObjectType */
  bool lost;         /* devices */
  uint64_t value;    /* the handle */
  MockObject *owner; /* instance or device; itself for these */
  MockObject *pool;
  MockObject *next;
  union
  {
    struct
    {
      uint64_t size;
      uint32_t type;
      bool imported;
      uint8_t *bytes;
      uint64_t address; /* where addresses are the driver's own */
      bool replayable;
    } memory;
    struct
    {
      uint64_t size;
      MockObject *memory;
      uint64_t offset;
      uint32_t n_layers, n_levels, texel, width, height, depth;
      bool linear;
      uint64_t opaque; /* of a buffer that is replayable; 0: it is not */
    } resource;
    struct
    {
      bool timeline;
      bool signaled;
      uint64_t value;
    } sync; /* fences, events, semaphores */
    struct
    {
      uint32_t family, index;
    } queue;
    VkQueryType queries; /* of a pool */
    struct
    {
      VkBuffer buffer;
      uint64_t offset;
      uint64_t address; /* where addresses are the driver's own */
    } structure;
    struct
    {
      bool library, replayable;
      uint32_t n;
      uint64_t groups[MOCK_MAX_GROUPS]; /* numbers; those of libraries last */
    } rays;                             /* a pipeline */
    struct
    {
      uint32_t n_images, next;
      MockObject *images[8];
    } swapchain;
    struct
    {
      uint64_t serial; /* of its handles, where devices count by themselves */
      uint32_t index;
      bool replays;                                          /* bufferDeviceAddressCaptureReplay is enabled */
      bool replays_structures, replays_groups, mixes_groups; /* and its kin for ray tracing */
    } owner_data;
    struct
    {
      MockObject *events[64]; /* that the recording sets (or resets, with the flag) at submission */
      bool set[64];
      uint32_t n_events;
    } recording;
  } u;
};

void mock_lock (void);
void mock_unlock (void);

/* @object: any dispatchable handle. Returns: its instance or device. */
MockObject *mock_owner (const void *object);

/* Returns: the handle of a new object. @pool: (nullable): it ends with this object. */
uint64_t mock_new (const void *object,
                   uint32_t    type,
                   MockObject *pool);
MockObject *mock_new_object (MockObject *owner,
                             uint32_t    type,
                             MockObject *pool);
/* Calls @each for those of @owner that are there; with the lock. */
void mock_for_each (const MockObject *owner,
                    uint32_t type,
                    void (*each) (MockObject *object, void *data),
                    void *data);
MockObject *mock_find (const void *object,
                       uint32_t    type,
                       uint64_t    value);

/* Physical devices by their number. Returns: NULL when there is none. */
MockObject *mock_next_of (const MockObject *owner,
                          uint32_t          type,
                          uint32_t          index);

/* Ends it and all objects allocated from it; VK_NULL_HANDLE is allowed. */
void mock_end (const void *object,
               uint32_t    type,
               uint64_t    value);
bool mock_is_lost (const void *object);

/* Wakes all threads that wait for a fence or semaphore; with the lock. */
void mock_wake (void);

/* With the lock. @timeout: nanoseconds. Returns: false when it has passed. */
bool mock_wait_change (uint64_t deadline);
uint64_t mock_deadline (uint64_t timeout);

/* --- Addresses ------------------------------------------------------------------------------- */

void mock_note_features (MockObject               *device,
                         const VkDeviceCreateInfo *info);

/* Chooses the address of memory. */
VkResult mock_choose_address (MockObject                 *device,
                              const VkMemoryAllocateInfo *info,
                              uint64_t                   *address,
                              bool                       *replayable);

/* *@opaque: 0 for a buffer that is not replayable. */
VkResult mock_choose_opaque (MockObject               *device,
                             const VkBufferCreateInfo *info,
                             uint64_t                 *opaque);

void mock_check_replayable (const MockObject *buffer,
                            const MockObject *memory);

/* --- Outputs --------------------------------------------------------------------------------- */

/* Zeroes @count elements, except sType and pNext, and the structures in their chains. */
void mock_clear (void     *elements,
                 size_t    size,
                 uint64_t  count,
                 bool      typed);
void mock_clear_chain (void *chain);

/* Small numbers, and bytes that differ from each other. */
void mock_fill (void     *elements,
                size_t    size,
                uint64_t  count);
void mock_pattern (void     *bytes,
                   uint64_t  size);

/* --- Configuration --------------------------------------------------------------------------- */

enum
{
  MOCK_REFUSE_MEMORY = 1 << 0, /* and buffers */
  MOCK_REFUSE_STRUCTURES = 1 << 1,
  MOCK_REFUSE_GROUPS = 1 << 2,
};

typedef struct
{
  char device_name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  bool newer;         /* of a version, and with a function, that the registry does not know */
  uint32_t device_id; /* added to what it would be */
  uint32_t n_devices;
  VkPhysicalDeviceMemoryProperties memory;
  uint32_t n_families;
  VkQueueFamilyProperties families[MOCK_MAX_FAMILIES];
  uint32_t image_families[MOCK_MAX_FAMILIES]; /* optimalImageTransferToQueueFamilies */
  VkPhysicalDeviceLimits limits;
  uint32_t alignment;             /* of what memory requirements say */
  uint64_t addresses;             /* device addresses are so much more than those of the bytes */
  uint64_t opaque;                /* they begin here instead, and can be asked for again; 0: no such thing */
  uint32_t structure_descriptors; /* those of acceleration structures, if different */
  uint32_t descriptors;           /* bytes of each in a descriptor buffer; 0: the device does not say */
  unsigned refuse;                /* but these are never given: MOCK_REFUSE_… */
  bool reuse;                     /* freed handle values are given out again at once */
  bool equal;                     /* each device counts its handles from the same number */
  bool strict;
} MockConfig;

extern MockConfig mock_config;

void mock_config_load (void);
bool mock_config_has_extension (const char *name);
bool mock_config_hides_feature (const char *name);

/* The planned result of the @n-th call of @cmd. */
typedef struct
{
  unsigned cmd; /* MOCK_N_COMMANDS: all of a device that return a result */
  uint64_t n;
  bool from; /* it and all that follow */
  bool odd;  /* every second, from the first */
  bool own;  /* .value is not used: an error that the registry gives to the command */
  enum
  {
    MOCK_FAIL,
    MOCK_PARTLY,
    MOCK_DELAY,
    MOCK_LOSE,
    MOCK_EXIT,
    MOCK_CRASH,
  } what;
  int64_t value; /* VkResult, microseconds */
} MockRule;

extern MockRule mock_rules[64];
extern unsigned mock_n_rules;

/* --- Tables (generated) ---------------------------------------------------------------------- */

typedef struct
{
  const char *name;
  int is_device;
} MockExtension;

typedef struct
{
  uint32_t stype;
  uint32_t size;
  int is_features;
} MockSize;

typedef struct
{
  const char *name;
  uint32_t kind; /* features: sType, 0 for those of Vulkan 1.0; limits: 1 for floats */
  uint32_t offset, size;
} MockMember;

typedef struct
{
  const char *name;
  int64_t value;
} MockName;

extern const char *const mock_names[];
extern const char *const mock_command_extensions[];
extern const int mock_errors[]; /* of commands of devices; 0: returns no VkResult */
extern const PFN_vkVoidFunction mock_entries[];
extern const MockExtension mock_extensions[];
extern const MockSize mock_sizes[];
extern const MockMember mock_features[];
extern const MockMember mock_limits[];
extern const MockName mock_results[];

#include "vtr-mock-generated.h"
