/* The vitrine.* messages of a trace: field numbers and type definitions (FORMAT.md §5).
 *
 * Commands are <API>.<name>, as vulkan.vkCmdDraw; their fields are in api/vtr-api-walk.h. A number once given to a
 * field is never given to another. Threading: any (constant). */
#pragma once

#include "wire/vtr-pack-type.h"

/* Bits of field 7 of a command beyond those of api/vtr-api-walk.h: set by the host. */
enum
{
  VTR_TRACE_FLAG_PENDING = 1 << 7, /* committed before the call; its result is a vitrine.Returned */
};

/* vitrine.Header: what the host knows of a recording. May occur more than once; the last one
 * counts. */
enum
{
  VTR_HEADER_PRODUCER = 1,       /* string: "Vitrine 0.1.0" */
  VTR_HEADER_EXECUTABLE = 2,     /* string: path of the program */
  VTR_HEADER_ARGUMENT = 3,       /* string, repeated: the command line */
  VTR_HEADER_ENVIRONMENT = 4,    /* string, repeated: "NAME=value" of what concerns graphics */
  VTR_HEADER_START_TIME = 5,     /* fixed64: Unix time in µs */
  VTR_HEADER_ABI = 6,            /* varint: VtrAbi */
  VTR_HEADER_PROCESS = 7,        /* varint: process id */
  VTR_HEADER_HOST = 8,           /* string: operating system and machine */
  VTR_HEADER_CALIBRATION = 9,    /* vitrine.Calibration, repeated */
  VTR_HEADER_REGISTRY_HASH = 10, /* fixed64: of Vulkan's registry, in older files */
  VTR_HEADER_THUMBNAIL = 11,     /* bytes: PNG */
  VTR_HEADER_REGISTRY = 12,      /* vitrine.Registry, repeated: of each API that could be recorded */
};

/* vitrine.Registry: what an API's commands were numbered by. */
enum
{
  VTR_REGISTRY_API = 1,  /* string: "vulkan": what its types' names begin with */
  VTR_REGISTRY_HASH = 2, /* fixed64: VtrApiModel.hash */
};

/* vitrine.Calibration: command times (CPU ticks) against CLOCK_MONOTONIC. */
enum
{
  VTR_CALIBRATION_TICKS = 1,       /* fixed64 */
  VTR_CALIBRATION_NANOSECONDS = 2, /* fixed64 */
};

/* vitrine.DeviceInfo: written by the layer after each vkCreateDevice. Structures are in the
 * captured process' layout, without pNext chains. */
enum
{
  VTR_DEVICE_INFO_DEVICE = 1,            /* fixed64: VkDevice */
  VTR_DEVICE_INFO_PHYSICAL_DEVICE = 2,   /* fixed64: VkPhysicalDevice */
  VTR_DEVICE_INFO_PROPERTIES = 3,        /* bytes: VkPhysicalDeviceProperties */
  VTR_DEVICE_INFO_MEMORY = 4,            /* bytes: VkPhysicalDeviceMemoryProperties */
  VTR_DEVICE_INFO_QUEUE_FAMILIES = 5,    /* bytes: VkQueueFamilyProperties[] */
  VTR_DEVICE_INFO_DRIVER_NAME = 6,       /* string: VkPhysicalDeviceDriverProperties.driverName */
  VTR_DEVICE_INFO_DRIVER_INFO = 7,       /* string: .driverInfo */
  VTR_DEVICE_INFO_FEATURES = 8,          /* bytes: VkPhysicalDeviceFeatures that were enabled */
  VTR_DEVICE_INFO_CHANGE = 9,            /* string, repeated: what the layer changed */
  VTR_DEVICE_INFO_HIDDEN_EXTENSION = 10, /* string, repeated */
  VTR_DEVICE_INFO_TRACKER = 11,          /* string, repeated: how mapped memory is watched */
  VTR_DEVICE_INFO_EXTENSION = 12,        /* string, repeated: enabled device extensions */
};

/* vitrine.Returned: the result of a call that was committed before it ran. In the ring the layer
 * sends tickets instead (VtrRingReturned). */
enum
{
  VTR_RETURNED_COMMAND = 1, /* fixed64: flat index */
  VTR_RETURNED_RESULT = 4,  /* fixed64: as a command's result; 0 for void */
};

/* vitrine.MappedWrites: CPU writes to mapped memory, visible to the device from the next command
 * on. Offset in the memory object: MAP_OFFSET + (observation.base - MAP_ADDRESS). */
enum
{
  VTR_MAPPED_WRITES_THREAD = 1,       /* fixed32 */
  VTR_MAPPED_WRITES_READS = 2,        /* Observation, repeated */
  VTR_MAPPED_WRITES_DEVICE = 8,       /* fixed64: VkDevice */
  VTR_MAPPED_WRITES_MEMORY = 9,       /* fixed64: VkDeviceMemory */
  VTR_MAPPED_WRITES_MAP_OFFSET = 10,  /* fixed64: offset that was mapped */
  VTR_MAPPED_WRITES_MAP_ADDRESS = 11, /* fixed64: where vkMapMemory put it */
};

/* vitrine.ImageContents: content of a subresource of an image, or of some rows or slices of one, that
 * was there before the first call of the program. Texels as vkCmdCopyImageToBuffer gives them. */
enum
{
  VTR_IMAGE_CONTENTS_THREAD = 1,  /* fixed32 */
  VTR_IMAGE_CONTENTS_READS = 2,   /* Observation; its base means nothing */
  VTR_IMAGE_CONTENTS_DEVICE = 8,  /* fixed64: VkDevice */
  VTR_IMAGE_CONTENTS_IMAGE = 9,   /* fixed64: VkImage */
  VTR_IMAGE_CONTENTS_ASPECT = 10, /* fixed32: one VkImageAspectFlagBits */
  VTR_IMAGE_CONTENTS_MIP = 11,    /* fixed32, like all that follow but the pitches */
  VTR_IMAGE_CONTENTS_LAYER = 12,
  VTR_IMAGE_CONTENTS_LAYOUT = 13, /* VkImageLayout it is in, before and after */
  VTR_IMAGE_CONTENTS_FORMAT = 14, /* VkFormat of the image */
  VTR_IMAGE_CONTENTS_WIDTH = 15,  /* what is here, in texels of the image; planes may have fewer */
  VTR_IMAGE_CONTENTS_HEIGHT = 16,
  VTR_IMAGE_CONTENTS_DEPTH = 17,
  VTR_IMAGE_CONTENTS_ROW_PITCH = 18,   /* fixed64: bytes from row to row; absent: no gaps */
  VTR_IMAGE_CONTENTS_DEPTH_PITCH = 19, /* fixed64: bytes from slice to slice; absent: no gaps */
  VTR_IMAGE_CONTENTS_SAMPLE = 20,      /* of a multisampled image */
  VTR_IMAGE_CONTENTS_Y = 21,           /* first row of texels */
  VTR_IMAGE_CONTENTS_Z = 22,           /* first slice */
  VTR_IMAGE_CONTENTS_X = 23,           /* first column */
};

/* vitrine.StructureContents: a part of what an acceleration structure held before the first call of
 * the program, as vkCmdCopyAccelerationStructureToMemoryKHR gives it. The first part has the whole list
 * of handles in it. */
enum
{
  VTR_STRUCTURE_CONTENTS_THREAD = 1,    /* fixed32 */
  VTR_STRUCTURE_CONTENTS_READS = 2,     /* Observation; its base means nothing */
  VTR_STRUCTURE_CONTENTS_DEVICE = 8,    /* fixed64: VkDevice */
  VTR_STRUCTURE_CONTENTS_STRUCTURE = 9, /* fixed64: VkAccelerationStructureKHR */
  VTR_STRUCTURE_CONTENTS_OFFSET = 10,   /* fixed64: of this part */
  VTR_STRUCTURE_CONTENTS_WHOLE = 11,    /* fixed64: bytes of all parts */
};

/* vitrine.Namespace: something that names are unique in. Before the first command that is in it, or in a
 * namespace below it. Numbers begin with 1, and no number is given twice. */
enum
{
  VTR_NAMESPACE_NUMBER = 1, /* fixed32 */
  VTR_NAMESPACE_API = 2,    /* string: "vulkan": what its types' names begin with */
  VTR_NAMESPACE_SCOPE = 3,  /* string: "process", "display", "device", "group" or "context" */
  VTR_NAMESPACE_PARENT = 4, /* fixed32: the number of the one around it; absent: none */
  VTR_NAMESPACE_NAME = 5,   /* fixed64: of the object that it is of; absent: there is none */
  VTR_NAMESPACE_FACTS = 6,  /* bytes: what the API says of it */
};

/* vitrine.Batch: a stream of commands, those of one thread in one namespace. Those that follow in the same
 * frame and do not say their thread are of it, up to the next vitrine.Batch. */
enum
{
  VTR_BATCH_THREAD = 1,    /* fixed32 */
  VTR_BATCH_NAMESPACE = 2, /* fixed32 */
};

/* vitrine.TexelContents: texels that a part of an image of any API had before the first call of the
 * program. Rows without gaps, from the first one on that the API counts. */
enum
{
  VTR_TEXEL_CONTENTS_THREAD = 1,    /* fixed32 */
  VTR_TEXEL_CONTENTS_READS = 2,     /* Observation; its base means nothing */
  VTR_TEXEL_CONTENTS_NAMESPACE = 8, /* fixed32: in which the image is named: its number */
  VTR_TEXEL_CONTENTS_KIND = 9,      /* string: of the image, such as "picture" */
  VTR_TEXEL_CONTENTS_NAME = 10,     /* fixed64 */
  VTR_TEXEL_CONTENTS_FORMAT = 11,   /* string: "RGBA8_UNORM" */
  VTR_TEXEL_CONTENTS_LEVEL = 12,    /* fixed32, like all that follow */
  VTR_TEXEL_CONTENTS_LAYER = 13,
  VTR_TEXEL_CONTENTS_WIDTH = 14,
  VTR_TEXEL_CONTENTS_HEIGHT = 15,
  VTR_TEXEL_CONTENTS_DEPTH = 16,
  VTR_TEXEL_CONTENTS_WORD = 17, /* what only the API reads */
};

/* vitrine.Resource: content that observations refer to by its number; the first in the file is
 * 1. */
enum
{
  VTR_RESOURCE_DATA = 1, /* bytes */
};

/* vitrine.Notice: a warning of the layer. */
enum
{
  VTR_NOTICE_LEVEL = 1,            /* varint: VtrLogLevel */
  VTR_NOTICE_TEXT = 2,             /* string */
  VTR_NOTICE_HIDDEN_EXTENSION = 3, /* string, repeated: before there is a device to say it of */
};

/* vitrine.Stopped: recording ended here although the program went on. */
enum
{
  VTR_STOPPED_STATE = 1, /* varint: VtrRingState */
};

/* vitrine.Index: what a reader would otherwise have to scan for. Packed numbers: FORMAT.md §6. */
enum
{
  VTR_INDEX_FRAMES = 1,          /* bytes: VtrTraceFrame[] */
  VTR_INDEX_POSITIONS = 2,       /* bytes: varint per command */
  VTR_INDEX_TYPES = 3,           /* bytes: u16 per command: type index */
  VTR_INDEX_THREADS = 4,         /* bytes: u16 per command, index in the thread table */
  VTR_INDEX_FLAGS = 5,           /* bytes: u16 per command */
  VTR_INDEX_THREAD_TABLE = 6,    /* bytes: u64 each */
  VTR_INDEX_RETURNED = 7,        /* bytes: varint pairs: command, result */
  VTR_INDEX_MAPPED_WRITES = 8,   /* bytes: varint quadruples: object, command, frame, offset */
  VTR_INDEX_OBJECTS = 9,         /* bytes: as VTR_INDEX_MAPPED_WRITES */
  VTR_INDEX_N_OBSERVATIONS = 10, /* varint */
  VTR_INDEX_N_RESOURCES = 11,    /* varint */
  VTR_INDEX_N_COMMANDS = 12,     /* varint */
  VTR_INDEX_NAMESPACES = 13,     /* bytes: u32 for each entry of the thread table; absent: all 0 */
};

/* The numbers are in files (vitrine.Index). */
typedef enum
{
  VTR_OBJECT_HEADER,
  VTR_OBJECT_CALIBRATION,
  VTR_OBJECT_OBSERVATION,
  VTR_OBJECT_EXTRA,
  VTR_OBJECT_DEVICE_INFO,
  VTR_OBJECT_RETURNED,
  VTR_OBJECT_MAPPED_WRITES,
  VTR_OBJECT_RESOURCE,
  VTR_OBJECT_NOTICE,
  VTR_OBJECT_STOPPED,
  VTR_OBJECT_INDEX,
  VTR_OBJECT_IMAGE_CONTENTS,
  VTR_OBJECT_STRUCTURE_CONTENTS,
  VTR_OBJECT_NAMESPACE,
  VTR_OBJECT_BATCH,
  VTR_OBJECT_REGISTRY,
  VTR_OBJECT_TEXEL_CONTENTS,
  VTR_N_OBJECTS,
} VtrTraceObject;

/* The definitions, in the order above. */
extern const VtrPackType vtr_trace_objects[VTR_N_OBJECTS];

/* Returns: VTR_N_OBJECTS when no object has this (full, not NUL-terminated) name. */
VtrTraceObject vtr_trace_object_from_name (const uint8_t *name,
                                           size_t         size);
