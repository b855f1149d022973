# SPDX-License-Identifier: Apache-2.0
"""XS3 library tables, ``lookup8``."""

import numpy as np

from xymac.golden.xs3 import Lookup8
from xymac.host.ir.table import ByteTable

__all__ = ["FORMS"]


def form_of(layer, x):
    """The ``ByteTable`` for bytes from -128 on; the library table begins with the entry for 0."""
    return ByteTable(tuple(np.roll(layer.table.data.view(np.int8), 128).tolist()))


FORMS = {Lookup8: form_of}
