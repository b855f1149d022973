# SPDX-License-Identifier: Apache-2.0
"""Functions of an element, whose layers need the format of their output alone."""

import re

from xymac.golden.tflm.curves import functions

__all__ = ["FUNCTIONS"]


def _operator_of(name):
    """Operator name of a layer class: HARD_SWISH for HardSwish."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def _plain(kind):
    return lambda call: kind(call.out)


#: Functions from an OperatorCall to a layer by the operator's name.
FUNCTIONS = {_operator_of(name): _plain(getattr(functions, name)) for name in functions.__all__}
