#!/usr/bin/env python3
"""Shader objects instead of pipelines: their state, and images with an edit, compared with the same program run with
that change. That they replay is in test-demos.py and test-midrun.py."""

import os

import harness
from demos import DEMOS, newer_elsewhere
from harness import Frame, app, check, check_equal
from pictures import checkpoints

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'apps')
DEMO = DEMOS['objects']
STRONG = '''#version 450
layout (location = 0) in vec4 hue;
layout (location = 0) out vec4 color;
void main () { color = hue.gbra; }
'''


def capture(test, *options):
    DEMO.drive(test)
    return test.capture(*DEMO.argv(app), '--spirv', *options)


def truth(test, stop, *options):
    """.color of the program itself at a checkpoint."""
    folder = test.folder('truth' + ''.join(options) + str(stop))
    test.run([*DEMO.argv(app), '--spirv', *options, '--stop', stop, '--run', 0, '--output',
              folder]).check()
    return Frame.read(os.path.join(folder, next(name for name in os.listdir(folder)
                                                if name.startswith('color,'))))


def shot(test, trace, at, *options, edit=''):
    folder = test.folder('taken')
    result = test.cli('screenshot', trace, '--path', f'commands/{at}/framebuffer/color0{edit}',
                      *options, '--json', '--raw', os.path.join(folder, '0.raw'), timeout=120)
    return harness.raw_images(result)[0]


def expect(test, got, wanted, what):
    wanted.format = got.format
    difference = got.describe_difference(wanted)
    if difference is not None:
        harness.save_difference(test, what.replace(' ', '-'), got, wanted)
    check(difference is None, f'{what}: {difference}')


def shaders_at(test, trace, at):
    return {shader['stage']: shader for shader in
            test.cli('get', '--json', trace, f'commands/{at}/shaders').json()}


def draws_of(test, trace):
    return [c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDraw']


def bound(test):
    """Each draw has the shaders that were bound last, whether they came with a pipeline or not."""
    trace = capture(test)
    draws = draws_of(test, trace)[:4]  # linked, single, pipeline, linked
    programs = [shaders_at(test, trace, at) for at in draws]
    check_equal([sorted(program) for program in programs], [['fragment', 'vertex']] * 4, 'stages')
    check_equal(['shader' in program['fragment'] for program in programs],
                [True, True, False, True], 'shader objects')
    objects = [program['fragment']['shader']['object'] for program in programs
               if 'shader' in program['fragment']]
    check(objects[0] == objects[2] != objects[1], f'fragment shaders: {objects}')

    state = test.cli('get', '--json', trace, f'commands/{draws[1]}/bound').json()
    stages = state['graphics']['stages']
    check_equal([stage['shader']['object'] for stage in stages],
                [programs[1][stage]['shader']['object'] for stage in ('vertex', 'fragment')],
                'stages of the bound state')
    check_equal(state['graphics']['pipeline'], None, 'pipeline')
    dispatch = next(c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDispatch')
    check_equal(list(shaders_at(test, trace, dispatch)), ['compute'], 'shaders of the dispatch')

    listed = {shader['object']['object']: shader
              for shader in test.cli('shaders', '--json', trace).json()}
    # Two frames: two draws each by the linked ones; the single one is made anew for the second.
    check_equal(listed[objects[0]]['uses'], 4, 'uses of the linked fragment shader')
    check_equal(listed[objects[1]]['uses'], 1, 'uses of the single fragment shader')
    glsl = test.cli('get', trace, f'objects/{objects[1]}/shader/glsl').out
    check('gbra' in glsl or 'hue' in glsl, f'no shader in {glsl}')
    # Constants are those of the object.
    check('0.75' in glsl, f'the constant is not that of the program: {glsl}')
    # The extension brings the commands that set state along.
    report = test.cli('report', '--json', trace).json()['entries']
    check_equal([entry for entry in report if 'belongs to' in str(entry)], [], 'report')
    blocks = test.cli('get', '--json', trace, f'commands/{dispatch}/memory').out
    check('words' in blocks, f'no names of the storage buffer: {blocks}')


def wireframe(test):
    """Everything as lines is what the program draws with VK_POLYGON_MODE_LINE."""
    trace = capture(test)
    found = checkpoints(test, trace)
    for stop in (2, 3):
        at = [draw for draw in draws_of(test, trace) if draw < found[stop]][-1]
        expect(test, shot(test, trace, at, edit='?overlay=wireframe-all'),
               truth(test, stop, '--line'), f'lines at {stop}')


def overdraw(test):
    """Passes that draw by shader objects are not counted, and that is said."""
    trace = capture(test)
    result = test.cli('screenshot', trace, '-o', test.path('none.png'), '--path',
                      f'commands/{draws_of(test, trace)[0]}/framebuffer/color0?overlay=overdraw',
                      status=None)
    check(result.status != 0 and 'shader objects' in result.err, f'nothing is said: {result}')


def replaced(test):
    """With another fragment shader the picture is that of the program that has it."""
    trace = capture(test)
    draw = draws_of(test, trace)[1]
    shader = shaders_at(test, trace, draw)['fragment']['shader']
    path = test.path('strong.frag')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(STRONG)
    wanted = truth(test, 3, '--strong')
    expect(test, shot(test, trace, draw), truth(test, 3), 'as it was')
    names = [shader['object']]
    # The driver may give the handle again; then it names the younger shader.
    handles = [each['object']['handle'] for each in test.cli('shaders', '--json', trace).json()]
    if handles.count(shader['handle']) == 1:
        names.append(shader['handle'])
    for name in names:
        expect(test, shot(test, trace, draw, '--replace-shader', f'{name}={path}'), wanted,
               f'replaced by {name}')
    check(shot(test, trace, draw).describe_difference(wanted) is not None, 'both are the same')


def elsewhere(test):
    """What was made from a driver's own code is declined on another device; the rest is not."""
    DEMO.drive(test)
    trace = test.capture(*DEMO.argv(app))
    other = newer_elsewhere(test)
    report = test.cli('replay', '--check', '--json', trace, status=None, **other).json()
    texts = [f['text'] for f in report['findings'] if f['what'] == 'command']
    check(not report['possible'] and len(texts) == 1 and 'binary code' in texts[0],
          f'findings: {report}')
    result = test.cli('replay', '--json', trace, status=None, **other)
    check(result.status != 0 and 'binary code' in result.out + result.err, f'not declined: {result}')
    plain = test.capture(*DEMO.argv(app), '--spirv', output=test.path('plain.gfxtrace'))
    check(test.replay(plain, **other).json()['ok'], 'without such code')


if __name__ == '__main__':
    harness.main(bound, wireframe, overdraw, replaced, elsewhere)
