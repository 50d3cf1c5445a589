/* Joins the bytes found of a range of memory to spans, each with the source of its bytes. */
#include "engine/memory/vtr-memory-spans.h"

static gint
compare_fragments (gconstpointer a,
                   gconstpointer b)
{
  const VtrMemoryFragment *left = a, *right = b;

  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

static void
add_span (GArray        *spans,
          VtrMemorySpan  span)
{
  VtrMemorySpan *last =
    spans->len > 0 ? &g_array_index (spans, VtrMemorySpan, spans->len - 1) : NULL;

  if (last != NULL && last->kind == span.kind && last->index == span.index &&
      last->known == span.known)
    last->size += span.size;
  else
    g_array_append_val (spans, span);
}

static gboolean
is_later (VtrMemoryWhen a,
          VtrMemoryWhen b)
{
  return a.item > b.item || (a.item == b.item && a.sequence > b.sequence);
}

/* The fragment over @at; *@stop falls to where the answer changes. */
static const VtrMemoryFragment *
fragment_at (const GArray *fragments,
             guint        *position,
             guint64       at,
             guint64      *stop)
{
  const VtrMemoryFragment *fragment;

  while (*position < fragments->len &&
         g_array_index (fragments, VtrMemoryFragment, *position).end <= at)
    ++*position;
  if (*position >= fragments->len)
    return NULL;
  fragment = &g_array_index (fragments, VtrMemoryFragment, *position);
  if (fragment->begin > at)
    {
      *stop = MIN (*stop, fragment->begin);
      return NULL;
    }
  *stop = MIN (*stop, fragment->end);
  return fragment;
}

GArray *
vtr_memory_spans_make (GArray   *sure,
                       GArray   *maybe,
                       VtrRange  range,
                       guint64   base)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (VtrMemorySpan));
  guint first = 0, second = 0;
  guint64 stop;

  g_array_sort (sure, compare_fragments);
  g_array_sort (maybe, compare_fragments);
  for (guint64 at = range.begin; at < range.end; at = stop)
    {
      VtrMemorySpan span = { .offset = at - base, .index = VTR_COMMAND_NO_INDEX };
      const VtrMemoryFragment *exact, *perhaps;

      stop = range.end;
      exact = fragment_at (sure, &first, at, &stop);
      perhaps = fragment_at (maybe, &second, at, &stop);
      if (exact != NULL)
        {
          span.kind = exact->kind;
          span.index = exact->index;
          span.known = exact->kind == VTR_MEMORY_OBSERVED;
        }
      if (perhaps != NULL && span.kind != VTR_MEMORY_GPU_WRITTEN &&
          (exact == NULL || is_later (perhaps->when, exact->when)))
        {
          span.kind = VTR_MEMORY_GPU_MAYBE;
          span.index = perhaps->index;
        }
      span.size = stop - at;
      add_span (spans, span);
    }
  return spans;
}
