# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits vtr-api-dispatch.{h,c}: dispatch tables of an instance and of a device."""

from emit_common import banner


def split(model):
    native = [c for c in model.commands if c.native]
    instance = [c for c in native if c.level in ('instance', 'physical_device')]
    device = [c for c in native if c.level == 'device']
    return instance, device


def struct(name, doc, commands):
    lines = ['/**', f' * {name}:', ' *', f' * {doc}', ' */', 'typedef struct', '{']
    lines += [f'  PFN_{command.name} {command.name[2:]};' for command in commands]
    return lines + [f'}} {name};', '']


def emit_header(model):
    instance, device = split(model)
    lines = banner(model, __file__, 'Dispatch tables, with a pointer for every command.')
    lines += ['#pragma once', '', '#include "api/vtr-api-ids.h"', '#include "vulkan/vtr-vulkan.h"', '']
    lines += struct('VtrInstanceDispatch',
                    'Commands of instances and physical devices. NULL: not offered.', instance)
    lines += struct('VtrDeviceDispatch',
                    'Commands of devices, queues and command buffers. NULL: not offered.', device)
    lines += [
        'void vtr_instance_dispatch_load (VtrInstanceDispatch      *self,',
        '                                 VkInstance                instance,',
        '                                 PFN_vkGetInstanceProcAddr get_proc_addr);',
        'void vtr_device_dispatch_load (VtrDeviceDispatch      *self,',
        '                               VkDevice                device,',
        '                               PFN_vkGetDeviceProcAddr get_proc_addr);',
        '',
        '/* The pointer of one command in the table of its level (device level from @device, else',
        ' * from @instance; either may be NULL). Returns: NULL when absent. */',
        'PFN_vkVoidFunction vtr_dispatch_get (VtrCmdId                   cmd,',
        '                                     const VtrInstanceDispatch *instance,',
        '                                     const VtrDeviceDispatch   *device);',
    ]
    return '\n'.join(lines) + '\n'


def table(name, commands):
    lines = [f'static const uint16_t {name}[] = {{']
    lines += [f'  VTR_CMD_{command.name},' for command in commands]
    return lines + ['};', '']


def emit_source(model):
    instance, device = split(model)
    lines = banner(model, __file__, 'Filling the dispatch tables.')
    lines += ['#include "vtr-api-dispatch.h"', '', '#include "api/vtr-api-types.h"', '',
              '#include <assert.h>', '',
              '/* The members of each table, in order; a table is an array of function pointers. */']
    lines += table('instance_commands', instance)
    lines += table('device_commands', device)
    for kind, name in (('Instance', 'instance'), ('Device', 'device')):
        lines += [f'static_assert (sizeof (Vtr{kind}Dispatch) == sizeof {name}_commands /',
                  f'                 sizeof {name}_commands[0] * sizeof (PFN_vkVoidFunction),',
                  '               "one pointer per command");']
    lines += ['', BODY.strip()]
    return '\n'.join(lines) + '\n'


BODY = '''
#define N_COMMANDS(table) (sizeof (table) / sizeof (table)[0])

void
vtr_instance_dispatch_load (VtrInstanceDispatch      *self,
                            VkInstance                instance,
                            PFN_vkGetInstanceProcAddr get_proc_addr)
{
  PFN_vkVoidFunction *slots = (void *) self;

  for (size_t i = 0; i < N_COMMANDS (instance_commands); i++)
    slots[i] = get_proc_addr (instance, vtr_cmd_name (instance_commands[i]));
}

void
vtr_device_dispatch_load (VtrDeviceDispatch      *self,
                          VkDevice                device,
                          PFN_vkGetDeviceProcAddr get_proc_addr)
{
  PFN_vkVoidFunction *slots = (void *) self;

  for (size_t i = 0; i < N_COMMANDS (device_commands); i++)
    slots[i] = get_proc_addr (device, vtr_cmd_name (device_commands[i]));
}

static PFN_vkVoidFunction
find (const void     *table,
      const uint16_t *commands,
      size_t          n_commands,
      VtrCmdId        cmd)
{
  const PFN_vkVoidFunction *slots = table;
  size_t low = 0, high = n_commands;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (commands[middle] == cmd)
        return slots[middle];
      if (commands[middle] < cmd)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

PFN_vkVoidFunction
vtr_dispatch_get (VtrCmdId                   cmd,
                  const VtrInstanceDispatch *instance,
                  const VtrDeviceDispatch   *device)
{
  if (!vtr_cmd_is_vulkan (cmd))
    return NULL;
  if (vtr_cmd_get (cmd)->level == VTR_LEVEL_DEVICE)
    return device == NULL ? NULL : find (device, device_commands, N_COMMANDS (device_commands), cmd);
  return instance == NULL ? NULL : find (instance, instance_commands, N_COMMANDS (instance_commands), cmd);
}
'''
