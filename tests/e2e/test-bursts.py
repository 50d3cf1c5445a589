#!/usr/bin/env python3
"""Many programs at once: they are recorded, and those that cannot be are counted and reported. Many captures of one
program: none delays it."""

import os
import resource
import signal
import time

import harness
import mock
from harness import app, check, check_equal, need
from trigger import Capture, wait_until

# Each program lives this long, so that all of them are there at the same time.
ALIVE_US = 8_000_000
N_CAPTURES = int(os.environ.get('VITRINE_TEST_CAPTURES', 100))
LAUNCHER = '''import resource, subprocess, sys
children = [subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL) for _ in range(int(sys.argv[1]))]
statuses = [child.wait() for child in children]
print('limit', resource.getrlimit(resource.RLIMIT_NOFILE)[0], 'failed', sum(map(bool, statuses)),
      file=sys.stderr)
'''


def capture_burst(test, programs, files, status):
    """Captures so many programs that live at once; `files`: soft and hard limit of open files."""
    with open(test.path('launcher.py'), 'w', encoding='utf-8') as file:
        file.write(LAUNCHER)
    limit = f'ulimit -Sn {files[0]} && ulimit -Hn {files[1]} && exec "$@"'
    result = test.run(['/bin/sh', '-c', limit, 'sh', harness.CLI, 'capture', '--json', '-o',
                       test.path('burst.gfxtrace'), '--', '/usr/bin/python3',
                       test.path('launcher.py'), programs, app('compute')], timeout=200,
                      **mock.driver(f'latency vkQueueSubmit 1 {ALIVE_US}'))
    result.check(status)
    check(f'limit {files[0]} failed 0' in result.err, f'the programs did not run as ever: {result}')
    return result, result.json()


def check_traces(test, capture):
    """Each trace that is told is there and can be read."""
    paths = {trace['path'] for trace in capture['traces']}
    check_equal(len(paths), len(capture['traces']), 'different names')
    for path in sorted(paths)[::10]:
        check(test.info(path)['commands'] > 10, f'{path} has no commands')
    check_equal({name for name in os.listdir(test.dir) if '.gfxtrace' in name},
                {os.path.basename(path) for path in paths}, 'files')


def all_recorded(test):
    """As many files may be open as a user usually has, and fewer than the programs need."""
    _, capture = capture_burst(test, 60, (128, resource.getrlimit(resource.RLIMIT_NOFILE)[1]), 0)
    check_equal(len(capture['traces']), 60, 'traces')
    check_equal(capture['missed'], 0, 'missed')
    check_traces(test, capture)


def missed_are_told(test):
    """No more files may be opened: that is said, with a number, and the status is not that of success."""
    result, capture = capture_burst(test, 40, (64, 64), 1)
    recorded, missed = len(capture['traces']), capture['missed']
    check(0 < recorded < 40, f'{recorded} of 40 were recorded')
    check_equal(recorded + missed, 40, 'recorded and missed')
    check_equal(sum(process['state'] == 'missed' for process in capture['process_list']), missed,
                'processes in the list')
    check(f'{missed} programs were not recorded. ' in result.err, f'it is not told: {result}')
    check_traces(test, capture)


def many_captures(test):
    """Captures come faster than any replay could follow: each has its thumbnail, and none keeps the
    end waiting."""
    capture = Capture(test, '--at-frame', '5', '--every', '2', '--times', str(N_CAPTURES), '--',
                      need('vkcube'), '--c', '1000000', VITRINE_REPLAYER='/bin/false')
    try:
        wait_until(lambda: os.path.exists(test.path(f'capture-{N_CAPTURES}.gfxtrace')),
                   'the last capture', capture.process, N_CAPTURES)
        begun = time.monotonic()
        traces = capture.wait_end()['traces']
        took = time.monotonic() - begun
    finally:
        capture.close()
    check_equal(len(traces), N_CAPTURES, 'traces')
    for trace in traces:
        check_equal(trace['bytes'], os.path.getsize(trace['path']), f'bytes of {trace["path"]}')
        test.cli('info', '--thumbnail', test.path('thumbnail.png'), trace['path'],
                 VITRINE_REPLAYER='/bin/false')
    check(took < 15, f'it ended {took:.1f} s after the last capture')


def ended_promptly(test):
    """Both signals end the captures, with their traces."""
    for number in (signal.SIGINT, signal.SIGTERM):
        name = number.name.lower()
        capture = Capture(test, '--at-frame', '5', '--every', '2', '--', need('vkcube'), '--c',
                          '1000000', output=f'{name}.gfxtrace')
        try:
            wait_until(lambda: os.path.exists(test.path(f'{name}-8.gfxtrace')), 'eight captures',
                       capture.process)
            begun = time.monotonic()
            os.kill(capture.process.pid, number)
            traces = capture.wait_end()['traces']
            took = time.monotonic() - begun
        finally:
            capture.close()
        check(len(traces) >= 8, f'{len(traces)} traces')
        check(took < 15, f'{number.name} took {took:.1f} s')
        for trace in traces[::10]:
            check_equal(test.info(trace['path'])['frames'], 1, f'frames of {trace["path"]}')


def ended_while_trimming(test):
    """A signal comes at any moment of the last traces' trimming; a second one leaves them whole."""
    for number in range(4):
        capture = Capture(test, '--at-frame', '5', '--every', '2', '--times', '8', '--trim', '--',
                          need('vkcube'), '--c', '1000000', output=f'{number}.gfxtrace')
        try:
            wait_until(lambda n=number: os.path.exists(test.path(f'{n}-8.gfxtrace')),
                       'the captures', capture.process)
            time.sleep(0.05 * (number // 2))
            for _ in range(1 + number % 2):
                if capture.process.poll() is None:
                    os.kill(capture.process.pid, signal.SIGINT)
            check_equal(len(capture.wait_end()['traces']), 8, 'traces')
            check('CRITICAL' not in capture.errors(), capture.errors())
        finally:
            capture.close()


if __name__ == '__main__':
    harness.main(all_recorded, missed_are_told, many_captures, ended_promptly, ended_while_trimming)
