#!/usr/bin/env python3
"""How long a mid-run capture stops the program: instructions that callgrind counts,
which a busy machine does not change, with few and with many objects that merely live."""

import os

import harness
import mock
from harness import app, check, need

LAYER = os.path.join(harness.BUILD, 'capture-layer', 'libVkLayer_vitrine.so')
FEW, MANY = 256, 1024
PIECE = 4  # KiB of each buffer or image
RECORDED = 66  # commands in each recorded command buffer of the program


def count(test, function, *objects, frame=3):
    """Instructions of the program's process while it is inside `function` of the layer."""
    with open(LAYER, 'rb') as file:
        layer = file.read()
    if function.encode() + b'\0' not in layer:
        raise harness.Skip('the layer was linked without its symbols')
    if b'__asan_init' in layer:
        raise harness.Skip('valgrind does not run what AddressSanitizer is in')
    out = test.path('counts')
    program = [need('valgrind'), '-q', '--tool=callgrind', f'--callgrind-out-file={out}',
               f'--toggle-collect={function}', app('load'), '--draws', '1', '--frames', '6',
               *map(str, objects)]
    test.cli('capture', '--quiet', '--at-frame', frame, '--frames', '1', '--keep-running', '-o',
             test.path('growth.gfxtrace'), '--', *program, timeout=300, **mock.driver())
    with open(out, encoding='utf-8') as file:
        found = [int(line.split()[1]) for line in file if line.startswith(('summary:', 'totals:'))]
    check(found and found[0] > 0, f'nothing was counted in {function}')
    os.unlink(out)
    return found[0]


def state_of_others(test):
    """Writing the state of queues, queries, fences and the like looks at no other objects."""
    for option in ('--samplers', '--views'):
        few, many = (count(test, 'vtr_layer_initial_write_state', option, n) for n in (FEW, MANY))
        check(many < 1.1 * few + MANY, f'{option}: {few} instructions with {FEW}, {many} with {MANY}')


def rest(test):
    """Waiting for the queues looks at queues alone."""
    few, many = (count(test, 'vtr_layer_quiesce_begin', '--samplers', n) for n in (FEW, MANY))
    check(many < 1.1 * few + MANY, f'{few} instructions with {FEW}, {many} with {MANY}')


def frames_ahead(test):
    """What is done in each frame before a cut looks at no memory that merely lives."""
    each = []
    for n in (FEW, MANY):
        # Each buffer is filled by a submission, which counts as a frame where nothing is presented.
        all_frames = count(test, 'vtr_layer_ahead_prepare', '--buffers', n * PIECE // 1024, '--piece', PIECE,
                           frame=n + 3)
        each.append(all_frames / (n + 3))
    check(each[1] < 1.5 * each[0], f'{each[0]:.0f} instructions with {FEW}, {each[1]:.0f} with {MANY}')


def proportion(test):
    """The whole cut takes no more than in proportion to what lives."""
    none = count(test, 'vtr_layer_initial_write')
    counts = {}
    for n in (FEW, MANY):
        for option in ('--views', '--sets', '--recorded', '--pipelines'):
            counts[option, n] = count(test, 'vtr_layer_initial_write', option, n) - none
        for option in ('--buffers', '--images'):
            # Each is filled by a submission, which counts as a frame where nothing is presented.
            counts[option, n] = count(test, 'vtr_layer_initial_write', option, n * PIECE // 1024,
                                      '--piece', PIECE, frame=n + 3) - none
    for option, n in counts:
        few, many = counts[option, FEW], counts[option, MANY]
        check(0 < many < 1.3 * MANY / FEW * few,
              f'{option}: {few} instructions for {FEW}, {many} for {MANY}')
    print('#', counts)


def recorded(test):
    """Whether the objects of a recorded command are still there is seen without decoding it, which
    takes thousands of instructions."""
    few, many = (count(test, 'vtr_layer_initial_write', '--recorded', n) for n in (FEW, MANY))
    each = (many - few) / (MANY - FEW) / RECORDED
    test.note(f'{each:.0f} instructions for each recorded command')
    check(each < 1200, f'{each:.0f} instructions for each recorded command')


if __name__ == '__main__':
    harness.main(state_of_others, rest, frames_ahead, proportion, recorded)
