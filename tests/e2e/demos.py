"""The demos of tests/apps by name, and what is expected of each: one table for every test that runs
them."""


class Demo:
    """`checks`: checkpoints of two frames; `options`: beyond the common ones; `driver`: the one that
    offers what the demo needs where the default one does not; `truth`: options of a run that can read
    back what the demo cannot."""

    def __init__(self, checks, *options, driver=None, truth=()):
        self.checks = checks
        self.options = options
        self.driver = driver
        self.truth = truth


DEMOS = {
    'conditional': Demo(8),
    'feedback': Demo(5),
    'linear': Demo(4),
    'multidraw': Demo(6),
    'queries': Demo(4),
    'transient': Demo(6, truth=('--kept',)),
}
