#!/usr/bin/env python3
"""Calls of an API that no build has, between those of Vulkan: all of the trace is there, and Vulkan's part works as without them."""

import json
import os

import foreign
import harness
import windows
from harness import check, check_equal

SENTENCE = 'calls of an API that this version of Vitrine does not know (foo)'


def make(test, name='vkcube'):
    path = test.path('foreign.gfxtrace')
    with open(path, 'wb') as file:
        file.write(foreign.insert(foreign.plain(name), 'vkQueuePresentKHR'))
    return path, f'{foreign.DATA}/{name}.gfxtrace'


def without_index(command):
    return {key: value for key, value in command.items() if key != 'index'}


def listed(test):
    """Every call is listed: Vulkan's as ever, the others by their name and what the trace's types say."""
    path, original = make(test)
    info, commands = test.info(path), test.commands(path)
    own = [command for command in commands if command['name'].startswith('foo')]
    rest = [command for command in commands if not command['name'].startswith('foo')]
    check(SENTENCE in info['warning'], info['warning'])
    check_equal((info['apis'], info['commands'], info['truncated']), ('Vulkan, Foo', len(commands), False), 'info')
    check_equal([without_index(command) for command in rest], [without_index(command) for command in test.commands(original)],
                'commands of Vulkan')
    check_equal(len(own), 2 * test.info(original)['frames'], 'commands of foo')
    check_equal((own[0]['name'], own[0]['parameters'], own[0]['result'], own[0]['thread']), ('fooDraw', foreign.PARAMETERS, 7, 4711),
                'first command of foo')
    check_equal((own[1]['name'], own[1]['parameters'], own[1]['result']), ('fooSwap', {}, None), 'second command of foo')
    text = test.cli('commands', path).out
    check('  fooDraw(width=640, scale=0.5, label="größe", points=0x7f00, bias=-3) = 7\n' in text, 'the text of a command')
    for words in ('fooDraw', 'name:^fooDr', 'fOOdr'):
        found = [json.loads(line) for line in test.cli('commands', '--json', '--filter', words, path).out.splitlines()]
        check_equal([command['index'] for command in found], [c['index'] for c in own if c['name'] == 'fooDraw'], f'filter {words}')


def answers(test):
    """Paths of such calls: parameters, memory that they read, the state of Vulkan at them."""
    path, original = make(test)
    at = next(c['index'] for c in test.commands(path) if c['name'] == 'fooDraw')
    before = next(c['index'] for c in test.commands(original) if c['name'] == 'vkQueuePresentKHR')
    command = test.cli('get', '--json', path, f'commands/{at}').json()
    check_equal((command['name'], command['parameters'], command['result']), ('fooDraw', foreign.PARAMETERS, 7), 'command')
    check_equal(test.cli('get', '--json', path, f'commands/{at}/parameters/label').out.strip(), '"größe"', 'parameter')
    states = [test.cli('get', '--json', *of).json() for of in
              ((path, f'commands/{at}/state'), (original, f'commands/{before - 1}/state'))]
    check(all(states[0][key] == value for key, value in states[1].items() if key != 'command'), 'another state of Vulkan')
    for below, words in (('bound', 'Bound state is unknown'), ('framebuffer', '')):
        result = test.cli('get', '--json', path, f'commands/{at}/{below}', status=None)
        check(result.status == 6 and words in result.err, str(result))
    report = test.cli('report', '--json', path, status=None).json()
    check_equal(sum('foo' in json.dumps(entry) for entry in report['entries']), 1, 'entries of the report about foo')


def pictures(test):
    """Pictures of Vulkan's calls are those of the trace without the others."""
    path, original = make(test)
    draws = [next(c['index'] for c in test.commands(trace) if c['name'].startswith('vkCmdDraw')) for trace in (path, original)]
    for what, places in (('a draw', [['--at', str(draw)] for draw in draws]), ('the last frame', [['--frame', '2']] * 2)):
        shots = []
        for trace, place in zip((path, original), places):
            shots.append(test.path(f'{place[0]}-{len(shots)}.png'))
            test.cli('screenshot', trace, *place, '-o', shots[-1], timeout=120, DISPLAY='')
        pixels = harness.Png(shots[0]).rgb()
        check(pixels == harness.Png(shots[1]).rgb() and len(set(pixels)) > 5, f'{what} has another picture')


def declined(test):
    """What would leave something out without saying so is declined with a sentence."""
    path, _ = make(test)
    result = test.cli('replay', path, status=None, DISPLAY='')
    check(result.status != 0 and 'cannot be replayed as a whole' in result.err and '(foo)' in result.err, str(result))
    result = test.cli('trim', path, '-o', test.path('trimmed.gfxtrace'), status=None)
    check(result.status != 0 and 'losing data' in result.err, str(result))


def shown(test):
    """In the window: selected, asked over D-Bus, its pictures refused; then a draw of Vulkan has one."""
    if not os.path.exists(windows.WINDOW):
        raise harness.Skip('this build has no window')
    path, _ = make(test)
    commands = test.commands(path)
    at = next(c['index'] for c in commands if c['name'] == 'fooDraw')
    draw = next(c['index'] for c in commands if c['name'].startswith('vkCmdDraw'))
    window = windows.Window(test, path)
    try:
        window.wait_ready()
        window.activate('select', f'commands/{at}').check()
        check_equal(json.loads(window.get('Get', f'commands/{at}'))['parameters'], foreign.PARAMETERS, 'parameters')
        check(SENTENCE in json.loads(window.get('Get', 'info'))['warning'], 'the warning')
        window.check_error('Nothing', 'GetImage', f'commands/{at}/framebuffer/color0')
        check_equal(bytes(window.get('GetImage', f'commands/{draw}/framebuffer/color0')[:4]), b'\x89PNG', 'picture')
        window.check_lives('after a command of an API that is not there')
        check('CRITICAL' not in window.messages() and 'WARNING' not in window.messages(), window.messages())
    finally:
        window.close()


def odd(test):
    """Types that no recorder writes: the trace ends before the first command of such a type, or does without a field."""
    data = foreign.plain('vkcube')
    whole = test.info(f'{foreign.DATA}/vkcube.gfxtrace')['commands']

    def look(name, kind, n_shown, words):
        path = test.path(f'{name}.gfxtrace')
        with open(path, 'wb') as file:
            file.write(foreign.insert(data, 'vkQueuePresentKHR', kind + foreign.command_type(b'foo.fooSwap', ())))
        info = test.info(path)
        check(words in (info['warning'] or ''), f'{name}: {info["warning"]}')
        check((info['commands'] > whole) == n_shown, f'{name}: {info["commands"]} commands')
        test.commands(path)

    look('bytes', foreign.command_type(b'foo.\xff\xfe', ()), False, '')
    look('field', foreign.command_type(b'foo.fooDraw', ((b'\xff', foreign.FIXED32),)), False, '')
    look('none', foreign.command_type(b'foo.fooDraw', ()), True, SENTENCE)
    look('large', foreign.definition(b'foo.fooDraw', [(b'thread', 1, 7), (b'record_flags', 7, 7), (b'far', 100000, 7)]), False, '')
    look('types', foreign.command_type(b'foo.fooDraw', ((b'width', foreign.STRING), (b'scale', 99), (b'label', foreign.FLOAT))), True,
         SENTENCE)


harness.main(listed, answers, pictures, declined, shown, odd)
