# SPDX-License-Identifier: Apache-2.0
"""Idle array cycles between two passes, measured in RTL."""

from math import prod

from xymac.hdl.isa import Access, Pass
from xymac.host.plan.program.waits import set_waits

__all__ = ["idle_between"]

OUTPUTS = (4, 8)    #: Output rows and columns of each pass.
TAPS    = (3, 3, 2)
STEPS   = prod(TAPS)
GROUPS  = 1000      #: Address of the first pass's results, X vectors.
RESULTS = 4 * prod(OUTPUTS)


def _pass(source, target):
    x = Access(source, source, source + STEPS - 1, taps=(TAPS[1] * TAPS[2], TAPS[2], 1))
    y = Access(0, 0, STEPS - 1, taps=(TAPS[1] * TAPS[2], TAPS[2], 1))
    z = Access(target, target, target + RESULTS - 1, outer=(0, 4 * OUTPUTS[1], 4))
    return Pass(x=x, y=y, z=z, outer=(1, *OUTPUTS), taps=TAPS)


def idle_between(device, *, dependent):
    """(idle cycles between two passes, pipeline depth), from the same run.

    The depth counts from the first pass's last step to the write of its last result, with the
    lanes' skew. ``dependent``: the second pass reads the first pass's last results. DeviceError if
    the program fails.
    """
    second = _pass(GROUPS + RESULTS - STEPS if dependent else 0, 2 * GROUPS)
    device.load_program(set_waits([_pass(0, GROUPS), second], device.config))
    result = device.run()
    result.check()
    first, last = result.trace
    before, after = first.counters, last.counters
    idle = (after["cycles"] - before["cycles"]) - (after["issued"] - before["issued"])
    return idle, first.written - before["cycles"]
