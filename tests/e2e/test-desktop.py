#!/usr/bin/env python3
"""The desktop: actions and data by path on D-Bus, with right and wrong questions; the recipes of the guide."""

import glob
import json
import os
import re
import shlex
import signal
import subprocess
import time

import harness
import windows
from harness import app, check, check_equal, need

N_DRAWS = 6


def make_trace(test):
    """A few draws, and their indices."""
    trace = test.capture(app('load'), '--draws', N_DRAWS, '--frames', 3,
                         '--visible')
    return trace, [c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')]


def wait_for(question, what):
    end = time.monotonic() + windows.GRACE
    while time.monotonic() < end:
        if question():
            return
        time.sleep(0.05)
    raise harness.Failure(f'{what} did not come')


def programs(window, name):
    """Processes that the window has started and that have this name."""
    found = []
    for pid in harness.children(window.process.pid):
        try:
            with open(f'/proc/{pid}/comm', encoding='utf-8') as file:
                found += [pid] if file.read().strip() == name else []
        except OSError:
            pass
    return found


def data_by_path(test):
    """Get, GetFrom, GetImage answer as the command line does; errors have names and sentences."""
    trace, draws = make_trace(test)
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        # Asked while the trace is still being opened: it waits.
        check_equal(json.loads(window.get('Get', 'commands/0'))['index'], 0, 'command 0')
        check_equal(window.get('ListTraces'), [trace], 'the traces')
        for path in (f'commands/{draws[1]}', f'commands/{draws[1]}/parameters', 'frames/0', 'info',
                     f'commands/{draws[-1]}@0', 'objects/1', 'report'):
            truth = test.cli('get', '--json', trace, path).json()
            check_equal(json.loads(window.get('Get', path)), truth, path)
            check_equal(json.loads(window.get('GetFrom', trace, path)), truth, f'{path} of the file')

        truth = test.path('truth.png')
        test.cli('screenshot', trace, '--at', str(draws[2]), '-o', truth)
        expected = harness.Png(truth).rgb()
        for call in (('GetImage',), ('GetImageFrom', trace)):
            picture = test.path('got.png')
            with open(picture, 'wb') as file:
                file.write(bytes(window.get(*call, f'commands/{draws[2]}/framebuffer/color0')))
            check(harness.Png(picture).rgb() == expected, f'{call[0]} is another picture')

        window.check_error('Path', 'Get', 'nonsense')
        window.check_error('Path', 'Get', '')
        window.check_error('Path', 'Get', 'commands/123456789')
        window.check_error('Path', 'Get', 'commands/-1')
        window.check_error('Path', 'Get', '/' * 5000)
        window.check_error('Path', 'GetImage', 'commands/x/framebuffer/color0')
        window.check_error('Nothing', 'GetImage', 'commands/0')
        window.check_error('NoTrace', 'GetFrom', '/nowhere/at/all.gfxtrace', 'info')
        window.check_error('NoTrace', 'GetFrom', os.path.basename(trace), 'info')
        window.check_error('NoTrace', 'GetFrom', '', 'info')
        window.check_error('NoTrace', 'GetFrom', os.path.dirname(trace), 'info')
        window.check_error('NoTrace', 'GetFrom', '/bin/sh', 'info')
        window.check_lives('after wrong questions')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def steps(test):
    """From draw to draw and back, as the keys go."""
    trace, draws = make_trace(test)
    window = windows.Window(test, trace)

    def step(action, path, value=None):
        window.activate(action, value).check()
        wait_for(lambda: window.selected() == path, f'{path} by {action}')

    try:
        window.wait_ready()
        step('select', f'commands/{draws[0]}', f'commands/{draws[0]}')
        step('next-draw', f'commands/{draws[1]}')
        step('first-draw', f'commands/{draws[0]}')
        step('next-draw', f'commands/{draws[1]}')
        step('previous-draw', f'commands/{draws[0]}')
        step('select', f'commands/{draws[-1]}', f'commands/{draws[-1]}')
        step('back', f'commands/{draws[0]}')
        step('forward', f'commands/{draws[-1]}')
        window.activate('replay-on', 'no such device').check()
        window.activate('replay-on', '').check()
        window.check_lives('after steps')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def addresses(test):
    """How a replay treats device addresses can be said; what it is not, is told and changes nothing."""
    trace = test.capture(app('demo-address'))
    window = windows.Window(test, trace)

    def guessed():
        return json.loads(window.get('Get', 'compatibility'))['addresses'] is not None

    try:
        window.wait_ready()
        check(not guessed(), 'addresses are guessed that need not be')
        window.activate('replay-on', '?addresses=guess').check()
        wait_for(guessed, 'guessing')
        window.activate('replay-on', '?addresses=maybe').check()
        check(guessed(), 'it is opened anew')
        window.activate('replay-on', '?addresses=exact').check()
        wait_for(lambda: not guessed(), 'exact addresses')
        window.check_lives('at the end')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def measurement(test):
    """Measured in the window: the state says how it goes; a wrong wish is said, not done."""
    trace, _ = make_trace(test)
    window = windows.Window(test, trace)

    def state():
        words = window.call('org.gtk.Actions.Describe', 'measurement').check().out
        return words.split("<'")[1].split("'>")[0]

    try:
        window.wait_ready()
        window.activate('measure', 'by=draw&loops=3&statistics').check()
        wait_for(lambda: state() == 'measured 3', 'the measurement')
        window.activate('measure', 'loops=0').check()
        wait_for(lambda: state().startswith('measuring '), 'a measurement without end')
        window.activate('stop-measuring').check()
        wait_for(lambda: state().startswith('measured '), 'the end of it')
        before = state()
        window.activate('measure', 'by=nothing').check()
        window.check_lives('after a wrong wish')
        check_equal(state(), before, 'the state after a wrong wish')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def without_a_trace(test):
    """With nothing open, everything is answered, and a file can be asked nevertheless."""
    trace, _ = make_trace(test)
    window = windows.Window(test)
    try:
        window.wait_ready()
        check_equal(window.get('ListTraces'), [], 'the traces')
        window.check_error('NoTrace', 'Get', 'info')
        window.check_error('NoTrace', 'GetImage', 'frames/0')
        check_equal(json.loads(window.get('GetFrom', trace, 'commands/1'))['index'], 1, 'command 1')
        check_equal(json.loads(window.get('GetFrom', f'file://{trace}', 'commands/2'))['index'], 2,
                    'command 2, by URI')
        for action, value in (('select', 'commands/1'), ('export-framebuffer', test.path('no.png')),
                              ('export-framebuffer', ''), ('stop', None), ('select', ''),
                              ('open', '/nowhere/at all.gfxtrace'), ('open', ''),
                              ('open', 'http://localhost:1/x.gfxtrace')):
            window.activate(action, value)
            window.check_lives(f'after {action} {value}')
        # The wrong type of parameter, or none.
        window.activate('select')
        window.activate('capture', 'vkcube')
        window.call('org.gtk.Actions.Activate', 'select', '[<uint32 7>]', '{}')
        window.call('org.gtk.Actions.Activate', 'capture-program', '[<@as []>]', '{}')
        window.call('org.gtk.Actions.Activate', 'no-such-action', '[]', '{}')
        window.check_lives('after wrong parameters')
        check(not os.path.exists(test.path('no.png')), 'a picture of nothing')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def export_waits(test):
    """An image exported right after a selection is of that selection, never the one before."""
    trace, draws = make_trace(test)
    truths = []
    for draw in draws[:N_DRAWS]:
        truth = test.path(f'truth-{draw}.png')
        test.cli('screenshot', trace, '--at', str(draw), '-o', truth)
        truths.append(harness.Png(truth).rgb())
    check(truths[0] != truths[-1], 'all draws look the same')
    window = windows.Window(test)
    try:
        window.wait_ready()
        # All in one go, from opening on.
        window.activate('open', trace).check()
        for draw in draws[:N_DRAWS]:
            window.activate('select', str(draw)).check()
            window.activate('export-framebuffer', test.path(f'got-{draw}.png')).check()
        for draw, truth in zip(draws, truths):
            picture = test.path(f'got-{draw}.png')
            wait_for(lambda name=picture: os.path.exists(name), f'the image of {draw}')
            check(harness.Png(picture).rgb() == truth, f'command {draw} has another picture')
        check_equal(window.selected(), f'commands/{draws[N_DRAWS - 1]}', 'the selection')
        window.activate('export-framebuffer', test.path('got.jpg'))
        window.activate('export-framebuffer', '/nowhere/there.png')
        window.check_lives('after a wrong file')
        check(not os.path.exists(test.path('got.jpg')), 'a PNG called got.jpg was written')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def one_window(test):
    """A trace that is open raises its window. One that was written anew since gets another."""
    trace, _ = make_trace(test)
    window = windows.Window(test)
    try:
        window.wait_ready()
        for _ in range(20):
            window.activate('open', trace).check()
        wait_for(lambda: window.get('ListTraces'), 'the trace')
        for _ in range(20):
            window.activate('open', trace).check()
        check_equal(window.get('ListTraces'), [trace], 'windows')
        os.utime(trace, (1, 1))
        window.activate('open', trace).check()
        wait_for(lambda: len(window.get('ListTraces')) == 2, 'the other window')
        window.check_lives('after many openings')
    finally:
        window.close()


def jobs(test):
    """All frames, all shaders and a trimmed trace as files, as the command line writes them; recovery."""
    test.need_display()
    trace = test.capture('vkcube', '--c', '1000000', options=['--at-frame', 5, '--frames', 2])
    outputs = {'export-frames': test.path('frames'), 'export-shaders': test.path('shaders'),
               'trim': test.path('trimmed.gfxtrace')}
    test.cli('shaders', trace, '--export', test.path('expected'))
    test.cli('trim', trace, '-o', test.path('expected', 'trimmed.gfxtrace'))
    window = windows.Window(test, trace)

    def wait_for_files(action, names):
        folder = outputs[action]
        wait_for(lambda: os.path.isdir(folder) and sorted(os.listdir(folder)) == sorted(names), action)

    try:
        window.wait_ready()
        shaders = [name for name in os.listdir(test.path('expected')) if name != 'trimmed.gfxtrace']
        # All at once: each waits for its turn, and none is dropped.
        for action, output in outputs.items():
            window.activate(action, output).check()
        wait_for_files('export-frames', ['frame-000000.png', 'frame-000001.png'])
        wait_for_files('export-shaders', shaders)
        for name in shaders:
            check_equal(read(outputs['export-shaders'], name), read(test.path('expected'), name), name)
        wait_for(lambda: os.path.exists(outputs['trim']), 'the trimmed trace')
        test.replay(outputs['trim'])
        check_equal(test.info(outputs['trim'])['commands'],
                    test.info(test.path('expected', 'trimmed.gfxtrace'))['commands'], 'commands')
        window.activate('trim', '').check()
        window.activate('recover').check()
        window.check_lives('at the end')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def read(folder, name):
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def selections(test):
    """Any path selects its command; what names nothing leaves the selection alone."""
    trace, draws = make_trace(test)
    draw = draws[0]
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        for path, selected in ((str(draw), f'commands/{draw}'), (f'{draw}@0', f'commands/{draw}'),
                               (f'commands/{draw}/parameters/vertexCount', f'commands/{draw}'),
                               (f'commands/{draw}@0/state/devices', f'commands/{draw}'),
                               (f'commands/{draw}/memory', f'commands/{draw}'),
                               (f'commands/{draw}/shaders', f'commands/{draw}'),
                               (f'commands/{draw}/textures', f'commands/{draw}'),
                               ('shaders', None), ('textures', None),
                               (f'commands/{draw}/framebuffer/color0', f'commands/{draw}'),
                               (f'objects/1/texture?after={draws[1]}', f'commands/{draws[1]}'),
                               ('objects/1/anything', None), ('frames/0', None), ('report', None),
                               ('log', None)):
            window.activate('select', path).check()
            if selected:
                wait_for(lambda s=selected: window.selected() == s, f'{selected} from {path}')
        window.activate('select', f'commands/{draw}').check()
        for path in ('commands/999999999', 'commands/', 'commands/12x', f'commands/{draw}@9', 'nonsense',
                     'objects/0', 'objects/99999999', 'frames/77', '\\u2026', '../../etc'):
            window.activate('select', path).check()
            check_equal(window.selected(), f'commands/{draw}', f'the selection after {path}')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def callers_vanish(test):
    """Callers that go before the answer leave nothing behind; the window answers others at once."""
    trace, draws = make_trace(test)
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        window.get('Get', 'info')
        gone = []
        for draw in draws * 3:
            gone.append(harness.start(
                [need('gdbus'), 'call', '--session', '--dest', windows.APPLICATION, '--object-path',
                 windows.OBJECT, '--method', f'{windows.APPLICATION}.Data.GetImage',
                 f'commands/{draw}'], window.env, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))
            time.sleep(0.02)
        begun = time.monotonic()
        window.get('ListTraces')
        check(time.monotonic() - begun < 3 * harness.PATIENCE, 'the window was busy')
        for process in gone:
            harness.end_group(process, signal.SIGKILL)
            process.wait()
        check(window.get('GetImage', f'commands/{draws[0]}')[:4] == [0x89, 0x50, 0x4e, 0x47],
              'no PNG after that')
        window.check_lives('after callers that went')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def resident(pid):
    """MiB of memory that a process holds."""
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        return next(int(line.split()[1]) for line in file if line.startswith('VmRSS')) / 1024


def flood(window, *call):
    """Calls the window 5,000 times a second from one connection, for some seconds, while another
    connection asks one question after the other. Returns: what became of both."""
    before = resident(window.process.pid)
    told = harness.run([os.path.join(harness.BUILD, 'tests', 'bus-flood', 'vtr-bus-flood'),
                        windows.APPLICATION, windows.OBJECT, '3', '5000', *call], window.env,
                       timeout=300).check().json()
    window.check_lives(f'after {call}')
    check_equal(told['answered'] + told['refused'], told['sent'], f'answers to {call}: {told}')
    check(told['gets'] > 0 and told['gets_failed'] == 0, f'the other caller, {call}: {told}')
    check(told['longest'] < 5 * harness.PATIENCE, f'the other caller waited, {call}: {told}')
    grown = resident(window.process.pid) - before
    check(grown < 200, f'memory grew by {grown:.0f} MiB, {call}: {told}')
    return told


def floods(test):
    """A caller that floods the window is refused what is too much; others are answered meanwhile."""
    trace, draws = make_trace(test)
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        window.get('GetImage', f'commands/{draws[0]}')
        for call in (('Get', f'commands/{draws[0]}/state'), ('select', f'commands/{draws[1]}'),
                     ('overlay', 'nonsense'), ('Open', trace), ('about',)):
            told = flood(window, *call)
            test.note(f'{call[0]}: {told}')
            if call[0] == 'Get':
                check(told['refused'] > 0, f'nothing was refused: {told}')
                check_equal(told['error'], 'org.freedesktop.DBus.Error.LimitsExceeded', 'the error')
                check(len(told['sentence']) > 20, f'it has a sentence: {told}')
        wait_for(lambda: 'over D-Bus w' in window.messages(), 'a word about what was refused')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def window_limit(test):
    """A script cannot open windows without end."""
    window = windows.Window(test)
    try:
        window.wait_ready()
        for _ in range(40):
            window.call('org.gtk.Actions.Activate', 'new-window', '[]', '{}')
        wait_for(lambda: 'Too many windows' in window.messages(), 'a word about too many windows')
        window.check_lives('with many windows')
    finally:
        window.close()


def single_instance(test):
    """A second start opens its files in the first, one window each."""
    trace, _ = make_trace(test)
    copies = [test.path(f'copy {i}.gfxtrace') for i in range(2)]
    for copy in copies:
        with open(trace, 'rb') as source, open(copy, 'wb') as target:
            target.write(source.read())
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        harness.run([windows.WINDOW, *copies], window.env, timeout=20).check()
        wait_for(lambda: sorted(window.get('ListTraces')) == sorted([trace, *copies]), 'all traces')
    finally:
        window.close()


def recipes(test):
    """Every line of the guide's D-Bus page that begins with gapplication or gdbus works as it stands."""
    trace, draws = make_trace(test)
    source = os.path.join(os.path.dirname(__file__), '..', '..', 'docs', 'guide', 'dbus.md')
    with open(source, encoding='utf-8') as file:
        lines = [line.strip() for line in re.sub(r'\\\n\s*', '', file.read()).splitlines()]
    lines = [line.split('  #')[0].strip() for line in lines
             if line.startswith(('gapplication ', 'gdbus '))]
    check(len(lines) >= 8, f'only {len(lines)} recipes')
    # What is captured shows in a window of its own, which the questions would then be about.
    lines.sort(key=lambda line: 'capture' in line or line.endswith(' stop'))
    window = windows.Window(test, trace)
    try:
        window.wait_ready()
        window.get('Get', 'info')
        for line in lines:
            for name in ('cube.gfxtrace', 'frame.png'):
                line = re.sub(rf"[^ '\"]*/{re.escape(name)}",
                              trace if name.startswith('cube') else test.path(name), line)
            # The page's program presents its frames; this one does not.
            line = line.replace('frames/0', f'commands/{draws[0]}')
            words = shlex.split(line)
            need(words[0])
            if words[-1] == 'quit':
                continue
            harness.run(words, window.env, timeout=30).check()
            window.check_lives(f'after {line}')
        wait_for(lambda: os.path.exists(test.path('frame.png')), 'the exported image')
        harness.run(['gapplication', 'action', windows.APPLICATION, 'quit'], window.env).check()
        wait_for(lambda: window.process.poll() is not None, 'the end')
        check_equal(window.process.returncode, 0, 'status at the end')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def captures(test):
    """A program that runs idle; frames of it when asked for, each a file with a picture; the end."""
    test.env['HOME'] = test.dir
    test.env['VITRINE_CAPTURE_DISABLE'] = '1'
    traces = [test.path('Traces', name) for name in ('vkcube.gfxtrace', 'vkcube-2.gfxtrace')]
    pictures = os.path.join(test.runtime, 'cache', 'vitrine', 'thumbnails')
    window = windows.Window(test)
    try:
        window.wait_ready()
        window.activate('capture-frame').check()
        window.check_lives('after a frame was asked for without a capture')
        window.call('org.gtk.Actions.Activate', 'capture-idle',
                    "[<['vkcube', '--c', '1000000']>]", '{}').check()
        for trace in traces:
            # Before the program has a device, the window says so and captures nothing.
            wait_for(lambda: (window.activate('capture-frame').check() and
                              os.path.exists(trace)), trace)
        for trace in traces:
            check(test.replay(trace).json()['ok'], f'{trace} does not replay')
        wait_for(lambda: os.path.isdir(pictures) and len(os.listdir(pictures)) >= 2,
                 'the pictures')
        window.activate('stop').check()
        wait_for(lambda: not harness.children(window.process.pid), 'the end of the program')
        # All that the command line can say; what it cannot is told, and nothing begins.
        folder = os.path.dirname(traces[0])
        before = set(os.listdir(folder))
        for options in ('at-frame=7&every', 'at-frame=7&every=9&times=2&trim&frames=2'):
            window.call('org.gtk.Actions.Activate', 'capture-with',
                        f"[<('{options}', ['vkcube', '--c', '1000000'])>]", '{}').check()
        wait_for(lambda: len(set(os.listdir(folder)) - before) == 2, 'the repeated captures')
        wait_for(lambda: not harness.children(window.process.pid), 'the end after two captures')
        for name in set(os.listdir(folder)) - before:
            info = test.cli('info', '--json', os.path.join(folder, name)).json()
            check_equal(info['frames'], 2, f'frames of {name}')
        check('every' in window.messages(), window.messages())
        window.check_lives('at the end')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


def stops_idle(test):
    """A program that waits for its moment is ended when that is asked for, also while it is stopped."""
    test.env['HOME'] = test.dir
    test.env['VITRINE_CAPTURE_DISABLE'] = '1'
    window = windows.Window(test)
    try:
        window.wait_ready()
        for stopped in (False, True):
            # Again while the one before is being finished: it says so, and nothing begins.
            wait_for(lambda: programs(window, 'vkcube') or not
                     window.call('org.gtk.Actions.Activate', 'capture-idle',
                                 "[<['vkcube', '--c', '1000000']>]", '{}').check(), 'the program')
            program, = programs(window, 'vkcube')
            # It has a device, and all threads that it will have. Asked again and again there may be
            # several captures by then.
            before = len(glob.glob(test.path('Traces/*.gfxtrace')))
            wait_for(lambda n=before: window.activate('capture-frame').check() and
                     len(glob.glob(test.path('Traces/*.gfxtrace'))) > n, 'a capture')
            if stopped:
                os.kill(program, signal.SIGSTOP)
            window.activate('stop-program').check()
            wait_for(lambda: not programs(window, 'vkcube'), 'the end of the program')
            window.check_lives('after the program was stopped')
        check('CRITICAL' not in window.messages(), window.messages())
    finally:
        window.close()


harness.main(data_by_path, steps, addresses, measurement, without_a_trace, export_waits, selections, callers_vanish, floods,
             window_limit, one_window, single_instance,
             captures, jobs, stops_idle, recipes)
