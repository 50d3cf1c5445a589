#!/usr/bin/env python3
"""Images with an edit (wireframe, overdraw, disabled commands, replaced shaders), compared with the same program run
with that change."""

import base64
import os

import harness
from harness import Frame, app, check, check_equal

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'apps')
STEPS = ('vkCmdDraw', 'vkCmdDrawIndexed', 'vkCmdDrawIndirect', 'vkCmdDrawIndexedIndirect',
         'vkCmdClearAttachments')
PARTS = ('color0', 'color1', 'depth', 'stencil')


def shots(test, trace, paths, *options, **extra):
    """The texels of each path, of one run of the command line."""
    folder = test.folder('taken')
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    arguments = [argument for path in [*paths, paths[0]] for argument in ('--path', path)]
    found = harness.raw_images(test.cli('screenshot', trace, *arguments, *options, '--json', '--raw',
                                        folder, timeout=120, **extra))
    return [found[n] for n in range(len(paths))]


def truth(test, *options):
    folder = test.folder('truth' + ''.join(map(str, options)).replace('-', '_'))
    test.run([app('draws'), *options, '--output', folder]).check()
    return {part: Frame.read(os.path.join(folder, f'{part}.raw')) for part in PARTS}


def steps_of(test, trace):
    return [c['index'] for c in test.commands(trace) if c['name'] in STEPS]


def expect(test, trace, at, expected, edit, *options, what):
    separator = '?' if edit else ''
    paths = [f'commands/{at}/framebuffer/{part}{separator}{edit}' for part in PARTS]
    for part, got in zip(PARTS, shots(test, trace, paths, *options)):
        wanted = expected[part]
        wanted.format = got.format if part in ('depth', 'stencil') else wanted.format
        difference = got.describe_difference(wanted)
        if difference is not None:
            harness.save_difference(test, f'{what}-{part}'.replace(' ', '-'), got, wanted)
        check(difference is None, f'{what}, {part}: {difference}')


def wireframe_all(*options):
    """Everything as lines is what the program draws with VK_POLYGON_MODE_LINE."""
    def body(test):
        trace = test.capture(app('draws'), *options)
        steps = steps_of(test, trace)
        for number in (1, 3, 5, 8):
            expect(test, trace, steps[number - 1],
                   truth(test, *options, '--line', '--draws', number),
                   'overlay=wireframe-all', what=f'lines after draw {number}')
    return body


def disable(*options):
    """Without some draws the picture is that of the program that leaves them out."""
    def body(test):
        trace = test.capture(app('draws'), *options)
        steps = steps_of(test, trace)
        for mask in (0b1, 0b10100, 0b1000_0000, 0b1111_1111):
            skipped = [index for n, index in enumerate(steps) if mask >> n & 1]
            expect(test, trace, steps[-1], truth(test, *options, '--skip', mask),
                   'disable=' + ','.join(map(str, skipped)), what=f'without {skipped}')
        # Together with lines.
        expect(test, trace, steps[-1], truth(test, *options, '--skip', 6, '--line'),
               f'disable={steps[1]}&overlay=wireframe-all&disable={steps[2]}',
               what='without two, as lines')
    return body


def refused(test):
    """What would leave the rest of the trace invalid is a sentence."""
    trace = test.capture(app('draws'))
    calls = test.commands(trace)
    draw = steps_of(test, trace)[0]
    for name in ('vkCmdBeginRenderPass', 'vkCmdEndRenderPass', 'vkCmdBindPipeline',
                 'vkQueueSubmit', 'vkCreateDevice'):
        index = [c['index'] for c in calls if c['name'] == name][0]
        result = test.cli('screenshot', trace, '--at', draw, '--disable', index, '-o',
                          test.path('none.png'), status=None)
        check(result.status != 0 and 'cannot be disabled' in result.err, f'{name}: {result}')
    for edit, word in (('overlay=glow', 'overlay'), ('shader=1', 'OBJECT:FILE'),
                       ('disable=99999999', '99999999'), ('shader=1:relative.spv', 'absolute path')):
        result = test.cli('screenshot', trace, '--path', f'commands/{draw}?{edit}', '-o',
                          test.path('none.png'), status=None)
        check(result.status != 0 and word in result.err, f'{edit}: {result}')


def big_shader(test, glsl):
    """Compiled with its source, which is long: such code does not travel among the instructions."""
    source, spirv = test.path('big.frag'), test.path('big.spv')
    with open(glsl, encoding='utf-8') as file, open(source, 'w', encoding='utf-8') as out:
        out.write(file.read() + '// long\n' * 2000)
    test.run([harness.need('glslangValidator'), '-V', '-g', '--quiet', '-o', spirv, source]).check()
    check(os.path.getsize(spirv) > 8192, 'the shader is not large')
    return spirv


def replace(*options):
    """With another fragment shader the picture is that of the program that has it."""
    def body(test):
        trace = test.capture(app('draws'), *options)
        steps = steps_of(test, trace)
        module = fragment_module(test, trace)
        glsl = os.path.join(SOURCE, 'draws-flat.frag')
        spirv = test.path('flat.spv')
        test.run([harness.need('glslangValidator'), '-V', '--quiet', '-o', spirv, glsl]).check()
        expected = truth(test, *options, '--flat')
        expect(test, trace, steps[-1], expected, '', '--replace-shader', f'{module}={glsl}',
               what='from GLSL')
        expect(test, trace, steps[-1], expected, f'shader={module}:{spirv}', what='from SPIR-V')
        big = big_shader(test, glsl)
        expect(test, trace, steps[-1], expected, f'shader={module}:{big}', what='from large SPIR-V')
        draws = f'commands/{steps[-1]}/framebuffer/color0?overlay=overdraw'
        plain, large = shots(test, trace, [draws, f'{draws}&shader={module}:{big}'])
        check(plain.data == large.data, 'the counts of draws differ with the large shader')
        # Back.
        expect(test, trace, steps[-1], truth(test, *options), '', what='as it was')

        bad = test.path('bad.frag')
        with open(bad, 'w', encoding='utf-8') as file:
            file.write('#version 450\nvoid main ()\n{\n  nothing = 1;\n}\n')
        result = test.cli('screenshot', trace, '--at', steps[-1], '--replace-shader',
                          f'{module}={bad}', '-o', test.path('none.png'), status=None)
        check(result.status != 0 and 'Line 4' in result.err and 'nothing' in result.err,
              f'no line in {result}')
        with open(spirv, 'rb') as file:
            code = bytearray(file.read())
        broken = test.path('broken.spv')
        with open(broken, 'wb') as file:
            file.write(code[:20] + bytes(len(code) - 20))
        result = test.cli('screenshot', trace, '--at', steps[-1], '--replace-shader',
                          f'{module}={broken}', '-o', test.path('none.png'), status=None)
        check(result.status not in (0, None) and 'not valid' in result.err, f'{result}')
        vertex = os.path.join(SOURCE, 'draws.vert')
        compiled = test.path('vertex.spv')
        test.run([harness.need('glslangValidator'), '-V', '--quiet', '-o', compiled,
                  vertex]).check()
        result = test.cli('screenshot', trace, '--at', steps[-1], '--replace-shader',
                          f'{module}={compiled}', '-o', test.path('none.png'), status=None)
        check(result.status != 0 and 'entry point' in result.err, f'{result}')
    return body


def mixed(test):
    """Edited and plain pictures in turn, of one run, by marks and without, are those of fresh ones."""
    trace = test.capture(app('draws'))
    steps = steps_of(test, trace)
    edits = ['', 'overlay=wireframe-all', '', f'disable={steps[2]}', '',
             f'disable={steps[2]}&overlay=wireframe-all', 'overlay=wireframe-all', '']
    paths = [f'commands/{at}/framebuffer/{part}' + (f'?{edit}' if edit else '')
             for edit in edits for at in (steps[6], steps[3]) for part in ('color0', 'depth')]
    fresh = {path: shots(test, trace, [path], VITRINE_REPLAY_SPLIT='0')[0].data
             for path in sorted(set(paths))}
    check(len(set(fresh.values())) >= 8, 'the edits change nothing')
    for marks in ({}, {'VITRINE_REPLAY_MARKS': '1'}):
        for path, got in zip(paths, shots(test, trace, paths, **marks)):
            check(got.data == fresh[path], f'{path} differs, {marks}')


def fragment_module(test, trace):
    for shader in test.cli('shaders', '--json', trace).json():
        if 'fragment' in shader['stages']:
            return shader['object']['object']
    raise harness.Failure('no fragment shader in the trace')


def bytes_of_buffers(test):
    """Without the last dispatch the buffers hold what they held before it, however they are read."""
    trace = test.capture(app('compute'), '--rounds', 3)
    last = [c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDispatch'][-1]
    differs = False
    for buffer in test.cli('get', '--json', trace, f'commands/{last}/buffers').json():
        def read(command, *options, number=buffer['object']):
            return test.cli('get', '--json', trace, f'commands/{command}/buffers/{number}', *options,
                            timeout=120).json()['bytes']
        before = read(last - 1)
        check(read(last, '--disable', last) == before, f'buffer {buffer} with {last} disabled')
        differs = differs or read(last) != before
        whole = test.path('whole')
        test.cli('replay', trace, '--to', last, '--disable', last, '--read-memory',
                 f'{buffer["handle"]}:{whole}', timeout=120)
        with open(whole, 'rb') as file:
            check(file.read() == base64.b64decode(before), f'buffer {buffer} of a whole replay')
    check(differs, 'no buffer differs: the dispatch writes nothing')
    for command, word in ((('get', trace, 'info', '--disable', last), 'buffers'),
                          (('get', trace, f'commands/{last}/buffers', '--disable', last), 'buffers'),
                          (('replay', trace, '--disable', 'x'), 'x')):
        result = test.cli(*command, status=None)
        check(result.status not in (0, None) and word in result.err, f'{command}: {result}')


harness.main(bytes_of_buffers, ('wireframe-all', wireframe_all()),
             ('wireframe-all, dynamic rendering', wireframe_all('--dynamic')),
             ('disable', disable()), ('disable, dynamic rendering', disable('--dynamic')),
             refused, mixed,
             ('replace', replace()), ('replace, dynamic rendering', replace('--dynamic')))
