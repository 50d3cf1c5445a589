#!/usr/bin/env python3
"""Captures that begin while a program of several threads makes that hard (tests/apps/cut.c). A capture
is made, or declined with a sentence; the program looks at its own results and is not disturbed; and
what a trace replays to is what the submissions up to its end leave, all of them and no other."""

import json
import os
import signal
import struct
import time

import harness
from harness import PATIENCE, app, check, check_equal
from trigger import Capture, wait_until

N_SLOTS, N_WORDS = 1024, 16
N_FRAMES, AT = 3, 17
N_WORKERS = 6  # the number of one that is on no device of its own
BOUND = 5 * PATIENCE  # seconds from a trigger to its end
NO_CAPTURE = 4


class Model:
    """What each round of a worker leaves, as its program has it."""

    def __init__(self, number, n_rounds):
        self.rows = []
        row = (0,) * N_WORDS
        for n in range(n_rounds):
            first = n * 2654435761 + number * 97 + 1
            row = tuple((first + i * 40503 + 3 * word) & 0xffffffff for i, word in enumerate(row))
            self.rows.append(row)
        self.rounds = {row: n for n, row in enumerate(self.rows)}

    def find(self, words):
        """The number of rounds that leave `words`; None if no number does."""
        slots = [tuple(words[i:i + N_WORDS]) for i in range(0, len(words), N_WORDS)]
        n = max((self.rounds[row] + 1 for row in slots if row in self.rounds), default=0)
        if n == 0:
            # The first round fills the buffer with zeros: before it, what is there is what the driver's
            # memory happened to hold when the program allocated it.
            return 0
        for i in range(max(0, n - N_SLOTS), max(n, N_SLOTS)):
            expected = self.rows[i] if i < n else (0,) * N_WORDS
            if slots[i % N_SLOTS] != expected:
                return None
        return n


def printed(text):
    """What the program says of its workers, if it came to its end."""
    lines = [json.loads(line) for line in text.splitlines() if line.startswith('{"worker"')]
    return {line['worker']: line for line in lines}


def rounds_of(test, trace, workers, *options):
    """How many rounds of each worker a replay of a trace has done."""
    result = test.path('result.bin')
    found = {}
    for number, worker in workers.items():
        report = test.replay(trace, '--read-memory', f'{worker["result"]}:{result}', *options).json()
        check(report['ok'], f'the replay failed: {report}')
        with open(result, 'rb') as file:
            words = list(struct.unpack(f'<{N_SLOTS * N_WORDS}I', file.read()))
        if 'model' not in worker:
            worker['model'] = Model(number, worker['rounds'])
        found[number] = worker['model'].find(words)
        check(found[number] is not None, f'{trace} {options}: the result of worker {number} is that '
              'of no round')
    return found


def check_rounds(test, made, workers, kinds=((), ('--poison',))):
    """A trace has all submissions up to where it ends. Others may have been on their way then, or it took
    another frame or three until it could end."""
    end = made['first_frame'] + made['frames']
    for options in kinds:
        found = rounds_of(test, made['path'], workers, *options)
        total = sum(found.values())
        check(end <= total < end + len(workers) + 6, f'{made} {options}: {total} submissions ran: {found}')


def run(test, name, *arguments, status=0, options=('--at-frame', str(AT), '--keep-running')):
    """A way, in the middle of its run; what the program says, and the traces that were made."""
    begun = time.monotonic()
    test.capture(app('cut'), *arguments, name, frames=N_FRAMES, options=options, status=status)
    seconds = time.monotonic() - begun
    check(seconds < 4 * BOUND, f'it took {seconds} s: {test.captured}')
    if status != 0:
        return {}, []
    return printed(test.captured.out + test.captured.err), test.captured.json()['traces']


def way(name, n_workers=1, others=False):
    """`others`: submissions of nobody who is looked at count as frames, too."""
    def body(test):
        workers, traces = run(test, name)
        check_equal(len(traces), 1, f'traces: {test.captured}')
        check(traces[0]['frames'] >= N_FRAMES, f'frames: {traces}')
        workers.pop(N_WORKERS, None)
        check_equal(len(workers), n_workers, f'workers: {test.captured}')
        if others:
            rounds_of(test, traces[0]['path'], workers, '--poison')
        else:
            check_rounds(test, traces[0], workers)
        test.note(f'first frame {traces[0]["first_frame"]}')
    return name, body


class Running:
    """The program in the background, until it is told to end."""

    def __init__(self, test, name, *options, frames=1):
        self.test = test
        self.calm, self.until = test.path('calm'), test.path('until')
        self.capture = Capture(test, *options, '--frames', str(frames), '--', app('cut'), '--calm',
                               self.calm, '--until', self.until, name, display=False)

    def create(self, path):
        with open(path, 'w', encoding='ascii'):
            pass

    def trigger(self):
        self.test.cli('trigger', str(self.capture.process.pid))

    def wait_for(self, words, count=1):
        wait_until(lambda: self.capture.errors().count(words) >= count, f'“{words}” is said',
                   self.capture.process)

    def end(self, status=0):
        """Lets the program come to its end, and then vitrine-cli."""
        self.create(self.until)
        wait_until(lambda: '{"worker"' in self.capture.errors(), 'the program ends')
        self.capture.wait_end(status)
        errors = self.capture.errors()
        check('is wrong' not in errors, errors)
        return printed(errors), self.capture.traces()


def busy(test):
    """Never idle: declined with the reason. As soon as it can be, it is captured; the program is right."""
    running = Running(test, 'busy', '--idle')
    try:
        running.capture.wait_ready()
        for count in (1, 2):
            begun = time.monotonic()
            running.trigger()
            running.wait_for('vitrine-cli: No capture could be made here: The program\'s work', count)
            check(time.monotonic() - begun < BOUND, 'it took too long to decline')
        check_equal(running.capture.traces(), [], 'traces of a program that is never idle')
        running.create(running.calm)
        running.trigger()
        running.capture.wait_traces(1)
        workers, traces = running.end()
    finally:
        running.capture.close()
    check_equal((len(workers), len(traces)), (2, 1), 'workers and traces')
    check_rounds(test, traces[0], workers)


def again(test):
    """Again and again, also before the one before has ended, and at last with nobody to wait for it."""
    running = Running(test, 'threads', '--idle', frames=2)
    try:
        running.capture.wait_ready()
        for number in range(1, 5):
            for _ in range(1 + number % 3):
                running.trigger()
            running.capture.wait_traces(number)
        running.trigger()
        workers, traces = running.end()
    finally:
        running.capture.close()
    check_equal(len(workers), 3, 'workers')
    at_end = 0
    for trace in traces:
        # The last one may be of the end, when the results are copied to be read, which is a submission of
        # no worker, and the handle of a result is that of another buffer.
        if any(command['name'] in ('vkCreateBuffer', 'vkDestroyBuffer')
               for command in test.commands(trace['path'])):
            at_end += 1
            check(test.replay(trace['path'], '--poison').json()['ok'], f'{trace}: the replay failed')
        else:
            check_rounds(test, trace, workers, kinds=(['--poison'],))
    check(at_end <= 1, f'{at_end} of {len(traces)} traces are of the end')
    test.note(f'{len(traces)} traces')


def ends(test):
    """The program comes to an end of its own, good or bad, while a capture begins, goes on or ends: what was
    made by then can be opened, and nobody hangs."""
    made = 0
    for how in ('exit', '_exit', 'abort', 'segv', 'kill'):
        for at in (AT, AT + 1, AT + N_FRAMES):
            trace = test.path(f'{how}-{at}.gfxtrace')
            begun = time.monotonic()
            test.capture(app('cut'), '--end', how, '--end-at', at, 'record', frames=N_FRAMES,
                         options=('--at-frame', str(AT)), output=trace, status=None)
            seconds = time.monotonic() - begun
            check(seconds < BOUND, f'{how} {at}: it took {seconds} s: {test.captured}')
            check(not os.path.exists(trace + '.part'), f'{how} {at}: a file is left')
            if os.path.exists(trace):
                check(test.info(trace)['initial_commands'] > 0, f'{how} {at}: nothing is in it')
                made += 1
            else:
                check('vitrine-cli: ' in test.captured.err, f'no sentence: {test.captured}')
    test.note(f'{made} traces')


def find_pending(commands, release):
    """Submissions that what follows lets run, each with that call: who is first is up to the threads."""
    pairs, n_submits, n_released = [], 0, 0
    for a, b in zip(commands, commands[1:]):
        if a['name'] == 'vkQueueSubmit' and b['name'] == release and (
                n_submits == n_released if release == 'vkSetEvent' else
                b['parameters']['pSignalInfo']['semaphore'] in json.dumps(a['parameters'])):
            pairs.append((a['index'], b['index']))
        n_submits += a['name'] == 'vkQueueSubmit'
        n_released += a['name'] == release
    return pairs


def pending(test):
    """Results from between a submission and what lets it run are declined with a sentence; nobody waits for
    what does not come, and a trace may end there."""
    for name, release, words in (('event', 'vkSetEvent', 'waits for an event'),
                                 ('timeline', 'vkSignalSemaphore', 'waits for a semaphore')):
        trace = test.path(f'{name}.gfxtrace')
        pairs = []
        for _ in range(20):
            test.capture(app('cut'), name, output=trace)
            pairs = find_pending([command for command in test.commands(trace)
                                  if command['name'] in ('vkQueueSubmit', release)], release)
            if pairs:
                break
        check(pairs, f'{name}: the program is always ahead')
        worker = printed(test.captured.out + test.captured.err)[0]
        submit, released = pairs[len(pairs) // 2]
        memory = f'{worker["result"]}:{test.path("result.bin")}'
        begun = time.monotonic()
        result = test.replay(trace, '--to', submit, '--read-memory', memory, status=None)
        check(words in result.err and 'capture more frames' in result.err, f'no sentence: {result}')
        check(test.replay(trace, '--to', submit).json()['ok'], f'{name}: a replay up to {submit}')
        test.replay(trace, '--to', released, '--read-memory', memory)
        check(time.monotonic() - begun < BOUND, f'{name}: it took {time.monotonic() - begun} s')


# What comes before a call with the same event; None: nothing, 'initial': before the capture.
BEFORE = {'vkSetEvent': (None, 'vkDestroyEvent'), 'vkGetEventStatus': ('vkSetEvent', 'initial'),
          'vkDestroyEvent': ('vkGetEventStatus', 'initial')}


def handover(test):
    """Threads hand objects on in a way of their own: every call comes where it was made, and the
    handles of one that is gone come back."""
    for options in ([], ['--at-frame', str(AT), '--frames', str(N_FRAMES)]):
        trace = test.capture(app('handover'), '--frames', '60', options=options)
        last, n = {}, 0
        for command in test.commands(trace, '--initial'):
            if command['name'] == 'vkSetEvent':
                last[command['parameters']['event']] = 'initial'
        for command in test.commands(trace):
            name, event = command['name'], command['parameters'].get('event')
            if event is None:
                continue
            check(last.get(event) in BEFORE[name], f'{options}: {command} after {last.get(event)}')
            last[event] = name
            n += name == 'vkDestroyEvent'
        check(n > 0, f'{options}: nothing was handed on')
        report = test.replay(trace).json()
        check(report['ok'], f'{options}: the replay failed: {report}')
        test.note(f'{n} objects')


def windows(test):
    """Two devices present from threads of their own while others wait for images without limit."""
    test.need_display()
    live = test.folder('live')
    trace = test.capture(app('windows'), '--frames', '40', frames=N_FRAMES + 3, witness=live,
                         options=('--at-frame', str(AT), '--keep-running'))
    shown = set()
    for name in harness.frame_names(live):
        frame = harness.Frame.read(os.path.join(live, name))
        shown.add((frame.width, frame.data))
    check_equal(len(shown), 80, 'different frames')
    for options in ((), ('--poison',)):
        folder = test.folder('replayed' + ''.join(options))
        report = test.replay(trace, '--frames-dir', folder, *options).json()
        check(report['ok'], f'the replay failed: {report}')
        names = harness.frame_names(folder)
        check(len(names) >= N_FRAMES + 3, f'{len(names)} frames')
        for name in names:
            frame = harness.Frame.read(os.path.join(folder, name))
            check((frame.width, frame.data) in shown, f'{options}: {name} was never shown')


def stopped(test):
    """Ended while a capture is pending that cannot be made: the program goes on undisturbed."""
    running = Running(test, 'busy', '--idle', '--keep-running')
    try:
        running.capture.wait_ready()
        running.trigger()
        os.kill(running.capture.process.pid, signal.SIGINT)
        # Before the program comes to rest, where the capture could still be made.
        running.capture.wait_end(NO_CAPTURE)
        workers, traces = running.end(NO_CAPTURE)
    finally:
        running.capture.close()
    check_equal((len(workers), len(traces)), (2, 0), 'workers and traces')


if __name__ == '__main__':
    harness.main(way('plain'), way('timeline'), way('commands', n_workers=2), way('event'),
                 way('waits'), way('record', n_workers=4), way('threads', n_workers=3),
                 way('devices', n_workers=3), way('churn', others=True), way('forks'),
                 busy, again, ends, handover, pending, stopped, windows)
