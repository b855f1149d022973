# SPDX-License-Identifier: Apache-2.0
"""Sizes to explore: all field value combinations."""

from argparse import ArgumentTypeError
from itertools import product

from xymac.hdl.config import FIELDS, SIZES, change_size
from xymac.hdl.limits import WAYS
from xymac.host.errors import InputError

__all__ = ["add_grid", "list_sizes"]

_ABOUT = {"ways": "products a lane forms a cycle", "x_rows": "rows of X memory",
          "y_rows": "rows of Y memory", "passes": "passes of program memory",
          "slots": "passes under way",
          "heap": "1: ranks elements, for ArgMax and TopK; 0: does not",
          "extremes": "1: finds maximum and minimum in one step; 0: does not",
          "window": "1: slides over columns of depthwise kernels; 0: does not",
          "comparison": "1: has MAX and MIN, for pooling and softmax; 0: has not",
          "dma": "bits of a word of a DMA, 32, 64 or 128; 0: no DMA"}


def int_list(text):
    """argparse type: comma-separated ints, ``1,2,4``."""
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise ArgumentTypeError(f"must be ints with commas between, not {text!r}") from None


def add_grid(parser):
    """Add an option per ``FIELDS`` entry."""
    for name in FIELDS:
        default = (",".join(map(str, WAYS)) if name == "ways" else
                   f"that of {', '.join(SIZES)}, whichever has as many ways")
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="N,N", type=int_list,
                            help=f"{_ABOUT[name]}, a list (default: {default})")


def list_sizes(options):
    """CoreConfigs for the ``add_grid`` options, each once, by MACs per lane, then in the given
    order.

    InputError for an unsupported value.
    """
    named  = {size.ways: size for size in SIZES.values()}
    others = FIELDS[1:]
    sizes  = []
    try:
        for ways in options.ways or WAYS:
            like = change_size(named.get(ways, next(iter(SIZES.values()))), ways=ways)
            for values in product(*(getattr(options, name) or [getattr(like, name)]
                                    for name in others)):
                sizes.append(change_size(like, **dict(zip(others, values, strict=True))))
    except ValueError as error:
        raise InputError(str(error)) from error
    return list(dict.fromkeys(sizes))
