#!/usr/bin/env python3
"""A walk through the real window: every pane, page, dialog and menu, on traces short and long, in several sizes and looks
(tests/widgets/walk.c has the rules). Nothing may be cut, covered, blank, too pale, without a name, out of reach of the Tab
key, or complained of by GTK.

The whole tour by hand, with a picture of each place: VITRINE_WALK_PICTURES=FOLDER ../tests/e2e/test-walk.py
VITRINE_WALK_TRACES=FILE:FILE walks these traces in the tour instead of the tests' own."""

import os

import harness
import windows
from harness import app, check

WALK = os.path.join(harness.BUILD, 'tests', 'widgets', 'walk')
PICTURES = os.environ.get('VITRINE_WALK_PICTURES')
TRACES = os.environ.get('VITRINE_WALK_TRACES')
GERMAN = {'LANGUAGE': 'de', 'VITRINE_LOCALE_DIR': os.path.join(harness.BUILD, 'po')}
HIGH_CONTRAST = {'ADW_DEBUG_HIGH_CONTRAST': '1'}

# Name: size of the screen, options, environment, and whether the suite walks it: the others are for the tour by hand.
LOOKS = {
    'default': ('1600x1000', ('--tab',), {}, True),
    'small': ('1600x1000', ('--size', '1024x640'), {}, True),
    'middle': ('1600x1000', ('--size', '1600x1000'), {}, False),
    'large': ('2560x1440', ('--size', '2560x1440'), {}, True),
    'dark': ('1600x1000', ('--dark',), {}, True),
    'contrast': ('1600x1000', (), HIGH_CONTRAST, True),
    'dark-contrast': ('1600x1000', ('--dark', '--size', '1600x1000'), {**HIGH_CONTRAST, **GERMAN}, True),
    'german': ('1600x1000', (), GERMAN, True),
    'german-small': ('1600x1000', ('--size', '1024x640'), GERMAN, False),
    'twice': ('2560x1600', (), {'GDK_SCALE': '2'}, True),
    'german-large-text': ('1600x1000', ('--size', '1600x1000', '--text-scale', '2'), GERMAN, True),
    'german-small-large-text': ('1600x1000', ('--size', '1024x640', '--text-scale', '2'), GERMAN, True),
    'large-text': ('2560x1440', ('--size', '2560x1440', '--text-scale', '2'), {}, True),
}


def walk(test, screen, *arguments, **extra):
    test.display = harness.Display(f'{screen}x24')
    test.env['DISPLAY'] = test.display.name
    session = windows.Session(test.env)
    try:
        return test.run([WALK, *arguments], timeout=600, **{
            **session.env, 'GTK_A11Y': 'test', 'GDK_DEBUG': 'gl-disable', 'TMPDIR': test.folder('tmp'),
            'VITRINE_SHADER_TOOL': os.path.join(harness.BUILD, 'src', 'engine', 'shader',
                                                'vitrine-shader-tool'), **extra})
    finally:
        session.close()


def record(test):
    """Traces of a cube (some twenty commands a frame), of thousands of draws, and of compute only."""
    if PICTURES and TRACES:
        return TRACES.split(':')
    here = os.path.dirname(os.path.abspath(__file__))
    traces = [os.path.join(here, '..', 'data', 'vkcube.gfxtrace')]
    programs = [('load', '--draws', 1500, '--visible', '--frames', 2)]
    if PICTURES:
        programs += [('compute',), ('draws',)]
    for name, *arguments in programs:
        trace = test.path(f'{name}.gfxtrace')
        test.capture(app(name), *arguments, frames=2, output=trace)
        traces.append(trace)
    return traces


def look(name):
    def walk_look(test):
        screen, options, extra, _ = LOOKS[name]
        if PICTURES:
            options += ('--pictures', os.path.join(PICTURES, name))
            os.makedirs(options[-1], exist_ok=True)
        result = walk(test, screen, *options, *record(test), **extra)
        test.note(result.out[-6000:])
        check(result.status == 0, f'something is wrong on the screen ({result.status}): {result.err[-2000:]}')
        check(result.err == '', f'words on stderr: {result.err[-2000:]}')
    return walk_look


def planted(test):
    """One fault of each kind: each is found."""
    result = walk(test, '1600x1000', '--planted')
    check(result.status == 0, f'{result.out}\n{result.err}')


harness.main(planted, *((name, look(name)) for name, (_, _, _, often) in LOOKS.items() if PICTURES or often))
