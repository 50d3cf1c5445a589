/* Lists the type definitions of the vitrine.* messages. */
#include "wire/vtr-trace-objects.h"

#include "api/vtr-api-walk.h"

#include <string.h>

#define ONE(name, number, type) \
  { \
    name, NULL, number, VTR_PACK_OPTIONAL, type \
  }
#define MANY(name, number, type) \
  { \
    name, NULL, number, VTR_PACK_REPEATED, type \
  }
#define MANY_OF(name, number, message) \
  { \
    name, message, number, VTR_PACK_REPEATED, VTR_PACK_MESSAGE \
  }
#define TYPE(name, fields) \
  { \
    name, fields, sizeof fields / sizeof *fields, 0, NULL \
  }

static const VtrPackField header[] = {
  ONE ("producer", VTR_HEADER_PRODUCER, VTR_PACK_STRING),
  ONE ("executable", VTR_HEADER_EXECUTABLE, VTR_PACK_STRING),
  MANY ("argument", VTR_HEADER_ARGUMENT, VTR_PACK_STRING),
  MANY ("environment", VTR_HEADER_ENVIRONMENT, VTR_PACK_STRING),
  ONE ("start_time", VTR_HEADER_START_TIME, VTR_PACK_FIXED64),
  ONE ("abi", VTR_HEADER_ABI, VTR_PACK_UINT32),
  ONE ("process", VTR_HEADER_PROCESS, VTR_PACK_UINT32),
  ONE ("host", VTR_HEADER_HOST, VTR_PACK_STRING),
  MANY_OF ("calibration", VTR_HEADER_CALIBRATION, ".vitrine.Calibration"),
  ONE ("registry_hash", VTR_HEADER_REGISTRY_HASH, VTR_PACK_FIXED64),
  ONE ("thumbnail", VTR_HEADER_THUMBNAIL, VTR_PACK_BYTES),
  MANY_OF ("registry", VTR_HEADER_REGISTRY, ".vitrine.Registry"),
};

static const VtrPackField registry[] = {
  ONE ("api", VTR_REGISTRY_API, VTR_PACK_STRING),
  ONE ("hash", VTR_REGISTRY_HASH, VTR_PACK_FIXED64),
};

static const VtrPackField calibration[] = {
  ONE ("ticks", VTR_CALIBRATION_TICKS, VTR_PACK_FIXED64),
  ONE ("nanoseconds", VTR_CALIBRATION_NANOSECONDS, VTR_PACK_FIXED64),
};

static const VtrPackField observation[] = {
  ONE ("base", VTR_OBSERVATION_BASE, VTR_PACK_FIXED64),
  ONE ("data", VTR_OBSERVATION_DATA, VTR_PACK_BYTES),
  ONE ("resource", VTR_OBSERVATION_RESOURCE, VTR_PACK_UINT64),
  ONE ("size", VTR_OBSERVATION_SIZE, VTR_PACK_UINT64),
};

static const VtrPackField extra[] = {
  ONE ("type", 1, VTR_PACK_STRING),
  ONE ("data", 2, VTR_PACK_BYTES),
};

static const VtrPackField device_info[] = {
  ONE ("device", VTR_DEVICE_INFO_DEVICE, VTR_PACK_FIXED64),
  ONE ("physical_device", VTR_DEVICE_INFO_PHYSICAL_DEVICE, VTR_PACK_FIXED64),
  ONE ("properties", VTR_DEVICE_INFO_PROPERTIES, VTR_PACK_BYTES),
  ONE ("memory", VTR_DEVICE_INFO_MEMORY, VTR_PACK_BYTES),
  ONE ("queue_families", VTR_DEVICE_INFO_QUEUE_FAMILIES, VTR_PACK_BYTES),
  ONE ("driver_name", VTR_DEVICE_INFO_DRIVER_NAME, VTR_PACK_STRING),
  ONE ("driver_info", VTR_DEVICE_INFO_DRIVER_INFO, VTR_PACK_STRING),
  ONE ("features", VTR_DEVICE_INFO_FEATURES, VTR_PACK_BYTES),
  MANY ("change", VTR_DEVICE_INFO_CHANGE, VTR_PACK_STRING),
  MANY ("hidden_extension", VTR_DEVICE_INFO_HIDDEN_EXTENSION, VTR_PACK_STRING),
  MANY ("tracker", VTR_DEVICE_INFO_TRACKER, VTR_PACK_STRING),
  MANY ("extension", VTR_DEVICE_INFO_EXTENSION, VTR_PACK_STRING),
};

static const VtrPackField returned[] = {
  ONE ("command", VTR_RETURNED_COMMAND, VTR_PACK_FIXED64),
  ONE ("result", VTR_RETURNED_RESULT, VTR_PACK_FIXED64),
};

static const VtrPackField mapped_writes[] = {
  ONE ("thread", VTR_MAPPED_WRITES_THREAD, VTR_PACK_FIXED32),
  MANY_OF ("reads", VTR_MAPPED_WRITES_READS, ".vitrine.Observation"),
  ONE ("device", VTR_MAPPED_WRITES_DEVICE, VTR_PACK_FIXED64),
  ONE ("memory", VTR_MAPPED_WRITES_MEMORY, VTR_PACK_FIXED64),
  ONE ("map_offset", VTR_MAPPED_WRITES_MAP_OFFSET, VTR_PACK_FIXED64),
  ONE ("map_address", VTR_MAPPED_WRITES_MAP_ADDRESS, VTR_PACK_FIXED64),
};

static const VtrPackField image_contents[] = {
  ONE ("thread", VTR_IMAGE_CONTENTS_THREAD, VTR_PACK_FIXED32),
  MANY_OF ("reads", VTR_IMAGE_CONTENTS_READS, ".vitrine.Observation"),
  ONE ("device", VTR_IMAGE_CONTENTS_DEVICE, VTR_PACK_FIXED64),
  ONE ("image", VTR_IMAGE_CONTENTS_IMAGE, VTR_PACK_FIXED64),
  ONE ("aspect", VTR_IMAGE_CONTENTS_ASPECT, VTR_PACK_FIXED32),
  ONE ("mip", VTR_IMAGE_CONTENTS_MIP, VTR_PACK_FIXED32),
  ONE ("layer", VTR_IMAGE_CONTENTS_LAYER, VTR_PACK_FIXED32),
  ONE ("layout", VTR_IMAGE_CONTENTS_LAYOUT, VTR_PACK_FIXED32),
  ONE ("format", VTR_IMAGE_CONTENTS_FORMAT, VTR_PACK_FIXED32),
  ONE ("width", VTR_IMAGE_CONTENTS_WIDTH, VTR_PACK_FIXED32),
  ONE ("height", VTR_IMAGE_CONTENTS_HEIGHT, VTR_PACK_FIXED32),
  ONE ("depth", VTR_IMAGE_CONTENTS_DEPTH, VTR_PACK_FIXED32),
  ONE ("row_pitch", VTR_IMAGE_CONTENTS_ROW_PITCH, VTR_PACK_FIXED64),
  ONE ("depth_pitch", VTR_IMAGE_CONTENTS_DEPTH_PITCH, VTR_PACK_FIXED64),
  ONE ("sample", VTR_IMAGE_CONTENTS_SAMPLE, VTR_PACK_FIXED32),
  ONE ("y", VTR_IMAGE_CONTENTS_Y, VTR_PACK_FIXED32),
  ONE ("z", VTR_IMAGE_CONTENTS_Z, VTR_PACK_FIXED32),
  ONE ("x", VTR_IMAGE_CONTENTS_X, VTR_PACK_FIXED32),
};

static const VtrPackField structure_contents[] = {
  ONE ("thread", VTR_STRUCTURE_CONTENTS_THREAD, VTR_PACK_FIXED32),
  MANY_OF ("reads", VTR_STRUCTURE_CONTENTS_READS, ".vitrine.Observation"),
  ONE ("device", VTR_STRUCTURE_CONTENTS_DEVICE, VTR_PACK_FIXED64),
  ONE ("structure", VTR_STRUCTURE_CONTENTS_STRUCTURE, VTR_PACK_FIXED64),
  ONE ("offset", VTR_STRUCTURE_CONTENTS_OFFSET, VTR_PACK_FIXED64),
  ONE ("whole", VTR_STRUCTURE_CONTENTS_WHOLE, VTR_PACK_FIXED64),
};

static const VtrPackField namespace[] = {
  ONE ("number", VTR_NAMESPACE_NUMBER, VTR_PACK_FIXED32),
  ONE ("api", VTR_NAMESPACE_API, VTR_PACK_STRING),
  ONE ("scope", VTR_NAMESPACE_SCOPE, VTR_PACK_STRING),
  ONE ("parent", VTR_NAMESPACE_PARENT, VTR_PACK_FIXED32),
  ONE ("name", VTR_NAMESPACE_NAME, VTR_PACK_FIXED64),
  ONE ("facts", VTR_NAMESPACE_FACTS, VTR_PACK_BYTES),
};

static const VtrPackField batch[] = {
  ONE ("thread", VTR_BATCH_THREAD, VTR_PACK_FIXED32),
  ONE ("namespace", VTR_BATCH_NAMESPACE, VTR_PACK_FIXED32),
};

static const VtrPackField texel_contents[] = {
  ONE ("thread", VTR_TEXEL_CONTENTS_THREAD, VTR_PACK_FIXED32),
  MANY_OF ("reads", VTR_TEXEL_CONTENTS_READS, ".vitrine.Observation"),
  ONE ("namespace", VTR_TEXEL_CONTENTS_NAMESPACE, VTR_PACK_FIXED32),
  ONE ("kind", VTR_TEXEL_CONTENTS_KIND, VTR_PACK_STRING),
  ONE ("name", VTR_TEXEL_CONTENTS_NAME, VTR_PACK_FIXED64),
  ONE ("format", VTR_TEXEL_CONTENTS_FORMAT, VTR_PACK_STRING),
  ONE ("level", VTR_TEXEL_CONTENTS_LEVEL, VTR_PACK_FIXED32),
  ONE ("layer", VTR_TEXEL_CONTENTS_LAYER, VTR_PACK_FIXED32),
  ONE ("width", VTR_TEXEL_CONTENTS_WIDTH, VTR_PACK_FIXED32),
  ONE ("height", VTR_TEXEL_CONTENTS_HEIGHT, VTR_PACK_FIXED32),
  ONE ("depth", VTR_TEXEL_CONTENTS_DEPTH, VTR_PACK_FIXED32),
  ONE ("word", VTR_TEXEL_CONTENTS_WORD, VTR_PACK_FIXED32),
};

static const VtrPackField resource[] = { ONE ("data", VTR_RESOURCE_DATA, VTR_PACK_BYTES) };

static const VtrPackField notice[] = {
  ONE ("level", VTR_NOTICE_LEVEL, VTR_PACK_UINT32),
  ONE ("text", VTR_NOTICE_TEXT, VTR_PACK_STRING),
  MANY ("hidden_extension", VTR_NOTICE_HIDDEN_EXTENSION, VTR_PACK_STRING),
};

static const VtrPackField stopped[] = { ONE ("state", VTR_STOPPED_STATE, VTR_PACK_UINT32) };

static const VtrPackField index_fields[] = {
  ONE ("frames", VTR_INDEX_FRAMES, VTR_PACK_BYTES),
  ONE ("positions", VTR_INDEX_POSITIONS, VTR_PACK_BYTES),
  ONE ("types", VTR_INDEX_TYPES, VTR_PACK_BYTES),
  ONE ("threads", VTR_INDEX_THREADS, VTR_PACK_BYTES),
  ONE ("flags", VTR_INDEX_FLAGS, VTR_PACK_BYTES),
  ONE ("thread_table", VTR_INDEX_THREAD_TABLE, VTR_PACK_BYTES),
  ONE ("returned", VTR_INDEX_RETURNED, VTR_PACK_BYTES),
  ONE ("mapped_writes", VTR_INDEX_MAPPED_WRITES, VTR_PACK_BYTES),
  ONE ("objects", VTR_INDEX_OBJECTS, VTR_PACK_BYTES),
  ONE ("n_observations", VTR_INDEX_N_OBSERVATIONS, VTR_PACK_UINT64),
  ONE ("n_resources", VTR_INDEX_N_RESOURCES, VTR_PACK_UINT64),
  ONE ("n_commands", VTR_INDEX_N_COMMANDS, VTR_PACK_UINT64),
  ONE ("namespaces", VTR_INDEX_NAMESPACES, VTR_PACK_BYTES),
};

const VtrPackType vtr_trace_objects[VTR_N_OBJECTS] = {
  [VTR_OBJECT_HEADER] = TYPE ("vitrine.Header", header),
  [VTR_OBJECT_CALIBRATION] = TYPE ("vitrine.Calibration", calibration),
  [VTR_OBJECT_OBSERVATION] = TYPE ("vitrine.Observation", observation),
  [VTR_OBJECT_EXTRA] = TYPE ("vitrine.Extra", extra),
  [VTR_OBJECT_DEVICE_INFO] = TYPE ("vitrine.DeviceInfo", device_info),
  [VTR_OBJECT_RETURNED] = TYPE ("vitrine.Returned", returned),
  [VTR_OBJECT_MAPPED_WRITES] = TYPE ("vitrine.MappedWrites", mapped_writes),
  [VTR_OBJECT_RESOURCE] = TYPE ("vitrine.Resource", resource),
  [VTR_OBJECT_NOTICE] = TYPE ("vitrine.Notice", notice),
  [VTR_OBJECT_STOPPED] = TYPE ("vitrine.Stopped", stopped),
  [VTR_OBJECT_INDEX] = TYPE ("vitrine.Index", index_fields),
  [VTR_OBJECT_IMAGE_CONTENTS] = TYPE ("vitrine.ImageContents", image_contents),
  [VTR_OBJECT_STRUCTURE_CONTENTS] = TYPE ("vitrine.StructureContents", structure_contents),
  [VTR_OBJECT_NAMESPACE] = TYPE ("vitrine.Namespace", namespace),
  [VTR_OBJECT_BATCH] = TYPE ("vitrine.Batch", batch),
  [VTR_OBJECT_TEXEL_CONTENTS] = TYPE ("vitrine.TexelContents", texel_contents),
  [VTR_OBJECT_REGISTRY] = TYPE ("vitrine.Registry", registry),
};

VtrTraceObject
vtr_trace_object_from_name (const uint8_t *name,
                            size_t         size)
{
  VtrTraceObject object = VTR_OBJECT_HEADER;

  while (object < VTR_N_OBJECTS && (strlen (vtr_trace_objects[object].name) != size ||
                                    memcmp (vtr_trace_objects[object].name, name, size) != 0))
    object++;
  return object;
}
