/* Makes handles, and remembers the objects behind them. */
#include "vtr-mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define N_BUCKETS 4096
#define LOADER_MAGIC 0x01CDC0DE

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static MockObject *buckets[N_BUCKETS];
static MockObject *freed; /* their values are given out again, the last first */
static uint64_t serial;

void
mock_lock (void)
{
  pthread_mutex_lock (&lock);
}

void
mock_unlock (void)
{
  pthread_mutex_unlock (&lock);
}

void
mock_wake (void)
{
  pthread_cond_broadcast (&changed);
}

uint64_t
mock_deadline (uint64_t timeout)
{
  struct timespec now;
  uint64_t deadline;

  clock_gettime (CLOCK_REALTIME, &now);
  if (__builtin_add_overflow ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, timeout,
                              &deadline))
    return UINT64_MAX;
  return deadline;
}

bool
mock_wait_change (uint64_t deadline)
{
  const struct timespec until = { (time_t)(deadline / 1000000000u),
                                  (long)(deadline % 1000000000u) };

  if (deadline >= UINT64_C (1) << 62)
    return pthread_cond_wait (&changed, &lock) == 0;
  return pthread_cond_timedwait (&changed, &lock, &until) == 0;
}

static bool
is_dispatchable (uint32_t type)
{
  return type == VK_OBJECT_TYPE_INSTANCE || type == VK_OBJECT_TYPE_PHYSICAL_DEVICE ||
         type == VK_OBJECT_TYPE_DEVICE || type == VK_OBJECT_TYPE_QUEUE ||
         type == VK_OBJECT_TYPE_COMMAND_BUFFER;
}

MockObject *
mock_owner (const void *object)
{
  return ((const MockObject *)object)->owner;
}

bool
mock_is_lost (const void *object)
{
  return object != NULL && mock_owner (object)->lost;
}

static MockObject **
bucket (uint32_t type,
        uint64_t value)
{
  return &buckets[((value ^ (uint64_t)type << 40) * 0x9e3779b97f4a7c15ull >> 40) % N_BUCKETS];
}

/* With the lock. */
static MockObject *
take_freed (const MockObject *owner,
            uint32_t          type)
{
  if (mock_config.reuse)
    for (MockObject **at = &freed; *at != NULL; at = &(*at)->next)
      if ((*at)->type == type && (!mock_config.equal || (*at)->owner == owner))
        {
          MockObject *object = *at;

          *at = object->next;
          return object;
        }
  return NULL;
}

MockObject *
mock_new_object (MockObject *owner,
                 uint32_t    type,
                 MockObject *pool)
{
  MockObject *object;
  uint64_t value;

  mock_lock ();
  object = take_freed (owner, type);
  value = object == NULL ? 0 : object->value;
  if (object == NULL)
    object = malloc (sizeof *object);
  if (object == NULL)
    abort ();
  memset (object, 0, sizeof *object);
  object->loader = LOADER_MAGIC;
  object->type = type;
  object->owner = owner == NULL ? object : owner;
  object->pool = pool;
  if (is_dispatchable (type))
    value = (uintptr_t)object;
  else if (value == 0)
    value = 0x10000 + 0x10 * (mock_config.equal && owner->type == VK_OBJECT_TYPE_DEVICE
                                ? ++owner->u.owner_data.serial
                                : ++serial);
  object->value = value;
  object->next = *bucket (type, value);
  *bucket (type, value) = object;
  mock_unlock ();
  return object;
}

uint64_t
mock_new (const void *object,
          uint32_t    type,
          MockObject *pool)
{
  return mock_new_object (mock_owner (object), type, pool)->value;
}

MockObject *
mock_find (const void *object,
           uint32_t    type,
           uint64_t    value)
{
  const MockObject *owner = object == NULL ? NULL : mock_owner (object);
  MockObject *found;

  mock_lock ();
  for (found = *bucket (type, value); found != NULL; found = found->next)
    if (found->type == type && found->value == value &&
        (is_dispatchable (type) || owner == NULL || found->owner == owner ||
         owner->type != found->owner->type))
      break;
  mock_unlock ();
  return found;
}

MockObject *
mock_next_of (const MockObject *owner,
              uint32_t          type,
              uint32_t          index)
{
  MockObject *found = NULL;

  mock_lock ();
  for (unsigned i = 0; i < N_BUCKETS && found == NULL; i++)
    for (found = buckets[i]; found != NULL; found = found->next)
      if (found->owner == owner && found->type == type && found->u.owner_data.index == index)
        break;
  mock_unlock ();
  return found;
}

void
mock_for_each (const MockObject *owner,
               uint32_t type,
               void (*each) (MockObject *object, void *data),
               void *data)
{
  for (unsigned i = 0; i < N_BUCKETS; i++)
    for (MockObject *object = buckets[i]; object != NULL; object = object->next)
      if (object->owner == owner && object->type == type)
        each (object, data);
}

/* With the lock; it is in no list any more. */
static void
forget (MockObject *object)
{
  if (object->type == VK_OBJECT_TYPE_DEVICE_MEMORY && !object->u.memory.imported &&
      object->u.memory.bytes != NULL)
    munmap (object->u.memory.bytes, object->u.memory.size);
  if (mock_config.reuse)
    {
      object->next = freed;
      freed = object;
    }
  else
    free (object);
}

/* With the lock: ends all whose pool (or owner, for devices and instances) it is. */
static void
end_below (const MockObject *above)
{
  bool owns = above->owner == above;

  for (unsigned i = 0; i < N_BUCKETS; i++)
    for (MockObject **at = &buckets[i]; *at != NULL;)
      {
        MockObject *object = *at;

        if (object != above && (object->pool == above || (owns && object->owner == above)))
          {
            *at = object->next;
            forget (object);
          }
        else
          at = &object->next;
      }
}

void
mock_end (const void *object,
          uint32_t    type,
          uint64_t    value)
{
  MockObject *ended;

  if (value == 0)
    return;
  mock_lock ();
  ended = mock_find (object, type, value);
  if (ended != NULL)
    {
      MockObject **at = bucket (type, value);

      if (type == VK_OBJECT_TYPE_COMMAND_POOL || type == VK_OBJECT_TYPE_DESCRIPTOR_POOL ||
          type == VK_OBJECT_TYPE_SWAPCHAIN_KHR || ended->owner == ended)
        end_below (ended);
      while (*at != ended)
        at = &(*at)->next;
      *at = ended->next;
      forget (ended);
    }
  mock_unlock ();
}

/* --- Outputs --------------------------------------------------------------------------------- */

void
mock_clear_chain (void *chain)
{
  for (VkBaseOutStructure *link = chain; link != NULL; link = link->pNext)
    for (const MockSize *size = mock_sizes; size->size != 0; size++)
      if (size->stype == (uint32_t)link->sType)
        {
          memset (link + 1, 0, size->size - sizeof *link);
          break;
        }
}

void
mock_clear (void     *elements,
            size_t    size,
            uint64_t  count,
            bool      typed)
{
  uint8_t *at = elements;

  for (uint64_t i = 0; at != NULL && i < count; i++, at += size)
    if (!typed)
      memset (at, 0, size);
    else
      {
        memset (at + sizeof (VkBaseOutStructure), 0, size - sizeof (VkBaseOutStructure));
        mock_clear_chain (((VkBaseOutStructure *)(void *)at)->pNext);
      }
}

void
mock_fill (void     *elements,
           size_t    size,
           uint64_t  count)
{
  uint8_t *at = elements;

  memset (at, 0, size * count);
  for (uint64_t i = 0; i < count; i++)
    at[i * size] = 1;
}

void
mock_pattern (void     *bytes,
              uint64_t  size)
{
  uint8_t *at = bytes;

  for (uint64_t i = 0; at != NULL && i < size; i++)
    at[i] = (uint8_t)(i * 7 + 1);
}
