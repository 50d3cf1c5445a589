/* Finds and removes structures in pNext chains. */
#include "vtr-vk-objects.h"

#define MAX_CHAIN 64

const void *
vtr_chain_find (const void      *next,
                VkStructureType  s_type)
{
  const VkBaseInStructure *link = next;

  for (unsigned i = 0; link != NULL && i < MAX_CHAIN; i++, link = link->pNext)
    if (link->sType == s_type)
      return link;
  return NULL;
}

void
vtr_chain_remove (const void            **next,
                  const VkStructureType  *s_types,
                  size_t                  n)
{
  for (unsigned i = 0; *next != NULL && i < MAX_CHAIN; i++)
    {
      const VkBaseInStructure *link = *next;
      bool remove = false;

      for (size_t type = 0; type < n; type++)
        remove |= link->sType == s_types[type];
      if (remove)
        *next = link->pNext;
      else
        next = (const void **)&((VkBaseOutStructure *)(uintptr_t)link)->pNext;
    }
}
