#!/usr/bin/env python3
"""Pictures asked for in random order of a replayer that keeps a state and goes back to it are those
of replays from the beginning, byte for byte."""

import os

import harness
from harness import app, check, check_equal, need

PICTURES = int(os.environ.get('VITRINE_TEST_PICTURES', '100'))
SEED = os.environ.get('VITRINE_TEST_SEED', '1')
CHECK = os.path.join(os.environ['VITRINE_BUILD_DIR'], 'tests', 'engine', 'resolve', 'check-split')


def random_order(*argv, display=False, least=1, **options):
    def body(test):
        if display:
            test.need_display()
        program = need(argv[0]) if display else app(argv[0])
        trace = test.capture(program, *argv[1:], **options)
        result = test.run([CHECK, trace, PICTURES, SEED], timeout=150)
        answer = result.check().json()
        check_equal(answer['different'], 0, 'pictures that differ')
        check(answer['images'] >= least, f'too few pictures: {answer}')
    return body


harness.main(
    ('vkcube', random_order('vkcube', display=True, frames=12, least=20)),
    ('vkd3d-gears', random_order('vkd3d-gears', display=True, frames=12, least=20)),
    ('draws', random_order('draws', least=20)),
    ('load', random_order('load', '--draws', '300', '--frames', '4', '--visible', least=20)),
    ('load in threads', random_order('load', '--draws', '300', '--frames', '3', '--threads', '2',
                                     '--visible')),
    *((name, random_order(name, least=20)) for name in
      ('mips', 'msaa', 'multiview', 'secondary', 'stencil', 'storage', 'subpasses', 'suspend')))
