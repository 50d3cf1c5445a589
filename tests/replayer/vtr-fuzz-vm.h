/* Feeds hostile payloads to the replay machine and hostile packets to the protocol. S0: no GLib. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Runs the bytes as instructions of a machine whose functions do nothing; no bytes: frees the
 * machine. */
void vtr_fuzz_vm (const uint8_t *data,
                  size_t         size);

/* Reads the bytes as a message of either direction, and checks the layout a Segment claims. */
void vtr_fuzz_replay_message (const uint8_t *data,
                              size_t         size);
