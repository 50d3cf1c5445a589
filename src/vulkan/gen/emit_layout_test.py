# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits a C file that compiles only if the computed layouts are those of the real headers.

It includes nothing but Vulkan, so that compilers for other ABIs can check theirs as well."""

from emit_args import member_decl
from emit_common import banner
from model import ABIS

HEAD = '''
#include "vulkan/vtr-vulkan.h"

#if UINTPTR_MAX > 0xffffffffu
#define EXPECTED(lp64, i386, arm32) (lp64)
#elif defined(__i386__)
#define EXPECTED(lp64, i386, arm32) (i386)
#else
#define EXPECTED(lp64, i386, arm32) (arm32)
#endif

#define SIZE(type, ...) \\
  _Static_assert (sizeof (type) == EXPECTED (__VA_ARGS__), "size of " #type)
#define ALIGN(type, ...) \\
  _Static_assert (_Alignof (type) == EXPECTED (__VA_ARGS__), "alignment of " #type)
#define OFFSET(type, member, ...) \\
  _Static_assert (offsetof (type, member) == EXPECTED (__VA_ARGS__), #type "." #member)
'''


def values(table):
    return ', '.join(str(table[abi]) for abi in ABIS)


def emit(model):
    lines = banner(model, __file__, 'Checks of the computed layouts.') + [HEAD.strip(), '']
    for struct in model.structs:
        if not struct.native:
            continue
        lines.append(f'SIZE ({struct.name}, {values(struct.size)});')
        lines.append(f'ALIGN ({struct.name}, {values(struct.align)});')
        lines += [f'OFFSET ({struct.name}, {field.name}, {values(field.offset)});'
                  for field in struct.fields if not field.bits]
    for command in model.commands:
        if not command.native or not command.params:
            continue
        members = ' '.join(f'{member_decl(param)};' for param in command.params)
        lines.append(f'struct Args_{command.name} {{ {members} }};')
        lines += [f'OFFSET (struct Args_{command.name}, {param.name}, {values(param.offset)});'
                  for param in command.params]
    return '\n'.join(lines) + '\n'
