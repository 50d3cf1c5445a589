/* Tables of device features and limits, generated from the registry (gen-device-tables.py), and functions that use them.
 *
 * Threading: any (constants). */
#pragma once

#include "engine/vulkan/host/vtr-vulkan-device.h"

G_BEGIN_DECLS

/* How a limit bounds what a program may do (the registry's limittype). */
typedef enum
{
  VTR_LIMIT_MAX = 1 << 0,
  VTR_LIMIT_MIN = 1 << 1, /* with MUL or POT: multiples of it */
  VTR_LIMIT_BITMASK = 1 << 2,
  VTR_LIMIT_BITS = 1 << 3,
  VTR_LIMIT_EXACT = 1 << 4,
  VTR_LIMIT_MUL = 1 << 5,
  VTR_LIMIT_POT = 1 << 6,
  VTR_LIMIT_RANGE = 1 << 7,
} VtrLimitFlags;

typedef enum
{
  VTR_LIMIT_VALUE_U32,
  VTR_LIMIT_VALUE_I32,
  VTR_LIMIT_VALUE_U64,
  VTR_LIMIT_VALUE_F32,
} VtrLimitValue;

typedef struct
{
  const char *name;
  guint32 stype; /* VkPhysicalDeviceProperties2: of VkPhysicalDeviceProperties */
  guint32 offset;
  guint32 n; /* elements */
  guint8 value;
  guint16 flags;
} VtrLimit;

extern const VtrLimit vtr_limits[];
extern const gsize vtr_n_limits;

/* One of the ways in which a device may have what a shader declares. */
typedef enum
{
  VTR_NEED_VERSION,   /* .number */
  VTR_NEED_EXTENSION, /* .name */
  VTR_NEED_FEATURE,   /* .name, boolean .at of the structure .stype */
  VTR_NEED_PROPERTY,  /* the bits .number of member .name, .at of the structure .stype */
} VtrNeedKind;

#define VTR_SHADER_EXTENSION G_MAXUINT32

/* Those of the same .declared are alternatives; they follow each other. */
typedef struct
{
  const char *declared; /* capability or extension of SPIR-V */
  guint32 capability;   /* its number; VTR_SHADER_EXTENSION: an extension */
  VtrNeedKind kind;
  const char *name;
  guint32 stype;
  guint32 at;
  guint64 number;
} VtrShaderNeed;

extern const VtrShaderNeed vtr_shader_needs[];
extern const gsize vtr_n_shader_needs;

/* Element @nth of a limit. Returns: FALSE when the device says nothing of it. */
gboolean vtr_limit_get (const VtrLimit        *limit,
                        const VtrVulkanDevice *device,
                        guint                  nth,
                        double                *value);

/* Like vtr_limit_get (), for the properties a trace brings. */
gboolean vtr_limit_get_captured (const VtrLimit                   *limit,
                                 const VkPhysicalDeviceProperties *properties,
                                 guint                             nth,
                                 double                           *value);

/* The limit of this name that the device tells, else any of this name. Returns: NULL when the
 * registry has none. */
const VtrLimit *vtr_limit_find (const VtrVulkanDevice *device,
                                const char            *name);

/* Whether the device has what is needed in this way. */
gboolean vtr_shader_need_is_met (const VtrShaderNeed   *need,
                                 const VtrVulkanDevice *device);

G_END_DECLS
