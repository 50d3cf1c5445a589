#!/usr/bin/env python3
"""Every error has a message and an exit status."""

import os
import random
import signal
import time

import harness
from harness import CLI, app, check, check_equal

USAGE, NO_TRACE, NO_CAPTURE, NO_REPLAY, NO_ANSWER = 2, 3, 4, 5, 6


def check_sentence(result, *statuses):
    """A status of those given and one sentence for people, not a crash or an assertion."""
    check(result.status in statuses, f'expected status {statuses} of {result}')
    lines = [line for line in result.err.splitlines() if line.startswith('vitrine-cli: ')]
    check(lines, f'no sentence from {result}')
    for word in ('CRITICAL', 'WARNING', 'ERROR **', 'Assert', 'Sanitizer'):
        check(word not in result.err, f'{word} from {result}')
    sentence = lines[-1][len('vitrine-cli: '):]
    check(sentence[:1].isupper() or sentence[:1] in '“/"\'' or '/' in sentence.split(' ')[0],
          f'not a sentence: {sentence}')
    check(len(sentence.split()) >= 3, f'not a sentence: {sentence}')
    return sentence


def write(test, name, data):
    path = test.path(name)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def unreadable_files(test):
    """Not one of these is a trace."""
    huge = test.path('huge.gfxtrace')
    with open(huge, 'wb') as file:
        file.truncate(1 << 36)
    huge_vitrine = write(test, 'huge2.gfxtrace',
                         b'\x50\x2a\x4d\x18\xff\xff\xff\xffVITRINE\0' + bytes(64))
    with open(CLI, 'rb') as file:
        program = file.read(1 << 20)
    paths = [
        write(test, 'empty.gfxtrace', b''),
        write(test, 'byte.gfxtrace', b'P'),
        write(test, 'text.gfxtrace', b'This is no trace.\n' * 100),
        write(test, 'program.gfxtrace', program),
        write(test, 'zeros.gfxtrace', bytes(100000)),
        write(test, 'proto.gfxtrace', b'protopack\r\n2.0\n\0'),
        write(test, 'zstd.gfxtrace', b'\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00'),
        write(test, 'skippable.gfxtrace', b'\x50\x2a\x4d\x18\xff\xff\xff\x7fVITRINE\0'),
        huge, huge_vitrine,
        test.folder('folder.gfxtrace'),
        test.path('missing.gfxtrace'),
    ]
    for path in paths:
        for verb in (['info', path], ['commands', path], ['replay', path],
                     ['get', path, 'commands/0'],
                     ['screenshot', path, '--frame', '0', '-o', test.path('x.png')]):
            check_sentence(test.cli(*verb, status=None, timeout=20), NO_TRACE)


def truncated_files(test):
    """A trace cut anywhere opens with what is whole, and says so, or is declined."""
    trace = test.capture(app('load'), '--draws', 2000, '--frames', 6)
    n_commands = test.info(trace)['commands']
    with open(trace, 'rb') as file:
        data = file.read()
    opened = 0
    previous = 0
    for part in (0.001, 0.05, 0.2, 0.5, 0.8, 0.95, 0.999):
        size = int(len(data) * part)
        result = test.cli('info', '--json', write(test, 'cut.gfxtrace', data[:size]), status=None)
        if result.status != 0:
            check_sentence(result, NO_TRACE)
            continue
        opened += 1
        info = result.json()
        # Without its last bytes alone, a trace is still whole.
        check(info['commands'] == n_commands or (info['truncated'] and info['warning']),
              f'{size} bytes: no warning: {info}')
        check(previous <= info['commands'] <= n_commands, f'{size} bytes: {info["commands"]}')
        previous = info['commands']
        replay = test.replay(test.path('cut.gfxtrace'), status=None)
        check(replay.status in (0, NO_REPLAY), f'{size} bytes: {replay}')
    check(opened >= 3, f'only {opened} cut traces opened')


def damaged_files(test):
    """Changed bytes never crash a reader."""
    trace = test.capture(app('compute'), '--rounds', 5)
    with open(trace, 'rb') as file:
        data = file.read()
    source = random.Random(1)
    for _ in range(15):
        changed = bytearray(data)
        for _ in range(source.randrange(1, 8)):
            changed[source.randrange(len(changed))] = source.randrange(256)
        path = write(test, 'damaged.gfxtrace', bytes(changed))
        for verb in (['info', path], ['commands', '--json', path], ['replay', path]):
            result = test.cli(*verb, status=None, timeout=30)
            if result.status != 0:
                check_sentence(result, 1, NO_TRACE, NO_REPLAY)


def programs(test):
    def capture(*program, **env):
        return test.cli('capture', '-o', test.path('none.gfxtrace'), '--', *program, status=None,
                        timeout=30, **env)

    check_sentence(capture('/nonexistent/program'), NO_CAPTURE)
    check_sentence(capture('no-such-program-anywhere'), NO_CAPTURE)
    plain = write(test, 'plain', b'#!/bin/sh\nexit 0\n')
    check_sentence(capture(plain), NO_CAPTURE)  # lacks the permission, also for root
    check_sentence(capture(test.folder('folder')), NO_CAPTURE)
    garbage = write(test, 'garbage', b'\x7fELF garbage')
    os.chmod(garbage, 0o755)
    check_sentence(capture(garbage), NO_CAPTURE)
    sentence = check_sentence(capture(app('none')), NO_CAPTURE)
    check('Vulkan' in sentence, f'does not say that the program does not use Vulkan: {sentence}')
    check_sentence(capture(app('compute'), VK_ICD_FILENAMES='/nonexistent.json'), NO_CAPTURE, 0)
    check_sentence(test.cli('capture', status=None), USAGE)
    check_sentence(test.cli('capture', '--frames', 'x', '--', 'true', status=None), USAGE)
    check_sentence(test.cli('no-such-verb', status=None), USAGE)
    check_sentence(test.cli('info', status=None), USAGE)


def program_that_exits_at_once(test):
    trace = test.capture(app('exit'))
    check(any(c['name'] == 'vkCreateInstance' for c in test.commands(trace)),
          'vkCreateInstance is not in the trace')
    check(test.replay(trace).json()['ok'], 'the replay failed')


def programs_that_fork(test):
    for options in ([], ['--inside'], ['--child']):
        trace = test.capture(app('fork'), *options)
        names = [c['name'] for c in test.commands(trace)]
        check('vkCmdFillBuffer' in names, f'{options}: the fill is not in the trace: {names}')
        check(test.replay(trace).json()['ok'], f'{options}: the replay failed')
    trace = test.capture(app('fork'), '--idle', '--exec', app('exit'))
    check(any(c['name'] == 'vkCreateInstance' for c in test.commands(trace)), 'the child is missing')
    trace = test.capture(app('spawn'), app('compute'), '--rounds', 2)
    check_equal(test.info(trace)['dispatches'], 4, 'dispatches behind a launcher')


def is_alive(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii') as file:
            return file.read().rpartition(')')[2].split()[0] not in 'XZ'
    except FileNotFoundError:
        return False


def programs_of_other_sessions(test):
    """A launcher that has ended when what it started in a session of its own uses Vulkan; and that
    program ends with the capture like one that did not leave, or goes on where that is asked for."""
    trace = test.capture('sh', '-c', '(sleep 0.3; setsid "$0" --rounds 2) & exit 0', app('compute'))
    check_equal(test.info(trace)['dispatches'], 4, 'dispatches behind a launcher that has ended')

    test.need_display()
    pid_file = test.path('pid')
    for options, lives in (([], False), (['--keep-running'], True)):
        trace = test.capture('sh', '-c', 'setsid sh -c "$0" > /dev/null 2>&1 & exit 0',
                             f'echo $$ > {pid_file}; exec vkcube', frames=3, options=options)
        check_equal(test.info(trace)['frames'], 3, f'frames {options}')
        with open(pid_file, encoding='ascii') as file:
            pid = int(file.read())
        alive = is_alive(pid)
        if alive:
            os.kill(pid, signal.SIGKILL)
        check_equal(alive, lives, f'whether the program goes on {options}')


def programs_that_follow_each_other(test):
    """Each gets a trace, also those with the same number; and a frame that the first does not live to see
    is captured from the one that does."""
    test.capture(app('fork'), '--again', 2)
    traces = [test.path(name) for name in os.listdir(test.dir) if name.endswith('.gfxtrace')]
    check_equal(len(traces), 3, f'traces {traces}')
    for trace in traces:
        names = [c['name'] for c in test.commands(trace)]
        check_equal(names.count('vkCmdFillBuffer'), 1, f'fills in {trace}')

    test.need_display()
    trace = test.capture('sh', '-c', 'vkcube --c 4; exec vkcube', frames=2, output=test.path('late.gfxtrace'),
                         options=['--at-frame', 8])
    check_equal(test.info(trace)['frames'], 2, 'frames of the one that lived to see them')


def programs_with_own_folders(test):
    """A sandbox in which the capture's socket has no path."""
    trace = test.capture(*mounting(test), 'sh', '-c', 'mount -t tmpfs tmpfs "$0" && exec "$@"',
                         test.runtime, app('compute'), '--rounds', 2)
    check_equal(test.info(trace)['dispatches'], 4, 'dispatches in a sandbox')


def no_driver(test):
    trace = test.capture(app('compute'), '--rounds', 2)
    result = test.replay(trace, status=None, VK_ICD_FILENAMES='/nonexistent.json')
    check_sentence(result, NO_REPLAY)
    check('error' in result.json(), f'no error in the report: {result}')


def no_replayer(test):
    trace = test.capture(app('compute'), '--rounds', 2)
    check_sentence(test.replay(trace, status=None, VITRINE_REPLAYER='/nonexistent/replayer'),
                   NO_REPLAY)
    check_sentence(test.replay(trace, status=None, VITRINE_REPLAYER='/bin/false'), NO_REPLAY)


def no_layer(test):
    check_sentence(test.cli('capture', '-o', test.path('x.gfxtrace'), '--', app('compute'),
                            VITRINE_LAYER_DIR=test.folder('no-layer'), status=None, timeout=30),
                   NO_CAPTURE)


def mounting(test):
    """How to get a mount namespace; some containers allow neither a user's nor the administrator's."""
    for options in ('-rm', '-m'):
        if test.run(['unshare', options, 'true']).status == 0:
            return ['unshare', options]
    raise harness.Skip('no file system can be mounted here')


def limited(test, place, size, *arguments):
    """Runs vitrine-cli with a file system of `size` bytes mounted on `place`, in a mount namespace
    of its own."""
    os.makedirs(place, exist_ok=True)
    return test.run([*mounting(test), 'sh', '-c',
                     f'mount -t tmpfs -o size={size},mode=700 tmpfs "$1" && shift && exec "$@"', 'sh',
                     place, CLI, *arguments])


def no_space(test):
    """The disk fills up: the recording ends with a sentence, the program goes on to its end."""
    mounting(test)
    place = test.path('small')
    live = test.path('live.bin')
    reference = test.path('reference.bin')
    load = [app('load'), '--draws', 20000, '--frames', 12, '--visible', '--mapped', 256]
    test.run([*load, '--output', reference]).check()
    result = limited(test, place, 65536, 'capture', '-o', os.path.join(place, 'full.gfxtrace'),
                     '--', *map(str, load), '--output', live)
    sentence = check_sentence(result, 0, 1, NO_CAPTURE)
    check('space' in sentence.lower() or 'large' in sentence.lower() or 'full' in sentence.lower(),
          f'does not name the reason: {sentence}')
    size = os.path.getsize(reference)
    end = time.monotonic() + 20 * harness.PATIENCE
    while ((not os.path.exists(live) or os.path.getsize(live) < size) and
           time.monotonic() < end):
        time.sleep(0.05)
    check(os.path.exists(live), 'the program did not go on to its end')
    with open(live, 'rb') as a, open(reference, 'rb') as b:
        check(a.read() == b.read(), 'the program drew something else')


def no_space_for_the_ring(test):
    result = limited(test, test.runtime, 65536, 'capture', '-o', test.path('ring.gfxtrace'), '--',
                     app('compute'), '--rounds', '2')
    check_sentence(result, 0, 1, NO_CAPTURE)


def short_files(test):
    """Files may only be so long (ulimit -f): sentences instead of an end by signal, and the program that
    is captured is not touched."""
    trace = test.capture(app('draws'))
    draw = next(c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDraw')

    def run(blocks, *arguments, output='/dev/null'):
        return test.run(['bash', '-c', f'ulimit -f {blocks}; out=$1; shift; exec "$@" > "$out"', 'sh',
                         output, CLI, *map(str, arguments)])

    for result in (run(8, 'capture', '-o', test.path('short.gfxtrace'), '--', app('compute'),
                       '--rounds', '2'),
                   run(0, 'screenshot', '--at', draw, '-o', test.path('short.png'), trace),
                   run(1, 'trim', '-o', test.path('trimmed.gfxtrace'), trace)):
        check_sentence(result, 1, NO_CAPTURE, NO_REPLAY, NO_ANSWER)
    for output, blocks in ((test.path('commands.txt'), 8), ('/dev/full', 'unlimited')):
        result = run(blocks, 'commands', trace, output=output)
        check_equal(result.status, 1, 'status')
        check('no space' in result.err, f'no sentence: {result}')
    # Who has seen enough is no failure.
    result = test.run(['bash', '-c', '"$1" commands "$2" | head -1', 'sh', CLI, trace])
    check_equal((result.status, 'vitrine-cli' in result.err), (0, False), 'a complaint of head')


def unwritable_output(test):
    for path in ('/nonexistent/folder/x.gfxtrace', '/proc/x.gfxtrace', test.folder('folder')):
        check_sentence(test.cli('capture', '-o', path, '--', app('compute'), '--rounds', '1',
                                status=None, timeout=30), 1, NO_CAPTURE)
    trace = test.capture(app('draws'))
    draw = next(c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDraw')
    check_sentence(test.cli('screenshot', trace, '--at', str(draw), '-o', '/nonexistent/x.png',
                            status=None), 1)


def questions_without_answer(test):
    trace = test.capture(app('draws'))
    n_commands = test.info(trace)['commands']
    out = test.path('x.png')
    for arguments in (['screenshot', trace, '--at', str(n_commands), '-o', out],
                      ['screenshot', trace, '--at', '0', '-o', out],
                      ['screenshot', trace, '--frame', '99', '-o', out],
                      ['get', trace, f'commands/{n_commands}'],
                      ['get', trace, 'nothing/of/the/kind'],
                      ['get', trace, 'commands/0/parameters/pNothing']):
        check_sentence(test.cli(*arguments, status=None), USAGE, NO_ANSWER)
    for arguments in (['screenshot', trace, '--at', '1', '--frame', '0', '-o', out],
                      ['screenshot', trace, '--at', '1'],
                      ['screenshot', trace, '--at', '1', '-o', out, '--attachment', 'purple']):
        check_sentence(test.cli(*arguments, status=None), USAGE)


def given_twice(test):
    """Options that take one value are not given two of which one would be dropped without a word; no trace
    is opened for that. Those that collect may be given again."""
    trace = test.path('missing.gfxtrace')
    for verb in ('capture', 'trigger', 'info', 'commands', 'get', 'shaders', 'timings', 'trim',
                 'screenshot', 'report', 'replay', 'recover', 'devices', 'layer'):
        listed = test.cli(verb, '--help').out
        for line in listed.splitlines():
            words = line.split()
            option = next((word for word in words[:2] if word.startswith('--')), '')
            name, equals, _value = option.partition('=')
            if not equals:
                continue
            repeated = test.cli(verb, name, '1', name, '1', trace, status=None)
            if name in ('--only', '--not', '--env', '--disable', '--replace-shader', '--path',
                        '--read-memory', '--pass-extension'):
                check('only once' not in repeated.err, f'{verb} {name}: {repeated}')
                continue
            check(name in check_sentence(repeated, USAGE), f'{verb} {name}: {repeated}')
            check('only once' in repeated.err, f'{verb} {name}: {repeated}')
    for options in (['-o', 'a', '--output=b'], ['-oa', '-o', 'b'], ['-qo', 'a', '-qob']):
        check_sentence(test.cli('capture', *options, '--', 'true', status=None), USAGE)
    # What belongs to the program is the program's.
    check_sentence(test.cli('capture', '-o', test.path('x.gfxtrace'), '--', 'true', '-o', '1', '-o',
                            '2', status=None, timeout=30), NO_CAPTURE)
    check_sentence(test.replay(trace, '--read-memory', '0x1:a', '--read-memory', '0x2:a',
                               status=None), USAGE)


harness.main(given_twice, unreadable_files, truncated_files, damaged_files, programs,
             program_that_exits_at_once, programs_that_fork, programs_of_other_sessions,
             programs_that_follow_each_other, programs_with_own_folders, no_driver, no_replayer, no_layer, no_space,
             no_space_for_the_ring, short_files, unwritable_output, questions_without_answer)
