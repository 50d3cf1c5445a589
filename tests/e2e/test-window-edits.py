#!/usr/bin/env python3
"""The window with commands disabled, shaders replaced and overlays: its pictures are those of the command
line, and what cannot be done is a sentence."""

import os
import time

import harness
import windows
from harness import app, check, check_equal

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'apps')
STEPS = ('vkCmdDraw', 'vkCmdDrawIndexed', 'vkCmdDrawIndirect', 'vkCmdDrawIndexedIndirect')


def wait_for(question, what):
    end = time.monotonic() + windows.GRACE
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(0.05)
    raise harness.Failure(f'{what} did not come')


def state(window):
    result = window.call('org.gtk.Actions.Describe', 'edits').check()
    return result.out.split("<'")[1].split("'>")[0]


def exported(test, window, number=iter(range(1000))):
    path = test.path(f'exported-{next(number)}.png')
    window.activate('export-framebuffer', path).check()
    wait_for(lambda: os.path.exists(path), f'a picture ({window.messages()})')
    return harness.Png(path).rgb()


def saved(test, trace, at, *options):
    path = test.path('saved.png')
    test.cli('screenshot', trace, '--at', at, *options, '-o', path)
    return harness.Png(path).rgb()


def fragment_module(test, trace):
    for shader in test.cli('shaders', '--json', trace).json():
        if 'fragment' in shader['stages']:
            return shader['object']['object']
    raise harness.Failure('no fragment shader in the trace')


def edits(test):
    """Each edit, by itself and together with others, taken back and done again."""
    trace = test.capture(app('draws'))
    draws = [c['index'] for c in test.commands(trace) if c['name'] in STEPS]
    module, glsl = fragment_module(test, trace), os.path.join(SOURCE, 'draws-flat.frag')
    last, some = draws[-1], f'{draws[0]},{draws[2]}'
    plain = saved(test, trace, last)
    without = saved(test, trace, last, '--disable', some)
    lines = saved(test, trace, last, '--disable', some, '--overlay', 'wireframe-all')
    flat = saved(test, trace, last, '--replace-shader', f'{module}={glsl}')
    check(len({bytes(p) for p in (plain, without, lines, flat)}) == 4, 'the edits change nothing')

    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        # Asked while the trace is still being opened: it waits.
        window.activate('disable', some).check()
        window.activate('select', f'commands/{last}').check()
        wait_for(lambda: state(window) == f'disable={some}', 'the state')
        check(exported(test, window) == without, 'another picture without two draws')
        window.activate('overlay', 'wireframe-all').check()
        check_equal(state(window), f'overlay=wireframe-all&disable={some}', 'the state')
        check(exported(test, window) == lines, 'another picture as lines')
        window.activate('enable', some).check()
        window.activate('overlay', 'none').check()
        check_equal(state(window), '', 'the state')
        check(exported(test, window) == plain, 'another picture with nothing edited')

        window.activate('replace-shader', f'{module}={glsl}').check()
        wait_for(lambda: state(window).startswith(f'shader={module}:'), 'the new shader')
        check(exported(test, window) == flat, 'another picture with another shader')
        window.activate('reset-edits').check()
        check_equal(state(window), '', 'the state')
        check(exported(test, window) == plain, 'another picture after a reset')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def refused(test):
    """Wrong edits change nothing; the log of the window says why, in a sentence."""
    trace = test.capture(app('draws'))
    calls = test.commands(trace)
    begin = [c['index'] for c in calls if c['name'] == 'vkCmdBeginRenderPass'][0]
    draw = [c['index'] for c in calls if c['name'] in STEPS][0]
    bad = test.path('bad.frag')
    with open(bad, 'w', encoding='utf-8') as file:
        file.write('#version 450\nvoid main ()\n{\n  nothing = 1;\n}\n')
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        window.activate('disable', draw).check()
        wait_for(lambda: state(window) == f'disable={draw}', 'the state')
        for action, value in (('disable', begin), ('disable', '99999999'), ('disable', 'x'),
                              ('disable', ''), ('enable', '-1'), ('overlay', 'glow'),
                              ('replace-shader', ''), ('replace-shader', 'x=y'),
                              ('replace-shader', f'1={bad}'),
                              ('replace-shader', f'{fragment_module(test, trace)}={bad}'),
                              ('replace-shader', '1=relative.spv')):
            window.activate(action, value).check()
            window.check_lives(f'after {action} {value}')
        check_equal(state(window), f'disable={draw}', 'the state')
        window.activate('open', trace).check()
        window.check_lives('with another file')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


harness.main(edits, refused)
