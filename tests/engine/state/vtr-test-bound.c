/* Builds short traces and asks what is bound at a command, for the tests of bound state. */
#include "vtr-test-bound.h"

void
vtr_test_bound_set_up (VtrTestBound  *self,
                       gconstpointer  data)
{
  self->test = vtr_test_trace_new ();
  vtr_test_add_device (self->test);
  vtr_test_add_pool (self->test, 0x10, 0);
  vtr_test_allocate_buffer (self->test, 0x10, CB);
  vtr_test_allocate_buffer (self->test, 0x10, SECONDARY);
}

void
vtr_test_bound_tear_down (VtrTestBound  *self,
                          gconstpointer  data)
{
  g_clear_pointer (&self->history, vtr_history_unref);
  g_clear_pointer (&self->timeline, vtr_timeline_unref);
  g_clear_pointer (&self->trace, vtr_trace_unref);
  vtr_test_trace_free (self->test);
}

void
vtr_test_bound_open (VtrTestBound *self)
{
  g_autoptr (GError) error = NULL;

  self->trace = vtr_test_trace_open (self->test);
  self->timeline = vtr_timeline_build (self->trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  self->history = vtr_history_build (self->trace, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

void
vtr_test_bound_get (VtrTestBound  *self,
                    guint64        index,
                    VtrBoundState *out)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (vtr_bound_state_at (self->timeline, self->history, index, out, &error));
  g_assert_no_error (error);
}
