"""The kit as it is installed: a wheel, a folder that is not ours, and ten lines."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.support.modules import PACKAGES, ROOT

CONFTEST = """\
import numpy as np
import xymac

class Rectifier(xymac.Adapter):
    supports = (xymac.Supports("relu", "mli-1", "fx8", {"activation": ("gen",)}),)

    def relu(self, case):
        return np.maximum(case.operands["x"], 0)
"""
#: A wheel takes half a minute to make.
pytestmark = pytest.mark.long

#: What pip says where it does not reach what it builds with.
OFFLINE = ("No matching distribution", "NewConnectionError", "ConnectTimeout")


def run(*command, cwd, path=""):
    """A finished process and all that it printed."""
    done = subprocess.run([*map(str, command)], cwd=cwd, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(path)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def pip(*arguments, cwd):
    """Run the pip beside the Python of this environment; skip where there is none, or no net."""
    python = getattr(sys, "_base_executable", sys.executable)
    code, printed = run(python, "-m", "pip", "--disable-pip-version-check", *arguments, cwd=cwd)
    if "No module named pip" in printed or any(words in printed for words in OFFLINE):
        pytest.skip(f"pip cannot build here: {printed.splitlines()[-1]}")
    assert code == 0, printed


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder into which a wheel of a copy of this tree was installed, and nothing else."""
    wheels, folder, tree = (tmp_path_factory.mktemp(name) for name in ("wheels", "site", "tree"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "xymac.py"):
        shutil.copy(ROOT / name, tree)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    pip("wheel", "--no-deps", "-q", "-w", wheels, tree, cwd=wheels)
    [wheel] = wheels.iterdir()
    pip("install", "--no-deps", "--no-compile", "-q", "--target", folder, wheel, cwd=wheels)
    return folder


def test_ten_lines_are_enough(site, tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)

    code, printed = run(sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider",
                        "--xymac-dut", "conftest.py", cwd=tmp_path, path=site)

    assert len(CONFTEST.splitlines()) <= 10
    assert code == 0, printed
    assert "2 passed" in printed  # drawn and recorded: the vectors are in the wheel


def test_all_comes_from_the_wheel(site, tmp_path):
    code, printed = run(sys.executable, "-P", "-c",
                        "import xymac, sys; xymac.check, xymac.write_vectors; "
                        "print({sys.modules[name].__file__.rpartition('/' + name)[0] "
                        "for name in ('xymac', 'host', 'golden', 'sim')})",
                        cwd=tmp_path, path=site)

    assert (code, printed) == (0, f"{ {str(site)} }\n")
