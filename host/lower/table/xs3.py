"""Tables of the XS3 library, ``lookup8``."""

import numpy as np

from golden.xs3 import Lookup8

__all__ = ["FORMS"]


def outputs_of_lookup(layer, x):
    """Outputs for the bytes from -128 on; the table begins with that for 0."""
    return tuple(np.roll(layer.table.data.view(np.int8), 128).tolist())


FORMS = {Lookup8: outputs_of_lookup}
