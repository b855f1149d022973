# SPDX-License-Identifier: Apache-2.0
"""Cases as numbers in files, and a cocotb test to run them, which needs nothing but cocotb."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.files import write_file
from xymac.host.files.licence import LICENCE

from .columns import columns_of
from .readmemh import write_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["BENCH", "DEVICE", "write_cocotb"]

BENCH  = "bench.py"
DEVICE = "device.py"

_BENCH = '''\
# {licence}
"""{title}: written by `xymac vectors`.

{device} puts your device in; this file and the numbers can be written again.
"""

from pathlib import Path

import cocotb
import device

FOLDER  = Path(__file__).parent
#: Bits of the numbers of each file, and whether they have a sign.
NUMBERS = {numbers}
#: What a row of cases.hex says: where the elements of a case begin, how many there are, sizes and
#: numbers.
COLUMNS = {columns}
SHOWN   = 20  #: Differences that are told.


def read_numbers(name, bits, is_signed):
    """The ints of a file."""
    values = [int(line, 16) for line in (FOLDER / f"{{name}}.hex").read_text().split()]
    return [value - (value >> bits - 1 << bits) if is_signed else value for value in values]


def read_cases():
    """Yield a dict for every case: lists of elements, shapes as <name>_shape, and ints."""
    arrays = {{name: read_numbers(name, *kind) for name, kind in NUMBERS.items()}}
    rows   = read_numbers("cases", 32, True)
    for start in range(0, len(rows), len(COLUMNS)):
        row  = dict(zip(COLUMNS, rows[start:start + len(COLUMNS)]))
        case = {{}}
        for name, values in arrays.items():
            first, count = row.pop(f"{{name}}_first"), row.pop(f"{{name}}_count")
            sizes = [row.pop(size) for size in [*row] if size.startswith(f"{{name}}_size_")]
            case[name] = values[first:first + count]
            case[f"{{name}}_shape"] = tuple(filter(None, sizes)) or (count,)
        yield case | row


@cocotb.test()
async def every_case(dut):
    """The device gives the expected elements of every case."""
    await device.start(dut)
    wrong = []
    for number, case in enumerate(read_cases()):
        expected = case.pop("expected")
        got      = [int(value) for value in await device.ask(dut, case)]
        if len(got) != len(expected):
            wrong.append(f"case {{number}}: {{len(expected)}} outputs expected, got {{len(got)}}")
        wrong += [f"case {{number}}, output {{place}}: expected {{want}}, got {{value}}"
                  for place, (want, value) in enumerate(zip(expected, got)) if want != value]
    assert not wrong, "\\n".join([f"{{len(wrong)}} outputs differ", *wrong[:SHOWN]])
'''
_DEVICE = '''\
"""Your device: what starts it, and what asks it for the results of a case."""


async def start(dut):
    """Start clocks and reset the device."""


async def ask(dut, case):
    """The outputs of a case, a flat list of ints; case["{first}"] has its first operand."""
    raise NotImplementedError("{device} has no device yet")
'''


def write_cocotb(folder: Path | str, cases: Sequence[Case]) -> None:
    """Write Cases to a ``folder``, which is created if necessary.

    Files: every operand's numbers, ``cases.hex`` with a row per case, ``bench.py``, and
    ``device.py`` unless it exists. InputError if the folder cannot be written, or the cases have
    several operations.
    """
    folder  = Path(folder)
    columns = columns_of(cases)
    write_numbers(folder, columns)
    numbers = {name: (8 * array.itemsize, bool(np.issubdtype(array.dtype, np.signedinteger)))
               for name, array in columns.arrays.items()}
    case = cases[0]
    write_file(folder / BENCH, _BENCH.format(
        licence=LICENCE, title=f"{case.operation} of {case.dialect}, {case.type}", device=DEVICE,
        numbers=_wrap(numbers), columns=_wrap(list(columns.names))))
    if not (folder / DEVICE).exists():
        write_file(folder / DEVICE, _DEVICE.format(first=next(iter(columns.arrays)),
                                                   device=DEVICE))


def _wrap(value):
    """A list or a dict as text, an entry a line."""
    if isinstance(value, dict):
        lines = [f"    {name!r}: {each!r}," for name, each in value.items()]
        return "\n".join(["{", *lines, "}"])
    return "\n".join(["[", *(f"    {each!r}," for each in value), "]"])
