/* Reads the configuration of the driver: VTR_MOCK (lines, or ';' between them) and
 * VTR_MOCK_FILE. */
#include "vtr-mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

MockConfig mock_config;
MockRule mock_rules[64];
unsigned mock_n_rules;

static char *hidden[256];
static unsigned n_hidden;
static bool own_memory, own_families;

static void
complain (const char *line,
          const char *why)
{
  fprintf (stderr, "mock driver: \"%s\": %s\n", line, why);
  fflush (stderr);
  _exit (97); /* without running the destructors of the caller */
}

static uint32_t
flags_of (const char *line,
          char       *text)
{
  static const MockName names[] = {
    { "device", VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT },
    { "visible", VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT },
    { "coherent", VK_MEMORY_PROPERTY_HOST_COHERENT_BIT },
    { "cached", VK_MEMORY_PROPERTY_HOST_CACHED_BIT },
    { "lazy", VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT },
    { "graphics", VK_QUEUE_GRAPHICS_BIT },
    { "compute", VK_QUEUE_COMPUTE_BIT },
    { "transfer", VK_QUEUE_TRANSFER_BIT },
    { "sparse", VK_QUEUE_SPARSE_BINDING_BIT },
    { "none", 0 },
  };
  uint32_t flags = 0;

  for (char *word = strtok (text, "+"); word != NULL; word = strtok (NULL, "+"))
    {
      unsigned i = 0;

      while (i < sizeof names / sizeof names[0] && strcmp (names[i].name, word) != 0)
        i++;
      if (i == sizeof names / sizeof names[0])
        complain (line, "an unknown flag");
      flags |= (uint32_t)names[i].value;
    }
  return flags;
}

static unsigned
command_of (const char *line,
            const char *name)
{
  for (unsigned i = 0; i < MOCK_N_COMMANDS; i++)
    if (strcmp (mock_names[i], name) == 0)
      return i;
  complain (line, "an unknown command");
  return 0;
}

static int64_t
result_of (const char *line,
           const char *name)
{
  for (const MockName *result = mock_results; result->name != NULL; result++)
    if (strcmp (result->name, name) == 0)
      return result->value;
  complain (line, "an unknown result");
  return 0;
}

static void
add_rule (const char *line,
          const char *what,
          const char *command,
          const char *when,
          const char *value)
{
  MockRule *rule = &mock_rules[mock_n_rules];

  if (mock_n_rules == sizeof mock_rules / sizeof mock_rules[0])
    complain (line, "too many");
  mock_n_rules++;
  rule->cmd = strcmp (command, "every") == 0 ? MOCK_N_COMMANDS : command_of (line, command);
  rule->odd = strcmp (when, "odd") == 0;
  rule->n = strcmp (when, "*") == 0 || rule->odd ? 1 : strtoull (when, NULL, 0);
  rule->from = strcmp (when, "*") == 0 || when[strlen (when) - 1] == '+';
  if (rule->n == 0)
    complain (line, "calls are counted from 1");
  if (strcmp (what, "fail") == 0 || strcmp (what, "partly") == 0)
    {
      rule->what = what[0] == 'f' ? MOCK_FAIL : MOCK_PARTLY;
      rule->own = strcmp (value, "own") == 0;
      rule->value = rule->own ? 0 : result_of (line, value);
    }
  else if (strcmp (what, "exit") == 0)
    {
      rule->what = MOCK_EXIT;
      rule->value = strtoll (value, NULL, 0);
    }
  else if (strcmp (what, "crash") == 0)
    rule->what = MOCK_CRASH;
  else if (strcmp (what, "latency") == 0)
    {
      rule->what = MOCK_DELAY;
      rule->value = strtoll (value, NULL, 0);
    }
  else
    rule->what = MOCK_LOSE;
}

static void
set_limit (const char *line,
           const char *name,
           const char *value)
{
  for (const MockMember *member = mock_limits; member->name != NULL; member++)
    if (strcmp (member->name, name) == 0)
      {
        uint8_t *at = (uint8_t *)&mock_config.limits + member->offset;
        uint64_t number = strtoull (value, NULL, 0);
        float real = strtof (value, NULL);

        if (member->kind == 1)
          memcpy (at, &real, sizeof real);
        else
          memcpy (at, &number, member->size < 8 ? member->size : 8);
        return;
      }
  complain (line, "an unknown limit");
}

static void
add_memory (const char  *line,
            char       **words)
{
  VkPhysicalDeviceMemoryProperties *memory = &mock_config.memory;

  if (!own_memory)
    memset (memory, 0, sizeof *memory);
  own_memory = true;
  if (strcmp (words[0], "memory-heap") == 0)
    memory->memoryHeaps[memory->memoryHeapCount++] = (VkMemoryHeap){
      strtoull (words[1], NULL, 0),
      words[2] != NULL ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT : 0,
    };
  else
    memory->memoryTypes[memory->memoryTypeCount++] = (VkMemoryType){
      flags_of (line, words[1]),
      words[2] != NULL ? (uint32_t)strtoul (words[2], NULL, 0) : 0,
    };
}

static void
add_family (const char  *line,
            char       **words)
{
  if (!own_families)
    mock_config.n_families = 0;
  own_families = true;
  if (mock_config.n_families == MOCK_MAX_FAMILIES)
    complain (line, "too many");
  mock_config.image_families[mock_config.n_families] =
    words[2] != NULL && words[3] != NULL ? (uint32_t)strtoul (words[3], NULL, 0) : 0;
  mock_config.families[mock_config.n_families++] = (VkQueueFamilyProperties){
    flags_of (line, words[1]),
    words[2] != NULL ? (uint32_t)strtoul (words[2], NULL, 0) : 1,
    64,
    { 1, 1, 1 },
  };
}

static void
open_log (const char *name)
{
  const char *percent = strstr (name, "%p");
  char path[4096];

  if (strcmp (name, "stderr") == 0)
    {
      static char buffer[65536];

      setvbuf (stderr, buffer, _IOFBF, sizeof buffer);
      mock_log = stderr;
      return;
    }
  if (percent != NULL)
    snprintf (path, sizeof path, "%.*s%ld%s", (int)(percent - name), name, (long)getpid (),
              percent + 2);
  else
    snprintf (path, sizeof path, "%s", name);
  mock_log = fopen (path, "ae");
  if (mock_log == NULL)
    complain (name, "cannot be opened");
}

/* @n: words of the line. */
static bool
is_rule (const char *word,
         unsigned    n)
{
  static const struct
  {
    const char *word;
    unsigned n;
  } rules[] = {
    { "crash", 3 },
    { "exit", 4 },
    { "fail", 4 },
    { "latency", 4 },
    { "lose", 3 },
    { "partly", 4 },
  };

  for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (strcmp (rules[i].word, word) == 0)
      return n >= rules[i].n;
  return false;
}

static void
read_line (char *line)
{
  char copy[1024];
  char *words[8] = { NULL };
  unsigned n = 0;

  snprintf (copy, sizeof copy, "%s", line);
  for (char *save, *word = strtok_r (line, " \t", &save); word != NULL && n < 7;
       word = strtok_r (NULL, " \t", &save))
    words[n++] = word;
  if (n == 0 || words[0][0] == '#')
    return;
  if (strcmp (words[0], "strict") == 0)
    mock_config.strict = true;
  else if (strcmp (words[0], "newer") == 0)
    mock_config.newer = true;
  else if (n >= 2 && strcmp (words[0], "log") == 0)
    open_log (words[1]);
  else if (n >= 2 && strcmp (words[0], "device-name") == 0)
    snprintf (mock_config.device_name, sizeof mock_config.device_name, "%s",
              strstr (copy, words[1]));
  else if (n >= 2 && strcmp (words[0], "device-id") == 0)
    mock_config.device_id = (uint32_t)strtoul (words[1], NULL, 0);
  else if (n >= 2 && strcmp (words[0], "devices") == 0)
    mock_config.n_devices = (uint32_t)strtoul (words[1], NULL, 0);
  else if (n >= 2 && strcmp (words[0], "addresses") == 0)
    mock_config.addresses = strtoull (words[1], NULL, 0);
  else if (n >= 2 && strcmp (words[0], "descriptors") == 0)
    {
      mock_config.descriptors = (uint32_t)strtoul (words[1], NULL, 0);
      mock_config.structure_descriptors =
        n >= 3 ? (uint32_t)strtoul (words[2], NULL, 0) : mock_config.descriptors;
    }
  else if (n >= 2 && strcmp (words[0], "opaque") == 0)
    {
      mock_config.opaque = strtoull (words[1], NULL, 0);
      for (unsigned i = 2; i < n; i++)
        mock_config.refuse |= strcmp (words[i], "refuse") == 0              ? ~0u
                              : strcmp (words[i], "refuse-structures") == 0 ? MOCK_REFUSE_STRUCTURES
                              : strcmp (words[i], "refuse-groups") == 0     ? MOCK_REFUSE_GROUPS
                                                                            : 0;
    }
  else if (n >= 2 && strcmp (words[0], "alignment") == 0)
    mock_config.alignment = (uint32_t)strtoul (words[1], NULL, 0);
  else if (n >= 2 && strncmp (words[0], "memory-", 7) == 0)
    add_memory (copy, words);
  else if (n >= 2 && strcmp (words[0], "queue-family") == 0)
    add_family (copy, words);
  else if (n >= 3 && strcmp (words[0], "limit") == 0)
    set_limit (copy, words[1], words[2]);
  else if (n >= 2 && strcmp (words[0], "without") == 0 && n_hidden < 256)
    hidden[n_hidden++] = strdup (words[1]);
  else if (n >= 2 && strcmp (words[0], "handles") == 0)
    {
      mock_config.reuse |= strstr (words[1], "reuse") != NULL;
      mock_config.equal |= strstr (words[1], "equal") != NULL;
    }
  else if (n >= 3 && is_rule (words[0], n))
    add_rule (copy, words[0], words[1], words[2], words[3]);
  else
    complain (copy, "not understood");
}

static void
set_defaults (void)
{
  static const VkQueueFamilyProperties family = {
    VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT |
      VK_QUEUE_SPARSE_BINDING_BIT,
    4,
    64,
    { 1, 1, 1 },
  };
  MockConfig *config = &mock_config;

  snprintf (config->device_name, sizeof config->device_name, "Mock device");
  config->n_devices = 1;
  config->alignment = 256;
  config->n_families = 1;
  config->families[0] = family;
  config->memory.memoryHeapCount = 1;
  config->memory.memoryHeaps[0] =
    (VkMemoryHeap){ UINT64_C (1) << 32, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT };
  config->memory.memoryTypeCount = 1;
  config->memory.memoryTypes[0] = (VkMemoryType){
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    0,
  };
  for (const MockMember *member = mock_limits; member->name != NULL; member++)
    {
      uint8_t *at = (uint8_t *)&config->limits + member->offset;

      for (uint32_t i = 0; i < member->size; i += 4)
        {
          const bool high = member->size % 8 == 0 && i % 8 == 4;
          const uint32_t number = high ? 0 : 65536;
          const float real = 1024;

          memcpy (at + i, member->kind == 1 ? (const void *)&real : (const void *)&number, 4);
        }
    }
}

static void
set_default_limits (VkPhysicalDeviceLimits *limits)
{
  VkSampleCountFlags *const samples[] = {
    &limits->framebufferColorSampleCounts,
    &limits->framebufferDepthSampleCounts,
    &limits->framebufferStencilSampleCounts,
    &limits->framebufferNoAttachmentsSampleCounts,
    &limits->sampledImageColorSampleCounts,
    &limits->sampledImageIntegerSampleCounts,
    &limits->sampledImageDepthSampleCounts,
    &limits->sampledImageStencilSampleCounts,
    &limits->storageImageSampleCounts,
  };
  const VkDeviceSize small[] = { 64 };

  for (unsigned i = 0; i < sizeof samples / sizeof samples[0]; i++)
    *samples[i] = 0x7f;
  limits->maxViewportDimensions[1] = limits->maxViewportDimensions[0];
  limits->maxMemoryAllocationCount = 1u << 20;
  limits->bufferImageGranularity = small[0];
  limits->nonCoherentAtomSize = small[0];
  limits->minMemoryMapAlignment = small[0];
  limits->minTexelBufferOffsetAlignment = small[0];
  limits->minUniformBufferOffsetAlignment = small[0];
  limits->minStorageBufferOffsetAlignment = small[0];
  limits->optimalBufferCopyOffsetAlignment = small[0];
  limits->optimalBufferCopyRowPitchAlignment = small[0];
  limits->sparseAddressSpaceSize = UINT64_C (1) << 40;
  limits->timestampComputeAndGraphics = VK_TRUE;
  limits->timestampPeriod = 1;
  limits->maxBoundDescriptorSets = 32;
  limits->maxColorAttachments = 8;
  limits->maxPushConstantsSize = 256;
  limits->discreteQueuePriorities = 2;
  limits->maxImageArrayLayers = 2048;
  limits->strictLines = VK_FALSE;
  limits->standardSampleLocations = VK_TRUE;
}

static void
read_text (char       *text,
           const char *separators)
{
  for (char *save, *line = strtok_r (text, separators, &save); line != NULL;
       line = strtok_r (NULL, separators, &save))
    read_line (line);
}

void
mock_config_load (void)
{
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  static bool loaded;
  const char *path = getenv ("VTR_MOCK_FILE");
  const char *text = getenv ("VTR_MOCK");

  pthread_mutex_lock (&once);
  if (!loaded)
    {
      set_defaults ();
      set_default_limits (&mock_config.limits);
      if (path != NULL)
        {
          static char contents[65536];
          FILE *file = fopen (path, "re");

          if (file == NULL)
            complain (path, "cannot be opened");
          contents[fread (contents, 1, sizeof contents - 1, file)] = '\0';
          fclose (file);
          read_text (contents, "\n");
        }
      if (text != NULL)
        {
          char *copy = strdup (text);

          read_text (copy, ";\n");
          free (copy);
        }
      mock_watching = mock_log != NULL || mock_config.strict || mock_n_rules > 0;
      loaded = true;
    }
  pthread_mutex_unlock (&once);
}

static bool
is_hidden (const char *name)
{
  for (unsigned i = 0; i < n_hidden; i++)
    if (strcmp (hidden[i], name) == 0)
      return true;
  return false;
}

bool
mock_config_has_extension (const char *name)
{
  return !is_hidden (name);
}

bool
mock_config_hides_feature (const char *name)
{
  return is_hidden (name);
}
