# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits vtr-api-ids.h: a number for every command, struct, enum, handle and extension."""

from emit_common import banner
from model import FIRST_OWN_CLASS, PAGE

FAMILIES = ('COMMANDS', 'STRUCTS', 'ENUMS', 'HANDLES')


def families(model):
    return zip(FAMILIES, (model.commands, model.structs, model.enums, model.handles))


def enum_block(prefix, models, things_of, doc, flat=True):
    """Flat ids, or (extensions) positions in the one table of all."""
    lines = [f'/* {doc} */', 'enum', '{']
    start = 0
    for model in models:
        things = things_of(model)
        if flat and len(things) > model.n_pages * PAGE:
            raise ValueError(f'{model.name}: {prefix}: more than its pages have')
        first = model.first_id if flat else start
        lines += [f'  {prefix}_{thing.name} = {first + index},'
                  for index, thing in enumerate(things)]
        start += len(things)
    lines.append(f'  {prefix}_NONE = 0xffff,')
    if prefix in ('VTR_STRUCT', 'VTR_HANDLE'):
        lines += [f'  {prefix}_{alias} = {prefix}_{name},'
                  for model in models for alias, name in aliases_of(things_of(model))]
    return lines + ['};', '']


def aliases_of(things):
    return sorted((alias, thing.name) for thing in things for alias in thing.aliases)


def constants(models):
    """How many of everything there are, of each API and of all."""
    lines = []
    for model in models:
        name = f'VTR_{model.name.upper()}'
        lines += [f'#define {name}_FIRST_ID 0x{model.first_id:04x}',
                  f'#define {name}_VERSION {model.header_version}',
                  f'#define {name}_HASH UINT64_C (0x{model.registry_hash:016x}) /* of its registry */']
        lines += [f'#define {name}_N_{family} {len(things)}' for family, things in families(model)]
        lines.append('')
    for number, family in enumerate(FAMILIES):
        total = sum(len(list(families(model))[number][1]) for model in models)
        lines.append(f'#define VTR_ALL_N_{family} {total}')
    lines += [f'#define VTR_N_EXTENSIONS {sum(len(model.extensions) for model in models)}',
              f'#define VTR_N_APIS {len(models)}', '']
    lines += ['/* What two processes compare. */',
              f'#define VTR_API_REGISTRY_HASH VTR_{models[0].name.upper()}_HASH', '']
    if len(models) == 1:
        lines += ['#ifndef VTR_API_ONLY', f'#define VTR_API_ONLY {models[0].name.upper()}', '#endif', '']
    return lines


def emit(models):
    lines = banner(models, __file__, 'Ids of all that the tables of vtr-api-types.h describe.')
    lines += [
        '#pragma once', '', '#include <stdbool.h>', '#include <stdint.h>', '', *constants(models),
        'typedef uint16_t VtrCmdId;', 'typedef uint16_t VtrStructId;',
        'typedef uint16_t VtrEnumId;', 'typedef uint16_t VtrHandleId;',
        'typedef uint16_t VtrExtensionId;', '',
    ]
    lines += enum_block('VTR_CMD', models, lambda model: model.commands,
                        'Commands by name; aliases are commands of their own.')
    lines += enum_block('VTR_STRUCT', models, lambda model: model.structs,
                        'Structs by name, then unions, then those of further files.')
    lines += enum_block('VTR_ENUM', models, lambda model: model.enums, 'Enumerations by name.')
    lines += enum_block('VTR_HANDLE', models, lambda model: model.handles, 'Handle types by name.')
    lines += enum_block('VTR_EXTENSION', models, lambda model: model.extensions,
                        'Extensions by name, disabled ones too.', flat=False)
    for model in models:
        upper = model.name.upper()
        if model.classes:
            lines.append(f'/* Classes of commands that only {model.name} has. */')
            lines += [f'#define VTR_CLASS_{name.upper()} (UINT64_C (1) << {FIRST_OWN_CLASS + number})'
                      for number, name in enumerate(model.classes)]
            lines.append('')
        if model.questions:
            lines += [f'/* What the overlay of {model.name} asks C code. */', 'typedef enum', '{']
            lines += [f'  VTR_{upper}_ASK_{question.upper()},' for question in model.questions]
            lines += [f'}} Vtr{model.name.capitalize()}Question;', '']
        lines += [f'/* Whether a command is of {model.name}. */', 'static inline bool',
                  f'vtr_cmd_is_{model.name} (uint32_t id)', '{',
                  f'  return id - VTR_{upper}_FIRST_ID < VTR_{upper}_N_COMMANDS;', '}', '']
    return '\n'.join(lines).rstrip() + '\n'
