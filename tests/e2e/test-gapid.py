#!/usr/bin/env python3
"""Files of Google's tools: a real one from the middle of a run, made ones from launch, broken ones."""

import json
import os

import gapid
import harness
from harness import Frame, app, check, check_equal

SAMPLE = os.environ.get('VITRINE_SAMPLE_TRACE', '')


def need_sample():
    if not os.path.exists(SAMPLE):
        raise harness.Skip('VITRINE_SAMPLE_TRACE names no file')


def texels(frame, x, y):
    at = 4 * (y * frame.width + x)
    return tuple(frame.data[at:at + 3])


def check_cube(frame, what):
    """Cyan and grey in the middle, black around."""
    check_equal((frame.width, frame.height), (1024, 768), f'size of {what}')
    for x, y in ((0, 0), (1023, 0), (0, 767), (1023, 767), (300, 384), (512, 200)):
        check_equal(texels(frame, x, y), (0, 0, 0), f'{what} at {x}, {y}')
    colors = {texels(frame, x, y) for x in range(440, 585) for y in range(315, 460)}
    check(len(colors) > 30, f'{what} has {len(colors)} colours in the middle: no texture')
    blue, green, red = texels(frame, 530, 370)
    check(blue > 200 and green > 180 and red < 80, f'{what} is not cyan in the middle')


def sample_frames(test):
    """Both frames of GAPID's sample, the same over poisoned memory."""
    need_sample()
    seen = []
    for options in ([], ['--poison']):
        folder = test.folder('frames' + ''.join(options))
        test.cli('replay', SAMPLE, '--frames-dir', folder, *options)
        names = harness.frame_names(folder)
        check_equal(len(names), 2, 'frames')
        seen.append([Frame.read(os.path.join(folder, name)) for name in names])
    for i in range(2):
        check_cube(seen[0][i], f'frame {i}')
        check_equal(seen[0][i].data, seen[1][i].data, f'frame {i} over poison')
    check(seen[0][0].data != seen[0][1].data, 'the cube does not turn')


def sample_draws(test):
    """What each draw changes, and its depth."""
    need_sample()
    for begin, draw, frame in ((11, 16, 0), (32, 37, 1)):
        pictures = []
        for at in (['--at', begin], ['--at', draw], ['--frame', frame]):
            path = test.path('shot.ktx2')
            test.cli('screenshot', SAMPLE, *at, '-o', path)
            pictures.append(Frame.read(path))
        check(not any(pictures[0].data[i] for i in range(len(pictures[0].data)) if i % 4 != 3),
              'something is drawn before the draw')
        check_cube(pictures[1], f'draw {draw}')
        check_equal(pictures[1].data, pictures[2].data, f'draw {draw} and frame {frame}')


def sample_paths(test):
    """Numbers and paths of a trace that begins in the middle."""
    need_sample()
    info = test.info(SAMPLE)
    check_equal((info['commands'], info['frames'], info['draws']), (42, 2, 2), 'counts')
    check(info['initial_commands'] > 60, 'few initial commands')
    check_equal(info['warning'], None, 'warning')
    first = json.loads(test.cli('get', SAMPLE, 'commands/0').out)
    check_equal((first['index'], first['name']), (0, 'vkAcquireNextImageKHR'), 'first command')
    made = json.loads(test.cli('get', SAMPLE, 'initial/0').out)
    check_equal((made['index'], made['name']), ('initial/0', 'vkCreateInstance'), 'initial/0')
    check('initial' in made['flags'], 'initial/0 is not flagged')
    extent = json.loads(test.cli(
        'get', SAMPLE, 'commands/11/parameters/pRenderPassBegin/renderArea/extent').out)
    check_equal(extent, {'width': 1024, 'height': 768}, 'render area')
    lines = test.cli('commands', SAMPLE, '--initial').out.splitlines()
    check_equal(len(lines), info['initial_commands'], 'lines of --initial')
    check(lines[0].startswith('initial/0  vkCreateInstance'), lines[0])
    test.cli('get', SAMPLE, 'commands/42', status=None)


def plain(test, *program, frames=None):
    """A capture, decompressed, and the folder of what the program showed."""
    folder = test.folder('witness')
    trace = test.capture(*program, frames=frames, witness=folder)
    path = test.path('plain.pack')
    test.run(['zstd', '-d', '-q', '-f', trace, '-o', path]).check()
    with open(path, 'rb') as file:
        return file.read(), folder, trace


def launched(version, **how):
    """A phone's trace from launch replays to what the program showed."""
    def body(test):
        test.need_display()
        data, folder, own = plain(test, harness.need('vkcube'), '--c', '4', frames=4)
        path = test.path('phone.gfxtrace')
        with open(path, 'wb') as file:
            file.write(gapid.convert(data, version, **how))
        info = test.info(path)
        check_equal(info['warning'], None, 'warning')
        check_equal(info['producer'], f'{"AGI" if version == 4 else "GAPID"} {version}', 'producer')
        check_equal(info['device'], 'Adreno (TM) 540', 'device')
        names = [c['name'] for c in test.commands(path)]
        expected = [c['name'] for c in test.commands(own)]
        check_equal(len(names), len(expected), 'commands')
        check('vkCreateAndroidSurfaceKHR' in names, 'no Android surface')
        check_equal([n for n, e in zip(names, expected) if n != e and 'Surface' not in n], [],
                    'order of commands')
        got = test.folder('got')
        test.cli('replay', path, '--frames-dir', got)
        harness.compare_folders(test, got, folder, 4)
    body.__name__ = f'launched_version_{version}' + ''.join(f'_{name}' for name in how)
    body.__doc__ = f'A trace from launch, version {version}: {", ".join(how) or "plain"}.'
    return body


def damaged(test):
    """Each way to be broken gets its answer."""
    def make(*steps, header=True):
        writer = gapid.Writer()
        if not header:
            writer.out, writer.n_chunks, writer.types = bytearray(gapid.MAGIC), 0, {}
        for step in steps:
            step(writer)
        return bytes(writer.out)

    def call(writer):
        kind = writer.type('vulkan.vkDeviceWaitIdle', (1, 'thread', gapid.SINT64),
                           (8, 'device', gapid.SINT64))
        group = writer.group(kind, gapid.number(8, 0x10))
        writer.leaf(writer.type('vulkan.vkDeviceWaitIdleCall', (1, 'result', gapid.SINT64)), b'',
                    group)
        writer.end(group)

    def unknown_type(writer):
        writer.leaf(999, b'')

    def no_protobuf(writer):
        writer.leaf(writer.type('capture.Header'), b'\xff\xff')

    def unknown_message(writer):
        writer.leaf(writer.type('somebody.Else', (1, 'x', gapid.SINT64)), b'')

    def orphan(writer):
        writer.leaf(writer.type('api.CmdCall'), b'', writer.n_chunks - 1)

    def misnumbered(writer):
        writer.resource(b'abc', index=7)

    def missing_resource(writer):
        kind = writer.type('vulkan.vkDeviceWaitIdle', (1, 'thread', gapid.SINT64),
                           (8, 'device', gapid.SINT64))
        group = writer.group(kind, gapid.number(8, 0x10))
        writer.observe(group, 4096, b'xyz')
        observation = writer.types['memory.Observation']
        writer.leaf(observation, gapid.varint(8) + gapid.varint(64) + gapid.varint(16) +
                    gapid.varint(3) + gapid.number(3, 99), group)
        writer.end(group)

    def stop(writer):
        writer.out += b'\0'

    def look(name, data, words, status=0):
        path = test.path(name + '.gfxtrace')
        with open(path, 'wb') as file:
            file.write(data)
        result = test.cli('info', '--json', path, status=None)
        check_equal(result.status, status, f'status of {name}: {result}')
        said = result.err if status else json.loads(result.out)['warning'] or ''
        check(words in said if words else not said, f'{name}: {said!r} lacks {words!r}')
        if status == 0:
            check_equal(json.loads(result.out)['commands'] >= 1, True, f'commands of {name}')

    whole = make(call, call)
    look('whole', whole, '')
    look('short', whole[:10], 'not a trace', 3)
    look('old', b'protopack' + bytes(16), 'before November 2017', 3)
    look('new', b'ProtoPack\r\n3.0\n\0' + whole[16:], 'newer', 3)
    look('cut', whole[:-3], 'ends early')
    look('stopped', make(call, stop, call), 'ends early')
    look('header-only', make(), 'contains no calls', 3)
    look('empty', gapid.MAGIC, 'exited before', 3)
    look('no-header', make(call, header=False), 'exited before', 3)
    look('unknown-type', make(call, unknown_type), 'damaged')
    look('no-protobuf', make(call, no_protobuf), 'damaged')
    look('unknown-message', make(unknown_message, call), '')
    look('orphan', make(call, orphan), 'damaged')
    look('misnumbered', make(misnumbered, call), 'numbers of resources are wrong')
    look('missing-resource', make(missing_resource), 'damaged')


harness.main(sample_frames, sample_draws, sample_paths, launched(3), launched(4),
             launched(3, nest=True), launched(3, interleave=True), damaged)
