"""Reads the log of the mock driver (tests/mock-driver), and compares it with a trace.

Standard library only, and no code of the product.
"""

import base64
import difflib
import json
import os

import harness
from harness import check

FOLDER = os.path.join(harness.BUILD, 'tests', 'mock-driver')
DRIVER = os.path.join(FOLDER, 'mock_icd.json')
SWEEP = os.path.join(FOLDER, 'vtr-sweep')

# The loader hands out objects of its own for these, and puts structures of its own in front.
LOADERS = ('instance', 'physicalDevice', 'surface', 'surfaces', 'pSurface', 'pPhysicalDevices')
LOADERS_CALLS = ('vkCreateInstance', 'vkCreateDevice', 'vkEnumeratePhysicalDevices')
# Written after the call's record was: a present commits before the driver runs.
LATER = ('pResults',)
# Outputs deep in what goes in.
FEEDBACK = {'pPipelineCreationFeedback', 'pPipelineStageCreationFeedbacks', 'pRenderPassFeedback',
            'pSubpassFeedback'}
# Hidden by the layer.
HIDDEN = ('protectedMemory',)
# The layer makes more of these than the program asked for, so that images can be read.
WIDENED = ('usage', 'imageUsage')
WIDER_FLAGS = ('vkCreateBuffer.', 'vkAllocateMemory.', 'vkCreateAccelerationStructureKHR.',
               'vkCreateRayTracingPipelinesKHR.')

# What a replay declines, with a sentence each: it shares with other processes, or with a display.
DECLINED = ('vkCreateSharedSwapchainsKHR', 'vkImportFenceFdKHR', 'vkImportSemaphoreFdKHR')


def driver(*lines, **env):
    """The environment in which a program runs on the mock driver. The layer hides nothing of the
    driver: traces are compared with what the driver was asked and said."""
    return {'VK_ICD_FILENAMES': DRIVER, 'VTR_MOCK': '\n'.join(lines), 'VITRINE_PASS_UNKNOWN': '1',
            **env}


class Names:
    def __init__(self):
        with open(os.path.join(FOLDER, 'mock-names.json'), encoding='utf-8') as file:
            contents = json.load(file)
        self.enums = contents['enums']
        self.conditional = set(contents['conditional'])
        self.commands = contents['commands']

    def number(self, text):
        """Of 'A', 'A|B|0x80', '0x1f', '17'."""
        total = 0
        for word in text.split('|'):
            total |= self.enums[word] if word in self.enums else int(word, 0)
        return total


def read_lines(lines):
    """Returns: the calls and the violations, in order."""
    calls, violations = [], []
    for line in lines:
        if line.startswith(('{"n":', '{"violation":')):
            entry = json.loads(line)
            (violations if 'violation' in entry else calls).append(entry)
    return calls, violations


def read_log(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return read_lines(file)


def read_replay(result):
    """Of a replay with 'log stderr', which is all that a locked replayer can write to. A replayer that is not needed
    any more is ended wherever it is, which may be in the middle of its last line."""
    lines = [line for line in result.err.splitlines() if line.startswith('{')]
    return read_lines(lines if lines and lines[-1].endswith('}') else lines[:-1])


class Comparison:
    """Of a value of the trace with one that the driver saw; the first difference is kept."""

    def __init__(self, names):
        self.names = names
        self.unseen = names.conditional   # pointers that may not have been followed
        self.difference = None

    def differ(self, where, traced, seen):
        if self.difference is None:
            self.difference = f'{where}: the trace has {traced!r}, the driver saw {seen!r}'
        return False

    def value(self, traced, seen, where, key):
        if seen == '?' or key in LOADERS + LATER + HIDDEN:
            return True
        if {'hex': ''} == seen and traced in ([], {'size': 0, 'base64': ''}):
            return True
        if traced is None or seen is None:
            same = (traced in (None, []) and seen in (None, [])) or key in self.names.conditional
            return same or self.address(traced, seen) or self.differ(where, traced, seen)
        if isinstance(traced, dict):
            if isinstance(seen, list) and len(seen) == 1 and 'base64' not in traced:
                seen = seen[0]
            return self.tree(traced, seen, where, key)
        if isinstance(traced, list) and isinstance(seen, list):
            if len(traced) != len(seen):
                return self.differ(where + ' (elements)', len(traced), len(seen))
            return all([self.value(a, b, f'{where}[{i}]', key)
                        for i, (a, b) in enumerate(zip(traced, seen))])
        if isinstance(traced, list) and len(traced) == 1:
            return self.value(traced[0], seen, where, key)
        if isinstance(seen, list) and len(seen) == 1:
            return self.value(traced, seen[0], where, key)
        return self.scalar(traced, seen, where, key)

    @staticmethod
    def address(traced, seen):
        """A null pointer, however it is written."""
        return any(isinstance(v, dict) and v.get('address') == '0x0' for v in (traced, seen))

    def tree(self, traced, seen, where, key):
        if 'base64' in traced and len(traced) == 2:
            data = base64.b64decode(traced['base64'])
            other = (bytes.fromhex(seen['hex']) if isinstance(seen, dict) else bytes(seen))
            return data == other or self.differ(where, data.hex(), other.hex())
        if 'address' in traced and set(traced) <= {'address', 'ignored'}:
            inside = where.replace('[', '.').split('.')
            return (traced.get('ignored') or self.unseen.intersection(inside)
                    or traced == seen
                    or self.differ(where, traced, seen))
        if not isinstance(seen, dict) or set(traced) - {'pNext'} != set(seen) - {'pNext'}:
            return self.differ(where, traced, seen)
        return all([self.value(traced[k], seen[k], f'{where}.{k}', k)
                    for k in traced if k in seen])

    def scalar(self, traced, seen, where, key):
        if isinstance(seen, str) and isinstance(traced, str) and traced == seen:
            return True
        try:
            a = self.number(traced)
            b = self.number(seen)
        except (ValueError, TypeError):
            return self.differ(where, traced, seen)
        wider = key in WIDENED or key in ('flags', 'createFlags') and where.startswith(WIDER_FLAGS)
        if wider and isinstance(a, int) and a & b == a:
            return True
        if isinstance(a, float) or isinstance(b, float):
            return abs(a - b) <= 1e-6 * max(1, abs(a)) or self.differ(where, traced, seen)
        mask = 0xffffffffffffffff
        return (a & mask == b & mask or (a ^ b) & 0xffffffff == 0 and min(a, b) < 0
                or self.differ(where, traced, seen))

    def number(self, value):
        if isinstance(value, dict):
            return int(value['address'], 0)
        if isinstance(value, str):
            return self.names.number(value)
        return float(value) if isinstance(value, float) else int(value)


def difference(names, command, call):
    """None, or a sentence on how the command of a trace is not the driver's call."""
    comparison = Comparison(names)
    if command['name'] in LOADERS_CALLS:
        return None
    about = names.commands[command['name']]
    traced = command['parameters']
    if about['returns']:
        comparison.value(command['result'], call['result'], command['name'] + ' (result)', '')
        if call['result'] < 0:   # what it should have filled says nothing
            traced = {name: value for name, value in traced.items() if name not in about['out']}
            comparison.unseen = names.conditional | FEEDBACK
    comparison.value(traced, {name: call['args'][name] for name in traced}, command['name'], '')
    return comparison.difference


def compare(names, commands, calls):
    """Every command of the trace is a call that the driver saw, each name in the same order, in
    each command buffer: a recording is in the trace when it ended.
    Returns: the calls that the trace does not have."""
    left = {}
    for call in calls:
        key = call['name'], call['args'].get('commandBuffer')
        left.setdefault(key, []).append(call)
    extra = []
    for command in commands:
        first = None
        queue = left.get((command['name'], command['parameters'].get('commandBuffer')), [])
        while queue:
            call = queue.pop(0)
            why = difference(names, command, call)
            if why is None:
                break
            first = first or why
            extra.append(call)
        else:
            check(False, f'command {command["index"]}: '
                  f'{first or "the driver saw no (more) " + command["name"]}')
    return extra + [call for queue in left.values() for call in queue]


# What a replay has of its own: attachments are stored (renderings that are suspended are whole
# ones), recordings may be submitted again, waits are cut into slices, images are bound one by
# one, nothing is exported, memory lies where it lay, shader groups get their handles back, generated
# commands are preprocessed when they are executed; and what the driver fills, which is there only
# after the call.
CHANGED = ('storeOp', 'stencilStoreOp', 'timeout', 'bindInfoCount', 'pBindInfos',
           'pPipelineCreationFeedback', 'pPipelineStageCreationFeedbacks', 'pRenderPassFeedback',
           'pSubpassFeedback', 'initialDataSize', 'pInitialData', 'resolveMode', 'loadOp',
           'pShaderGroupCaptureReplayHandle', 'isPreprocessed')
CHANGED_FLAGS = ('vkBeginCommandBuffer.', 'vkMapMemory.', 'vkCmdBeginRendering', 'vkCreateImage.pCreateInfo.flags',
                 'vkGetQueryPoolResults.', 'vkCreateIndirectCommandsLayout')
# Where the driver writes through inputs.
FILLED = ('vkWriteResourceDescriptorsEXT.pDescriptors', 'vkWriteSamplerDescriptorsEXT.pDescriptors',
          'vkGetImageOpaqueCaptureDataEXT.pDatas', 'vkGetTensorOpaqueCaptureDataARM.pDatas')
UNCHAINED = ('VK_STRUCTURE_TYPE_EXPORT_', 'VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_',
             'VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_')
TRANSIENT = 0x40   # VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT: such images could not be read
# Of the host's memory, and of buffers and images that lie in it.
IMPORTED = (1000178000, 1000072000, 1000072001)


class Replayed(Comparison):
    """Of a command with the call that its replay made: handles have other values, one for each."""

    def __init__(self, names, handles):
        super().__init__(names)
        self.handles = handles

    def blank(self, seen):
        """A member that nobody reads: the replay leaves zeroes there, in a structure, too."""
        if isinstance(seen, dict):
            return all(self.blank(member) for member in seen.values())
        return seen in (None, [], 0, '0x0')

    def value(self, traced, seen, where, key):
        if (key in CHANGED or where.startswith(FILLED) or key == 'flags' and where.startswith(CHANGED_FLAGS)
                or key in self.names.conditional and self.blank(seen)):
            return True
        if key == 'pNext' and isinstance(traced, list):
            traced = [link for link in traced if not link['sType'].startswith(UNCHAINED)] or None
        if key == 'pNext' and isinstance(seen, list):
            seen = [link for link in seen if link['sType'] not in IMPORTED] or None
        return super().value(traced, seen, where, key)

    def scalar(self, traced, seen, where, key):
        if key == 'usage':
            traced = self.names.number(traced) & ~TRANSIENT
        if key in ('object', 'objectHandle') and isinstance(seen, int):
            seen = hex(seen)
        if isinstance(seen, str) and seen.startswith('0x') and isinstance(traced, str):
            known = self.handles.setdefault(traced, seen)
            if known != seen and traced in self.handles:
                return self.differ(f'{where} (handle {traced})', known, seen)
            return True
        return super().scalar(traced, seen, where, key)


def align(names, commands, calls):
    """Pairs of a command and the call that replayed it, in the order of both, by name; and the
    commands that no call replayed."""
    def name(entry):
        return names.commands[entry['name']]['canonical']

    matcher = difflib.SequenceMatcher(None, [name(c) for c in commands], [name(c) for c in calls],
                                      autojunk=False)
    pairs, left, at = [], [], 0
    for first, second, n in matcher.get_matching_blocks():
        left += commands[at:first]
        pairs += zip(commands[first:first + n], calls[second:second + n])
        at = first + n
    return pairs, left
