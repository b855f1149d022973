# SPDX-License-Identifier: Apache-2.0
"""``argmax_16`` of lib_nn."""

from xymac.golden.xs3 import Argmax16
from xymac.hdl.isa import Op
from xymac.host.ir.places import FirstExtreme

__all__ = ["FORMS"]

FORMS = {Argmax16: lambda layer, x: FirstExtreme(Op.MAX)}
