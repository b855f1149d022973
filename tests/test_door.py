# SPDX-License-Identifier: Apache-2.0
"""The package: the names of ``import xymac``, and folders of others with the names of ours."""

import os
import re
import subprocess
import sys
from importlib.metadata import version

import pytest

import xymac
from docs.tables.documents import ROOT
from tests.support.modules import PACKAGES

#: An import that finds a package of ours in a checkout alone.
SHORT = re.compile(rf"\s*(from|import) ({'|'.join(PACKAGES)})\b")

#: All that the documents promise. Taking a name away breaks the programs of users.
NAMES = """
    Adapter Apb Axi CORES Case Device Handshake Images InputError Network Node Plan Refusal
    Requantise Rule Session Stream Supports UnknownBitsError Verdict Wishbone build_layer check
    check_cases classify drive explain generate join_layers load_images load_model load_network
    make_plan mli1 mli1_functions mli2 mli2_functions on_device open_device pack predict read
    read_cases read_model run run_in_memory run_layer run_model save_network select_cases tflm
    unpack view_nodes write_model write_vectors xs3 xs3_functions
""".split()


def python(text, *paths):
    """What a Python that knows nothing prints, with ``paths`` in front of ours."""
    path = ":".join(map(str, (*paths, ROOT)))
    done = subprocess.run([sys.executable, "-P", "-c", text], env=os.environ | {"PYTHONPATH": path},
                          capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_the_names_are_frozen():
    assert xymac.__all__ == NAMES
    assert set(NAMES) <= set(dir(xymac))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name):
    value = getattr(xymac, name)

    assert getattr(value, "__name__", name).rpartition(".")[2] in (name, name.rpartition("_")[2])


def test_help_is_a_page():
    lines = python("import xymac\nhelp(xymac)").splitlines()

    assert 40 < len(lines) < 90
    assert any("xymac.open_device(" in line for line in lines)


def test_a_star_imports_all_names():
    printed = python("from xymac import *\nprint(*sorted(n for n in dir() if n[0] != '_'))")

    assert printed.split() == NAMES


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'conv2d'"):
        getattr(xymac, "conv" + "2d")


def test_the_door_itself_is_cheap():
    printed = python("import sys\nbefore = {*sys.modules}\nimport xymac\n"
                     "print({*sys.modules} - before - {'importlib', 'importlib._abc'})")

    assert printed == "{'xymac'}\n"


def test_the_version_is_that_of_the_package():
    assert xymac.__version__ == version("xymac")
    assert "__version__" in dir(xymac)


def test_folders_of_the_same_names_hide_nothing(tmp_path):
    for package in (*PACKAGES, "xymac_own"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("OWN = True\n")

    printed = python("import golden, hdl, host, sim, boards, xymac\nxymac.run, xymac.check\n"
                     "print(all(m.OWN for m in (golden, hdl, host, sim, boards)))", tmp_path)

    assert printed == "True\n"


def test_nothing_imports_a_package_of_ours_by_its_folder():
    paths = [path for folder in (*PACKAGES, "xymac", "docs", "tests")
             for path in (ROOT / folder).rglob("*.py")]

    wrong = [f"{path.relative_to(ROOT)}:{number}" for path in paths
             for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
             if SHORT.match(line)]

    assert len(paths) > 1000
    assert not wrong


@pytest.mark.parametrize("line", ["import hdl", "from hdl import isa", "    import golden.run as r",
                                  "from sim.rtl.device import RtlDevice"])
def test_an_import_by_a_folder_is_noticed(line):
    assert SHORT.match(line)
