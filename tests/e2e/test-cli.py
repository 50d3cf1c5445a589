#!/usr/bin/env python3
"""The command line: exit statuses, interruption, image files, languages."""

import json
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess

import harness
from trigger import wait_until
from harness import BUILD, CLI, Frame, Png, app, check, check_equal, need

CUBE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data', 'vkcube.gfxtrace')
SAMPLE = os.environ.get('VITRINE_SAMPLE_TRACE', '')
USAGE, NO_TRACE, NO_ANSWER, FAULTS, INTERRUPTED = 2, 3, 6, 7, 130


def statuses(test):
    """A wrong path, filter or option is a wrong command line; what has no answer is another thing."""
    picture = test.path('x.png')
    for arguments in (['get', CUBE, 'nonsense'], ['get', CUBE, 'commands/99999999'],
                      ['get', CUBE, 'commands/3/nothing'], ['commands', CUBE, '--filter', 'foo:bar'],
                      ['commands', CUBE, '--filter', 'name:('], ['commands', CUBE, '--from', 'x'],
                      ['screenshot', CUBE, '--frame', '99', '-o', picture],
                      ['screenshot', CUBE, '--path', 'nothing', '-o', picture],
                      ['timings', CUBE, '--frame', '99'], ['timings', CUBE, '--by', 'hour'],
                      ['shaders', CUBE, '--at', '99999999'], ['replay', CUBE, '--to', '-1']):
        result = test.cli(*arguments, status=USAGE)
        check(result.err.strip().endswith(('.', ')')), f'no sentence: {result}')
    test.cli('get', test.path('none.gfxtrace'), 'info', status=NO_TRACE)
    first = next(c['index'] for c in test.commands(CUBE) if c['name'] == 'vkCreateDevice')
    test.cli('screenshot', CUBE, '--at', str(first), '-o', picture, status=NO_ANSWER)
    test.cli('report', CUBE)


def faults(test):
    """`report` ends with 7 where it lists errors."""
    trace = test.capture(app('wrong'))
    for options in ([], ['--json']):
        result = test.cli('report', '--replay', trace, *options, status=FAULTS, timeout=120)
        check('error' in result.out, f'no error is listed: {result}')


def start(test, *arguments):
    """In a process group of its own, as a shell starts it."""
    return harness.start([CLI, *arguments], test.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def interrupted_timings(test):
    """Ctrl+C reaches the whole process group, and ends the measurement with its table."""
    for number, options in ((signal.SIGINT, []), (signal.SIGTERM, []), (signal.SIGINT, ['--json'])):
        process = start(test, 'timings', CUBE, '--frame', '1', '--until-interrupted', *options)
        try:
            line = process.stderr.readline().decode()
            check('loops' in line, f'no measurement: {line}')
            os.killpg(process.pid, number)
            out, err = process.communicate(timeout=60)
        finally:
            harness.end_group(process)
        check_equal(process.returncode, 0, f'status after {number.name}: {err.decode()}')
        if options:
            check(json.loads(out)['loops'] >= 1, 'no loop in the JSON')
        else:
            check('Frame 1 on' in out.decode() and 'vkCmdDraw' in out.decode(), out.decode())


def interrupted_verbs(test):
    """Other verbs end with 130 and one sentence, whoever of the group died first."""
    trace = test.capture(app('load'), '--draws', '400', '--frames', '200', timeout=120)
    for arguments in (['replay', trace], ['screenshot', trace, '--at', '320000', '-o', test.path('x.png')],
                      ['timings', trace, '--loops', '1000']):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = start(test, *arguments)
            try:
                wait_until(lambda: harness.children(process.pid), 'the replayer runs')
                os.killpg(process.pid, number)
                out, err = process.communicate(timeout=90)
            finally:
                harness.end_group(process)
            check_equal(process.returncode, INTERRUPTED, f'{arguments[0]}, {number.name}: {err}')
            check_equal(err.decode().strip(), 'vitrine-cli: Interrupted.', f'words of {arguments[0]}')


def frames(test):
    """`replay` counts the frames that it replayed, whether or not it writes images."""
    presents = [c['index'] for c in test.commands(CUBE) if c['name'] == 'vkQueuePresentKHR']
    whole = test.info(CUBE)['frames']
    check(len(presents) >= 2, 'the trace presents')
    report = test.replay(CUBE).json()
    check_equal((report['frames'], report['images']), (whole, 0), 'frames and images')
    check_equal(test.replay(CUBE, '--to', str(presents[0])).json()['frames'], 1, 'up to the first present')
    check_equal(test.replay(CUBE, '--to', str(presents[1] - 1)).json()['frames'], 1, 'before the second')
    said = test.cli('replay', CUBE).out
    check(f'{whole} frames' in said, said)
    folder = test.folder('frames')
    report = test.replay(CUBE, '--frames-dir', folder).json()
    check_equal((report['frames'], report['images']), (whole, len(presents)), 'with images')
    check_equal(len(harness.frame_names(folder)), len(presents), 'files')
    pictures = test.folder('pictures')
    test.cli('replay', CUBE, '--frames-dir', pictures, '--frames-type', 'png')
    for number in range(len(presents)):
        check_equal(Png(os.path.join(pictures, f'frame-{number:06}.png')).rgb(),
                    Frame.read(harness.frame_path(folder, number)).rgb(), f'frame {number}')
    test.cli('replay', CUBE, '--frames-dir', pictures, '--frames-type', 'gif', status=USAGE)


def sample_counts(test):
    """What the initial commands submit is not the program's."""
    if not os.path.exists(SAMPLE):
        raise harness.Skip('the sample of GAPID is not here')
    submits = [c for c in test.commands(SAMPLE) if c['name'] == 'vkQueueSubmit']
    info = test.info(SAMPLE)
    check_equal(info['submits'], len(submits), 'submits')
    got = json.loads(test.cli('get', SAMPLE, 'info').out)
    check_equal((got['submits'], got['draws']), (info['submits'], info['draws']), 'the path “info”')
    count = json.loads(test.cli('get', SAMPLE, 'submits').out)['count']
    check_equal(count, len(submits), 'the path “submits”')
    first = json.loads(test.cli('get', SAMPLE, 'submits/0').out)
    check_equal(first['command'], submits[0]['index'], 'the first submission')


def files(test):
    """Suffixes choose the format, and those that cannot be written are refused."""
    for name in ('x.jpg', 'x.exr', 'x.dds', 'x.bmp'):
        result = test.cli('screenshot', CUBE, '--frame', '1', '-o', test.path(name), status=USAGE)
        check('.png' in result.err and '.ktx2' in result.err, f'no help: {result.err}')
        check(not os.path.exists(test.path(name)), f'{name} was written')
    test.cli('info', CUBE, '--thumbnail', test.path('x.jpg'), status=USAGE)
    said = test.cli('screenshot', CUBE, '--frame', '1', '--json', '-o', test.path('x.ktx2'), '--raw',
                    test.path('texels')).json()
    exact, plain = Frame.read(test.path('x.ktx2')), Frame.read_raw(said)
    check_equal(exact.describe_difference(plain), None, 'KTX2 and plain rows')
    check_equal(said['stride'] * said['height'], said['bytes'], 'rows')
    test.cli('screenshot', CUBE, '--frame', '1', '-o', test.path('x.raw'))
    with open(test.path('x.raw'), 'rb') as file:
        check_equal(file.read(), plain.data, 'the .raw file')
    test.cli('screenshot', CUBE, '--frame', '1', '-o', test.path('x.png'))
    check_equal(Png(test.path('x.png')).rgb(), exact.rgb(), 'the PNG')
    test.cli('screenshot', CUBE, '--frame', '1', '-o', test.path('x.pfm'))
    with open(test.path('x.pfm'), 'rb') as file:
        header = f'PF\n{exact.width} {exact.height}\n-1.0\n'.encode()
        check_equal(file.read(len(header)), header, 'PFM')
        row = struct.unpack(f'<{exact.width * 3}f', file.read(exact.width * 12))
    last = exact.rgb()[-exact.width * 3:]
    check(all(abs(value * 255 - byte) < 0.01 for value, byte in zip(row, last)), 'the last row')


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def piped(test, *arguments):
    """What it writes to a pipe."""
    process = harness.start([CLI, *arguments], test.env, cwd=test.dir, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=120)
    check_equal((process.returncode, err), (0, b''), arguments)
    return out


def standard_output(test):
    """“-” is standard output for bytes of one kind, and never a file of that name."""
    picture = ['screenshot', CUBE, '--frame', '1']
    test.cli(*picture, '-o', test.path('x.png'), '--raw', test.path('x.raw'))
    check_equal(piped(test, *picture, '-o', '-'), read(test.path('x.png')), 'the PNG')
    check_equal(piped(test, *picture, '--raw', '-'), read(test.path('x.raw')), 'the texels')
    draw = next(c['index'] for c in test.commands(CUBE) if c['name'].startswith('vkCmdDraw'))
    uniforms = test.cli('get', '--json', CUBE, f'commands/{draw}/memory').json()[0]
    question = ['get', CUBE, uniforms['path'], '--raw', '-o']
    test.cli(*question, test.path('x.bin'))
    check_equal(piped(test, *question, '-'), read(test.path('x.bin')), 'memory')
    check_refusals(test, picture)
    reader, writer = os.pipe()
    os.close(reader)
    process = harness.start([CLI, *picture, '-o', '-'], test.env, cwd=test.dir, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    check_equal((process.wait(120), process.stderr.read()), (0, b''), 'nobody reads it')
    check(not os.path.exists(test.path('-')), 'there is a file “-”')
    test.cli(*picture, '-o', './-')
    check_equal(read(test.path('-')), read(test.path('x.png')), 'a file of the name “-”')


def check_refusals(test, picture):
    trace = picture[1]
    for arguments in ([*picture, '-o', '-', '--json'], [*picture, '-o', '-', '--raw', '-'],
                      ['screenshot', trace, '--path', 'frames/0', '--path', 'frames/1', '-o', '-'],
                      ['trim', trace, '-o', '-'], ['capture', '-o', '-', '--', '/bin/true'],
                      ['info', trace, '--thumbnail', '-'], ['shaders', trace, '--export', '-'],
                      ['replay', trace, '--frames-dir', '-'], ['replay', trace, '--read-memory', '0x1:-']):
        result = test.cli(*arguments, status=USAGE)
        check('standard output' in result.err and result.err.strip().endswith('.') and result.out == '',
              f'{arguments}: {result}')
    leader, terminal = os.openpty()
    process = harness.start([CLI, *picture, '-o', '-'], test.env, cwd=test.dir, stdout=terminal,
                            stderr=subprocess.PIPE)
    err = process.communicate(timeout=60)[1].decode()
    os.close(terminal)
    os.close(leader)
    check(process.returncode == USAGE and 'terminal' in err, f'on a terminal: {process.returncode} {err}')


def last_frame(test):
    """The last frame's picture is that of its present, also where the program destroys everything after it."""
    present = [c['index'] for c in test.commands(CUBE) if c['name'] == 'vkQueuePresentKHR'][-1]
    test.cli('screenshot', CUBE, '--at', str(present), '-o', test.path('present.png'))
    for options in ([], ['--frame', '2'], ['--attachment', 'color0']):
        test.cli('screenshot', CUBE, *options, '-o', test.path('x.png'))
        check_equal(read(test.path('x.png')), read(test.path('present.png')), options)


def ranges(test):
    """Float images say which values became black and white; integers are not saturated."""
    trace = test.capture(app('draws'))
    draw = str([c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')][-1])
    test.cli('screenshot', trace, '--at', draw, '--attachment', 'depth', '-o', test.path('depth.png'))
    depth = Png(test.path('depth.png'))
    check_equal((depth.bits, depth.channels), (16, 1), 'depth as PNG')
    said = test.cli('screenshot', trace, '--at', draw, '--attachment', 'stencil', '-o',
                    test.path('stencil.png'))
    raw = Frame.read_raw(test.cli('screenshot', trace, '--at', draw, '--attachment', 'stencil', '--json',
                                  '--raw', test.path('stencil.raw')).json()).data
    most = max(raw)
    check(most > 1, f'the stencil has only {set(raw)}')
    check(f'0 to {most}' in said.err, f'the range is not told: {said}')
    check_equal(Png(test.path('stencil.png')).data,
                bytes(int(value * 255 / most + 0.5) for value in raw), 'stencil as PNG')


def unwritten(test):
    """An image before its first write has no picture, which is no failure of the replay."""
    trace = test.capture(app('draws'))
    calls = test.commands(trace)
    bound = max(c['index'] for c in calls if c['name'].startswith('vkBindImageMemory'))
    asked = 0
    for texture in test.cli('get', '--json', trace, 'textures').json():
        if texture['swapchain'] or texture['uses']['firstWrite'] is None:
            continue
        result = test.cli('screenshot', trace, '--path',
                          f'commands/{bound}/images/{texture["object"]["object"]}', '-o',
                          test.path('x.png'), status=NO_ANSWER)
        check('Nothing has been written to this image yet.' in result.err, f'{result}')
        asked += 1
    check(asked > 0, 'no texture is ever written to')


def clears(test):
    """What load operations clear was written to."""
    trace = test.capture(app('draws'))
    begins = [f'commands/{c["index"]}' for c in test.commands(trace)
              if c['name'].startswith('vkCmdBegin') and 'Render' in c['name']]
    textures = test.cli('get', '--json', trace, 'textures').json()
    cleared = [t for t in textures if t['uses']['clears'] > 0]
    check(len(cleared) >= 2, f'images that are cleared: {cleared}')
    for texture in cleared:
        check(texture['uses']['firstWrite'] in begins,
              f'{texture["name"]} is written first by {texture["uses"]["firstWrite"]}, not by {begins}')
    used = test.cli('get', '--json', trace, f'{begins[0]}/textures').json()
    check(any('write' in t['usedHere'] for t in used), f'the pass writes nothing: {used}')


def german(test):
    """The programs of the build folder speak the language of whoever starts them."""
    meson = shutil.which('meson')
    if meson is None:
        raise harness.Skip('meson is not installed')
    folder = test.folder('locales')
    test.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', os.path.join(folder, 'de_DE.UTF-8')], timeout=240)
    said = test.run([meson, 'devenv', '-C', BUILD, CLI, '--help'], LOCPATH=folder,
                    LC_ALL='de_DE.UTF-8', LANGUAGE='de').out
    check('Nimmt' in said or 'Aufruf' in said, f'it does not speak German: {said[:300]}')


def numbers_of(test, trace):
    """What the guide's page calls by the numbers of a trace on lavapipe, as its text says: how many calls come before
    depends on the machine, and which image of the swapchain is used, too."""
    commands = test.commands(trace)
    draws = [c['index'] for c in commands if c['name'] == 'vkCmdDraw']
    # An image that is never acquired has a draw that never runs.
    draw = next(d for d in draws if test.cli('get', '--json', trace, f'commands/{d}/runs').json())
    memory = test.cli('get', '--json', trace, f'commands/{draw}/memory').json()
    buffer = next(m for m in memory if m['object']['type'] == 'VkBuffer')
    image = next(m for m in memory if m['label'].startswith('image'))
    shader = next(s for s in test.cli('get', '--json', trace, 'shaders').json() if s['stages'] == ['fragment'])
    found = {'104': draw, '113': next(d for d in draws if d != draw),
             '46': next(c['index'] for c in commands if c['name'] == 'vkCreateImage'),
             '28': buffer['object']['object'], '29': buffer['pool'], '24': image['object']['object'],
             '38': shader['object']['object'],
             '4': test.cli('get', '--json', trace, 'objects/VkDevice').json()[0]['object']}
    return {name: str(number) for name, number in found.items()}


def guide(test):
    """The commands of the README and of the guide's page work as they stand, from recording the trace on."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    lines = []
    for page in ('README.md', 'docs/guide/command-line.md'):
        with open(os.path.join(root, page), encoding='utf-8') as file:
            lines += [line.strip() for line in file if line.startswith('    vitrine-cli ')]
    check(len(lines) >= 30 and ' capture ' in lines[0], f'not what the pages had: {lines}')
    need('vkcube')
    test.need_display()
    with open(test.path('new.frag'), 'w', encoding='utf-8') as file:
        file.write('#version 450\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n')
    test.cli(*shlex.split(lines[0], comments=True)[1:], timeout=120)
    numbers = numbers_of(test, test.path('cube.gfxtrace'))
    for line in lines[1:]:
        words = [re.sub(r'(?<![\w.])(104|113|46|28|24|29|38|(?<=devices/)4)(?!\w)', lambda m: numbers[m[0]], word)
                 for word in shlex.split(line, comments=True)[1:]]
        # A device that only some readers have.
        status = 5 if 'nvidia' in words else 0
        result = test.cli(*words, status=status, timeout=120)
        check(status != 0 or result.out or '-o' in words or '--export' in words, f'nothing came of {line}')


if __name__ == '__main__':
    harness.main(statuses, faults, interrupted_timings, interrupted_verbs, frames, sample_counts, files,
                 standard_output, last_frame, ranges, unwritten, clears, german, guide)
