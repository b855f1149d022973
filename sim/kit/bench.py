"""The test of cocotb that asks a device: its job lies in the folder of the plusarg ``job``."""

import pickle
from pathlib import Path

import cocotb

from host.kit.device.adapter import load_adapter
from sim.kit.ask import ask_dut

__all__ = ["ask_for_answers"]


@cocotb.test()
async def ask_for_answers(dut):
    """Write the answers to all cases, each as soon as it is there."""
    folder = Path(cocotb.plusargs["job"])
    path, cases = pickle.loads((folder / "cases").read_bytes())
    with (folder / "answers").open("wb") as file:
        def note(answer):
            pickle.dump(answer, file)
            file.flush()

        await ask_dut(dut, load_adapter(path), cases, note)
