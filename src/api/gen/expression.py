# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles length and liveness expressions into the postfix programs of vtr-api-program.h.

The language is C as the registry writes it (altlen, 'pInfo->count'), read with Python's own
parser, plus what the overlay needs:

    name, pInfo->name      a member of the struct the expression belongs to
    parent.name            a member of the struct around it
    args(vkCommand).name   a parameter of the call
    pInfos[i].name         of the element with the index of the walk (inner pointers)
    nonnull(name)          whether a pointer or handle is not null
    VK_SOMETHING           an enumerant or constant
    x in (A, B), and, or, not, == != < <= > >=, & + - * /
    question(…)            one of the model's, of one operand at most: C code of the API answers it
    uncertain()            never known
"""

import ast

OPS = ('END', 'FIELD', 'ENTER', 'ENTER_AT', 'PARENT', 'ROOT', 'RESET', 'NONNULL', 'CONST', 'ADD',
       'SUB', 'MUL', 'DIV', 'EQ', 'NE', 'LT', 'LE', 'GT', 'GE', 'BITAND', 'AND', 'OR', 'NOT',
       'IN', 'ASK', 'ASK_OF', 'UNKNOWN')
OP = {name: number for number, name in enumerate(OPS)}

BINARY = {ast.Add: 'ADD', ast.Sub: 'SUB', ast.Mult: 'MUL', ast.Div: 'DIV', ast.FloorDiv: 'DIV',
          ast.BitAnd: 'BITAND'}
COMPARE = {ast.Eq: 'EQ', ast.NotEq: 'NE', ast.Lt: 'LT', ast.LtE: 'LE', ast.Gt: 'GT',
           ast.GtE: 'GE'}


class ExpressionError(Exception):
    pass


class Compiler:
    """@position: function from a Field to its index in vtr_api_fields."""

    def __init__(self, model, position, parents):
        self.model = model
        self.position = position
        self.parents = parents    # struct name -> structs that hold it

    def compile(self, text, owner):
        """Returns: the program as a tuple of words."""
        self.text, self.owner, self.words = text, owner, []
        try:
            tree = ast.parse(text.replace('->', '.'), mode='eval')
        except SyntaxError as error:
            raise ExpressionError(f'{owner.name}: cannot read "{text}"') from error
        self.value(tree.body)
        return (*self.words, OP['END'])

    def op(self, name, *operands):
        self.words += [OP[name], *operands]

    def fail(self, what):
        raise ExpressionError(f'{self.owner.name}: "{self.text}": {what}')

    def fields(self, owner):
        return owner.params if hasattr(owner, 'params') else owner.fields

    def find(self, owner, name):
        for field in self.fields(owner):
            if field.name == name:
                return field
        return None

    # --- values ----------------------------------------------------------------------------

    def value(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            self.constant(node.value)
        elif isinstance(node, ast.Name):
            self.name(node.id)
        elif isinstance(node, ast.Attribute):
            self.member('FIELD', node)
        elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            self.value(node.left)
            self.value(node.right)
            self.op(BINARY[type(node.op)])
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            self.compare(node)
        elif isinstance(node, ast.BoolOp):
            self.value(node.values[0])
            for operand in node.values[1:]:
                self.value(operand)
                self.op('AND' if isinstance(node.op, ast.And) else 'OR')
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.value(node.operand)
            self.op('NOT')
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self.constant(-node.operand.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            self.call(node)
        else:
            self.fail(f'cannot compile {ast.dump(node)}')

    def constant_value(self, node):
        try:
            return self.model.enum_value(node.id)
        except (KeyError, AttributeError):
            self.fail('a list may hold enumerants only')

    def constant(self, value):
        value &= 0xffffffff
        self.op('CONST', value & 0xffff, value >> 16)

    def name(self, name):
        field = self.find(self.owner, name)
        if field is not None:
            self.op('FIELD', self.position(field))
            field.len_source = True
            return
        try:
            self.constant(self.model.enum_value(name))
        except KeyError:
            self.fail(f'unknown name {name}')

    def compare(self, node):
        operation, right = node.ops[0], node.comparators[0]
        if isinstance(operation, (ast.In, ast.NotIn)):
            self.value(node.left)
            self.op('IN', len(right.elts))
            for item in right.elts:
                value = self.constant_value(item) & 0xffffffff
                self.words += [value & 0xffff, value >> 16]
            if isinstance(operation, ast.NotIn):
                self.op('NOT')
            return
        self.value(node.left)
        self.value(right)
        self.op(COMPARE[type(operation)])

    def call(self, node):
        name = node.func.id
        if name == 'nonnull':
            argument = node.args[0]
            if isinstance(argument, ast.Name):
                self.op('NONNULL', self.position(self.find(self.owner, argument.id)))
            else:
                self.member('NONNULL', argument)
        elif name == 'uncertain':
            self.op('UNKNOWN')
        elif name in self.model.questions:
            if len(node.args) != self.model.questions[name]:
                self.fail(f'{name} takes {self.model.questions[name]} arguments')
            for argument in node.args:
                self.value(argument)
            self.op('ASK_OF' if node.args else 'ASK', list(self.model.questions).index(name))
        else:
            self.fail(f'unknown function {name}')

    # --- members of other structs ----------------------------------------------------------

    def member(self, operation, node):
        owners = self.enter(node.value)
        field = None
        for owner in owners:
            field = field or self.find(owner, node.attr)
        if field is None:
            self.fail(f'no member {node.attr}')
        field.len_source = True
        self.op(operation, self.position(field))
        self.op('RESET')

    def enter(self, node):
        """Emits what goes into the struct @node denotes. Returns: what it may be."""
        if isinstance(node, ast.Name) and node.id == 'parent':
            self.op('PARENT')
            return self.parents.get(self.owner.name, [])
        if isinstance(node, ast.Call) and node.func.id == 'args':
            self.op('ROOT')
            return [self.model.commands_by_name[node.args[0].id]]
        operation = 'ENTER'
        if isinstance(node, ast.Subscript):
            operation, node = 'ENTER_AT', node.value
        if isinstance(node, ast.Name):
            field = self.find(self.owner, node.id)
        elif isinstance(node, ast.Attribute):
            field = None
            for owner in self.enter(node.value):
                field = field or self.find(owner, node.attr)
        if field is None or field.kind not in ('struct', 'union'):
            self.fail(f'{ast.dump(node)} is no struct')
        field.len_source = True
        self.op(operation, self.position(field))
        return [self.model.structs_by_name[field.base]]
