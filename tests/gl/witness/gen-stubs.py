#!/usr/bin/env python3
"""Writes a C function for each command of OpenGL and EGL that counts its calls and calls on: gen-stubs.py FOLDER OUTPUT. FOLDER
has gl.xml and egl.xml. It shares no code with the product's generator."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def read(path):
    for command in ElementTree.parse(path).getroot().iterfind('commands/command'):
        proto = command.find('proto')
        name = proto.findtext('name')
        result = ''.join(proto.itertext())
        result = result[:result.rindex(name)].strip()
        params = command.findall('param')
        yield name, result, [''.join(p.itertext()).strip() for p in params], [p.findtext('name') for p in params]


def main():
    folder = pathlib.Path(sys.argv[1])
    commands = sorted([*read(folder / 'gl.xml'), *read(folder / 'egl.xml')])
    lines = ['#include "witness-vendor.h"', '', f'WitnessEntry witness_entries[{len(commands)}];', '']
    for number, (name, result, params, names) in enumerate(commands):
        params = ', '.join(params) or 'void'
        lines += [f'static {result} stub_{name} ({params})', '{', f'  witness_count (&witness_entries[{number}]);',
                  f'  {"" if result == "void" else "return "}(({result} (*) ({params})) witness_entries[{number}].next) ({", ".join(names)});', '}']
    lines += ['const unsigned witness_n_entries = sizeof witness_entries / sizeof *witness_entries;',
              'WitnessEntry witness_entries[] = {']
    lines += [f'  {{ "{name}", (WitnessProc)stub_{name}, 0, 0 }},' for name, *_ in commands]
    lines += ['};']
    pathlib.Path(sys.argv[2]).write_text('\n'.join(lines) + '\n', encoding='utf-8')


main()
