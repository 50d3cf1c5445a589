"""Measures the time to view a trace: with documents in a process of their own, and in the window by its pixels.

Part of bench.py.
"""

import json
import os
import shutil
import statistics

import harness
import windows
from harness import CLI

GENERATE = os.path.join(harness.BUILD, 'tests', 'bench', 'vtr-trace-generate')
DOCUMENT = os.path.join(harness.BUILD, 'tests', 'bench', 'vtr-bench-document')
WATCH = os.path.join(harness.BUILD, 'tests', 'bench', 'vtr-bench-window')
EMPTY = os.path.join(harness.BUILD, 'tests', 'bench', 'vtr-bench-empty')
WINDOW = os.environ.get('VITRINE_WINDOW', os.path.join(harness.BUILD, 'src', 'vitrine'))

# Member of the document's report, what it is, the budget of each.
DOCUMENT_ROWS = (
    ('open_ms', 'open, ms', '300'),
    ('rows_ms', 'the first 60 rows, ms', ''),
    ('open_bytes_per_command', 'memory a command once open, bytes', '32'),
    ('find_row_ms', 'find the row of a random command, ms', ''),
    ('filter_draw_ms', 'filter “draw”, ms', ''),
    ('filter_text_ms', 'filter by text, ms', ''),
    ('command_ms', 'a random command, ms', ''),
    ('bound_ms', 'what is bound at a random command, ms', ''),
    ('state_prepare_ms', 'background pass of the state, ms', '3000'),
    ('state_ms', 'state at a random command, ms', '50'),
    ('state_ms_worst', '… the worst of 200, ms', '50'),
    ('state_path_ms', '… by path, as JSON, ms', ''),
    ('memory_prepare_ms', 'background pass of memory, ms', ''),
    ('memory_index_bytes_per_command', 'memory of its index a command, bytes', ''),
    ('memory_ms', 'memory at a random command, ms', '50'),
    ('memory_ms_worst', '… the worst of 200, ms', '50'),
    ('cancel_ms', 'a replay is cancelled: until the next request runs, ms', ''),
    ('cancel_ms_worst', '… the worst of 20, ms', ''),
    ('rss_anon_mib', 'memory after all this, MiB', ''),
)


def spread(values):
    if not values:
        return '–'
    middle, least, most = statistics.median(values), min(values), max(values)
    digits = 0 if middle >= 100 else 1 if middle >= 10 else 2
    return f'{middle:.{digits}f} [{least:.{digits}f}–{most:.{digits}f}]'


def measure_documents(bench, table):
    """A million and ten million commands, from the generator."""
    sizes = (1_000_000, 10_000_000)
    reports = {size: [] for size in sizes}
    for size in sizes:
        path = bench.path(f'{size}.gfxtrace')
        bench.run([GENERATE, '-n', size, '-o', path])
        for _ in range(bench.options.rounds):
            reports[size].append(json.loads(bench.run([DOCUMENT, '--cancels', 20, path]).out))
        os.unlink(path)
    rows = []
    for member, what, budget in DOCUMENT_ROWS:
        cells = [spread([report[member] for report in reports[size] if member in report])
                 for size in sizes]
        if cells != ['–', '–']:
            rows.append([what, *cells, budget])
    print('### An open trace\n')
    table(['', *(f'{size // 1_000_000} million commands' for size in sizes),
           'budget (one million)'], rows)
    bench.results['documents'] = reports


PLACES = ('first_image_ms', 'click_begin_ms', 'click_middle_ms', 'click_end_ms', 'click_ms',
          'click_ms_worst', 'other_frame_ms')


def clicks_in_renderdoc(bench, draws):
    """The same frame, SetFrameEvent and the texels of the target; '–' where RenderDoc has nothing."""
    bench.run(bench.load(['--draws', draws, '--frames', 3, '--visible', '--renderdoc',
                          bench.path('clicks')]), ENABLE_VULKAN_RENDERDOC_CAPTURE='1')
    path = bench.path('clicks_capture.rdc')
    clicks = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'renderdoc-clicks.py')
    times = {place: [] for place in PLACES}
    for _ in range(bench.options.rounds):
        report = json.loads(bench.run([clicks, path, 20]).out.splitlines()[-1])
        for place in PLACES:
            if place in report:
                times[place].append(report[place])
    os.unlink(path)
    bench.results[f'clicks, {draws} draws, RenderDoc'] = times
    return [spread(times[place]) for place in PLACES]


def measure_clicks(bench, table):
    """The picture after draws of a frame, by replay: with marks inside its submission, and without."""
    rows = []
    with_renderdoc = harness.run(['/usr/bin/python3', '-c', 'import renderdoc']).status == 0
    if not with_renderdoc:
        print('RenderDoc: left out: there is no python3-renderdoc\n')
    for draws in (100, 1000, 10000):
        path = bench.path('clicks.gfxtrace')
        bench.run([CLI, 'capture', '--quiet', '-o', path, '--', *bench.load(
            ['--draws', draws, '--frames', 3, '--visible'])])
        for what, env in (('', {}), (', no marks', {'VITRINE_REPLAY_MARKS': '0'})):
            times = {place: [] for place in PLACES}
            for _ in range(bench.options.rounds):
                report = json.loads(bench.run([DOCUMENT, '--images', 20, '--questions', 1, path],
                                              VITRINE_NO_CACHE='1', **env).out)
                for place in PLACES:
                    times[place].append(report[place])
            rows.append([f'{draws}{what}', *(spread(times[place]) for place in PLACES)])
            bench.results[f'clicks, {draws} draws{what}'] = times
        bench.remove_traces()
        if with_renderdoc:
            rows.append([f'{draws}, RenderDoc', *clicks_in_renderdoc(bench, draws)])
    print('### The picture after a draw, in the engine, ms\n')
    table(['draws a frame', 'first', 'in the first tenth', 'around the middle', 'in the last tenth',
           'anywhere', 'worst of 20', 'another frame'], rows)


def watch(bench, display, arguments, **extra):
    session = windows.Session(bench.env)
    try:
        env = {**session.env, 'DISPLAY': display.name, 'VITRINE_NO_CACHE': '1', **extra}
        return json.loads(bench.run([WATCH, *arguments], **env).out)
    finally:
        session.close()


def draws_of(bench, path, wanted):
    """Numbers of the last frame's draws, some of them, from all over the frame."""
    listed = bench.run([CLI, 'commands', '--filter', 'draw', '--json', path]).out.splitlines()
    numbers = [json.loads(line)['index'] for line in listed]
    numbers = numbers[-(len(numbers) // 3):]
    return [numbers[i * 7919 % len(numbers)] for i in range(wanted)]


def measure_start(bench, table):
    """First pixels beside an empty window and qrenderdoc; a million commands, opened for the first
    time and again. Rounds alternate, so that a slow minute slows all."""
    display = harness.Display('1600x1000x24')
    path = bench.path('million.gfxtrace')
    bench.run([GENERATE, '-n', 1_000_000, '-o', path])
    # What is remembered of traces is in folders of this bench; replays are not taken from a cache.
    folders, fresh = ({'XDG_STATE_HOME': bench.path(f'{name}-state'),
                       'XDG_CACHE_HOME': bench.path(f'{name}-cache')} for name in ('again', 'first'))
    programs = [('an empty window', ['--', EMPTY], {}), ('start', ['--', WINDOW], {})]
    if shutil.which('qrenderdoc'):
        programs.append(('start of qrenderdoc', ['--', 'qrenderdoc'], {}))
    programs += [('a million commands, first time', ['--', WINDOW, path], fresh),
                 ('a million commands, again', ['--', WINDOW, path], folders)]
    reports = {what: [] for what, _, _ in programs}
    try:
        watch(bench, display, ['--', WINDOW, path], **folders)
        for _ in range(bench.options.rounds):
            for what, arguments, extra in programs:
                for folder in fresh.values():
                    shutil.rmtree(folder, ignore_errors=True)
                reports[what].append(watch(bench, display, arguments, **extra))
    finally:
        display.close()
    bench.remove_traces()
    base = statistics.median(report['first_ms'] for report in reports['an empty window'])
    rows = []
    for what, found in reports.items():
        million = what.startswith('a million')
        ratio = statistics.median(report['first_ms'] for report in found) / base
        rows.append([what, spread([report['first_ms'] for report in found]), f'{ratio:.2f}',
                     *(spread([report[name] for report in found]) if million else '–'
                       for name in ('rows_first_ms', 'picture_first_ms', 'picture_ms'))])
        bench.results[f'start: {what}'] = found
    print('### Start and opening, ms\n')
    print('Budgets: first pixels 2.0 times an empty window or qrenderdoc, whichever is longer; of a '
          'million commands\nthe first rows and the first picture, recorded or cached, 1000 ms.\n')
    table(['', 'first pixels', '… of an empty window', 'first rows', 'first picture',
           'picture of the replay'], rows)


def measure_window(bench, table):
    display = harness.Display('1600x1000x24')
    rows = []

    def add(what, arguments, budget):
        reports = [watch(bench, display, arguments) for _ in range(bench.options.rounds)]
        clicks = [click for report in reports for click in report.get('clicks_ms', ())]
        rows.append([what, *(spread([report[name] for report in reports])
                             for name in ('first_ms', 'rows_ms', 'picture_ms')),
                     spread(clicks), spread([r['rss_anon_after_mib'] for r in reports]), budget])
        bench.results[f'window: {what}'] = reports

    try:
        add('start', ['--', WINDOW], 'first 400')
        if shutil.which('qrenderdoc'):
            add('start of qrenderdoc', ['--', 'qrenderdoc'], '')
        for draws in (2000, 10000):
            path = bench.path('window.gfxtrace')
            bench.run([CLI, 'capture', '--quiet', '-o', path, '--', *bench.load(
                ['--draws', draws, '--frames', 3, '--visible'])])
            selects = [part for number in draws_of(bench, path, 20)
                       for part in ('--select', f'commands/{number}')]
            add(f'{draws} draws a frame', [*selects, '--', WINDOW, path],
                'rows 300, picture 500, click 30, 250 MiB')
            bench.remove_traces()
        path = bench.path('million.gfxtrace')
        bench.run([GENERATE, '-n', 1_000_000, '-o', path])
        add('a million commands', ['--', WINDOW, path], 'rows 300')
        bench.remove_traces()
    finally:
        display.close()
    print('### The window, ms to the last change of its pixels\n')
    table(['', 'first pixels', 'rows', 'picture', 'click to picture', 'anonymous memory, MiB',
           'budget'], rows)
