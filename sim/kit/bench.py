# SPDX-License-Identifier: Apache-2.0
"""The test of cocotb that asks a device: its job lies in the folder of the plusarg ``job``."""

import os
import pickle
import sys
from pathlib import Path
from threading import Timer

import cocotb

from xymac.host.kit.device.adapter import load_adapter
from xymac.sim.kit.ask import ask_dut

__all__ = ["ask_for_answers"]

_PATIENCE = 30  #: Times the seconds of an adapter that a case may take.


class _Watch:
    """Ends the process when a case takes too long, whatever it does."""

    def __init__(self, limit):
        self.limit  = limit
        self._timer = None

    def restart(self):
        """Count from now on."""
        self.stop()
        self._timer = Timer(self.limit, self._end)
        self._timer.daemon = True
        self._timer.start()

    def stop(self):
        """Count no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _end(self):
        sys.stderr.write(f"Error: a case took longer than {self.limit:g} s\n")
        sys.stderr.flush()
        os._exit(1)


@cocotb.test()
async def ask_for_answers(dut):
    """Write the answers to all cases, each as soon as it is there."""
    folder = Path(cocotb.plusargs["job"])
    path, cases = pickle.loads((folder / "cases").read_bytes())
    adapter = load_adapter(path)
    watch   = _Watch(_PATIENCE * adapter.seconds)

    def begin():
        (folder / "asked").touch()
        watch.restart()

    with (folder / "answers").open("wb") as file:
        def note(answer):
            pickle.dump(answer, file)
            file.flush()

        await ask_dut(dut, adapter, cases, begin, note)
    watch.stop()
