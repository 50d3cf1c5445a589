/* Turns the objects that a VtrMemoryDraft has noted into bytes when a submission runs the
 * recording. */
#include "engine/vulkan/memory/vtr-memory-recorder-private.h"

static void
add_range (VtrMemoryEvents *events,
           const VtrRange  *range)
{
  vtr_memory_events_add_range (events, *range);
}

/* Which page of a sparse resource lies where when it is written is not followed: it may be anywhere
 * in memory that has such pages. */
static void
add_pages (VtrMemoryObjects *objects,
           VtrMemoryEvents  *events)
{
  for (guint i = 0; i < objects->paged->len; i++)
    {
      const VtrMemorySpace *pool = &g_array_index (objects->pools, VtrMemorySpace,
                                                   g_array_index (objects->paged, guint32, i));
      const VtrRange range = { pool->base, pool->base + pool->size };

      add_range (events, &range);
    }
}

static gboolean
is_sparse (const VtrMemoryObjects *objects,
           gboolean                buffer,
           guint32                 object)
{
  if (buffer)
    return object < objects->buffers->len &&
           g_array_index (objects->buffers, VtrMemoryBuffer, object).sparse;
  return object < objects->images->len &&
         g_array_index (objects->images, VtrMemoryImage, object).sparse;
}

static void
resolve_slot (VtrMemoryObjects    *objects,
              const VtrMemorySlot *slot,
              guint64              dynamic,
              VtrMemoryEvents     *events)
{
  VtrRange range;

  if (slot->kind != VTR_SLOT_EMPTY &&
      is_sparse (objects, slot->kind == VTR_SLOT_BUFFER, slot->object))
    add_pages (objects, events);
  else if (slot->kind == VTR_SLOT_BUFFER)
    {
      guint64 offset;

      if (!__builtin_add_overflow (slot->offset, dynamic, &offset) &&
          vtr_memory_objects_locate_buffer (objects, slot->object, offset, slot->range, &range))
        add_range (events, &range);
    }
  else if (slot->kind == VTR_SLOT_IMAGE)
    for (guint plane = 0; plane < VTR_MEMORY_PLANES; plane++)
      if (vtr_memory_objects_locate_image (objects, slot->object, plane, &range))
        add_range (events, &range);
}

static void
resolve_set (const VtrMemoryDraft *self,
             VtrMemoryObjects     *objects,
             const VtrMemoryRef   *ref,
             VtrMemoryEvents      *events)
{
  const VtrMemorySet *set = g_ptr_array_index (objects->sets, ref->object);

  for (guint32 i = 0; set->slots != NULL && i < set->layout->n; i++)
    {
      const VtrMemoryLayoutBinding *binding = &set->layout->bindings[i];

      if (set->slots[i] == NULL || (binding->stages & ref->stages) == 0 ||
          !vtr_memory_writes_has (ref->writes, ref->set, binding->binding))
        continue;
      for (guint k = 0; k < set->slots[i]->len; k++)
        {
          guint64 nth = (guint64)binding->first_dynamic + k;
          guint64 dynamic = 0;

          if (vtr_memory_is_dynamic (binding->type) && nth < ref->size)
            dynamic = g_array_index (self->dynamic, guint32, ref->offset + nth);
          resolve_slot (objects, &g_array_index (set->slots[i], VtrMemorySlot, k), dynamic, events);
        }
    }
}

static void
resolve_storage_images (VtrMemoryObjects *objects,
                        VtrMemoryEvents  *events)
{
  for (guint32 i = 0; i < objects->images->len; i++)
    if (g_array_index (objects->images, VtrMemoryImage, i).storage)
      resolve_slot (objects, &(VtrMemorySlot){ .kind = VTR_SLOT_IMAGE, .object = i }, 0, events);
}

static void
resolve_addresses (VtrMemoryObjects *objects,
                   VtrMemoryEvents  *events)
{
  VtrRange range;

  for (guint32 i = 0; i < objects->buffers->len; i++)
    {
      const VtrMemoryBuffer *buffer = &g_array_index (objects->buffers, VtrMemoryBuffer, i);

      if (!buffer->destroyed && buffer->sparse &&
          (buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0)
        add_pages (objects, events);
      if (!buffer->destroyed && (buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0 &&
          vtr_memory_objects_locate_buffer (objects, i, 0, VK_WHOLE_SIZE, &range))
        add_range (events, &range);
    }
}

static void
resolve_row (VtrMemoryObjects   *objects,
             const VtrMemoryRef *ref,
             VtrMemoryEvents    *events)
{
  VtrRange range;

  if (!vtr_memory_objects_locate_image (objects, ref->object, 0, &range) ||
      ref->offset >= range.end - range.begin)
    return;
  range.begin += ref->offset;
  range.end = range.begin + MIN (ref->size, range.end - range.begin);
  add_range (events, &range);
}

static void
resolve_ref (const VtrMemoryDraft *self,
             VtrMemoryObjects     *objects,
             const VtrMemoryRef   *ref,
             VtrMemoryEvents      *events)
{
  const VtrMemorySlot slot = {
    ref->kind == VTR_REF_BUFFER ? VTR_SLOT_BUFFER : VTR_SLOT_IMAGE,
    ref->object,
    ref->offset,
    ref->size,
  };

  switch (ref->kind)
    {
    case VTR_REF_BUFFER:
    case VTR_REF_IMAGE:
      resolve_slot (objects, &slot, 0, events);
      break;
    case VTR_REF_ROW:
      resolve_row (objects, ref, events);
      break;
    case VTR_REF_SET:
      resolve_set (self, objects, ref, events);
      break;
    case VTR_REF_ADDRESSES:
      resolve_addresses (objects, events);
      if (ref->object != 0)
        resolve_storage_images (objects, events);
      break;
    case VTR_REF_CHILD:
    default:
      break;
    }
}

/* Where exactly, and with what, is known of no sparse resource. */
static VtrMemoryEventKind
find_kind (const VtrMemoryDraft   *self,
           const VtrMemoryObjects *objects,
           const VtrMemoryEntry   *entry)
{
  for (guint i = 0; i < entry->n_refs; i++)
    {
      const VtrMemoryRef *ref = &g_array_index (self->refs, VtrMemoryRef, entry->first_ref + i);

      if ((ref->kind == VTR_REF_BUFFER || ref->kind == VTR_REF_IMAGE) &&
          is_sparse (objects, ref->kind == VTR_REF_BUFFER, ref->object))
        return VTR_EVENT_MAYBE;
    }
  return entry->kind;
}

/* --- Coverage -------------------------------------------------------------------------------- */

static void
join (GArray *ranges)
{
  VtrRange *all = (VtrRange *)(void *)ranges->data;

  g_array_set_size (ranges, (guint)vtr_ranges_join (all, ranges->len));
}

static void
cover (VtrMemoryDraft        *self,
       const VtrMemoryEvents *events)
{
  for (guint i = 0; i < events->events->len; i++)
    {
      const VtrMemoryEvent *event = &g_array_index (events->events, VtrMemoryEvent, i);

      if (event->kind != VTR_EVENT_CHILD && event->n_ranges > 0)
        g_array_append_vals (event->kind == VTR_EVENT_MAYBE ? self->maybe : self->exact,
                             &g_array_index (events->ranges, VtrRange, event->first_range),
                             event->n_ranges);
    }
}

/* --- Running --------------------------------------------------------------------------------- */

typedef struct
{
  VtrMemoryObjects *objects;
  VtrMemoryDraftFunc find;
  gpointer find_data;
  VtrBuffer *store;
} Resolver;

/* Whether what was resolved last still holds. */
static gboolean
is_fresh (VtrMemoryDraft *self,
          Resolver       *resolver)
{
  if (self->events == VTR_NO_EVENTS)
    return FALSE;
  if (self->checked == resolver->objects->clock)
    return TRUE;
  for (guint i = 0; i < self->refs->len; i++)
    {
      const VtrMemoryRef *ref = &g_array_index (self->refs, VtrMemoryRef, i);
      VtrMemoryDraft *child;

      if (ref->kind == VTR_REF_SET &&
          ((const VtrMemorySet *)g_ptr_array_index (resolver->objects->sets, ref->object))
              ->version > self->clock)
        return FALSE;
      if ((ref->kind == VTR_REF_ADDRESSES || resolver->objects->paged->len > 0) &&
          resolver->objects->addresses_clock > self->clock)
        return FALSE;
      if (ref->kind == VTR_REF_CHILD &&
          (child = resolver->find (resolver->find_data, ref->object)) != NULL &&
          (child->clock > self->clock || !is_fresh (child, resolver)))
        return FALSE;
    }
  self->checked = resolver->objects->clock;
  return TRUE;
}

static void
resolve_children (VtrMemoryDraft       *self,
                  Resolver             *resolver,
                  const VtrMemoryEntry *entry,
                  VtrMemoryEvents      *events)
{
  g_autofree guint32 *children = g_new (guint32, MAX (entry->n_refs, 1));

  for (guint i = 0; i < entry->n_refs; i++)
    {
      const VtrMemoryRef *ref = &g_array_index (self->refs, VtrMemoryRef, entry->first_ref + i);
      VtrMemoryDraft *child = resolver->find (resolver->find_data, ref->object);
      const GArray *exact, *maybe;

      children[i] = VTR_NO_EVENTS;
      if (child == NULL || child == self)
        continue;
      children[i] =
        vtr_memory_draft_resolve (child, resolver->objects, resolver->find, resolver->find_data,
                                  resolver->store, &exact, &maybe);
      g_array_append_vals (self->exact, exact->data, exact->len);
      g_array_append_vals (self->maybe, maybe->data, maybe->len);
    }
  vtr_memory_events_add_children (events, entry->first, children, entry->n_refs);
}

guint32
vtr_memory_draft_resolve (VtrMemoryDraft      *self,
                          VtrMemoryObjects    *objects,
                          VtrMemoryDraftFunc   find,
                          gpointer             find_data,
                          VtrBuffer           *store,
                          const GArray       **exact,
                          const GArray       **maybe)
{
  Resolver resolver = { objects, find, find_data, store };
  VtrMemoryEvents events;

  *exact = self->exact;
  *maybe = self->maybe;
  if (is_fresh (self, &resolver))
    return self->events;
  g_array_set_size (self->exact, 0);
  g_array_set_size (self->maybe, 0);
  vtr_memory_events_init (&events);
  for (guint i = 0; i < self->entries->len; i++)
    {
      const VtrMemoryEntry *entry = &g_array_index (self->entries, VtrMemoryEntry, i);

      if (entry->kind == VTR_EVENT_CHILD)
        {
          resolve_children (self, &resolver, entry, &events);
          continue;
        }
      vtr_memory_events_begin (&events, find_kind (self, objects, entry), entry->first,
                               entry->last);
      for (guint k = 0; k < entry->n_refs; k++)
        resolve_ref (self, objects,
                     &g_array_index (self->refs, VtrMemoryRef, entry->first_ref + k), &events);
      vtr_memory_events_end (&events);
    }
  cover (self, &events);
  join (self->exact);
  join (self->maybe);
  self->clock = self->checked = objects->clock;
  self->events = vtr_memory_events_store (&events, store);
  vtr_memory_events_finish (&events);
  return self->events;
}
