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
  VTR_OP_ENTER_AT, /* f: goes into the element of the field at the walk's current index */
  VTR_OP_PARENT,   /* goes out to the struct around this one */
  VTR_OP_ROOT,     /* goes out to the arguments of the call */
  VTR_OP_RESET,    /* goes back to where the program started */
  VTR_OP_NONNULL,  /* f: pushes whether the pointer or handle is not null */
  VTR_OP_CONST,    /* low, high: pushes a 32-bit number, sign-extended */
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
  VTR_OP_IN,      /* n, then n times low, high: replaces a number by whether it is one of these */
  VTR_OP_ASK,     /* question: pushes what VtrApiModel.answer says */
  VTR_OP_ASK_OF,  /* question: pushes the answer in place of its operand */
  VTR_OP_UNKNOWN, /* pushes "unknown": such a pointer is probed before it is followed */
} VtrApiOp;

/**
 * VtrScope:
 *
 * A struct instance (or the arguments of a command) on the way of a walk; lives on the stack.
 */
typedef struct VtrScope VtrScope;
struct VtrScope
{
  const VtrScope *parent; /* NULL for the arguments; for elements of a pNext chain, its head */
  const uint8_t *base;    /* native memory */
  uint16_t first_field;
  uint16_t n_fields;
  uint16_t struct_id; /* VTR_STRUCT_NONE for the arguments */
  uint16_t cmd;       /* VtrCmdId when these are arguments */
  bool in_chain;      /* its pNext is walked with the chain that it is in */
  /* Reached through a pointer that no rule is certain about: it was found readable, which says
   * nothing of the pointers in it. Inherited by what lies below. */
  bool doubtful;
};

bool vtr_scope_has_field (const VtrScope *self,
                          uint16_t        field);

typedef struct
{
  int64_t value;
  bool known; /* false: it depends on unknown state, or on a pointer that is NULL */
} VtrProgramResult;

/* What a program of a length is about. */
typedef struct
{
  uint64_t index; /* position within the outer array, for programs of inner pointers */
  const void *at; /* what lies behind the pointer; NULL: not to be looked at */
  uint64_t limit; /* of the bytes that may be looked at; UINT64_MAX: as many as their own contents say */
} VtrPointee;

VtrProgramResult vtr_program_measure (VtrApiProgram     program,
                                      const VtrScope   *scope,
                                      const VtrApiEnv  *env,
                                      const VtrPointee *pointee);

/* The same without a look behind the pointer. */
static inline VtrProgramResult
vtr_program_run (VtrApiProgram    program,
                 const VtrScope  *scope,
                 const VtrApiEnv *env,
                 uint64_t         index)
{
  const VtrPointee pointee = { .index = index };

  return vtr_program_measure (program, scope, env, &pointee);
}

void vtr_scope_init_args (VtrScope   *self,
                          VtrCmdId    cmd,
                          const void *args);
void vtr_scope_init_struct (VtrScope       *self,
                            const VtrScope *parent,
                            VtrStructId     id,
                            const void     *base);
