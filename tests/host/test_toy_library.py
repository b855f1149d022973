# SPDX-License-Identifier: Apache-2.0
"""A library from outside of the tree: what another package needs for a kernel of its own.

Three files: the kernel, which keeps ``xymac.golden.layer.Layer``; its Lowering; the entry point.
"""

import logging
import sys
from importlib import import_module, invalidate_caches

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden.xs3 import Integers
from xymac.hdl.config import TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.run import run_layer

KERNEL = '''
"""Twice an element, saturated."""

from dataclasses import dataclass

import numpy as np

from xymac.golden.kinds import WorkUnit
from xymac.golden.result import Result
from xymac.golden.xs3 import Integers


@dataclass(frozen=True)
class Double:

    inputs     = 1
    work_unit  = WorkUnit.ELEMENTS
    by_element = True

    def check(self, x):
        if x.data.dtype != np.int8:
            raise ValueError(f"Elements must be int8, not {x.data.dtype}")

    def output_shape(self, x_shape):
        return tuple(x_shape)

    def output_like(self, x):
        return Integers(np.zeros(x.shape, np.int8))

    def run(self, x):
        return Result(Integers(np.clip(2 * x.data.astype(int), -128, 127).astype(np.int8)), False)

    def work(self, x_shape):
        return int(np.prod(x_shape))

    def data_type(self, x):
        return "int8"
'''

LOWERING = '''
"""A sweep over all elements, each times a word of 2."""

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.lower.base import Lowering
from xymac.host.lower.sweep import elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .kernel import Double


class DoubleLowering(Lowering):

    layers = (Double,)

    def source_layouts(self, preferred):
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def target_layout(self, sources):
        return sources[0].like(self.output)

    def constants(self, sources):
        return lane_words(np.array([2], np.int8), self.ways)

    def passes(self, sources, target, constants):
        [source] = sources
        return sweep(elementwise(8, 8, x=source.access(), y=constants.word(0, 8, self.ways),
                                 z=target.access()), target.groups, (BANKS, 0, BANKS))
'''

ENTRY_POINTS = """
[xymac.lowerings]
double = toy_library.lowering:DoubleLowering
broken = toy_library.missing:Nothing
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The package ``toy_library``, installed for one test; returns its layer."""
    files = {"toy_library/__init__.py": "", "toy_library/kernel.py": KERNEL,
             "toy_library/lowering.py": LOWERING,
             "toy_library-0.1.dist-info/METADATA": "Name: toy-library\nVersion: 0.1\n",
             "toy_library-0.1.dist-info/entry_points.txt": ENTRY_POINTS}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    yield import_module("toy_library.kernel").Double()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy_library"]:
        del sys.modules[name]


def elements(*shape):
    """Random bytes, the limits among them."""
    values = random_of(0).integers(-128, 127, shape, np.int8, endpoint=True)
    values.flat[:2] = -128, 127
    return Integers(values)


@each_size
def test_machine_equals_golden(toy, config):
    x = elements(5, 23)

    with MachineDevice(config) as machine:
        run = run_layer(machine, toy, x)

    assert run.output == golden.run(toy, x).output
    assert not run.overflow


def test_core_equals_golden(toy, device):
    x = elements(5, 23)

    assert run_layer(device, toy, x).output == golden.run(toy, x).output


def test_inputs_are_checked(toy):
    with MachineDevice(TINY) as machine, pytest.raises(ValueError, match="must be int8, not int16"):
        run_layer(machine, toy, Integers(np.zeros(3, np.int16)))


def test_what_is_broken_is_named_and_passed_over(toy, caplog):
    with caplog.at_level(logging.WARNING, "xymac.extensions"), MachineDevice(TINY) as machine:
        run_layer(machine, toy, elements(4))

    assert "Lowering broken of package toy-library is broken" in caplog.text
    assert "No module named 'toy_library.missing'" in caplog.text


def test_a_kernel_without_a_lowering_is_refused(toy):
    class Other(type(toy)):
        pass

    with MachineDevice(TINY) as machine, pytest.raises(Refusal, match="no passes for Other"):
        run_layer(machine, Other(), elements(4))
