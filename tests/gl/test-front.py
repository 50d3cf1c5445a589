#!/usr/bin/env python3
"""Puts the vendor library that captures programs of EGL in front of a vendor, without anybody who captures: the program runs as
it does alone.

Usage: test-front.py GL_TRIANGLES WITNESS FOLDER_OF_FRONTS"""

import os
import pathlib
import sys

from gl_runs import FRAMES, SKIPPED, Runs

PARTS = ('turning', 'sharing', 'passed', 'arrays')


def main():
    program, witness, folder = map(os.path.abspath, sys.argv[1:])
    fronts = [str(pathlib.Path(folder) / f'vitrine-egl-{i}.json') for i in range(4)]
    with Runs(program, witness) as runs:
        if runs.run('turning') == SKIPPED:
            return SKIPPED
        for part in PARTS:
            alone, behind = runs.witness_variables(f'{part}-alone'), runs.witness_variables(f'{part}-behind')
            assert runs.run(part, {**alone, '__EGL_VENDOR_LIBRARY_FILENAMES': str(runs.manifest)}) == 0
            assert runs.run(part, {**behind, '__EGL_VENDOR_LIBRARY_FILENAMES': fronts[0], 'VITRINE_EGL_VENDORS': witness}) == 0
            assert runs.frames(f'{part}-alone') == runs.frames(f'{part}-behind'), part
            assert len(runs.frames(f'{part}-alone')) == FRAMES, part

        # Each vendor has a front of its own, and the first that has a display is used.
        for name, vendors, seen in (('first', f'{witness}:nothing.so', FRAMES), ('second', f'nothing.so:{witness}', FRAMES),
                                    ('other', f'libEGL_mesa.so.0:{witness}', 0)):
            variables = {**runs.witness_variables(name), '__EGL_VENDOR_LIBRARY_FILENAMES': ':'.join(fronts[:2]),
                         'VITRINE_EGL_VENDORS': vendors}
            assert runs.run('turning', variables) == 0, name
            assert len(runs.frames(name)) == seen, name

        # Without a vendor there is no display, as without its manifest.
        for vendors in ('', ':', 'nothing.so', f':{witness}'):
            variables = {'__EGL_VENDOR_LIBRARY_FILENAMES': fronts[0], 'VITRINE_EGL_VENDORS': vendors}
            assert runs.run('turning', variables) == SKIPPED, vendors
    return 0


if __name__ == '__main__':
    sys.exit(main())
