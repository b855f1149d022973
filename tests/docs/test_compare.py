# SPDX-License-Identifier: Apache-2.0
"""The comparison page: its numbers of xymac are those of the tables and of the model."""

import re

import pytest

from docs.tables.documents import ROOT, read_tables
from xymac.hdl.config import BASE
from xymac.host.network.load import load_model
from xymac.host.network.predicted import predict_cycles
from xymac.host.network.traffic import count_traffic

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


@pytest.mark.parametrize("name", ["image classification, ResNet-8", "keyword spotting, DS-CNN",
                                  "anomaly detection, autoencoder"])
def test_cycles_of_networks_are_those_of_the_figures(name):
    [row] = [line.split("|") for line in read_tables()["networks"] if line.startswith(f"| {name}")]

    assert numbers_of(name)[3] == row[4].strip()


@pytest.mark.parametrize("name", ["digits_keras", "keywords_keras"])
def test_numbers_of_the_examples_are_those_of_the_model(name):
    path    = f"examples/files/{name}.tflite"
    network = load_model(ROOT / path)

    assert numbers_of(f"`{path}`")[3:] == [f"{predict_cycles(network, BASE):,}",
                                           f"{count_traffic(network, BASE).words:,}"]
