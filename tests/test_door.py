"""The door: what ``import xymac`` has, and what it says where another package hides ours."""

import os
import subprocess
import sys

import pytest

import xymac
from docs.tables.documents import ROOT

#: All that the documents promise. Taking a name away breaks the programs of users.
NAMES = """
    Adapter Axi CORES Case Device Images InputError Network Node Plan Requantise Rule Session
    Supports UnknownBitsError Verdict build_layer check check_cases classify drive explain generate
    join_layers load_images load_model load_network make_plan mli1 mli1_functions mli2
    mli2_functions on_device open_device pack predict read read_cases read_model run run_in_memory
    run_layer run_model save_network select_cases tflm unpack view_nodes write_model write_vectors
    xs3 xs3_functions
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


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'conv2d'"):
        getattr(xymac, "conv" + "2d")


def test_the_door_itself_is_cheap():
    printed = python("import sys, xymac\n"
                     "print({'numpy', 'golden', 'host', 'hdl', 'amaranth'} & sys.modules.keys())")

    assert printed == "set()\n"


@pytest.mark.parametrize("package", ["golden", "hdl", "host", "sim", "boards"])
def test_a_package_that_hides_ours_is_named(package, tmp_path):
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")

    printed = python("import xymac\nprint('still fine')\nxymac.run", tmp_path)

    assert "still fine" in printed
    assert f"ImportError: xymac needs its own package '{package}'" in printed
    assert f"but {tmp_path / package / '__init__.py'} hides it" in printed
