# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits vtr-tiny-args.h: a struct with the arguments of every command of the tiny API."""

from emit_common import arguments

# Of what the API's own header declares.
PLAIN = {'handle': 'void *', 'enum': 'int32_t '}


def member(param):
    if param.pointers == 0 and param.kind in PLAIN:
        return f'{PLAIN[param.kind]}{param.name}'
    return param.c_decl.replace('* ', ' *')


def emit(model):
    return arguments(model, __file__, member)
