# SPDX-License-Identifier: Apache-2.0
"""Scratch layouts behind an output, for the passes computing it."""

from dataclasses import replace
from itertools import accumulate

__all__ = ["place_behind", "wide", "with_room"]


def with_room(target, layouts):
    """``target`` with rows behind it for ``layouts``."""
    return replace(target, behind=sum(layout.rows for layout in layouts))


def place_behind(target, layouts):
    """``layouts`` placed in sequence in the rows behind the placed ``target``."""
    starts = accumulate((layout.rows for layout in layouts), initial=target.row + target.rows)
    return [layout.at(row, target.memory)
            for layout, row in zip(layouts, starts, strict=False)]


def wide(target):
    """TensorLayout like ``target`` with 16-bit elements, not placed."""
    return replace(target, bits=16, row=0, behind=0)
