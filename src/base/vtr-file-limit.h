/* What becomes of a process that writes a file longer than it may (RLIMIT_FSIZE, "ulimit -f").
 *
 * Threading: before there is a second thread. */
#pragma once

/* From here on such a write fails with EFBIG instead of ending the process. Programs that it starts
 * are not changed by that. Does nothing where somebody has decided already. */
void vtr_file_limit_catch (void);
