"""Random networks of one operator with scales and zero points that no converter would write."""

from dataclasses import replace

import numpy as np

from tests.support.seed import random_of

from .cases import CASES
from .moves import MOVES
from .states import STATES

__all__ = ["ALL", "wild_of"]

ALL = CASES | MOVES | STATES  #: All random networks of one operator.


def wild_of(name, key):
    """Model whose one tensor has scales moved by up to 30 bits, or other zero points."""
    rng    = random_of((key, 7, *name.encode()))
    model  = ALL[name](rng)
    places = [number for number, tensor in enumerate(model.tensors)
              if tensor.scales and tensor.type.name != "FLOAT32"]
    number = int(rng.choice(places))
    tensor = model.tensors[number]
    factor = 2.0 ** rng.uniform(-30, 30)
    fields = ({"scales": tuple(float(np.float32(scale * factor)) for scale in tensor.scales)}
              if rng.integers(3) else
              {"zero_points": tuple(rng.integers(-128, 128, len(tensor.scales)).tolist())})
    tensors = list(model.tensors)
    tensors[number] = replace(tensor, **fields)
    return replace(model, tensors=tuple(tensors))
