#!/usr/bin/env python3
"""Under ThreadSanitizer (tests/races): the capture layer, in programs of several threads that are built with
it: from the launch, while nothing is recorded, and in the middle of a run, again and again; and the
engine, with many who ask at once, change their minds and close what they asked."""

import os

import harness
from harness import BUILD, Skip, app, check, run
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
    test.env['G_SLICE'] = 'always-malloc'
    test.env['TSAN_OPTIONS'] = (f'log_path={test.path("tsan")}:suppressions={suppressions}:'
                                'exitcode=0:history_size=4:second_deadlock_stack=1')
    return [ADDRESSES, path, *program[1:]]


def capture(test, *program):
    test.env['VITRINE_LAYER_DIR'] = RACES
    test.capture(*sanitized(test, *program), timeout=120)
    check_silent(test)


def check_silent(test):
    for name in sorted(os.listdir(test.dir)):
        if name.startswith('tsan.'):
            with open(test.path(name), encoding='utf-8', errors='replace') as file:
                check(False, f'{name}:\n{file.read()[:6000]}')


def from_launch(test):
    for way in WAYS:
        capture(test, 'cut', '--rounds', 20, way)
    capture(test, 'handover', '--frames', 20)


def midrun(way, late=None):
    """`late`: contents are copied after the cut, as VITRINE_LATE says."""
    def body(test):
        until = test.path('until')
        if late is not None:
            test.env['VITRINE_LATE'] = late
        test.env['VITRINE_LAYER_DIR'] = RACES
        program = sanitized(test, 'cut', '--until', until, way)
        running = Capture(test, '--idle', '--frames', '2', '--', *program, display=False)
        try:
            running.wait_ready()
            for number in (1, 2, 3):
                test.cli('trigger', str(running.process.pid))
                running.wait_traces(number)
            with open(until, 'w', encoding='ascii'):
                pass
            running.wait_end()
        finally:
            running.close()
        check_silent(test)
        check('is wrong' not in running.errors(), running.errors())
    return f'midrun-{way}' if late is None else f'midrun-late-{way}', body


def engine(name):
    """A program of the engine's, with a trace of many submissions."""
    def body(test):
        trace = test.capture(app('load'), '--draws', '100', '--frames', '20')
        test.run([*sanitized(test, name), trace], timeout=200).check()
        check_silent(test)
    return name, body


def drain(test):
    test.run(sanitized(test, 'process'), timeout=200).check()
    check_silent(test)


def session(test):
    """The command line: captures again and again, and what is asked of them."""
    trace = test.path('some.gfxtrace')
    cli = sanitized(test, 'cli')
    test.run([*cli, 'capture', '--at-frame', '3', '--every', '5', '--times', '3', '--frames', '2', '-o',
              trace, '--', app('load'), '--draws', '20', '--frames', '60'], timeout=120).check()
    check_silent(test)
    for verb in (['replay', trace], ['timings', trace, '--loops', '2'], ['report', trace],
                 ['get', trace, 'commands/40/state'], ['trim', trace, '-o', test.path('trimmed.gfxtrace')]):
        test.run([*cli, *verb], timeout=120).check()
        check_silent(test)


if __name__ == '__main__':
    harness.main(from_launch, *map(midrun, WAYS), midrun('threads', '0,0'), midrun('churn', '0,20'),
                 engine('documents'), engine('requests'), drain, session)
