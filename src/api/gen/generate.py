#!/usr/bin/env python3
# Copyright the Vitrine authors
# SPDX-License-Identifier: Apache-2.0
"""Writes one generated file:

    generate.py --api NAME FOLDER REGISTRY [--api …] --emit WHAT --output FILE

FOLDER holds api_NAME.py with load_model (registry), which returns a Model, and EMITTERS: what can be
written of this API alone. It is written with --emit NAME:WHAT.

Standard library only. The output depends on the registry files and these folders alone."""

import argparse
import importlib
import sys

# name -> (module, function)
EMITTERS = {
    'ids': ('emit_ids', 'emit'),
    'tables': ('emit_tables', 'emit'),
}


def write(path, data):
    """Leaves a file with these bytes alone, so that nothing is compiled anew because of it."""
    try:
        with open(path, 'rb') as file:
            if file.read() == data:
                return
    except FileNotFoundError:
        pass
    with open(path, 'wb') as file:
        file.write(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--api', required=True, nargs=3, action='append',
                        metavar=('NAME', 'FOLDER', 'REGISTRY'))
    parser.add_argument('--emit', required=True)
    parser.add_argument('--output', required=True)
    options = parser.parse_args()
    apis, emitters = {}, dict(EMITTERS)
    for name, folder, registry in options.api:
        sys.path.append(folder)
        api = importlib.import_module(f'api_{name}')
        apis[name] = (api, registry)
        emitters.update({f'{name}:{what}': emitter for what, emitter in api.EMITTERS.items()})
    if options.emit not in emitters:
        parser.error(f'--emit {options.emit}: not one of {", ".join(sorted(emitters))}')
    module, function = emitters[options.emit]
    wanted = options.emit.rpartition(':')[0]
    models = [api.load_model(registry) for name, (api, registry) in apis.items()
              if wanted in ('', name)]
    text = getattr(importlib.import_module(module), function)(models[0] if wanted else models)
    write(options.output, text.encode())
    return 0


if __name__ == '__main__':
    sys.exit(main())
