/* Reading and writing single slots of native memory. Threading: any. */
#pragma once

#include "api/vtr-api-rules.h"

#include <string.h>

#define VTR_WALK_MAX_DEPTH 32  /* pointers within pointers */
#define VTR_WALK_MAX_CHAIN 256 /* structs in one pNext chain */

/* How strings are measured that may be none. */
#define VTR_WALK_PAGE 4096
#define VTR_WALK_MAX_STRING 65536

/* Header every struct in a pNext chain begins with. */
typedef struct
{
  uint32_t stype;
  const void *next;
} VtrChainHeader;

static inline bool
vtr_field_is_struct (const VtrApiField *field)
{
  return field->kind == VTR_KIND_STRUCT || field->kind == VTR_KIND_UNION;
}

/* Whether elements of @field are done with once their bytes are copied. */
static inline bool
vtr_field_is_plain (const VtrApiField *field)
{
  if (vtr_field_is_struct (field))
    return (vtr_struct_get (field->type)->flags & VTR_STRUCT_PLAIN) != 0;
  return field->kind != VTR_KIND_HANDLE && field->kind != VTR_KIND_ADDRESS &&
         field->kind != VTR_KIND_FUNCTION && (field->flags & VTR_FIELD_OBJECT) == 0;
}

/* Whether @field itself, no pointer, is done with once its bytes are copied. */
static inline bool
vtr_field_is_number (const VtrApiField *field)
{
  return field->pointers == 0 && field->kind != VTR_KIND_NEXT && !vtr_field_is_struct (field) &&
         vtr_field_is_plain (field);
}

static inline const void *
vtr_slot_pointer (const void *slot)
{
  const void *pointer;

  memcpy (&pointer, slot, sizeof pointer);
  return pointer;
}

static inline void
vtr_slot_set_pointer (void       *slot,
                      const void *pointer)
{
  memcpy (slot, &pointer, sizeof pointer);
}

static inline uint64_t
vtr_slot_load (const void *slot,
               unsigned    size)
{
  uint64_t value = 0;

  switch (size)
    {
    case 1:
      return *(const uint8_t *)slot;
    case 2:
      {
        uint16_t v;
        memcpy (&v, slot, sizeof v);
        return v;
      }
    case 4:
      {
        uint32_t v;
        memcpy (&v, slot, sizeof v);
        return v;
      }
    default:
      memcpy (&value, slot, 8);
      return value;
    }
}

/* Stores the low bytes of @value. */
static inline void
vtr_slot_store (void     *slot,
                uint64_t  value,
                unsigned  size)
{
  switch (size)
    {
    case 4:
      memcpy (slot, &value, 4);
      break;
    case 8:
      memcpy (slot, &value, 8);
      break;
    default:
      memcpy (slot, &value, size);
    }
}

/* The number in one element, sign-extended where the kind is signed; handles and pointers as
 * numbers. Not for structs. */
int64_t vtr_slot_number (const VtrApiField *field,
                         const void        *slot,
                         bool               bit_field);

/* Whether the driver looks at @field of the struct in @scope. Unknown answers are VTR_UNKNOWN. */
VtrTristate vtr_field_rule (const VtrApiField *field,
                            const VtrScope    *scope,
                            const VtrApiEnv   *env);

static inline VtrTristate
vtr_field_is_live (const VtrApiField *field,
                   const VtrScope    *scope,
                   const VtrApiEnv   *env)
{
  return field->live == 0 ? VTR_YES : vtr_field_rule (field, scope, env);
}

VtrTristate vtr_field_judge_rule (const VtrApiField *field,
                                  const VtrScope    *scope,
                                  const VtrApiEnv   *env);

/* Whether a walk follows @field. VTR_UNKNOWN: only if vtr_field_elements() finds it readable, and
 * what lies behind it is doubtful. Unknown pointers of decoded trees are followed; without
 * env->readable they are not. */
static inline VtrTristate
vtr_field_judge (const VtrApiField *field,
                 const VtrScope    *scope,
                 const VtrApiEnv   *env)
{
  return field->live == 0 && !scope->doubtful ? VTR_YES : vtr_field_judge_rule (field, scope, env);
}

/* Like vtr_field_judge_rule (), with a definite answer, for walks over trees that Vitrine has made: a doubtful pointer is
 * followed if it can be read. */
bool vtr_field_rule_decided (const VtrApiField *field,
                             const VtrScope    *scope,
                             const VtrApiEnv   *env);

static inline bool
vtr_field_is_followed (const VtrApiField *field,
                       const VtrScope    *scope,
                       const VtrApiEnv   *env)
{
  return field->live == 0 || vtr_field_rule_decided (field, scope, env);
}

/* Elements behind the pointer of @level (0: outer) in @field, once known to be not NULL. Strings
 * are measured, with their NUL, at @pointee. Returns: false when the length cannot be known. */
bool vtr_field_length (const VtrApiField *field,
                       unsigned           level,
                       const VtrScope    *scope,
                       const VtrApiEnv   *env,
                       uint64_t           index,
                       const void        *pointee,
                       uint64_t          *out);

/* Like vtr_field_length (), for a pointer that vtr_field_judge () has judged: measures doubtful pointers without a fault.
 * Returns: false also if the pointer is not followed, or not all of its elements can be read. */
bool vtr_field_elements (const VtrApiField *field,
                         unsigned           level,
                         const VtrScope    *scope,
                         const VtrApiEnv   *env,
                         uint64_t           index,
                         const void        *pointee,
                         VtrTristate        judgement,
                         uint64_t          *out);

/* The scope of what lies behind a pointer that was judged. @storage: for a changed copy. */
static inline const VtrScope *
vtr_scope_behind (const VtrScope *scope,
                  VtrTristate     judgement,
                  VtrScope       *storage)
{
  if (judgement == VTR_YES || scope->doubtful)
    return scope;
  *storage = *scope;
  storage->doubtful = true;
  return storage;
}

/* Whether the structure at @next of the pNext chain of @scope can be read. Certain, except below a
 * doubtful pointer. */
bool vtr_chain_goes_on (const VtrScope  *scope,
                        const VtrApiEnv *env,
                        const void      *next);

/* Whether the bytes behind @field have a shape that other objects say (VtrApiModel.visit_data). */
static inline bool
vtr_field_has_data (const VtrApiField *field,
                    const VtrScope    *scope)
{
  return (field->flags & VTR_FIELD_SIZED) != 0 && field->kind == VTR_KIND_VOID &&
         vtr_scope_api (scope)->visit_data != NULL;
}

/* Data of VTR_FIELD_SIZED fields is preceded, in decoded trees, by the number of its elements. */
#define VTR_SIZED_PREFIX 16

static inline void *
vtr_sized_place (void     *memory,
                 uint64_t  size)
{
  memcpy (memory, &size, sizeof size);
  return (uint8_t *)memory + VTR_SIZED_PREFIX;
}

static inline uint64_t
vtr_sized_size (const void *data)
{
  return vtr_slot_load ((const uint8_t *)data - VTR_SIZED_PREFIX, 8);
}

/* Environment of walks over decoded trees, for callers that pass none. */
extern const VtrApiEnv vtr_env_of_decoded;

/* Elements of an array inside the slot that mean something. */
uint32_t vtr_field_array_count (const VtrApiField *field,
                                const VtrScope    *scope);

/* The bits with which decoded arguments of a command with .has_offsets say which of them are
 * offsets. */
static inline uint8_t *
vtr_args_offsets (VtrCmdId  cmd,
                  void     *args)
{
  return (uint8_t *)args + vtr_cmd_get (cmd)->args_size - sizeof (uint64_t);
}

/* Bit of @field, a parameter in @scope. */
static inline uint64_t
vtr_args_offset_bit (const VtrApiField *field,
                     const VtrScope    *scope)
{
  return UINT64_C (1) << (field - &vtr_api_fields[scope->first_field]);
}

/* Whether decoded arguments have an offset in @field. */
static inline bool
vtr_args_has_offset (const VtrApiField *field,
                     const VtrScope    *scope)
{
  const uint8_t *offsets =
    scope->base + vtr_cmd_get (scope->cmd)->args_size - sizeof (uint64_t);

  return (vtr_slot_load (offsets, sizeof (uint64_t)) & vtr_args_offset_bit (field, scope)) != 0;
}

/* Whether the slot of @field holds an offset: a number that stays as it is. Certain for decoded
 * trees; otherwise an unknown number counts as none. */
static inline bool
vtr_field_is_offset (const VtrApiField *field,
                     const VtrScope    *scope,
                     const VtrApiEnv   *env)
{
  return (field->flags & VTR_FIELD_OFFSET_OR_POINTER) != 0 &&
         vtr_field_rule (field, scope, env) == VTR_NO;
}

/* Kind of the name in a number (VTR_FIELD_OBJECT); VTR_HANDLE_NONE when it cannot be told. */
VtrHandleId vtr_field_object_type (const VtrApiField *field,
                                   const VtrScope    *scope);

/* Members of a union without selector are views of the same bytes. */
static inline bool
vtr_struct_is_raw (const VtrApiStruct *type)
{
  return (type->flags & VTR_STRUCT_UNION) != 0 &&
         (vtr_api_fields[type->first_field].flags & VTR_FIELD_SELECTED) == 0;
}

/* Whether a member is one the selector of its union passes over. */
bool vtr_field_is_dead (const VtrApiField *field,
                        const VtrScope    *scope,
                        const VtrApiEnv   *env);
