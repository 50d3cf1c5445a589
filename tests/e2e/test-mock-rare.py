#!/usr/bin/env python3
"""On the mock driver, what no software driver offers: ray tracing and sparse memory, recorded
argument by argument, replayed, or declined with a sentence."""

import harness
import mock
from harness import app, check, check_equal


def recorded(test, name):
    """The trace of a program, and its commands, which are the calls that the driver saw."""
    log = test.path('capture.log')
    trace = test.capture(app(name), **mock.driver('strict', f'log {log}'))
    calls, violations = mock.read_log(log)
    check_equal(violations, [], 'what the layer did wrong')
    commands = test.commands(trace)
    mock.compare(mock.Names(), commands, calls)
    return trace, commands


def replayed(test, trace, commands, *wanted):
    """The replay makes the calls of the trace with their arguments, those of `wanted` all."""
    names = mock.Names()
    result = test.replay(trace, **mock.driver('strict', 'log stderr'))
    check(result.json()['ok'], f'the replay failed: {result}')
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    pairs, left = mock.align(names, commands, calls)
    check(not {c['name'] for c in left} & set(wanted), f'not replayed: {[c["name"] for c in left]}')
    handles = {}
    for command, call in pairs:
        if command['name'] in wanted:
            comparison = mock.Replayed(names, handles)
            comparison.value(command['parameters'], call['args'], command['name'], '')
            check(comparison.difference is None,
                  f'command {command["index"]}: {comparison.difference}')
    return calls


def find(commands, name, nth=0):
    return [c for c in commands if c['name'] == name][nth]


def declined_midrun(test, name, word):
    output = test.path('midrun.gfxtrace')
    result = test.cli('capture', '--json', '-o', output, '--at-frame', '2', '--frames', '1', '--',
                      app(name), '--frames', '5', status=None, **mock.driver('strict'))
    check(result.status != 0 and word in result.err, f'no sentence: {result}')


def structures(test):
    """What acceleration structures hold in the middle of a run: each that was built is serialised, and
    made again with what that gave. The mock serialises nothing: what lies there is taken."""
    trace = test.path('midrun.gfxtrace')
    log = test.path('calls')
    test.cli('capture', '-o', trace, '--at-frame', '2', '--frames', '1', '--',
             app('rays'), '--frames', '5', **mock.driver('strict', f'log {log}'))
    calls, violations = mock.read_log(log)
    check_equal(violations, [], 'what the layer did wrong')
    taken = [c['args']['pInfo']['src'] for c in calls
             if c['name'] == 'vkCmdCopyAccelerationStructureToMemoryKHR']
    check_equal(len(taken), 4, 'structures')
    made = [c['args']['pAccelerationStructure'] for c in calls
            if c['name'] == 'vkCreateAccelerationStructureKHR']
    check_equal(taken[-1], made[-1], 'the top level comes last')
    result = test.replay(trace, **mock.driver('strict', 'log stderr'))
    check(result.json()['ok'], f'the replay failed: {result}')
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    made = [c['args']['pAccelerationStructure'] for c in calls
            if c['name'] == 'vkCreateAccelerationStructureKHR']
    filled = [c['args']['pInfo']['dst'] for c in calls
              if c['name'] == 'vkCmdCopyMemoryToAccelerationStructureKHR']
    check_equal(len(filled), 4, 'structures that are made again')
    check_equal(filled[-1], made[-1], 'the top level comes last')


def rays(test):
    trace, commands = recorded(test, 'rays')
    build = find(commands, 'vkCmdBuildAccelerationStructuresKHR')['parameters']
    geometry = build['pInfos'][0]['pGeometries'][0]
    check_equal(geometry['geometryType'], 'VK_GEOMETRY_TYPE_TRIANGLES_KHR', 'geometry')
    check_equal(geometry['geometry']['triangles']['vertexFormat'], 'VK_FORMAT_R32G32B32_SFLOAT',
                'vertices')
    check_equal(build['ppBuildRangeInfos'][0][0]['primitiveCount'], 1, 'primitives')
    trace_rays = find(commands, 'vkCmdTraceRaysKHR')
    check_equal(trace_rays['parameters']['pMissShaderBindingTable']['stride'], 64, 'table')
    shown = test.cli('get', trace, f'commands/{trace_rays["index"]}/parameters').out
    check('pRaygenShaderBindingTable' in shown, f'it shows {shown}')
    test.cli('get', trace, f'commands/{trace_rays["index"]}/bound')
    stages = test.cli('shaders', '--json', trace, **mock.driver()).out
    check('rayg' in stages.lower(), f'the shaders: {stages}')
    replayed(test, trace, commands, 'vkCmdBuildAccelerationStructuresKHR', 'vkCmdTraceRaysKHR',
             'vkCmdTraceRaysIndirectKHR', 'vkCmdCopyAccelerationStructureKHR',
             'vkCreateAccelerationStructureKHR', 'vkCreateRayTracingPipelinesKHR',
             'vkBuildAccelerationStructuresKHR', 'vkUpdateDescriptorSets')
    structures(test)
    report = test.cli('replay', '--check', '--json', trace, status=None,
                      **mock.driver('device-id 1', 'device-name Less',
                                    'without VK_KHR_ray_tracing_pipeline')).json()
    check(not report['possible'], f'a device without rays: {report}')


def members(value, path=''):
    """The members of arguments that are device addresses, by their path."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == 'deviceAddress' and not isinstance(member, (dict, list)):
                yield f'{path}/{name}', int(str(member), 0)
            else:
                yield from members(member, f'{path}/{name}')
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from members(member, f'{path}/{number}')


def guessed(test):
    """Addresses in structures, where buffers have others than in the trace: each is where the buffer of the
    program's is, as far behind its beginning."""
    trace, commands = recorded(test, 'rays')
    result = test.replay(trace, '--addresses', 'guess',
                         **mock.driver('strict', 'log stderr', 'addresses 0x100000000000'))
    check(result.json()['ok'], f'the replay failed: {result}')
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    asked = [int(str(c['result']), 0) for c in commands if c['name'] == 'vkGetBufferDeviceAddress']
    told = [int(str(c['result']), 0) for c in calls if c['name'] == 'vkGetBufferDeviceAddress']
    moved = dict(zip(asked, told))
    check(len(moved) > 3 and all(a != b for a, b in moved.items()), f'the addresses: {moved}')
    looked_at = 0
    for name in ('vkCmdBuildAccelerationStructuresKHR', 'vkCmdTraceRaysKHR'):
        before = [c['parameters'] for c in commands if c['name'] == name]
        after = [c['args'] for c in calls if c['name'] == name]
        check_equal(len(after), len(before), name)
        for old, new in zip(before, after):
            old, new = dict(members(old)), dict(members(new))
            for path in old.keys() & new.keys():
                base = max((a for a in moved if a <= old[path]), default=None)
                if base is None or old[path] - base >= 65536:
                    continue
                check_equal(hex(new[path]), hex(moved[base] + old[path] - base), f'{name} {path}')
                looked_at += 1
    check(looked_at > 8, f'{looked_at} addresses')
    test.note(f'{looked_at} addresses in structures')


def sparse_midrun(test):
    """Before the third submission: the last pages that were bound, and nothing of those before."""
    trace = test.capture(app('sparse'), '--frames', '5', frames=1, output=test.path('late.gfxtrace'),
                         options=['--at-frame', '2'], **mock.driver('strict'))
    result = test.replay(trace, **mock.driver('strict', 'log stderr'))
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    binds = [info for call in calls if call['name'] == 'vkQueueBindSparse'
             for info in call['args']['pBindInfo']]
    pages = [page for info in binds for buffer in info['pBufferBinds'] or []
             for page in buffer['pBinds']]
    check(len(pages) >= 2, f'pages: {binds}')
    check_equal([(page['resourceOffset'], page['size']) for page in pages[:2]],
                [(0, 2 * 65536), (3 * 65536, 65536)], 'pages at the cut')


def sparse(test):
    trace, commands = recorded(test, 'sparse')
    bind = find(commands, 'vkQueueBindSparse')['parameters']
    pages = bind['pBindInfo'][0]['pBufferBinds'][0]['pBinds']
    check_equal([page['resourceOffset'] for page in pages], [0, 3 * 65536], 'pages')
    tiles = bind['pBindInfo'][1]['pImageBinds'][0]['pBinds']
    check_equal([tile['memoryOffset'] for tile in tiles], [5 * 65536, 6 * 65536], 'tiles')
    state = test.cli('get', '--json', trace,
                     f'commands/{find(commands, "vkQueueBindSparse", 2)["index"]}/state').out
    check('sparse' in state, f'the state: {state[:400]}')
    replayed(test, trace, commands, 'vkQueueBindSparse')
    sparse_midrun(test)
    result = test.replay(trace, status=None, **mock.driver('device-id 1', 'device-name Other',
                                                           'alignment 1024'))
    check(result.status != 0 and 'sparse' in result.err, f'elsewhere: {result}')
    check_equal(mock.read_replay(result)[0], [], 'calls')


# VkImageLayout: what the program leaves the slices of mip level 0 in, before its third submission.
AT_CUT = {(0, 0): 5, (0, 1): 7, (0, 2): 1, (0, 3): 6, (1, 0): 7, (1, 1): 1}
UNDEFINED, ASYMMETRIC = 0, 64


class Slices:
    """Follows the layouts of the slices of one 3D image (4 slices, 2 mip levels) through the calls that a driver got."""

    def __init__(self, whole=False):
        self.whole = whole   # they have one together
        self.layouts = {place: UNDEFINED for place in AT_CUT}
        self.recorded, self.wrong, self.image = {}, [], None

    def move(self, barrier):
        part = barrier['subresourceRange']
        mips = range(part['baseMipLevel'], 2 if part['levelCount'] > 2 else part['baseMipLevel'] + part['levelCount'])
        for mip in mips:
            end = part['baseArrayLayer'] + part['layerCount']
            slices = range(4 >> mip) if self.whole else range(part['baseArrayLayer'], min(end, 4 >> mip))
            if not slices or end > 4 >> mip and part['layerCount'] != 0xffffffff:
                self.wrong.append(f'slices that are not there: {barrier}')
            for place in ((mip, nth) for nth in slices):
                if barrier['oldLayout'] not in (UNDEFINED, self.layouts[place]):
                    self.wrong.append(f'{place} is in {self.layouts[place]}: {barrier}')
                self.layouts[place] = barrier['newLayout']

    def use(self, region, layout):
        for nth in range(region['imageExtent']['depth']):
            place = (region['imageSubresource']['mipLevel'], region['imageOffset']['z'] + nth)
            if self.layouts[place] != layout:
                self.wrong.append(f'{place} is in {self.layouts[place]}, copied in {layout}: {region}')

    def run(self, call):
        name, args = call['name'], call['args']
        infos = [args, *[info for key in ('pDependencyInfo', 'pDependencyInfos') for info in
                         (args.get(key) if isinstance(args.get(key), list) else [args.get(key)]) if info]]
        if name != 'vkCmdSetEvent2':
            for barrier in [each for info in infos for each in info.get('pImageMemoryBarriers') or []]:
                if barrier['image'] == self.image:
                    self.move(barrier)
        # The only pass draws to slice 2.
        if name == 'vkCmdBeginRenderPass':
            for nth in range(4) if self.whole else (2,):
                self.layouts[0, nth] = 1
        for way in ('src', 'dst'):
            if 'Buffer' in name and args.get(f'{way}Image') == self.image:
                for region in args['pRegions']:
                    self.use(region, args[f'{way}ImageLayout'])

    def follow(self, calls, stop=lambda call: False):
        """Returns: the calls from the one on that `stop` says."""
        for nth, call in enumerate(calls):
            name, args = call['name'], call['args']
            if stop(call):
                return calls[nth:]
            if name == 'vkCreateImage' and args['pCreateInfo']['imageType'] == 2:
                self.image = args['pImage']
            elif name == 'vkBeginCommandBuffer':
                self.recorded[args['commandBuffer']] = []
            elif name.startswith('vkCmd'):
                self.recorded[args['commandBuffer']].append(call)
            elif name == 'vkQueueSubmit':
                for commands in [each for info in args['pSubmits'] or [] for each in info['pCommandBuffers'] or []]:
                    for each in self.recorded[commands]:
                        self.run(each)
        return []


def places(copies):
    """Mip level and number of all slices that copies between an image and a buffer name."""
    return {(region['imageSubresource']['mipLevel'], region['imageOffset']['z'] + nth)
            for call in copies for region in call['args']['pRegions']
            for nth in range(region['imageExtent']['depth'])}


def slices(late):
    """Slices of a 3D image in layouts of their own (VK_KHR_maintenance9): the layer copies each in its own and leaves it
    so, and a replay fills and shows each in its own. The asymmetric event is set as the program set it."""
    def body(test):
        need_slices(test)
        test.env['VITRINE_LATE'] = late
        log = test.path('capture.log')
        lines = mock.driver('strict', f'log {log}')
        # Without a word the layer offers it.
        lines['VITRINE_PASS_UNKNOWN'] = '0'
        trace = test.capture(app('slices'), '--frames', '5', frames=3, options=['--at-frame', '2'], **lines)
        calls, violations = mock.read_log(log)
        check_equal(violations, [], 'what the layer did wrong')
        live = Slices()
        live.follow(calls)
        check_equal(live.wrong, [], 'layouts in the program')
        copies = [call for call in calls if call['name'] == 'vkCmdCopyImageToBuffer']
        own = [call for call in copies if call['args']['dstBuffer'] != copies[0]['args']['dstBuffer']]
        check_equal(places(own), set(AT_CUT), 'slices that the layer copied')
        replay_slices(test, trace, live)
        show_slices(test, trace)
        entries = test.cli('get', '--json', trace, 'report').json()['entries']
        check_equal([entry for entry in entries if entry.get('check', '').startswith('image')], [], 'what the state says')
    return body


def slices_whole(test):
    """Recorded from the launch: queries that begin reset are used without a word."""
    need_slices(test)
    trace = test.capture(app('slices'), **mock.driver('strict'))
    entries = test.cli('get', '--json', trace, 'report').json()['entries']
    check_equal([entry for entry in entries if entry['level'] != 'info'], [], 'what the state says')
    replayed = test.replay(trace, **mock.driver('strict', 'log stderr'))
    calls, violations = mock.read_replay(replayed)
    check_equal(violations, [], 'what the replay did wrong')
    pools = [call['args']['pCreateInfo']['flags'] for call in calls if call['name'] == 'vkCreateQueryPool']
    check_equal(pools, [1], 'flags of the query pool')
    show_slices(test, trace)


def slices_together(test):
    """Without the feature, who draws to a slice changes the layout of all of them."""
    need_slices(test)
    log = test.path('capture.log')
    trace = test.capture(app('slices'), '--whole', frames=3, options=['--at-frame', '2'],
                         **mock.driver('strict', f'log {log}'))
    live = Slices(whole=True)
    live.follow(mock.read_log(log)[0])
    check_equal(live.wrong, [], 'layouts in the program')
    replayed = Slices(whole=True)
    replayed.follow(mock.read_replay(test.replay(trace, **mock.driver('strict', 'log stderr')))[0])
    check_equal(replayed.wrong, [], 'layouts in the replay')
    check_equal(replayed.layouts, live.layouts, 'layouts in the end')


def slices_elsewhere(test):
    """A device without the extension cannot do what the program did, and that is said before the replay."""
    need_slices(test)
    trace = test.capture(app('slices'), **mock.driver('strict'))
    other = mock.driver('device-id 1', 'device-name Other', 'without VK_KHR_maintenance9',
                        'without maintenance9', 'log stderr')
    report = test.cli('replay', '--check', '--json', trace, status=None, **other).json()
    texts = [each['text'] for each in report['findings'] if each['level'] == 'error']
    check(not report['possible'] and texts == ['Other lacks the feature maintenance9, which the trace uses.'], f'findings: {report}')
    result = test.replay(trace, status=None, **other)
    check(result.status != 0 and 'lacks the feature maintenance9' in result.err, f'no sentence: {result}')
    made = {call['name'] for call in mock.read_replay(result)[0]} & {'vkCreateImage', 'vkCreateQueryPool'}
    check_equal(made, set(), 'objects that were made')


def need_slices(test):
    if test.run([app('slices'), '--frames', '1'], **mock.driver()).status == 77:
        raise harness.Skip('the headers know no VK_KHR_maintenance9')


def replay_slices(test, trace, live):
    result = test.replay(trace, **mock.driver('strict', 'log stderr'))
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    replayed = Slices()
    # The first command of the program's own is in the command buffer that it submits next.
    rest = replayed.follow(calls, lambda call: call['name'] == 'vkCmdCopyImageToBuffer')
    check_equal(replayed.layouts, AT_CUT, 'layouts that the replay begins with')
    replayed.follow(rest)
    check_equal(replayed.wrong, [], 'layouts in the replay')
    check_equal(places([call for call in calls if call['name'] == 'vkCmdCopyBufferToImage']), set(AT_CUT),
                'slices that are filled')
    check_equal(replayed.layouts, live.layouts, 'layouts in the end')
    sets = [call['args']['pDependencyInfo'] for call in calls if call['name'] == 'vkCmdSetEvent2']
    check_equal([(info['dependencyFlags'], info['memoryBarrierCount'], info['pMemoryBarriers'][0]['dstStageMask'])
                 for info in sets], [(ASYMMETRIC, 1, 0)], 'how the event is set')


def show_slices(test, trace):
    """What is shown of slices is copied in their own layouts, too."""
    image = test.cli('get', '--json', trace, 'objects/VkImage').json()[0]['object']
    last = [command['index'] for command in test.commands(trace) if command['name'] == 'vkQueueSubmit'][-1]
    result = test.cli('screenshot', trace, '--path', f'commands/{last}/images/{image}?slice=2',
                      '-o', test.path('slice.png'), **mock.driver('strict', 'log stderr'))
    calls, violations = mock.read_replay(result)
    check_equal(violations, [], 'what the replay did wrong')
    shown = Slices()
    shown.follow(calls)
    check_equal(shown.wrong, [], 'layouts when slices are shown')
    # The other slices and mip levels come along.
    copies = [call for call in calls if call['name'] == 'vkCmdCopyImageToBuffer']
    own = [call for call in copies if call['args']['dstBuffer'] != copies[0]['args']['dstBuffer']]
    check_equal(places(own), set(AT_CUT), 'slices that are shown')


harness.main(rays, guessed, sparse, ('slices', slices('')), ('slices-late', slices('0,60000')), slices_whole, slices_together,
             slices_elsewhere)
