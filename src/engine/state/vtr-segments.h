/* Some of a trace's commands, numbered from 0: those of a recording, or those of a frame outside
   recordings. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 index;    /* flat, of the first command */
  guint64 position; /* its number */
} VtrSegment;

/* Stretches of consecutive flat indices; a recording of a Vitrine file is one. Zero-initialised is
   empty. */
typedef struct
{
  VtrSegment *segments;
  guint32 n_segments, capacity;
  guint64 n; /* commands in all */
} VtrSegments;

static inline void
vtr_segments_finish (VtrSegments *self)
{
  g_free (self->segments);
}

/* Adds [first, last], which must lie after all earlier ones. */
static inline void
vtr_segments_append (VtrSegments *self,
                     guint64      first,
                     guint64      last)
{
  VtrSegment *tail = self->n_segments > 0 ? &self->segments[self->n_segments - 1] : NULL;

  if (tail == NULL || tail->index + (self->n - tail->position) != first)
    {
      if (self->n_segments == self->capacity)
        {
          self->capacity = MAX (4, self->capacity * 2);
          self->segments = g_renew (VtrSegment, self->segments, self->capacity);
        }
      self->segments[self->n_segments].index = first;
      self->segments[self->n_segments].position = self->n;
      self->n_segments++;
    }
  self->n += last - first + 1;
}

/* @position < n. O(log segments). */
static inline guint64
vtr_segments_get (const VtrSegments *self,
                  guint64            position)
{
  guint32 low = 0, high = self->n_segments;

  while (high - low > 1)
    {
      guint32 middle = low + (high - low) / 2;

      if (self->segments[middle].position <= position)
        low = middle;
      else
        high = middle;
    }
  return self->segments[low].index + (position - self->segments[low].position);
}

/* Returns: the position of @index, or G_MAXUINT64 if it is not among them. */
static inline guint64
vtr_segments_find (const VtrSegments *self,
                   guint64            index)
{
  guint32 low = 0, high = self->n_segments;
  guint64 end, position;

  while (high - low > 1)
    {
      guint32 middle = low + (high - low) / 2;

      if (self->segments[middle].index <= index)
        low = middle;
      else
        high = middle;
    }
  if (self->n_segments == 0 || index < self->segments[low].index)
    return G_MAXUINT64;
  end = low + 1 < self->n_segments ? self->segments[low + 1].position : self->n;
  position = self->segments[low].position + (index - self->segments[low].index);
  return position < end ? position : G_MAXUINT64;
}

G_END_DECLS
