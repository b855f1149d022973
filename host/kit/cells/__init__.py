# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells of a device: golden cells whose accumulation follows a Rule."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.kit.rule import LIBRARY, Rule

from . import mli1, mli2, tflm

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.narrowing import Narrowing

__all__ = ["is_cell", "narrowings_of", "run_cell"]

_CELLS = mli1.CELLS | mli2.CELLS | tflm.CELLS


def is_cell(case: Case) -> bool:
    """Whether a Case is a recurrent cell; all cells have a model."""
    return type(case.layer) in _CELLS


def run_cell(rule: Rule, case: Case) -> np.ndarray:
    """Result of a device with ``rule`` for the cell ``case``, in golden's type and shape."""
    if rule == LIBRARY:
        return case.expected()
    return np.asarray(_under(rule, case).run(*case.inputs).output.data)


def narrowings_of(case: Case) -> list[Narrowing]:
    """The library's Narrowings of a cell's sums.

    Rules with equal effects on these Narrowings give equal results.
    """
    return _under(LIBRARY, case).narrowings(case.inputs[0])


def _under(rule, case) -> Any:
    kind  = type(case.layer)
    ruled = type(kind.__name__, (_CELLS[kind], kind), {"rule": rule})
    return ruled(**{field.name: getattr(case.layer, field.name) for field in fields(kind)})
