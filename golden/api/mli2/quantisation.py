# SPDX-License-Identifier: Apache-2.0
"""Element parameter transfer between MLI 2.0 tensors.

Source: embARC MLI 2.0.2, mli_helpers.cc, mli_krn_permute and mli_mov. The pointers in ``out``
decide between copied values and shared memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .types import mli_data_container, mli_element_params, mli_mem, mli_sa_params, params_of

if TYPE_CHECKING:
    from .types import mli_tensor

__all__ = ["PARAMETERS", "copy_params", "hand_over", "params_of", "points_apart", "room_flaw"]

#: SA element parameters and their widths in bits.
PARAMETERS = {"zero_point": 16, "scale": 16, "scale_frac_bits": 8}


def _copy_container(held, first=0):
    """A container with the same memory, from byte ``first`` on, or with the same value."""
    mem = mli_mem()
    mem.memory = None if held.mem.memory is None else held.mem.memory[first:]
    mem.value  = held.mem.value.copy()
    return mli_data_container(held.capacity, mem)


def copy_params(params: mli_element_params, first: int = 0) -> mli_element_params:
    """New ``mli_element_params`` that point to the same memory, as when C copies the union.

    ``first`` is the arrays' start index.
    """
    if params.sa is None:
        return mli_element_params(fx=replace(params.fx))
    return mli_element_params(sa=mli_sa_params(params.sa.type, dim=params.sa.dim, **{
        name: _copy_container(getattr(params.sa, name), first * bits // 8)
        for name, bits in PARAMETERS.items()}))


def points_apart(params: mli_element_params, tensor: mli_tensor, name: str = "scale") -> bool:
    """Whether a tensor parameter points to other memory than ``params`` does."""
    own = tensor.el_params.sa
    if own is None or getattr(own, name).mem.memory is None:
        return False
    address, other = (getattr(held, name).mem.memory.__array_interface__["data"][0]
                      for held in (own, params.sa))
    return address != other


def room_flaw(params: mli_element_params, tensor: mli_tensor, count: int) -> str | None:
    """Tensor memory flaw for ``count`` copied parameters, a str, or None."""
    for name, bits in PARAMETERS.items():
        if points_apart(params, tensor, name):
            held = getattr(tensor.el_params.sa, name)
            room = min(held.capacity, held.mem.memory.size)
            if not held.mem.memory.flags.writeable:
                return f"{name} in memory that cannot be written"
            if room < count * bits // 8:
                return f"{room} bytes of {name} for {count} values"
    return None


def hand_over(params: mli_element_params, tensor: mli_tensor, dim: int, count: int) -> None:
    """Give a tensor the ``count`` parameters ``params`` along its dimension ``dim``.

    Where its own point to other memory, values are copied there, else memory is shared.
    """
    if tensor.el_params.sa is None:
        tensor.el_params = copy_params(params)
    own = tensor.el_params.sa
    for name, bits in PARAMETERS.items():
        held = getattr(params.sa, name)
        if points_apart(params, tensor, name):
            values = getattr(held.mem, f"pi{bits}")[:count]
            getattr(getattr(own, name).mem, f"pi{bits}")[:count] = values
        else:
            setattr(own, name, _copy_container(held))
    own.type, own.dim = params.sa.type, dim
