#!/usr/bin/env python3
"""The API state of real programs: from a checkpoint as from the start, and nothing to complain about."""

import json
import os

import harness
from harness import app, check, check_equal, need

COMPARE = os.path.join(harness.BUILD, 'tests', 'engine', 'state', 'compare-states')
COUNT = int(os.environ.get('VITRINE_TEST_STATES', '200'))
SEED = os.environ.get('VITRINE_TEST_SEED', '1')


def check_states(test, trace, few=False):
    """The JSON of the whole state at random commands and runs. `few`: it is a short trace."""
    result = test.run([COMPARE, trace, COUNT, SEED, 4], timeout=240).check().json()
    check_equal(result['different'], 0, f'different states of {trace}')
    check_equal(result['compared'], COUNT, f'states of {trace}')
    check(few or result['checkpoints'] > 2, f'hardly a checkpoint in {trace}: {result}')
    test.note(f'{os.path.basename(trace)}: {result}')


def check_report(test, trace):
    """These programs are right, whatever the validation layer asks them."""
    report = json.loads(test.cli('get', trace, 'report').out)
    wrong = [entry for entry in report['entries']
             if entry['level'] == 'error' and entry.get('check')]
    check(not wrong, f'{trace}: {wrong[:5]}')


def examine(test, *argv, frames=None, timeout=60):
    trace = test.capture(*argv, frames=frames, timeout=timeout)
    check_states(test, trace)
    check_report(test, trace)


def draws(test):
    examine(test, app('draws'), '--output', test.folder('images'))


def dynamic(test):
    examine(test, app('draws'), '--dynamic', '--output', test.folder('images'))


def compute(test):
    examine(test, app('compute'), '--rounds', 20)


def load(test):
    examine(test, app('load'), '--draws', 100, '--frames', 30, '--threads', 3)


def scene(name):
    """One of the programs that leave images in unusual ways."""
    return name, lambda test: examine(test, app(name), '--output', test.folder('images'))


def wrong(test):
    """It says a layout that its image is not in."""
    trace = test.capture(app('wrong'), '--output', test.folder('images'))
    check_states(test, trace, few=True)
    report = json.loads(test.cli('get', trace, 'report').out)
    checks = {entry.get('check') for entry in report['entries'] if entry['level'] == 'error'}
    check_equal(checks, {'image-layout'}, 'checks that find something')


def vkcube(test):
    test.need_display()
    examine(test, need('vkcube'), '--c', 60)


def vkcubepp(test):
    test.need_display()
    examine(test, need('vkcubepp'), '--c', 60)


def gears(test):
    test.need_display()
    examine(test, need('vkd3d-gears'), frames=60)


SCENES = [scene(name) for name in ('mips', 'msaa', 'multiview', 'secondary', 'stencil', 'storage',
                                   'subpasses', 'suspend', 'timeline')]

if __name__ == '__main__':
    harness.main(draws, dynamic, compute, load, *SCENES, wrong, vkcube, vkcubepp, gears)
