#!/usr/bin/env python3
"""SIGKILL at random instants: of the program, of vitrine-cli, of both, of the replayer.

Every call that had returned is in the trace, and nothing hangs. kills.py says how many and when.
"""

import os
import random
import signal
import subprocess
import time

import harness
from harness import CLI, app, check, check_equal, children
from kills import (GRACE, KILLS, N_THREADS, SEED, Counters, check_complete, recovered, wait_gone)


def start_capture(test, number, *arguments):
    counters = Counters(test.path(f'counters-{number}'))
    trace = test.path(f'kill-{number}.gfxtrace')
    process = harness.start(
        [CLI, 'capture', '--json', '-o', trace, '--', app('counter'), '--counters', counters.path,
         '--threads', N_THREADS, *arguments],
        test.env, cwd=test.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return process, counters, trace


def finish(process, what):
    """Waits for a process that must end by itself."""
    try:
        out, err = process.communicate(timeout=GRACE)
    except subprocess.TimeoutExpired:
        harness.end_group(process)
        out, err = process.communicate()
        raise harness.Failure(f'{what} hung: {err.decode()[-2000:]}')
    return out.decode(), err.decode()


def instants(kind):
    source = random.Random(f'{SEED} {kind}')
    return [source.uniform(0, 0.08) for _ in range(KILLS)]


def program(test):
    """The program is killed: the capture ends by itself with a whole trace."""
    total = 0
    for number, delay in enumerate(instants('program')):
        process, counters, trace = start_capture(test, number)
        pid = counters.wait(process)
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)
        out, err = finish(process, 'vitrine-cli')
        _, _, counts, serials = counters.read()
        check_equal(process.returncode, 0, f'status after kill {number}: {err}')
        check_complete(test, trace, counts, serials, True)
        total += sum(counts.values())
        os.unlink(trace)
    test.note(f'{KILLS} kills, {total} committed calls')


def command_line(test):
    """vitrine-cli is killed: the program runs on to its end, and what it had committed is there
    after the next start."""
    total = 0
    for number, delay in enumerate(instants('command line')):
        process, counters, trace = start_capture(test, number, '--rounds', 150)
        pid = counters.wait(process)
        time.sleep(delay / 2)
        _, _, counts, serials = counters.read()
        os.kill(process.pid, signal.SIGKILL)
        finish(process, 'the killed vitrine-cli')
        wait_gone(pid, 'the program that was being captured')
        final = counters.read()[2]
        check_equal(final['vkDestroyCommandPool'], N_THREADS * 10, 'pools destroyed at the end')
        paths = recovered(test)
        path = trace if os.path.exists(trace) else (paths or [''])[0]
        check(os.path.exists(path), f'nothing was recovered after kill {number}')
        check_complete(test, path, counts, serials, False)
        total += sum(counts.values())
        for path in {trace, *paths}:
            if os.path.exists(path):
                os.unlink(path)
    test.note(f'{KILLS} kills, {total} committed calls')


def both(test):
    """Program and vitrine-cli die together: ring and file make a whole trace."""
    for number, delay in enumerate(instants('both')):
        process, counters, trace = start_capture(test, number)
        pid = counters.wait(process)
        time.sleep(delay)
        # Before the kills: once the host is gone, calls pass through and are not committed.
        counts, serials = counters.read()[2:]
        os.kill(process.pid, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
        finish(process, 'the killed vitrine-cli')
        wait_gone(pid, 'the killed program')
        paths = recovered(test)
        path = trace if os.path.exists(trace) else (paths or [''])[0]
        check(os.path.exists(path), f'nothing was recovered after kill {number}')
        check_complete(test, path, counts, serials, False)
        for path in {trace, *paths}:
            if os.path.exists(path):
                os.unlink(path)


def replayer(test):
    """The replayer is killed during a replay: a sentence, status 5, no hang."""
    trace = test.capture(app('load'), '--draws', 2500, '--frames', 12, timeout=120)
    begun = time.monotonic()
    test.replay(trace)
    whole = time.monotonic() - begun
    killed = 0
    source = random.Random(f'{SEED} replayer')
    for number in range(KILLS):
        process = harness.start([CLI, 'replay', '--json', trace], test.env, cwd=test.dir,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + GRACE
        while not children(process.pid) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(source.uniform(0, whole * 0.7))
        for child in children(process.pid):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        out, err = finish(process, 'vitrine-cli replay')
        check(process.returncode in (0, 5), f'status {process.returncode}: {err}')
        if process.returncode == 5:
            killed += 1
            check('vitrine-cli: ' in err, f'no sentence: {err!r}')
    check(killed > 0, 'no replay was hit')
    test.replay(trace)
    test.note(f'{killed} of {KILLS} replays were hit, of {whole:.2f} s each')


harness.main(program, command_line, both, replayer)
