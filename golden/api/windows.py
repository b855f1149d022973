# SPDX-License-Identifier: Apache-2.0
"""Conditions on windows, for all MLI versions.

Source: MLI 1.0 and 1.1, each function's "Conditions for Applying the Function", and "Specialized
Functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules import CFG, SPEC, Condition

if TYPE_CHECKING:
    from xymac.golden.api.mli1.calls import Call

__all__ = ["PROMISES", "WINDOWS"]


def _in_window(call):
    return [(pad, size) for pad, size in zip(call.pad, _twice(call.reach), strict=True)
            if pad >= size]


def _twice(pair):
    return pair[0], pair[0], pair[1], pair[1]


WINDOWS = Condition(CFG, "Padding must be less than the window", _in_window,
                    lambda wrong: not wrong)


def _promise(text, expected, get):
    """Condition: a parameter that the function name fixes equals the call's parameter."""
    return Condition(SPEC, f"{text} must be as in the function's name",
                     lambda call: (expected(call.name.spec), get(call)),
                     lambda pair: pair[0] is None or pair[0] == pair[1],
                     show=lambda pair: f"{pair[1]}, not {pair[0]}")


def same_padding(call: Call) -> tuple[tuple[int, ...], ...]:
    """Paddings that ``krnpad`` permits: the size-preserving padding at stride 1 and at the call's
    stride.

    Each is the smallest padding with ``ceil(size / stride)`` outputs; the odd element lies behind
    the image.
    """
    def axis(size, kernel, stride):
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        return total // 2, total - total // 2
    return tuple(sum((axis(*sizes) for sizes in zip(call.image, call.reach, stride, strict=True)),
                     ()) for stride in ((1, 1), call.stride))


def _padding(call):
    allowed = {"nopad": ((0, 0, 0, 0),), "krnpad": same_padding(call)}
    return call.pad in allowed.get(call.name.spec.padding, (call.pad,)), call.pad


PROMISES = (
    _promise("Columns of the window", lambda spec: spec.kernel_width, lambda call: call.kernel[1]),
    _promise("Rows of the window", lambda spec: spec.kernel_height, lambda call: call.kernel[0]),
    _promise("Channels", lambda spec: spec.channels, lambda call: call.channels),
    _promise("stride_height", lambda spec: spec.stride_height, lambda call: call.stride[0]),
    _promise("stride_width", lambda spec: spec.stride_width, lambda call: call.stride[1]),
    Condition(SPEC, "Padding must be as in the function's name", _padding, lambda pair: pair[0],
              show=lambda pair: pair[1]),
)
