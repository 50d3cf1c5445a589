/* The data about objects that the pass over a trace needs to find the bytes that GPU work writes.
 * For files
   of this folder. */
#pragma once

#include "base/vtr-range-set.h"
#include "engine/memory/vtr-effects.h"
#include "engine/vulkan/memory/vtr-memory-writes.h"
#include "engine/vulkan/state/vtr-state.h"

G_BEGIN_DECLS

#define VTR_MEMORY_NONE G_MAXUINT32

typedef struct
{
  guint64 handle;
  guint64 size;
  guint32 pool; /* position; VTR_MEMORY_NONE: not bound, or sparse */
  guint64 offset;
  guint64 address; /* device address; 0: never asked for */
  guint64 usage;   /* VkBufferUsageFlags, or its wider form */
  gboolean sparse; /* pages of it lie anywhere in .paged */
  gboolean destroyed;
} VtrMemoryBuffer;

typedef struct
{
  guint32 pool;
  guint64 offset;
  guint64 size; /* of its requirements; 0: not known */
} VtrMemoryBinding;

#define VTR_MEMORY_PLANES 3

typedef struct
{
  guint32 id;                                 /* object id; 0: not in the history */
  VtrMemoryBinding planes[VTR_MEMORY_PLANES]; /* more than one of a disjoint image only */
  gboolean sparse;                            /* memory is bound page by page */
  gboolean storage;                           /* lives, and shaders may store to it */
  VkFormat format;
  VkImageTiling tiling;
  guint32 mip_levels, array_layers;
  VkSubresourceLayout layout; /* of a linear image's first subresource; .size 0: not known */
} VtrMemoryImage;

/* One thing that a shader may store to. */
typedef struct
{
  enum
  {
    VTR_SLOT_EMPTY,
    VTR_SLOT_BUFFER,
    VTR_SLOT_IMAGE,
  } kind;
  guint32 object; /* position of the buffer or image */
  guint64 offset, range;
} VtrMemorySlot;

typedef struct
{
  guint32 binding;
  VkDescriptorType type;
  guint32 count;
  VkShaderStageFlags stages;
  guint32 first_dynamic; /* place of its first dynamic offset in the set */
} VtrMemoryLayoutBinding;

typedef struct
{
  guint32 n;
  gboolean writable;                 /* any binding that shaders may store to */
  VtrMemoryLayoutBinding bindings[]; /* by number */
} VtrMemorySetLayout;

typedef struct
{
  VtrMemorySetLayout *layout; /* owned by the objects */
  GArray **slots;             /* (array length=layout->n) of VtrMemorySlot; NULL: none written */
  guint64 version;            /* of its last change */
} VtrMemorySet;

typedef struct
{
  guint32 n;
  guint32 *images; /* positions; VTR_MEMORY_NONE: none */
} VtrMemoryFramebuffer;

/* Which attachments a render pass writes. */
typedef struct
{
  guint32 n;
  gboolean written[];
} VtrMemoryRenderPass;

typedef struct
{
  guint32 buffer; /* position */
  guint64 offset, size;
} VtrMemoryPart;

/**
 * VtrMemoryObjects:
 *
 * Looked up by handle, as it is at this point of the pass; positions stay valid to its end.
 * Threading: one at a time.
 */
typedef struct
{
  VtrHistory *history;
  VtrEffects *effects; /* what takes the spaces */
  GArray *pools;       /* VtrMemorySpace of each VkDeviceMemory, ids ascending; those of @effects */
  GArray *paged;       /* guint32: positions of those whose pages were bound to sparse resources */
  GArray *buffers;     /* VtrMemoryBuffer */
  GArray *images;      /* VtrMemoryImage */
  GPtrArray *sets;     /* VtrMemorySet */
  /* VtrMemoryPart: buffer views, acceleration structures */
  GArray *parts;
  GHashTable *by_handle[VTR_VULKAN_N_HANDLES]; /* handle → position + 1 */
  GHashTable *layouts;                         /* VkDescriptorSetLayout → VtrMemorySetLayout */
  GHashTable *framebuffers;                    /* VkFramebuffer → VtrMemoryFramebuffer */
  GHashTable *render_passes;                   /* VkRenderPass → VtrMemoryRenderPass */
  /* VkShaderModule, VkPipeline whose shaders use device addresses */
  GHashTable *addressing;
  GHashTable *query_bytes; /* VkQueryPool → values of a query */
  VtrMemoryWrites *writes;
  gboolean stores;         /* some layout has descriptors that shaders may store to */
  GPtrArray *kept;         /* layouts, until the end */
  guint64 clock;           /* of set changes */
  guint64 addresses_clock; /* when buffers with addresses changed last */
} VtrMemoryObjects;

VtrMemoryObjects *vtr_memory_objects_new (VtrHistory *history,
                                          VtrEffects *effects);
void vtr_memory_objects_free (VtrMemoryObjects *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VtrMemoryObjects, vtr_memory_objects_free)

/* Whether vtr_memory_objects_apply() does anything with such a command. */
gboolean vtr_memory_objects_wants (VtrCmdId id);
void vtr_memory_objects_apply (VtrMemoryObjects *self,
                               const VtrCommand *command);

/* Position of the living object with @handle; VTR_MEMORY_NONE: not known. */
guint32 vtr_memory_objects_find (VtrMemoryObjects *self,
                                 VtrHandleId       type,
                                 guint64           handle);
/* Bytes of a buffer, in the row of all memory. @size: VK_WHOLE_SIZE for the rest. Returns: FALSE
   when they lie nowhere. */
gboolean vtr_memory_objects_locate_buffer (VtrMemoryObjects *self,
                                           guint32           buffer,
                                           guint64           offset,
                                           guint64           size,
                                           VtrRange         *out);
/* Bytes of plane @plane of an image. */
gboolean vtr_memory_objects_locate_image (VtrMemoryObjects *self,
                                          guint32           image,
                                          guint             plane,
                                          VtrRange         *out);
/* The buffer that has device address @address in it, and where. */
guint32 vtr_memory_objects_find_address (VtrMemoryObjects *self,
                                         guint64           address,
                                         guint64          *offset);

gboolean vtr_memory_is_dynamic (VkDescriptorType type);
/* The slots of one VkWriteDescriptorSet; those that are not storage are left out. @put gets the
   binding and the element. */
typedef void (*VtrMemorySlotFunc) (guint32 binding,
                                   guint32 element,
                                   const VtrMemorySlot *slot,
                                   gpointer data);
void vtr_memory_objects_read_write (VtrMemoryObjects           *self,
                                    const VkWriteDescriptorSet *write,
                                    VtrMemorySlotFunc           put,
                                    gpointer                    data);
/* Like vtr_memory_objects_read_write (), for the bytes that go with a descriptor update template. */
void vtr_memory_objects_read_template (VtrMemoryObjects                  *self,
                                       const VtrCommand                  *command,
                                       VkDescriptorUpdateTemplate         handle,
                                       const void                 *const *data_slot,
                                       VtrMemorySlotFunc                  put,
                                       gpointer                           data);
/* The images and texels behind views. */
guint32 vtr_memory_objects_find_view_image (VtrMemoryObjects *self,
                                            guint64           view);

G_END_DECLS
