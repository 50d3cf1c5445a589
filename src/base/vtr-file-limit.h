/* Keeps a process alive that exceeds the file size limit (RLIMIT_FSIZE, "ulimit -f").
 *
 * Threading: call it before there is a second thread. */
#pragma once

/* From here on such a write fails with EFBIG instead of ending the process. Programs that it starts
 * are not changed by that. Does nothing where somebody has decided already. */
void vtr_file_limit_catch (void);
