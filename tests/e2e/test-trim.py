#!/usr/bin/env python3
"""Trimmed traces: mid-run captures without objects that their frames do not need."""

import filecmp
import os
import shutil

import harness
from harness import app, check, check_equal

USAGE, NO_TRACE = 2, 3
AT, N_FRAMES = 2, 2
SHARE = 65536  # of demo-unused: bytes that it uses of eight times as many
PROGRAM = ('demo-unused', '--window', '--frames', str(AT + N_FRAMES + 1))


def capture(test, name, *options):
    test.need_display()
    live = test.folder(f'live-{name}')
    trace = test.capture(app(PROGRAM[0]), *PROGRAM[1:], frames=N_FRAMES, witness=live,
                         output=test.path(f'{name}.gfxtrace'),
                         options=['--at-frame', str(AT), *options])
    return trace, live


def objects(test, trace):
    """Type → the names of its objects that lived when the capture began."""
    found = {}
    initial = test.info(trace)['initial_commands']
    for kind in test.cli('get', '--json', trace, 'objects').json()['types']:
        found[kind] = [each['name'] for each in
                       test.cli('get', '--json', trace, f'objects/{kind}').json()]
    check(initial > 0, 'no initial commands')
    return found


def unused(found):
    return sum(name is not None and name.startswith('unused')
               for names in found.values() for name in names)


def compare(test, trace, live):
    names = harness.frame_names(live)
    first = test.folder('first')
    for i in range(N_FRAMES):
        harness.copy_frame(live, names[AT + i], first, i)
    for kind, options in (('plain', []), ('poison', ['--poison'])):
        folder = test.folder(kind)
        report = test.replay(trace, '--frames-dir', folder, *options).json()
        check(report['ok'], f'the replay failed: {report}')
        harness.compare_folders(test, folder, first, N_FRAMES)


def option(test):
    """capture --trim: nothing is left that is called unused, and the frames are the same."""
    whole, _ = capture(test, 'whole')
    trimmed, live = capture(test, 'trimmed', '--trim')
    before, after = objects(test, whole), objects(test, trimmed)
    check(unused(before) > 10, f'nothing to leave out: {before}')
    check_equal(unused(after), 0, f'unused objects in {after}')
    for kind, n in (('VkInstance', 1), ('VkDevice', 1), ('VkDescriptorSet', 1), ('VkSampler', 1),
                    ('VkSwapchainKHR', 1)):
        check_equal(len(after[kind]), n, f'{kind} in the trimmed trace')
    less = os.path.getsize(whole) - os.path.getsize(trimmed)
    check(less > 7 * SHARE, f'only {less} bytes less')
    compare(test, trimmed, live)
    check(os.path.exists(trimmed) and not os.path.exists(trimmed + '.part'), 'a half file is left')
    test.cli('info', '--thumbnail', test.path('picture.png'), trimmed)


def verb(test):
    """vitrine-cli trim: the same of a file; twice is once; what is there stays as it is."""
    trace, live = capture(test, 'whole')
    untouched = shutil.copy(trace, test.path('copy.gfxtrace'))
    trimmed, again = test.path('trimmed.gfxtrace'), test.path('again.gfxtrace')
    report = test.cli('trim', '--json', trace, '-o', trimmed).json()
    check(report['objects']['after'] < report['objects']['before'] / 2, f'little gone: {report}')
    check_equal(report['commands']['after'], test.info(trimmed)['initial_commands'], 'commands')
    check_equal(report['bytes']['after'], os.path.getsize(trimmed), 'bytes')
    check(filecmp.cmp(trace, untouched, shallow=False), 'the trace was changed')
    twice = test.cli('trim', '--json', trimmed, '-o', again).json()
    for what in ('objects', 'commands'):
        check_equal(twice[what], {'before': report[what]['after'], 'after': report[what]['after']},
                    f'{what} of a trimmed trace')
    compare(test, again, live)
    calls = [[(call['name'], call['index']) for call in test.commands(each)]
             for each in (trace, trimmed)]
    check_equal(calls[1], calls[0], 'the calls of the program')
    test.cli('trim', trace)
    check_equal(test.info(trace)['initial_commands'], report['commands']['after'], 'in place')


def launch(test):
    """From launch there is nothing that could be left out."""
    trace = test.capture(app(PROGRAM[0]), '--frames', '2')
    trimmed = test.path('trimmed.gfxtrace')
    said = test.cli('trim', trace, '-o', trimmed).out
    check('launch' in said, f'not said: {said}')
    check_equal(len(test.commands(trimmed)), len(test.commands(trace)), 'calls')
    check(test.replay(trimmed).json()['ok'], 'the replay failed')


def errors(test):
    """What cannot be trimmed is said, and stays."""
    empty = test.path('empty.gfxtrace')
    with open(empty, 'wb'):
        pass
    test.cli('trim', empty, status=NO_TRACE)
    test.cli('trim', test.path('missing.gfxtrace'), status=NO_TRACE)
    test.cli('trim', status=USAGE)
    sample = os.environ.get('VITRINE_SAMPLE_TRACE', '')
    if os.path.exists(sample):
        result = test.cli('trim', sample, '-o', test.path('out.gfxtrace'), status=NO_TRACE)
        check('not written by this version' in result.err, f'not said: {result}')
        check(not os.path.exists(test.path('out.gfxtrace')), 'there is a file')
    trace = test.capture(app(PROGRAM[0]), '--frames', '2')
    cut = test.path('cut.gfxtrace')
    with open(trace, 'rb') as whole, open(cut, 'wb') as part:
        part.write(whole.read()[:-400])
    result = test.cli('trim', cut, status=NO_TRACE)
    check('ends early' in result.err, f'not said: {result}')


if __name__ == '__main__':
    harness.main(('option', option), ('verb', verb), ('launch', launch), ('errors', errors))
