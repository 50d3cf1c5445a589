#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the layer's trampolines: emit_trampolines.py --gen DIR --registry vk.xml --part N --output FILE.

One function per command that C knows. Part "header" declares them and the hooks, part "table" is the
table by VtrCmdId, parts 0 … N_PARTS-1 are the functions. Standard library only."""

import argparse
import re
import sys

from hooks import BY_HAND, FIRST, HELD, HOOKS, NEWER, NOTED, OWN, SIGNALLERS, SIGNALLER_CLASSES, WAITS

N_PARTS = 4

WIDE = {'u64', 'i64', 'size', 'flags64', 'handle', 'address', 'function', 'next', 'f64'}
OUT_WIDTH = 98
PRESENT = 'vkQueuePresentKHR'   # ends a frame
# What may be all that work on the GPU waits for.
AWAITED = ('vkQueueSubmit', 'vkQueueSubmit2', 'vkQueueSubmit2KHR', 'vkQueueBindSparse', 'vkSignalSemaphore',
           'vkSignalSemaphoreKHR')
SUBMITS = ('vkQueueSubmit', 'vkQueueSubmit2', 'vkQueueSubmit2KHR')   # of programs that never present


def short(command):
    return command.name[2:]


def wrap(head, items, tail=';', indent=2):
    """'head (a, b, c);' over lines of at most OUT_WIDTH columns."""
    lines, line = [], ' ' * indent + head + ' ('
    pad = ' ' * len(line)
    for i, item in enumerate(items):
        text = item + (', ' if i + 1 < len(items) else '')
        if len(line) + len(text.rstrip()) + 2 > OUT_WIDTH and line.strip() and line != pad:
            lines.append(line.rstrip())
            line = pad
        line += text
    lines.append(line + ')' + tail)
    return lines


def prototype(command, symbol):
    params = [re.sub(r'\s+', ' ', p.c_decl) for p in command.params] or ['void']
    return wrap(f'VKAPI_ATTR {command.result_c} VKAPI_CALL {symbol}', params, '', 0)


def self_type(command):
    if command.params[0].base == 'VkCommandBuffer' and command.params[0].pointers == 0:
        return 'VtrLayerCommandBuffer'
    return 'VtrLayerDevice' if command.level == 'device' else 'VtrLayerInstance'


def self_lookup(command):
    names = {'VtrLayerCommandBuffer': 'vtr_layer_command_buffer', 'VtrLayerDevice': 'vtr_layer_device',
             'VtrLayerInstance': 'vtr_layer_instance'}
    return f'{names[self_type(command)]} ({command.params[0].name})'


def names_of(command):
    return [p.name for p in command.params]


def driver_call(command):
    if command.name in HOOKS:
        return f'vtr_layer_hook_{short(command)}', ['self', *names_of(command)]
    table = 'self->next->' if self_type(command) == 'VtrLayerCommandBuffer' else 'self->next.'
    return table + short(command), names_of(command)


def call_lines(command, indent=2, result=True):
    head, items = driver_call(command)
    if command.result_c != 'void':
        head = ('result = ' if result else 'return ') + head
    return wrap(head, items, ';', indent)


def result_value(command):
    if command.result_c == 'void':
        return '0'
    if command.result_kind == 'result':
        return '(uint64_t) (int64_t) result'
    if command.result_kind == 'function':
        return '(uint64_t) (uintptr_t) result'
    return '(uint64_t) result'


def args_lines(command, indent=2):
    return wrap(f'const VtrArgs_{command.name} args = {{', names_of(command), ' };', indent)


def braced_args(command, indent=2):
    text = '\n'.join(args_lines(command, indent))
    # wrap() writes parentheses; an initialiser wants braces only.
    return text.replace('args = { (', 'args = { ', 1).replace(') };', ' };').split('\n')


def function_head(command):
    head = prototype(command, f'vtr_vk_{short(command)}')
    first = head[0].split(' VKAPI_CALL ')
    rest = [line[len(first[0]) + len(' VKAPI_CALL '):] for line in head[1:]]
    return [first[0] + ' VKAPI_CALL', first[1], *rest]


# ---- Commands recorded into command buffers ----

def length_in_c(command, expression):
    """The C text of a length that depends on scalar parameters only, else None."""
    scalars = {p.name for p in command.params if p.pointers == 0}
    for word in re.findall(r'[A-Za-z_]\w*', expression):
        if word not in scalars:
            return None
    if not re.fullmatch(r'[\w\s+*/()-]+', expression):
        return None
    return re.sub(r'([A-Za-z_]\w*)', r'(size_t) \1', expression)


def plain_pointee(model, param):
    if param.kind in ('struct', 'union'):
        struct = model.structs_by_name[param.base]
        return not struct.has_pointers and not struct.has_next
    return param.kind not in ('function', 'address', 'next', 'char')


def chained_pointee(model, param):
    """Whether it is a struct that is plain but for a pNext of its own."""
    if param.kind != 'struct':
        return False
    struct = model.structs_by_name[param.base]
    for field in struct.fields:
        if field.kind == 'next':
            continue
        if field.pointers or field.kind in ('function', 'address'):
            return False
        if field.kind in ('struct', 'union'):
            inner = model.structs_by_name[field.base]
            if inner.has_pointers or inner.has_next:
                return False
    return [f.name for f in struct.fields[:2]] == ['sType', 'pNext']


def inline_arrays(model, command):
    """[(parameter, C text of its bytes, whether chains may hang on it)] if the trampoline can encode the
    call itself, else None."""
    arrays = []
    if command.result_c != 'void':
        return None
    for param in command.params:
        if param.kind in ('struct', 'union') and param.pointers == 0:
            return None
        if param.pointers == 0 and param.kind not in ('address', 'next', 'function'):
            continue
        if param.pointers == 0:
            return None
        if param.pointers != 1 or param.live or not param.const:
            return None
        chained = chained_pointee(model, param)
        if not chained and not plain_pointee(model, param):
            return None
        if param.kind == 'void' and not param.lens:
            return None
        count = str(param.static_len) if param.static_len else '1'
        if not param.static_len and param.lens:
            count = length_in_c(command, param.lens[0])
            if count is None or param.lens[0] == 'null-terminated':
                return None
        element = '1' if param.kind == 'void' else f'sizeof *{param.name}'
        arrays.append((param, f'({count}) * {element}', chained))
    return arrays


def strided(command, arrays):
    """The array whose elements lie the parameter `stride` apart, if the command has one."""
    if all(param.name != 'stride' for param in command.params):
        return None
    return next((param for param, _, _ in arrays or [] if param.kind == 'struct' and param.lens), None)


def pack(command, param):
    """A trace has arrays without gaps; the driver is given what the program gave."""
    count = length_in_c(command, param.lens[0])
    return ['  const void *const given = ' + param.name + ';', '  const uint32_t given_stride = stride;', '',
            f'  {param.name} = vtr_layer_pack (&self->batch, given, {count}, stride, sizeof *{param.name});',
            f'  if ({param.name} != given)', f'    stride = sizeof *{param.name};', '  {']


def unpack(param):
    return ['  }', f'  {param.name} = given;', '  stride = given_stride;']


def put_param(param, number):
    wide = param.kind in WIDE or param.pointers > 0 or param.kind == 'void'
    tag = number << 3 | (1 if wide else 5)
    lines = []
    while tag >= 0x80:
        lines.append(f'      to = vtr_layer_put_u8 (to, 0x{tag & 0x7f | 0x80:02x});')
        tag >>= 7
    lines.append(f'      to = vtr_layer_put_u8 (to, 0x{tag:02x});')
    value = param.name
    if param.pointers > 0 or param.kind in ('handle', 'address'):
        value = f'(uint64_t) (uintptr_t) {param.name}'
    elif param.kind in ('f32', 'f64'):
        value = f'vtr_layer_bits_{param.kind} ({param.name})'
    elif wide:
        value = f'(uint64_t) {param.name}'
    else:
        value = f'(uint32_t) {param.name}'
    lines.append(f'      to = vtr_layer_put_u{64 if wide else 32} (to, {value});')
    return lines


def scalar_size(command):
    total = 1 + 4
    for i, param in enumerate(command.params):
        wide = param.kind in WIDE or param.pointers > 0 or param.kind == 'void'
        total += (2 if 8 + i >= 16 else 1) + (8 if wide else 4)
    return total


def record_inline(command, arrays):
    fixed = scalar_size(command)
    lines = []
    if arrays:
        for param, size, _ in arrays:
            lines.append(f'  const size_t n_{param.name} = {param.name} == NULL ? 0 : {size};')
        total = ' + '.join([str(fixed)] + [f'vtr_layer_observation_size (n_{p.name})' for p, _, _ in arrays])
        lines.append(f'  const size_t message_size = {total};')
    else:
        lines.append(f'  enum {{ message_size = {fixed} }};')
    lines += ['  const size_t record_size = VTR_RING_ALIGN (sizeof (VtrRingBlockRecord) + message_size);']
    if arrays:
        # Each for itself first: their sum may wrap around.
        limit = ' || '.join(f'n_{p.name} > VTR_LAYER_INLINE_MAX' for p, _, _ in arrays)
        if len(arrays) > 1:
            limit += ' || message_size > VTR_LAYER_INLINE_MAX'
        for p, _, chained in arrays:
            if chained:
                limit += f' || vtr_layer_has_next ({p.name}, n_{p.name}, sizeof *{p.name})'
        lines += ['', f'  if (__builtin_expect ({limit}, 0))',
                  f'    large_{short(command)} (self, {", ".join(names_of(command))});', '  else']
    else:
        lines.append('')
    lines += ['  {' if arrays else '  {', ]
    body = [
        '    uint8_t *to = vtr_ring_block_reserve (&self->batch.block, record_size);',
        '',
        '    if (__builtin_expect (to != NULL, 1))',
        '    {',
        f'      to = vtr_layer_put_u64 (to, (uint64_t) message_size | (uint64_t) VTR_CMD_{command.name} << 32'
        + (' | (uint64_t) (message_size > 1024 ? VTR_RECORD_LARGE : 0) << 48' if arrays else '') + ');',
        '      to = vtr_layer_put_u8 (to, VTR_COMMAND_THREAD << 3 | 5);',
        '      to = vtr_layer_put_u32 (to, vtr_layer_thread_get_id ());',
    ]
    for i, param in enumerate(command.params):
        body += put_param(param, 8 + i)
    for param, _, _ in arrays:
        body.append(f'      to = vtr_layer_put_observation (to, {param.name}, n_{param.name});')
    body += [
        '      (void) to;',
        '      vtr_ring_block_commit (&self->batch.block, record_size);',
    ]
    if 'draw' in command.classes:
        body.append('      self->batch.draws++;')
    body += ['    }', '    else if (self->batch.block.segment != NULL)', '      vtr_layer_batch_lose (&self->batch);', '  }']
    return lines + body


def large_function(command):
    params = [re.sub(r'\s+', ' ', p.c_decl) for p in command.params]
    head = wrap(f'large_{short(command)}', ['VtrLayerCommandBuffer *self', *params], '', 0)
    return ['static __attribute__ ((noinline, cold)) void', *head, '{', '  if (self->batch.block.segment != NULL)',
            '  {', *braced_args(command, 4),
            f'    vtr_layer_batch_encode (&self->batch, VTR_CMD_{command.name}, &args, 0);', '  }', '}', '']


def record_walked(command):
    lines = []
    if command.result_c != 'void':
        lines += ['', *call_lines(command)]
    lines += ['', '  if (self->batch.block.segment != NULL)', '  {', *braced_args(command, 4), '',
              f'    vtr_layer_batch_encode (&self->batch, VTR_CMD_{command.name}, &args, {result_value(command)});']
    if 'draw' in command.classes:
        lines.append('    self->batch.draws++;')
    lines.append('  }')
    return lines


def canonical_name(command):
    return command.alias_of or command.name


def types_of(model, command):
    """Names of the handles and structures that the arguments of a command lead to, extensions of structures included."""
    found, left = set(), [(p.kind, p.base) for p in command.params]
    while left:
        kind, name = left.pop()
        if name in found or kind not in ('handle', 'struct', 'union'):
            continue
        found.add(name)
        if kind != 'handle':
            left += [(f.kind, f.base) for f in model.structs_by_name[name].fields]
            left += [('struct', other.name) for other in model.structs if name in other.extends]
    return found


def names_descriptors(model, command):
    """Whether a command that is recorded binds sets or pushes descriptors."""
    return bool(types_of(model, command) & {'VkDescriptorSet', 'VkDescriptorUpdateTemplate'})


def gives_descriptors(model, command):
    """Whether a call can tell the program how shaders find an image without a descriptor set that is followed."""
    types = types_of(model, command)
    made = command.classes & {'record', 'create', 'destroy', 'retrieve'}
    updates = types & {'VkWriteDescriptorSet', 'VkDescriptorUpdateTemplate'}
    return bool(not made and not updates and types & {'VkDescriptorSet', 'VkImageView', 'VkImageViewCreateInfo'})


def note(model, command):
    """Tells what follows the state of objects, if it wants to know."""
    name = canonical_name(command)
    calls = [f'    vtr_layer_note_{name[2:]} (self, &args);'] if name in NOTED else []
    if names_descriptors(model, command):
        calls.append(f'    vtr_layer_note_descriptors (self, VTR_CMD_{name}, &args);')
    if not calls:
        return []
    return ['  if (vtr_layer_is_live () && self->batch.block.segment != NULL)', '  {',
            *[line.replace(f'VtrArgs_{command.name}', f'VtrArgs_{name}') for line in braced_args(command, 4)],
            '', *calls, '  }']


def emit_record(model, command):
    arrays = inline_arrays(model, command)
    lines = large_function(command) if arrays else []
    lines += [*function_head(command), '{',
              f'  VtrLayerCommandBuffer *const self = {self_lookup(command)};']
    if command.result_c != 'void':
        lines.append(f'  {command.result_c} result;')
    apart = strided(command, arrays)
    if apart:
        lines += pack(command, apart)
    if arrays is not None:
        lines += record_inline(command, arrays)
    else:
        lines += record_walked(command)
    lines += note(model, command)
    if apart:
        lines += unpack(apart)
    if command.result_c == 'void':
        lines += [*call_lines(command)]
    else:
        lines += ['  return result;']
    return lines + ['}', '']


# ---- All others ----

def names_in(command):
    return {'VtrLayerDevice': '&self->names', 'VtrLayerInstance': '&self->names',
            'VtrLayerCommandBuffer': '&self->device->names'}[self_type(command)]


def is_signaller(command):
    return command.name in SIGNALLERS or bool(command.classes & SIGNALLER_CLASSES)


def is_guarded(command):
    """Whether something is done or locked before the call is entered: nobody may wait at the gate then."""
    return command.name in FIRST or command.name in HELD or is_signaller(command)


def pass_through(command):
    lines = ['  if (!vtr_layer_is_encoding ())']
    leave = ['    vtr_layer_thread_leave (thread);'] if is_guarded(command) else []
    if command.name == PRESENT:
        return lines + ['  {', *call_lines(command, 4), '    vtr_layer_count_frame (result);', *leave,
                        '    return result;', '  }']
    if command.result_c == 'void':
        return lines + ['  {', *call_lines(command, 4), *leave, '    return;', '  }']
    if leave:
        return lines + ['  {', *call_lines(command, 4), *leave, '    return result;', '  }']
    return lines + call_lines(command, 4, result=False)


def emit_call(command):
    before = command.order == 'before'
    has_result = command.result_c != 'void'
    lines = [*function_head(command), '{']
    if command.name in ('vkDestroyDevice', 'vkDestroyInstance'):
        lines += [f'  if ({command.params[0].name} == VK_NULL_HANDLE)', '    return;', '']
    lines += [f'  {self_type(command)} *const self = {self_lookup(command)};', *braced_args(command),
              '  VtrLayerCall call;']
    if has_result:
        lines.append(f'  {command.result_c} result;')
    if command.name in AWAITED:
        lines += wrap('VtrLayerThread *const thread = vtr_layer_thread_enter_signaller',
                      [f'VTR_CMD_{command.name}', '&args'])
    elif is_guarded(command):
        lines.append(f'  VtrLayerThread *const thread = vtr_layer_thread_enter (VTR_CMD_{command.name});')
    if is_guarded(command) and self_type(command) == 'VtrLayerDevice':
        lines += ['', '  if (vtr_layer_late_is_pending ())',
                  *wrap('    vtr_layer_late_before', ['thread', '&self->names', f'VTR_CMD_{command.name}', '&args'])]
    if command.name in FIRST:
        lines += ['', '  ' + FIRST[command.name]]
    lines += ['', *pass_through(command), '']
    begin = 'commit' if before else 'enter'
    lock = is_signaller(command)
    held = command.name in HELD
    if lock:
        lines.append('  vtr_layer_memory_lock (&self->memory);')
    elif held:
        lines.append('  vtr_layer_memory_hold (&self->memory);')
    lines += wrap(f'vtr_layer_call_{begin}',
                  ['&call', names_in(command), f'VTR_CMD_{command.name}', '&args'])
    if lock:
        lines.append('  vtr_layer_memory_unlock (&self->memory);')
    lines += call_lines(command)
    if before:
        lines.append(f'  vtr_layer_call_returned (&call, {result_value(command)});')
    else:
        lines.append(f'  vtr_layer_call_leave (&call, &args, {result_value(command)});')
    if held:
        lines.append('  vtr_layer_memory_unlock (&self->memory);')
    if command.name in WAITS:
        lines.append(f'  vtr_layer_memory_waited (&self->memory, VTR_CMD_{command.name}, result);')
    if command.name == PRESENT:
        lines.append('  vtr_layer_count_frame (result);')
    if command.name in SUBMITS:
        lines.append('  vtr_layer_count_submission ();')
    if is_guarded(command):
        lines.append('  vtr_layer_thread_leave (thread);')
    if has_result:
        lines.append('  return result;')
    return lines + ['}', '']


# ---- Files ----

def banner(model, text):
    return [f'/* {text}', ' * Generated by capture-layer/gen/emit_trampolines.py from the Vulkan registry,'
            f' header version {model.header_version}.', ' * Do not edit. */']


def commands_of(model):
    return [c for c in model.commands if c.native and c.name not in OWN and c.level != 'global']


def emit_header(model):
    lines = banner(model, 'The trampolines, and the functions that stand in for the driver in some.')
    lines += ['#pragma once', '', *(f'#include "vtr-layer-{name}.h"' for name in ('calls', 'frames', 'late', 'put')),
              '#include "vtr-layer.h"', '']
    for command in commands_of(model):
        head = prototype(command, f'vtr_vk_{short(command)}')
        lines += [*head[:-1], head[-1] + ';']
    lines.append('')
    for command in commands_of(model):
        if command.name not in HOOKS:
            continue
        params = [f'{self_type(command)} *self'] + [re.sub(r'\s+', ' ', p.c_decl) for p in command.params]
        lines += wrap(f'{command.result_c} vtr_layer_hook_{short(command)}', params, ';', 0)
    lines.append('')
    for name in NOTED:
        if name not in model.commands_by_name:
            continue
        lines += wrap(f'void vtr_layer_note_{name[2:]}',
                      ['VtrLayerCommandBuffer *self', f'const VtrArgs_{name} *args'], ';', 0)
    return lines


def emit_table(model):
    lines = banner(model, 'The trampolines by command.')
    lines += ['#include "vtr-layer-trampolines.h"', '',
              'static const PFN_vkVoidFunction trampolines[VTR_VULKAN_N_COMMANDS] = {']
    for command in commands_of(model):
        lines.append(f'  [VTR_CMD_{command.name}] = (PFN_vkVoidFunction) vtr_vk_{short(command)},')
    lines += ['};', '', 'PFN_vkVoidFunction', 'vtr_layer_get_trampoline (VtrCmdId cmd)', '{',
              '  return vtr_cmd_is_vulkan (cmd) ? trampolines[cmd] : NULL;', '}', '',
              'bool', 'vtr_layer_gives_descriptors (VtrCmdId cmd)', '{', '  switch (cmd)', '  {']
    lines += [f'    case VTR_CMD_{command.name}:' for command in commands_of(model) if gives_descriptors(model, command)]
    return lines + ['      return true;', '    default:', '      return false;', '  }', '}']


def emit_part(model, part):
    commands = [c for c in commands_of(model) if c.name not in BY_HAND]
    lines = banner(model, f'Trampolines, part {part + 1} of {N_PARTS}.')
    lines += ['#include "vtr-layer-host-copy.h"', '#include "vtr-layer-reach.h"', '#include "vtr-layer-trampolines.h"', '']
    for command in commands[part::N_PARTS]:
        lines += emit_record(model, command) if 'record' in command.classes else emit_call(command)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--gen', required=True, help='folder of the API model')
    parser.add_argument('--registry', required=True)
    parser.add_argument('--part', required=True)
    parser.add_argument('--output', required=True)
    options = parser.parse_args()
    sys.path.insert(0, options.gen)
    from api_vulkan import load_model
    model = load_model(options.registry)
    unknown = [n for n in [*OWN, *HOOKS, *BY_HAND, *FIRST, *HELD, *NOTED]
               if n not in model.commands_by_name and n not in NEWER]
    if unknown:
        sys.exit(f'hooks.py names commands that the registry does not have: {", ".join(unknown)}')
    emitters = {'header': emit_header, 'table': emit_table}
    lines = emitters[options.part](model) if options.part in emitters else emit_part(model, int(options.part))
    with open(options.output, 'w', encoding='utf-8', newline='\n') as file:
        file.write('\n'.join(lines).rstrip() + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
