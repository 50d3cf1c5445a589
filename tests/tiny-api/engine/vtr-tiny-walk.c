/* Follows which pictures the contexts of a tiny trace have bound, and how large pictures are. */
#include "vtr-tiny-build.h"

#include "vtr-tiny-args.h"

/* A picture: one lifetime of its name. */
typedef struct
{
  guint32 width, height;
} Picture;

typedef struct
{
  VtrIdentity self;
  guint32 group; /* namespace of its pictures */
  Picture window;
  VtrIdentity name; /* of the bound picture; .name: 0 for the window */
  Picture *bound;   /* counted by reference */
} Context;

struct _VtrTinyWalk
{
  GHashTable *contexts; /* number of the namespace → Context */
  GHashTable *windows;  /* name of the context → Picture */
  GHashTable *pictures; /* VtrIdentity → Picture */
};

static void
context_free (gpointer data)
{
  Context *self = data;

  g_clear_pointer (&self->bound, g_rc_box_release);
  g_free (self);
}

static guint
hash_identity (gconstpointer key)
{
  return vtr_identity_hash (*(const VtrIdentity *)key);
}

static gboolean
equal_identities (gconstpointer a, gconstpointer b)
{
  return vtr_identity_equal (*(const VtrIdentity *)a, *(const VtrIdentity *)b);
}

VtrTinyWalk *
vtr_tiny_walk_new (void)
{
  VtrTinyWalk *self = g_new0 (VtrTinyWalk, 1);

  self->contexts = g_hash_table_new_full (NULL, NULL, NULL, context_free);
  self->windows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->pictures =
    g_hash_table_new_full (hash_identity, equal_identities, g_free, g_rc_box_release);
  return self;
}

void
vtr_tiny_walk_free (VtrTinyWalk *self)
{
  g_hash_table_unref (self->contexts);
  g_hash_table_unref (self->windows);
  g_hash_table_unref (self->pictures);
  g_free (self);
}

/* NULL: @command was called outside of all contexts. */
static Context *
get_context (VtrTinyWalk *self, const VtrCommand *command)
{
  Context *context;
  VtrIdentity identity;
  const Picture *window;

  if (!vtr_tiny_get_stream_context (command, &identity))
    return NULL;
  context = g_hash_table_lookup (self->contexts, GUINT_TO_POINTER (command->namespace->number));
  if (context != NULL)
    return context;
  context = g_new0 (Context, 1);
  context->self = identity;
  context->group = vtr_identity_of (command, VTR_HANDLE_picture, 1).namespace;
  window = g_hash_table_lookup (self->windows, &identity.name);
  if (window != NULL)
    context->window = *window;
  g_hash_table_insert (self->contexts, GUINT_TO_POINTER (command->namespace->number), context);
  return context;
}

static void
bind (VtrTinyWalk *self, Context *context, const VtrCommand *command, guint32 name)
{
  const VtrIdentity identity = vtr_identity_of (command, VTR_HANDLE_picture, name);
  Picture *picture = NULL;

  if (name != 0)
    {
      picture = g_hash_table_lookup (self->pictures, &identity);
      if (picture == NULL)
        {
          picture = g_rc_box_new0 (Picture);
          g_hash_table_insert (self->pictures, g_memdup2 (&identity, sizeof identity), picture);
        }
      g_rc_box_acquire (picture);
    }
  g_clear_pointer (&context->bound, g_rc_box_release);
  context->bound = picture;
  context->name = identity;
}

static void
end_names (VtrTinyWalk *self, const VtrCommand *command)
{
  const VtrArgs_tnDelete *args = command->args;

  for (guint32 i = 0; args->names != NULL && i < args->n; i++)
    {
      const VtrIdentity identity = vtr_identity_of (command, VTR_HANDLE_picture, args->names[i]);

      g_hash_table_remove (self->pictures, &identity);
    }
}

void
vtr_tiny_walk_add (VtrTinyWalk *self, const VtrCommand *command)
{
  const gint32 pictures = (gint32)vtr_handle_get (VTR_HANDLE_picture)->object_type;
  Context *context =
    vtr_api_get (command->id) == &vtr_api_tiny ? get_context (self, command) : NULL;

  switch (command->id)
    {
    case VTR_CMD_tnCreateContext:
      {
        const VtrArgs_tnCreateContext *args = command->args;
        const Picture window = { args->width, args->height };

        g_hash_table_replace (self->windows, g_memdup2 (&command->result, sizeof command->result),
                              g_memdup2 (&window, sizeof window));
        break;
      }
    case VTR_CMD_tnBind:
      {
        const VtrArgs_tnBind *args = command->args;

        if (context != NULL && args->kind == pictures)
          bind (self, context, command, args->name);
        break;
      }
    case VTR_CMD_tnDelete:
      if (context != NULL && ((const VtrArgs_tnDelete *)command->args)->kind == pictures)
        end_names (self, command);
      break;
    case VTR_CMD_tnPictureData:
      {
        const VtrArgs_tnPictureData *args = command->args;

        if (context != NULL && context->bound != NULL)
          *context->bound = (Picture){ args->width, args->height };
        break;
      }
    default:
      break;
    }
}

gboolean
vtr_tiny_walk_get_bound (VtrTinyWalk      *self,
                         const VtrCommand *command,
                         gboolean          window,
                         VtrTinyPicture   *out)
{
  Context *context = get_context (self, command);
  const gboolean is_window = context != NULL && (window || context->bound == NULL);
  const Picture *picture;

  if (context == NULL)
    return FALSE;
  picture = is_window ? &context->window : context->bound;
  *out = (VtrTinyPicture){ .context = context->self,
                           .is_bound = !is_window,
                           .width = picture->width,
                           .height = picture->height };
  out->picture = is_window ? vtr_identity_of (command, VTR_HANDLE_picture, 0) : context->name;
  return picture->width > 0 && picture->height > 0;
}

gboolean
vtr_tiny_walk_get_window (VtrTinyWalk *self, guint32 namespace, VtrTinyPicture *out)
{
  const Context *context =
    g_hash_table_lookup (self->contexts, GUINT_TO_POINTER (namespace));

  if (context == NULL)
    return FALSE;
  *out = (VtrTinyPicture){ .context = context->self,
                           .picture = { 0, namespace, VTR_HANDLE_picture },
                           .width = context->window.width,
                           .height = context->window.height };
  return TRUE;
}

gboolean
vtr_tiny_walk_get_named (VtrTinyWalk *self, VtrIdentity identity, VtrTinyPicture *out)
{
  const Picture *picture = g_hash_table_lookup (self->pictures, &identity);
  GHashTableIter iter;
  gpointer key, value;

  if (picture == NULL || picture->width == 0 || picture->height == 0)
    return FALSE;
  /* Any context of the group can read it. */
  g_hash_table_iter_init (&iter, self->contexts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const Context *context = value;

      if (context->group != identity.namespace)
        continue;
      *out = (VtrTinyPicture){ .context = context->self,
                               .picture = identity,
                               .width = picture->width,
                               .height = picture->height };
      return TRUE;
    }
  return FALSE;
}
