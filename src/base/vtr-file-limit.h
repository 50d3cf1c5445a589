/* Keeps a process alive that exceeds the file size limit (RLIMIT_FSIZE, "ulimit -f").
 *
 * Threading: call it before there is a second thread. */
#pragma once

/* From now on such a write fails with EFBIG instead of ending the process. Programs that the
 * process starts are not affected. Does nothing if SIGXFSZ is already handled or ignored. */
void vtr_file_limit_catch (void);
