/* Searches bytes for values that are captured device addresses at a given command. */
#include "engine/vulkan/replay-builder/vtr-address-scan.h"

#include <string.h>

/* Buffers at one place that are looked at. */
#define MAX_OVERLAP 64

typedef struct
{
  guint64 begin, end;
  guint64 reach; /* the largest .end of this one and those before */
  guint64 device;
  guint32 id;
} Live;

/* A buffer begins or ceases to matter. */
typedef struct
{
  guint64 index;
  guint32 id;
  gboolean ends;
} Event;

struct _VtrAddressScan
{
  const VtrAddressRanges *ranges;
  GArray *events; /* Event, by index */
  guint next;     /* first event that has not been taken */
  GArray *live;   /* Live, by begin, then by end downwards, then by id */
  GArray *found;  /* VtrAddressFound */
  gboolean dirty; /* .reach, .low and .span are old */
  guint64 index, device;
  guint64 low, span; /* nothing is outside [low, low + span]; low is 1 and span 0 without ranges */
};

static gint
compare_events (gconstpointer a,
                gconstpointer b)
{
  const Event *x = a;
  const Event *y = b;

  if (x->index != y->index)
    return x->index < y->index ? -1 : 1;
  if (x->ends != y->ends)
    return x->ends ? 1 : -1;
  return (x->id > y->id) - (x->id < y->id);
}

VtrAddressScan *
vtr_address_scan_new (const VtrAddressRanges *ranges)
{
  VtrAddressScan *self = g_new0 (VtrAddressScan, 1);

  self->ranges = ranges;
  self->events = g_array_new (FALSE, FALSE, sizeof (Event));
  self->live = g_array_new (FALSE, FALSE, sizeof (Live));
  self->found = g_array_new (FALSE, FALSE, sizeof (VtrAddressFound));
  for (guint32 id = 0; id < vtr_address_ranges_get_n (ranges); id++)
    {
      const VtrAddressRange *range = vtr_address_ranges_get (ranges, id);
      const Event begin = { range->from, id, FALSE };
      /* The command that destroys it may have data from before. */
      const Event end = { range->to, id, TRUE };

      g_array_append_val (self->events, begin);
      if (range->to != G_MAXUINT64)
        g_array_append_val (self->events, end);
    }
  g_array_sort (self->events, compare_events);
  self->dirty = TRUE;
  return self;
}

void
vtr_address_scan_free (VtrAddressScan *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->events);
  g_array_unref (self->live);
  g_array_unref (self->found);
  g_free (self);
}

/* --- What lives ------------------------------------------------------------------------------ */

static gboolean
is_before (const Live *a,
           const Live *b)
{
  if (a->begin != b->begin)
    return a->begin < b->begin;
  if (a->end != b->end)
    return a->end > b->end;
  return a->id < b->id;
}

/* The first place whose range is not before @what. */
static guint
place_of (const VtrAddressScan *self,
          const Live           *what)
{
  guint low = 0;
  guint high = self->live->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (is_before (&g_array_index (self->live, Live, middle), what))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
take (VtrAddressScan *self,
      const Event    *event)
{
  const VtrAddressRange *range = vtr_address_ranges_get (self->ranges, event->id);
  const Live live = { range->begin, range->end, 0, range->device, event->id };
  guint at = place_of (self, &live);

  if (!event->ends)
    g_array_insert_val (self->live, at, live);
  else if (at < self->live->len && g_array_index (self->live, Live, at).id == event->id)
    g_array_remove_index (self->live, at);
  self->dirty = TRUE;
}

void
vtr_address_scan_seek (VtrAddressScan *self,
                       guint64         index,
                       guint64         device)
{
  self->device = device;
  if (index == VTR_COMMAND_NO_INDEX)
    return;
  if (index < self->index)
    {
      g_array_set_size (self->live, 0);
      self->next = 0;
      self->dirty = TRUE;
    }
  self->index = index;
  while (self->next < self->events->len)
    {
      const Event *event = &g_array_index (self->events, Event, self->next);

      if (event->index > index || (event->index == index && event->ends))
        break;
      take (self, event);
      self->next++;
    }
}

static void
settle (VtrAddressScan *self)
{
  guint64 reach = 0;

  for (guint i = 0; i < self->live->len; i++)
    {
      Live *live = &g_array_index (self->live, Live, i);

      reach = MAX (reach, live->end);
      live->reach = reach;
    }
  self->low = self->live->len > 0 ? g_array_index (self->live, Live, 0).begin : 1;
  self->span = self->live->len > 0 ? reach - self->low : 0;
  self->dirty = FALSE;
}

/* --- Looking --------------------------------------------------------------------------------- */

static gboolean
find_in_live (const VtrAddressScan *self,
              guint64               value,
              guint32              *range)
{
  const Live key = { value, 0, 0, 0, G_MAXUINT32 };
  guint at = place_of (self, &key);
  gboolean found = FALSE;

  for (guint n = 0; at > 0 && n < MAX_OVERLAP; n++)
    {
      const Live *live = &g_array_index (self->live, Live, --at);

      if (live->reach < value)
        break;
      if (live->end < value || (self->device != 0 && live->device != self->device))
        continue;
      if (value < live->end)
        {
          *range = live->id;
          return TRUE;
        }
      if (!found)
        *range = live->id;
      found = TRUE;
    }
  return found;
}

gboolean
vtr_address_scan_find (VtrAddressScan *self,
                       guint64         value,
                       guint32        *range)
{
  if (self->dirty)
    settle (self);
  return value - self->low <= self->span && find_in_live (self, value, range);
}

static inline guint64
load (const guint8 *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return value;
}

/* The first place from @at on, up to @last, whose value may be an address; one behind @last: none.
 * Most bytes are not: this is what a scan costs. */
static gsize
skip (const VtrAddressScan *self,
      const guint8         *bytes,
      gsize                 at,
      gsize                 last,
      gsize                 step)
{
  const guint64 low = self->low;
  const guint64 span = self->span;

  for (; last >= 3 * step && at <= last - 3 * step; at += 4 * step)
    {
      const guint8 *from = bytes + at;

      if (load (from) - low <= span || load (from + step) - low <= span ||
          load (from + 2 * step) - low <= span || load (from + 3 * step) - low <= span)
        break;
    }
  while (at <= last && load (bytes + at) - low > span)
    at += step;
  return at;
}

const GArray *
vtr_address_scan_bytes (VtrAddressScan *self,
                        const guint8   *bytes,
                        gsize           size,
                        gsize           first,
                        gsize           step)
{
  gsize last = size - sizeof (guint64);

  if (self->dirty)
    settle (self);
  g_array_set_size (self->found, 0);
  if (self->live->len == 0 || size < sizeof (guint64) || step > last + sizeof (guint64))
    return self->found;
  for (gsize at = skip (self, bytes, first, last, step); at <= last;
       at = skip (self, bytes, at, last, step))
    {
      VtrAddressFound found = { at, load (bytes + at), 0 };
      gboolean is_address = find_in_live (self, found.value, &found.range);

      if (is_address)
        g_array_append_val (self->found, found);
      at += is_address ? sizeof (guint64) : step;
    }
  return self->found;
}

const GArray *
vtr_address_scan_place (VtrAddressScan *self,
                        const guint8   *bytes,
                        gsize           size,
                        gboolean        exact)
{
  return vtr_address_scan_bytes (self, bytes, size, 0, exact ? size : VTR_ADDRESS_STEP_CALL);
}
