/* Fuzzes the replay protocol with hostile packets in both directions, beginning with valid
 * messages. */
#include "vtr-fuzz.h"

#include "vtr-fuzz-vm.h"
#include "wire/vtr-replay-message.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  vtr_fuzz_replay_message (data, size);
  return 0;
}

static void
add_message (const ProtobufCMessage *message,
             VtrFuzzAdd              add,
             void                   *user)
{
  uint8_t bytes[1024];

  if (protobuf_c_message_get_packed_size (message) <= sizeof bytes)
    add (user, bytes, protobuf_c_message_pack (message, bytes));
}

static void
add_to_replayer (VtrFuzzAdd  add,
                 void       *user)
{
  uint64_t numbers[] = { 0, 1, 300 }, sizes[] = { 1, 2, 100000 };
  Vtr__Replay__ToReplayer message = VTR__REPLAY__TO_REPLAYER__INIT;
  Vtr__Replay__Begin begin = VTR__REPLAY__BEGIN__INIT;
  Vtr__Replay__Segment segment = VTR__REPLAY__SEGMENT__INIT;
  Vtr__Replay__Resources resources = VTR__REPLAY__RESOURCES__INIT;

  begin.request = 1;
  begin.device = (char *)"driver";
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_BEGIN;
  message.begin = &begin;
  add_message (&message.base, add, user);
  segment.request = 1;
  segment.n_words = 1000;
  segment.n_resources = 3;
  segment.constants_size = 77;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_SEGMENT;
  message.segment = &segment;
  add_message (&message.base, add, user);
  resources.request = 1;
  resources.n_numbers = resources.n_sizes = 3;
  resources.numbers = numbers;
  resources.sizes = sizes;
  message.message_case = VTR__REPLAY__TO_REPLAYER__MESSAGE_RESOURCES;
  message.resources = &resources;
  add_message (&message.base, add, user);
}

static void
add_to_engine (VtrFuzzAdd  add,
               void       *user)
{
  Vtr__Replay__ToEngine message = VTR__REPLAY__TO_ENGINE__INIT;
  Vtr__Replay__Posted posted = VTR__REPLAY__POSTED__INIT;
  Vtr__Replay__Posted__Piece piece = VTR__REPLAY__POSTED__PIECE__INIT;
  Vtr__Replay__Posted__Piece *pieces[] = { &piece, &piece };
  Vtr__Replay__Outcome outcome = VTR__REPLAY__OUTCOME__INIT;

  piece.id = 1;
  piece.offset = 16;
  piece.size = 4096;
  posted.request = 1;
  posted.n_pieces = 2;
  posted.pieces = pieces;
  posted.bytes = 8192;
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_POSTED;
  message.posted = &posted;
  add_message (&message.base, add, user);
  outcome.request = 1;
  outcome.code = VTR__REPLAY__OUTCOME__CODE__CALL;
  outcome.text = (char *)"The call failed.";
  message.message_case = VTR__REPLAY__TO_ENGINE__MESSAGE_OUTCOME;
  message.outcome = &outcome;
  add_message (&message.base, add, user);
}

void
vtr_fuzz_make_seeds (VtrFuzzAdd  add,
                     void       *user)
{
  add_to_replayer (add, user);
  add_to_engine (add, user);
}
