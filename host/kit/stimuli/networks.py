# SPDX-License-Identifier: Apache-2.0
"""Whole networks as cases, and network layers as separate cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from xymac import golden
from xymac.host.kit.case import Case
from xymac.host.kit.operations import dialect_of, operation_of
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.load import load_model
from xymac.host.plan.graph import check_inputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.device.adapter import Supports

__all__ = ["SHIPPED_NETWORKS", "layer_cases", "network_cases"]

_DATA = Path(__file__).parents[2] / "examples" / "data"
#: Default networks for devices with the operation "network", by dialect.
SHIPPED_NETWORKS = {"tflm": (_DATA / "digits_cnn.tflite",), "mli-1": (_DATA / "digits_cnn.npz",),
                    "mli-2": (_DATA / "digits_sa8.npz",), "xs3": (_DATA / "digits_xs3.npz",)}


def network_cases(support: Supports, paths: Sequence[Path | str], count: int,
                  seed: int) -> tuple[Case, ...]:
    """``count`` Cases with random inputs for every network in ``paths`` within a Supports's limits.

    Networks with another dialect or type, or beyond the limits, are skipped. InputError for an
    unusable file.
    """
    cases = []
    for path in paths:
        network = load_model(path)
        dialects = {dialect_of(layer) for layer in network.layers}
        if dialects != {support.dialect}:
            continue
        for number in range(count):
            data = random_images(network, seed + number).data
            data = data if isinstance(data, tuple) else (data,)
            case = Case("network", support.dialect, f"{network.name} {number}", network,
                        tuple(each[0] for each in data))
            limit = support.limits.get("layers")
            if case.type == support.type and (limit is None or len(network.nodes) in limit):
                cases.append(case)
    return tuple(cases)


def layer_cases(case: Case) -> list[Case]:
    """A Case's network layers on golden inputs: a list of Case.

    A layer without an operation in the kit has its class name as operation.
    """
    network = case.layer
    values  = [*(replace(blank, data=data) for blank, data
                 in zip(network.inputs, case.inputs, strict=True)), *network.constants]
    cases   = []
    for node in network.nodes:
        inputs = check_inputs(node, values)
        values.append(golden.run(node.layer, *inputs).output)
        cases.append(Case(operation_of(node.layer) or type(node.layer).__name__, case.dialect,
                          f"{case.name}, layer {node.name}", node.layer, tuple(inputs)))
    return cases
