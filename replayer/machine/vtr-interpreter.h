/* The replay machine: runs the instruction words of src/wire/vtr-replay-opcode.h.
 *
 * It implements memory, stack and jumps. Calls go to the tables it is given, and everything from
 * outside (resources, posts, fences) goes through VtrVmHost. It does not trust its instructions:
 * a payload can read and write the machine's own memory and mapped device memory, and otherwise
 * only what the called functions allow.
 *
 * Threading: one at a time. SWITCH_THREAD moves execution to a worker; two threads never run at
 * once. */
#pragma once

#include "vtr-stack.h"
#include "vtr-vm-memory.h"
#include "wire/vtr-replay-functions.h"
#include "wire/vtr-replay-status.h"

#define VTR_VM_MAX_THREADS 256
#define VTR_VM_MAX_APIS 16 /* as many as an instruction can name */

typedef struct VtrVm VtrVm;
typedef struct VtrVmThreads VtrVmThreads;

/* Why a run ended. The protocol and VtrReplayError use the same words. */
typedef enum
{
  VTR_VM_FINE,
  VTR_VM_ERROR_PAYLOAD,     /* an instruction broke a rule */
  VTR_VM_ERROR_CALL,        /* a call failed that succeeded in the capture; .text is the reason */
  VTR_VM_ERROR_TRACE,       /* a resource is missing */
  VTR_VM_ERROR_UNSUPPORTED, /* the request is not possible here */
  VTR_VM_ERROR_DRIVER,      /* no driver, or none that can run this */
  VTR_VM_ERROR_CANCELLED,
  VTR_VM_ERROR_CLOSED,      /* the engine went away */
  VTR_VM_ERROR_MEMORY,      /* this process ran out of memory */
  VTR_VM_ERROR_ADDRESS,     /* memory does not have the address that the program knows */
  VTR_VM_ERROR_CALL_MEMORY, /* as VTR_VM_ERROR_CALL, for lack of memory */
} VtrVmErrorCode;

typedef struct
{
  VtrVmErrorCode code;
  uint32_t label;       /* the last before the failure */
  uint32_t function;    /* API << 16 | function, or VTR_REPLAY_NO_FUNCTION outside a call */
  uint64_t instruction; /* position of the word, counted over the request */
  uint32_t word;
  char text[512]; /* a sentence; for a failed call only the reason ("VK_ERROR_DEVICE_LOST") */
} VtrVmError;

/* A function of an API. @args are n_args canonical values, pointers already absolute. To fail,
 * it calls vtr_vm_fail(). Returns: the result's bits. */
typedef uint64_t (*VtrVmCall) (void *context,
                               const uint64_t *args);

typedef struct
{
  VtrVmCall call;    /* NULL: exists, but not on this system */
  uint32_t pointers; /* bit n: argument n is a pointer */
  uint8_t n_args;
  uint8_t result; /* VtrVmType, or VTR_VM_VOID */
  uint8_t judged; /* VtrVmFunctions.judge () looks at results that nobody asked for */
  uint8_t known;  /* 0: no function has this id */
} VtrVmFunction;

/* Functions @first … @first + @n - 1 of one API. */
typedef struct
{
  const VtrVmFunction *functions;
  uint32_t first;
  uint32_t n;
  void *context;
  /* Judges a result: returns the error that ends the run, with the reason in *@text, or
   * VTR_VM_FINE. NULL: no result means a failure. */
  VtrVmErrorCode (*judge) (uint32_t function,
                           uint64_t result,
                           char *text,
                           size_t size);
} VtrVmFunctions;

/* Functions that the host provides. All may block. */
typedef struct
{
  /* Content of resource @number: valid until the next call. Returns: false after vtr_vm_fail(). */
  bool (*resource) (void *data,
                    uint64_t number,
                    const uint8_t **bytes,
                    size_t *size);
  bool (*post) (void *data,
                uint64_t id,
                const uint8_t *bytes,
                size_t size);
  bool (*fence) (void *data,
                 uint32_t id);
  /* Name of a function, for error texts; NULL: none. */
  const char *(*function_name) (void     *data,
                                uint32_t  api,
                                uint32_t  function);
  void *data;
} VtrVmHost;

typedef struct
{
  uint32_t label;
  uint32_t used;
  uint64_t position;
} VtrVmJump;

struct VtrVm
{
  VtrVmMemory memory;
  VtrStack stack;
  VtrVmFunctions apis[VTR_VM_MAX_APIS];  /* those of a registry; of API 0 those that every API answers */
  VtrVmFunctions extra[VTR_VM_MAX_APIS]; /* the replay's; of API 0 the machine's */
  VtrVmHost host;
  VtrReplayStatus *status; /* never NULL: the shared page, or a private one */
  VtrReplayStatus own_status;
  VtrVmError error;
  uint64_t position; /* word to run next */
  uint64_t n_words;
  uint64_t present;   /* where the newest segment begins */
  uint64_t n_dropped; /* words that ran and were dropped, or lie behind @n_words */
  uint64_t scanned;   /* jump labels are known up to here */
  VtrVmJump *jumps;   /* hash table, linear probing */
  size_t max_jumps;   /* 0 or a power of two */
  size_t n_jumps;
  uint64_t n_posts; /* POST instructions so far */
  uint32_t thread;
  VtrVmThreads *threads; /* created by the first SWITCH_THREAD */
};

/* Result of running until something happens. */
typedef enum
{
  VTR_VM_DONE, /* no words left, or failed */
  VTR_VM_SWITCHED,
} VtrVmStop;

/* Errors: VTR_NO_MEMORY. Finish in any case. */
VtrStatus vtr_vm_init (VtrVm *self) VTR_MUST_CHECK;
void vtr_vm_finish (VtrVm *self);

/* Resets everything but functions, host and status page, for another request. */
void vtr_vm_reset (VtrVm *self);

/* Like vtr_vm_reset (), but keeps volatile memory and windows. */
void vtr_vm_resume (VtrVm *self);

/* Functions of an API: those of its registry, and those of the replay (nullable). Kept, not copied. For VTR_VM_API_BUILTIN @own
 * are those that every API answers, and @calls are not looked at. */
void vtr_vm_set_functions (VtrVm                *self,
                           unsigned              api,
                           const VtrVmFunctions *calls,
                           const VtrVmFunctions *own);

/* The place of a segment in the machine. The caller fills in all words but the first, which is kept
 * here: until the segment is added, execution ends in front of it. */
typedef struct
{
  uint8_t *constants;
  uint32_t *words; /* [0] must not be changed */
  uint32_t first;
  uint64_t start;
  size_t n_words;
} VtrVmRoom;

/* Makes room for the next segment, even while the machine runs. One room at a time. @anew: the room
 * may replace code that has run, whose pages are in the caches, if no segment jumps into another.
 * Errors: VTR_NO_SPACE. */
VtrStatus vtr_vm_make_room (VtrVm     *self,
                            size_t     constants_size,
                            size_t     n_words,
                            bool       anew,
                            VtrVmRoom *room) VTR_MUST_CHECK;

/* Appends the segment in @room, the newest one. Not while the machine runs; a room that replaces
 * code, only when all code has run. */
void vtr_vm_add_segment (VtrVm           *self,
                         const VtrVmRoom *room);

/* Makes room for a segment and appends a copy of it. Errors: VTR_NO_SPACE. */
VtrStatus vtr_vm_append (VtrVm          *self,
                         const void     *constants,
                         size_t          constants_size,
                         const uint32_t *words,
                         size_t          n_words) VTR_MUST_CHECK;

/* Runs all appended words that have not run. Returns: false: self->error has the reason. */
bool vtr_vm_run (VtrVm *self);

/* Records why the run ends; the first failure counts. For functions and the host. */
__attribute__ ((format (printf, 3, 4))) void vtr_vm_fail (VtrVm *self,
                                                          VtrVmErrorCode code,
                                                          const char *format,
                                                          ...);

/* --- Within the machine ---------------------------------------------------------------------- */

/* Runs on the calling thread. */
VtrVmStop vtr_vm_execute (VtrVm *self);

/* Runs vtr_vm_execute() on worker @self->thread and waits for it. */
VtrVmStop vtr_vm_threads_execute (VtrVm *self);
void vtr_vm_threads_destroy (VtrVmThreads *self);

/* Finds the position after JUMP_LABEL @label in the appended words. Returns: false: there is
 * none. */
bool vtr_vm_find_label (VtrVm    *self,
                        uint32_t  label,
                        uint64_t *position);

/* The number of words of the instruction @word at @position; 0: it reaches past the end. */
uint64_t vtr_vm_instruction_words (const VtrVm *self,
                                   uint64_t     position);

/* Built-in functions (API 0): POST, RESOURCE, NOTIFICATION, WAIT, print stack. */
extern const VtrVmFunctions vtr_vm_builtins;
#define VTR_VM_FIRST_BUILTIN 0xff00u
