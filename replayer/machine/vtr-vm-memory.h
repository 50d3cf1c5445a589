/* The memory of the replay machine, in four spaces:
 *
 * constant: data from segments. Read only; grows by appending.
 *
 * volatile: one reserved range, zero until written. Pages are committed when touched.
 *
 * code: the instruction words of a request, kept while execution may return to them.
 *
 * absolute: process addresses. Allowed are the spaces above and *windows*: device memory that is
 * mapped at the moment.
 *
 * Each space is reserved once, so that addresses handed to the driver stay valid while a request
 * grows.
 *
 * Threading: one at a time. */
#pragma once

#include "base/vtr-status.h"
#include "wire/vtr-replay-opcode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A captured pointer that no observation covers; the builder uses it for addresses that must not be
 * read. */
#define VTR_VM_POISON_ADDRESS 0xbadf00dull

typedef struct
{
  uint8_t *base;
  size_t reserved;
  size_t used; /* of constants and code: everything that was ever written */
} VtrVmRange;

typedef struct
{
  uint64_t start;
  uint64_t size;
} VtrVmWindow;

typedef struct
{
  VtrVmRange constants;
  VtrVmRange values; /* volatile memory */
  VtrVmRange code;
  VtrVmWindow *windows; /* sorted by start, disjoint */
  size_t n_windows;
  size_t max_windows;
} VtrVmMemory;

typedef enum
{
  VTR_VM_READ,
  VTR_VM_WRITE,
} VtrVmAccess;

/* Errors: VTR_NO_MEMORY when the address space is refused. Finish in any case. */
VtrStatus vtr_vm_memory_init (VtrVmMemory *self) VTR_MUST_CHECK;
void vtr_vm_memory_finish (VtrVmMemory *self);

/* The bytes of address space that are reserved for the machine. */
uint64_t vtr_vm_memory_get_reserved (const VtrVmMemory *self);

/* Empties every space and removes the windows. */
void vtr_vm_memory_reset (VtrVmMemory *self);

/* Empties constants and code only. */
void vtr_vm_memory_forget_code (VtrVmMemory *self);

/* Appends room for @size bytes of constants. @room: where it is. Errors: VTR_NO_SPACE. */
VtrStatus vtr_vm_memory_add_constants (VtrVmMemory  *self,
                                       size_t        size,
                                       uint8_t     **room) VTR_MUST_CHECK;

/* Makes room for @n_words from word @start on, which become code with vtr_vm_memory_add_code().
 * Until then @room[0] must not change, because the interpreter ends there. Errors: VTR_NO_SPACE. */
VtrStatus vtr_vm_memory_find_code_room (VtrVmMemory  *self,
                                        uint64_t      start,
                                        size_t        n_words,
                                        uint32_t    **room) VTR_MUST_CHECK;
/* Makes the words in the room code, with @first as the first word. */
void vtr_vm_memory_add_code (VtrVmMemory *self,
                             uint64_t     start,
                             size_t       n_words,
                             uint32_t     first);

/* Adds a window: device memory that is now mapped at @start. Errors: VTR_NO_MEMORY. */
VtrStatus vtr_vm_memory_add_window (VtrVmMemory *self,
                                    const void  *start,
                                    uint64_t     size) VTR_MUST_CHECK;
void vtr_vm_memory_remove_window (VtrVmMemory *self,
                                  const void  *start);

/* Returns: what the address @value of @type stands for, and in @available how many bytes follow
 * in its space; NULL when it lies in none, is null or poison, or @type is no pointer. */
void *vtr_vm_memory_at (const VtrVmMemory *self,
                        VtrVmType          type,
                        uint64_t           value,
                        VtrVmAccess        access,
                        uint64_t          *available);

/* Like vtr_vm_memory_at(), but NULL too unless @size bytes lie in that space. */
void *vtr_vm_memory_resolve (const VtrVmMemory *self,
                             VtrVmType          type,
                             uint64_t           value,
                             uint64_t           size,
                             VtrVmAccess        access);
