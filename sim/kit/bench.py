# SPDX-License-Identifier: Apache-2.0
"""The cocotb test for kit cases; the plusarg ``job`` names its folder."""

import os
import pickle
import sys
from pathlib import Path
from threading import Timer

import cocotb
from cocotb.utils import get_sim_time

from xymac.host.kit.device.adapter import load_adapter
from xymac.sim.kit.ask import ask_dut

__all__ = ["ask_for_answers"]

_PATIENCE = 30  #: Time limit of a case relative to the adapter's seconds.


class _Watch:
    """Ends the process if a case takes too long."""

    def __init__(self, limit):
        self.limit  = limit
        self._timer = None

    def restart(self):
        """Restart the time limit."""
        self.stop()
        self._timer = Timer(self.limit, self._end)
        self._timer.daemon = True
        self._timer.start()

    def stop(self):
        """Stop the time limit."""
        if self._timer is not None:
            self._timer.cancel()

    def _end(self):
        sys.stderr.write(f"Error: a case took longer than {self.limit:g} s\n")
        sys.stderr.flush()
        os._exit(1)


@cocotb.test()
async def ask_for_answers(dut):
    """Write the answers to all cases, each as soon as it is available."""
    folder = Path(cocotb.plusargs["job"])
    path, cases = pickle.loads((folder / "cases").read_bytes())
    adapter = load_adapter(path)
    watch   = _Watch(_PATIENCE * adapter.seconds)

    def begin():
        (folder / "asked").write_text(str(int(get_sim_time("step"))))
        watch.restart()

    with (folder / "answers").open("wb") as file:
        def note(answer):
            pickle.dump(answer, file)
            file.flush()

        await ask_dut(dut, adapter, cases, begin, note)
    watch.stop()
