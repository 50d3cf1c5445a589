/* Runs the checks and the log around every call. */
#include "vtr-mock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int mock_watching;

FILE *mock_log;
static uint64_t n_calls[MOCK_N_COMMANDS];
static uint64_t n_written;
static uint64_t n_violations;
static __thread unsigned current;

static bool
applies (const MockRule *rule,
         const MockCall *call)
{
  if (rule->cmd == MOCK_N_COMMANDS ? mock_errors[call->cmd] == 0 : rule->cmd != call->cmd)
    return false;
  if (rule->odd)
    return call->n % 2 == 1;
  return rule->from ? call->n >= rule->n : call->n == rule->n;
}

static void
apply_rules (MockCall   *self,
             const void *object)
{
  for (unsigned i = 0; i < mock_n_rules; i++)
    {
      const MockRule *rule = &mock_rules[i];

      if (!applies (rule, self))
        continue;
      if (rule->what == MOCK_DELAY)
        {
          const struct timespec time = { rule->value / 1000000, rule->value % 1000000 * 1000 };

          nanosleep (&time, NULL);
        }
      else if (rule->what == MOCK_LOSE && object != NULL)
        mock_owner (object)->lost = true;
      else if (rule->what == MOCK_FAIL || rule->what == MOCK_PARTLY)
        {
          self->forced = rule->what == MOCK_FAIL;
          self->partly = !self->forced;
          self->result = rule->own ? (VkResult)mock_errors[self->cmd] : (VkResult)rule->value;
        }
      else if (rule->what == MOCK_EXIT)
        exit ((int)rule->value);
      else if (rule->what == MOCK_CRASH)
        *(volatile int *)8 = 1;
    }
}

void
mock_call_begin (MockCall   *self,
                 unsigned    cmd,
                 const void *object)
{
  memset (self, 0, sizeof *self);
  self->cmd = cmd;
  self->n = __atomic_add_fetch (&n_calls[cmd], 1, __ATOMIC_RELAXED);
  current = cmd;
  apply_rules (self, object);
  self->text.wanted = mock_log != NULL || mock_config.strict;
  self->text.first = true;
  self->text.owner = object == NULL ? NULL : mock_owner (object);
}

void
mock_call_end (MockCall *self,
               uint64_t  result)
{
  if (mock_log != NULL)
    {
      mock_lock ();
      fprintf (mock_log,
               "{\"n\":%llu,\"thread\":%ld,\"name\":\"%s\",\"result\":%lld,"
               "\"args\":{%.*s}}\n",
               (unsigned long long)n_written++, syscall (SYS_gettid), mock_names[self->cmd],
               (long long)result, (int)self->text.size, self->text.bytes);
      fflush (mock_log);
      mock_unlock ();
    }
  free (self->text.bytes);
  self->text.bytes = NULL;
}

void
mock_violation (const char *format,
                ...)
{
  FILE *to = mock_log != NULL ? mock_log : stderr;
  va_list list;

  mock_lock ();
  n_violations++;
  fprintf (to, "{\"violation\":%llu,\"name\":\"%s\",\"text\":\"", (unsigned long long)n_violations,
           mock_names[current]);
  va_start (list, format);
  vfprintf (to, format, list);
  va_end (list);
  fprintf (to, "\"}\n");
  fflush (to);
  mock_unlock ();
}
