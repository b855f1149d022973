# SPDX-License-Identifier: Apache-2.0
"""Inputs a second, end to end, for the MLPerf Tiny networks on every board."""

from xymac.boards.board import find_board
from xymac.hdl.config import find_size
from xymac.host.errors import InputError
from xymac.host.network.pace import DMA_BITS, CoreClock, find_dma_pace, find_paces
from xymac.host.network.predicted import predict_cycles
from xymac.host.network.tflite import network_of
from xymac.host.network.traffic import count_traffic
from xymac.sim.benchmarks.networks import NETWORKS

from .boards import ORDER
from .networks import NETWORK_NAMES
from .table import markdown

__all__ = ["paces"]

#: The networks of MLPerf Tiny, as the heads of columns.
_HEADS = {"ic_resnet8": "image classification", "kws_ds_cnn": "keyword spotting",
          "vww_mobilenet": "visual wake words", "ad_autoencoder": "anomaly detection",
          "streaming_wakeword": "streaming wakeword"}


def _measures(size):
    """(predicted cycles, Traffic, Network) by name for each network on a size; None where it has no
    room.
    """
    found = {}
    for benchmark in NETWORKS:
        if benchmark.name in _HEADS:
            network = network_of(benchmark.model(), benchmark.name)
            try:
                found[benchmark.name] = (predict_cycles(network, find_size(size)),
                                         count_traffic(network, find_size(size)), network)
            except InputError:
                found[benchmark.name] = None
    return found


def paces():
    """A row for each board and link: inputs a second for each network, and the longer part."""
    assert set(_HEADS) <= set(NETWORK_NAMES)
    measured, rows = {}, []
    for name in ORDER:
        board = find_board(name)
        if board.size not in measured:
            measured[board.size] = _measures(board.size)
        clock = CoreClock(board.clock, board.baud, name)
        for number, link in enumerate(("bus", f"UART, {board.baud / 1e6:g} Mbaud")):
            rows.append((f"`{name}`", board.size, f"{board.clock:g}", link,
                         *(_cell(found, clock, number) for found in measured[board.size].values())))
        if board.size != "compact":
            rows.append((f"`{name}`", board.size, f"{board.clock:g}", f"DMA, {DMA_BITS} bits",
                         *(_dma_cell(found, board.size, clock)
                           for found in measured[board.size].values())))
    return markdown(("board", "size", "clock MHz", "link", *_HEADS.values()), rows)


def _cell(found, clock, number):
    if found is None or found[1] is None:
        return "-"
    return _text(find_paces(*found[:2], clock)[number])


def _dma_cell(found, size, clock):
    pace = found and find_dma_pace(found[2], find_size(size), clock)
    return _text(pace) if pace else "-"


def _text(pace):
    return f"{pace.rate:,.0f} ({pace.limit})" if pace.rate >= 10 else (
        f"{pace.rate:.2g} ({pace.limit})")
