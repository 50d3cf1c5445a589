/* Postfix programs of the tables: lengths of arrays and conditions under which a pointer or handle
 * is looked at. They read the scalar members of the struct at hand, of structs it points to and of
 * those around it. Always evaluated on native trees. Threading: any (immutable tables). */
#pragma once

#include "api/vtr-api-env.h"
#include "api/vtr-api-types.h"

/* Operands follow their operation as 16-bit words; f is an index of vtr_api_fields. */
typedef enum
{
  VTR_OP_END,
  VTR_OP_FIELD,    /* f: pushes the number in the field, or that it points to */
  VTR_OP_ENTER,    /* f: goes into the struct embedded in or pointed to by the field */
  VTR_OP_ENTER_AT, /* f: likewise, into the element of the walk's current index */
  VTR_OP_PARENT,   /* goes out to the struct around this one */
  VTR_OP_RESET,    /* goes back to where the program started */
  VTR_OP_NONNULL,  /* f: pushes whether the pointer or handle is not null */
  VTR_OP_CONST,    /* low, high: pushes a 32-bit number */
  VTR_OP_ADD,
  VTR_OP_SUB,
  VTR_OP_MUL,
  VTR_OP_DIV,
  VTR_OP_EQ,
  VTR_OP_NE,
  VTR_OP_LT,
  VTR_OP_LE,
  VTR_OP_GT,
  VTR_OP_GE,
  VTR_OP_BITAND,
  VTR_OP_AND,
  VTR_OP_OR,
  VTR_OP_NOT,
  VTR_OP_HOOK, /* id: pushes what the C function of vtr-api-rules.c answers */
} VtrApiOp;

/**
 * VtrScope:
 *
 * A struct instance (or the arguments of a command) on the way of a walk; lives on the stack.
 */
typedef struct VtrScope VtrScope;
struct VtrScope
{
  const VtrScope *parent; /* NULL for the arguments */
  const uint8_t *base;    /* native memory */
  uint16_t first_field;
  uint16_t n_fields;
  uint16_t struct_id;      /* VTR_STRUCT_NONE for the arguments */
  uint16_t cmd;            /* VtrCmdId when these are arguments */
  const VtrScope *next_of; /* for an element of a pNext chain: the struct at its head */
};

typedef struct
{
  int64_t value;
  bool known; /* false: it depends on state nobody told us, or on a pointer that is NULL */
} VtrProgramResult;

/* @index: position within the outer array, for programs of inner pointers. */
VtrProgramResult vtr_program_run (VtrApiProgram program,
                                  const VtrScope *scope,
                                  const VtrApiEnv *env,
                                  uint64_t index);

void vtr_scope_init_args (VtrScope *self,
                          VtrCmdId cmd,
                          const void *args);
void vtr_scope_init_struct (VtrScope *self,
                            const VtrScope *parent,
                            VtrStructId id,
                            const void *base);
