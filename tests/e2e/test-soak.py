#!/usr/bin/env python3
"""A long run of captures: a frame now and then of a program that goes on, and neither it nor Vitrine grows.

Memory, files, threads and mappings of the program with the layer and of vitrine-cli are sampled all the
time; the growth after the warm-up is a robust fit (Theil and Sen), of resident memory less that of the
program alone. What the layer itself has allocated is counted apart, block by block (tests/heap-meter), and is as much
after every capture as after a few: the driver below it takes and keeps megabytes as it likes. Each
trace must be whole, each n-th replays to what the program showed. In a sanitized build nothing may be
reported, leaks included.

By hand, from the build folder, for ten minutes with a capture every five seconds:
  VITRINE_TEST_SOAK=600 VITRINE_TEST_SOAK_EVERY=5 ../tests/e2e/test-soak.py vkcube
"""

import glob
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import threading
import time

import harness
from harness import CLI, PATIENCE, app, check, check_equal, need

SECONDS = float(os.environ.get('VITRINE_TEST_SOAK', '8'))
EVERY = float(os.environ.get('VITRINE_TEST_SOAK_EVERY', '0.4'))
LONG = SECONDS >= 120
FEWEST = min(16, int(SECONDS / EVERY))  # captures: a busy machine takes longer, a fit wants points
COMPARE = 10 if LONG else 6  # every so many captures are replayed and compared
ALONE = min(max(SECONDS / 5, 4), 90)  # seconds of the program without layer
GRACE = 20 * PATIENCE
MANY = 100000000
KIB = 1024

REST = 0.75  # seconds between two captures: two lines of the meter
METER = 0.25  # seconds that a line tells of
WARM = 4  # captures that must have been made before anything is counted …
WARM_FRAMES = 400  # … and frames: the layer keeps the last 1024 layouts that a program destroyed

HEAP_METER = os.path.join(harness.BUILD, 'tests', 'heap-meter', 'libheap-meter.so')

# Growth that counts, bytes a capture: what is allocated is counted exactly, resident pages come and go.
LAYER_PER_CAPTURE = 64
HEAP_PER_CAPTURE = 1 * KIB
RESIDENT_PER_CAPTURE = 16 * KIB
LAYER_SLACK = 2 * KIB  # a frame is not as the one before
DRIVER_PER_CAPTURE = 64
DRIVER_SLACK = (2 if LONG else 16) * KIB
CLI_PER_CAPTURE = 256  # it names all traces at its end
CLI_SLACK = 16 * KIB
# In a short run a few blocks that are made once weigh more.
HEAP_SLACK = (512 if LONG else 4096) * KIB
RESIDENT_SLACK = 8192 * KIB
# Lavapipe keeps scenes of a megabyte when the GPU was behind once: what grows steadily does so
# within each of these many seconds.
NEAR = max(SECONDS / 10, 20)


def is_sanitized():
    with open(CLI, 'rb') as file:
        return b'__asan_init' in file.read()


def sanitizer_library():
    path = subprocess.run([need('gcc'), '-print-file-name=libasan.so'], capture_output=True,
                          check=True, text=True).stdout.strip()
    return os.path.realpath(path)


# Samples

ROLLUP = re.compile(r'^(Rss|Pss|Pss_Anon|Pss_Shmem):\s+(\d+) kB', re.M)


def sample(pid):
    """What a process uses, or None when it is gone."""
    try:
        with open(f'/proc/{pid}/smaps_rollup', encoding='ascii') as file:
            found = {name.lower(): int(value) * KIB for name, value in ROLLUP.findall(file.read())}
        with open(f'/proc/{pid}/maps', 'rb') as file:
            found['mappings'] = file.read().count(b'\n')
        found['files'] = len(os.listdir(f'/proc/{pid}/fd'))
        found['threads'] = len(os.listdir(f'/proc/{pid}/task'))
    except (OSError, ValueError):
        return None
    return found if 'rss' in found else None


class Sampler:
    """Samples processes from a thread of its own."""

    def __init__(self, pids, period):
        self.pids = pids  # name → pid
        self.period = period
        self.samples = {name: [] for name in pids}
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while not self.done.wait(self.period):
            for name, pid in self.pids.items():
                found = sample(pid)
                if found is not None:
                    self.samples[name].append((time.monotonic(), found))

    def close(self):
        self.done.set()
        self.thread.join()


def heap_of(stem, pid):
    """Seconds, bytes of all, bytes of the layer."""
    try:
        with open(f'{stem}.{pid}', encoding='ascii') as file:
            return [tuple(map(float, line.split())) for line in file if line.endswith('\n')]
    except OSError:
        return []


def fit(points, near=float('inf')):
    """The median of the slopes between all pairs of points that are at most so far apart, a second."""
    step = max(1, len(points) // 300)
    points = points[::step]
    slopes = [(b[1] - a[1]) / (b[0] - a[0])
              for i, a in enumerate(points) for b in points[i + 1:] if 0 < b[0] - a[0] <= near]
    return statistics.median(slopes) if slopes else 0.0


# Programs

class Vkcube:
    """Escape ends it, when the pointer is over it."""
    is_steady = True  # the driver has as much after a frame as after the one before

    def __init__(self, name):
        self.name = name

    def argv(self, _test):
        return [need(self.name), '--c', MANY]

    def end(self, test, _pid):
        harness.run([need('xdotool'), 'mousemove', 100, 100, 'key', 'Escape'], test.env)


class Demo:
    """A demo, which ends when a file goes away."""
    is_steady = False

    def __init__(self, name):
        self.name = name

    def gate(self, test):
        return test.path('go-on')

    def argv(self, test):
        with open(self.gate(test), 'wb'):
            pass
        return [app(f'demo-{self.name}'), '--window', '--frames', MANY, '--while', self.gate(test)]

    def end(self, test, _pid):
        if os.path.exists(self.gate(test)):
            os.unlink(self.gate(test))


def wait_until(condition, what, process=None):
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        check(process is None or process.poll() is None,
              f'it ended with status {process.poll() if process else 0}: {what}')
        time.sleep(0.01)
    raise harness.Failure(f'waited too long: {what}')


def end_program(test, program, process):
    """Asks until it has heard."""
    end = time.monotonic() + GRACE
    while process.poll() is None and time.monotonic() < end:
        program.end(test, process.pid)
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            pass
    check(process.poll() is not None, f'{program.name} does not end')
    return process.returncode


def preload(test, stem):
    """The environment of programs whose memory is counted."""
    libraries = [HEAP_METER]
    env = {'HEAP_METER': test.path(stem), 'HEAP_METER_OWNER': 'libVkLayer_vitrine',
           'G_SLICE': 'always-malloc'}  # what is freed is free
    if is_sanitized():
        libraries.append(sanitizer_library())
        env['HEAP_METER_STAY'] = '1'
        env['ASAN_OPTIONS'] = (f'log_path={test.path("asan")}:exitcode=0:detect_leaks=1:'
                               'detect_odr_violation=0:verify_asan_link_order=0:'
                               'malloc_context_size=12')
        env['UBSAN_OPTIONS'] = f'print_stacktrace=1:log_path={test.path("asan")}'
        env['LSAN_OPTIONS'] = 'report_objects=0:max_leaks=0'
    env['LD_PRELOAD'] = ' '.join(libraries)
    return env


# A soak

class Soak:
    def __init__(self, test, program):
        test.need_display()
        self.test = test
        self.program = program
        self.live = test.folder('live')
        self.watch = test.path('watch')
        self.made = []
        self.compared = 0
        self.rests = []  # from when to when the layer rested, after each capture that counts
        self.moments = []

    def lines(self):
        with open(self.test.path('out.log'), encoding='utf-8') as file:
            return [json.loads(line) for line in file if line.endswith('\n')]

    def traces(self):
        return [line for line in self.lines() if line.get('event') == 'captured']

    def errors(self):
        with open(self.test.path('err.log'), encoding='utf-8', errors='replace') as file:
            return file.read()

    def start_alone(self):
        env = {**self.test.env, **preload(self.test, 'heap-alone')}
        return harness.start(self.program.argv(self.test), env, cwd=self.test.dir,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        """vitrine-cli has the meter, and hands it on to the program."""
        env = {**self.test.env, **preload(self.test, 'heap'),
               **harness.witness_environment(self.live), 'VITRINE_WITNESS_WHILE': self.watch}
        with open(self.test.path('out.log'), 'wb') as out, \
                open(self.test.path('err.log'), 'wb') as err:
            self.process = harness.start(
                [CLI, 'capture', '--json', '--on-signal', '-o', self.test.path('s-%d.gfxtrace'), '--',
                 *self.program.argv(self.test)],
                env, cwd=self.test.dir, stdout=out, stderr=err)
        wait_until(lambda: 'Ready.' in self.errors(), 'the program presents', self.process)
        self.pid = harness.children(self.process.pid)[0]

    def capture(self):
        """One frame; every COMPARE-th is compared with what was shown. Returns: since when the layer
        rests."""
        number = len(self.made) + 1
        compare = number % COMPARE == 1
        if compare:
            with open(self.watch, 'wb'):
                pass
            wait_until(lambda: harness.frame_names(self.live), 'a frame is witnessed', self.process)
        os.kill(self.process.pid, signal.SIGUSR1)
        wait_until(lambda: len(self.traces()) >= number, f'{number} traces: {self.errors()}',
                   self.process)
        rest = time.monotonic()
        made = self.traces()[number - 1]
        self.made.append(made)
        self.moments.append(rest)
        self.examine(made, compare)
        os.unlink(made['path'])
        return rest

    def examine(self, made, compare):
        test = self.test
        info = test.info(made['path'])
        check_equal((info['frames'], info['truncated'], made['frames']), (1, False, 1),
                    f'frames and truncation of {made["path"]}')
        check(info['initial_commands'] > 0, 'nothing is there before the frame')
        made['initial'] = info['initial_commands']
        check(not info.get('warnings'), f'{made["path"]}: {info.get("warnings")}')
        if compare:
            os.unlink(self.watch)
            options = ['--poison'] if self.compared % 2 == 1 else []
            folder = test.folder('replayed')
            report = test.replay(made['path'], '--frames-dir', folder, *options).json()
            check(report['ok'], f'the replay failed: {report}')
            expected = os.path.join(self.live, f'frame-{made["first_frame"]:06}.raw')
            wait_until(lambda: os.path.exists(expected), f'{expected} is written')
            got = harness.Frame.read(harness.frame_path(folder, 0))
            difference = got.describe_difference(harness.Frame.read(expected))
            check(difference is None, f'frame {made["first_frame"]} {options}: {difference}')
            shutil.rmtree(folder)
            self.compared += 1
            for name in os.listdir(self.live):
                os.unlink(os.path.join(self.live, name))

    def run(self):
        self.start()
        begun = time.monotonic()
        sampler = Sampler({'program': self.pid, 'vitrine-cli': self.process.pid},
                          0.25 if not LONG else 1)
        try:
            turn = begun
            while time.monotonic() - begun < SECONDS or len(self.rests) < FEWEST:
                rest = self.capture()
                turn = max(turn + EVERY, time.monotonic(), rest + REST)
                while time.monotonic() < turn:
                    check(self.process.poll() is None, f'vitrine-cli has ended: {self.errors()}')
                    time.sleep(0.02)
                if len(self.made) >= WARM and self.made[-1]['first_frame'] >= WARM_FRAMES:
                    self.rests.append((rest, time.monotonic()))
            self.presented = self.made[-1]['first_frame']
            self.seconds = time.monotonic() - begun
            sampler.close()
            status = end_program(self.test, self.program, self.process)
            with open(self.test.path('samples.json'), 'w', encoding='utf-8') as file:
                json.dump({'samples': sampler.samples, 'moments': self.moments,
                           'rests': self.rests}, file)
            check_equal(status, 0, f'status: {self.errors()}')
            check_equal(len(self.traces()), len(self.made), 'traces')
        finally:
            sampler.close()
            harness.end_group(self.process)
            self.process.wait()
        return sampler.samples

    def run_alone(self):
        """The program without layer: its samples and its heap."""
        process = self.start_alone()
        sampler = Sampler({'program': process.pid}, 0.25)
        try:
            end = time.monotonic() + ALONE
            while time.monotonic() < end:
                check(process.poll() is None, f'{self.program.name} has ended by itself')
                time.sleep(0.05)
            sampler.close()
            check_equal(end_program(self.test, self.program, process), 0, 'status without layer')
        finally:
            sampler.close()
            harness.end_group(process)
            process.wait()
        return sampler.samples['program'], heap_of(self.test.path('heap-alone'), process.pid)


def later(points, share=0.3):
    """Points behind the warm-up."""
    if len(points) < 4:
        return points
    begin = points[0][0] + (points[-1][0] - points[0][0]) * share
    return [point for point in points if point[0] >= begin]


def series(samples, name):
    return later([(moment, found[name]) for moment, found in samples])


def describe_rests(test, soak, name, heap, limit, slack):
    """What was allocated between captures, a point for each. @heap: pairs of seconds and bytes."""
    points = []
    for number, (begin, end) in enumerate(soak.rests):
        inside = [bytes_ for moment, bytes_ in heap if begin + METER < moment <= end]
        if inside:
            points.append((number, statistics.median(inside)))
    check(len(points) >= 0.8 * len(soak.rests) and min(bytes_ for _, bytes_ in points) > 0,
          f'the meter tells of {len(points)} of {len(soak.rests)} captures what {name} allocated')
    slope = fit(points)
    test.note(f'{name}: {slope:+.1f} B a capture at rest, over {len(points)} captures: '
              f'{points[0][1]:.0f} → {points[-1][1]:.0f}, at most '
              f'{max(bytes_ for _, bytes_ in points):.0f}')
    if slope * len(points) > slack + limit * len(points):
        return [f'{name}: heap grows by {slope:.1f} bytes a capture, in {len(points)} captures: '
                f'{[int(bytes_) for _, bytes_ in points]}']
    return []


def check_rests(test, soak):
    """The layer, the driver below it where that is steady, and vitrine-cli."""
    heap = heap_of(test.path('heap'), soak.pid)
    cli = heap_of(test.path('heap'), soak.process.pid)
    complaints = describe_rests(test, soak, 'layer', [(line[0], line[2]) for line in heap],
                                LAYER_PER_CAPTURE, LAYER_SLACK)
    if soak.program.is_steady:
        complaints += describe_rests(test, soak, 'driver and program',
                                     [(line[0], line[1] - line[2]) for line in heap],
                                     DRIVER_PER_CAPTURE, DRIVER_SLACK)
    return complaints + describe_rests(test, soak, 'vitrine-cli', [line[:2] for line in cli],
                                       CLI_PER_CAPTURE, CLI_SLACK)


def describe(test, soak, name, samples, heap, alone):
    """Notes what grew, resident memory less what it grows alone. Returns what counts, as sentences."""
    each = soak.seconds / len(soak.made)
    heap = [(moment, everything - layer) for moment, everything, layer in heap]
    slopes = {kind: fit(series(samples, kind)) - max(alone.get(kind, 0), 0)
              for kind in ('pss_anon', 'pss_shmem', 'rss')}
    slopes['heap'] = fit(later(heap), NEAR)
    complaints = []
    for kind, slope in slopes.items():
        limit, slack = ((HEAP_PER_CAPTURE, HEAP_SLACK) if kind == 'heap' else
                        (RESIDENT_PER_CAPTURE, RESIDENT_SLACK))
        # Shared files are not the program's; what was freed waits in the sanitizer's quarantine.
        counts = kind != 'rss' and not (kind == 'pss_anon' and is_sanitized())
        if counts and slope * soak.seconds > slack + limit * len(soak.made):
            complaints.append(f'{name}: {kind} grows by {slope * soak.seconds / KIB:.0f} KiB in '
                              f'{soak.seconds:.0f} s, {slope * each:.0f} bytes a capture')
    test.note(f'{name}: ' + ', '.join(
        f'{kind} {slope * each:+.0f} B a capture, {slope * 60 / KIB:+.1f} KiB a minute'
        for kind, slope in slopes.items()))
    counts = {}
    for kind in ('files', 'threads', 'mappings'):
        values = [value for _, value in series(samples, kind)]
        third = max(1, len(values) // 3)
        before, after = statistics.median(values[:third]), statistics.median(values[-third:])
        counts[kind] = f'{before:.0f} → {after:.0f}'
        if kind == 'mappings' and is_sanitized():
            continue  # its allocator maps as it likes
        if after > before + (2 if kind != 'mappings' else 16 + len(soak.made) // 10):
            complaints.append(f'{name}: {kind} grow: {counts[kind]}')
    last = samples[-1][1]
    test.note(f'{name}: ' + ', '.join(f'{kind} {value}' for kind, value in counts.items()) +
              f'; at the end {last["rss"] / KIB:.0f} KiB resident' +
              (f', {heap[-1][1] / KIB:.0f} KiB allocated' if heap else ''))
    return complaints


def check_traces(test, soak):
    """As much lives at the end as after a few captures: what is written of it does not grow."""
    counts = [made['initial'] for made in soak.made]
    third = len(counts) // 3
    before, after = statistics.median(counts[third:2 * third]), statistics.median(counts[-third:])
    test.note(f'initial commands: {counts[0]}, then {before:.0f} → {after:.0f}')
    if after > 1.05 * before + 20:
        return [f'the traces begin with more and more commands: {counts}']
    return []


# What the sanitizers may say: memory that drivers and X libraries never free.
REPORT = re.compile(r'(?:ERROR: AddressSanitizer|runtime error|(?:Direct|Indirect) leak)')


def check_reports(test):
    """No error; no leak of what the layer or vitrine-cli allocated."""
    for path in glob.glob(test.path('asan') + '.*'):
        with open(path, encoding='utf-8', errors='replace') as file:
            text = file.read()
        for part in re.split(r'\n\s*\n', text):
            if not REPORT.search(part):
                continue
            ours = re.search(r'libVkLayer_vitrine\.so|vitrine-cli|/src/engine/|/capture-layer/', part)
            check('leak' in part and not ours, f'{os.path.basename(path)}:\n{part[:4000]}')


def soak(program):
    def body(test):
        run = Soak(test, program)
        alone_samples, alone_heap = run.run_alone()
        samples = run.run()
        alone = {kind: fit(series(alone_samples, kind))
                 for kind in ('pss_anon', 'pss_shmem', 'rss')}
        alone['heap'] = fit(later([line[:2] for line in alone_heap]), NEAR)
        test.note(f'{program.name} alone: ' + ', '.join(
            f'{kind} {slope * 60 / KIB:+.1f} KiB a minute' for kind, slope in alone.items()))
        test.note(f'{len(run.made)} captures in {run.seconds:.0f} s, {run.presented} frames, '
                  f'{run.compared} compared; {statistics.median(m["bytes"] for m in run.made)} '
                  'bytes each')
        check(len(run.made) >= 3 and run.compared >= 1, 'too few captures')
        complaints = check_traces(test, run)
        complaints += check_rests(test, run)
        for name, pid in (('program', run.pid), ('vitrine-cli', run.process.pid)):
            complaints += describe(test, run, name, samples[name], heap_of(test.path('heap'), pid),
                                   alone if name == 'program' else {})
        check(not complaints, '\n'.join(complaints))
        for word in ('dropped', 'incomplete', 'gave up', 'lost'):
            check(word not in run.errors(), f'vitrine-cli said: {run.errors()}')
        check_reports(test)
    return body


if __name__ == '__main__':
    harness.main(('vkcube', soak(Vkcube('vkcube'))), ('churn', soak(Demo('churn'))),
                 *([('cubepp', soak(Vkcube('vkcubepp')))] if LONG else []))
