#!/usr/bin/env python3
"""Memory at a command as the trace tells it, compared with a replay up to that command.

Bytes that the trace claims to know must be those of the replay: a byte that the GPU changed without being
marked would differ. Bytes that the GPU wrote are read back by replay."""

import json
import os

import harness
from harness import app, check, check_equal, need

# Replays of each trace.
COUNT = int(os.environ.get('VITRINE_TEST_MEMORY', '12'))


def get(test, trace, path):
    return json.loads(test.cli('get', trace, path, '--json').out)


def pools_of(test, trace, command):
    """Pools that a command touches, with how much of each."""
    pools = {}
    for entry in get(test, trace, f'commands/{command}/memory'):
        if entry['pool'] != 0:
            end = int(entry['offset'], 16) + entry['size']
            pools[entry['pool']] = max(end, pools.get(entry['pool'], 0))
    return pools


def look_for(test, trace, *names):
    found = []
    for line in test.cli('commands', trace).out.splitlines():
        number, _, call = line.strip().partition('  ')
        if call.split('(')[0] in names:
            found.append(int(number))
    step = max(1, len(found) // COUNT)
    return found[::step][:COUNT]


def compare(test, trace, command, pool, size, counts):
    """Both ways to read a pool after a command."""
    path = f'commands/{command}/memory/{pool}/0x0+{size}'
    told = get(test, trace, path)
    raw = os.path.join(test.folder('raw'), 'bytes')
    handle = get(test, trace, f'objects/{pool}')['handle']
    test.cli('replay', trace, '--to', command, '--read-memory', f'{handle}:{raw}', timeout=120)
    with open(raw, 'rb') as file:
        found = file.read()[:size]
    known = bytes.fromhex(told['bytes'])
    check_equal(len(known), size, f'bytes of {path}')
    for span in told['spans']:
        begin = int(span['offset'], 16)
        end = begin + span['size']
        counts[span['kind']] = counts.get(span['kind'], 0) + span['size']
        if span['kind'] == 'observed':
            check(known[begin:end] == found[begin:end],
                  f'{path}: {span} is not what the replay finds')
    replayed = get(test, trace, path + '?read=replay')
    read = bytes.fromhex(replayed['bytes'])
    for span in replayed['spans']:
        begin = int(span['offset'], 16)
        end = begin + span['size']
        check(not span['kind'].startswith('gpu-'), f'{path}: {span} was not read back')
        if span['kind'] == 'replayed':
            check(read[begin:end] == found[begin:end], f'{path}: {span} was read back wrong')


def examine(test, trace, names, kinds):
    counts = {}
    for command in look_for(test, trace, *names):
        for pool, size in sorted(pools_of(test, trace, command).items())[:4]:
            compare(test, trace, command, pool, min(size, 1 << 16), counts)
    test.note(f'{os.path.basename(trace)}: {counts}')
    for kind in kinds:
        check(counts.get(kind, 0) > 0, f'nothing {kind} in {trace}: {counts}')


def compute(test):
    trace = test.capture(app('compute'), '--rounds', 20)
    examine(test, trace, ['vkCmdDispatch', 'vkCmdCopyBuffer', 'vkCmdUpdateBuffer'],
            ['observed', 'gpu-written', 'gpu-maybe'])


def submits(test):
    trace = test.capture(app('compute'), '--rounds', 6)
    examine(test, trace, ['vkQueueSubmit'], ['observed', 'gpu-written'])


def storage(test):
    trace = test.capture(app('storage'))
    examine(test, trace, ['vkCmdDispatch', 'vkCmdDraw', 'vkCmdCopyImageToBuffer'], ['gpu-written'])


def draws(test):
    trace = test.capture(app('draws'), '--output', test.folder('images'))
    examine(test, trace, ['vkCmdDrawIndexed', 'vkCmdDraw'], ['observed'])


def sparse(test):
    """What is written through sparse resources may be anywhere in memory that has pages of them."""
    test.env['VK_ICD_FILENAMES'] = harness.need_newer_lavapipe()
    trace = test.capture(app('demo-sparse'), '--frames', 3)
    memories = {m['handle']: m['object'] for m in get(test, trace, 'objects/VkDeviceMemory')}
    binds = [info for c in test.commands(trace) if c['name'] == 'vkQueueBindSparse'
             for info in c['parameters']['pBindInfo']]
    pages = [page for info in binds for buffer in info['pBufferBinds'] or []
             for page in buffer['pBinds'] if page['resourceOffset'] == 2 * 65536]
    check(len(pages) == 3, f'a page in each frame: {pages}')
    counts = {}
    for command in look_for(test, trace, 'vkQueueSubmit')[-3:]:
        compare(test, trace, command, memories[pages[0]['memory']], 4 * 65536, counts)
    check(counts.get('gpu-maybe', 0) > 0, f'nothing may be written: {counts}')


def blocks(test):
    """Buffers and push constants have the type that the bound shaders declare."""
    trace = test.capture(app('compute'), '--rounds', 2)
    dispatch = look_for(test, trace, 'vkCmdDispatch')[0]
    found = {r['label']: r for r in get(test, trace, f'commands/{dispatch}/memory')}
    source, target, salt = (found[f'{kind} buffer 0.{nth}'] for nth, kind in
                            enumerate(('storage', 'storage', 'uniform')))
    check_equal(source['type'], 'block Source {uint source[stride 4] @0}', 'type of the source')
    # The shader declares one as readonly, and writes to the other.
    check_equal([source['access'], target['access']], ['read', 'read-write'], 'access')
    kinds = [{span['kind'] for span in get(test, trace, buffer['path'])['spans']}
             for buffer in (source, target)]
    check('gpu-maybe' not in kinds[0] and 'gpu-maybe' in kinds[1],
          f'possibly written, the source and the target: {kinds}')
    check_equal(salt['type'], 'block Parameters {uvec4 salt @0}', 'type of the salt')
    check_equal({k: salt['descriptor'][k] for k in ('set', 'binding', 'element', 'stages')},
                {'set': 0, 'binding': 2, 'element': 0, 'stages': ['compute']}, 'descriptor')
    check('dynamicOffset' in salt['descriptor'], f'no dynamic offset: {salt}')

    values = get(test, trace, salt['path'] + '?type=auto')
    words = [int.from_bytes(bytes.fromhex(values['bytes'])[i:i + 4], 'little')
             for i in range(0, 16, 4)]
    check_equal(values['values'], [{'salt': words}], 'the salt')
    check_equal(values['type'], salt['type'], 'type of the answer')

    # What the GPU wrote is not known before it is read back.
    told = get(test, trace, target['path'] + '?type=auto')['values'][0]['target']
    read = get(test, trace, target['path'] + '?type=auto&read=replay')['values'][0]['target']
    check_equal(len(read), target['size'] // 4, 'elements of an array without a length')
    check(None in told or told != read, 'the GPU wrote nothing')
    check(None not in read, 'not all was read back')

    # The first come before the pipeline is bound, the second after it.
    for push in look_for(test, trace, 'vkCmdPushConstants')[:2]:
        pushed = [r for r in get(test, trace, f'commands/{push}/memory')
                  if r['label'] == 'pValues'][0]
        check_equal(pushed.get('type'), 'block Push {uint count @0; uint round @4; uint shift @8}',
                    f'type of the push constants of {push}')
    check_equal(get(test, trace, pushed['path'] + '?type=auto')['values'][0]['count'], 4096, 'count')

    # Bytes that no shader declares.
    result = test.cli('get', trace, f'commands/{push}/memory/0/0x10+4?type=auto', status=6)
    check('Give a type' in result.err, f'no advice: {result.err}')


def untouched(test):
    """Of 64 MiB that are mapped, the first frame of a recording in the middle of a run writes what the program writes
    in it: pages that nobody has touched are not mapped, and so taken for written, by reading them at the cut."""
    pages = 16
    for tracker in ('auto', 'compare'):
        # All is read at the cut.
        trace = test.capture(app('load'), '--draws', 1, '--frames', 8, '--pages', pages, frames=1,
                             options=['--at-frame', '5', '--tracker', tracker], VITRINE_LATE=str(1 << 30))
        writes = [entry['size'] for submit in look_for(test, trace, 'vkQueueSubmit')
                  for entry in get(test, trace, f'commands/{submit}/memory') if entry['label'] == 'mapped memory']
        check_equal(sum(writes), pages * 4096, f'bytes written in the frame, {tracker}')


def bad(test):
    trace = test.capture(app('compute'), '--rounds', 1)
    # No such path, or a good one without an answer.
    for path, status in (('commands/5/memory/0', 2), ('commands/5/memory/9999/0x0+4', 6),
                         ('commands/5/memory/0/0x4-0x4', 2), ('commands/5/memory/0/0x0+4?read=replay', 6),
                         ('commands/5/memory/0/0x0+4?type=vec9', 2)):
        result = test.cli('get', trace, path, status=status)
        check(result.err.strip().endswith('.'), f'{path}: no sentence: {result.err}')
    test.cli('get', trace, 'commands/5/memory/0/0x0+4', '--raw', status=2)
    test.cli('get', trace, 'commands/5/memory/0/0x0+4', '--raw', '-o', '/nonexistent/x', status=1)


if __name__ == '__main__':
    harness.main(compute, submits, storage, draws, sparse, blocks, untouched, bad)
