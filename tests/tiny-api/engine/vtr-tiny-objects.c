/* Tells about the tiny API's objects: contexts with their window and first array, and the end of
 * deleted objects that a context or an array still holds. */
#include "vtr-tiny-objects.h"

#include "engine/state/vtr-history-builder.h"

#include "api/vtr-api-ids.h"
#include "api/vtr-tiny-args.h"

/* A picture, store or array of a group or context. */
typedef struct
{
  guint32 id;
  guint32 group; /* whose end ends it; of arrays 0: they end with their context */
  guint32 store; /* an array's; 0: none */
} VtrTinyObject;

struct _VtrTinyObjects
{
  VtrTrace *trace;
  VtrLifetimes *lifetimes;
  GArray *contexts; /* of VtrTinyContext */
  GArray *objects;  /* of VtrTinyObject that have not ended */
};

#define context_at(self, i) (&g_array_index ((self)->contexts, VtrTinyContext, (i)))
#define object_at(self, i) (&g_array_index ((self)->objects, VtrTinyObject, (i)))

gpointer
vtr_tiny_objects_new (VtrHistoryBuilder *builder)
{
  VtrTinyObjects *self = g_new0 (VtrTinyObjects, 1);

  self->trace = vtr_history_builder_get_trace (builder);
  self->lifetimes = vtr_history_builder_get_lifetimes (builder);
  self->contexts = g_array_new (FALSE, FALSE, sizeof (VtrTinyContext));
  self->objects = g_array_new (FALSE, FALSE, sizeof (VtrTinyObject));
  return self;
}

void
vtr_tiny_objects_free (gpointer part)
{
  VtrTinyObjects *self = part;

  g_array_unref (self->contexts);
  g_array_unref (self->objects);
  g_free (self);
}

guint32
vtr_tiny_get_kind (guint32 kind)
{
  switch (kind)
    {
    case 1:
      return VTR_HANDLE_picture;
    case 2:
      return VTR_HANDLE_store;
    case 3:
      return VTR_HANDLE_array;
    default:
      return VTR_HANDLE_NONE;
    }
}

/* --- Contexts --- */

/* The context of namespace @number that was made last. */
static VtrTinyContext *
find_context (VtrTinyObjects *self,
              guint32         number)
{
  for (guint i = self->contexts->len; i > 0 && number != 0; i--)
    if (context_at (self, i - 1)->namespace == number)
      return context_at (self, i - 1);
  return NULL;
}

static VtrTinyContext *
find_caller (VtrTinyObjects *self,
             guint64         index)
{
  const VtrNamespaceInfo *names = vtr_trace_get_namespace (self->trace, index);

  return names != NULL ? find_context (self, names->number) : NULL;
}

/* The namespace of a context that command @index makes. It is told before the command's record;
 * where a recording begins, before the records of all that are made there. */
static const VtrNamespaceInfo *
find_namespace (VtrTinyObjects *self,
                guint64         handle,
                guint64         index)
{
  const VtrNamespaceInfo *found = NULL;

  for (guint i = 0; i < vtr_trace_get_n_namespaces (self->trace); i++)
    {
      const VtrNamespaceInfo *names = vtr_trace_get_nth_namespace (self->trace, i);

      if (names->scope == VTR_NAMES_IN_CONTEXT && names->name == handle && names->begun <= index &&
          (found == NULL || names->begun > found->begun))
        found = names;
    }
  return found;
}

/* Keeps an object that began. */
static void
add_object (VtrTinyObjects *self,
            guint32         id,
            guint32         group)
{
  const VtrTinyObject object = { .id = id, .group = group };

  g_array_append_val (self->objects, object);
}

static guint32
begin_first (VtrTinyObjects       *self,
             const VtrCommand     *command,
             const VtrTinyContext *of,
             guint32               kind)
{
  const VtrIdentity identity = { .kind = kind, .namespace = of->namespace };
  guint32 id = vtr_lifetimes_begin (self->lifetimes, identity, command->index, 0, of->context);

  add_object (self, id, 0);
  return id;
}

static void
create_context (VtrTinyObjects   *self,
                const VtrCommand *command)
{
  const VtrNamespaceInfo *names = find_namespace (self, command->result, command->index);
  VtrTinyContext context = { 0 };

  if (command->result == 0)
    return;
  context.context = vtr_lifetimes_get_current (
    self->lifetimes, vtr_identity_of (command, VTR_HANDLE_TnContext, command->result));
  if (names != NULL)
    {
      context.namespace = names->number;
      context.group = names->parent != NULL ? names->parent->number : 0;
    }
  context.picture = context.window = begin_first (self, command, &context, VTR_HANDLE_picture);
  context.array = context.first_array = begin_first (self, command, &context, VTR_HANDLE_array);
  g_array_append_val (self->contexts, context);
}

/* --- Ends --- */

static gboolean
is_held (VtrTinyObjects *self,
         guint32         id)
{
  for (guint i = 0; i < self->contexts->len; i++)
    {
      const VtrTinyContext *context = context_at (self, i);

      if (!context->is_destroyed &&
          (context->picture == id || context->store == id || context->array == id))
        return TRUE;
    }
  for (guint i = 0; i < self->objects->len; i++)
    if (object_at (self, i)->store == id)
      return TRUE;
  return FALSE;
}

/* Ends what has lost its name and is held by nothing, and then what only that held. */
static void
end_unheld (VtrTinyObjects *self,
            guint64         index)
{
  gboolean again = TRUE;

  while (again)
    {
      again = FALSE;
      for (guint i = 0; i < self->objects->len && !again; i++)
        {
          const VtrObject *object =
            vtr_lifetimes_get_object (self->lifetimes, object_at (self, i)->id);

          again = object->destroyed != VTR_COMMAND_NO_INDEX ||
                  (object->name_ended != VTR_COMMAND_NO_INDEX && !is_held (self, object->id));
          if (!again)
            continue;
          if (object->destroyed == VTR_COMMAND_NO_INDEX)
            vtr_lifetimes_end_object (self->lifetimes, object->id, index);
          g_array_remove_index (self->objects, i);
        }
    }
}

static gboolean
group_lives (VtrTinyObjects *self,
             guint32         group)
{
  for (guint i = 0; i < self->contexts->len; i++)
    if (context_at (self, i)->group == group && !context_at (self, i)->is_destroyed)
      return TRUE;
  return FALSE;
}

/* The tables have ended the context, and with it what was made from it. */
static void
destroy_context (VtrTinyObjects   *self,
                 const VtrCommand *command)
{
  for (guint i = 0; i < self->contexts->len; i++)
    {
      VtrTinyContext *context = context_at (self, i);
      const VtrObject *object = vtr_lifetimes_get_object (self->lifetimes, context->context);

      if (context->is_destroyed || object == NULL || object->destroyed != command->index)
        continue;
      context->is_destroyed = TRUE;
      for (guint k = 0; k < self->objects->len && !group_lives (self, context->group); k++)
        if (object_at (self, k)->group == context->group && context->group != 0)
          vtr_lifetimes_end_object (self->lifetimes, object_at (self, k)->id, command->index);
    }
}

/* --- Bindings --- */

static VtrTinyObject *
find_object (VtrTinyObjects *self,
             guint32         id)
{
  for (guint i = 0; i < self->objects->len; i++)
    if (object_at (self, i)->id == id)
      return object_at (self, i);
  return NULL;
}

static void
bind (VtrTinyObjects   *self,
      VtrTinyContext   *context,
      const VtrCommand *command)
{
  const VtrArgs_tnBind *args = command->args;
  const guint32 kind = vtr_tiny_get_kind (args->kind);
  guint32 id;

  if (kind == VTR_HANDLE_NONE)
    return;
  id = vtr_lifetimes_get_current (self->lifetimes, vtr_identity_of (command, kind, args->name));
  if (id != 0 && find_object (self, id) == NULL)
    add_object (self, id, kind == VTR_HANDLE_array ? 0 : context->group);
  if (kind == VTR_HANDLE_picture)
    context->picture = id;
  else if (kind == VTR_HANDLE_store)
    context->store = id;
  else
    context->array = id;
}

gboolean
vtr_tiny_wants_lifetimes (VtrCmdId id)
{
  return id == VTR_CMD_tnCreateContext || id == VTR_CMD_tnDestroyContext || id == VTR_CMD_tnBind ||
         id == VTR_CMD_tnDelete || id == VTR_CMD_tnPointer;
}

void
vtr_tiny_lifetimes (gpointer          part,
                    const VtrCommand *command)
{
  VtrTinyObjects *self = part;
  VtrTinyContext *context = find_caller (self, command->index);
  VtrTinyObject *array;

  switch (command->id)
    {
    case VTR_CMD_tnCreateContext:
      create_context (self, command);
      break;
    case VTR_CMD_tnDestroyContext:
      destroy_context (self, command);
      break;
    case VTR_CMD_tnBind:
      if (context != NULL)
        bind (self, context, command);
      break;
    case VTR_CMD_tnPointer:
      array = context != NULL ? find_object (self, context->array) : NULL;
      if (array != NULL)
        array->store = context->store;
      break;
    default:
      break;
    }
  end_unheld (self, command->index);
}

/* Arrays belong to the context that binds them. */
guint32
vtr_tiny_find_parent (gpointer          part,
                      const VtrCommand *command,
                      guint32           kind)
{
  const VtrTinyContext *context =
    kind == VTR_HANDLE_array ? find_caller (part, command->index) : NULL;

  return context != NULL ? context->context : 0;
}

/* --- Questions --- */

const VtrTinyContext *
vtr_tiny_find_context (VtrHistory *history,
                       guint64     index)
{
  VtrTinyObjects *self = vtr_history_get_part (history, VTR_TINY_FIRST_ID);

  return self != NULL ? find_caller (self, index) : NULL;
}

const VtrTinyContext *
vtr_tiny_get_context (VtrHistory *history,
                      guint32     id)
{
  VtrTinyObjects *self = vtr_history_get_part (history, VTR_TINY_FIRST_ID);

  for (guint i = 0; self != NULL && i < self->contexts->len; i++)
    if (context_at (self, i)->context == id)
      return context_at (self, i);
  return NULL;
}
