"""Writes traces as GAPID and AGI do, out of what Vitrine captured (decompressed: zstd -d).

Written from the description of the format alone; shares no code with the reader it tests.
"""

import struct

FLOAT, FIXED64, FIXED32, STRING, MESSAGE, BYTES, UINT32, SINT64, UINT64 = (
    2, 6, 7, 9, 11, 12, 13, 18, 4)
MAGIC = b'ProtoPack\r\n2.0\n\0'


# Protobuf

def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    value &= (1 << 64) - 1
    if value >> 63:
        value -= 1 << 64
    return varint((value << 1) ^ (value >> 63))


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def fields(message):
    at = 0
    while at < len(message):
        tag, at = read_varint(message, at)
        if tag & 7 == 0:
            value, at = read_varint(message, at)
        elif tag & 7 == 2:
            size, at = read_varint(message, at)
            value, at = message[at:at + size], at + size
        else:
            size = 8 if tag & 7 == 1 else 4
            value, at = int.from_bytes(message[at:at + size], 'little'), at + size
        yield tag >> 3, value


def tagged(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def number(field, value):
    return varint(field << 3) + zigzag(value) if value else b''


# What Vitrine wrote

class Chunks:
    """The commands of a plain Vitrine trace with all that belongs to them."""

    def __init__(self, data):
        self.types, self.commands, self.resources = [None], [], []
        self.device_infos, pending = {}, []
        at = 16
        while at < len(data):
            size, at = read_varint(data, at)
            size = unzigzag(size)
            body, at = data[at:at + abs(size)], at + abs(size)
            if size < 0:
                length, start = read_varint(body, 0)
                self.types.append((body[start:start + length].decode(),
                                   describe(body[start + length:])))
                continue
            _, start = read_varint(body, 0)
            kind, start = read_varint(body, start)
            name, members = self.types[unzigzag(kind)]
            message = body[start:]
            if name.startswith('vulkan.vk'):
                self.commands.append(Command(name, members, message, pending))
                pending = []
            elif name == 'vitrine.Resource':
                self.resources.append(next(v for n, v in fields(message) if n == 1))
            elif name == 'vitrine.MappedWrites':
                pending += [value for n, value in fields(message) if n == 2]
            elif name == 'vitrine.Returned':
                found = dict(fields(message))
                self.commands[found.get(1, 0)].result = found.get(4, 0)
            elif name == 'vitrine.DeviceInfo':
                self.device_infos[len(self.commands)] = dict(fields(message))

    def observation(self, message):
        found = dict(fields(message))
        data = self.resources[found[3] - 1] if 3 in found else found.get(2, b'')
        return found.get(1, 0), data


def describe(descriptor):
    """Field number -> (name, type)."""
    out = {}
    for kind, value in fields(descriptor):
        if kind == 2:
            found = dict(fields(value))
            out[found[3]] = (found[1].decode(), found[5])
    return out


class Command:
    def __init__(self, name, members, message, mapped):
        self.name, self.members = name, members
        self.reads, self.writes, self.values = [], [], {}
        self.mapped, self.result, self.thread = mapped, None, 0
        for field, value in fields(message):
            if field == 1:
                self.thread = value
            elif field == 2:
                self.reads.append(value)
            elif field == 3:
                self.writes.append(value)
            elif field == 4:
                self.result = value
            elif field >= 8:
                self.values[field] = value


# What GAPID writes

class Writer:
    def __init__(self, version=3, architecture='arm64-v8a'):
        self.out = bytearray(MAGIC)
        self.n_chunks, self.types, self.blobs = 0, {}, {}
        self.version = version
        self.header(architecture)

    def chunk(self, body, definition=False):
        self.out += zigzag(-len(body) if definition else len(body)) + body
        self.n_chunks += 1
        return self.n_chunks - 1

    def type(self, name, *members):
        """Index of a type: members are (number, name, type[, type name[, repeated]])."""
        if name not in self.types:
            body = tagged(1, name.split('.')[-1].encode())
            for member in members:
                found = (tagged(1, member[1].encode()) + varint(3 << 3) + varint(member[0]) +
                         varint(4 << 3) + varint(3 if len(member) > 4 else 1) +
                         varint(5 << 3) + varint(member[2]))
                if len(member) > 3 and member[3]:
                    found += tagged(6, ('.' + member[3]).encode())
                body += tagged(2, found)
            self.types[name] = len(self.types) + 1
            self.chunk(varint(len(name)) + name.encode() + body, definition=True)
        return self.types[name]

    def leaf(self, kind, message, parent=None):
        return self.chunk(self.up(parent) + zigzag(kind) + message)

    def group(self, kind, message, parent=None):
        return self.chunk(self.up(parent) + zigzag(-kind) + message)

    def end(self, group):
        self.chunk(self.up(group))

    def up(self, parent):
        return zigzag(0 if parent is None else parent - self.n_chunks)

    def header(self, architecture):
        layout = self.type('device.DataTypeLayout', (1, 'size', 5), (2, 'alignment', 5))
        self.type('device.MemoryLayout', (1, 'endian', 14),
                  (2, 'pointer', MESSAGE, 'device.DataTypeLayout'),
                  (3, 'integer', MESSAGE, 'device.DataTypeLayout'),
                  (6, 'i64', MESSAGE, 'device.DataTypeLayout'))
        self.type('device.ABI', (1, 'name', STRING),
                  (4, 'memory_layout', MESSAGE, 'device.MemoryLayout'))
        self.type('device.VulkanPhysicalDevice', (1, 'api_version', UINT32),
                  (5, 'device_name', STRING))
        self.type('device.VulkanDriver',
                  (3, 'physical_devices', MESSAGE, 'device.VulkanPhysicalDevice', True))
        self.type('device.Drivers', (2, 'vulkan', MESSAGE, 'device.VulkanDriver'))
        self.type('device.Configuration', (4, 'drivers', MESSAGE, 'device.Drivers'))
        self.type('device.Instance', (4, 'configuration', MESSAGE, 'device.Configuration'))
        kind = self.type('capture.Header', (1, 'device', MESSAGE, 'device.Instance'),
                         (2, 'ABI', MESSAGE, 'device.ABI'), (3, 'version', 17),
                         (4, 'start_time', UINT64))
        del layout
        eight = b'\x08\x08\x10\x08'
        abi = tagged(1, architecture.encode()) + tagged(
            4, b'\x08\x02' + tagged(2, eight) + tagged(3, eight) + tagged(6, eight))
        gpu = varint(1 << 3) + varint(0x401063) + tagged(5, b'Adreno (TM) 540')
        device = tagged(4, tagged(4, tagged(2, tagged(3, gpu))))
        self.leaf(kind, tagged(2, abi) + varint(3 << 3) + zigzag(self.version))
        self.leaf(kind, tagged(1, device) + tagged(2, abi) + varint(3 << 3) +
                  zigzag(self.version))

    def resource(self, data, index=None):
        """Number of the blob; one for each content."""
        if data not in self.blobs:
            kind = self.type('capture.Resource', (1, 'index', SINT64), (2, 'data', BYTES))
            self.blobs[data] = len(self.blobs) + 1
            self.leaf(kind, number(1, self.blobs[data] if index is None else index) +
                      tagged(2, data))
        return self.blobs[data]

    def observe(self, group, base, data, pool=0):
        resource = self.resource(data)
        kind = self.type('memory.Observation', (1, 'base', UINT64), (2, 'size', UINT64),
                         (3, 'res_index', SINT64), (4, 'pool', UINT32))
        plain = varint(1 << 3) + varint(base) + varint(2 << 3) + varint(len(data))
        self.leaf(kind, plain + number(3, resource) +
                  (varint(4 << 3) + varint(pool) if pool else b''), group)


def android_surface(writer_reads):
    """A surface of Android in place of any other: only its head is told."""
    return [(base, struct.pack('<IIQIIQ', 1000008000, 0, 0, 0, 0, 0x7a3c0010))
            for base, data in writer_reads[:1]]


def begin(writer, command, parent=None):
    """Opens the group of a command."""
    name = command.name
    if name in ('vulkan.vkCreateXcbSurfaceKHR', 'vulkan.vkCreateXlibSurfaceKHR',
                'vulkan.vkCreateHeadlessSurfaceEXT', 'vulkan.vkCreateWaylandSurfaceKHR'):
        name = 'vulkan.vkCreateAndroidSurfaceKHR'
    command.written_name = name
    members = [(1, 'thread', SINT64)]
    message = number(1, command.thread)
    for field in sorted(command.members):
        if field < 8:
            continue
        label, kind = command.members[field]
        value = command.values.get(field, 0)
        real = kind == FLOAT
        members.append((field, label, FLOAT if real else SINT64))
        if real and value:
            message += varint(field << 3 | 5) + value.to_bytes(4, 'little')
        elif value:
            message += number(field, value)
    return writer.group(writer.type(name, *members), message, parent)


def finish(writer, chunks, command, group):
    """What a command saw, its call, what it wrote, its end."""
    reads = [chunks.observation(value) for value in command.reads + command.mapped]
    if command.written_name != command.name:
        reads = android_surface(reads)
    for base, data in reads:
        writer.observe(group, base, data)
    if command.result is None:
        kind, message = writer.type('api.CmdCall'), b''
    else:
        kind = writer.type(command.written_name + 'Call', (1, 'result', SINT64))
        value = command.result
        message = number(1, value - (1 << 32) if value >> 31 == 1 else value)
    writer.leaf(kind, message, group)
    for value in command.writes:
        writer.observe(group, *chunks.observation(value))
    writer.end(group)


def memory_extra(writer, group, info):
    """vulkan.PhysicalDevicesMemoryProperties of vitrine.DeviceInfo."""
    raw = info.get(4, b'')
    if len(raw) < 4:
        return
    writer.type('vulkan.VkMemoryType', (1, 'propertyFlags', SINT64), (2, 'heapIndex', SINT64))
    writer.type('vulkan.VkMemoryHeap', (1, 'size', SINT64), (2, 'flags', SINT64))
    writer.type('vulkan.VkPhysicalDeviceMemoryProperties', (1, 'memoryTypeCount', SINT64),
                (2, 'memoryTypes', MESSAGE, 'vulkan.VkMemoryType', True),
                (3, 'memoryHeapCount', SINT64),
                (4, 'memoryHeaps', MESSAGE, 'vulkan.VkMemoryHeap', True))
    name = 'vulkan.sint64_to_VkPhysicalDeviceMemoryProperties_map'
    writer.type(name, (1, 'ReferenceID', SINT64),
                (2, 'Values', MESSAGE, 'vulkan.VkPhysicalDeviceMemoryProperties', True),
                (3, 'Keys', SINT64, None, True))
    kind = writer.type('vulkan.PhysicalDevicesMemoryProperties',
                       (1, 'PhyDevToMemoryProperties', MESSAGE, name))
    message = number(1, struct.unpack_from('<I', raw, 0)[0])
    for i in range(32):
        flags, heap = struct.unpack_from('<II', raw, 4 + 8 * i)
        message += tagged(2, number(1, flags) + number(2, heap))
    message += number(3, struct.unpack_from('<I', raw, 260)[0])
    for i in range(16):
        size, flags = struct.unpack_from('<QI', raw, 264 + 16 * i)
        message += tagged(4, number(1, size) + number(2, flags))
    device = info.get(2, 0)
    writer.leaf(kind, tagged(1, number(1, 1) + tagged(2, message) + tagged(3, zigzag(device))),
                group)


def convert(data, version=3, nest=False, interleave=False):
    """A plain Vitrine trace as a GAPID (3) or AGI (4) trace of an arm64 phone."""
    chunks = Chunks(data)
    writer = Writer(version)
    commands = chunks.commands
    info = next(iter(chunks.device_infos.values()), {})
    at = 0
    while at < len(commands):
        command = commands[at]
        pair = at + 1 < len(commands) and at % 5 == 0
        if pair and nest:
            # The inner one ends first, so it comes first.
            outer = begin(writer, commands[at + 1])
            finish(writer, chunks, command, begin(writer, command, outer))
            finish(writer, chunks, commands[at + 1], outer)
            at += 2
            continue
        if pair and interleave:
            second = begin(writer, commands[at + 1])
            first = begin(writer, command)
            finish(writer, chunks, command, first)
            finish(writer, chunks, commands[at + 1], second)
            at += 2
            continue
        group = begin(writer, command)
        if command.name == 'vulkan.vkEnumeratePhysicalDevices':
            memory_extra(writer, group, info)
        finish(writer, chunks, command, group)
        at += 1
    return bytes(writer.out)
