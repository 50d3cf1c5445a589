/* vtr-app-spawn: a launcher: becomes the program that it is given. */
#include <stdio.h>
#include <unistd.h>

int
main (int    argc,
      char **argv)
{
  if (argc < 2)
    {
      fputs ("Usage: vtr-app-spawn PROGRAM [ARGUMENT…]\n", stderr);
      return 2;
    }

  execvp (argv[1], argv + 1);
  perror (argv[1]);

  return 127;
}
