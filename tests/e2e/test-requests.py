#!/usr/bin/env python3
"""Requests that are cancelled, joined or postponed, or that lose their replayer: each is answered, and an answer with
an image has the right one."""

import os

import harness
from harness import app, check_equal

CHECK = os.path.join(os.environ['VITRINE_BUILD_DIR'], 'tests', 'engine', 'resolve', 'check-requests')


def requests(test):
    trace = test.capture(app('load'), '--draws', '1000', '--frames', '60')
    test.run([CHECK, trace], timeout=200).check()


harness.main(requests)
