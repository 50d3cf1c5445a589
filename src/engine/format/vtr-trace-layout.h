/* Byte layout of a Vitrine file around its proto-pack stream (FORMAT.md §3).
 *
 *   VtrTraceHead (a skippable frame; since version 2 a VtrTraceLongHead)
 *   { VtrTraceNoteFrame (a skippable frame), zstd frame }*
 *   seek table (a skippable frame; "zstd seekable format")
 *
 * All numbers are little-endian. Threading: any (constant). */
#pragma once

#include <assert.h>
#include <stdint.h>

static_assert (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the layouts below are mapped as they are");

#define VTR_TRACE_NAME "VITRINE" /* and its NUL */
#define VTR_TRACE_VERSION 2
#define VTR_TRACE_OLDEST_VERSION 1 /* its head has no identity */
#define VTR_TRACE_HEAD_MAGIC 0x184d2a50u
#define VTR_TRACE_NOTE_MAGIC 0x184d2a51u
#define VTR_TRACE_SEEK_MAGIC 0x184d2a5eu  /* given by the zstd seekable format */
#define VTR_TRACE_SEEK_FOOTER 0x8f92eab1u /* given by the zstd seekable format */
#define VTR_TRACE_SEEK_FOOTER_SIZE 9

/* A frame is closed when it holds this much, or this long after its first object. */
#define VTR_TRACE_FRAME_BYTES (1024u * 1024u)
#define VTR_TRACE_FRAME_MS 250

/* A frame is larger only if one object is, and none is larger than the ring that it came through.
 * Readers refuse more: a few bytes may claim to be anything. */
#define VTR_TRACE_MAX_FRAME_BYTES ((uint64_t)1 << 30)

/* Observations above this become resources. */
#define VTR_TRACE_INLINE_BYTES 1024u

typedef struct
{
  uint32_t magic; /* VTR_TRACE_HEAD_MAGIC */
  uint32_t size;  /* of what follows: 16, since version 2 with the identity 32 */
  char name[8];   /* VTR_TRACE_NAME: what MIME magic looks for, at offset 8 */
  uint32_t version;
  uint32_t reserved;
} VtrTraceHead;

/* The head of version 2. */
typedef struct
{
  VtrTraceHead head;
  uint8_t recording[16]; /* VtrRecordingId */
} VtrTraceLongHead;

typedef enum
{
  VTR_TRACE_FRAME_DEFINITIONS = 0, /* proto-pack header and types */
  VTR_TRACE_FRAME_COMMANDS = 1,    /* commands and everything in order with them */
  VTR_TRACE_FRAME_RESOURCES = 2,   /* vitrine.Resource only; before the frame that refers to them */
  VTR_TRACE_FRAME_INDEX = 3,       /* vitrine.Header and vitrine.Index */
} VtrTraceFrameKind;

/* A summary of a zstd frame, readable without decompressing it. */
typedef struct
{
  uint32_t kind;          /* VtrTraceFrameKind */
  uint32_t ticket_items;  /* objects of record .next_ticket that are in the file already */
  uint64_t first_command; /* flat index of the first command in it, or of the next one */
  uint32_t n_commands;
  uint32_t n_resources;
  uint64_t first_resource; /* number of the first resource in it, or of the next one */
  uint64_t next_ticket;    /* every record with a lower ticket is in the file up to here */
  uint64_t raw_size;
  uint64_t compressed_size;
  uint64_t checksum; /* XXH3-64 of all above */
} VtrTraceNote;

typedef struct
{
  uint32_t magic; /* VTR_TRACE_NOTE_MAGIC */
  uint32_t size;  /* sizeof (VtrTraceNote) */
  VtrTraceNote note;
} VtrTraceNoteFrame;

/* A zstd frame and where it is. */
typedef struct
{
  uint64_t offset; /* in the file, of the zstd frame itself */
  VtrTraceNote note;
} VtrTraceFrame;

static_assert (sizeof (VtrTraceHead) == 24, "");
static_assert (sizeof (VtrTraceLongHead) == 40, "");
static_assert (sizeof (VtrTraceNote) == 64, "");
static_assert (sizeof (VtrTraceNoteFrame) == 72, "");
static_assert (sizeof (VtrTraceFrame) == 72, "");
