/* Locks a process down before it has read a byte of a trace: the replayer and
 * vitrine-shader-tool.
 *
 * The commands of a hostile trace may take over the driver that runs them. So before it loads a
 * driver, the process gives up for good what a replay does not need. Landlock denies it all
 * files except drivers, their settings, device nodes and one folder for shader caches. Seccomp
 * denies it all system calls except those for memory, files, threads and time: no sockets, no
 * programs, no other processes. Threads are created later and inherit this. If the kernel lacks
 * one of the two, the other still holds, and the engine is told.
 *
 * Environment: VITRINE_SANDBOX=0 switches it off; VITRINE_SANDBOX_CACHE is the folder that may
 * be written to; VITRINE_SANDBOX_HOME is a folder that no library path may open for reading.
 *
 * Threading: called once, while there is only one thread. Source: landlock(7), seccomp(2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  bool on;        /* it was not switched off */
  uint32_t files; /* version of Landlock in force; 0: files are not guarded */
  bool calls;     /* system calls are filtered */
  bool counted;   /* the starter of the process creates its memory files */
} VtrSandbox;

/* Gets a path that a driver needs to read; @folder: with what lies below. */
typedef void (*VtrSandboxAllow) (void *data, const char *path, bool folder);

/* Visits all such paths that lie outside of the system's folders. */
typedef void (*VtrSandboxVisit) (VtrSandboxAllow allow, void *data);

/* Limits the memory of this process, so that a replay ends before the machine runs out of it:
 * VITRINE_REPLAY_MEMORY MiB, which the engine sets; by default, the machine's memory. @reserved:
 * bytes of address space that are reserved and count, although hardly any of them will be used. */
void vtr_sandbox_limit_memory (uint64_t reserved);

/* Locks the replayer, but for what @visit visits. Never fails: what could not be locked is missing in the
 * result. */
VtrSandbox vtr_sandbox_enter (VtrSandboxVisit visit);

/* Like vtr_sandbox_enter (), for a program that only computes: standard input, output and error stay open, and
 * nothing else can be opened. */
VtrSandbox vtr_sandbox_enter_tool (void);
