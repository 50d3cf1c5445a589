#!/usr/bin/env python3
"""Random but valid programs (vtr-app-random): whatever they do, a replay shows what they showed.

Each seed is a program; in even ones the CPU writes to buffers of its own, so that replays can be
poisoned. It is captured from launch and, several times, in the middle of its run; every
frame of every replay, plain, poisoned or trimmed, is what the witness saw. States from
checkpoints are those from the start, and there is nothing to complain about in them.

`VITRINE_TEST_PICTURES=1`: pictures that are asked for in random order, with marks and without, are
those of replays from the beginning. Of random draws, pictures are the same with all work and without
what they do not depend on; those with a draw disabled are those before it; overdraw is the same from a
kept state and from the beginning. By hand, for the time it takes.

Seeds of faults that were found stay here. Longer campaigns: `VITRINE_TEST_SEEDS=100-300`, or a list
by commas; those with a `w` are of --wide programs, which do more: `w100-300`; those with an `s` run on
SwiftShader and do what it can, with `sw` both; `VITRINE_TEST_RANDOM='--without passes'` are further arguments of the program, to find out
what a fault needs; `VITRINE_TEST_LESS=1` leaves states out; `VITRINE_TEST_VALIDATE=1` has
the program and its replays validated, too."""

import json
import os
import random
import re
import shlex

import harness
from harness import VALIDATION_LAYER, app, check, check_equal

# Quick ones. What seed 2 does to one buffer from both sides had two outcomes once. Images of seed 508
# take turns in one place; the recording put back what was lost over what was there. What is wide does
# nearly everything: polls, views, samples, compressed images, sizes that change.
SEEDS = ('2', '5', '508', 'w26', 'sw4')
FRAMES = int(os.environ.get('VITRINE_TEST_FRAMES', '9'))
MORE = shlex.split(os.environ.get('VITRINE_TEST_RANDOM', ''))
LESS = 'VITRINE_TEST_LESS' in os.environ
COMPARE_STATES = os.path.join(harness.BUILD, 'tests', 'engine', 'state', 'compare-states')
CHECK_SPLIT = os.path.join(harness.BUILD, 'tests', 'engine', 'resolve', 'check-split')
RULE = re.compile(r'(?:VUID|UNASSIGNED|SYNC)-[\w-]+')
SETTINGS = '''khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn
khronos_validation.log_filename = stdout
'''


def seeds():
    wanted = os.environ.get('VITRINE_TEST_SEEDS')
    if wanted is None:
        return SEEDS
    found = []
    for part in wanted.split(','):
        kind, first, last = re.fullmatch(r'([sw]*)(\d+)(?:-(\d+))?', part).groups()
        found += (f'{kind}{n}' for n in range(int(first), int(last or first) + 1))
    return found


def compare(test, trace, live, at, n, kinds):
    """Frames `at` to `at + n - 1` of the live run are those of the replays."""
    first = test.folder(f'first-{at}-{n}')
    for i in range(n):
        harness.copy_frame(live, f'frame-{at + i:06}.raw', first, i)
    for kind in kinds:
        folder = test.folder(f'{os.path.basename(trace)}-{kind}')
        options = ['--poison'] if kind == 'poison' else []
        report = test.replay(trace, '--frames-dir', folder, *options).json()
        check(report['ok'], f'{trace} {kind}: {report}')
        try:
            harness.compare_folders(test, folder, first, n)
        except harness.Failure as failure:
            what = (f'{os.path.basename(trace)} {kind}, frames {at} to {at + n - 1}: '
                    f'{failure}')
            # Whose bytes they are cannot be known where both write with frames in flight: it says so.
            if report['uncertainBytes'] == 0:
                raise harness.Failure(what) from None
            print(f'# {report["uncertainBytes"]} uncertain bytes, {what}')


def compare_live(test, other, live, n):
    """The program is what it is by its seed alone."""
    try:
        harness.compare_folders(test, other, live, n)
    except harness.Failure as failure:
        raise harness.Failure(f'another live run: {failure}') from None


def compare_pictures(test, trace, seed):
    for marks in ('0', '3'):
        answer = test.run([CHECK_SPLIT, trace, 6, seed], timeout=120,
                          VITRINE_REPLAY_MARKS=marks).check().json()
        check_equal(answer['different'], 0, f'pictures of {trace} with marks {marks}')


def shots(test, trace, paths, *options, **extra):
    """Bytes by path; None: there is no such picture."""
    folder = test.folder('taken')
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    arguments = [argument for path in [*paths, paths[0]] for argument in ('--path', path)]
    found = harness.raw_images(test.cli('screenshot', trace, *arguments, *options, '--no-cache',
                                        '--json', '--raw', folder, timeout=120, status=None, **extra))
    return {path: found[n].data if n in found else None for n, path in enumerate(paths)}


def check_same(one, other, what):
    different = [path for path, data in one.items() if data != other[path]]
    check(not different, f'{what}: {different} of {list(one)}')


def compare_ways(test, trace, seed):
    choose = random.Random(seed)
    calls = test.commands(trace)
    draws = [c['index'] for c in calls if c['name'].startswith('vkCmdDraw')]
    chosen = choose.sample(draws, min(4, len(draws)))
    paths = [f'commands/{index}/framebuffer/{kind}' for index in chosen
             for kind in ('color0', 'depth')]
    if not paths:
        return
    plain = shots(test, trace, paths, VITRINE_REPLAY_DEAD='1', VITRINE_REPLAY_SPLIT='0')
    check_same(plain, shots(test, trace, paths, VITRINE_REPLAY_SPLIT='0'),
               f'{trace} without work that is of no use')
    check_same(shots(test, trace, paths, '--overlay', 'overdraw', VITRINE_REPLAY_SPLIT='0'),
               shots(test, trace, paths, '--overlay', 'overdraw'), f'{trace}, overdraw')
    names = {(c['index'], c['thread']): c['name'] for c in calls}
    threads = {c['index']: c['thread'] for c in calls}
    for index in chosen[:2]:
        # Something harmless in the same pass: then nothing happens between both moments but the draw.
        if not re.match(r'vkCmd(Set|Bind|Push|Draw)', names.get((index - 1, threads[index]), '')):
            continue
        before, after = ([f'commands/{at}/framebuffer/color0'] for at in (index - 1, index))
        one = shots(test, trace, before)[before[0]]
        other = shots(test, trace, after, '--disable', index)[after[0]]
        check(one is None or one == other, f'{trace}: draw {index} is not disabled')


def compare_states(test, trace, seed):
    result = test.run([COMPARE_STATES, trace, 10, seed, 2], timeout=120).check().json()
    check_equal(result['different'], 0, f'states of {trace}')
    report = json.loads(test.cli('get', trace, 'report').out)
    wrong = [entry for entry in report['entries']
             if entry['level'] == 'error' and entry.get('check')]
    check(not wrong, f'{trace}: {wrong[:3]}')


def validate(test, program, traces):
    path = test.path('settings.txt')
    with open(path, 'w', encoding='ascii') as file:
        file.write(SETTINGS)
    live = test.run(program, VK_INSTANCE_LAYERS=VALIDATION_LAYER, timeout=120,
                    VK_LAYER_SETTINGS_PATH=path).check()
    lines = live.out.splitlines()
    broken = {rule for line in lines if 'ERROR' in line for rule in RULE.findall(line)}
    check_equal(broken, set(), 'rules that the program breaks')
    warned = set(RULE.findall(live.out))
    for trace in traces:
        report = test.cli('report', '--replay', '--json', trace, timeout=120, status=None).json()
        check_equal(report['replayed'], True, 'replayed')
        found = [entry for entry in report['entries'] if entry.get('rule', '') not in warned and
                 'rule' in entry]
        check(not found, f'{trace}: {found[:3]}')


def midrun(test, program, seed, live, traces, kinds):
    """Some captures in one run, somewhere in it; later ones come late on a busy machine."""
    choose = random.Random(seed)
    n = choose.randint(1, 2)
    again = test.folder('again')
    test.capture(*program, frames=n, witness=again, output=test.path('midrun.gfxtrace'),
                 options=['--at-frame', str(choose.randint(1, FRAMES - 2)),
                          '--every', str(n + choose.randint(0, 1)), '--times', '2'])
    for nth, made in enumerate(test.captured.json()['traces']):
        at, count = made['first_frame'], made['frames']
        traces.append(made['path'])
        compare(test, made['path'], live, at, count, kinds)
        trimmed = test.path(f'trimmed-{nth}.gfxtrace')
        test.cli('trim', '--json', made['path'], '-o', trimmed)
        compare(test, trimmed, live, at, count, kinds[-1:])
    check(len(traces) > 1, f'no capture: {test.captured}')
    compare_live(test, again, live, len(harness.frame_names(again)))


def seed_test(name):
    seed = int(name.lstrip('sw'))

    def body(test):
        test.need_display()
        if 's' in name:
            test.env['VK_ICD_FILENAMES'] = harness.need_swiftshader()
        apart = seed % 2 == 0
        program = [app('random'), '--seed', str(seed), '--frames', str(FRAMES),
                   *(['--apart'] if apart else []), *(['--wide'] if 'w' in name else []),
                   *(['--core'] if 's' in name else []), *MORE]
        live = test.folder('live')
        traces = [test.capture(*program, witness=live, output=test.path('launch.gfxtrace'))]
        # Poisoned, a replay does without what the CPU writes where the GPU wrote before.
        kinds = ('plain', 'poison') if apart else ('plain',)
        compare(test, traces[0], live, 0, FRAMES, kinds)
        midrun(test, program, seed, live, traces, kinds)
        if not LESS:
            for trace in traces:
                if 'VITRINE_TEST_PICTURES' in os.environ:
                    compare_pictures(test, trace, seed)
                    compare_ways(test, trace, seed)
                compare_states(test, trace, seed)
        if 'VITRINE_TEST_VALIDATE' in os.environ:
            validate(test, program, traces[:2])
    return body


if __name__ == '__main__':
    harness.main(*((f'seed-{seed}', seed_test(seed)) for seed in seeds()))
