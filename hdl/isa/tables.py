"""The functions that the output stage looks up, sampled."""

import math
from dataclasses import dataclass

from .codes import Table

__all__ = ["TABLES", "Samples"]


@dataclass(frozen=True)
class Samples:
    """Contents of a table: values of a function at ``(index - offset) / 2**frac_bits``.

    They are in units of ``2**-out_frac_bits``. Beyond the table the lines through its first two
    and its last two values repeat.
    """

    values:        tuple
    offset:        int
    frac_bits:     int
    out_frac_bits: int = 15


def _samples(function, count, offset, frac_bits, out_frac_bits=15):
    values = (round(function((index - offset) / (1 << frac_bits)) * (1 << out_frac_bits))
              for index in range(count))
    return Samples(tuple(min(value, 32767) for value in values), offset, frac_bits, out_frac_bits)


def _sigmoid(x):
    return 1 / (1 + math.exp(-x))


#: Source: embARC MLI 1.1, private/src/mli_prv_lut.cc, and MLI 2.0, the tables that its functions
#: ``mli_krn_*_create_lut`` copy. Exponentials are of arguments up to 0, roots from 32 on.
TABLES = {Table.SIGM: _samples(_sigmoid, 180, 90, 3),
          Table.TANH: _samples(math.tanh, 178, 89, 4),
          Table.EXP:  _samples(math.exp, 181, 179, 4),
          Table.SIGM_FINE: _samples(_sigmoid, 320, 160, 4),
          Table.TANH_FINE: _samples(math.tanh, 344, 172, 5),
          Table.EXP_FINE:  _samples(math.exp, 358, 356, 5),
          Table.ROOT: _samples(lambda x: 1 / math.sqrt(x), 97, -32, 0, 17)}
