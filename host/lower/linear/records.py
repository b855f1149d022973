# SPDX-License-Identifier: Apache-2.0
"""Per-channel parameters (records) for ``Linear`` outputs, packed as its passes read them."""

from itertools import accumulate, pairwise

import numpy as np

from xymac.hdl.isa import BANKS, Scale
from xymac.host.ir.sums import first_record
from xymac.host.memory.packing import pack_once, pack_records

__all__ = ["COPY_RECORDS", "copy_fields", "pack_copies", "pack_outputs", "spread_records"]

COPY_RECORDS = 2  #: Records of a copy pass: parameters and a bias.

_ONE = 30  #: Bits of a copy factor, and of the shift after it.


def pack_outputs(linear, records, counts, ways):
    """Record memory words for passes with ``counts`` output vectors each."""
    if not linear.once:
        return pack_records(records, ways)
    bounds = [0, *accumulate(count * BANKS * ways for count in counts)]
    return np.concatenate([pack_once([record[first:end] for record in records], ways)
                           for first, end in pairwise(bounds)])


def spread_records(linear, source):
    """Records in the lane order of the ``source`` channels.

    Parameters common to all outputs have no padding.
    """
    if not linear.once:
        return [source.spread(record) for record in linear.records]
    *parameters, bias = linear.records
    spread = source.spread(bias)
    return [*(np.full(spread.size, record[0]) for record in parameters), spread]


def copy_fields(linear):
    """Fields for passes copying elements before the ``linear`` passes.

    With equal narrowing, the passes need not wait for each other. The dict is empty if copies have
    no records.
    """
    if linear.output.get("scale") is not Scale.BITS32:
        return {}
    return {"scale": Scale.BITS32, "rounding": linear.output["rounding"], "once": True}


def pack_copies(linear, ways):
    """Record memory words for ``copy_fields``; empty if it has no fields."""
    if not copy_fields(linear):
        return np.zeros(0, np.uint16)
    lanes = np.ones(BANKS * ways, np.int64)
    return pack_records([first_record(1 << _ONE, 0, _ONE) * lanes, 0 * lanes], ways)
