"""Records of the outputs of a ``Linear``, packed as its passes read them."""

from itertools import accumulate, pairwise

import numpy as np

from hdl.isa import BANKS
from host.memory.packing import pack_once, pack_records

__all__ = ["pack_outputs", "spread_records"]


def pack_outputs(linear, records, counts, ways):
    """Cells of the records of passes that have ``counts`` of groups of outputs each."""
    if not linear.once:
        return pack_records(records, ways)
    bounds = [0, *accumulate(count * BANKS * ways for count in counts)]
    return np.concatenate([pack_once([record[first:end] for record in records], ways)
                           for first, end in pairwise(bounds)])


def spread_records(linear, source):
    """Records of outputs that lie as the channels of ``source``; if they stand for all outputs,
    parameters have no padding."""
    if not linear.once:
        return [source.spread(record) for record in linear.records]
    *parameters, bias = linear.records
    spread = source.spread(bias)
    return [*(np.full(spread.size, record[0]) for record in parameters), spread]
