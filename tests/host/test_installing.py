# SPDX-License-Identifier: Apache-2.0
"""Commands that install an extra: each works where it was typed."""

import shlex
import sys
from importlib.metadata import requires

import pytest

from xymac.host import installing
from xymac.host.installing import install_command


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with the environment that ``make`` made; the current folder is elsewhere."""
    (tmp_path / "Makefile").touch()
    monkeypatch.setattr(installing, "_ROOT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    return tmp_path


@pytest.mark.parametrize(("extra", "target"), [("fpga", "fpga"),
                                               ("cluster", ".venv/installed-cluster")])
def test_in_a_checkout(extra, target, checkout, monkeypatch):
    """The Makefile notes that the extra is installed."""
    assert install_command(extra) == f"make -C {checkout} {target}"
    monkeypatch.chdir(checkout)
    assert install_command(extra) == f"make {target}"


@pytest.mark.parametrize("has_pip", [False, True])
def test_elsewhere(has_pip, monkeypatch):
    """Pip installs the packages by name: no folder of xymac is needed."""
    monkeypatch.setattr(sys, "prefix", "/elsewhere")
    monkeypatch.setattr(installing.importlib.util, "find_spec", lambda name: has_pip or None)
    words = shlex.split(install_command("fpga"))
    pip   = ([sys.executable, "-m", "pip"] if has_pip else
             ["python3", "-m", "pip", "--python", sys.executable])
    assert words[:len(pip) + 1] == [*pip, "install"]
    wanted = [line.partition(";")[0].strip() for line in requires("xymac")
              if 'extra == "fpga"' in line]
    assert len(wanted) > 3
    assert words[len(pip) + 1:] == wanted


def test_extras_of_extras(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/elsewhere")
    assert {line.partition("=")[0] for line in shlex.split(install_command("test"))} >= {
        "cocotb", "scipy", "pytest"}
    assert "xymac" not in install_command("test").split("install")[1]
