/* Fills a VtrHistory in one pass over the trace. Tables say which names commands create and end;
 * the API of a command is asked where tables cannot tell. */
#include "engine/format/vtr-trace-walk.h"
#include "engine/state/vtr-history-builder.h"
#include "engine/state/vtr-history-private.h"

#include "api/vtr-api-program.h"

/* Why a command must be decoded. */
enum
{
  WANTS_CREATE = 1 << 0,
  WANTS_DESTROY = 1 << 1,
  WANTS_API = 1 << 2,
};

struct _VtrHistoryBuilder
{
  VtrHistory *history;
  guint8 *wanted; /* by vtr_cmd_index () */
  VtrArena arena;
  const VtrCommand *command;
  guint32 parent;  /* of what the command creates */
  guint32 element; /* counts the names it wrote */
};

VtrTrace *
vtr_history_builder_get_trace (VtrHistoryBuilder *self)
{
  return self->history->trace;
}

VtrLifetimes *
vtr_history_builder_get_lifetimes (VtrHistoryBuilder *self)
{
  return self->history->lifetimes;
}

static VtrIdentity
builder_identify (VtrHistoryBuilder *self,
                  guint32            kind,
                  guint64            name)
{
  if (!self->history->has_namespaces)
    return (VtrIdentity){ .name = name, .kind = kind };
  return vtr_history_identify (self->history, kind, name, self->command->index);
}

static guint32
builder_lookup (VtrHistoryBuilder *self,
                guint32            kind,
                guint64            name)
{
  return vtr_lifetimes_get_current (self->history->lifetimes, builder_identify (self, kind, name));
}

/* Pointers that the decoder did not follow are NULL in its trees. */
static const VtrApiEnv decoded_env = { .decoded = true };

static guint32
builder_ask_parent (VtrHistoryBuilder *self,
                    guint32            kind)
{
  const guint number = vtr_api_get_number (self->command->id);
  const VtrStateApi *api = vtr_apis[number]->state;

  return api != NULL && api->find_parent != NULL
           ? api->find_parent (self->history->parts[number], self->command, kind)
           : 0;
}

static void
builder_begin (VtrHistoryBuilder *self,
               guint32            kind,
               guint64            name)
{
  const VtrIdentity identity = builder_identify (self, kind, name);
  const VtrApiLifetime *create = &vtr_cmd_get (self->command->id)->create;
  guint32 known, parent;

  if (vtr_identity_is_null (identity))
    return;
  known = vtr_lifetimes_get_current (self->history->lifetimes, identity);
  parent = self->parent != 0 ? self->parent : builder_ask_parent (self, kind);
  if (known != 0 && create->how == VTR_HOW_USE)
    return;
  /* A getter hands out what is there already: queues, swapchain images, physical devices. */
  if (known == 0 || vtr_cmd_is (self->command->id, VTR_CLASS_CREATE) ||
      vtr_history_get_object (self->history, known)->parent != parent)
    vtr_lifetimes_begin (self->history->lifetimes, identity, self->command->index, self->element,
                         parent);
}

/* Whether a name is one of those that @lifetime is about. One whose kind another argument tells
 * is in the only parameter of the command that holds such names. */
static gboolean
is_meant (const VtrApiLifetime *lifetime,
          const VtrVisitHandle *handle)
{
  return !handle->ignored &&
         (lifetime->handle == VTR_HANDLE_NONE || handle->type == lifetime->handle);
}

static void
on_created_handle (gpointer              data,
                   const VtrVisitHandle *handle)
{
  VtrHistoryBuilder *self = data;
  const VtrApiLifetime *create = &vtr_cmd_get (self->command->id)->create;

  if (!is_meant (create, handle) || handle->out != (create->how != VTR_HOW_USE))
    return;

  builder_begin (self, handle->type, vtr_visit_handle_get (handle));
  self->element++;
}

static void
on_destroyed_handle (gpointer              data,
                     const VtrVisitHandle *handle)
{
  VtrHistoryBuilder *self = data;
  const VtrApiLifetime *destroy = &vtr_cmd_get (self->command->id)->destroy;
  guint64 name;
  guint32 id;

  if (handle->out || !is_meant (destroy, handle))
    return;

  name = vtr_visit_handle_get (handle);
  id = builder_lookup (self, handle->type, name);
  /* A name of 0 is given to nothing, so it cannot be taken away. */
  if (id == 0 || (name == 0 && destroy->how == VTR_HOW_NAME))
    return;
  if (destroy->how == VTR_HOW_NAME)
    vtr_lifetimes_end_name (self->history->lifetimes, id, self->command->index);
  else
    vtr_lifetimes_end_object (self->history->lifetimes, id, self->command->index);
}

typedef struct
{
  VtrHistoryBuilder *builder;
  guint64 pool; /* value that the tables call the pool; 0: none */
  guint32 parent_type;
  guint32 from_pool, from_type; /* (out) ids */
} VtrParentSearch;

static void
on_parent_candidate (gpointer              data,
                     const VtrVisitHandle *handle)
{
  VtrParentSearch *search = data;
  guint64 value;

  if (handle->out || handle->ignored)
    return;

  value = vtr_visit_handle_get (handle);
  if (search->pool != 0 && value == search->pool && search->from_pool == 0)
    search->from_pool = builder_lookup (search->builder, handle->type, value);
  if (handle->type == search->parent_type && search->from_type == 0)
    search->from_type = builder_lookup (search->builder, handle->type, value);
}

/* The parent of new objects: the pool or swapchain from which they come, or else the first
 * argument of the type that the registry calls the parent, or else the object on which the
 * command is called. */
static guint32
builder_find_parent (VtrHistoryBuilder *self)
{
  const VtrApiCommand *api = vtr_cmd_get (self->command->id);
  VtrParentSearch search = {
    .builder = self,
    .parent_type = api->create.handle != VTR_HANDLE_NONE
                     ? vtr_handle_get (api->create.handle)->parent
                     : VTR_HANDLE_NONE,
  };
  VtrApiVisitor visitor = { .data = &search, .handle = on_parent_candidate };
  VtrProgramResult pool = { 0 };
  VtrScope scope;

  if (api->create.pool != 0)
    {
      vtr_scope_init_args (&scope, self->command->id, self->command->args);
      pool = vtr_program_run (api->create.pool, &scope, &decoded_env, 0);
      if (pool.known)
        search.pool = (guint64)pool.value;
    }
  vtr_api_visit (self->command->id, self->command->args, &decoded_env, &visitor);
  if (search.from_pool != 0)
    return search.from_pool;
  if (search.from_type != 0)
    return search.from_type;
  if (api->dispatch == VTR_HANDLE_NONE || api->n_params == 0)
    return 0;
  return builder_lookup (self, api->dispatch, (guint64) * (const guintptr *)self->command->args);
}

static void
builder_create (VtrHistoryBuilder *self)
{
  const VtrApiLifetime *create = &vtr_cmd_get (self->command->id)->create;
  VtrApiVisitor visitor = { .data = self, .handle = on_created_handle };

  if (create->how == VTR_HOW_RESERVED)
    return;
  self->parent = builder_find_parent (self);
  self->element = 0;
  if (create->how == VTR_HOW_RESULT)
    builder_begin (self, create->handle, self->command->result);
  else
    vtr_api_visit (self->command->id, self->command->args, &decoded_env, &visitor);
}

static void
builder_destroy (VtrHistoryBuilder *self)
{
  VtrApiVisitor visitor = { .data = self, .handle = on_destroyed_handle };

  vtr_api_visit (self->command->id, self->command->args, &decoded_env, &visitor);
}

/* --- The pass --- */

static gboolean
is_there (const VtrApiLifetime *lifetime)
{
  return lifetime->handle != VTR_HANDLE_NONE || lifetime->param != VTR_PARAM_NONE;
}

static guint8
get_wanted (VtrCmdId id)
{
  const VtrApiCommand *command = vtr_cmd_get (id);
  const VtrApi *api = vtr_api_get (id);
  const VtrStateApi *state = api != NULL ? api->state : NULL;
  guint8 wanted = 0;

  if (is_there (&command->create))
    wanted |= WANTS_CREATE;
  if (is_there (&command->destroy))
    wanted |= WANTS_DESTROY;
  if (state != NULL && state->wants_lifetimes != NULL && state->wants_lifetimes (id))
    wanted |= WANTS_API;
  return wanted;
}

/* Made when the API's first command comes. */
static gpointer
builder_get_part (VtrHistoryBuilder *self,
                  const VtrStateApi *api,
                  guint              number)
{
  gpointer *part = &self->history->parts[number];

  if (*part == NULL && api != NULL && api->objects_new != NULL)
    *part = api->objects_new (self);
  return *part;
}

/* A command that cannot be decoded is passed over: the rest of the trace is still worth seeing, and
   the report names it. */
static void
builder_command (VtrHistoryBuilder *self,
                 guint64            index)
{
  VtrTrace *trace = self->history->trace;
  VtrCmdId id = vtr_trace_get_command_id (trace, index);
  const VtrStateApi *api;
  VtrCommand command;
  guint8 wanted;
  guint number;

  if (!vtr_cmd_is_known (id))
    return;
  wanted = self->wanted[vtr_cmd_index (id)];
  if (wanted == 0)
    return;

  vtr_arena_reset (&self->arena);
  if (!vtr_trace_decode (trace, index, &self->arena, &command, NULL))
    return;

  number = vtr_api_get_number (id);
  api = vtr_apis[number]->state;
  builder_get_part (self, api, number);
  self->command = &command;
  if ((wanted & WANTS_CREATE) != 0)
    builder_create (self);
  if ((wanted & WANTS_DESTROY) != 0)
    builder_destroy (self);
  if ((wanted & WANTS_API) != 0)
    api->lifetimes (self->history->parts[number], &command);
  self->command = NULL;
}

static gboolean
builder_pass (VtrHistoryBuilder  *self,
              VtrTraceProgress    progress,
              gpointer            data,
              GCancellable       *cancellable,
              GError            **error)
{
  guint64 n = vtr_trace_get_n_commands (self->history->trace);

  for (guint64 i = 0; i < n; i++)
    {
      if (!vtr_trace_walk_goes_on (i, n, progress, data, cancellable, error))
        return FALSE;
      builder_command (self, i);
    }
  return TRUE;
}

VtrHistory *
vtr_history_build (VtrTrace          *trace,
                   VtrTraceProgress   progress,
                   gpointer           data,
                   GCancellable      *cancellable,
                   GError           **error)
{
  g_autoptr (VtrHistory) self = g_new0 (VtrHistory, 1);
  VtrHistoryBuilder builder = { .history = self };
  gboolean done;

  g_atomic_ref_count_init (&self->refs);
  self->trace = vtr_trace_ref (trace);
  self->lifetimes = vtr_lifetimes_new ();
  self->has_namespaces = vtr_trace_get_n_namespaces (trace) > 0;
  builder.wanted = g_new (guint8, VTR_N_COMMANDS);
  for (guint i = 0; i < VTR_N_COMMANDS; i++)
    builder.wanted[i] = get_wanted (vtr_cmd_at (i));

  vtr_arena_init (&builder.arena);
  done = builder_pass (&builder, progress, data, cancellable, error);
  vtr_arena_finish (&builder.arena);
  g_free (builder.wanted);
  if (!done)
    return NULL;

  vtr_lifetimes_finish (self->lifetimes);
  return g_steal_pointer (&self);
}
