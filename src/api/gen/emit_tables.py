# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Emits vtr-api-tables.c: every table of vtr-api-types.h."""

from emit_common import banner
from expression import OPS
from model import ABIS, CLASSES, FOREIGN_PAGE, FURTHER_CLASSES, KINDS, N_PAGES, NAMES
from tables import NONE, Tables

RESULTS = {'void': 'VOID', 'result': 'STATUS', 'bool32': 'BOOL32', 'u32': 'U32', 'u64': 'U64',
           'function': 'FUNCTION', 'i32': 'I32', 'f32': 'F32', 'enum': 'ENUM', 'address': 'ADDRESS',
           'string': 'STRING'}


def per_abi(values):
    return '{ ' + ', '.join(str(values[abi]) for abi in ABIS) + ' }'


def joined(prefix, names):
    return ' | '.join(f'{prefix}_{name}' for name in names) or '0'


def reference(prefix, name):
    return f'{prefix}_{name}' if name else f'{prefix}_NONE'


def words(name, values):
    lines = [f'const uint16_t {name}[] = {{']
    for start in range(0, len(values), 16):
        lines.append('  ' + ', '.join(str(v) for v in values[start:start + 16]) + ',')
    return lines + ['};', '']


def field_line(part, field):
    tables = part.tables
    outer, inner, live, string = part.compiled[id(field)]
    flags = joined('VTR_FIELD', part.flags(field, string))
    row = field.dims[1] if len(field.dims) == 2 else 0
    return (f'  {{ {tables.strings.add(field.name)}, {tables.strings.add(field.base)},'
            f' {per_abi(field.offset)},'
            f' {per_abi(field.size)}, {field.count}, {row}, {part.type_index(field)},'
            f' {{ {outer}, {inner} }}, {live}, {flags}, VTR_KIND_{field.kind.upper()},'
            f' {field.pointers}, {field.bit_offset}, {field.bits} }}, /* {field.name} */')


def emit_fields(tables):
    lines = ['const VtrApiField vtr_api_fields[] = {']
    for part, owner in [(part, owner) for part in tables.parts
                        for owner in part.model.structs + part.model.commands]:
        lines.append(f'  /* {part.first[owner.name]}: {owner.name} */')
        for field in owner.params if hasattr(owner, 'params') else owner.fields:
            lines.append(field_line(part, field))
    return lines + ['};', '']


def struct_flags(struct):
    plain = not (struct.has_pointers or struct.has_handles or struct.has_address)
    names = [('UNION', struct.is_union), ('RETURNED_ONLY', struct.returned_only),
             ('HAS_POINTERS', struct.has_pointers), ('HAS_HANDLES', struct.has_handles),
             ('HAS_OUT', struct.has_out), ('NEXT_OUT', struct.has_next_out), ('VIDEO', struct.video),
             ('C', struct.native), ('PLAIN', plain), ('PLACES', struct.has_places)]
    return joined('VTR_STRUCT', [name for name, value in names if value])


def emit_structs(tables):
    lines = ['const VtrApiStruct vtr_api_structs[] = {']
    for part, struct in [(part, struct) for part in tables.parts for struct in part.model.structs]:
        model = part.model
        stype = model.enum_value(struct.stype) if struct.stype else 'VTR_STYPE_NONE'
        pointers, n_pointers = part.pointer_run(struct, struct.fields)
        extends, n_extends = part.extends_run(struct)
        lines.append(
            f'  {{ {tables.strings.add(struct.name)}, {stype}, {per_abi(struct.size)},'
            f' {per_abi(struct.align)}, 0, {struct_flags(struct)}, {part.first[struct.name]},'
            f' {len(struct.fields)}, {pointers}, {n_pointers}, {extends}, {n_extends},'
            f' {extension_index(part, struct)} }}, /* {struct.name} */')
    return lines + EMPTY_ROW[len(lines) == 1] + ['};', '']


# An array of no rows is no C.
EMPTY_ROW = ([], ['  { 0 },'])


def extension_index(part, thing):
    """In the table of the extensions of all APIs."""
    return reference('VTR_EXTENSION', thing.extension) if thing.extension in part.model.extensions_by_name \
        else NONE


def emit_enums(tables):
    values = ['const VtrApiEnumValue vtr_api_enum_values[] = {']
    enums = ['const VtrApiEnum vtr_api_enums[] = {']
    first = 0
    for enum in [enum for model in tables.models for enum in model.enums]:
        ordered = sorted(enum.values, key=lambda v: (v.value, bool(v.alias)))
        previous = None
        for value in ordered:
            alias = 1 if previous == value.value else 0
            previous = value.value
            number = str(value.value)
            if abs(value.value) > 0x7fffffff:
                number = f'INT64_C ({value.value})' if value.value < 1 << 63 else 'INT64_MIN'
            values.append(f'  {{ {tables.strings.add(value.name)}, {alias}, {number} }},'
                          f' /* {value.name} */')
        enums.append(f'  {{ {tables.strings.add(enum.name)}, {first}, {len(ordered)},'
                     f' {int(enum.is_bitmask)}, {enum.width} }}, /* {enum.name} */')
        first += len(ordered)
    return (values + EMPTY_ROW[first == 0] + ['};', ''] + enums + EMPTY_ROW[len(enums) == 1]
            + ['};', ''])


def scope_of_names(scope):
    return f'VTR_NAMES_IN_{scope.upper()}' if scope else 'VTR_NAMES_NOWHERE'


def handle_flags(handle):
    flags = [('ZERO_IS_OBJECT', handle.zero_in), ('MADE_BY_USE', handle.made_by_use),
             ('NAME_MAY_END_FIRST', handle.name_may_end_first)]
    return [name for name, value in flags if value]


def emit_handles(tables):
    lines = ['const VtrApiHandle vtr_api_handles[] = {']
    for model, handle in [(model, handle) for model in tables.models for handle in model.handles]:
        parent = model.handles_by_name.get(handle.parent.split(',')[0])
        object_type = model.enum_value(handle.object_type) if handle.object_type else 0
        lines.append(f'  {{ {tables.strings.add(handle.name)}, {object_type},'
                     f' {reference("VTR_HANDLE", parent.name if parent else "")},'
                     f' {int(handle.dispatchable)}, {scope_of_names(handle.names_in)}, {scope_of_names(handle.zero_in)},'
                     f' {joined("VTR_HANDLE", handle_flags(handle))}, {0 if handle.dispatchable else handle.size}, 0 }},'
                     f' /* {handle.name} */')
    return lines + ['};', '']


def lifetime(part, command, life):
    if life is None:
        return '{ VTR_HANDLE_NONE, 0, 0, VTR_PARAM_NONE, VTR_HOW_PLAIN }'
    return (f'{{ {reference("VTR_HANDLE", life.handle)},'
            f' {part.expression(command, life.count)}, {part.expression(command, life.pool)},'
            f' {command.param(life.param).index if life.param else "VTR_PARAM_NONE"},'
            f' VTR_HOW_{life.how.upper()} }}')


def command_line(part, command):
    tables, model = part.tables, part.model
    known = [*CLASSES, *FURTHER_CLASSES, *model.classes]
    given = command.classes | ({'c'} if command.native else set())
    given |= {'enabled'} if command.supported else set()
    if given - set(known):
        raise ValueError(f'{command.name}: unknown classes {sorted(given - set(known))}')
    classes = [name.upper() for name in known if name in given]
    major, minor = command.version or (0, 0)
    pointers, n_pointers = part.pointer_run(command, command.params)
    first = command.params[0] if command.params else None
    dispatch = ''
    if command.level != 'global' and first is not None and first.kind == 'handle' and first.pointers == 0:
        dispatch = first.type if model.handles_by_name[first.type].dispatchable else ''
    last = command.params[-1] if command.params else None
    size = (last.offset['lp64'] + last.size['lp64'] + 7) // 8 * 8 if last else 0
    has_offsets = any(param.offset_or_pointer and param.pointers for param in command.params)
    size += 8 * has_offsets
    return (
        f'  {{ {joined("VTR_CLASS", classes)}, {tables.strings.add(command.name)},'
        f' {(major << 22) | (minor << 12)}, {part.first[command.name]}, {pointers},'
        f' {size}, {reference("VTR_CMD", command.alias_of)},'
        f' {reference("VTR_HANDLE", dispatch)}, {extension_index(part, command)},'
        f' {lifetime(part, command, command.creates)},'
        f' {lifetime(part, command, command.destroys)}, {len(command.params)}, {n_pointers},'
        f' VTR_RESULT_{RESULTS[command.result_kind]}, VTR_LEVEL_{command.level.upper()},'
        f' VTR_ORDER_{command.order.upper()}, {int(has_offsets)}, {result_type(model, command)} }}, /* {command.name} */')


def result_type(model, command):
    if not command.result_type:
        return NONE
    things = model.enums_by_name if command.result_kind == 'enum' else model.handles_by_name
    return model.flat_id(things[command.result_type])


# The row of commands that no API of the build has: it says nothing of them.
BLANK_COMMAND = ('  { 0, 0, 0, 0, 0, 0, VTR_CMD_NONE, VTR_HANDLE_NONE, ' f'{NONE}, {lifetime(None, None, None)},'
                 f' {lifetime(None, None, None)}, 0, 0, VTR_RESULT_VOID, VTR_LEVEL_GLOBAL,'
                 f' VTR_ORDER_AFTER, 0, {NONE} }},')


def emit_commands(tables):
    lines = ['const VtrApiCommand vtr_api_commands[] = {']
    lines += [command_line(part, command) for part in tables.parts
              for command in part.model.commands]
    return lines + [BLANK_COMMAND, '};', '']


def emit_extensions(tables):
    lines = ['const VtrApiExtension vtr_api_extensions[] = {']
    for extension in [extension for model in tables.models for extension in model.extensions]:
        lines.append(
            f'  {{ {tables.strings.add(extension.name)}, {extension.number},'
            f' {tables.strings.add(extension.platform)}, {int(extension.kind == "device")},'
            f' {int(extension.supported)}, {int(extension.provisional)}, {int(extension.native)} }},')
    return lines + EMPTY_ROW[len(lines) == 1] + ['};', '']


def emit_other_extensions(tables):
    """Of commands that several extensions bring: those after the first."""
    pairs = [(model.flat_id(command), model.extensions_by_name[name].index, command.name, name)
             for model in tables.models for command in model.commands for name in command.others]
    lines = ['const uint16_t vtr_api_other_extensions[][2] = {']
    lines += [f'  {{ VTR_CMD_{command}, VTR_EXTENSION_{extension} }},'
              for _, _, command, extension in sorted(pairs)]
    return lines + [f'  {{ {NONE}, {NONE} }},', '};', '']


def name_index(tables, symbol, pairs):
    """A sorted list of names, for things that have several."""
    lines = [f'const VtrApiName {symbol}[] = {{']
    pairs = sorted(pairs)
    lines += [f'  {{ {tables.strings.add(name)}, {index} }}, /* {name} */' for name, index in pairs]
    return lines + ['};', f'const size_t n_{symbol} = {len(pairs)};', '']


def emit_indices(tables):
    structs, enums, handles, stypes = [], [], [], []
    for model in tables.models:
        structs += [(name, model.flat_id(s)) for s in model.structs for name in (s.name, *s.aliases)]
        names = {name: model.flat_id(e) for e in model.enums for name in (e.name, *e.aliases)}
        for bitmask in model.bitmasks.values():
            if bitmask.bits:
                names.setdefault(bitmask.name, model.flat_id(model.enums_by_name[bitmask.bits]))
        enums += names.items()
        handles += [(name, model.flat_id(h)) for h in model.handles for name in (h.name, *h.aliases)]
        stypes += [(model.enum_value(s.stype), model.flat_id(s)) for s in model.structs if s.stype]
    lines = name_index(tables, 'vtr_api_struct_names', structs)
    lines += name_index(tables, 'vtr_api_enum_names', enums)
    lines += name_index(tables, 'vtr_api_handle_names', handles)
    lines += ['const VtrApiName vtr_api_stypes[] = {']
    lines += [f'  {{ {value}, {index} }},' for value, index in sorted(stypes)]
    lines += ['};', f'const size_t n_vtr_api_stypes = {len(stypes)};', '']
    return lines


def members_of(model):
    """The functions of VtrApiModel that the API has."""
    return ['answer'] * bool(model.questions) + ['visit_data'] * model.visits_data


def emit_specials(models):
    """Numbers that stand for something else, of all APIs; one more row, since an array of no rows is no C."""
    lines = ['static const VtrApiSpecial vtr_api_specials[] = {']
    for member, base, value, text in [special for model in models for special in model.specials]:
        names = ', '.join(f'"{name}"' if name else 'NULL' for name in (member, base))
        lines.append(f'  {{ {names}, UINT64_C ({value:#x}), {f"{chr(34)}{text}{chr(34)}" if text else "NULL"} }},')
    return lines + ['  { NULL, NULL, 0, NULL },', '};', '']


def emit_models(tables):
    """The APIs themselves, and whose the pages of ids are."""
    types = {'answer': 'VtrApiAnswer', 'visit_data': 'VtrApiVisitData'}
    lines = [f'extern {types[member]} vtr_{model.name}_{member};' for model in tables.models
             for member in members_of(model)]
    lines += ['', *emit_specials(tables.models), 'const VtrApiModel vtr_api_models[] = {']
    n_specials = 0
    before = {family: 0 for family in ('commands', 'structs', 'enums', 'handles', 'extensions')}
    pages = [None] * N_PAGES
    positions = {family: [0] * N_PAGES for family in ('commands', 'structs', 'enums', 'handles')}
    for number, part in enumerate(tables.parts):
        model = part.model
        lines += ['  {', f'    .name = "{model.name}",',
                  f'    .hash = UINT64_C (0x{model.registry_hash:016x}),',
                  f'    .first_id = 0x{model.first_id:04x},']
        for family in before:
            things = getattr(model, family)
            lines += [f'    .n_{family} = {len(things)},',
                      f'    .{family} = vtr_api_{family} + {before[family]},']
            if family in positions:
                for page in range(model.first_page, model.first_page + model.n_pages):
                    positions[family][page] = model.first_id - before[family]
            before[family] += len(things)
        lines += [f'    .fields = vtr_api_fields + {part.first_field},',
                  '    .words = { ' + ', '.join(f'"{word}"' for word in model.words) + ' },',
                  f'    .status_enum = {reference("VTR_ENUM", model.status_enum)},',
                  f'    .specials = vtr_api_specials + {n_specials},',
                  f'    .n_specials = {len(model.specials)},']
        n_specials += len(model.specials)
        lines += [f'    .{member} = vtr_{model.name}_{member},' for member in members_of(model)]
        lines.append('  },')
        for page in range(model.first_page, model.first_page + model.n_pages):
            if page in (FOREIGN_PAGE, N_PAGES - 1):
                raise ValueError(f'page {page} is of no API')
            if pages[page] is not None:
                raise ValueError(f'two APIs have page {page}')
            pages[page] = number
    lines += ['};', '', f'const VtrApiModel *const vtr_api_pages[{N_PAGES}] = {{']
    lines += [f'  [{page}] = &vtr_api_models[{number}],'
              for page, number in enumerate(pages) if number is not None]
    lines += ['};', '']
    for family, ids in positions.items():
        lines += [f'const uint16_t vtr_api_{family}_from[{N_PAGES}] = {{',
                  '  ' + ', '.join(f'0x{first:04x}' for first in ids) + ',', '};', '']
    return lines


def emit_strings(tables):
    lines = ['const char vtr_api_strings[] =']
    lines += [f'  "{text}\\0"' for text in tables.strings.items]
    lines[-1] += ';'
    return lines + ['']


def emit_checks(models):
    """The numbers that Python and C must agree on."""
    lines = []
    for prefix, names in (('VTR_KIND', KINDS), ('VTR_OP', OPS)):
        lines += [f'static_assert ({prefix}_{name.upper()} == {number}, "order");'
                  for number, name in enumerate(names)]
    numbers = {name: number for number, name in enumerate(CLASSES)} | FURTHER_CLASSES
    lines += [f'static_assert (VTR_CLASS_{name.upper()} == UINT64_C (1) << {number}, "order");'
              for name, number in numbers.items()]
    lines += [f'static_assert ({scope_of_names(scope)} == {number}, "order");'
              for number, scope in enumerate(NAMES)]
    lines.append(f'static_assert (VTR_CMD_FOREIGN >> VTR_API_PAGE_BITS == {FOREIGN_PAGE}, "page");')
    return lines + ['static_assert (sizeof (VtrApiField) == 52, "packed");', '']


def emit(models):
    tables = Tables(models)
    body = emit_fields(tables) + emit_structs(tables) + emit_enums(tables) + emit_handles(tables)
    body += emit_commands(tables) + emit_extensions(tables) + emit_other_extensions(tables)
    body += emit_indices(tables) + emit_models(tables)
    body += words('vtr_api_walk', tables.walk.words)
    body += words('vtr_api_extends', tables.extends.words)
    body += words('vtr_api_programs', tables.programs.words)
    body += emit_strings(tables)
    head = banner(models, __file__, 'The APIs as tables.')
    head += ['#include "api/vtr-api-tables-private.h"', '', '#include "api/vtr-api-program.h"', '',
             '#include <assert.h>', '']
    return '\n'.join(head + emit_checks(models) + body).rstrip() + '\n'
