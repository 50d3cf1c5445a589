#!/usr/bin/env python3
"""The state of captured tiny programs at every command, as the product's neutral code tells it with what the tiny API answers,
compared with that of tiny_machine.py, which runs the same commands: contexts and their bindings, objects that live, errors;
and the rows of the command tree.

Usage: test-state.py VITRINE_CLI TINY_SHAPES TINY_PRINT"""

import json
import os
import subprocess
import sys

from tiny_capture import Capture
from tiny_machine import PICTURE, STORE, Machine, Trace

FRAMES = 3
PARTS = ('window', 'stores', 'names', 'errors', 'unasked', 'threads')


def objects_of(state, kind):
    """All objects of a kind, by id: those of groups stand at the top, those of a context below it."""
    found = dict(state.get(kind, {}))
    for context in state.get('contexts', {}).values():
        found.update(context.get(kind, {}))
    return found


def living(machine, destroyed):
    """What the machine can still reach, by kind."""
    contexts = [c for handle, c in machine.contexts.items() if handle not in destroyed]
    pictures, stores, arrays = set(), set(), set()
    for context in contexts:
        arrays |= {context.first_array, context.array, *context.arrays.values()}
        pictures |= {context.window, context.picture, *context.group[PICTURE].values()}
        stores |= {context.store, *context.group[STORE].values()}
    stores |= {array.store for array in arrays}
    return pictures, stores - {None}, arrays


def check_context(context, node, state, where):
    assert node['pen'] == hex(context.pen), (where, node['pen'], hex(context.pen))
    assert node['error'] == context.error, (where, node['error'], context.error)
    assert node['swaps'] == context.n_swaps, where
    picture = objects_of(state, 'pictures')[str(node['picture']['object'])]
    assert (picture['width'], picture['height']) == (context.picture.width, context.picture.height), where
    assert (node['store'] is None) == (context.store is None), where
    if context.store is not None:
        store = objects_of(state, 'stores')[str(node['store']['object'])]
        assert store['size'] == len(context.store.bytes), where
    array = objects_of(state, 'arrays')[str(node['array']['object'])]
    assert array['stride'] == context.array.stride, where
    assert (array['store'] is None) == (context.array.store is None), where
    if context.array.store is not None:
        assert int(array['points'], 16) == context.array.points, where


def check_states(trace):
    machine, destroyed = Machine(trace), set()
    for command in trace.commands:
        machine.run(command)
        if command['name'] == 'tnDestroyContext':
            destroyed.add(command['parameters']['context'])
        where = f'{trace.path} {command["path"]} {command["name"]}'
        state = trace.get(f'{command["path"]}/state')
        nodes = {node['handle']: node for node in state.get('contexts', {}).values()}
        alive = [handle for handle in machine.contexts if handle not in destroyed]
        assert sorted(nodes) == sorted(alive), (where, list(nodes), alive)
        for handle in alive:
            check_context(machine.contexts[handle], nodes[handle], state, where)
        for kind, expected in zip(('pictures', 'stores', 'arrays'), living(machine, destroyed)):
            found = objects_of(state, kind)
            assert len(found) == len(expected), (where, kind, found.keys(), len(expected))


def check_bound(trace):
    """What a draw finds bound is what its context has."""
    draw = next(c for c in trace.commands if c['name'] == 'tnDraw')
    bound, state = trace.get(f'{draw["path"]}/bound'), trace.get(f'{draw["path"]}/state')
    context = state['contexts'][str(bound['context']['object'])]
    for name in ('picture', 'store', 'array', 'pen'):
        assert bound[name] == context[name], (name, bound, context)
    told = trace.get(f'objects/{bound["context"]["object"]}')
    assert told['type'] == 'TnContext' and told['handle'] == context['handle'], told


def check_tree(trace, tool):
    lines = subprocess.run([*tool, trace.path], check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    rows = [(len(line) - len(line.lstrip()), *line.strip().split('\t')[:1]) for line in lines[:-1]]
    draws = sum(c['name'] == 'tnDraw' for c in trace.commands)
    assert lines[-1] == f'draws\t{draws} {draws} {draws}', (lines[-1], draws)
    scope, at = None, []
    for depth, title in rows:
        if depth == 1:
            scope = title if title.startswith('context') else None
        if title.startswith('tn'):
            at.append((title, scope))
    # Each command has a row; what was called in a context stands below it.
    assert [title for title, _ in at] == [c['name'] for c in trace.commands], trace.path
    for command, (title, scope) in zip(trace.commands, at):
        inside = command['namespaces'][0]['scope'] == 'context'
        assert inside == (scope is not None), (command['path'], title, scope)
    return rows


def check_changed(trace, tool):
    """The rows that a command changed: its pen alone."""
    pen = next(c for c in trace.commands if c['name'] == 'tnPen')
    lines = subprocess.run([*tool, trace.path, f'{pen["path"]}/state'], check=True, capture_output=True, text=True,
                           timeout=60).stdout.splitlines()
    changed = {line.split('\t')[0].rsplit('/state/', 1)[1] for line in lines}
    leaves = {path for path in changed if not any(other.startswith(path + '/') for other in changed)}
    context = trace.get(f'{pen["path"]}/bound')['context']['object']
    assert f'contexts/{context}/pen' in leaves, (changed, leaves)
    assert not any(path.startswith(('pictures', 'stores')) or '/arrays' in path for path in leaves), leaves


def check_errors(trace):
    """The report has a line for each call that is an error, and no other."""
    messages = [entry for entry in trace.get('report')['entries'] if entry.get('check') == 'call']
    failed = []
    machine = Machine(trace)
    for command in trace.commands:
        before = {handle: context.error for handle, context in machine.contexts.items()}
        for context in machine.contexts.values():
            context.error = context.error if command['name'] == 'tnGetError' else 0
        machine.run(command)
        if command['name'] == 'tnGetError':
            continue
        if any(context.error for context in machine.contexts.values()):
            failed.append(int(command['path'].split('/')[1]))
        for handle, context in machine.contexts.items():
            context.error = context.error or before.get(handle, 0)
    assert failed, 'the part makes no error'
    assert sorted({m['command'] for m in messages}) == failed, (messages, failed)
    check_sentences(trace, messages)


def check_sentences(trace, messages):
    """Each says the one reason of its call, also in a language that Vitrine's own catalogue does not have it in."""
    reasons = {'tnPictureData': 'picture 0 is bound, and a window takes no data.',
               'tnDraw': 'the points reach beyond the end of the array’s store.',
               'tnRead': 'the program has room for fewer bytes than the picture has.',
               'tnBind': 'there is no such kind of object.'}
    for message in messages:
        name = trace.commands[message['command']]['name']
        assert message['text'] == f'The call does nothing: {reasons[name]}', (name, message)
    said = subprocess.run([*trace.cli, 'report', '--json', trace.path], check=False, capture_output=True, timeout=60,
                          env={**os.environ, 'LC_ALL': 'C.UTF-8', 'LANGUAGE': 'de'}).stdout.decode()
    german = [entry['text'] for entry in json.loads(said)['entries'] if entry.get('check') == 'call']
    assert len(german) == len(messages) and all(text.startswith('Der Aufruf bewirkt nichts: ') for text in german), german


def main():
    tool = [sys.argv[3]]
    with Capture(sys.argv[1], sys.argv[2]) as capture:
        for part in PARTS:
            path, _ = capture.take(part, FRAMES)
            trace = Trace(capture.cli, path)
            check_states(trace)
            check_bound(trace)
            check_tree(trace, tool)
            check_changed(trace, tool)
            if part == 'errors':
                check_errors(trace)


main()
