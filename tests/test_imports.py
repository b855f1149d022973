# SPDX-License-Identifier: Apache-2.0
"""The import contracts of ``pyproject.toml`` hold, and a wrong import breaks them."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.support.modules import PACKAGES, ROOT, link_tree


def lint(folder):
    """Exit code and output of import-linter on the package in ``folder``."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import import_linter; import_linter()",
         "lint", "--no-cache", str(ROOT / "pyproject.toml")],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True,
        check=False)
    return done.returncode, done.stdout + done.stderr


def test_contracts_are_kept(tmp_path):
    code, printed = lint(link_tree(tmp_path))

    assert code == 0, printed


#: Wrong imports: module, its new last line, the modules on both ends, and the contract they break.
WRONG = [
    ("golden/mli1/conv.py", "from xymac.golden import mli2",
     "xymac.golden.mli1.conv -> xymac.golden.mli2", "golden: libraries and machine"),
    ("golden/fixed.py", "from xymac.hdl import config",
     "xymac.golden.fixed -> xymac.hdl.config", "golden: of the hardware"),
    ("host/lower/sweep.py", "def late():\n    from xymac.golden import fixed",
     "xymac.host.lower.sweep -> xymac.golden.fixed", "host: lowering shares"),
    ("host/plan/plan.py", "from xymac.host.cli import run",
     "xymac.host.plan.plan -> xymac.host.cli.run", "host: from the command line"),
    ("boards/board.py", "import xymac.sim.build",
     "xymac.boards.board -> xymac.sim.build", "Packages:")]


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """Exit code and output for a tree with all wrong imports."""
    folder = tmp_path_factory.mktemp("wrong")
    copied = {module.split("/")[0] for module, *_ in WRONG}
    link_tree(folder, [name for name in PACKAGES if name not in copied])
    for package in copied:
        shutil.copytree(ROOT / package, folder / "xymac" / package)
    for module, line, *_ in WRONG:
        path = folder / "xymac" / module
        path.write_text(f"{path.read_text()}\n{line}\n")
    return lint(folder)


@pytest.mark.parametrize(("chain", "contract"), [wrong[2:] for wrong in WRONG])
def test_a_wrong_import_breaks_a_contract(broken, chain, contract):
    """Its contract is broken, and the import is among the reasons."""
    code, printed = broken

    assert code == 1
    assert [name for name in printed.splitlines()
            if name.startswith(contract) and name.endswith("BROKEN")]
    assert f"{chain} (l." in printed
