# SPDX-License-Identifier: Apache-2.0
"""A test of cocotb that somebody wrote, and in it the kit."""

import pickle
from pathlib import Path

import cocotb
import pytest

import xymac
from tests.support.kit.adders import Adder

__all__ = ["check_twice"]


class Impatient(Adder):
    """One that says that it cannot wait."""

    cycles = 2


@cocotb.test()
async def check_twice(dut):
    """What the kit says of one device, and of one that takes too long."""
    report = await xymac.check(dut, Adder(), cases=6)
    with pytest.raises(AssertionError) as failure:
        await xymac.check(dut, Impatient(), cases=2)
    with (Path(cocotb.plusargs["job"]) / "answers").open("wb") as file:
        pickle.dump((report.passed, report.counts[0], str(failure.value)), file)
