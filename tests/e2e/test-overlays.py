#!/usr/bin/env python3
"""Counted overlays: overdraw, the lines and the area of the selection, compared with counts that follow from what the
programs draw."""

import os
import struct

import harness
from demos import DEMOS
from harness import Frame, app, check, check_equal

SIZE = 64
# x, y, width, height, depth, whether every second pixel is discarded: as in tests/apps/layers.c.
LAYERS = [(0, 0, 40, 40, 0.5, False), (8, 8, 40, 40, 0.4, False), (16, 16, 40, 40, 0.45, False),
          (4, 20, 30, 10, 0.3, True), (0, 0, 64, 64, 0.9, False)]
LINE = (200, 255, 0)


def covers(layer, x, y):
    left, top, width, height = layer[:4]
    return left <= x < left + width and top <= y < top + height


def expected_counts(layers):
    """How often each pixel is drawn to, with the test of depth and what is discarded."""
    counts = []
    for y in range(SIZE):
        for x in range(SIZE):
            depth, count = 1.0, 0
            for layer in layers:
                if covers(layer, x, y) and layer[4] < depth and not (layer[5] and (x + y) % 2 == 0):
                    depth, count = layer[4], count + 1
            counts.append(count)
    return counts


def shots(test, trace, paths, *options, **extra):
    folder = test.folder('taken')
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    arguments = [argument for path in [*paths, paths[0]] for argument in ('--path', path)]
    found = harness.raw_images(test.cli('screenshot', trace, *arguments, *options, '--json', '--raw',
                                        folder, timeout=120, **extra))
    return [found[n] for n in range(len(paths))]


def numbers(frame):
    return list(struct.unpack(f'<{frame.width * frame.height}f', frame.data))


def draws_of(test, trace):
    return [c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDraw']


def is_edge(n):
    """Whether pixel @n is beside one that other layers cover. lavapipe's scissors are not exact there
    with several samples."""
    x, y = n % SIZE, n // SIZE
    return any(x - at in (-1, 0) or y - to in (-1, 0)
               for left, top, width, height, _, _ in LAYERS
               for at in (left, left + width) for to in (top, top + height))


def expect_counts(test, trace, paths, wanted, what, *options, **extra):
    for path, counts, frame in zip(paths, wanted, shots(test, trace, paths, *options, **extra)):
        got = numbers(frame)
        wrong = [n for n in range(len(counts)) if abs(got[n] - counts[n]) > 1e-6 and
                 not ('--samples' in what and is_edge(n))]
        check(not wrong, f'{what}, {path}: {len(wrong)} pixels are wrong, the first '
              f'{wrong and (wrong[0] % frame.width, wrong[0] // frame.width)}: '
              f'{wrong and (got[wrong[0]], counts[wrong[0]])}')


def layers(*options):
    """Every draw of the pass in all ways that the program can draw them."""
    def body(test):
        trace = test.capture(app('layers'), *options)
        draws = draws_of(test, trace)
        if '--secondary' in options:
            draws.reverse()  # they are recorded the other way round
        if '--subpasses' in options:
            del draws[2]  # it draws elsewhere
        kind = 'depth' if '--depth-only' in options else 'color0'
        sample = '&sample=2' if '--samples' in options and kind == 'color0' else ''
        ends = (0, 2, 3, 4)
        paths = [f'commands/{draws[n]}/framebuffer/{kind}?overlay=overdraw{sample}' for n in ends]
        expect_counts(test, trace, paths, [expected_counts(LAYERS[:n + 1]) for n in ends], options)
        # After the pass: all of it.
        last = len(test.commands(trace)) - 1
        paths = [f'commands/{draws[-1]}/framebuffer/depth?overlay=overdraw']
        expect_counts(test, trace, paths, [expected_counts(LAYERS)], options, '--poison')
        # The third draw is partly hidden: all of it is highlighted.
        shape = [1 if covers(LAYERS[2], n % SIZE, n // SIZE) else 0 for n in range(SIZE * SIZE)]
        path = f'commands/{draws[2]}/framebuffer/depth?overlay=highlight'
        frame = shots(test, trace, [path])[0]
        got = [1 if frame.data[n * 4] > 2 * frame.data[n * 4 + 1] else 0 for n in range(SIZE * SIZE)]
        check(all(got[n] == shape[n] for n in range(SIZE * SIZE)
                  if not ('--samples' in options and is_edge(n))), f'{options}: the shape')
    body.__name__ = ' '.join(('layers', *options))
    return body


def statistics(test):
    """Numbers as JSON, and a picture of colours."""
    trace = test.capture(app('layers'))
    counts = expected_counts(LAYERS)
    result = test.cli('screenshot', trace, '--at', draws_of(test, trace)[-1], '--overlay', 'overdraw',
                      '--json', '-o', test.path('heat.png')).json()
    check_equal(result['overdraw']['max'], float(max(counts)), 'max')
    check(abs(result['overdraw']['mean'] - sum(counts) / len(counts)) < 1e-6, f'mean: {result}')
    covered = sum(counts) / sum(count > 0 for count in counts)
    check(abs(result['overdraw']['meanCovered'] - covered) < 1e-6, f'mean: {result}')
    pixels = harness.Png(test.path('heat.png')).rgb()
    colors = {}
    for n, count in enumerate(counts):
        colors.setdefault(count, set()).add(bytes(pixels[n * 3:n * 3 + 3]))
    check(all(len(color) == 1 for color in colors.values()), 'a count has several colours')
    check_equal(len(set.union(*colors.values())), len(colors), 'colours')


def lines(*options):
    """The lines of a draw, of several, of the whole pass: those of the program that draws lines."""
    def body(test):
        trace = test.capture(app('draws'), *options)
        steps = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
        for first, last in ((2, 2), (4, 4), (6, 6), (3, 5)):
            folder = test.folder(f'truth-{first}-{last}')
            skipped = sum(1 << n for n in range(8) if not first <= n <= last)
            test.run([app('draws'), *options, '--line', '--no-tests', '--skip', skipped, '--output',
                      folder]).check()
            truth = Frame.read(os.path.join(folder, 'color0.raw'))
            background = truth.data[:4]
            path = f'commands/{steps[last]}/framebuffer/color0?overlay=wireframe'
            plain, painted = shots(test, trace, [path.split('?')[0], path + (
                f'&from={steps[first]}' if first < last else '')])
            for n in range(0, len(truth.data), 4):
                wanted = LINE if truth.data[n:n + 4] != background else tuple(plain.data[n:n + 3])
                check_equal(tuple(painted.data[n:n + 3]), wanted,
                            f'draws {first} to {last}, pixel {n // 4}')
    body.__name__ = ' '.join(('wireframe', *options))
    return body


def mixed(test):
    """Overlays, edits and plain pictures in turn, from a kept state, by marks and from the disk: each
    is that of a replay of its own."""
    trace = test.capture(app('draws'))
    steps = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]
    edits = ['', '?overlay=overdraw', '?overlay=wireframe', '', f'?disable={steps[1]}',
             f'?disable={steps[1]}&overlay=overdraw', '?overlay=highlight',
             f'?overlay=highlight&from={steps[0]}', '?overlay=wireframe-all', '']
    paths = [f'commands/{at}/framebuffer/{part}{edit}' for edit in edits
             for at in (steps[5], steps[3]) for part in ('color0', 'depth')]
    fresh = {path: shots(test, trace, [path], VITRINE_REPLAY_SPLIT='0')[0].data
             for path in sorted(set(paths))}
    check(len(set(fresh.values())) >= 24, f'the edits change nothing: {len(set(fresh.values()))}')
    for extra in ({}, {'VITRINE_REPLAY_MARKS': '1'}, {'VITRINE_NO_CACHE': ''}, {'VITRINE_NO_CACHE': ''}):
        for path, got in zip(paths, shots(test, trace, paths, **extra)):
            check(got.data == fresh[path], f'{path} differs, {extra}')


def passes_of(calls):
    """The draws of each pass that is recorded in one command buffer."""
    found, draws = [], None
    for call in calls:
        if call['name'].startswith('vkCmdBeginRender'):
            draws = []
        elif call['name'].startswith('vkCmdEndRender'):
            if draws:
                found.append(draws)
            draws = None
        elif call['name'].startswith('vkCmdDraw') and draws is not None:
            draws.append(call['index'])
    return found


def check_growth(test, trace, name, n_passes=None):
    """Where a draw changes the picture, in whichever way the program draws, the count there has
    grown. Nowhere does it shrink."""
    for draws in passes_of(test.commands(trace))[:n_passes]:
        at = [f'commands/{index}/framebuffer/color0?sample=0' for index in draws[:6]]
        taken = shots(test, trace, at + [f'{path}&overlay=overdraw' for path in at])
        plain, counts = taken[:len(at)], [numbers(frame) for frame in taken[len(at):]]
        texel = len(plain[0].data) // len(counts[0])
        for k in range(1, len(at)):
            for n, (before, after) in enumerate(zip(counts[k - 1], counts[k])):
                place = slice(n * texel, (n + 1) * texel)
                check(after >= before, f'{name}, {at[k]}: the count of {n} shrinks')
                check(after > before or plain[k - 1].data[place] == plain[k].data[place],
                      f'{name}, {at[k]}: pixel {n} changes and is not counted')


def demos(*names, midrun=False):
    def body(test):
        for name in names:
            options, extra = {}, []
            if midrun:
                test.need_display()
                extra = ['--window', '--frames', '5']
                options = {'frames': 1, 'options': ['--at-frame', '2']}
            trace = test.capture(*DEMOS[name].argv(app), *extra,
                                 output=test.path(f'{name}.gfxtrace'), **options)
            check_growth(test, trace, name)
    body.__name__ = ' '.join(('midrun' if midrun else 'demos', *names))
    return body


def elsewhere(test):
    """Captured on one driver and counted on the other."""
    second = harness.need_swiftshader()
    for captured, counted in ((harness.LAVAPIPE, second), (second, harness.LAVAPIPE)):
        for options in ((), ('--dynamic', '--secondary'), ('--subpasses',)):
            trace = test.capture(app('layers'), *options, VK_ICD_FILENAMES=captured)
            draws = draws_of(test, trace)
            if '--secondary' in options:
                draws.reverse()
            expect_counts(test, trace, [f'commands/{draws[-1]}?overlay=overdraw'],
                          [expected_counts(LAYERS)], options, VK_ICD_FILENAMES=counted)


def sample(test):
    """GAPID's own sample: a cube that covers most of what it covers once."""
    trace = os.environ.get('VITRINE_SAMPLE_TRACE', '')
    if not os.path.exists(trace):
        raise harness.Skip('VITRINE_SAMPLE_TRACE names no file')
    draw = [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')][-1]
    paths = [f'commands/{draw}/framebuffer/color0{option}'
             for option in ('', '?overlay=overdraw', '?overlay=wireframe')]
    plain, counts, lines_over = shots(test, trace, paths)
    got = numbers(counts)
    painted = sum(lines_over.data[n:n + 3] == bytes(LINE) for n in range(0, len(lines_over.data), 4))
    check(100 < painted < len(got) // 20, f'{painted} pixels of lines')
    for n in range(len(got)):
        drawn = any(plain.data[n * 4:n * 4 + 3])
        check((got[n] >= 1) if drawn else got[n] <= 1, f'pixel {n}: {got[n]}, {drawn}')
    check(max(got) <= 2, f'{max(got)} at most')


def refused(test):
    """What cannot be counted is a sentence."""
    trace = test.capture(app('draws'))
    step = [c['index'] for c in test.commands(trace) if c['name'] == 'vkCmdDraw'][0]
    image = [c['index'] for c in test.commands(trace) if c['name'] == 'vkCreateImage'][0]
    for path, word in ((f'commands/{image}?overlay=overdraw', 'draw'),
                       (f'commands/{step}/framebuffer/resolve0?overlay=overdraw', 'attachment'),
                       (f'commands/{step}?overlay=wireframe&from=x', 'x')):
        result = test.cli('screenshot', trace, '--path', path, '-o', test.path('none.png'),
                          status=None)
        check(result.status != 0 and word in result.err, f'{path}: {result}')


harness.main(layers(), layers('--dynamic'), layers('--secondary'), layers('--dynamic', '--secondary'),
             layers('--subpasses'), layers('--depth-only'), layers('--depth-only', '--dynamic'),
             layers('--library'), layers('--library', '--dynamic'), layers('--early'),
             layers('--samples', '4'), layers('--samples', '4', '--subpasses'),
             demos('imageless', 'regions', 'passes'), demos('dynamic', 'states-three', 'states-writes'),
             demos('blends', 'multidraw', 'coverage'), demos('recordings', 'dynamic', midrun=True),
             elsewhere, sample, statistics, lines(), lines('--dynamic'), mixed, refused)
