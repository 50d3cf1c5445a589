# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits vtr-api-ids.h: an index for every command, struct, enum, handle and extension."""

from emit_common import banner


def enum_block(prefix, names, aliases, doc):
    lines = [f'/* {doc} */', 'enum', '{']
    lines += [f'  {prefix}_{name} = {index},' for index, name in enumerate(names)]
    lines += [f'  {prefix}_COUNT = {len(names)},', f'  {prefix}_NONE = 0xffff,']
    lines += [f'  {prefix}_{alias} = {prefix}_{name},' for alias, name in aliases]
    return lines + ['};', '']


def aliases_of(things):
    return sorted((alias, thing.name) for thing in things for alias in thing.aliases)


def emit(model):
    structs = [s for s in model.structs if not s.is_union and not s.video]
    lines = banner(model, __file__, 'Indices into the tables of vtr-api-types.h.')
    lines += [
        '#pragma once', '', '#include <stdint.h>', '',
        f'#define VTR_API_HEADER_VERSION {model.header_version}',
        f'#define VTR_API_REGISTRY_HASH UINT64_C (0x{model.registry_hash:016x})',
        f'#define VTR_API_N_COMMANDS {sum(not c.alias_of for c in model.commands)}'
        ' /* without aliases */',
        f'#define VTR_API_N_STRUCTS {len(structs)} /* without unions and video structs */', '',
        'typedef uint16_t VtrCmdId;', 'typedef uint16_t VtrStructId;',
        'typedef uint16_t VtrEnumId;', 'typedef uint16_t VtrHandleId;',
        'typedef uint16_t VtrExtensionId;', '',
    ]
    lines += enum_block('VTR_CMD', [c.name for c in model.commands], [],
                        'Commands by name; aliases are commands of their own.')
    lines += enum_block('VTR_STRUCT', [s.name for s in model.structs],
                        aliases_of(model.structs),
                        'Structs by name, then unions, then the structs of video.xml.')
    lines += enum_block('VTR_ENUM', [e.name for e in model.enums], [], 'Enumerations by name.')
    lines += enum_block('VTR_HANDLE', [h.name for h in model.handles],
                        aliases_of(model.handles), 'Handle types by name.')
    lines += enum_block('VTR_EXTENSION', [e.name for e in model.extensions], [],
                        'Extensions by name, disabled ones too.')
    return '\n'.join(lines).rstrip() + '\n'
