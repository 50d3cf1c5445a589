#!/usr/bin/env python3
"""What the product says of memory and targets in traces of tiny programs, compared with tiny_machine.py: the bytes of every
store after each command, what draws and uploads read and write, and which picture a command shows.

Usage: test-memory.py VITRINE_CLI TINY_SHAPES"""

import sys

from tiny_capture import Capture
from tiny_machine import Machine, Trace

FRAMES = 2
PARTS = ('window', 'stores', 'names', 'errors')


def check_store(trace, command, context, bound):
    """All bytes of the bound store are what was written into it last."""
    if context.store is None or not context.store.bytes:
        return 0
    pool, size = bound['store']['object'], len(context.store.bytes)
    view = trace.get(f'{command["path"]}/memory/{pool}/0x0+{size:#x}')
    assert bytes.fromhex(view['bytes']) == context.store.bytes, command['path']
    assert all(span['kind'] == 'observed' for span in view['spans']), (command['path'], view['spans'])
    return 1


def check_draw(trace, command, context, bound, failed):
    """A draw reads the points where its array says that they are."""
    array, args = context.array, command['parameters']
    if not args['count']:
        return 0
    at, size = array.points + args['first'] * array.stride, (args['count'] - 1) * array.stride + 8
    reads = [r for r in trace.get(f'{command["path"]}/memory') if r['label'] == 'points']
    if failed:
        assert not reads, (command['path'], reads)
        return 0
    assert len(reads) == 1 and reads[0]['access'] == 'read', (command['path'], reads)
    assert (int(reads[0]['offset'], 16), reads[0]['size']) == (at, size), (command['path'], reads)
    assert (reads[0]['pool'] == 0) == (array.store is None), (command['path'], reads)
    if array.store is None:
        assert reads[0]['by'] == 'cpu', reads
        view = trace.get(reads[0]['path'])
        assert bytes.fromhex(view['bytes']) == trace.bytes_of(command, False)[:size], command['path']
        typed = trace.get(f'{reads[0]["path"]}?type=auto&stride={array.stride}')
        assert len(typed['values']) == args['count'], (command['path'], typed)
    else:
        assert reads[0]['object']['object'] == reads[0]['pool'], reads
    return 1


def check_upload(trace, command, bound, failed):
    """tnStoreData writes all of the store that is bound."""
    writes = [r for r in trace.get(f'{command["path"]}/memory') if r['access'] == 'write']
    if failed:
        assert not writes, (command['path'], writes)
        return
    assert len(writes) == 1 and writes[0]['pool'] == bound['store']['object'], (command['path'], writes)
    assert (writes[0]['offset'], writes[0]['size']) == ('0x0', command['parameters']['size']), writes


def check_target(trace, command, context, bound):
    """A command shows the bound picture, a swap the window."""
    picture = context.window if command['name'] == 'tnSwap' else context.picture
    if not picture.bytes:
        return 0
    targets = trace.get(f'{command["path"]}/framebuffer')
    assert len(targets) == 1, (command['path'], targets)
    target = targets[0]
    assert (target['attachment'], target['format'], target['samples']) == ('color0', 'RGBA8_UNORM', 1), target
    assert (target['width'], target['height']) == (picture.width, picture.height), (command['path'], target)
    if command['name'] != 'tnSwap':
        assert target['image']['object'] == bound['picture']['object'], (command['path'], target, bound)
    return 1


def check(trace):
    machine, counts = Machine(trace), {'stores': 0, 'draws': 0, 'targets': 0}
    for command in trace.commands:
        context = machine.context_of(command)
        if context is not None:
            context.error, before = 0, context.error
        if command['name'] == 'tnGetError':
            context.error = before
        machine.run(command)
        if context is None or command['name'] == 'tnGetError':
            continue
        failed, context.error = context.error != 0, context.error or before
        bound = trace.get(f'{command["path"]}/bound')
        counts['stores'] += check_store(trace, command, context, bound)
        counts['targets'] += check_target(trace, command, context, bound)
        if command['name'] == 'tnDraw':
            counts['draws'] += check_draw(trace, command, context, bound, failed)
        elif command['name'] == 'tnStoreData':
            check_upload(trace, command, bound, failed)
    return counts


def main():
    with Capture(sys.argv[1], sys.argv[2]) as capture:
        totals = {}
        for part in PARTS:
            counts = check(Trace(capture.cli, capture.take(part, FRAMES)[0]))
            assert counts['draws'] > 0 and counts['targets'] > 0, (part, counts)
            totals = {name: totals.get(name, 0) + n for name, n in counts.items()}
        assert totals['stores'] > 0, totals


main()
