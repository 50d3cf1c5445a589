#!/usr/bin/env python3
"""GPU times and statistics of a frame, row by row; measuring changes no other answer."""

import json
import os
import re
import signal
import time

import harness
from demos import DEMOS
from harness import app, check, check_equal

SAMPLE = os.environ.get('VITRINE_SAMPLE_TRACE', '')
CHECK = os.path.join(harness.BUILD, 'tests', 'engine', 'resolve', 'check-timings')
OTHER = os.path.join(harness.BUILD, 'tests', 'other-driver', 'other_icd.json')
USAGE, NO_TRACE, NO_ANSWER, INTERRUPTED = 2, 3, 6, 130
# Measured by themselves.
ACTION = re.compile(r'vkCmd(Draw|Dispatch|Copy|Blit|Clear|Resolve|Fill|Update)')
BEGIN = re.compile(r'vkCmdBegin(RenderPass|Rendering)')
STATISTICS = ('inputAssemblyVertices', 'inputAssemblyPrimitives', 'vertexShaderInvocations',
              'geometryShaderInvocations', 'geometryShaderPrimitives', 'clippingInvocations',
              'clippingPrimitives', 'fragmentShaderInvocations',
              'tessellationControlShaderPatches', 'tessellationEvaluationShaderInvocations',
              'computeShaderInvocations')


def measure(test, trace, *options, **extra):
    timings = test.cli('timings', '--json', *options, trace, timeout=120, **extra).json()
    check_rows(timings)
    return timings


def ask(test, trace, path):
    return json.loads(test.cli('get', trace, path).out)


def check_spread(spread, what):
    check(0 <= spread['minimum'] <= spread['median'] <= spread['maximum'] and
          spread['minimum'] <= spread['mean'] <= spread['maximum'], f'{what} is no spread: {spread}')


def check_rows(timings):
    """What holds for every measurement."""
    rows = timings['rows']
    check_spread(timings['wall'], 'the whole')
    check(timings['wall']['minimum'] > 0, 'the frame took no time')
    check_equal(len(timings['wall']['samples']), timings['loops'], 'samples of the whole')
    inside = [0] * len(rows)
    for number, row in enumerate(rows):
        parent = row['parent']
        check(parent is None or 0 <= parent < number, f'row {number} lies in {parent}')
        check(row['command'] <= row['last'], f'row {number} ends before it begins')
        if 'reason' in row:
            continue
        check_spread(row, f'row {number}')
        if parent is not None and 'reason' not in rows[parent]:
            inside[parent] += row['median']
            check(row['begin'] >= rows[parent]['begin'], f'row {number} begins before {parent}')
    if timings['loops'] > 1:
        return
    for number, row in enumerate(rows):
        check('reason' in row or inside[number] <= row['median'],
              f'row {number} took {row}, what is inside {inside[number]} ns')
    check_equal(timings['gpu'], sum(row.get('median', 0) for row in rows if row['parent'] is None),
                'the GPU time')


def names(timings, kind):
    return [row['name'] for row in timings['rows'] if row['kind'] == kind]


def bare(command_names):
    """Rows are named as they are shown, commands as they are called."""
    return [re.sub('^vkCmd', '', name) for name in command_names]


def expected_of(test, trace):
    """Passes and actions of command buffers that ran once each, in the order of recording."""
    calls = [call['name'] for call in test.commands(trace)]
    return ([name for name in calls if BEGIN.match(name)],
            [name for name in calls if ACTION.match(name)])


def levels(*program):
    """Each level has what it says: no more and no less."""
    def body(test):
        trace = test.capture(*program)
        passes, actions = expected_of(test, trace)
        whole = measure(test, trace, '--loops', 1, '--warm-up', 0)
        check_equal(bare(names(whole, 'pass')), bare(passes), 'passes')
        check_equal(bare(names(whole, 'command')), bare(actions), 'commands')
        by_pass = measure(test, trace, '--by', 'pass', '--loops', 2)
        check_equal(bare(names(by_pass, 'pass')), bare(passes), 'passes alone')
        check_equal(names(by_pass, 'command'), [], 'commands in passes alone')
        by_buffer = measure(test, trace, '--by', 'command-buffer', '--loops', 1)
        check_equal({row['kind'] for row in by_buffer['rows']}, {'command-buffer'}, 'kinds')
        by_frame = measure(test, trace, '--by', 'frame', '--loops', 3)
        check_equal((by_frame['rows'], by_frame['gpu'], by_frame['loops']), ([], 0, 3), 'the frame')
    return body


def secondary(*options):
    """Draws of secondaries are rows inside the pass; what runs twice has rows twice."""
    def body(test):
        trace = test.capture(app('secondary'), *options)
        timings = measure(test, trace, '--loops', 1, '--warm-up', 0)
        rows = timings['rows']
        buffers = [row for row in rows if row['kind'] == 'command-buffer']
        # One primary, three runs of two recordings in the pass, one outside.
        check_equal(len(buffers), 5, 'runs of command buffers')
        check_equal(sum(row['parent'] is None for row in buffers), 1, 'primaries')
        draws = [row for row in rows if 'Draw' in row['name']]
        check_equal(len(draws), 6, 'draws')
        check_equal(len({row['path'] for row in draws}), 6, 'paths of draws')
        for row in draws:
            inner = rows[row['parent']]
            check_equal(inner['kind'], 'command-buffer', 'a draw lies in')
            check_equal(rows[inner['parent']]['kind'], 'pass', 'its command buffer lies in')
        # Nested paths lead to the same row.
        for row in draws[::3]:
            there = ask(test, trace, f'{row["path"]}/timings')
            check_equal((there['path'], there['command']), (row['path'], row['command']), 'the row')
    return body


def counts(test, trace, *options, **extra):
    timings = measure(test, trace, '--statistics', '--loops', 1, '--warm-up', 0, *options, **extra)
    return timings, [row for row in timings['rows']
                     if row['kind'] == 'command' and re.search('Draw|Dispatch', row['name'])]


def numbers(row):
    return [row['statistics'].get(key) for key in STATISTICS + ('samplesPassed',)]


def statistics(test):
    """Known numbers, and those of the program's own queries."""
    result = test.run([app('demo-counted'), '--own', '--frames', 1]).check()
    own = [[int(n) for n in line.split()[1:]] for line in result.out.splitlines()
           if line.startswith('counted')]
    trace = test.capture(app('demo-counted'), '--frames', 1)
    timings, rows = counts(test, trace)
    check_equal(len(rows), len(own), 'dispatches and draws')
    check_equal(rows[0]['statistics']['computeShaderInvocations'], 80, 'invocations')
    for row, expected in zip(rows, [(), (3, 1, 3072), (9, 3, 384), (6, 2, 64), (3, 1, 0)]):
        got = row['statistics']
        if expected:
            check_equal((got['inputAssemblyVertices'], got['inputAssemblyPrimitives'],
                         got['samplesPassed']), expected, row['path'])
    # No triangle ends inside of the second draw's scissor: nothing is shaded but what is drawn.
    check_equal(rows[2]['statistics']['fragmentShaderInvocations'], 384, 'fragments')
    check_equal(rows[4]['statistics']['fragmentShaderInvocations'], 0, 'fragments behind it all')
    check_equal(rows[4]['statistics']['clippingPrimitives'], 0, 'primitives behind it all')
    for row, expected in zip(rows, own):
        got = numbers(row)
        got[-1] = got[-1] or 0
        check_equal(got, expected, f'what the program counts itself of {row["path"]}')
    # Sums.
    for row in timings['rows']:
        if row['kind'] == 'pass':
            check_equal(row['statistics']['samplesPassed'], 3072 + 384 + 64, 'samples of the pass')
            check_equal(row['statistics']['inputAssemblyVertices'], 21, 'vertices of the pass')
    again, _ = counts(test, trace)
    check_equal([row['statistics'] for row in again['rows']],
                [row['statistics'] for row in timings['rows']], 'counted again')
    one = ask(test, trace, f'{rows[1]["path"]}/statistics')
    check_equal(one['statistics'], rows[1]['statistics'], 'by path')


def own_queries(test):
    """Where the program counts, nobody else may: a sentence."""
    trace = test.capture(app('demo-counted'), '--own', '--frames', 1)
    _, rows = counts(test, trace)
    check(len(rows) > 0, 'no rows')
    for row in rows:
        check('has a query of its own active' in row.get('statisticsReason', ''),
              f'no sentence in {row}')
        check('median' in row, f'no time in {row}')


def demos(test):
    """A frame in the middle of a run, of every demo: all numbers are there, and the next replay shows
    what it showed before."""
    test.need_display()
    for name in ('copies', 'dynamic', 'events', 'indirect', 'passes', 'queries', 'recordings',
                 'resolves', 'stages', 'timeline'):
        demo = DEMOS[name]
        trace = test.path(f'{name}.gfxtrace')
        test.cli('capture', '-o', trace, '--at-frame', 1, '--frames', 1, '--',
                 *demo.argv(app), '--window', '--frames', 4)
        timings = measure(test, trace, '--loops', 1, '--warm-up', 0, '--statistics')
        check(len(timings['rows']) > 2, f'{name}: {timings["rows"]}')
        for row in timings['rows']:
            check('reason' not in row, f'{name}: {row}')


def document(*program):
    """In one process: pictures before, between and after measurements; giving up; taking turns."""
    def body(test):
        trace = test.capture(*program)
        test.run([CHECK, trace], timeout=200).check()
    return body


def timestamps(test):
    """Queues that write no timestamps, or short ones."""
    trace = test.capture(app('draws'))
    other = {'VK_ICD_FILENAMES': OTHER}
    short = measure(test, trace, '--loops', 1, OTHER_DRIVER_TIMESTAMP_BITS='36', **other)
    check(all('median' in row for row in short['rows']), 'rows without a time')
    check(short['gpu'] < 60e9, f'{short["gpu"]} ns')
    none = measure(test, trace, '--loops', 1, OTHER_DRIVER_TIMESTAMP_BITS='0', **other)
    check_equal(len(none['rows']), len(short['rows']), 'rows without timestamps')
    for row in none['rows']:
        check('does not support timestamps' in row.get('reason', ''), f'no sentence in {row}')
    result = test.cli('timings', trace, '--loops', 1, OTHER_DRIVER_TIMESTAMP_BITS='0', **other)
    check('does not support timestamps' in result.out, f'no sentence: {result}')


def loops(test):
    """N loops are N; JSON is the same again but for the times; the table and CSV agree with it."""
    trace = test.capture(app('draws'))
    first = measure(test, trace, '--loops', 4)
    check_equal((first['loops'], first['warm'], first['unit']), (4, 1, 'ns'), 'what it says')
    second = measure(test, trace, '--loops', 4)
    for timings in (first, second):
        for row in timings['rows']:
            for key in ('begin', 'minimum', 'median', 'maximum', 'mean'):
                del row[key]
        del timings['wall'], timings['gpu']
    check_equal(first, second, 'measured again')
    csv = test.cli('timings', '--csv', '--loops', 2, trace).out.splitlines()
    check_equal(len(csv), 2 + len(first['rows']), 'lines of CSV')
    check_equal(len({line.count(',') for line in csv}), 1, 'columns of CSV')
    check_equal([line.split(',')[1] for line in csv[2:]], [row['path'] for row in first['rows']],
                'paths in CSV')
    table = test.cli('timings', '--slowest', '--loops', 2, trace).out
    times = [float(line.split()[0]) for line in table.splitlines() if 'vkCmd' in line]
    check(len(times) > 5 and times == sorted(times, reverse=True), f'not by time: {table}')


def interrupted(test):
    """Until Ctrl+C, and then what there is by then."""
    trace = test.capture(app('draws'))
    for options, ends in ((['--json'], 0), ([], 0)):
        with open(test.path('out'), 'wb') as out, open(test.path('err'), 'wb') as err:
            process = harness.start([harness.CLI, 'timings', '--until-interrupted', *options, trace],
                                    test.env, stdout=out, stderr=err, cwd=test.dir)
            try:
                deadline = time.monotonic() + 120
                while 'loops' not in read(test.path('err')):
                    check(time.monotonic() < deadline and process.poll() is None,
                          f'nothing is said: {read(test.path("err"))}')
                    time.sleep(0.02)
                os.kill(process.pid, signal.SIGINT)
                check_equal(process.wait(120), ends, 'status')
            finally:
                if process.poll() is None:
                    harness.end_group(process)
        text = read(test.path('out'))
        if options:
            timings = json.loads(text)
            check(timings['loops'] > 0 and len(timings['rows']) > 0, f'no summary: {text}')
            check_rows(timings)
        else:
            check('vkCmdDraw' in text and 'loops' in text, f'no summary: {text}')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def sample(test):
    if not os.path.exists(SAMPLE):
        raise harness.Skip('VITRINE_SAMPLE_TRACE names no file')
    for frame in (0, 1):
        timings = measure(test, SAMPLE, '--frame', frame, '--loops', 1, '--statistics')
        draws = [row for row in timings['rows'] if row['name'].endswith('DrawIndexed')]
        check_equal(len(draws), 1, f'draws of frame {frame}')
        check(draws[0]['statistics']['inputAssemblyVertices'] == 36, f'{draws[0]}')


def sentences(test):
    """What is wrong with a question, and questions without an answer."""
    trace = test.capture(app('draws'))
    for arguments, status, word in (
            (['--by', 'vertex'], USAGE, '--by needs'),
            (['--loops', '0'], USAGE, '--loops needs'),
            (['--loops', '-3'], USAGE, '--loops needs'),
            (['--warm-up', '-1'], USAGE, '--warm-up'),
            (['--json', '--csv'], USAGE, 'either'),
            (['--frame', '9'], USAGE, '9'),
            (['--frame', 'x'], USAGE, 'x'),
            (['--device', 'nothing like it'], None, 'nothing like it')):
        result = test.cli('timings', *arguments, trace, status=None)
        check(result.status == status or status is None and result.status != 0,
              f'{arguments}: {result}')
        check(word in result.err, f'no sentence for {arguments}: {result}')
    for path, status, word in (('frames/0/timings?by=vertex', USAGE, 'by=vertex'),
                               ('frames/0/timings?loops=0', USAGE, 'loops=0'),
                               ('frames/0/timings?loops=', USAGE, 'loops='),
                               ('frames/7/timings', USAGE, '7'),
                               ('commands/0/timings', NO_ANSWER, 'command buffer')):
        result = test.cli('get', trace, path, status=None)
        check(result.status == status and word in result.err, f'{path}: {result}')
    check_equal(test.cli('timings', test.path('nothing'), status=None).status, NO_TRACE, 'status')
    empty = test.capture(app('exit'), status=None)
    if os.path.exists(empty):
        result = test.cli('timings', empty, status=None)
        check(result.status == NO_ANSWER and result.err, f'{result}')


harness.main(('levels', levels(app('draws'))),
             ('levels, dynamic rendering', levels(app('draws'), '--dynamic')),
             ('secondary', secondary()), ('secondary, dynamic rendering', secondary('--dynamic')),
             statistics, own_queries, demos,
             ('document', document(app('draws'))),
             ('document, frames', document(app('load'), '--draws', 100, '--frames', 6)),
             timestamps, loops, interrupted, sample,
             sentences)
