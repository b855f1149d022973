"""Idle cycles of the array between two passes, measured in RTL."""

from hdl.isa import Access, Pass
from host.plan.waits import set_waits

__all__ = ["idle_between"]

OUTPUTS = (4, 8)    #: Rows and columns of outputs of each pass.
TAPS    = (3, 3, 2)
GROUPS  = 1000      #: Where the results of a pass lie, groups of X.


def _pass(source, target):
    steps = TAPS[0] * TAPS[1] * TAPS[2]
    x = Access(source, source, source + steps - 1, taps=(TAPS[1] * TAPS[2], TAPS[2], 1))
    y = Access(0, 0, steps - 1, taps=(TAPS[1] * TAPS[2], TAPS[2], 1))
    last = target + 4 * OUTPUTS[0] * OUTPUTS[1] - 1
    z = Access(target, target, last, outer=(0, 4 * OUTPUTS[1], 4))
    return Pass(x=x, y=y, z=z, outer=(1, *OUTPUTS), taps=TAPS)


def idle_between(device, *, dependent):
    """Cycles without a step between two passes, and the depth of the pipeline, in the same run.

    The depth is from the last step of the first pass to the write of its last result, the skew of
    the lanes included. ``dependent``: the second pass reads what the first writes. DeviceError if
    the program does not run to its end.
    """
    second = _pass(GROUPS if dependent else 0, 2 * GROUPS)
    device.load_program(set_waits([_pass(0, GROUPS), second], device.config))
    result = device.run()
    result.check()
    first, last = result.trace
    before, after = first.counters, last.counters
    idle = (after["cycles"] - before["cycles"]) - (after["issued"] - before["issued"])
    return idle, first.written - before["cycles"]
