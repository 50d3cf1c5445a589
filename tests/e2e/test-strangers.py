#!/usr/bin/env python3
"""Names that are used again, files of others, and deaths between any two steps: no recording is lost
or mixed with another, and nothing of others is touched.

VITRINE_TEST_INTERLEAVINGS sets how many random interleavings are run (8; 500 by hand before a
release), VITRINE_TEST_SEED which.
"""

import fcntl
import json
import os
import random
import signal
import subprocess
import time

import harness
from harness import CLI, app, check, check_equal
from kills import GRACE, SEED, recovered
from strangers import (Recording, Strangers, check_tidy, clear, find_traces, kill_at, match, settle_in)

INTERLEAVINGS = int(os.environ.get('VITRINE_TEST_INTERLEAVINGS', '8'))


def interrupt(recording):
    """Both ends die while it records."""
    check(recording.wait_for_program(), 'the program did not come')
    time.sleep(0.02)
    recording.kill_host()
    recording.kill_program()
    recording.end()
    return recording


def name_used_again(test):
    """The file of an interrupted recording stays until it is recovered, whatever else is called so."""
    trace = test.path('used.gfxtrace')
    first = interrupt(Recording(test, trace))
    second = Recording(test, trace, rounds=20)
    out, err = second.end()
    check_equal(second.process.returncode, 0, f'status of the second: {err}')
    check('used.gfxtrace.part' in err, f'nothing is said of the interrupted one: {err}')
    third = interrupt(Recording(test, trace))
    strangers = Strangers()
    check_equal(len(recovered(test)), 2, 'recovered traces')
    found = match(test, strangers, [first, second, third])
    check_equal(found[second], trace, 'where the one is that was complete')
    check_equal(recovered(test), [], 'recovered again')
    check_tidy(test, strangers)


def recovered_meanwhile(test):
    """What is recovered to the name of a capture that still runs is not replaced when that ends."""
    trace = test.path('shared.gfxtrace')
    first = interrupt(Recording(test, trace))
    second = Recording(test, trace)
    check(second.wait_for_program(), 'the program did not come')
    check_equal(recovered(test), [trace], 'recovered traces')
    second.kill_program()
    _out, err = second.end()
    check_equal(second.process.returncode, 0, f'status of the second: {err}')
    check('shared-2.gfxtrace' in err, f'nothing is said of the other name: {err}')
    found = match(test, Strangers(), [first, second])
    check_equal(found[first], trace, 'where the first one is')
    check_tidy(test, Strangers())


def two_at_once(test):
    """Two captures into one file: the later is refused."""
    trace = test.path('both.gfxtrace')
    first = Recording(test, trace)
    check(first.wait_for_program(), 'the program did not come')
    second = Recording(test, trace, rounds=20)
    _out, err = second.end()
    check(second.process.returncode != 0 and 'another Vitrine' in err,
          f'status {second.process.returncode}: {err}')
    first.kill_program()
    first.end()
    check_equal(first.process.returncode, 0, 'status of the first')
    first.check_in(trace, True)


def files_of_others(test):
    """recover, captures and ends leave them alone, also when one has the name that is wanted."""
    strangers = Strangers()
    complete = test.capture(app('compute'), '--rounds', 2, output=test.path('complete.gfxtrace'))
    settle_in(strangers, test, complete)
    strangers.note(complete)
    check_equal(recovered(test), [], 'recovered traces')
    strangers.check()
    for name in ('letter', 'whole', 'link', 'pipe'):
        test.capture(app('compute'), '--rounds', 2, output=test.path(f'{name}.gfxtrace'))
        check_equal(test.info(test.path(f'{name}.gfxtrace'))['dispatches'], 4, f'dispatches of {name}')
    check_equal(recovered(test), [], 'recovered traces')
    test.cli('trigger', status=1)
    strangers.check()
    # Asked for by name, what is Vitrine's is completed, and nothing else.
    check_equal(test.cli('recover', test.path('letter.gfxtrace.part'), status=None).status, 1, 'status')
    strangers.check()
    strangers.close()


def open_elsewhere(test):
    """Somebody writes to the unfinished file: it is left until that is over."""
    recording = interrupt(Recording(test, test.path('open.gfxtrace')))
    part = test.path('open.gfxtrace.part')
    with open(part, 'r+b') as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError:
            raise harness.Skip('the file system has no leases')
        before = Strangers.look(part)
        result = test.cli('recover', status=None)
        check_equal(result.status, 1, f'status: {result}')
        check('open' in result.err, f'no sentence: {result}')
        check_equal(Strangers.look(part), before, 'the file')
    check_equal(recovered(test), [recording.trace], 'recovered traces')
    recording.check_in(recording.trace, False)


def replaced_while_recording(test):
    """The unfinished file loses its name to something else: the recording is saved, and that is said."""
    for way in ('file', 'link', 'moved', 'removed'):
        strangers = Strangers()
        trace = test.path(f'{way}.gfxtrace')
        recording = Recording(test, trace)
        check(recording.wait_for_program(), 'the program did not come')
        if way == 'moved':
            os.rename(trace + '.part', trace + '.elsewhere')
        else:
            os.unlink(trace + '.part')
        if way == 'file':
            strangers.text(trace + '.part')
        elif way == 'link':
            strangers.text(test.path('precious'))
            strangers.link(trace + '.part', test.path('precious'))
        time.sleep(0.05)
        recording.kill_program()
        _out, err = recording.end()
        check_equal(recording.process.returncode, 0, f'{way}: status: {err}')
        check('replaced' in err, f'{way}: nothing is said: {err}')
        recording.check_in(trace, True)
        strangers.check()


def overwritten_while_recording(test):
    """Somebody writes into the file: no success is reported."""
    trace = test.path('over.gfxtrace')
    recording = Recording(test, trace)
    check(recording.wait_for_program(), 'the program did not come')
    with open(trace + '.part', 'wb') as file:
        file.write(b'Words of somebody else.\n')
    time.sleep(0.05)
    recording.kill_program()
    _out, err = recording.end()
    check(recording.process.returncode not in (0, -9), f'status {recording.process.returncode}: {err}')
    check('damaged' in err, f'nothing is said: {err}')
    check(not os.path.exists(trace), 'there is a trace')


def moved_away(test):
    """The unfinished file of a dead capture was moved: it is completed when it is named."""
    recording = interrupt(Recording(test, test.path('moved.gfxtrace')))
    moved = os.path.join(test.folder('elsewhere'), 'safe.gfxtrace.part')
    os.rename(test.path('moved.gfxtrace.part'), moved)
    result = test.cli('recover', '--json', status=1)
    check('recover FILE' in result.err, f'no sentence: {result}')
    result = test.cli('recover', '--json', moved)
    check_equal(json.loads(result.out), [moved[:-len('.part')]], 'recovered traces')
    recording.check_in(moved[:-len('.part')], False)
    check_tidy(test, Strangers())


def totals(test):
    """The figures of a run are those of its traces."""
    test.need_display()
    for options in (['--at-frame', 5], ['--at-frame', 5, '--trim'],
                    ['--at-frame', 5, '--every', 5, '--times', 3], []):
        test.capture('vkcube', frames=2, output=test.path('totals.gfxtrace'), options=options)
        result = test.captured.json()
        for name in ('frames', 'commands', 'draws', 'bytes'):
            check_equal(result[name], sum(trace[name] for trace in result['traces']),
                        f'{name} of {options}')
        for trace in result['traces']:
            check_equal(trace['bytes'], os.path.getsize(trace['path']), 'bytes of the file')


def sockets_of_the_dead(test):
    """They are removed by the next capture, and by recover."""
    folder = os.path.join(test.runtime, 'vitrine')

    def list_sockets():
        return [name for name in os.listdir(folder) if '.socket' in name or '.trigger' in name]

    for clean in (lambda: recovered(test),
                  lambda: test.capture(app('compute'), '--rounds', 2, output=test.path('x.gfxtrace'))):
        interrupt(Recording(test, test.path('dead.gfxtrace')))
        check(len(list_sockets()) >= 2, f'sockets: {list_sockets()}')
        clean()
        check_equal(list_sockets(), [], 'sockets')


def full_disk(test):
    """What is said and the status are true, however much room there is."""
    from_errors = [['unshare', options] for options in ('-rm', '-m')
                   if test.run(['unshare', options, 'true']).status == 0]
    if not from_errors:
        raise harness.Skip('no file system can be mounted here')
    script = ('mount -t tmpfs -o size="$SIZE",mode=700 tmpfs "$PLACE" && "$@"; status=$?; '
              'echo ---; ls "$(dirname "$OUT")"; echo ---; [ ! -e "$OUT" ] || "$CLI" info --json "$OUT"; exit $status')
    load = [app('load'), '--draws', 2000, '--frames', 30, '--visible', '--mapped', 256]

    def capture(place, size, trace):
        os.makedirs(place, exist_ok=True)
        return test.run([*from_errors[0], 'sh', '-c', script, 'sh', CLI, 'capture', '-q', '-o', trace, '--',
                         *load], PLACE=place, SIZE=f'{size}k', OUT=trace, CLI=CLI)

    for kilobytes in (100, 250, 600):
        place = test.path(f'disk-{kilobytes}')
        result = capture(place, kilobytes, os.path.join(place, 'full.gfxtrace'))
        check_truth(result, 'full.gfxtrace')
    for kilobytes in (40, 400, 1000):
        trace = test.path(f'ring-{kilobytes}.gfxtrace')
        result = capture(test.runtime, kilobytes, trace)
        check_truth(result, f'ring-{kilobytes}.gfxtrace')


def check_truth(result, name):
    _said, listed, info = result.out.split('---\n', 2)
    check('space' in result.err, f'does not name the reason: {result}')
    if name in listed.split():
        facts = json.loads(info.strip().splitlines()[-1])
        check_equal(result.status, 1, f'status beside a trace: {result}')
        check(name in result.err, f'does not name the trace: {result}')
        check(facts['truncated'] and 'space' in facts['warning'], f'the trace does not tell: {result}')
        check(facts['commands'] > 0, f'an empty trace: {result}')
    elif name + '.part' in listed.split():
        check_equal(result.status, 1, f'status beside an unfinished file: {result}')
        check('recover' in result.err, f'does not say what to do: {result}')
    else:
        check_equal(result.status, 4, f'status without a trace: {result}')
        check('recorded calls are' not in result.err, f'names a trace: {result}')


def deaths_at_each_change(test):
    """vitrine-cli dies before one of its changes to files, wherever that is, while it records and while it
    recovers."""
    source = random.Random(f'{SEED} points')
    numbers = [1, 4, 7, 9, 11, 13, 16, 24] if INTERLEAVINGS < 50 else range(1, 41)
    for number in numbers:
        one_death(test, source, number)
        clear(test)


def one_death(test, source, number):
    trace = test.path('point.gfxtrace')
    recording = Recording(test, trace, env=kill_at(number))
    if recording.wait_for_program():
        time.sleep(source.uniform(0, 0.4))
        if recording.is_live():
            os.kill(recording.process.pid, source.choice((signal.SIGINT, signal.SIGKILL)))
    recording.end()
    for again in range(source.randrange(3)):
        test.run([CLI, 'recover'], **kill_at(source.randrange(1, 14) + again))
    recovered(test)
    traces = find_traces(test, Strangers())
    check(len(traces) <= 1, f'{number}: {traces}')
    if traces:
        # How much was recorded when it died is not known; each thread has its calls without a hole.
        recording.final = (0, 1, {}, {thread: 0 for thread in range(3)})
        recording.check_in(traces[0], False)
    check_tidy(test, Strangers())


# ---- Random interleavings ----

class World:
    """One folder with few names, in which captures, deaths and strangers come at random."""

    def __init__(self, test, source):
        self.test = test
        self.source = source
        self.strangers = Strangers()
        self.recordings = []
        self.refused = []
        self.n_foreign = 0
        settle_in(self.strangers, test, World.complete)
        self.names = [test.path(f'{name}.gfxtrace') for name in ('one', 'two', 'letter', 'whole')]
        self.moves = []

    def live(self):
        return [r for r in self.recordings if r.is_live()]

    def capture(self):
        trace = self.source.choice(self.names)
        env = kill_at(self.source.randrange(1, 40)) if self.source.random() < 0.15 else None
        recording = Recording(self.test, trace, env=env,
                              rounds=self.source.choice((None, None, 60)))
        recording.armed = env is not None
        # Of two that write there, the later is refused; which that is, nobody knows before they record.
        rivals = [r for r in self.live() if r.trace == trace]
        recording.rival = bool(rivals)
        recording.rivals = rivals
        for rival in rivals:
            rival.rival |= not rival.pid
        self.keep_traces()
        self.moves[-1] += f' {recording.counters.path} {trace} {env} {recording.process.args[-2:]}'
        self.recordings.append(recording)
        if self.source.random() < 0.8:
            recording.wait_for_program()

    def wait(self):
        time.sleep(self.source.uniform(0, 0.08))

    def pick(self):
        live = self.live()
        return self.source.choice(live) if live else None

    def kill_host(self):
        recording = self.pick()
        if recording:
            self.moves[-1] += f' {recording.counters.path}'
            recording.kill_host()

    def kill_program(self):
        recording = self.pick()
        if recording:
            self.moves[-1] += f' {recording.counters.path}'
            recording.kill_program()

    def kill_both(self):
        recording = self.pick()
        if recording:
            self.moves[-1] += f' {recording.counters.path}'
            recording.kill_host()
            recording.kill_program()

    def interrupt(self):
        recording = self.pick()
        if recording:
            self.moves[-1] += f' {recording.counters.path}'
            recording.interrupt()

    def recover(self):
        process = harness.start([CLI, 'recover'], self.test.env, cwd=self.test.dir,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if self.source.random() < 0.5:
            time.sleep(self.source.uniform(0, 0.15))
            process.kill()
        process.wait(GRACE)

    def recover_and_die(self):
        self.test.run([CLI, 'recover'], **kill_at(self.source.randrange(1, 30)))

    def settle(self):
        """Somebody puts something where a trace or its unfinished file may want to be."""
        self.n_foreign += 1
        name = self.source.choice(self.names)
        path = self.source.choice((name + '.part', name + '.2.part', name.replace('.gfxtrace', '-recovered.gfxtrace')))
        if os.path.lexists(path):
            return
        kind = self.source.choice((self.strangers.text, self.strangers.pipe,
                                   lambda p: self.strangers.link(p, self.names[0])))
        try:
            kind(path)
        except FileExistsError:
            pass

    def displace(self):
        """Somebody takes the name from the unfinished file of a capture that lives and will end."""
        recording = self.pick()
        if not recording or recording.armed or recording.rival or not recording.pid:
            return
        part = recording.trace + '.part'
        # An earlier capture of this name that was killed may still own the file.
        if part in self.strangers.known or not recording.is_live() or not recording.has_open(part):
            return
        os.unlink(part)
        self.strangers.text(part)
        # From here on it must come to its end by itself.
        recording.interrupt()
        recording.end()

    def run(self, steps):
        moves = ([self.capture] * 4 + [self.wait] * 3 + [self.kill_host] * 2 + [self.kill_program] * 2 +
                 [self.kill_both] * 2 + [self.interrupt, self.recover, self.recover_and_die, self.settle,
                                         self.displace])
        begin = time.monotonic()
        for _ in range(steps):
            self.keep_traces()
            move = self.source.choice(moves)
            self.moves.append(f'{time.monotonic() - begin:.3f} {move.__name__}')
            move()
        for recording in self.recordings:
            if recording.is_live() and recording.wait_for_program():
                self.source.choice((recording.kill_program, recording.kill_host))()
        for recording in self.recordings:
            if recording.process.stdout and not recording.process.stdout.closed:
                recording.end()
        recovered(self.test)
        self.keep_traces()

    def keep_traces(self):
        """Traces are put away as soon as they are there: a later capture of the name may replace them."""
        folder = self.test.folder('kept')
        for trace in find_traces(self.test, self.strangers):
            self.n_foreign += 1
            try:
                os.rename(trace, os.path.join(folder, f'{self.n_foreign}.gfxtrace'))
            except FileNotFoundError:
                pass

    def check(self):
        self.strangers.check()
        check_tidy(self.test, self.strangers)
        kept = self.test.folder('kept')
        found = {}
        for name in sorted(os.listdir(kept)):
            trace = os.path.join(kept, name)
            info = self.test.info(trace)
            owners = [r for r in self.recordings if r.is_in(info)]
            check_equal(len(owners), 1, f'recordings of {trace}')
            check(owners[0] not in found, f'two traces of one recording: {trace}')
            found[owners[0]] = trace
            self.check_content(owners[0], trace)
        for recording in self.recordings:
            # One that was complete before a later one of its name began may have been replaced by it.
            if '"event":"captured"' in recording.said and any(recording in other.rivals for other in found):
                continue
            check(recording in found or recording.armed or recording.rival or not recording.has_calls(),
                  f'the recording into {recording.trace} is lost: {recording.counters.path}: {recording.said}\n'
                  f'{self.moves}')
        return len(found)

    @staticmethod
    def check_content(recording, trace):
        if recording.armed:
            recording.final = (0, 1, {}, {thread: 0 for thread in range(3)})
        recording.check_in(trace, False)


def interleavings(test):
    source = random.Random(f'{SEED} interleavings')
    complete = test.capture(app('compute'), '--rounds', 2, output=os.path.join(test.runtime, 'complete'))
    World.complete = complete
    n_traces = n_recordings = 0
    for number in range(INTERLEAVINGS):
        world = World(test, source)
        try:
            world.run(source.randrange(6, 16))
            n_traces += world.check()
        except harness.Failure as failure:
            raise harness.Failure(f'interleaving {number}: {failure}')
        finally:
            world.strangers.close()
            for recording in world.recordings:
                harness.end_group(recording.process)
                recording.kill_program()
        n_recordings += len(world.recordings)
        clear(test)
    test.note(f'{INTERLEAVINGS} interleavings: {n_recordings} recordings begun, {n_traces} traces')


harness.main(name_used_again, recovered_meanwhile, two_at_once, files_of_others, open_elsewhere, replaced_while_recording,
             overwritten_while_recording, moved_away, totals, sockets_of_the_dead, full_disk,
             deaths_at_each_change, interleavings)
