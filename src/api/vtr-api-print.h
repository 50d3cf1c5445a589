/* Argument trees as text, JSON and property trees. Threading: any; no state of their own. */
#pragma once

#include "api/vtr-api-walk.h"

/* --- Text and JSON --------------------------------------------------------------------------- */

/* One line: vkCmdDraw(commandBuffer=0x55…, vertexCount=36, …) = VK_SUCCESS. Structs are shown as
 * {…}; strings quoted. @decoded (nullable): whose .args these are, for captured addresses and the
 * result. No newline, no NUL is appended. */
void vtr_api_print (VtrCmdId          cmd,
                    const void       *args,
                    const VtrDecoded *decoded,
                    const VtrApiEnv  *env,
                    VtrBuffer        *to);

/* Several lines, structs unfolded, two spaces per level; ends with a newline. */
void vtr_api_print_full (VtrCmdId          cmd,
                         const void       *args,
                         const VtrDecoded *decoded,
                         const VtrApiEnv  *env,
                         VtrBuffer        *to);

/* The parameters as one JSON object {"device":"0x55…","pCreateInfo":{"sType":"VK_…",…},…}. Enums by
 * name (their number when they have none), flags as "A|B", handles and addresses as hexadecimal
 * strings, 64-bit numbers beyond 2^53 as decimal strings, floats that JSON cannot say as strings,
 * untyped bytes as {"size":n,"base64":"…"}, null pointers as null; a pointer that was not observed
 * as {"address":"0x…"}; pNext as an array of structs. */
void vtr_api_json (VtrCmdId          cmd,
                   const void       *args,
                   const VtrDecoded *decoded,
                   const VtrApiEnv  *env,
                   VtrBuffer        *to);

/* The result alone: "VK_SUCCESS", true, 17, "0x…" or null for void. */
void vtr_api_json_result (VtrCmdId   cmd,
                          uint64_t   result,
                          VtrBuffer *to);

/* Appends @size bytes as a quoted JSON string; bytes that are not UTF-8 become U+FFFD. */
void vtr_json_append_string (VtrBuffer  *to,
                             const char *text,
                             size_t      size);

/* Appends the name of a result that is VTR_RESULT_STATUS. */
void vtr_api_append_status (VtrBuffer *to,
                            VtrCmdId   cmd,
                            uint64_t   result);

/* Appends the names of an enumerant or of bits: "VK_FORMAT_R8_UNORM", "A|B", "A|0x80", "17". */
void vtr_api_append_enum (VtrBuffer *to,
                          VtrEnumId  id,
                          bool       flags,
                          uint64_t   value);

/* --- Property tree --------------------------------------------------------------------------- */

typedef enum
{
  VTR_PROPERTY_NUMBER,
  VTR_PROPERTY_BOOL,
  VTR_PROPERTY_ENUM,
  VTR_PROPERTY_FLAGS,
  VTR_PROPERTY_HANDLE,
  VTR_PROPERTY_ADDRESS, /* a pointer that is not followed, or was not observed */
  VTR_PROPERTY_NULL,    /* a null pointer */
  VTR_PROPERTY_STRING,
  VTR_PROPERTY_BYTES, /* untyped; .bytes and .size */
  VTR_PROPERTY_STRUCT,
  VTR_PROPERTY_ARRAY,
  VTR_PROPERTY_CHAIN, /* pNext: children are the structs in it */
} VtrPropertyKind;

/**
 * VtrProperty:
 *
 * A node of the lazy property tree of a command or a struct. Nodes are made on demand in the
 * caller's arena and refer to the tree they show, which must stay.
 */
typedef struct VtrProperty VtrProperty;
struct VtrProperty
{
  VtrPropertyKind kind;
  const char *name;          /* "extent", "[3]"; the command's name at the root */
  const char *type_name;     /* "VkExtent3D", "uint32_t" */
  const VtrProperty *parent; /* NULL at the root */
  uint64_t n_children;
  uint64_t address;     /* captured address of the pointee, 0 if this is no pointer */
  uint16_t type;        /* VtrHandleId, VtrEnumId or VtrStructId depending on .kind */
  bool ignored;         /* the driver does not look at it */
  bool out;             /* the driver writes it */
  uint64_t value;       /* number (sign-extended), enumerant, bits, handle; floats: use the text */
  const uint8_t *bytes; /* of a string or bytes */
  size_t size;          /* of .bytes; strings without NUL */
  /* private */
  const struct VtrPropertyRoot *root;
  const VtrApiField *field;
  const struct VtrScope *scope; /* the struct the field belongs to */
  const void *slot;             /* the element or pointer shown */
  uint8_t level;                /* pointers followed to get to .slot */
  bool in_chain;                /* an element of a pNext chain */
};

/* @decoded: nullable. Returns: NULL without memory. */
const VtrProperty *vtr_property_root (VtrArena         *arena,
                                      VtrCmdId          cmd,
                                      const void       *args,
                                      const VtrDecoded *decoded,
                                      const VtrApiEnv  *env);

/* Root for a single struct. */
const VtrProperty *vtr_property_struct_root (VtrArena        *arena,
                                             VtrStructId      id,
                                             const void      *base,
                                             const VtrApiEnv *env);

/* @index < .n_children. Returns: NULL without memory or beyond the end. */
const VtrProperty *vtr_property_child (VtrArena          *arena,
                                       const VtrProperty *self,
                                       uint64_t           index);

/* Follows "pCreateInfo/extent/width", "pSubmits/[0]/pCommandBuffers/[3]" ("pSubmits[0]" too); a
 * struct in a pNext chain by its name: "pCreateInfo/pNext/VkImageFormatListCreateInfo".
 * Returns: NULL when there is no such node. */
const VtrProperty *vtr_property_find (VtrArena          *arena,
                                      const VtrProperty *self,
                                      const char        *path);

/* Short text of the value: a number, name, "0x…", "\"text\"", "{…}", "[4]". */
void vtr_property_text (const VtrProperty *self,
                        VtrBuffer         *to);

/* The node with everything below it, as vtr_api_json() writes it. */
void vtr_property_json (const VtrProperty *self,
                        VtrBuffer         *to);
