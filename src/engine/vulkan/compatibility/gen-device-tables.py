#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""What the registry says of devices: which of their properties are limits, and what shaders need.

gen-device-tables.py --api DIR --registry vk.xml --spirv spirv.h --output FILE

--api names the folder of the shared API model; spirv.h has the numbers of SPIR-V's capabilities, of
which the registry knows the names. Standard library only."""

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree

KINDS = {'u32': 'U32', 'i32': 'I32', 'u64': 'U64', 'size': 'U64', 'f32': 'F32', 'bool32': 'U32',
         'enum': 'U32', 'flags32': 'U32', 'flags64': 'U64'}
EXTENTS = {'VkExtent2D': 2, 'VkExtent3D': 3}
# Not compared by themselves: what they are is said in prose.
# What limits are compared by. Others (noauto, struct, not, …) say of nothing that a program may do.
LIMITS = {'max': 'MAX', 'min': 'MIN', 'bitmask': 'BITMASK', 'bits': 'BITS', 'exact': 'EXACT',
          'mul': 'MUL', 'pot': 'POT', 'range': 'RANGE',
          'true': 'BITMASK'}  # of VkBool32, in later registries
CORE = {'VkPhysicalDeviceLimits': 'limits', 'VkPhysicalDeviceSparseProperties': 'sparseProperties'}


def is_native(struct):
    return struct is not None and struct.native


def limit_types(root):
    """(struct, member) → what its limittype says."""
    found = {}
    for element in root.iterfind('types/type'):
        for member in element.iterfind('member'):
            name = member.findtext('name')
            found[element.get('name'), name] = set((member.get('limittype') or '').split(','))
    return found


def place(model, struct, field):
    """C expressions of the structure a driver fills, and of the offset in it."""
    if struct.name in CORE:
        return ('VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2',
                f'offsetof (VkPhysicalDeviceProperties, {CORE[struct.name]}.{field.name})')
    return model.enum_value(struct.stype), f'offsetof ({struct.name}, {field.name})'


def limits(model, types):
    lines = ['const VtrLimit vtr_limits[] = {']
    n = 0
    for struct in model.structs:
        if not is_native(struct) or not (struct.name in CORE or
                                         'VkPhysicalDeviceProperties2' in struct.extends):
            continue
        for field in struct.fields:
            kinds = types.get((struct.name, field.name), set()) & LIMITS.keys()
            kind, elements = KINDS.get(field.kind), field.count
            if field.base in EXTENTS and not field.dims:
                kind, elements = 'U32', EXTENTS[field.base]
            if not kinds or kind is None or field.pointers:
                continue
            stype, offset = place(model, struct, field)
            flags = ' | '.join(f'VTR_LIMIT_{LIMITS[k]}' for k in sorted(kinds))
            lines.append(f'  {{ "{field.name}", {stype}, {offset}, {elements}, '
                         f'VTR_LIMIT_VALUE_{kind}, {flags} }},')
            n += 1
    return lines + ['};', f'const gsize vtr_n_limits = {n};', '']


def find_struct(model, name):
    for struct in model.structs:
        if struct.name == name or name in struct.aliases:
            return struct
    return None


def version_of(name):
    found = re.fullmatch(r'VK_(?:API_)?VERSION_(\d+)_(\d+)', name)
    return f'VK_MAKE_API_VERSION (0, {found.group(1)}, {found.group(2)}, 0)'


def need(model, element):
    """The initializer of one of the ways to have something; None: not known to these headers."""
    if element.get('version'):
        return f'VTR_NEED_VERSION, .number = {version_of(element.get("version"))}'
    if element.get('extension'):
        return f'VTR_NEED_EXTENSION, .name = "{element.get("extension")}"'
    if element.get('feature'):
        struct = find_struct(model, element.get('struct'))
        if not is_native(struct):
            return None
        core = struct.name == 'VkPhysicalDeviceFeatures'
        names = [f.name for f in struct.fields[0 if core else 2:]]
        if element.get('feature') not in names:
            return None
        stype = 'VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2' if core else model.enum_value(struct.stype)
        return (f'VTR_NEED_FEATURE, .name = "{element.get("feature")}", .stype = {stype}, '
                f'.at = {names.index(element.get("feature"))}')
    struct = find_struct(model, element.get('property'))
    if not is_native(struct):
        return None
    return (f'VTR_NEED_PROPERTY, .name = "{element.get("member")}", .stype = {model.enum_value(struct.stype)}, '
            f'.at = offsetof ({struct.name}, {element.get("member")}), '
            f'.number = {element.get("value")}')


def shader_needs(model, root, numbers):
    lines = ['const VtrShaderNeed vtr_shader_needs[] = {']
    n = 0
    for path, is_capability in (('spirvcapabilities/spirvcapability', True),
                                ('spirvextensions/spirvextension', False)):
        for element in root.iterfind(path):
            name = element.get('name')
            if is_capability and name not in numbers:
                continue
            for way in element.iterfind('enable'):
                text = need(model, way)
                if text is None:
                    continue
                number = numbers[name] if is_capability else 'VTR_SHADER_EXTENSION'
                lines.append(f'  {{ "{name}", {number}, {text} }},')
                n += 1
    return lines + ['};', f'const gsize vtr_n_shader_needs = {n};']


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ('api', 'registry', 'spirv', 'output'):
        parser.add_argument('--' + name, required=True)
    options = parser.parse_args()
    sys.path.insert(0, options.api)
    from api_vulkan import load_model

    model = load_model(options.registry)
    root = ElementTree.parse(options.registry).getroot()
    with open(options.spirv, encoding='utf-8') as file:
        numbers = dict(re.findall(r'\bSpvCapability(\w+)\s*=\s*(\d+)', file.read()))
    lines = ['/* Limits of devices, and what shaders need of them. Generated by gen-device-tables.py '
             'from the', f' * Vulkan registry, header version {model.header_version}. Do not edit. */',
             '#include "engine/vulkan/compatibility/vtr-device-tables.h"', '', '#include <stddef.h>', '']
    lines += limits(model, limit_types(root))
    lines += shader_needs(model, root, numbers)
    with open(options.output, 'w', encoding='utf-8', newline='\n') as file:
        file.write('\n'.join(lines).rstrip() + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
