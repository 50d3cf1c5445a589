/* A process locked down before it has read a byte of a trace: the replayer, and
 * vitrine-shader-tool.
 *
 * What a trace asks a driver to do may take the driver over. So the process gives up, for good and
 * before it loads a driver, what replaying does not need: other files than drivers, their settings,
 * device nodes and one folder for shader caches (Landlock), and all system calls but those of
 * memory, files, threads and time (seccomp): no sockets, no programs, no other processes. Every
 * thread is made later and inherits it. Where the kernel lacks one of the two, the other holds, and
 * the engine is told.
 *
 * Environment: VITRINE_SANDBOX=0 switches it off; VITRINE_SANDBOX_CACHE is the folder that may be
 * written to; VITRINE_SANDBOX_HOME, a folder that no library's place may open for reading.
 *
 * Threading: the only thread there is, once. Source: landlock(7), seccomp(2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  bool on;        /* it was not switched off */
  uint32_t files; /* version of Landlock in force; 0: files are not guarded */
  bool calls;     /* system calls are filtered */
  bool counted;   /* whoever has started it is asked for files in memory */
} VtrSandbox;

/* What no replay may take, so that it is the replay that ends and not the machine: VITRINE_REPLAY_MEMORY
 * MiB, which the engine sets, else what the machine has. @reserved: bytes of address space that are
 * set aside and count, although hardly any of them will be memory. */
void vtr_sandbox_limit_memory (uint64_t reserved);

/* Locks the replayer. Never fails: what could not be locked is missing in the result. */
VtrSandbox vtr_sandbox_enter (void);

/* The same for a program that only computes: standard input, output and error stay open, and nothing
 * else can be opened. */
VtrSandbox vtr_sandbox_enter_tool (void);
