# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits what C code needs to handle calls of OpenGL, EGL and GLX without headers of these: vtr-gl-args.h, a struct with
the arguments of every command; vtr-gl-functions.h, its type as a function; vtr-gl-enums.h, the enumerants."""

from emit_common import arguments, banner


def emit_args(model):
    return arguments(model, __file__, lambda param: param.c_decl)


def emit_functions(model):
    lines = banner(model, __file__, 'The type of each command, in words of <stdint.h>.')
    lines += ['#pragma once', '', '#include <stddef.h>', '#include <stdint.h>', '']
    for command in model.commands:
        params = ', '.join(param.c_decl for param in command.params) or 'void'
        space = '' if command.result_c.endswith('*') else ' '
        lines.append(f'typedef {command.result_c}{space}VtrGlFunction_{command.name} ({params});')
    lines += ['', '/* X (name) for each command, sorted. */', '#define VTR_GL_FOR_EACH_COMMAND(X) \\']
    lines += [f'  X ({command.name}) \\' for command in model.commands]
    lines[-1] = lines[-1].removesuffix(' \\')
    return '\n'.join(lines) + '\n'


def emit_enums(model):
    lines = banner(model, __file__, 'Every enumerant that is a number.')
    lines += ['#pragma once', '']
    for name, value in sorted(model.constants.items()):
        suffix = 'ull' if value > 0xffffffff else 'u' if value > 0x7fffffff else ''
        text = f'0x{value:04x}{suffix}' if value >= 0 else f'({value})'
        lines.append(f'#define {name} {text}')
    return '\n'.join(lines) + '\n'
