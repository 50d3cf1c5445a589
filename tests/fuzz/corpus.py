#!/usr/bin/env python3
"""Cuts real traces into seeds for fuzz-pack, fuzz-decode and fuzz-state.

    corpus.py --ids BUILD/src/api/vtr-api-ids.h DIR FILE.gfxtrace…

DIR/pack gets short proto-pack streams: the types that a few neighbouring objects use, then these
objects. DIR/decode gets single command messages. Equal shapes are taken once. Standard library and
the zstd program only.
"""

import argparse
import collections
import hashlib
import os
import re
import subprocess
import sys

MAGIC = b'ProtoPack\r\n2.0\n\0'
ZSTD_MAGICS = (0xfd2fb528,)
WINDOW = 12          # objects of a stream
LARGEST = 4096       # bytes of an object
PER_COMMAND = 3      # messages of each shape


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
        shift += 7


def write_varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def unzigzag(value):
    return value >> 1 ^ -(value & 1)


def zigzag(value):
    return (value << 1 ^ value >> 63) & (1 << 64) - 1


class Type:
    def __init__(self, name, descriptor):
        self.name = name
        self.descriptor = descriptor
        # Every ".package.Name" in the descriptor is a type that a field refers to. What follows it
        # may look like more of the name, so its length counts.
        self.uses = {descriptor[at.end():at.end() + at[1][0] - 1].decode('latin-1') for at in
                     re.finditer(rb'\x32([\x02-\x7f])\.', descriptor, re.S)}

    def chunk(self):
        name = self.name.encode()
        body = write_varint(len(name)) + name + self.descriptor
        return write_varint(zigzag(-len(body))) + body


class Object:
    def __init__(self, parent, kind, message):
        self.parent = parent
        self.kind = kind  # < 0: opens a group; 0: ends one
        self.message = message

    def chunk(self, numbers):
        kind = 0
        if self.kind != 0:
            kind = numbers[abs(self.kind)] * (1 if self.kind > 0 else -1)
        body = write_varint(zigzag(self.parent)) + write_varint(zigzag(kind)) + self.message
        return write_varint(zigzag(len(body))) + body


def plain(path):
    with open(path, 'rb') as file:
        data = file.read()
    if data.startswith(MAGIC):
        return data
    return subprocess.run(['zstd', '-q', '-d', '-c', path], stdout=subprocess.PIPE,
                          check=True).stdout


def parse(data):
    """(types, objects) of a stream, both in order."""
    types, objects = [], []
    at = len(MAGIC)
    while at < len(data):
        size, at = read_varint(data, at)
        size = unzigzag(size)
        if size == 0:
            break
        end = at + abs(size)
        if end > len(data):
            break
        if size < 0:
            length, at = read_varint(data, at)
            types.append(Type(data[at:at + length].decode(), data[at + length:end]))
        else:
            parent, at = read_varint(data, at)
            kind = 0
            if at < end:
                kind, at = read_varint(data, at)
            objects.append(Object(unzigzag(parent), unzigzag(kind), data[at:end]))
        at = end
    return types, objects


def close_over(types, by_name, wanted):
    """The positions of @wanted and of all types that they refer to, ascending."""
    found, waiting = set(), list(wanted)
    while waiting:
        number = waiting.pop()
        if number in found or not 1 <= number <= len(types):
            continue
        found.add(number)
        waiting += [by_name[name] for name in types[number - 1].uses if name in by_name]
    return sorted(found)


def runs(objects):
    """Short runs of neighbouring objects whose groups are closed inside."""
    run, depth = [], 0
    for item in objects:
        if len(item.message) > LARGEST:
            run, depth = [], 0
            continue
        run.append(item)
        depth += 1 if item.kind < 0 else -1 if item.kind == 0 else 0
        depth = max(depth, 0)
        if depth == 0 and len(run) >= WINDOW or len(run) > 8 * WINDOW:
            yield run
            run, depth = [], 0
    if run:
        yield run


def split_fields(message):
    """The fields of a message, each with its tag: [(number, bytes)]."""
    fields, at = [], 0
    while at < len(message):
        begin = at
        tag, at = read_varint(message, at)
        if tag & 7 == 2:
            size, at = read_varint(message, at)
            at += size
        elif tag & 7 == 0:
            _, at = read_varint(message, at)
        else:
            at += 8 if tag & 7 == 1 else 4
        fields.append((tag >> 3, message[begin:at]))
    return fields


def cut_state(corpus, message):
    """A GAPID trace's vulkan.State for fuzz-state: whole, and each part of it with the instances
    and devices (fields 2 to 4) that it needs."""
    corpus.add('state', message, 1, message)
    fields = split_fields(message)
    for chosen in {number for number, _ in fields if number > 4}:
        part = b''.join(data for number, data in fields if number <= 4 or number == chosen)
        corpus.add('state', part, 1, part)


class Corpus:
    def __init__(self, folder):
        self.folder = folder
        self.shapes = collections.Counter()

    def add(self, target, shape, most, data):
        if self.shapes[(target, shape)] >= most:
            return
        self.shapes[(target, shape)] += 1
        folder = os.path.join(self.folder, target)
        os.makedirs(folder, exist_ok=True)
        name = hashlib.sha256(data).hexdigest()[:24]
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)


def cut(corpus, path, ids):
    types, objects = parse(plain(path))
    by_name = {kind.name: i + 1 for i, kind in enumerate(types)}
    for run in runs(objects):
        used = close_over(types, by_name, {abs(item.kind) for item in run if item.kind != 0})
        numbers = {number: i + 1 for i, number in enumerate(used)}
        if any(item.kind != 0 and abs(item.kind) not in numbers for item in run):
            continue
        stream = MAGIC + b''.join(types[number - 1].chunk() for number in used)
        stream += b''.join(item.chunk(numbers) for item in run)
        shape = tuple(sorted({abs(item.kind) for item in run}))
        if len(stream) <= 16 * LARGEST:
            corpus.add('pack', (path, shape), 1, stream)
    for item in objects:
        if item.kind == 0 or abs(item.kind) > len(types):
            continue
        name = types[abs(item.kind) - 1].name
        if name == 'vulkan.State':
            cut_state(corpus, item.message)
        if name.startswith('vulkan.vk') and name[7:] in ids and len(item.message) <= LARGEST:
            shape = (name, len(item.message) // 64)
            corpus.add('decode', shape, PER_COMMAND,
                       ids[name[7:]].to_bytes(2, 'little') + item.message)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--ids', required=True, help='vtr-api-ids.h of the build')
    parser.add_argument('dir')
    parser.add_argument('traces', nargs='+')
    options = parser.parse_args()
    with open(options.ids, encoding='utf-8') as file:
        ids = {name: int(number) for name, number in
               re.findall(r'VTR_CMD_(vk\w+) = (\d+)', file.read())}
    corpus = Corpus(options.dir)
    for path in options.traces:
        cut(corpus, path, ids)
    counts = collections.Counter(target for (target, _), n in corpus.shapes.items()
                                 for _ in range(n))
    print(', '.join(f'{n} seeds for {target}' for target, n in sorted(counts.items())))
    return 0 if counts else 1


sys.exit(main())
