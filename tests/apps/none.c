/* vtr-app-none: a program that never uses Vulkan. */
#include <stdio.h>

int
main (void)
{
  puts ("no Vulkan here");

  return 0;
}
