#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the functions that stand in for those of OpenGL and EGL: emit_gl_functions.py --gen DIR --registry gl.xml:egl.xml:glx.xml
--part N --output FILE.

Part "table" is the table by VtrCmdId; parts 0 … N_PARTS-1 are the functions. Standard library only."""

import argparse
import re
import sys

N_PARTS = 4
N_VENDORS = 4   # VTR_GL_MAX_VENDORS

# What the recorder does itself, with the arguments and "vendor", behind the driver's part of a call.
AFTER = {
    'eglInitialize': 'vtr_gl_display_initialized (dpy, result);',
    'eglCreateContext': 'vtr_gl_context_created (vendor, dpy, share_context, result);',
    'eglDestroyContext': 'vtr_gl_context_destroyed (ctx, result);',
    'eglMakeCurrent': 'vtr_gl_context_made_current (ctx, result);',
    'eglReleaseThread': 'vtr_gl_context_made_current (NULL, result);',
    'eglCreateWindowSurface': 'vtr_gl_window_made (result);',
    'eglCreatePlatformWindowSurface': 'vtr_gl_window_made (result);',
    'eglCreatePlatformWindowSurfaceEXT': 'vtr_gl_window_made (result);',
}

# What the recorder keeps of a context (vtr-gl-track.h): calls of these names and of their aliases.
TRACKED = {
    'glBindBuffer', 'glBindVertexArray', 'glDeleteBuffers', 'glDeleteVertexArrays', 'glVertexAttribPointer',
    'glVertexAttribIPointer', 'glEnableVertexAttribArray', 'glDisableVertexAttribArray', 'glVertexAttribDivisor',
    'glVertexAttribBinding', 'glBindVertexBuffer', 'glPixelStorei', 'glPixelStoref', 'glPopClientAttrib',
}

# Arrays of fixed-function OpenGL.
FIXED_ARRAY = re.compile(r'gl(Vertex|Normal|Color|SecondaryColor|TexCoord|MultiTexCoord|Index|EdgeFlag|FogCoord|FogCoordinate|Weight'
                         r'|MatrixIndex|PointSize)Pointer(ARB|EXT|OES)?|glInterleavedArrays')

# Extras of a call, before the driver's results are observed.
EXTRAS = {
    'eglCreateContext': 'vtr_gl_add_context (vendor, dpy, config, result);',
    'eglCreateWindowSurface': 'vtr_gl_add_config (vendor, dpy, config);',
    'eglCreatePlatformWindowSurface': 'vtr_gl_add_config (vendor, dpy, config);',
    'eglCreatePlatformWindowSurfaceEXT': 'vtr_gl_add_config (vendor, dpy, config);',
    'eglCreatePbufferSurface': 'vtr_gl_add_config (vendor, dpy, config);',
    'eglCreatePixmapSurface': 'vtr_gl_add_config (vendor, dpy, config);',
    'eglMakeCurrent': 'vtr_gl_add_surfaces (vendor, dpy, draw, read);',
}

# They publish what the thread has done, and are recorded when the driver has answered: their extras and the context of
# what follows depend on the answer.
RECORDED_AFTER = {'eglMakeCurrent', 'eglReleaseThread'}

# Calls that change an object which other contexts of the group see: they are published at once if there are any.
SHARED_CHANGE = re.compile(
    r'gl(Tex|Texture|Sampler)(Parameter|Storage|Buffer|PageCommitment|View).*|gl(Named)?Renderbuffer.*|glGenerate.*Mipmap'
    r'|glCopy(Tex|Image|Buffer|NamedBuffer).*|gl(Shader|Compile|Attach|Detach|Specialize|Validate).*|glProgram(Parameter|Binary).*'
    r'|glBind(Attrib|FragData)Location.*|glTransformFeedbackVaryings.*|gl(Uniform|ShaderStorage)BlockBinding|glObject(Ptr)?Label.*'
    r'|gl(Flush)?Mapped.*|glInvalidate(Tex|Buffer).*|glEGLImageTarget.*|glClear(Tex|Buffer(Sub)?Data|NamedBuffer(Sub)?Data).*')
SHARED_CLASSES = {'create', 'gl_upload', 'gl_link', 'map', 'unmap'}


def is_egl(command):
    return command.name.startswith('egl')


def is_recorded(command):
    """GLX has no vendor library yet."""
    return not command.name.startswith('glX')


def params_of(command):
    return ', '.join(param.c_decl for param in command.params)


def result_value(command):
    if command.result_c == 'void':
        return '0'
    if command.result_kind == 'f32':
        return 'vtr_gl_bits (result)'
    if command.result_c.endswith('*'):
        return '(uint64_t)(uintptr_t)result'
    if command.result_kind == 'i32':
        return '(uint64_t)(int64_t)result'
    return '(uint64_t)result'


def is_shared_change(model, command):
    if is_egl(command) or command.order == 'before':
        return False
    if SHARED_CHANGE.fullmatch(command.name) or command.classes & (SHARED_CLASSES - {'create'}):
        return True
    if 'create' not in command.classes or command.creates is None:
        return False
    handle = model.handles_by_name.get(command.creates.handle)
    return handle is not None and handle.names_in == 'group' and command.creates.how != 'use'


def where(command):
    if not is_egl(command):
        return 'self != NULL ? &self->names : &vtr_gl_process'
    display = next((p for p in command.params if p.base == 'EGLDisplay' and p.pointers == 0), None)
    return f'vtr_gl_names_of_display ({display.name})' if display is not None else '&vtr_gl_process'


def next_table(command):
    return 'vtr_gl_vendors[vendor].next' if is_egl(command) else 'vtr_gl_next (self)'


def emit_function(model, command):
    name = command.name
    egl = is_egl(command)
    has_result = command.result_c != 'void'
    space = '' if command.result_c.endswith('*') else ' '
    before = command.order == 'before' and name not in RECORDED_AFTER
    given = ', '.join(p.name for p in command.params)
    is_boundary = egl or bool(command.classes & {'signal', 'frame_end'})
    params = ', '.join(filter(None, ['unsigned vendor' if egl else '', params_of(command)])) or 'void'
    call = f'next ({given});'

    lines = [f'static {command.result_c}', f'{"make_" if egl else "stand_in_"}{name} ({params})', '{']
    if not egl:
        lines.append('  VtrGlContext *const self = vtr_gl_current;')
    lines += [f'  VtrGlFunction_{name} *const next = (VtrGlFunction_{name} *){next_table(command)}[VTR_CMD_{name} - VTR_GL_FIRST_ID];',
              '  VtrLayerCall call;']
    if is_boundary:
        lines.append('  VtrLayerThread *thread;')
    if has_result:
        lines.append(f'  {command.result_c}{space}result;')
    lines += ['', '  if (!vtr_layer_is_encoding ())', '  {']
    hooks = AFTER.get(name)
    if has_result and not hooks:
        lines.append(f'    return {call}')
    else:
        lines.append(f'    {"result = " if has_result else ""}{call}')
        lines += [f'    {hooks}'] if hooks else []
        lines.append(f'    return{" result" if has_result else ""};')
    lines.append('  }')
    members = [f'.{p.name} = {p.name}' for p in command.params]
    lines += ['  {', f'    const VtrArgs_{name} args = {{ {", ".join(members) or "0"} }};', '']
    if is_boundary:
        lines.append(f'    thread = vtr_layer_thread_enter (VTR_CMD_{name});')
    if egl:
        lines.append('    vtr_gl_publish ();')
    lines.append(f'    vtr_layer_call_{"commit" if before else "enter"} (&call, {where(command)}, VTR_CMD_{name}, &args);')
    lines.append(f'    {"result = " if has_result else ""}{call}')
    if name in EXTRAS:
        # An own call that succeeds would take the program's error away.
        lines += ['    if (result)', f'      {EXTRAS[name]}']
    lines += track(command)
    if before:
        lines.append(f'    vtr_layer_call_returned (&call, {result_value(command)});')
    else:
        lines.append(f'    vtr_layer_call_leave (&call, &args, {result_value(command)});')
    if hooks:
        lines.append(f'    {hooks}')
    if is_shared_change(model, command):
        lines.append('    vtr_gl_publish_shared (self);')
    if 'frame_end' in command.classes:
        lines.append('    vtr_layer_count_frame (0);')
    elif 'signal' in command.classes and not egl and 'destroy' not in command.classes:
        lines.append('    vtr_layer_count_submission ();')
    if is_boundary:
        lines.append('    vtr_layer_thread_leave (thread);')
    lines.append('  }')
    if has_result:
        lines.append('  return result;')
    lines += ['}', '']
    if egl:
        lines += emit_vendors(command, given)
    return lines


def track(command):
    name = command.alias_of or command.name
    if name in TRACKED:
        return ['    if (self != NULL)', f'      vtr_gl_track_{name} (&self->track, (const VtrArgs_{name} *)(const void *)&args);']
    if 'map' in command.classes and command.result_c.endswith('*'):
        return ['    vtr_gl_map_made (result);']
    if FIXED_ARRAY.fullmatch(command.name):
        return ['    vtr_gl_fixed_array_set (self, pointer);']
    return []


def emit_vendors(command, given):
    """glvnd says by the function that it calls which vendor is meant."""
    lines = []
    for vendor in range(N_VENDORS):
        arguments = ', '.join(filter(None, [str(vendor), given]))
        lines += [f'static {command.result_c}', f'stand_in_{command.name}_{vendor} ({params_of(command) or "void"})', '{',
                  f'  {"return " if command.result_c != "void" else ""}make_{command.name} ({arguments});', '}', '']
    return lines


def head(what):
    return [f'/* {what}', ' * Generated by emit_gl_functions.py from gl.xml, egl.xml and glx.xml. Do not edit. */',
            '#include "vtr-gl-layer.h"', '', '#include "vtr-layer-calls.h"', '#include "vtr-layer-frames.h"',
            '#include "vtr-layer-put.h"', '', '#include "api/vtr-gl-functions.h"', '']


def emit_part(model, part):
    lines = head('Stand in for the functions of OpenGL and EGL.')
    lines += ['static inline uint64_t', 'vtr_gl_bits (float value)', '{', '  return vtr_layer_bits_f32 (value);', '}', ''] * \
        any(command.result_kind == 'f32' for command in of_part(model, part))
    rows = []
    for command in of_part(model, part):
        lines += emit_function(model, command)
        if is_egl(command):
            names = [f'(VtrGlProc)stand_in_{command.name}_{vendor}' for vendor in range(N_VENDORS)]
            rows.append(f'  {{ VTR_CMD_{command.name}, {{ {", ".join(names)} }} }},')
        else:
            rows.append(f'  {{ VTR_CMD_{command.name}, {{ (VtrGlProc)stand_in_{command.name} }} }},')
    return lines + [f'const VtrGlRow vtr_gl_rows_{part}[] = {{', *rows, '  { VTR_CMD_NONE }', '};']


def of_part(model, part):
    """EGL has a part of its own, the last."""
    recorded = [command for command in model.commands if is_recorded(command)]
    if part == N_PARTS - 1:
        return [command for command in recorded if is_egl(command)]
    others = [command for command in recorded if not is_egl(command)]
    size = -(-len(others) // (N_PARTS - 1))
    return others[part * size:(part + 1) * size]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--gen', required=True, help='folder of the API model')
    parser.add_argument('--registry', required=True)
    parser.add_argument('--part', required=True, type=int)
    parser.add_argument('--output', required=True)
    options = parser.parse_args()
    sys.path.insert(0, options.gen)
    from api_gl import load_model
    lines = emit_part(load_model(options.registry), options.part)
    with open(options.output, 'w', encoding='utf-8', newline='\n') as file:
        file.write('\n'.join(lines) + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
