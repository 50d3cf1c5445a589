/* The acts of the intruder driver. Each returns whether it was possible; else errno says why not. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

typedef struct
{
  const char *name;
  bool (*act) (void);
} VtrIntruderAct;

#define ACT(name) \
  { \
#name, name \
  }

/* Each ends with a NULL name. */
extern const VtrIntruderAct vtr_intruder_files[];
extern const VtrIntruderAct vtr_intruder_network[];
extern const VtrIntruderAct vtr_intruder_processes[];
extern const VtrIntruderAct vtr_intruder_kernel[];
extern const VtrIntruderAct vtr_intruder_calls[];
extern const VtrIntruderAct vtr_intruder_nodes[];
extern const VtrIntruderAct vtr_intruder_terminal[];

/* A variable of the environment; "": not set. */
const char *vtr_intruder_setting (const char *name);
pid_t vtr_intruder_victim (void);

/* Whether the kernel handled a request that gave @result. The permissions differ between systems
 * and users, so a test passes only if the sandbox stopped the request before that. */
bool vtr_intruder_was_looked_at (long result);

/* Whether @fd is a file descriptor, which is closed then. */
bool vtr_intruder_opened (int fd);
