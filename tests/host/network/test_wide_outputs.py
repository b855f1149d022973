# SPDX-License-Identifier: Apache-2.0
"""Values of 32 bits on the core, in folders of compiled networks, and in a ROM."""

import numpy as np
import pytest

from tests.support.fake.core import FakeCore
from tests.support.images import noisy_machine
from tests.support.seed import random_of
from tests.support.soc.master import RomMaster
from tests.support.tflite.wide_outputs import (
    WIDE_OUTPUTS,
    classifier_model,
    far_network,
    far_places,
    inputs_of,
)
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Memory
from xymac.host.cli.main import main
from xymac.host.executable.steps import Read, Write
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.layout_rows import LayoutRows
from xymac.host.memory.scatter import scatter_of
from xymac.host.network.compiled import load_compiled, save_compiled
from xymac.host.network.linker import compile_network
from xymac.host.network.session import Session
from xymac.host.network.standalone import make_standalone
from xymac.host.runtime import Runtime
from xymac.host.tflite.writer import write_model


def assert_outputs(network, inputs, outputs):
    for wanted, data in zip(Session(network).run(*inputs).outputs, outputs, strict=True):
        np.testing.assert_array_equal(data, wanted.data, strict=True)


def drive(folder, executable, device):
    """The loaded Runtime of a compiled folder."""
    save_compiled(folder, executable)
    runtime = Runtime(load_compiled(folder), device)
    runtime.load()
    return runtime


@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
@pytest.mark.parametrize("name", WIDE_OUTPUTS)
def test_a_folder_has_all_that_a_driver_needs(name, config, tmp_path):
    network  = WIDE_OUTPUTS[name]()
    compiled = compile_network(network, config)
    assert 32 in [step.layout.bits for step in compiled.run if isinstance(step, Read | Write)]

    with noisy_machine(config) as device:
        runtime = drive(tmp_path / "net", compiled, device)
        for inputs in inputs_of(network, range(3)):
            assert_outputs(network, inputs, runtime.apply(*inputs)[0])


def test_the_command_runs_a_folder(tmp_path, capsys):
    model, folder = tmp_path / "net.tflite", tmp_path / "net"
    model.write_bytes(write_model(classifier_model()))

    assert main(["compile", str(model), "-o", str(folder), "--size", "tiny", "--c", "--rom"]) == 0
    assert main(["run", str(folder), "--golden", str(model), "--backend", "machine"]) == 0

    assert "Outputs = golden, bit for bit" in capsys.readouterr().out


def test_the_core_in_simulation_is_driven(rtl, tmp_path):
    network = WIDE_OUTPUTS["classes"]()
    runtime = drive(tmp_path / "net", compile_network(network, TINY), rtl("tiny"))

    for inputs in inputs_of(network, range(2)):
        assert_outputs(network, inputs, runtime.apply(*inputs)[0])


@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
@pytest.mark.parametrize("name", WIDE_OUTPUTS)
def test_a_rom_moves_both_halves(name, config):
    network = WIDE_OUTPUTS[name]()
    for inputs in inputs_of(network, range(2)):
        made = make_standalone(compile_network(network, config), inputs)
        assert_outputs(network, inputs, RomMaster(made, FakeCore(config, busy=0)).run())


def test_indices_of_more_than_15_bits(tmp_path):
    network  = far_network()
    compiled = compile_network(network, BASE)
    with noisy_machine(BASE) as device:
        runtime = drive(tmp_path / "net", compiled, device)
        for x, place in far_places():
            [found] = runtime.apply(x)[0]
            assert found.item() == place

    *_, (x, place) = far_places()
    master = RomMaster(make_standalone(compiled, [x]), FakeCore(BASE, busy=0))
    [found] = master.run()
    assert found.item() == place


@pytest.mark.parametrize("layout", [
    TensorLayout((3, 5), 32, 2, (1, 0), 1, (3,), Memory.X, 4),
    TensorLayout((3, 5), 32, 4, (0, 1), 1, (4, 1), Memory.Y, 2, gap=3, offset=1)])
def test_a_scatter_is_its_layout(layout):
    data = random_of(1).integers(-1 << 31, 1 << 31, (3, 5)).astype(np.int32)
    data[0, :4] = -1, 0, -1 << 31, (1 << 31) - 1
    scatter = scatter_of(layout, writes=True)

    np.testing.assert_array_equal(scatter.cells(data), layout.cells(data))
    np.testing.assert_array_equal(scatter.data(layout.cells(data)), data.ravel())
    part = LayoutRows(layout, 9, ((layout.rows - 1, layout.rows),))
    np.testing.assert_array_equal(scatter_of(part, writes=True).cells(data), part.cells(data))
