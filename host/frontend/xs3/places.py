# SPDX-License-Identifier: Apache-2.0
"""The lib_nn function ``argmax_16``."""

from xymac.golden.xs3 import Argmax16
from xymac.hdl.isa import Op
from xymac.host.ir.places import FirstExtreme

__all__ = ["FORMS"]

FORMS = {Argmax16: lambda layer, x: FirstExtreme(Op.MAX)}
