/* Attacks that code which has taken over the replayer would try. Each act goes only as far as it
 * needs to show that it is possible, and prints "intruder PLACE NAME: done", or the reason why not,
 * on standard error.
 *
 * Environment: INTRUDER_SECRET (a file to read), INTRUDER_FOLDER (where to write), INTRUDER_PORT (of
 * a TCP server on 127.0.0.1), INTRUDER_SOCKET (path of a UNIX server, whose abstract name is the
 * same), INTRUDER_VICTIM (a process to harm).
 *
 * Threading: any, one at a time. */
#pragma once

/* Tries everything. @place: "thread", … */
void vtr_intruder_act (const char *place);

/* Says whether the file INTRUDER_PLANT is in the home, and leaves it there for others. */
void vtr_intruder_plant (void);

/* Takes what INTRUDER_GREED names; nothing without it. */
void vtr_intruder_be_greedy (void);
