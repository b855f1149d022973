"""Further images behind an output, which the passes that make it work on."""

from dataclasses import replace
from itertools import accumulate

__all__ = ["place_behind", "wide", "with_room"]


def with_room(target, images):
    """``target`` with rows behind it for ``images``."""
    return replace(target, behind=sum(image.rows for image in images))


def place_behind(target, images):
    """``images`` one after the other in the rows behind ``target``, a placed image."""
    starts = accumulate((image.rows for image in images), initial=target.row + target.rows)
    return [image.at(row, target.memory) for image, row in zip(images, starts, strict=False)]


def wide(target):
    """TensorLayout like ``target`` with elements of 16 bits, not placed."""
    return replace(target, bits=16, row=0, behind=0)
