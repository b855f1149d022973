# SPDX-License-Identifier: Apache-2.0
"""The comparison page: its numbers of xymac are those of the tables and of the model."""

import re

import pytest

from docs.tables.documents import ROOT, read_tables
from tests.support.costs import cells
from xymac.hdl.config import BASE
from xymac.host.network.load import load_model
from xymac.host.network.predicted import predict_cycles
from xymac.host.network.tflite import network_of
from xymac.host.network.traffic import count_traffic
from xymac.sim.benchmarks.networks import NETWORKS

TEXT     = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
PROJECTS = ("VectorBlox", "Gemmini", "VTA", "CFU-Playground", "hls4ml", "FINN", "NNgen", "cgra4ml",
            "Coral NPU", "Ethos-U")


def numbers_of(start):
    """Cells of the row of the last table of numbers that begins with a name."""
    [row] = re.findall(rf"^\| {re.escape(start)}.*$", TEXT, re.MULTILINE)
    return [cell.strip() for cell in row.strip("|").split("|")]


@pytest.mark.parametrize("project", PROJECTS)
def test_every_project_is_described_and_has_a_source(project):
    parts = re.split(r"^## ", TEXT, flags=re.MULTILINE)

    for title in ("What each is", "Which one for whom", "Sources"):
        [part] = [part for part in parts if part.startswith(title)]
        assert project in part, title


#: Networks that are not ours to ship, by the first words of their rows.
OTHERS = {"person detection of tflite-micro": "mcu/person_detect",
          "object detection, FOMO of faces": "field/fomo_face",
          "ResNet of MLPerf Tiny, large variant": "mcu/resnet_large_ic02",
          "MobileNet v2 0.35, 160x160": "mcu/mobilenetv2_035_160"}


@pytest.mark.parametrize(("name", "number"), [
    ("image classification, ResNet-8", 0), ("keyword spotting, DS-CNN", 1),
    ("visual wake words, MobileNet v1", 2), ("anomaly detection, autoencoder", 3),
    ("streaming wakeword, depthwise along time", 4)])
def test_cycles_and_words_of_mlperf_tiny_are_those_of_the_figures(name, number):
    row     = cells(read_tables()["networks"])[1 + number]
    network = network_of(NETWORKS[number].model(), NETWORKS[number].name)

    assert row[0].startswith(name)
    assert numbers_of(name)[3:] == [row[3], f"{count_traffic(network, BASE).words:,}"]


@pytest.mark.parametrize(("name", "file"), OTHERS.items())
def test_cycles_and_words_of_other_networks_are_those_of_the_model(name, file, workloads):
    network = load_model(workloads / f"{file}.tflite")
    cycles, traffic = predict_cycles(network, BASE), count_traffic(network, BASE)

    assert numbers_of(name)[3:] == [f"{cycles:,}", f"{traffic.words:,}"]
    if name.startswith("MobileNet v2"):
        [times] = re.findall(r"take (\d+) times the cycles", TEXT)
        assert int(times) == round(traffic.bus_cycles / cycles)


@pytest.mark.parametrize("name", ["digits_keras", "keywords_keras"])
def test_numbers_of_the_examples_are_those_of_the_model(name):
    path    = f"examples/files/{name}.tflite"
    network = load_model(ROOT / path)

    assert numbers_of(f"`{path}`")[3:] == [f"{predict_cycles(network, BASE):,}",
                                           f"{count_traffic(network, BASE).words:,}"]
