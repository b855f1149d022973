# SPDX-License-Identifier: Apache-2.0
"""Networks as images on a core with a DMA: ``xymac bench --dma``."""

from dataclasses import asdict, dataclass

import numpy as np
from rich.markup import escape
from rich.table import Table

from xymac.host.cli.dma import make_image
from xymac.host.files.text import plain
from xymac.host.image.cycles import predict_list
from xymac.host.image.run import ImageRunner
from xymac.host.network.inference import each_input
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.session import Session

from .network_bench import SEED
from .results import MODEL_ERROR, WrongResultError

__all__ = ["ImageResult", "image_row", "image_table", "measure_image"]

_COLUMNS = ("cycles", "target", "predicted", "error", "programs alone", "transfers alone",
            "hidden", "bytes in", "out", "memory's rate", "between programs", "slots of stores")


@dataclass(frozen=True)
class ImageResult:
    """A network that the core fetches, in RTL on one input; cycles from start to interrupt.

    Parameters
    ----------
    network : str
    cycles, predicted : int
    target : int, cycle limit; 0 for none
    core, transfers, hidden : int, predicted cycles, see ``ListCycles``
    loaded, stored : int, bytes
    rate : float, share of the bytes that the memory moves in these cycles at best
    between : int, cycles between programs, which wait for transfers
    reads : int, array slots in which the DMA read X
    """

    network:   str
    cycles:    int
    predicted: int
    target:    int
    core:      int
    transfers: int
    hidden:    int
    loaded:    int
    stored:    int
    rate:      float
    between:   int
    reads:     int

    @property
    def error(self):
        """Relative error in the predicted cycles."""
        return self.predicted / self.cycles - 1

    @property
    def met(self):
        """Whether cycles and prediction are within their limits."""
        return (not self.target or self.cycles <= self.target) and abs(self.error) <= MODEL_ERROR


def measure_image(device, network, memory, target=0):
    """Run a Network as an image on an RTL device with a random input: an ImageResult.

    It has no target if the memory takes longer than ``target`` for its bytes.
    WrongResultError if an output differs from golden; InputError if no image can be made.
    """
    config = device.config
    image  = make_image(network, config, memory)
    device.time_memory(memory)
    runner = ImageRunner(image, device)
    runner.load()
    inputs = next(each_input(random_images(network, SEED).data))
    outputs, result = runner.run(*inputs)
    for wanted, data in zip(Session(network).run(*inputs).outputs, outputs, strict=True):
        if not np.array_equal(data, wanted.data):
            raise WrongResultError(f"The RTL result of {network.name} differs from golden")
    predicted, counters = predict_list(image.run.ordered, config, memory), result.counters
    cycles = counters["cycles"]
    best   = (predicted.loaded + predicted.stored) / (memory.width / 8)
    return ImageResult(
        network.name, cycles, predicted.cycles, target if best <= target else 0, predicted.core,
        predicted.transfers, predicted.hidden, predicted.loaded, predicted.stored, best / cycles,
        counters["fetch"], counters["host"])


def image_table(results):
    """ImageResults as a terminal table."""
    table = Table(box=None)
    table.add_column("network", overflow="fold")
    for name in (*_COLUMNS, ""):
        table.add_column(name, justify="right")
    for row in results:
        table.add_row(
            escape(plain(row.network)), f"{row.cycles:,}", f"{row.target:,}" if row.target else "-",
            f"{row.predicted:,}", f"{row.error:+.1%}", f"{row.core:,}", f"{row.transfers:,}",
            f"{row.hidden:,}", f"{row.loaded:,}", f"{row.stored:,}", f"{row.rate:.0%}",
            f"{row.between:,}", f"{row.reads:,}", "[green]met[/]" if row.met else "[red]missed[/]")
    return table


def image_row(row):
    """An ImageResult as JSON-serialisable values."""
    return asdict(row) | {"refused": None}
