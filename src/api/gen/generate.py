#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Writes one generated file: generate.py --registry vk.xml --emit NAME --output FILE.

Standard library only. The output depends on the registry files and this folder alone."""

import argparse
import importlib
import sys

from model import load_model

# name -> (module, function)
EMITTERS = {
    'ids': ('emit_ids', 'emit'),
    'layout-test': ('emit_layout_test', 'emit'),
    'args': ('emit_args', 'emit'),
    'tables': ('emit_tables', 'emit'),
    'dispatch-header': ('emit_dispatch', 'emit_header'),
    'dispatch-source': ('emit_dispatch', 'emit_source'),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--registry', required=True, help='path of vk.xml')
    parser.add_argument('--video', help='path of video.xml; default: beside vk.xml')
    parser.add_argument('--emit', required=True, choices=sorted(EMITTERS))
    parser.add_argument('--output', required=True)
    options = parser.parse_args()
    module, function = EMITTERS[options.emit]
    model = load_model(options.registry, options.video)
    text = getattr(importlib.import_module(module), function)(model)
    with open(options.output, 'w', encoding='utf-8', newline='\n') as file:
        file.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
