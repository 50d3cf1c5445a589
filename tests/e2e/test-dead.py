#!/usr/bin/env python3
"""Work that a picture does not depend on is left out of the replay that makes it: the pictures are
the same with it and without."""

import os
import resource

import harness
from demos import DEMOS
from harness import app, check

KINDS = ('color0', 'depth')


def shots(test, trace, paths, **extra):
    folder = test.folder('taken')
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    arguments = [argument for path in [*paths, paths[0]] for argument in ('--path', path)]
    found = harness.raw_images(test.cli('screenshot', trace, *arguments, '--json', '--raw', folder,
                                        timeout=120, status=None, **extra))
    return {path: found[n].data if n in found else None for n, path in enumerate(paths)}


def demos(names):
    def body(test):
        n_taken = 0
        for number, name in enumerate(names):
            demo = DEMOS[name]
            extra = {'VK_ICD_FILENAMES': demo.driver} if demo.driver is not None else {}
            trace = test.capture(*demo.argv(app), output=test.path(f'{name}.gfxtrace'), **extra)
            draws = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
            paths = [f'commands/{index}/framebuffer/{kind}'
                     for index in sorted({draws[len(draws) // 2], draws[-1]})
                     for kind in KINDS] if draws else []
            if not paths:
                continue
            # Every other one from a kept state, which leaves out less.
            ways = [shots(test, trace, paths, VITRINE_REPLAY_DEAD=dead, VITRINE_REPLAY_SPLIT=split,
                          **extra) for dead, split in (('1', '0'), ('0', str(number % 2)))]
            for path in paths:
                n_taken += ways[0][path] is not None
                check(ways[0][path] == ways[1][path], f'{name}, {path} differs')
        check(n_taken > len(names), f'only {n_taken} pictures of {len(names)} demos')
    body.__name__ = f'{names[0]}-to-{names[-1]}'
    return body


def long(test):
    """A picture late in a run from the launch: what was drawn before and is cleared is not drawn."""
    trace = test.capture(app('load'), '--frames', 100, '--draws', 200, '--visible', timeout=120)
    draw = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')][-1]
    path = f'commands/{draw}/framebuffer/color0'
    seconds, pictures = {}, {}
    for dead in ('1', '0'):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        pictures[dead] = shots(test, trace, [path], VITRINE_REPLAY_DEAD=dead,
                               VITRINE_REPLAY_SPLIT='0')[path]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds[dead] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    check(pictures['0'] is not None and pictures['0'] == pictures['1'], 'the pictures differ')
    test.note(f'{seconds["1"]:.2f} s of processors with all work, {seconds["0"]:.2f} s without')
    check(seconds['0'] < seconds['1'], f'it does not pay: {seconds}')


NAMES = [name for name, demo in DEMOS.items() if demo.same and demo.driver != harness.BACKPORTS]
harness.main(long, demos(NAMES[:len(NAMES) // 2]), demos(NAMES[len(NAMES) // 2:]))
