#!/usr/bin/python3
"""Measures the time of a click in RenderDoc: `renderdoc-clicks.py FILE.rdc CLICKS`, one JSON object.

Needs Debian's python3-renderdoc, which is for the system's own Python. A click is SetFrameEvent,
forced, and the texels of the target; on this driver RenderDoc's own display of a texture crashes
(peers), so the picture's way to the screen is not in it. Part of bench.py.
"""

import json
import random
import sys
import time

import renderdoc as rd


def ms_since(begun):
    return (time.monotonic() - begun) * 1e3


def click(controller, draw):
    target = draw.outputs[0]
    begun = time.monotonic()
    controller.SetFrameEvent(draw.eventId, True)
    data = controller.GetTextureData(target, rd.Subresource(0, 0, 0))
    if len(data) == 0:
        sys.exit('RenderDoc gave no texels')
    return ms_since(begun)


def draws_of(actions):
    for action in actions:
        if action.flags & rd.ActionFlags.Drawcall:
            yield action
        yield from draws_of(action.children)


def main():
    path, n_clicks = sys.argv[1], int(sys.argv[2])
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    begun = time.monotonic()
    file = rd.OpenCaptureFile()
    if file.OpenFile(path, '', None) != rd.ResultCode.Succeeded:
        sys.exit(f'RenderDoc cannot open {path}')
    result, controller = file.OpenCapture(rd.ReplayOptions(), None)
    if result != rd.ResultCode.Succeeded:
        sys.exit(f'RenderDoc cannot replay {path}')
    draws = list(draws_of(controller.GetRootActions()))
    first = ms_since(begun) + click(controller, draws[-1])
    chance = random.Random(1)
    n = len(draws)
    places = {'click_begin_ms': (0, n // 10), 'click_middle_ms': (n * 45 // 100, n * 55 // 100),
              'click_end_ms': (n * 9 // 10, n), 'click_ms': (0, n)}
    report = {'draws': n, 'first_image_ms': first}
    for name, (low, high) in places.items():
        times = sorted(click(controller, draws[chance.randrange(low, high)])
                       for _ in range(n_clicks))
        report[name] = times[len(times) // 2]
        report[f'{name}_worst'] = times[-1]
    print(json.dumps(report))
    controller.Shutdown()
    file.Shutdown()
    rd.ShutdownReplay()


main()
