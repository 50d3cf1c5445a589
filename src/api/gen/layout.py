# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes and offsets of every struct on every ABI, and what structs contain transitively."""

from model import ABIS

POINTER = {'lp64': 8, 'i386': 4, 'arm32': 4}
ALIGN_64 = {'lp64': 8, 'i386': 4, 'arm32': 8}

FIXED = {
    'void': 1, 'char': 1, 'u8': 1, 'i8': 1, 'u16': 2, 'i16': 2, 'u32': 4, 'i32': 4, 'f32': 4,
    'bool8': 1, 'bool32': 4, 'enum': 4, 'flags32': 4, 'u64': 8, 'i64': 8, 'f64': 8, 'flags64': 8,
}


def element_layout(model, field, abi):
    """(size, alignment) of one element of a field that has no pointers left."""
    kind = field.kind
    if kind in FIXED:
        size = FIXED[kind]
        return size, ALIGN_64[abi] if size == 8 else size
    if kind in ('size', 'ssize', 'function', 'address', 'next'):
        return POINTER[abi], POINTER[abi]
    if kind == 'handle':
        handle = model.handles_by_name[field.type]
        if handle.dispatchable:
            return POINTER[abi], POINTER[abi]
        return (8, ALIGN_64[abi]) if handle.size == 8 else (handle.size, handle.size)
    struct = model.structs_by_name[field.base]
    compute_struct(model, struct, abi)
    return struct.size[abi], struct.align[abi]


def slot_layout(model, field, abi):
    if field.pointers > 0:
        return POINTER[abi], POINTER[abi]
    size, align = element_layout(model, field, abi)
    return size * field.count, align


def compute_struct(model, struct, abi):
    if abi in struct.size:
        return
    bit, align = 0, 1     # position in bits, as the System V ABIs allocate bit-fields
    largest = 0
    for field in struct.fields:
        size, field_align = slot_layout(model, field, abi)
        align = max(align, field_align)
        if field.bits:
            unit = size * 8
            if bit // unit != (bit + field.bits - 1) // unit:
                bit = (bit + unit - 1) // unit * unit
            field.offset[abi] = bit // unit * size
            field.bit_offset = bit - field.offset[abi] * 8
            bit += field.bits
        else:
            start = 0 if struct.is_union else (bit + 7) // 8
            start = (start + field_align - 1) // field_align * field_align
            field.offset[abi] = start
            bit = (start + size) * 8
        field.size[abi] = size
        largest = max(largest, (bit + 7) // 8)
    struct.align[abi] = align
    struct.size[abi] = (largest + align - 1) // align * align


def compute_params(model, command):
    """Offsets of the members of VtrArgs_<command>, and sizes of the parameters themselves."""
    for abi in ABIS:
        offset = 0
        for param in command.params:
            size, align = slot_layout(model, param, abi)
            offset = (offset + align - 1) // align * align
            param.offset[abi], param.size[abi] = offset, size
            offset += size


def spread_facts(model):
    """Fills Struct.has_*; embedded structs and pointed-to structs count."""
    extenders = {}
    for struct in model.structs:
        for name in struct.extends:
            extenders.setdefault(name, []).append(struct)
    changed = True
    while changed:
        changed = False
        for struct in model.structs:
            facts = struct_facts(model, struct)
            next_out = chain_reaches_output(model, struct, extenders)
            places = may_hold_addresses(model, struct.fields, extenders.get(struct.name, ()))
            before = (struct.has_pointers, struct.has_handles, struct.has_out, struct.has_next,
                      struct.has_address)
            if (facts != before or next_out != struct.has_next_out
                    or places != struct.has_places):
                (struct.has_pointers, struct.has_handles, struct.has_out, struct.has_next,
                 struct.has_address) = facts
                struct.has_next_out = next_out
                struct.has_places = places
                changed = True


def may_hold_addresses(model, fields, extenders):
    """Whether the program gives the device addresses, or bytes of any meaning, in these fields or
    below them."""
    for field in fields:
        if field.kind == 'next':
            if any(other.has_places for other in extenders):
                return True
        elif field.pointers > 0 and not field.const:
            continue
        elif field.kind in ('struct', 'union'):
            if model.structs_by_name[field.base].has_places:
                return True
        elif field.device_address:
            return True
        elif field.kind == 'void' and field.pointers > 0 and not field.tag:
            return True
    return False


def chain_reaches_output(model, struct, extenders):
    """Whether a chain that begins in the struct, or below it, may lead to what a driver writes."""
    for field in struct.fields:
        if field.kind == 'next':
            if any(other.has_out or other.has_next_out
                   for other in extenders.get(struct.name, ())):
                return True
        elif field.kind in ('struct', 'union'):
            if model.structs_by_name[field.base].has_next_out:
                return True
    return False


def struct_facts(model, struct):
    pointers = handles = out = chain = address = False
    for field in struct.fields:
        if field.kind == 'next':
            chain = pointers = True
        elif field.pointers > 0:
            pointers = True
            out = out or not field.const
        if field.kind in ('address', 'function'):
            address = True
        if field.kind == 'handle':
            handles = True
        if field.kind in ('struct', 'union'):
            inner = model.structs_by_name[field.base]
            handles = handles or inner.has_handles
            out = out or inner.has_out
            if field.pointers == 0:
                pointers = pointers or inner.has_pointers
                chain = chain or inner.has_next
                address = address or inner.has_address
    return pointers, handles, out, chain, address


def compute(model):
    for abi in ABIS:
        for struct in model.structs:
            compute_struct(model, struct, abi)
    for command in model.commands:
        compute_params(model, command)
    spread_facts(model)
    for command in model.commands:
        if may_hold_addresses(model, command.params, ()):
            command.classes.add('places')
