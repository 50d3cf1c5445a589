/* Adds an output with a constant value to a fragment shader, with which an overlay counts the
 * fragments of each pixel. */
#include "engine/shader/vtr-spirv-output.h"

#include "vtr-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/shader/vtr-spirv.h"

#define MAGIC 0x07230203u
#define HEADER 5

enum
{
  OP_EXT_INST = 12,
  OP_MEMORY_MODEL = 14,
  OP_ENTRY_POINT = 15,
  OP_EXECUTION_MODE = 16,
  OP_CAPABILITY = 17,
  OP_TYPE_FIRST = 19,
  OP_TYPE_VOID = 19,
  OP_TYPE_FLOAT = 22,
  OP_TYPE_ARRAY = 28,
  OP_TYPE_POINTER = 32,
  OP_TYPE_FUNCTION = 33,
  OP_TYPE_LAST = 39,
  OP_CONSTANT_FIRST = 41,
  OP_CONSTANT = 43,
  OP_CONSTANT_LAST = 52,
  OP_FUNCTION = 54,
  OP_FUNCTION_END = 56,
  OP_FUNCTION_CALL = 57,
  OP_VARIABLE = 59,
  OP_STORE = 62,
  OP_ACCESS_CHAIN = 65,
  OP_IN_BOUNDS_ACCESS_CHAIN = 66,
  OP_DECORATE = 71,
  OP_GROUP_MEMBER_DECORATE = 75,
  OP_COPY_OBJECT = 83,
  OP_LABEL = 248,
  OP_RETURN = 253,
  OP_DECORATE_ID = 332,
  OP_DECORATE_STRING = 5632,
  OP_MEMBER_DECORATE_STRING = 5633,
  MODEL_FRAGMENT = 4,
  STORAGE_OUTPUT = 3,
  STORAGE_PRIVATE = 6,
  VERSION_1_4 = 0x00010400,
  DECORATION_LOCATION = 30,
};

#define WORD(length, op) ((guint32)(length) << 16 | (op))

/* Does nothing. Ids: 1 main, 2 void, 3 its function, 4 the label. */
static const guint32 nothing[] = {
  MAGIC,
  0x00010000,
  0,
  5,
  0,
  WORD (2, OP_CAPABILITY),
  1, /* Shader */
  WORD (3, OP_MEMORY_MODEL),
  0,
  1, /* Logical GLSL450 */
  WORD (5, OP_ENTRY_POINT),
  MODEL_FRAGMENT,
  1,
  0x6e69616d,
  0, /* "main" */
  WORD (3, OP_EXECUTION_MODE),
  1,
  7, /* OriginUpperLeft */
  WORD (2, OP_TYPE_VOID),
  2,
  WORD (3, OP_TYPE_FUNCTION),
  3,
  2,
  WORD (5, OP_FUNCTION),
  2,
  1,
  0,
  3,
  WORD (2, OP_LABEL),
  4,
  WORD (1, OP_RETURN),
  WORD (1, OP_FUNCTION_END),
};

typedef struct
{
  const guint32 *words;
  gsize n;
  guint32 location;
  guint32 value;
  GHashTable *interface; /* ids of the entry point's variables */
  GHashTable *locations; /* id → location + 1 */
  GHashTable *constants; /* id → first word */
  GHashTable *lengths;   /* array type → elements */
  GHashTable *pointees;  /* pointer type → type */
  GHashTable *moved;     /* ids of outputs at the location, and of pointers into them */
  GHashTable *privates;  /* pointer type of a moved id → the one it becomes */
  /* found: offsets into words, 0: not */
  gsize entry, annotations, functions, body;
  guint32 function;        /* id */
  guint32 scalar, pointer; /* ids of types; 0: to be made */
  guint32 n_ids;
  gboolean in_entry, in_first_block;
  gboolean taken; /* the location has an output that cannot be moved out of the way */
  /* made */
  guint32 variable;
} Patch;

static gboolean
is_annotation (guint32 op)
{
  return (op >= OP_DECORATE && op <= OP_GROUP_MEMBER_DECORATE) || op == OP_DECORATE_ID ||
         op == OP_DECORATE_STRING || op == OP_MEMBER_DECORATE_STRING;
}

static gboolean
is_global (guint32 op)
{
  return (op >= OP_TYPE_FIRST && op <= OP_TYPE_LAST) ||
         (op >= OP_CONSTANT_FIRST && op <= OP_CONSTANT_LAST) || op == OP_VARIABLE ||
         op == OP_EXT_INST || op == OP_FUNCTION;
}

static void
put (GHashTable *table,
     guint32     key,
     guint32     value)
{
  g_hash_table_insert (table, GUINT_TO_POINTER (key), GUINT_TO_POINTER (value));
}

static guint32
get (GHashTable *table,
     guint32     key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, GUINT_TO_POINTER (key)));
}

/* Where the name of an entry point ends, in words; 0: it does not. */
static guint
end_of_name (const guint32 *at,
             guint          length)
{
  for (guint i = 3; i < length; i++)
    if (memchr (&at[i], 0, sizeof *at) != NULL)
      return i + 1;
  return 0;
}

static void
note_entry (Patch         *self,
            gsize          i,
            const guint32 *at,
            guint          length,
            const char    *entry)
{
  guint end = length > 3 && at[1] == MODEL_FRAGMENT ? end_of_name (at, length) : 0;

  if (end == 0 || (entry != NULL && strcmp ((const char *)(gconstpointer)&at[3], entry) != 0))
    return;
  self->entry = i;
  self->function = at[2];
  for (guint j = end; j < length; j++)
    g_hash_table_add (self->interface, GUINT_TO_POINTER (at[j]));
}

/* The shader's output goes nowhere, because the pass has no such attachment. */
static void
move (Patch   *self,
      guint32  type,
      guint32  id)
{
  g_hash_table_add (self->moved, GUINT_TO_POINTER (id));
  if (get (self->privates, type) == 0)
    put (self->privates, type, self->n_ids++);
}

static gboolean
is_moved (const Patch *self,
          guint32      id)
{
  return g_hash_table_contains (self->moved, GUINT_TO_POINTER (id));
}

/* An output takes one location, an array of them as many as it has elements. */
static void
note_variable (Patch         *self,
               const guint32 *at)
{
  guint32 location = get (self->locations, at[2]);
  guint32 n = MAX (1, get (self->lengths, get (self->pointees, at[1])));

  if (at[3] != STORAGE_OUTPUT || location == 0 ||
      !g_hash_table_contains (self->interface, GUINT_TO_POINTER (at[2])) ||
      self->location < location - 1 || self->location - (location - 1) >= n)
    return;
  if (n == 1 && g_hash_table_contains (self->pointees, GUINT_TO_POINTER (at[1])))
    move (self, at[1], at[2]);
  else
    self->taken = TRUE;
}

/* Pointers into a moved output move with it; one that is given to a function would have to there,
 * too. */
static void
note_pointer (Patch         *self,
              guint32        op,
              const guint32 *at,
              guint          length)
{
  if (op == OP_FUNCTION_CALL)
    for (guint i = 4; i < length; i++)
      self->taken |= is_moved (self, at[i]);
  if ((op == OP_ACCESS_CHAIN || op == OP_IN_BOUNDS_ACCESS_CHAIN || op == OP_COPY_OBJECT) &&
      length >= 4 && is_moved (self, at[3]))
    move (self, at[1], at[2]);
}

static void
note_global (Patch         *self,
             guint32        op,
             const guint32 *at,
             guint          length)
{
  if (op == OP_TYPE_FLOAT && length == 3 && at[2] == 32)
    self->scalar = at[1];
  else if (op == OP_TYPE_POINTER && length == 4)
    {
      put (self->pointees, at[1], at[3]);
      if (at[2] == STORAGE_OUTPUT && self->scalar != 0 && at[3] == self->scalar)
        self->pointer = at[1];
    }
  else if (op == OP_CONSTANT && length >= 4)
    put (self->constants, at[2], at[3]);
  else if (op == OP_TYPE_ARRAY && length == 4)
    put (self->lengths, at[1], get (self->constants, at[3]));
  else if (op == OP_VARIABLE && length >= 4)
    note_variable (self, at);
}

/* The new instructions come first in the entry point, after its variables. */
static void
note_function (Patch         *self,
               gsize          i,
               guint32        op,
               const guint32 *at,
               guint          length)
{
  if (op == OP_FUNCTION && length == 5)
    {
      self->functions = self->functions != 0 ? self->functions : i;
      self->in_entry = self->function != 0 && at[2] == self->function;
    }
  else if (op == OP_LABEL && self->in_entry)
    {
      self->in_first_block = self->body == 0;
      if (self->in_first_block)
        self->body = i + length;
    }
  else if (op == OP_FUNCTION_END)
    self->in_entry = self->in_first_block = FALSE;
  else if (op == OP_VARIABLE && self->in_entry && self->in_first_block)
    self->body = i + length;
}

static gboolean
scan (Patch      *self,
      const char *entry)
{
  gsize first_global = 0;

  self->n_ids = self->words[3];
  for (gsize i = HEADER; i < self->n;)
    {
      const guint32 *at = &self->words[i];
      guint32 op = at[0] & 0xffff, length = at[0] >> 16;

      if (length == 0 || length > self->n - i)
        return FALSE;
      if (op == OP_ENTRY_POINT)
        note_entry (self, i, at, length, entry);
      else if (op == OP_DECORATE && length == 4 && at[2] == DECORATION_LOCATION &&
               at[3] < G_MAXUINT32)
        put (self->locations, at[1], at[3] + 1);
      if (is_annotation (op) && self->functions == 0)
        self->annotations = i + length;
      if (is_global (op) && first_global == 0)
        first_global = i;
      if (self->functions == 0 && op != OP_FUNCTION)
        note_global (self, op, at, length);
      else
        {
          note_function (self, i, op, at, length);
          note_pointer (self, op, at, length);
        }
      i += length;
    }
  if (self->annotations == 0)
    self->annotations = first_global;
  return self->entry != 0 && self->annotations != 0 && self->functions != 0 && self->body != 0 &&
         self->n_ids >= self->words[3] && self->n_ids < G_MAXUINT32 - 8;
}

static void
add (GArray        *out,
     guint32        op,
     guint          n,
     const guint32 *operands)
{
  guint32 head = WORD (n + 1, op);

  g_array_append_val (out, head);
  g_array_append_vals (out, operands, n);
}

/* Types, the constant (its id is returned) and the variable, in front of the first function. */
static guint32
add_globals (Patch  *self,
             GArray *out)
{
  guint32 constant = self->n_ids++;

  if (self->scalar == 0)
    {
      self->scalar = self->n_ids++;
      add (out, OP_TYPE_FLOAT, 2, (guint32[]){ self->scalar, 32 });
    }
  add (out, OP_CONSTANT, 3, (guint32[]){ self->scalar, constant, self->value });
  if (self->pointer == 0)
    {
      self->pointer = self->n_ids++;
      add (out, OP_TYPE_POINTER, 3, (guint32[]){ self->pointer, STORAGE_OUTPUT, self->scalar });
    }
  add (out, OP_VARIABLE, 3, (guint32[]){ self->pointer, self->variable, STORAGE_OUTPUT });
  return constant;
}

/* One instruction as it was, but for the types of what moved. Before SPIR-V 1.4 entry points name
 * their inputs and outputs only. */
static void
copy (Patch         *self,
      GArray        *out,
      guint32        op,
      const guint32 *at,
      guint          length)
{
  guint from = out->len, end;
  guint32 *to;

  if (op == OP_DECORATE && length >= 3 && is_moved (self, at[1]))
    return;
  g_array_append_vals (out, at, length);
  to = &g_array_index (out, guint32, from);
  if (op == OP_ENTRY_POINT && self->words[1] < VERSION_1_4 && (end = end_of_name (at, length)) != 0)
    {
      guint n = end;

      for (guint i = end; i < length; i++)
        if (!is_moved (self, at[i]))
          to[n++] = at[i];
      to[0] = WORD (n, op);
      g_array_set_size (out, from + n);
    }
  else if (op == OP_TYPE_POINTER && length == 4 && get (self->privates, at[1]) != 0)
    add (out, OP_TYPE_POINTER, 3,
         (guint32[]){ get (self->privates, at[1]), STORAGE_PRIVATE, at[3] });
  else if ((op == OP_VARIABLE || op == OP_ACCESS_CHAIN || op == OP_IN_BOUNDS_ACCESS_CHAIN ||
            op == OP_COPY_OBJECT) &&
           length >= 4 && is_moved (self, at[2]))
    {
      to[1] = get (self->privates, at[1]);
      if (op == OP_VARIABLE)
        to[3] = STORAGE_PRIVATE;
    }
}

static GBytes *
write_module (Patch *self)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 constant = 0;
  gsize size;

  self->variable = self->n_ids++;
  g_array_append_vals (out, self->words, HEADER);
  for (gsize i = HEADER; i < self->n;)
    {
      guint32 length = self->words[i] >> 16;
      guint from;

      if (i == self->annotations)
        add (out, OP_DECORATE, 3,
             (guint32[]){ self->variable, DECORATION_LOCATION, self->location });
      if (i == self->functions)
        constant = add_globals (self, out);
      if (i == self->body)
        add (out, OP_STORE, 2, (guint32[]){ self->variable, constant });
      from = out->len;
      copy (self, out, self->words[i] & 0xffff, &self->words[i], length);
      if (i == self->entry)
        {
          g_array_append_val (out, self->variable);
          g_array_index (out, guint32, from) = WORD (out->len - from, OP_ENTRY_POINT);
        }
      i += length;
    }
  g_array_index (out, guint32, 3) = self->n_ids;
  size = out->len * sizeof (guint32);
  return g_bytes_new_take (g_array_free (out, FALSE), size);
}

GBytes *
vtr_spirv_add_output (GBytes      *code,
                      const char  *entry,
                      guint32      location,
                      float        value,
                      GError     **error)
{
  g_autoptr (GHashTable) interface = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) locations = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) constants = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) lengths = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) pointees = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) moved = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) privates = g_hash_table_new (NULL, NULL);
  Patch self = { .location = location,
                 .interface = interface,
                 .locations = locations,
                 .constants = constants,
                 .lengths = lengths,
                 .pointees = pointees,
                 .moved = moved,
                 .privates = privates };
  gsize size = sizeof nothing;

  memcpy (&self.value, &value, sizeof value);
  self.words = code != NULL ? g_bytes_get_data (code, &size) : nothing;
  self.n = size / sizeof (guint32);
  if (self.n > HEADER && self.words[0] == MAGIC && scan (&self, code != NULL ? entry : NULL) &&
      !self.taken)
    return write_module (&self);
  g_set_error_literal (error, VTR_SHADER_ERROR, VTR_SHADER_ERROR_UNSUPPORTED,
                       self.taken ? _ ("A fragment shader of this pass writes to an attachment "
                                       "that the pass does not have.")
                                  : _ ("A fragment shader of this pass cannot be changed."));
  return NULL;
}
