"""Shared code of tests that kill processes: the counters of vtr-app-counter, and comparing a trace with them.

VITRINE_TEST_KILLS sets how many kills of each kind (20), VITRINE_TEST_SEED the instants.
"""

import collections
import os
import signal
import struct
import time

import harness
from harness import check, check_equal

KILLS = int(os.environ.get('VITRINE_TEST_KILLS', '20'))
SEED = int(os.environ.get('VITRINE_TEST_SEED', '1'))
N_THREADS = 3
GRACE = 20 * harness.PATIENCE  # seconds in which everything must have come to its end


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


def recovered(test):
    out = test.cli('recover', '--json').json()
    return [entry if isinstance(entry, str) else entry['path'] for entry in out]
