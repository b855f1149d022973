# SPDX-License-Identifier: Apache-2.0
"""Ports that a bus needs and a device has not."""

from types import SimpleNamespace

import pytest
from cocotbext.axi import AxiLiteBus, AxiStreamBus

from xymac.sim.kit.ports import bus_of


@pytest.mark.parametrize(("kind", "ports", "missing"), [
    (AxiStreamBus, ["tvalid"], "tdata"), (AxiLiteBus, ["awvalid"], "awaddr")])
def test_a_missing_port_has_a_name(kind, ports, missing):
    device = SimpleNamespace(_name="mine", _log=SimpleNamespace(debug=print), **{
        f"bus_{name}": object() for name in ports})

    with pytest.raises(AttributeError, match=f"^mine has no port bus_{missing}$"):
        bus_of(kind, device, "bus")
