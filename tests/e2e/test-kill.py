#!/usr/bin/env python3
"""SIGKILL at random instants: of the program, of vitrine-cli, of both, of the replayer.

Every call that had returned is in the trace, and nothing hangs. VITRINE_TEST_KILLS sets how many
kills of each kind (20), VITRINE_TEST_SEED the instants.
"""

import collections
import os
import random
import signal
import struct
import subprocess
import time

import harness
from harness import CLI, app, check, check_equal

KILLS = int(os.environ.get('VITRINE_TEST_KILLS', '20'))
SEED = int(os.environ.get('VITRINE_TEST_SEED', '1'))
N_THREADS = 3
GRACE = 20  # seconds in which everything must have come to its end


class Counters:
    """The shared file of vtr-app-counter (tests/apps/vtr-app-counters.h)."""

    HEADER = struct.Struct('<8sIIIIQ32x')

    def __init__(self, path):
        self.path = path

    def read(self):
        """(pid, ready, {function: count}, {thread: serial}) or None while it is being made."""
        try:
            with open(self.path, 'rb') as file:
                data = file.read()
        except FileNotFoundError:
            return None
        if len(data) < self.HEADER.size or not data.startswith(b'VTRCOUNT'):
            return None
        _, _, n_threads, n_functions, ready, pid = self.HEADER.unpack_from(data)
        offset = self.HEADER.size
        names = [data[offset + i * 64:offset + (i + 1) * 64].rstrip(b'\0').decode()
                 for i in range(n_functions)]
        offset += n_functions * 64
        counts, serials = collections.Counter(), {}
        for thread in range(n_threads):
            _, serials[thread] = struct.unpack_from('<QQ', data, offset)
            values = struct.unpack_from(f'<{n_functions}Q', data, offset + 16)
            counts.update(dict(zip(names, values)))
            offset += 16 + 8 * n_functions
        return pid, ready, counts, serials

    def wait(self, process):
        """Until the threads run; the program's process id."""
        end = time.monotonic() + GRACE
        while time.monotonic() < end:
            state = self.read()
            if state is not None and state[1] != 0 and sum(state[2].values()) > 0:
                return state[0]
            check(process.poll() is None, 'the capture ended before the program ran')
            time.sleep(0.005)
        raise harness.Failure('the program did not start')


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


def wait_gone(pid, what):
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        try:
            with open(f'/proc/{pid}/stat', encoding='ascii') as file:
                if file.read().rsplit(')', 1)[1].split()[0] == 'Z':
                    return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    raise harness.Failure(f'{what} hung')


def check_complete(test, trace, counts, serials, exact):
    """The trace has at least the calls counted; with `exact`, hardly more, and in every thread
    each recorded call once, without a hole."""
    got = collections.Counter()
    references = collections.defaultdict(list)
    for command in test.commands(trace):
        got[command['name']] += 1
        if command['name'] == 'vkCmdSetStencilReference':
            value = command['parameters']['reference']
            references[value >> 24].append(value & 0xffffff)
    lost = {name: f'{got[name]} of {count}' for name, count in counts.items() if got[name] < count}
    check(not lost, f'committed calls are lost: {lost}')
    for thread, serial in serials.items():
        have = sorted(references[thread])
        check_equal(have, list(range(len(have))), f'serials of thread {thread}')
        check(len(have) >= serial, f'thread {thread} made {serial} calls, {len(have)} are there')
        check(not exact or len(have) <= serial + 1, f'thread {thread} made {serial} calls only')
    if exact:
        # One call a thread may have been committed but not yet counted; two calls are made
        # outside the counted part.
        many = {name: f'{got[name]} of {count}' for name, count in counts.items()
                if got[name] > count + N_THREADS + 2}
        check(not many, f'calls that were never made: {many}')


def instants(kind):
    source = random.Random(f'{SEED} {kind}')
    return [source.uniform(0, 0.25) for _ in range(KILLS)]


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


def recovered(test):
    out = test.cli('recover', '--json').json()
    return [entry if isinstance(entry, str) else entry['path'] for entry in out]


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
        os.kill(process.pid, signal.SIGKILL)
        counts, serials = counters.read()[2:]
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


def children(pid):
    found = []
    try:
        for task in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{task}/children', encoding='ascii') as file:
                found += [int(child) for child in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def replayer(test):
    """The replayer is killed during a replay: a sentence, status 5, no hang."""
    trace = test.capture(app('load'), '--draws', 2500, '--frames', 40, timeout=120)
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
