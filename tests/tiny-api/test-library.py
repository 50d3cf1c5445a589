#!/usr/bin/env python3
"""Runs the programs of the tiny API without any recording: its driver does what docs/design/api.md says.

Usage: test-library.py TINY_SHAPES"""

import pathlib
import subprocess
import sys
import tempfile

SIDE = 32
FRAMES = 3
RED, GREY, NOTHING = b'\xff\0\0\xff', b'\x80\x80\x80\xff', b'\0\0\0\0'
# Windows that each part swaps.
WINDOWS = {'window': 1, 'stores': 1, 'names': 2, 'errors': 1, 'threads': 3, 'flushes': 0, 'trail': 1}


def run(program, part):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, part, str(FRAMES)], check=True, env={'TINY_WITNESS': folder}, timeout=60)
        return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def texel(window, x, y):
    at = (y * SIDE + x) * 4
    return window[at:at + 4]


def check_rectangle(window, frame):
    """The part "window": a red square that moves to the right, its lower edge in row 4 from the bottom."""
    for y in range(SIDE):
        for x in range(SIDE):
            inside = frame <= x < frame + 8 and 4 <= y < 12
            found = texel(window, x, y)
            assert found == (RED if inside else GREY), f'frame {frame}: ({x}, {y}) is {found.hex()}'


def main():
    program = sys.argv[1]
    for part, n_windows in WINDOWS.items():
        windows = run(program, part)
        expected = {f'window-{n}-{frame}.rgba' for n in range(n_windows) for frame in range(FRAMES)}
        assert windows.keys() == expected, f'{part}: {sorted(windows)}'
        assert all(len(window) == SIDE * SIDE * 4 for window in windows.values()), part
        if part == 'window':
            for frame in range(FRAMES):
                check_rectangle(windows[f'window-0-{frame}.rgba'], frame)
        if part == 'names':
            assert texel(windows['window-1-2.rgba'], 1, 20) == RED and texel(windows['window-1-2.rgba'], 2, 20) == NOTHING
    status = subprocess.run([program, 'nothing', '1'], capture_output=True, check=False)
    assert status.returncode == 2 and b'Usage' in status.stderr


main()
