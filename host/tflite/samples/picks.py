# SPDX-License-Identifier: Apache-2.0
"""Selection operators."""

import numpy as np

from .. import options
from .wish import BOOL, INT32, constant, value

__all__ = ["PICKS"]


def _ints(name, numbers):
    return constant(name, numbers, INT32)


def _pick(shape_of, *others, make=None):
    """An operator's sample function.

    Parameters
    ----------
    shape_of : function from the input shape to the output shape
    others : functions from a Wish to constants after the input
    make : function returning options
    """
    def sample(wish):
        return ((value("x", wish.shape, wish.kind), *(other(wish) for other in others)),
                (value("y", shape_of(wish.shape), wish.to),), make and make())
    return sample


def _embedding_lookup(wish):
    return ((_ints("indices", [0, 0]), value("x", wish.shape, wish.kind)),
            (value("y", (2, *wish.shape[1:]), wish.to),), None)


def _broadcast_args(wish):
    return ((value("x", (2,), wish.kind), value("z", (3,), wish.kind)),
            (value("y", (3,), wish.to),), None)


def _fill(wish):
    return ((_ints("dims", wish.shape), value("x", (), wish.kind)),
            (value("y", wish.shape, wish.to),), None)


def _blocks(shape):
    """Block sizes: a row with two columns, or a single element."""
    return [1] * max(len(shape) - 3, 0) + [2]


def _deep(make, up):
    def sample(wish):
        shape = [*wish.shape]
        if len(shape) == 4:
            shape[1:] = (2, 3, 8) if up else (4, 6, 2)
        out = ([shape[0], 4, 6, 2] if up else [shape[0], 2, 3, 8]) if len(shape) == 4 else shape
        return (value("x", shape, wish.kind),), (value("y", out, wish.to),), make(2)
    return sample


def _space_to_batch_nd(wish):
    block = _blocks(wish.shape)
    pads  = [(0, 0)] * (len(block) - 1) + [(1, -(wish.shape[-2:-1] or (1,))[0] % 2 + 1)]
    sizes = [(size + sum(pair)) // each for size, pair, each in zip(
        wish.shape[1:-1], pads, block, strict=False)]
    return ((value("x", wish.shape, wish.kind), _ints("block", block), _ints("pads", pads)),
            (value("y", (wish.shape[0] * 2, *sizes, *wish.shape[-1:]), wish.to),), None)


def _batch_to_space_nd(wish):
    block = _blocks(wish.shape)
    sizes = [size * each for size, each in zip(wish.shape[1:-1], block, strict=False)]
    return ((value("x", (wish.shape[0] * 2, *wish.shape[1:]), wish.kind), _ints("block", block),
             _ints("crops", [(0, 0)] * len(block))),
            (value("y", (wish.shape[0], *sizes, *wish.shape[-1:]), wish.to),), None)


def _update(wish):
    part = (*wish.shape[:-1], wish.shape[-1] - 1)
    return ((value("x", wish.shape, wish.kind), value("z", part, wish.kind),
             _ints("start", [0] * (wish.rank - 1) + [1])), (value("y", wish.shape, wish.to),), None)


def _select(wish):
    return ((constant("c", np.arange(wish.shape[-1]) % 2, BOOL), value("x", wish.shape, wish.kind),
             value("z", wish.shape, wish.kind)), (value("y", wish.shape, wish.to),), None)


def _select_whole(wish):
    """All three inputs have the same shape."""
    truth = np.resize([False, True], wish.shape)
    (_, *others), *rest = _select(wish)
    return ((constant("c", truth, BOOL), *others), *rest)


#: Functions from a Wish to inputs, outputs and options.
PICKS = {
    "GATHER": _pick(lambda shape: (*shape[:-1], 3), lambda wish: _ints("indices", [0, 2, 1]),
                    make=lambda: options.GatherOptions(-1)),
    "GATHER_ND": _pick(lambda shape: (2, *shape[1:]), lambda wish: _ints("indices", [[0], [0]])),
    "EMBEDDING_LOOKUP": _embedding_lookup,
    "BATCH_TO_SPACE_ND": _batch_to_space_nd,
    "SPACE_TO_BATCH_ND": _space_to_batch_nd,
    "DEPTH_TO_SPACE": _deep(options.DepthToSpaceOptions, True),
    "SPACE_TO_DEPTH": _deep(options.SpaceToDepthOptions, False),
    "MIRROR_PAD": _pick(lambda shape: (*shape[:-1], shape[-1] + 3),
                        lambda wish: _ints("pads", [(0, 0)] * (wish.rank - 1) + [(1, 2)]),
                        make=options.MirrorPadOptions),
    "BROADCAST_TO": _pick(lambda shape: (1, *shape) if len(shape) < 5 else shape,
                          lambda wish: _ints("shape", np.array(
                              (1, *wish.shape) if wish.rank < 5 else wish.shape))),
    "BROADCAST_ARGS": _broadcast_args, "FILL": _fill,
    "REVERSE_V2": _pick(lambda shape: shape, lambda wish: _ints("axes", [-1])),
    "ZEROS_LIKE": _pick(lambda shape: shape), "CAST": _pick(lambda shape: shape),
    "DYNAMIC_UPDATE_SLICE": _update, "SELECT_V2": _select, "SELECT": _select_whole,
    "TILE": _pick(lambda shape: (*shape[:-1], shape[-1] * 2),
                  lambda wish: _ints("times", [1] * (wish.rank - 1) + [2])),
}
