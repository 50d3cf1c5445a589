#!/usr/bin/env python3
"""The capture layer under ThreadSanitizer, in programs of several threads that are built with it
(tests/races): from the launch, while nothing is recorded, and in the middle of a run, again and again."""

import os

import harness
from harness import BUILD, Skip, check, run
from trigger import Capture

ADDRESSES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'with-fixed-addresses')
RACES = os.path.join(BUILD, 'tests', 'races')
WAYS = ('timeline', 'commands', 'event', 'waits', 'record', 'threads', 'devices', 'churn')


def sanitized(test, *program):
    """The command line of a program, and the environment in which it says what it finds."""
    path = os.path.join(RACES, f'races-{program[0]}')
    check(os.path.exists(path), f'{path} was not built')
    if 'SKIP' in run([ADDRESSES, 'true']).out:
        raise Skip('addresses are randomised by too many bits here')
    suppressions = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'races', 'tsan.supp')
    test.env['VITRINE_LAYER_DIR'] = RACES
    test.env['TSAN_OPTIONS'] = (f'log_path={test.path("tsan")}:suppressions={suppressions}:'
                                'exitcode=0:history_size=4:second_deadlock_stack=1')
    return [ADDRESSES, path, *program[1:]]


def check_silent(test):
    for name in sorted(os.listdir(test.dir)):
        if name.startswith('tsan.'):
            with open(test.path(name), encoding='utf-8', errors='replace') as file:
                check(False, f'{name}:\n{file.read()[:6000]}')


def from_launch(test):
    for way in WAYS:
        test.capture(*sanitized(test, 'cut', '--rounds', 20, way), timeout=120)
        check_silent(test)
    test.capture(*sanitized(test, 'handover', '--frames', 20), timeout=120)
    check_silent(test)


def midrun(way):
    def body(test):
        until = test.path('until')
        program = sanitized(test, 'cut', '--until', until, way)
        capture = Capture(test, '--idle', '--frames', '2', '--', *program, display=False)
        try:
            capture.wait_ready()
            for number in (1, 2, 3):
                test.cli('trigger', str(capture.process.pid))
                capture.wait_traces(number)
            with open(until, 'w', encoding='ascii'):
                pass
            capture.wait_end()
        finally:
            capture.close()
        check_silent(test)
        check('is wrong' not in capture.errors(), capture.errors())
    return f'midrun-{way}', body


if __name__ == '__main__':
    harness.main(from_launch, *map(midrun, WAYS))
