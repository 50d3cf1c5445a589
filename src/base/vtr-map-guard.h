/* Mapped files that somebody else can cut: a recorded program has the descriptor of its ring, and a
 * trace may be overwritten while it is open. Whoever reads what is no longer there gets SIGBUS, which
 * ends the process. Where a mapping is guarded, zeroes lie there instead, and the reader goes on to
 * find that they make no sense.
 *
 * A handler for SIGBUS is set with the first guard; signals that are not about a guarded mapping go
 * on to the one before it. Not for libraries in foreign processes. Threading: any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/**
 * vtr_map_guard_add:
 * @start: of a mapping, or what mmap() returned for it
 *
 * Returns: a number for the functions below; -1 when there are too many: then it is not guarded.
 */
int vtr_map_guard_add (const void *start,
                       size_t      size);

/* Before it is unmapped. -1 is ignored. */
void vtr_map_guard_remove (int guard);

/* Whether some of it was read that is not there any more. */
bool vtr_map_guard_is_lost (int guard);
