/* vtr-app-exit: creates an instance and exits without destroying it. */
#include "vtr-app.h"

#include <stdlib.h>

int
main (void)
{
  VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  VkInstance instance;

  vtr_app_check (vkCreateInstance (&info, NULL, &instance), "vkCreateInstance");
  _Exit (3);
}
