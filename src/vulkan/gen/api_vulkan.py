# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Vulkan as a Model: vk.xml and video.xml, with what the registry does not say (overlay_vk.py).

Other generators of Vulkan's rooms put this folder on sys.path:

    from api_vulkan import load_model
    model = load_model('/usr/share/vulkan/registry/vk.xml')
"""

import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / 'api' / 'gen'))

import classify  # noqa: E402
import layout  # noqa: E402
import overlay_vk  # noqa: E402
import registry_vk  # noqa: E402

# What generate.py --emit can write for Vulkan alone: name -> (module, function).
EMITTERS = {
    'args': ('emit_args', 'emit'),
    'dispatch-header': ('emit_dispatch', 'emit_header'),
    'dispatch-source': ('emit_dispatch', 'emit_source'),
    'layout-test': ('emit_layout_test', 'emit'),
}


def load_model(vk_xml, video_xml=None, overlay=None):
    """Reads @vk_xml and video.xml (default: beside it), applies the overlay and computes layouts."""
    model = registry_vk.read(vk_xml, video_xml)
    classify.apply(model)
    (overlay or overlay_vk).apply(model)
    model.status_enum = 'VkResult' if 'VkResult' in model.enums_by_name else ''
    model.specials = overlay_vk.SPECIALS
    layout.compute(model)
    return model
