# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits vtr-tiny-args.h: a struct with the arguments of every command of the tiny API."""

from emit_common import banner

# Of what the API's own header declares.
PLAIN = {'handle': 'void *', 'enum': 'int32_t '}


def member(param):
    if param.pointers == 0 and param.kind in PLAIN:
        return f'{PLAIN[param.kind]}{param.name}'
    return param.c_decl.replace('* ', ' *')


def emit(model):
    lines = banner(model, __file__, 'Arguments of a call, in natural C layout; no result.')
    lines += ['#pragma once', '', '#include "api/vtr-api-ids.h"', '', '#include <stddef.h>', '#include <stdint.h>', '']
    for command in model.commands:
        members = [f'  {member(param)};' for param in command.params]
        if any(param.offset_or_pointer and param.pointers for param in command.params):
            members.append('  uint64_t offsets; /* of decoded arguments: which of them are offsets (vtr-api-walk.h) */')
        lines += [f'typedef struct VtrArgs_{command.name}', '{', *(members or ['  char nothing;']),
                  f'}} VtrArgs_{command.name};', '']
    return '\n'.join(lines).rstrip() + '\n'
