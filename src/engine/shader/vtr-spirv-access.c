/* Analyses a SPIR-V module to find the buffers and images that it may write to. */
#include "engine/shader/vtr-spirv-access.h"

#include <spirv.h>

typedef enum
{
  KIND_OTHER,
  KIND_POINTER,
  KIND_ARRAY,
  KIND_STRUCT,
  KIND_CONSTANT,
  KIND_VARIABLE,
} Kind;

typedef struct
{
  guint8 kind;
  gboolean read_only : 1; /* of a variable: decorated; of a structure: all of its members */
  gboolean reached : 1;   /* of a variable: functions may write through it */
  guint32 value;          /* what a pointer leads to or elements are of; of a constant */
} Id;

struct _VtrSpirvAccess
{
  guint32 bound;
  Id *ids;
  GHashTable *members; /* structure << 32 | member, as gint64: those that are NonWritable */
  gboolean in_functions;
};

VtrSpirvAccess *
vtr_spirv_access_new (guint32 bound)
{
  VtrSpirvAccess *self = g_new0 (VtrSpirvAccess, 1);

  self->bound = bound;
  self->ids = g_new0 (Id, bound);
  self->members = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return self;
}

void
vtr_spirv_access_free (VtrSpirvAccess *self)
{
  g_hash_table_unref (self->members);
  g_free (self->ids);
  g_free (self);
}

static Id *
get_id (VtrSpirvAccess *self, guint32 id)
{
  return id < self->bound ? &self->ids[id] : NULL;
}

static const Id *
get_kind (VtrSpirvAccess *self, guint32 id, Kind kind)
{
  return id < self->bound && self->ids[id].kind == kind ? &self->ids[id] : NULL;
}

static void
set_id (VtrSpirvAccess *self, guint32 at, Kind kind, guint32 value)
{
  Id *id = get_id (self, at);

  if (id == NULL)
    return;
  id->kind = (guint8)kind;
  id->value = value;
}

/* --- Types ----------------------------------------------------------------------------------- */

static gint64
member_key (guint32 structure, guint32 member)
{
  return (gint64)((guint64)structure << 32 | member);
}

/* The structure behind the arrays of @type; 0: none. *@depth: how many arrays. */
static guint32
find_structure (VtrSpirvAccess *self, guint32 type, guint32 *depth)
{
  const Id *array;

  /* A type is declared before it is used; a module in which it is not would go in circles. */
  for (*depth = 0; *depth < 8 && (array = get_kind (self, type, KIND_ARRAY)) != NULL; ++*depth)
    type = array->value;
  return get_kind (self, type, KIND_STRUCT) != NULL ? type : 0;
}

static gboolean
is_member_read_only (VtrSpirvAccess *self, guint32 structure, guint32 member)
{
  gint64 key = member_key (structure, member);

  return g_hash_table_contains (self->members, &key);
}

static void
read_structure (VtrSpirvAccess *self, const guint32 *operands, gsize n)
{
  Id *structure = n >= 1 ? get_id (self, operands[0]) : NULL;
  gboolean all = n >= 2;

  if (structure == NULL)
    return;
  for (gsize i = 1; i < n; i++)
    {
      guint32 depth;
      guint32 inner = find_structure (self, operands[i], &depth);

      if (inner != 0 && self->ids[inner].read_only)
        {
          gint64 key = member_key (operands[0], (guint32)(i - 1));

          g_hash_table_add (self->members, g_memdup2 (&key, sizeof key));
        }
      all &= is_member_read_only (self, operands[0], (guint32)(i - 1));
    }
  structure->kind = KIND_STRUCT;
  structure->read_only = all;
}

static void
read_decoration (VtrSpirvAccess *self, guint32 opcode, const guint32 *operands, gsize n)
{
  if (opcode == SpvOpDecorate && n >= 2 && operands[1] == SpvDecorationNonWritable &&
      operands[0] < self->bound)
    self->ids[operands[0]].read_only = TRUE;
  else if (opcode == SpvOpMemberDecorate && n >= 3 && operands[2] == SpvDecorationNonWritable)
    {
      gint64 key = member_key (operands[0], operands[1]);

      g_hash_table_add (self->members, g_memdup2 (&key, sizeof key));
    }
}

/* --- Functions ------------------------------------------------------------------------------- */

static void
reach (VtrSpirvAccess *self, const guint32 *operands, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (get_kind (self, operands[i], KIND_VARIABLE) != NULL)
      self->ids[operands[i]].reached = TRUE;
}

/* Result type, result, base, indices: through arrays of blocks to the member. */
static void
read_chain (VtrSpirvAccess *self, const guint32 *operands, gsize n)
{
  const Id *base = n >= 3 ? get_kind (self, operands[2], KIND_VARIABLE) : NULL;
  const Id *pointer = base != NULL ? get_kind (self, base->value, KIND_POINTER) : NULL;
  const Id *index = NULL;
  guint32 structure, depth;

  if (base == NULL)
    return;
  structure = pointer != NULL ? find_structure (self, pointer->value, &depth) : 0;
  if (structure != 0 && n > 3 + (gsize)depth)
    index = get_kind (self, operands[3 + depth], KIND_CONSTANT);
  if (index == NULL || !is_member_read_only (self, structure, index->value))
    self->ids[operands[2]].reached = TRUE;
}

static void
read_in_function (VtrSpirvAccess *self, guint32 opcode, const guint32 *operands, gsize n)
{
  switch (opcode)
    {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
      read_chain (self, operands, n);
      break;
    /* These use values, not the variables from which they were loaded; literals are not ids. */
    case SpvOpLoad:
    case SpvOpArrayLength:
    case SpvOpCompositeExtract:
    case SpvOpVectorShuffle:
    case SpvOpLine:
      break;
    default:
      reach (self, operands, n);
      break;
    }
}

/* --- Instructions ---------------------------------------------------------------------------- */

void
vtr_spirv_access_read (VtrSpirvAccess *self, guint32 opcode, const guint32 *operands, gsize n)
{
  if (opcode == SpvOpFunction)
    self->in_functions = TRUE;
  if (self->in_functions)
    {
      read_in_function (self, opcode, operands, n);
      return;
    }
  switch (opcode)
    {
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
      read_decoration (self, opcode, operands, n);
      break;
    case SpvOpTypePointer:
      if (n >= 3)
        set_id (self, operands[0], KIND_POINTER, operands[2]);
      break;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
      if (n >= 2)
        set_id (self, operands[0], KIND_ARRAY, operands[1]);
      break;
    case SpvOpTypeStruct:
      read_structure (self, operands, n);
      break;
    case SpvOpConstant:
      if (n >= 3)
        set_id (self, operands[1], KIND_CONSTANT, operands[2]);
      break;
    case SpvOpVariable:
      if (n >= 3)
        set_id (self, operands[1], KIND_VARIABLE, operands[0]);
      /* Its initial value may be the address of another. */
      if (n >= 4)
        reach (self, operands + 3, n - 3);
      break;
    default:
      break;
    }
}

gboolean
vtr_spirv_access_may_write (VtrSpirvAccess *self, guint32 variable)
{
  const Id *id = get_kind (self, variable, KIND_VARIABLE);
  const Id *pointer = id != NULL ? get_kind (self, id->value, KIND_POINTER) : NULL;
  guint32 depth, structure;

  if (id != NULL && id->read_only)
    return FALSE;
  structure = pointer != NULL ? find_structure (self, pointer->value, &depth) : 0;
  if (structure == 0)
    return TRUE;
  return id->reached && !self->ids[structure].read_only;
}
