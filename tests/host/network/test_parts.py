# SPDX-License-Identifier: Apache-2.0
"""The host between parts of a network on the core: as tflite-micro computes it, and said."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.sizes import each_size
from tests.support.tflite.islands import INT16, filter_island, pair_islands
from tests.support.tflite.micro import open_file
from xymac.hdl.config import BASE, TINY, change_size
from xymac.host.c.network import network_files
from xymac.host.cli.main import main
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.image.build import build_image
from xymac.host.image.external import ExternalMemory
from xymac.host.network.compiled import load_compiled, save_compiled
from xymac.host.network.edges import split_network
from xymac.host.network.linker import compile_network
from xymac.host.network.session import Session
from xymac.host.network.standalone import make_standalone
from xymac.host.network.tflite import network_of
from xymac.host.network.traffic import count_traffic
from xymac.host.runtime import Runtime
from xymac.host.tflite.writer import write_model

MODELS = {"int8": pair_islands(), "int16": pair_islands(INT16), "state": filter_island()}


def check(model, run, count=3):
    """``run``, a function of arrays, gives tflite-micro's outputs for a sequence of inputs."""
    library = open_file(write_model(model))
    for key in range(count):
        inputs = [*random_inputs(model, key)]
        for output, wanted in zip(run(*inputs), library(*inputs), strict=True):
            assert output.dtype == wanted.dtype
            np.testing.assert_array_equal(output, wanted)


def outputs_of(session):
    def run(*inputs):
        made = session.run(*inputs)
        assert made.difference is None
        return [each.data for each in made.outputs]
    return run


@pytest.mark.parametrize("name", MODELS)
def test_on_golden(name):
    check(MODELS[name], outputs_of(Session(network_of(MODELS[name], name))))


@pytest.mark.parametrize("name", MODELS)
@each_size
def test_on_the_golden_machine(name, config):
    check(MODELS[name], outputs_of(Session(network_of(MODELS[name], name), MachineDevice(config))))


@pytest.mark.parametrize("name", MODELS)
def test_in_rtl(name, device):
    session = Session(network_of(MODELS[name], name), device)

    check(MODELS[name], outputs_of(session), 2)

    run = session.run(*random_inputs(MODELS[name], 9))
    counted = sum(counters["cycles"] for counters in run.counters)
    assert counted
    assert all(bool(counters["cycles"]) != facts.host
               for counters, facts in zip(run.counters, session.facts, strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_compiled(name, tmp_path):
    executable = compile_network(network_of(MODELS[name], name), TINY)
    save_compiled(tmp_path / "net", executable)
    for each in (executable, load_compiled(tmp_path / "net")):
        with MachineDevice(TINY) as device:
            runtime = Runtime(each, device)
            runtime.load()
            check(MODELS[name], lambda *inputs, runtime=runtime: runtime.apply(*inputs)[0])


def test_parts_and_turns():
    core = split_network(network_of(pair_islands(), "net"))

    assert [part.layers for part in core.parts] == [(0, 1), (8,), (13,)]
    assert core.turns == ((), (2, 3, 4, 5, 6, 7), (9, 10, 11, 12), ())
    assert core.parts[1].inputs == (2 + 1 + 6, 2 + 1 + 7)


def test_the_run_names_the_layers_of_the_host(tmp_path, capsys):
    (tmp_path / "net.tflite").write_bytes(write_model(pair_islands()))

    assert main(["run", str(tmp_path / "net.tflite"), "--backend", "machine", "--size", "tiny",
                 "--markdown"]) == 0

    rows = [line.split("|") for line in capsys.readouterr().out.splitlines() if line[:1] == "|"]
    host = [row[2].strip() for row in rows if "computed by the host" in "|".join(row)]
    assert host == ["DEQUANTIZE", "DEQUANTIZE", "MUL", "SUB", "QUANTIZE", "QUANTIZE", "DEQUANTIZE",
                    "MAXIMUM", "SQUARED_DIFFERENCE", "QUANTIZE"]


def test_traffic_counts_the_layers_of_the_host():
    traffic = count_traffic(network_of(pair_islands(), "net"), BASE)

    assert (traffic.starts, traffic.programs, traffic.computed) == (3, 3, 10)
    assert traffic.as_json()["computed"] == 10
    assert traffic.describe(0).endswith("; the host computes 10 layers, not timed")


def test_each_part_loads_its_program():
    session = Session(network_of(pair_islands(), "net"), MachineDevice(BASE))

    assert [facts.segments for facts in session.facts if not facts.host and facts.passes] == [
        1, 1, 1, 1]
    assert len(session.plan.segments) == 3
    assert session.plan.steps[2].passes[0] == len(session.plan.parts[0].program)


def test_no_list_and_no_driver_computes_between_parts():
    network = network_of(pair_islands(), "net")
    with_dma = change_size(BASE, dma=32)

    with pytest.raises(InputError, match=r"net has a host computation \(Quantize\) between "
                                         r"programs, which a command list cannot hold"):
        build_image(compile_network(network, with_dma, cascades=True), with_dma, ExternalMemory())
    with pytest.raises(InputError, match="not the PlainBinary of net"):
        network_files(compile_network(network, BASE), [np.zeros((1, 5, 3), np.int8)] * 2, None)
    with pytest.raises(InputError, match="which a bus master cannot"):
        make_standalone(compile_network(network, BASE), [np.zeros((1, 5, 3), np.int8)] * 2)
