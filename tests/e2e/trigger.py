"""Runs vitrine-cli capture in the background and waits for its results, for tests of mid-run captures."""

import json
import os
import signal
import subprocess
import time

import harness
from harness import CLI, PATIENCE, check, check_equal, children

GRACE = 20 * PATIENCE


def wait_until(condition, what, process=None, longer=0):
    """Until `condition` is true, or so many seconds longer than usual have passed; a value of it that is."""
    end = time.monotonic() + GRACE + longer
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        if process is not None and process.poll() is not None:
            value = condition()
            check(value, f'vitrine-cli ended with status {process.poll()} before {what}')
            return value
        time.sleep(0.01)
    raise harness.Failure(f'waited too long: {what}')


class Capture:
    """vitrine-cli capture in the background."""

    def __init__(self, test, *arguments, output='capture.gfxtrace', display=True, **extra):
        if display:
            test.need_display()
        self.test = test
        self.trace = test.path(output)
        self.out_path, self.err_path = test.path('out.log'), test.path('err.log')
        with open(self.out_path, 'wb') as out, open(self.err_path, 'wb') as err:
            self.process = harness.start([CLI, 'capture', '--json', '-o', self.trace, *arguments],
                                         {**test.env, **extra}, cwd=test.dir, stdout=out,
                                         stderr=err)
        self.programs = []

    def lines(self):
        with open(self.out_path, encoding='utf-8') as file:
            return [json.loads(line) for line in file if line.endswith('\n')]

    def errors(self):
        with open(self.err_path, encoding='utf-8') as file:
            return file.read()

    def traces(self):
        return [line for line in self.lines() if line.get('event') == 'captured']

    def wait_ready(self):
        wait_until(lambda: 'Ready.' in self.errors(), 'the program presents', self.process)
        self.programs = children(self.process.pid)

    def wait_traces(self, count):
        return wait_until(lambda: self.traces() if len(self.traces()) >= count else None,
                          f'{count} traces: {self.errors()}', self.process)

    def wait_end(self, status=0):
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            raise harness.Failure(f'vitrine-cli hangs: {self.errors()}') from None
        check_equal(self.process.returncode, status, f'status: {self.errors()}')
        return self.lines()[-1] if self.lines() else None

    def close(self):
        harness.end_group(self.process)
        self.process.wait()
        for pid in self.programs:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
