"""Puts commands of an API that no build of Vitrine has into a trace, as their recorder would.

Written from FORMAT.md alone; shares no code with the reader it tests.
"""

import os
import struct
import subprocess

import gapid
import harness
from gapid import FIXED32, FIXED64, FLOAT, MAGIC, MESSAGE, STRING, read_varint, tagged, unzigzag, varint, zigzag

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data')
RETURNED = 'vitrine.Returned'
INT32 = 5


def fixed32(number, value):
    return varint(number << 3 | 5) + struct.pack('<I', value)


def fixed64(number, value):
    return varint(number << 3 | 1) + struct.pack('<Q', value)


def chunk(body, sign):
    return zigzag(sign * len(body)) + body


def definition(name, fields):
    """A type: its full name, and (name, number, type) of each field."""
    members = b''
    for field, number, kind in fields:
        described = tagged(1, field) + varint(3 << 3) + varint(number) + varint(4 << 3) + varint(1) + varint(5 << 3) + varint(kind)
        members += tagged(2, described + (tagged(6, b'.vitrine.Observation') if kind == MESSAGE else b''))
    body = tagged(1, name.rpartition(b'.')[2]) + members
    return chunk(varint(len(name)) + name + body, -1)


def command_type(name, params, result=None):
    common = [(b'thread', 1, FIXED32), (b'reads', 2, MESSAGE), (b'writes', 3, MESSAGE), (b'time', 5, FIXED64), (b'record_flags', 7, FIXED32)]
    return definition(name, common + ([(b'result', 4, result)] if result else [])
                      + [(param, 8 + number, kind) for number, (param, kind) in enumerate(params)])


TYPES = (command_type(b'foo.fooDraw', ((b'width', FIXED32), (b'scale', FLOAT), (b'label', STRING), (b'points', FIXED64), (b'bias', INT32)), FIXED32)
         + command_type(b'foo.fooSwap', ()))
N_TYPES = 2


def draw(n):
    return (fixed32(1, 4711) + tagged(2, fixed64(1, 0x1000) + tagged(2, b'seen')) + fixed32(4, 7) + fixed64(5, 99)
            + fixed32(8, 640 + n) + varint(9 << 3 | 5) + struct.pack('<f', 0.5) + tagged(10, 'größe'.encode())
            + fixed64(11, 0x7f00 + n) + varint(12 << 3) + varint(-3))


SWAP = fixed32(1, 4711)
PARAMETERS = {'width': 640, 'scale': 0.5, 'label': 'größe', 'points': '0x7f00', 'bias': -3}


def plain(name):
    """A trace of tests/data without its container."""
    path = os.path.join(DATA, f'{name}.gfxtrace')
    return subprocess.run([harness.need('zstd'), '-dcq', path], check=True, capture_output=True).stdout


def insert(data, before, types=TYPES, n_types=N_TYPES):
    """Puts a fooDraw before each command called @before, and a fooSwap behind it. Returns: the stream."""
    names, out, at = [None], bytearray(MAGIC), len(MAGIC)
    shift, n_commands, shifts = 0, 0, []
    while at < len(data):
        size, start = read_varint(data, at)
        size = unzigzag(size)
        body, whole, at = data[start:start + abs(size)], data[at:start + abs(size)], start + abs(size)
        if size < 0:
            length, start = read_varint(body, 0)
            names.append(body[start:start + length].decode())
            out += whole
            continue
        _, start = read_varint(body, 0)
        kind, start = read_varint(body, start)
        name = names[unzigzag(kind)]
        if types:
            out, own, types = out + types, len(names), b''
        if name == RETURNED:
            found = dict(gapid.fields(body[start:]))
            index = found.get(1, 0)
            body = zigzag(0) + kind_of(kind) + fixed64(1, index + shifts[index]) + fixed64(4, found.get(4, 0))
            out += chunk(body, 1)
            continue
        if name.startswith('vulkan.'):
            if name == f'vulkan.{before}':
                out += chunk(zigzag(0) + zigzag(own) + draw(shift // 2), 1) + chunk(zigzag(0) + zigzag(own + 1) + SWAP, 1)
                shift += 2
            shifts.append(shift)
            n_commands += 1
        out += whole
    return bytes(out)


def kind_of(kind):
    return varint(kind)
