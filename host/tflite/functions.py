# SPDX-License-Identifier: Apache-2.0
"""Operators that are functions of an element and have no options of their own."""

import re

from xymac.golden.tflm import Exp, Log, Sqrt
from xymac.golden.tflm.curves import functions

__all__ = ["FUNCTIONS"]


def _operator_of(name):
    """Operator name of a layer class: HARD_SWISH for HardSwish."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


#: Layer classes, made with the format of their output alone, by the operator's name.
FUNCTIONS = {_operator_of(name): getattr(functions, name) for name in functions.__all__} | {
    "EXP": Exp, "LOG": Log, "SQRT": Sqrt}
