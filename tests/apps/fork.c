/* vtr-app-fork: starts children with and without exec. The parent uses Vulkan; with --child also
 * the child without exec, and with --exec PROGRAM the program that the other child becomes. */
#include "vtr-app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
use_vulkan (void)
{
  VtrAppGpu gpu = { 0 };
  VtrAppBuffer buffer;
  VkCommandBuffer commands;

  vtr_app_gpu_init (&gpu, NULL, false);
  buffer = vtr_app_buffer (&gpu, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  commands = vtr_app_commands (&gpu, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  vtr_app_begin (commands);
  vkCmdFillBuffer (commands, buffer.buffer, 0, VK_WHOLE_SIZE, 7);
  vtr_app_barrier (commands);
  vtr_app_run (&gpu, commands);
  if (((uint32_t *)buffer.mapped)[1023] != 7)
    vtr_app_fail ("the fill is missing");
  vtr_app_buffer_finish (&gpu, &buffer);
  vtr_app_gpu_finish (&gpu);
}

static void
wait_for (pid_t child)
{
  int status;

  if (child < 0 || waitpid (child, &status, 0) != child)
    vtr_app_fail ("no child: %s", strerror (errno));
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    vtr_app_fail ("a child ended with status 0x%x", status);
}

int
main (int    argc,
      char **argv)
{
  const char *program = "true";
  bool child_uses = false;
  bool parent_idle = false;
  bool inside = false;
  uint32_t again = 0;
  char again_text[16];
  VkInstance instance = VK_NULL_HANDLE;
  VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
  const VtrAppOption options[] = {
    { "--exec", NULL, &program, NULL, "program that one child becomes (true)" },
    { "--child", NULL, NULL, &child_uses, "the child without exec uses Vulkan" },
    { "--idle", NULL, NULL, &parent_idle, "the parent does not use Vulkan" },
    { "--again", &again, NULL, NULL, "how often it becomes itself anew when it is done (0)" },
    { "--inside", NULL, NULL, &inside, "fork with an instance alive" },
    { 0 },
  };
  pid_t child;

  vtr_app_options (argc, argv, options);
  if (inside)
    vtr_app_check (vkCreateInstance (&info, NULL, &instance), "vkCreateInstance");

  child = fork ();
  if (child == 0)
    {
      if (child_uses)
        use_vulkan ();
      _exit (0);
    }
  wait_for (child);

  child = fork ();
  if (child == 0)
    {
      execlp (program, program, NULL);
      _exit (127);
    }
  wait_for (child);

  if (!parent_idle)
    use_vulkan ();
  if (inside)
    vkDestroyInstance (instance, NULL);
  if (again > 0)
    {
      snprintf (again_text, sizeof again_text, "%u", again - 1);
      execl ("/proc/self/exe", argv[0], "--again", again_text, NULL);
      return 127;
    }
  puts ("done");

  return 0;
}
