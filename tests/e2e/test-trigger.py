#!/usr/bin/env python3
"""Captures in the middle of a run: when they begin, how often, of which processes, and what is
left when somebody dies."""

import json
import os
import shutil
import signal
import time

import harness
import mock
from harness import app, check, check_equal, need
from trigger import Capture, wait_until

USAGE, FAILED, NO_CAPTURE = 2, 1, 4
MANY = 1000000  # frames: until it is ended
PAUSE = 0.3  # seconds: much longer than a frame
STAGING = str(64 << 20)  # bytes of the buffer that contents are copied to


def presents(test, trace):
    return sum(command['name'] == 'vkQueuePresentKHR' for command in test.commands(trace))


def own_threads(pid):
    """The threads that the layer has started in a process: names by numbers."""
    found = {}
    for thread in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{thread}/comm', encoding='utf-8') as file:
            name = file.read().strip()
        if name.startswith('vitrine'):
            found[thread] = name
    return found


def check_trace(test, made, frames):
    """A line of JSON about a trace says what is in it."""
    check(os.path.exists(made['path']), f'there is no {made["path"]}')
    check_equal(made['frames'], frames, 'frames said')
    check_equal(presents(test, made['path']), frames, f'presents in {made["path"]}')


def at_frame(test):
    """The frames that were asked for, by the numbers that the program gave them."""
    test.need_display()
    trace = test.capture(need('vkcube'), '--c', MANY, frames=3, options=['--at-frame', '20'])
    made = test.captured.json()['traces']
    check_equal(len(made), 1, 'traces')
    check_equal((made[0]['path'], made[0]['first_frame']), (trace, 20), 'path and first frame')
    check_trace(test, made[0], 3)
    check_equal(made[0]['bytes'], os.path.getsize(trace), 'bytes said')
    picture = test.path('thumbnail.png')
    test.cli('info', '--thumbnail', picture, trace)
    pixels = harness.Png(picture).rgb()
    check(len(pixels) == 180 * 180 * 3 and len(set(pixels)) > 20, 'the picture shows nothing')
    check(not os.path.exists(trace + '.part'), 'a file is left')


def same_picture(test, trace, live, made):
    """What a trace replays to is what the program showed then, also without what was never seen."""
    for options in ([], ['--poison']):
        frames = test.path('replayed')
        shutil.rmtree(frames, ignore_errors=True)
        report = test.replay(trace, '--frames-dir', frames, *options).json()
        check(report['ok'], f'the replay failed: {report}')
        for number in range(made['frames']):
            shown = made['first_frame'] + number
            got = harness.Frame.read(harness.frame_path(frames, number))
            expected = harness.Frame.read(os.path.join(live, f'frame-{shown:06}.raw'))
            difference = got.describe_difference(expected)
            check(difference is None, f'frame {shown}, {options}: {difference}')


def pictures(test):
    """Replayed frames are those of the live run with the same numbers."""
    test.need_display()
    for number, (arguments, frames) in enumerate(((['--at-frame', '12'], 3),
                                                  (['--at-frame', '1'], 1),
                                                  (['--at-frame', '3', '--every', '20',
                                                    '--times', '2'], 2))):
        live = test.folder(f'live-{number}')
        test.capture(need('vkcube'), '--c', 40, frames=frames, options=arguments, witness=live,
                     output=test.path(f'capture-{number}.gfxtrace'))
        for made in test.captured.json()['traces']:
            check_equal(made['frames'], frames, f'frames of {made["path"]}')
            same_picture(test, made['path'], live, made)


def again(test):
    """Every so many frames, so many times; a file each."""
    capture = Capture(test, '--at-frame', '10', '--frames', '2', '--every', '300', '--times', '3',
                      '--', need('vkcube'), '--c', str(MANY))
    try:
        made = capture.wait_end()['traces']
    finally:
        capture.close()
    check_equal([os.path.basename(trace['path']) for trace in made],
                ['capture.gfxtrace', 'capture-2.gfxtrace', 'capture-3.gfxtrace'], 'names')
    check_equal(made[0]['first_frame'], 10, 'first frame')
    for before, trace in zip(made, made[1:]):
        distance = trace['first_frame'] - before['first_frame']
        # Late, if the machine is; never early.
        check(distance >= 300, f'{distance} frames between captures')
    for trace in made:
        check_trace(test, trace, 2)


def after(test):
    test.need_display()
    test.capture(need('vkcube'), '--c', MANY, options=['--after', '0.5'])
    made = test.captured.json()['traces']
    check_equal(len(made), 1, 'traces')
    check(made[0]['first_frame'] > 0, 'it began at launch')
    check_trace(test, made[0], 1)


def on_signal(test):
    """Each signal makes a trace; names by a pattern."""
    capture = Capture(test, '--on-signal', '--times', '2', '--', need('vkcube'), '--c', str(MANY),
                      output='s-%d.gfxtrace')
    try:
        capture.wait_ready()
        check_equal(capture.traces(), [], 'traces before the signal')
        os.kill(capture.process.pid, signal.SIGUSR1)
        capture.wait_traces(1)
        os.kill(capture.process.pid, signal.SIGUSR1)
        made = capture.wait_end()['traces']
    finally:
        capture.close()
    check_equal([os.path.basename(trace['path']) for trace in made],
                ['s-1.gfxtrace', 's-2.gfxtrace'], 'names')
    check(made[0]['first_frame'] < made[1]['first_frame'], 'the second is not later')
    for trace in made:
        check_trace(test, trace, 1)


def prepared(test):
    """The next frame is asked for, and mapped memory is prepared first, over several frames."""
    live = test.folder('live')
    capture = Capture(test, '--on-signal', '--frames', '2', '--times', '2', '--', need('vkd3d-gears'),
                      output='p-%d.gfxtrace', VITRINE_AHEAD='0', **harness.witness_environment(live))
    try:
        capture.wait_ready()
        for number in (1, 2):
            os.kill(capture.process.pid, signal.SIGUSR1)
            capture.wait_traces(number)
        made = capture.wait_end()['traces']
    finally:
        capture.close()
    for trace in made:
        same_picture(test, trace['path'], live, trace)


def few_frames_ahead(test):
    """Any frame will do: what the cut needs is made in frames before it, and its thread serves later captures, too."""
    log = test.path('calls.log')
    capture = Capture(test, '--on-signal', '--times', '3', '--', app('present'), '--frames', str(MANY),
                      output='f-%d.gfxtrace', **mock.driver(f'log {log}'))
    threads = []
    try:
        capture.wait_ready()
        for number in (1, 2):
            os.kill(capture.process.pid, signal.SIGUSR1)
            first = capture.wait_traces(number)[0]['first_frame']
            threads.append(own_threads(capture.programs[0]))
    finally:
        capture.close()
    calls = mock.read_log(log)[0]
    made = next(i for i, call in enumerate(calls)
                if call['name'] == 'vkCreateBuffer' and STAGING in json.dumps(call))
    before = sum(call['name'] == 'vkQueuePresentKHR' for call in calls[:made])
    check(before + 5 <= first, f'prepared at frame {before} for frame {first}')
    check(threads[0] == threads[1] and 'vitrine-picture' in threads[0].values(), f'threads: {threads}')


def seldom(test):
    """A program that has drawn nothing for a while need not draw frames that only prepare a capture."""
    times = test.path('times')
    capture = Capture(test, '--on-signal', '--', need('vkcube'), '--c', str(MANY), output='s-%d.gfxtrace',
                      VITRINE_WITNESS_TIMES=times, VK_ADD_LAYER_PATH=harness.WITNESS_DIR, VK_INSTANCE_LAYERS=harness.WITNESS_LAYER)
    try:
        capture.wait_ready()
        # It is stopped somewhere in a frame: sometimes while it presents, which tells nothing.
        for number in range(1, 9):
            os.kill(capture.programs[0], signal.SIGSTOP)
            time.sleep(PAUSE)
            # On a busy machine it may not have presented anything yet.
            presented = os.path.getsize(times) // 8 if os.path.exists(times) else 0
            os.kill(capture.process.pid, signal.SIGUSR1)
            time.sleep(PAUSE)
            os.kill(capture.programs[0], signal.SIGCONT)
            first = capture.wait_traces(number)[-1]['first_frame']
            check(first <= presented + 2, f'frame {first} was captured after {presented} were presented')
    finally:
        capture.close()


def by_hand(test):
    """From another process; and an end without any capture."""
    result = test.cli('trigger', status=FAILED)
    check('No vitrine-cli' in result.err, f'no sentence: {result}')
    capture = Capture(test, '--idle', '--', need('vkcube'), '--c', str(MANY))
    try:
        capture.wait_ready()
        check_equal(test.cli('trigger', '--json').json()['told'], 1, 'captures told')
        capture.wait_traces(1)
        test.cli('trigger', capture.process.pid)
        capture.wait_traces(2)
        test.cli('trigger', '99999999', status=FAILED)
        os.kill(capture.process.pid, signal.SIGINT)
        check_equal(len(capture.wait_end()['traces']), 2, 'traces')
    finally:
        capture.close()
    capture = Capture(test, '--idle', '--', need('vkcube'), '--c', str(MANY))
    try:
        capture.wait_ready()
        os.kill(capture.process.pid, signal.SIGINT)
        capture.wait_end(NO_CAPTURE)
    finally:
        capture.close()
    check('before a capture was started' in capture.errors(), f'no sentence: {capture.errors()}')


def sentences(test):
    """What does not go together, and what never came."""
    test.need_display()
    test.capture(need('vkcube'), '--c', 40, options=['--at-frame', '3', '--every', '9', '--times', '90'],
                 output=test.path('few-%d.gfxtrace'))
    few = len(test.captured.json()['traces'])
    check(f'after {few} of 90 captures' in test.captured.err, f'no sentence: {test.captured}')
    for arguments, word in ((['--at-frame', '3', '--idle'], '--after'),
                            (['--times', '3'], 'several'),
                            (['--at-frame', '3', '--every', '3', '--frames', '4'], 'overlap'),
                            (['--at-frame', '-3'], '--at-frame'),
                            (['--at-frame', '3', '--frames', '0'], '--frames'),
                            (['--at-frame', '-1'], '--at-frame'),
                            (['--after', '-1'], '--after'),
                            (['--frames', '-1'], '--frames'),
                            (['--on-signal=KILL'], 'USR1'),
                            (['--every', '-1'], '--every')):
        result = test.cli('capture', *arguments, '--', app('none'), status=None)
        check_equal(result.status, USAGE, f'status of {arguments}')
        check(word in result.err, f'no sentence about {word}: {result}')
    test.cli('capture', '--wait', '--', 'x', status=USAGE)
    test.need_display()
    trace = test.capture(need('vkcube'), '--c', 30, options=['--at-frame', '2000'],
                         status=NO_CAPTURE)
    check('after 30 frames, before frame 2000' in test.captured.err,
          f'no sentence: {test.captured}')
    check(not os.path.exists(trace) and not os.path.exists(trace + '.part'), 'a file is left')


def size_of(path):
    """0 when it is not there, or not any more."""
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def second_capture(test):
    """A capture by hand whose second trace is being written, and the process that presents."""
    capture = Capture(test, '--idle', '--frames', '400', '--', need('vkcube'), '--c', str(MANY))
    capture.wait_ready()
    test.cli('trigger')
    capture.wait_traces(1)
    test.cli('trigger')
    part = test.path('capture-2.gfxtrace.part')
    whole = test.path('capture-2.gfxtrace')
    # The state before the first frame is most of it; without all of that there is no trace.
    least = os.path.getsize(capture.trace) * 0.8
    wait_until(lambda: os.path.exists(whole) or size_of(part) > least, 'the second trace grows',
               capture.process)
    return capture, capture.traces()[0]['pid']


def check_second(test, capture):
    check_equal(presents(test, capture.trace), 400, 'frames of the first trace')
    second = test.path('capture-2.gfxtrace')
    check(os.path.exists(second), f'the second trace is lost: {capture.errors()}')
    check(presents(test, second) > 0, 'the second trace has no frame')


def killed_program(test):
    """The program is killed over the second capture: both traces are there."""
    capture, pid = second_capture(test)
    try:
        os.kill(pid, signal.SIGKILL)
        capture.wait_end()
    finally:
        capture.close()
    check_second(test, capture)


def killed_host(test):
    """vitrine-cli is killed over the second capture: the next start completes it."""
    capture, pid = second_capture(test)
    try:
        os.kill(capture.process.pid, signal.SIGKILL)
        capture.process.wait()
        check(os.path.exists(f'/proc/{pid}'), 'the program died with vitrine-cli')
        test.cli('recover')
    finally:
        capture.close()
    check_second(test, capture)


def killed_idle_host(test):
    """vitrine-cli is killed while nothing is recorded: nothing is left to complete."""
    capture = Capture(test, '--idle', '--', need('vkcube'), '--c', str(MANY))
    try:
        capture.wait_ready()
        test.cli('trigger')
        capture.wait_traces(1)
        os.kill(capture.process.pid, signal.SIGKILL)
        capture.process.wait()
        check_equal(test.cli('recover', '--json').json(), [], 'what was recovered')
        rings = [name for name in os.listdir(os.path.join(test.runtime, 'vitrine'))
                 if name.endswith('.ring')]
        check_equal(rings, [], 'rings left')
    finally:
        capture.close()
    check_equal(presents(test, capture.trace), 1, 'frames of the trace')


def processes(test):
    """A script starts two programs: a trace each; or only those that are wanted."""
    test.need_display()
    cube = need('vkcube')
    script = f'"{cube}" --c 30 & "{cube}" --c 40; wait'
    test.capture('/bin/sh', '-c', script)
    made = test.captured.json()['traces']
    check_equal(sorted(presents(test, trace['path']) for trace in made), [30, 40], 'frames')
    check_equal(len({trace['path'] for trace in made}), 2, 'paths')

    test.capture('/bin/sh', '-c', script, frames=2, options=['--at-frame', '10'])
    made = test.captured.json()['traces']
    check_equal([trace['first_frame'] for trace in made], [10, 10], 'first frames')

    script = f'"{cube}" --c 5 & "{app("compute")}" --rounds 2; wait'
    test.capture('/bin/sh', '-c', script, options=['--only', 'vkcub*'])
    report = test.captured.json()
    check_equal(len(report['traces']), 1, 'traces of --only')
    check_equal(presents(test, report['traces'][0]['path']), 5, 'frames')
    states = {entry['name']: entry['state'] for entry in report['process_list']}
    check_equal(states, {'vkcube': 'ended', 'vtr-app-compute': 'passed over'}, 'processes')
    test.capture('/bin/sh', '-c', script, options=['--not', 'vkcube', '--not', 'vtr-app-c*'],
                 status=NO_CAPTURE)
    check('vtr-app-compute' in test.captured.err, f'no sentence: {test.captured}')


def left_running(test):
    """Like the daemons that programs start: it stays in the program's group, and never uses Vulkan."""
    test.need_display()
    number = test.path('pid')
    script = f'sleep 900 >/dev/null 2>&1 & echo $! > "{number}"; exec "{need("vkcube")}" --c 5'
    try:
        test.capture('/bin/sh', '-c', script, timeout=60)
        with open(number, encoding='ascii') as file:
            os.kill(int(file.read()), 0)  # left as it was
    finally:
        with open(number, encoding='ascii') as file:
            os.kill(int(file.read()), signal.SIGKILL)
    check_equal(presents(test, test.path('capture.gfxtrace')), 5, 'frames')


def launchers(test):
    """The implicit layer: installed, waiting, without a host, removed."""
    test.need_display()
    cube = [need('vkcube'), '--c', '20']
    check_equal(test.cli('layer', 'status', '--json').json()['state'], 'absent', 'state')
    state = test.cli('layer', 'install', '--json').json()
    check_equal(state['state'], 'installed', 'state')
    check(state['manifest'].startswith(test.dir), f'it went to {state["manifest"]}')
    plain = test.run(cube).check()
    alone = test.run(cube, VITRINE_CAPTURE='1').check()
    check_equal((alone.out, alone.err), (plain.out, plain.err), 'what it prints without a host')

    socket = os.path.join(test.runtime, 'vitrine', 'capture.sock')
    capture = Capture(test, '--wait', '--at-frame', '7', '--only', 'vkcube')
    try:
        wait_until(lambda: os.path.exists(socket), 'it waits', capture.process)
        result = test.cli('capture', '--wait', status=NO_CAPTURE)
        check('already waiting for a program' in result.err, f'no sentence: {result}')
        test.run([app('compute'), '--rounds', '2'], VITRINE_CAPTURE='1').check()
        test.run(cube).check()
        check_equal(capture.lines(), [], 'what came of a program that did not ask for it')
        test.run([cube[0], '--c', '60'], VITRINE_CAPTURE='1').check()
        made = capture.wait_end()['traces']
    finally:
        capture.close()
    check_equal([trace['first_frame'] for trace in made], [7], 'first frames')
    check_trace(test, made[0], 1)
    check(not os.path.exists(socket), 'the socket is left')

    # Started by Vitrine, with the implicit layer about: loaded once.
    test.capture(*cube, frames=3, VITRINE_CAPTURE='1')
    check_equal(presents(test, test.path('capture.gfxtrace')), 3, 'frames')
    check_equal(test.cli('layer', 'remove', '--json').json()['state'], 'absent', 'state')
    check(not os.path.exists(state['manifest']), 'the manifest is left')


harness.main(at_frame, pictures, again, after, on_signal, prepared, few_frames_ahead, seldom, by_hand, sentences, killed_program,
             killed_host, killed_idle_host, processes, left_running, launchers)
