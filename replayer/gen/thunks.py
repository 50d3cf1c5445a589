# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""What the generators of every API's thunks share: how the machine calls a command of any model.

The thunk of a command gets canonical 64-bit values, makes the C arguments of them, calls, and gives the bits of the
result back. The machine learns from the signature which values are pointers, and of which type the result is."""

import re

RESULT_TYPES = {'void': 'VTR_VM_VOID', 'result': 'VTR_VM_INT32', 'bool32': 'VTR_VM_UINT32',
                'u32': 'VTR_VM_UINT32', 'u64': 'VTR_VM_UINT64', 'function': 'VTR_VM_ABSOLUTE',
                'i32': 'VTR_VM_INT32', 'f32': 'VTR_VM_FLOAT', 'enum': 'VTR_VM_UINT32', 'address': 'VTR_VM_UINT64',
                'string': 'VTR_VM_UINT64'}


def is_pointer(param):
    return '*' in param.c_decl or '[' in param.c_decl or param.kind in ('function', 'next')


def c_type(param):
    """The parameter's type; arrays decay."""
    text = re.sub(r'\b' + re.escape(param.name) + r'\b', '', param.c_decl, count=1)
    text, arrays = re.subn(r'\[[^\]]*\]', '', text)
    return text.strip() + (' *' if arrays else '')


def c_local(param):
    kind = c_type(param)
    return f'{kind}{"" if kind.endswith("*") else " "}{param.name}'


def c_argument(param, index):
    """Expression that makes the parameter from its canonical value."""
    value = f'args[{index}]'
    if is_pointer(param):
        return f'({c_type(param)})(uintptr_t){value}'
    if param.kind == 'f32':
        return f'vtr_thunk_float ({value})'
    if param.kind == 'f64':
        return f'vtr_thunk_double ({value})'
    return f'({c_type(param)}){value}'


def result_lines(command):
    if command.result_kind == 'void':
        return ['  return 0;']
    if command.result_kind == 'result':
        return ['  return (uint64_t)(int64_t)result;']
    if command.result_kind == 'function':
        return ['  return (uintptr_t)result;']
    return ['  return result;']


def signature(command):
    pointers = sum(1 << i for i, param in enumerate(command.params) if is_pointer(param))
    return (f'{{ {len(command.params)}, {RESULT_TYPES[command.result_kind]}, '
            f'{int(command.result_kind == "result")}, 0x{pointers:x} }}')


def signatures(model, declaration, first):
    """The table of all commands, by id - @first."""
    lines = [f'const VtrVmSignature {declaration} = {{']
    for command in model.commands:
        at = f'VTR_CMD_{command.name}' + (f' - {first}' if first else '')
        lines.append(f'  [{at}] = {signature(command)},')
    return lines + ['};']
