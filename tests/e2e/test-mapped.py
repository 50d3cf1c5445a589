#!/usr/bin/env python3
"""Memory that a program writes to while it is mapped, by each way of finding that out: every replayed
frame equals what the witness saw, also with poison; and no more is recorded than was written."""

import json
import os

import harness
from harness import app, check, check_equal

N_FRAMES = int(os.environ.get('VITRINE_TEST_MAPPED', '24'))
KIB = 1024
TRACKERS = ('uffd', 'compare', 'uffd-sync', 'mprotect')


def trackers_of(test, trace):
    return test.info(trace)['trackers']


def frames(tracker):
    def body(test):
        test.need_display()
        test.env['VITRINE_TRACKER'] = tracker
        live = test.folder('live')
        trace = test.capture(app('demo-mapped'), '--window', '--frames', N_FRAMES, witness=live,
                             timeout=120)
        check_equal(len(harness.frame_names(live)), N_FRAMES, 'frames of the live run')
        trackers = trackers_of(test, trace)
        test.note(f'{trackers}')
        check_equal(any('EFAULT' in t for t in trackers), 'read(2) into' in test.captured.err,
                    'what the report says about read(2)')
        for kind, options in (('plain', []), ('poison', ['--poison'])):
            folder = test.folder(kind)
            report = test.replay(trace, '--frames-dir', folder, *options, timeout=120).json()
            check(report['ok'], f'the replay failed: {report}')
            harness.compare_folders(test, folder, live, N_FRAMES)
    return body


def midrun(tracker):
    """Begun in the middle of the run: what was in memory then comes from elsewhere, what is written
    from then on is found."""
    first, count = 5, 12

    def body(test):
        test.need_display()
        test.env['VITRINE_TRACKER'] = tracker
        live, shifted = test.folder('live'), test.folder('shifted')
        trace = test.capture(app('demo-mapped'), '--window', '--frames', N_FRAMES, frames=count,
                             options=('--at-frame', first), witness=live, timeout=120)
        for number in range(count):
            os.link(os.path.join(live, f'frame-{first + number:06}.raw'),
                    os.path.join(shifted, f'frame-{number:06}.raw'))
        for kind, options in (('plain', []), ('poison', ['--poison'])):
            folder = test.folder(kind)
            report = test.replay(trace, '--frames-dir', folder, *options).json()
            check(report['ok'], f'the replay failed: {report}')
            harness.compare_folders(test, folder, shifted, count)
    return body


def asked_for(test):
    """The report says what was done and why."""
    for tracker, words in (('compare', 'page compare (asked for)'), ('uffd', ''),
                           ('uffd-sync', 'synchronous userfaultfd: the first write'),
                           ('mprotect', 'mprotect: the first write')):
        test.env['VITRINE_TRACKER'] = tracker
        trace = test.capture(app('load'), '--draws', 1, '--frames', 1)
        trackers = trackers_of(test, trace)
        check(trackers and all(t.startswith('memory type ') for t in trackers), f'{trackers}')
        check(any(words in t for t in trackers), f'{tracker}: {trackers}')
        check(all(': the first write' in t or 'page compare (' in t for t in trackers), f'{trackers}')


def little(test):
    """Of 64 MiB, 64 bytes here and there: what is recorded is what was written."""
    for tracker in (*TRACKERS, 'auto'):
        test.env['VITRINE_TRACKER'] = tracker
        sizes = []
        for n in (2, 12):
            trace = test.capture(app('load'), '--draws', 1, '--frames', n, '--mapped', 16)
            sizes.append(os.path.getsize(trace))
        frame = (sizes[1] - sizes[0]) / 10
        test.note(f'{tracker}: {frame / KIB:.1f} KiB a frame')
        # Random bytes do not compress: 16 KiB, and what is said about each of 256 pieces. A page is
        # taken whole the first time.
        check(frame < 1.5 * 16 * KIB + 256 * 32, f'{tracker}: {frame} bytes a frame')


def threads(tracker):
    """What each thread wrote is there when its submission runs, however many write and submit."""
    def body(test):
        test.env['VITRINE_TRACKER'] = tracker
        live, replayed = test.path('live.bin'), test.path('replayed.bin')
        trace = test.capture(app('writers'), '--output', live)
        printed = next(json.loads(line) for line in
                       (test.captured.out + test.captured.err).splitlines()
                       if '"result_buffer"' in line)
        with open(live, 'rb') as file:
            expected = file.read()
        for options in ([], ['--poison']):
            report = test.replay(trace, '--read-memory', f'{printed["result_buffer"]}:{replayed}',
                                 *options).json()
            check(report['ok'], f'the replay failed: {report}')
            with open(replayed, 'rb') as file:
                got = file.read()[:len(expected)]
            wrong = [i for i in range(0, len(expected), 256)
                     if got[i:i + 256] != expected[i:i + 256]]
            check(not wrong, f'{options}: {len(wrong)} pieces differ, the first at {wrong[:1]}')
    return body


def shared(test):
    """What others may write to is said at once, and a replay that needs it says no."""
    trace = test.capture(app('memory'), '--share')
    check('VkImportMemoryFdInfoKHR' in test.captured.err, f'no notice: {test.captured.err}')
    replayed = test.replay(trace, status=None)
    check(replayed.status != 0, 'memory of others was replayed')
    check('VkImportMemoryFdInfoKHR' in replayed.err, f'no reason: {replayed.err}')


def flight(tracker):
    """Bytes that work in flight may have written: told where they have changed, and not where the work
    cannot have begun and sees nothing else."""
    def body(test):
        test.env['VITRINE_TRACKER'] = tracker
        for options, some in ((['--gated'], False), (['--gated', '--whole'], True)):
            trace = test.capture(app('demo-flight'), *options)
            report = test.replay(trace).json()
            check(report['ok'], f'the replay failed: {report}')
            uncertain = report['uncertain']
            check_equal(report['uncertainBytes'], sum(d['size'] for d in uncertain), 'bytes listed')
            check_equal(bool(uncertain), some, f'{options}: something uncertain')
            check(not some or any(d['offset'] % 1024 < 256 for d in uncertain),
                  f'nothing that the program writes: {uncertain}')
            for each in uncertain:
                check(each['submission'] < each['command'], f'a later submission: {each}')
            entries = [e for e in test.cli('get', '--json', trace, 'report').json()['entries']
                       if e.get('check') == 'gpu-writes']
            check_equal([e['command'] for e in entries], [d['command'] for d in uncertain][:1],
                        'commands of the report')
            check(all(e['level'] == 'warning' for e in entries), f'not warnings: {entries}')
    return body


def external(semaphores, at):
    """What comes in through file descriptors is captured, also in the middle of the run; that it cannot
    be replayed is said before anything runs."""
    def body(test):
        test.need_display()
        if semaphores:
            test.env['VK_ICD_FILENAMES'] = harness.need_swiftshader()
        live = test.folder('live')
        options = ['--at-frame', at] if at else []
        trace = test.capture(app('demo-shared'), *(['--semaphores'] if semaphores else []), '--window',
                             '--frames', at + 4, frames=2, options=options, witness=live)
        check_equal(test.info(trace)['frames'], 2, 'frames')
        check('VkImportMemoryFdInfoKHR' in test.captured.err, f'no notice: {test.captured.err}')
        names = [c['name'] for c in test.commands(trace, *(['--initial'] if at else []))]
        for name in ('vkAllocateMemory', *(['vkImportSemaphoreFdKHR'] if semaphores else [])):
            check(name in names, f'{name} is not recorded: {sorted(set(names))}')
        for arguments in (['--check'], [], ['--poison']):
            result = test.replay(trace, *arguments, status=None)
            check(result.status != 0, f'it was replayed {arguments}')
            check('imports' in result.out + result.err, f'no reason: {result}')
            check('--check' in arguments or result.json().get('calls', 0) == 0,
                  f'something ran first: {result}')
            if semaphores:
                check('vkImportSemaphoreFdKHR cannot be replayed' in result.out + result.err or
                      '--check' not in arguments, f'not a word about semaphores: {result}')
    return body


if __name__ == '__main__':
    harness.main(*((f'frames-{tracker}', frames(tracker)) for tracker in ('auto', *TRACKERS)),
                 *((f'midrun-{tracker}', midrun(tracker)) for tracker in TRACKERS),
                 *((f'threads-{tracker}', threads(tracker)) for tracker in TRACKERS),
                 ('asked-for', asked_for), ('little', little), ('shared', shared),
                 *((f'flight-{tracker}', flight(tracker)) for tracker in ('uffd', 'compare')),
                 *((f'external-{kind}-{name}', external(kind == 'semaphores', at))
                   for kind in ('memory', 'semaphores')
                   for name, at in (('launch', 0), ('middle', 5))))
