# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits vtr-api-args.h: a struct with the arguments of every command that C knows."""

import re

from emit_common import banner


def member_decl(param):
    """An array parameter is a pointer."""
    if param.static_len:
        return re.sub(r'(\w+)\[.*\]$', r'*\1', param.c_decl)
    return param.c_decl


def emit(model):
    lines = banner(model, __file__, 'Arguments of a call, in natural C layout; no result.')
    lines += ['#pragma once', '', '#include "api/vtr-api-ids.h"', '#include "vulkan/vtr-vulkan.h"',
              '', f'#if VK_HEADER_VERSION != VTR_VULKAN_VERSION',
              '#error "vk.xml and the Vulkan headers are of different versions"', '#endif', '']
    for command in model.commands:
        if not command.native:
            continue
        if command.alias_of and model.commands_by_name[command.alias_of].native:
            lines.append(f'typedef struct VtrArgs_{command.alias_of} VtrArgs_{command.name};')
        else:
            lines += [f'typedef struct VtrArgs_{command.name} VtrArgs_{command.name};']
    lines.append('')
    for command in model.commands:
        target = model.commands_by_name.get(command.alias_of)
        if not command.native or (target and target.native):
            continue
        members = [f'  {member_decl(param)};' for param in command.params]
        lines += [f'struct VtrArgs_{command.name}', '{', *members, '};', '']
    return '\n'.join(lines).rstrip() + '\n'
