/* A snapshot of the process's memory at one moment, kept while the program goes on.
 *
 * A child process keeps it: the child shares all pages with this process until one of them
 * writes, and does nothing but wait. It receives none of the program's signals, keeps no file
 * open and sends no SIGCHLD. The program's wait() does not see it unless the call asks for all
 * kinds of children (__WALL, __WCLONE); in that case the snapshot is lost once the child has
 * ended, and no other process is mistaken for it. If memory runs out, the kernel ends the child
 * first. The child ends when the snapshot is freed, and when this process ends or executes
 * another program.
 *
 * Making the child takes about 30 ms for each GiB of private memory that the process uses, a
 * fraction of what copying takes. After that, the first write to each page copies the page.
 *
 * Threading: one at a time for each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct VtrLayerStill VtrLayerStill;

/* Finds out which memory can be kept. Returns: NULL: none, or no memory is left. */
VtrLayerStill *vtr_layer_still_new (void);

/* Whether all of it is private memory without a file: shared memory and memory of a device would
 * continue to change. Call it again once the snapshot is kept: memory that the program hides from
 * children (MADV_DONTFORK) is known then. */
bool vtr_layer_still_can_keep (const VtrLayerStill *self,
                               const void          *bytes,
                               uint64_t             size);

/* Keeps all memory as it is now. Returns: false when that is not possible here: the system is older than Linux 5.9,
 * system calls are filtered (seccomp), less memory is free than the process uses, or one of @n @bytes is wiped for
 * children. */
bool vtr_layer_still_keep (VtrLayerStill        *self,
                           const uint8_t *const *bytes,
                           size_t                n);

/* Reads the contents of @from at the time of the snapshot. The first call takes as long as making
 * the child, since it looks for memory that is wiped for children (MADV_WIPEONFORK). Returns:
 * false: not available (any more). */
bool vtr_layer_still_read (VtrLayerStill *self,
                           void          *to,
                           const void    *from,
                           size_t         size);

/* Ends the snapshot. @self: or NULL. The child ends soon, which takes as long as making it;
 * vtr_layer_still_reap(), or freeing another one, then removes it from the kernel's list of processes. */
void vtr_layer_still_free (VtrLayerStill *self);

/* Waits until the children of all snapshots that were freed have ended. */
void vtr_layer_still_reap (void);

/* Bytes of private memory that the process uses; 0: unknown. */
uint64_t vtr_layer_still_measure (void);
