# SPDX-License-Identifier: Apache-2.0
"""Cases with the library's own results, from reference vector folders."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.errors import InputError
from xymac.host.kit.case import Case
from xymac.host.kit.limits import find_excess
from xymac.host.kit.operations import operation_of
from xymac.host.vectors.check import build_layer
from xymac.host.vectors.files import INDEX, read_arrays, read_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xymac.host.kit.device.adapter import Supports
    from xymac.host.vectors.files import Case as VectorCase

__all__ = ["SHIPPED", "Recorded", "convert_entry", "find_recorded"]

SHIPPED = Path(__file__).parents[1] / "data"  #: Reference calls of every operation.


@dataclass(frozen=True, eq=False)
class Recorded(Case):
    """A Case with the library's result.

    Parameters
    ----------
    output : array, the library's result
    """

    output: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int8))

    def expected(self) -> np.ndarray:
        """The library's result."""
        return self.output


def find_recorded(support: Supports, folder: Path) -> tuple[tuple[Case, ...], Counter[str]]:
    """(cases, left_out): A Supports's Cases in a reference vector folder tree, and a Counter.

    The Counter has the case counts outside the limits, by quantity. InputError if there are no
    vectors.
    """
    cases, left_out = [], Counter()
    for case in _read(Path(folder)):
        if (case.operation, case.dialect) != (support.operation, support.dialect):
            continue
        if case.type != support.type:
            continue
        excess = find_excess(support, case)
        if excess is None:
            cases.append(case)
        else:
            left_out[excess[0]] += 1
    return tuple(cases), left_out


@lru_cache(maxsize=2)
def _read(folder):
    """Every case in a folder with an operation in the kit, a tuple of Recorded."""
    indices = sorted(folder.rglob(INDEX))
    if not indices:
        raise InputError(f"There is no {INDEX} in {folder}, nor in folders in it")
    return tuple(case for index in indices for entry in read_cases(index.parent)
                 for case in convert_entry(entry))


def convert_entry(entry: VectorCase) -> Iterator[Recorded]:
    """Yield a Recorded for every variant in a stored case."""
    arrays = read_arrays(entry)
    for variant, outputs in entry.expected.items():
        name = "Y" if "Y" in outputs else "out"
        call = build_layer(entry, variant, arrays) if name in outputs else None
        operation = None if call is None else operation_of(call[0])
        if call is None or operation is None:
            continue
        layer, *inputs = call
        yield Recorded(operation, entry.dialect, f"{entry.id} ({variant})", layer,
                       tuple(inputs), output=arrays[outputs[name]])
