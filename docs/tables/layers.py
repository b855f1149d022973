# SPDX-License-Identifier: Apache-2.0
"""Networks layer by layer, as ``xymac run`` prints them."""

from pathlib import Path
from tempfile import TemporaryDirectory

from xymac.host.examples.vendor import main as write_vendor_networks
from xymac.sim.benchmarks.files import main as write_benchmark_networks

from .command import printed, printed_table
from .documents import ROOT

__all__ = ["DIGITS", "benchmark_network", "demo", "shipped", "vendor_network"]

DATA   = ROOT / "host/examples/data"
DIGITS = {"digits_cnn": "digits_images", "digits_pool": "digits_images",
          "digits_lstm_fx8": "digits_rows8", "digits_cnn.tflite": "digits_pixels"}


def shipped(name):
    """A shipped network's layers, in RTL on base."""
    file = name if name.endswith(".tflite") else f"{name}.npz"
    return printed_table("run", DATA / file, "--images", DATA / f"{DIGITS[name]}.npz",
                         "--limit", 1)


def demo():
    """``make demo`` output without progress bar and computer speed."""
    lines = printed("run", DATA / "digits_cnn.npz", "--images", DATA / "digits_images.npz",
                    "--size", "base", "--backend", "rtl")
    kept  = [line for line in lines
             if line.strip() and "━" not in line and "cycles a second" not in line]
    return ["```text", *kept, "```"]


def benchmark_network(name):
    """A benchmark network's layers."""
    with TemporaryDirectory() as folder:
        write_benchmark_networks(["-o", folder])
        return printed_table("run", Path(folder) / f"{name}.npz")


def vendor_network(name, folder):
    """Layers of a vendor's example network, with its data files in ``folder``."""
    with TemporaryDirectory() as target:
        write_vendor_networks([str(folder), "-o", target])
        return printed_table("run", Path(target) / f"{name}.npz",
                             "--images", Path(target) / f"{name}_images.npz", "--limit", 1)
