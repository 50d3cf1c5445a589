/* Stores objects in the order of their creation, and finds them by identity. */
#include "engine/state/vtr-lifetimes.h"

/* An object that lives at this point, in lists that make ending a whole family cheap. */
typedef struct
{
  guint32 older;                                       /* named one of the same identity; 0: none */
  guint32 first_child, next_sibling, previous_sibling; /* ids */
} VtrAlive;

struct _VtrLifetimes
{
  GArray *objects; /* of VtrObject; id is position + 1 */
  guint32 *order;  /* ids by (identity, created); NULL until it is finished */
  GStringChunk *names;
  /* Until it is finished: */
  GArray *alive;       /* of VtrAlive, by id - 1 */
  GHashTable *current; /* VtrIdentity → id of the newest named */
};

static guint
hash_identity (gconstpointer data)
{
  return vtr_identity_hash (*(const VtrIdentity *)data);
}

static gboolean
equal_identities (gconstpointer a,
                  gconstpointer b)
{
  return vtr_identity_equal (*(const VtrIdentity *)a, *(const VtrIdentity *)b);
}

VtrLifetimes *
vtr_lifetimes_new (void)
{
  VtrLifetimes *self = g_new0 (VtrLifetimes, 1);

  self->objects = g_array_new (FALSE, FALSE, sizeof (VtrObject));
  self->names = g_string_chunk_new (4096);
  self->alive = g_array_new (FALSE, FALSE, sizeof (VtrAlive));
  self->current = g_hash_table_new_full (hash_identity, equal_identities, g_free, NULL);
  return self;
}

void
vtr_lifetimes_free (VtrLifetimes *self)
{
  g_array_unref (self->objects);
  g_string_chunk_free (self->names);
  g_clear_pointer (&self->alive, g_array_unref);
  g_clear_pointer (&self->current, g_hash_table_unref);
  g_free (self->order);
  g_free (self);
}

static VtrObject *
object_at (VtrLifetimes *self,
           guint32       id)
{
  return &g_array_index (self->objects, VtrObject, id - 1);
}

static VtrAlive *
alive_at (VtrLifetimes *self,
          guint32       id)
{
  return &g_array_index (self->alive, VtrAlive, id - 1);
}

static VtrIdentity
identity_of (const VtrObject *object)
{
  return (VtrIdentity){ object->handle, object->namespace, object->type };
}

/* ---- Filling ---- */

guint32
vtr_lifetimes_get_current (VtrLifetimes *self,
                           VtrIdentity   identity)
{
  if (vtr_identity_is_null (identity))
    return 0;
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->current, &identity));
}

static void
set_current (VtrLifetimes *self,
             VtrIdentity   identity,
             guint32       id)
{
  if (id != 0)
    g_hash_table_insert (self->current, g_memdup2 (&identity, sizeof identity),
                         GUINT_TO_POINTER (id));
  else
    g_hash_table_remove (self->current, &identity);
}

guint32
vtr_lifetimes_begin (VtrLifetimes *self,
                     VtrIdentity   identity,
                     guint64       index,
                     guint32       element,
                     guint32       parent)
{
  VtrObject object = {
    .id = self->objects->len + 1,
    .type = identity.kind,
    .handle = identity.name,
    .namespace = identity.namespace,
    .created = index,
    .destroyed = VTR_COMMAND_NO_INDEX,
    .name_ended = VTR_COMMAND_NO_INDEX,
    .element = element,
    .parent = parent,
  };
  VtrAlive alive = { .older = vtr_lifetimes_get_current (self, identity) };

  g_array_append_val (self->objects, object);
  if (parent != 0)
    {
      alive.next_sibling = alive_at (self, parent)->first_child;
      alive_at (self, parent)->first_child = object.id;
      if (alive.next_sibling != 0)
        alive_at (self, alive.next_sibling)->previous_sibling = object.id;
    }
  g_array_append_val (self->alive, alive);
  set_current (self, identity, object.id);
  return object.id;
}

void
vtr_lifetimes_end_name (VtrLifetimes *self,
                        guint32       id,
                        guint64       index)
{
  VtrObject *object = object_at (self, id);
  const guint32 older = alive_at (self, id)->older;
  const VtrIdentity identity = identity_of (object);
  const guint32 newest = vtr_lifetimes_get_current (self, identity);

  if (object->name_ended != VTR_COMMAND_NO_INDEX)
    return;
  object->name_ended = index;
  if (newest == id)
    set_current (self, identity, older);
  else
    for (guint32 at = newest; at != 0; at = alive_at (self, at)->older)
      if (alive_at (self, at)->older == id)
        {
          alive_at (self, at)->older = older;
          break;
        }
}

/* Takes @id out of the children of its parent. */
static void
leave_parent (VtrLifetimes *self,
              guint32       id)
{
  const VtrObject *object = object_at (self, id);
  VtrAlive *alive = alive_at (self, id);

  if (alive->previous_sibling != 0)
    alive_at (self, alive->previous_sibling)->next_sibling = alive->next_sibling;
  else if (object->parent != 0)
    alive_at (self, object->parent)->first_child = alive->next_sibling;
  if (alive->next_sibling != 0)
    alive_at (self, alive->next_sibling)->previous_sibling = alive->previous_sibling;
  alive->previous_sibling = alive->next_sibling = 0;
}

/* Depth: that of the API's parents, at most five. */
void
vtr_lifetimes_end_object (VtrLifetimes *self,
                          guint32       id,
                          guint64       index)
{
  if (object_at (self, id)->destroyed != VTR_COMMAND_NO_INDEX)
    return;
  vtr_lifetimes_end_children (self, id, index);
  vtr_lifetimes_end_name (self, id, index);
  leave_parent (self, id);
  object_at (self, id)->destroyed = index;
}

void
vtr_lifetimes_end_children (VtrLifetimes *self,
                            guint32       id,
                            guint64       index)
{
  while (alive_at (self, id)->first_child != 0)
    vtr_lifetimes_end_object (self, alive_at (self, id)->first_child, index);
}

void
vtr_lifetimes_set_name (VtrLifetimes *self,
                        guint32       id,
                        const char   *text)
{
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  object_at (self, id)->name = valid != NULL && *valid != '\0'
                                 ? g_string_chunk_insert_const (self->names, valid)
                                 : NULL;
}

static int
compare_order (gconstpointer a,
               gconstpointer b,
               gpointer      data)
{
  const VtrObject *left = object_at (data, *(const guint32 *)a);
  const VtrObject *right = object_at (data, *(const guint32 *)b);
  const int order = vtr_identity_compare (identity_of (left), identity_of (right));

  if (order != 0)
    return order;
  return left->id < right->id ? -1 : left->id > right->id;
}

void
vtr_lifetimes_finish (VtrLifetimes *self)
{
  const guint32 n = self->objects->len;

  g_clear_pointer (&self->alive, g_array_unref);
  g_clear_pointer (&self->current, g_hash_table_unref);
  self->order = g_new (guint32, MAX (n, 1));
  for (guint32 i = 0; i < n; i++)
    self->order[i] = i + 1;
  if (n > 0)
    g_qsort_with_data (self->order, (gint)n, sizeof (guint32), compare_order, self);
}

/* ---- Looking ---- */

guint32
vtr_lifetimes_get_n_objects (VtrLifetimes *self)
{
  return self->objects->len;
}

const VtrObject *
vtr_lifetimes_get_object (VtrLifetimes *self,
                          guint32       id)
{
  if (id == 0 || id > self->objects->len)
    return NULL;
  return object_at (self, id);
}

/* Position in the order of the first object after (@identity, @index). */
static guint32
find_after (VtrLifetimes *self,
            VtrIdentity   identity,
            guint64       index)
{
  guint32 low = 0, high = self->objects->len;

  while (low < high)
    {
      const guint32 middle = low + (high - low) / 2;
      const VtrObject *object = object_at (self, self->order[middle]);
      const int order = vtr_identity_compare (identity_of (object), identity);

      if (order > 0 || (order == 0 && object->created > index))
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

const VtrObject *
vtr_lifetimes_find (VtrLifetimes *self,
                    VtrIdentity   identity,
                    guint64       index)
{
  const VtrObject *ended = NULL;

  if (vtr_identity_is_null (identity))
    return NULL;

  /* The newest first. Several living objects may have the same name, hence the loop. */
  for (guint32 at = find_after (self, identity, index); at > 0; at--)
    {
      const VtrObject *object = object_at (self, self->order[at - 1]);

      if (!vtr_identity_equal (identity_of (object), identity))
        break;
      if (object->name_ended == VTR_COMMAND_NO_INDEX || object->name_ended > index)
        return object;
      if (object->name_ended == index && ended == NULL)
        ended = object;
    }
  return ended;
}
