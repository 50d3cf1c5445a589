#!/usr/bin/env python3
"""Replays traces of tiny-shapes: pictures of windows and of bound pictures after any command have to be, byte for byte, what
libtiny had; so have those with a draw disabled, as a model in Python draws them.

Usage: test-replay.py VITRINE_CLI TINY_SHAPES LIBTINY TRACE_OF_VULKAN"""

import json
import os
import struct
import subprocess
import sys
import zlib

from tiny_capture import Capture
from tiny_machine import Machine, Trace


def read_png(data):
    """RGBA rows from the top: width, height, bytes."""
    assert data[:8] == b'\x89PNG\r\n\x1a\n', data[:16]
    at, packed, width = 8, b'', 0
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', body[:10])
            assert (depth, color) in ((8, 6), (8, 2)), (depth, color)
            channels = 4 if color == 6 else 3
        elif kind == b'IDAT':
            packed += body
        at += 12 + size
    raw, rows, last = zlib.decompress(packed), [], bytes(width * channels)
    for y in range(height):
        line = raw[y * (width * channels + 1):(y + 1) * (width * channels + 1)]
        row = bytearray(line[1:])
        for x in range(len(row)):
            left = row[x - channels] if x >= channels else 0
            up, corner = last[x], last[x - channels] if x >= channels else 0
            p = left + up - corner
            paeth = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            row[x] = (row[x] + (0, left, up, (left + up) // 2, paeth)[line[0]]) & 0xff
        rows.append(bytes(row))
        last = row
    return width, height, channels, rows


def opaque(data, width, channels):
    """Rows from the top, without alpha where the file has none, of what libtiny has from the bottom."""
    rows = [data[i:i + 4 * width] for i in range(0, len(data), 4 * width)][::-1]
    return [row if channels == 4 else b''.join(row[i:i + 3] for i in range(0, len(row), 4)) for row in rows]


class Replays:
    def __init__(self, capture, path):
        self.capture, self.path, self.n = capture, path, 0

    def shot(self, *options):
        self.n += 1
        out = self.capture.path(f'shot-{self.n}.png')
        subprocess.run([*self.capture.cli, 'screenshot', '-o', out, *options, self.path], check=True, timeout=120)
        with open(out, 'rb') as file:
            return read_png(file.read())

    def check(self, data, *options):
        width, height, channels, rows = self.shot(*options)
        assert len(data) == 4 * width * height, (self.path, options, width, height, len(data))
        assert rows == opaque(data, width, channels), f'{self.path}: {options} is not what it was'


class Model(Machine):
    """Knows what was bound after each command; @disabled do not run."""

    def __init__(self, trace, disabled=()):
        super().__init__(trace)
        self.disabled, self.after = disabled, {}

    def run(self, command):
        index = command['path'].split('/')
        context = self.context_of(command)
        # What the program read is not what an edited trace holds.
        is_edited = self.disabled and command['name'] in ('tnRead', 'tnGetError')
        if index[0] == 'initial' or (int(index[1]) not in self.disabled and not is_edited):
            super().run(command)
        if index[0] == 'commands' and context is not None:
            picture = context.window if command['name'] == 'tnSwap' else context.picture
            self.after[int(index[1])] = bytes(picture.bytes)


def check_trace(capture, path, windows=None, every=1):
    replays, trace = Replays(capture, path), Trace(capture.cli, path)
    model = Model(trace)
    model.run_all()
    swaps = [i for i, c in enumerate(trace.commands) if c['name'] == 'tnSwap']
    draws = [i for i, c in enumerate(trace.commands) if c['name'] == 'tnDraw']
    n = 0
    for index in sorted(set(swaps) | set(draws[::every])):
        if model.after.get(index):
            replays.check(model.after[index], f'--at={index}')
            n += 1
    assert n > 0, path
    if windows is not None:
        assert [model.after[i] for i in swaps] == windows, 'the model is wrong'
    for k in range(len(swaps)):
        replays.check(model.after[swaps[k]], f'--frame={k}')
    # Without its first draw.
    edited = Model(trace, disabled=(draws[0],))
    edited.run_all()
    at = next(i for i in swaps if i > draws[0])
    width, _, channels, rows = replays.shot(f'--at={at}', f'--disable={draws[0]}')
    assert rows == opaque(edited.after[at], width, channels), f'{path}: without draw {draws[0]}'
    subprocess.run([*capture.cli, 'replay', path], check=True, timeout=120, stdout=subprocess.DEVNULL)
    return n


def run(capture, *words, **environment):
    return subprocess.run([*capture.cli, *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


def check_devices(capture, path, vulkan):
    """The tiny API's device is listed with Vulkan's; it replays no trace of Vulkan, and nothing is known of what traces of it need."""
    devices = json.loads(run(capture, 'devices', '--json').stdout)
    assert [d for d in devices if d['name'] == 'libtiny' and d['library'] and d['type'] == 'Software'], devices
    assert 'libtiny  (Software; Tiny; unknown driver)' in run(capture, 'devices').stdout
    for words in (('get', path, 'compatibility'), ('replay', '--check', path)):
        done = run(capture, *words)
        assert done.returncode not in (0, 139) and 'It is unknown what this trace needs from a device' in done.stderr, done
    report = json.loads(run(capture, 'report', '--json', path).stdout)
    assert report['errors'] == 0, report
    lone = run(capture, 'replay', vulkan, VK_DRIVER_FILES='/nowhere/driver.json')
    assert lone.returncode == 5 and 'No device of this computer can replay this trace' in lone.stderr, lone


def main():
    os.environ['TINY_LIBRARY'] = sys.argv[3]
    os.environ['VITRINE_REPLAY_ENVIRONMENT'] = 'TINY_LIBRARY'
    with Capture(sys.argv[1], sys.argv[2]) as capture:
        path, windows = capture.take('window', 3)
        check_trace(capture, path, [windows[key] for key in sorted(windows)])
        check_devices(capture, path, sys.argv[4])
        for part in ('stores', 'names', 'errors', 'threads'):
            path, _ = capture.take(part, 2)
            check_trace(capture, path, every=2)
        # In trail, what is bound where the recording begins has no name any more.
        for part in ('window', 'trail', 'unasked'):
            path, _ = capture.take(part, 8, '--at-frame=3', '-n', '2', name=f'{part}-middle')
            check_trace(capture, path)


main()
