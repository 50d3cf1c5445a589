# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""OpenGL, OpenGL ES, EGL and GLX as one Model: gl.xml, egl.xml and glx.xml, with what the registries do not say
(overlay_gl.py) and what kind of calls these are (classify_gl.py).

Other generators of OpenGL's rooms put this folder on sys.path:

    from api_gl import load_model
    model = load_model('/…/gl.xml:/…/egl.xml:/…/glx.xml')
"""

import os
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / 'api' / 'gen'))

import classify_gl  # noqa: E402
import layout  # noqa: E402
import overlay_gl  # noqa: E402
import registry_gl  # noqa: E402

# What generate.py --emit can write for OpenGL alone: name -> (module, function).
EMITTERS = {
    'args': ('emit_gl_calls', 'emit_args'),
    'functions': ('emit_gl_calls', 'emit_functions'),
    'enums': ('emit_gl_calls', 'emit_enums'),
}


def load_model(registries):
    """Reads @registries, paths with colons between them, applies the overlay and computes layouts."""
    model = registry_gl.read(*registries.split(os.pathsep))
    overlay_gl.apply(model)
    classify_gl.apply(model)
    layout.compute(model)
    return model
