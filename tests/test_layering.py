# SPDX-License-Identifier: Apache-2.0
"""Who may import whom, down to the sub-packages: arrows, no circles, nothing hidden."""

import ast
import functools
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.support.arrows import ALLOWED
from tests.support.modules import PACKAGES, ROOT, SOURCES, imports_of, name_of, short

#: Modules that import something of ours when it is asked for, and why; it is an arrow all the same.
LATE = {
    "host":              "whoever needs one name must not wait for all",
    "host.cli.main":     "an interrupt while the rest is loaded ends in a sentence as well",
    "host.cli.command":  "a command must not wait for the serial line if it uses none",
    "host.cli.commands": "help and mistakes must not wait for a command",
}


@functools.cache
def all_imports():
    """``imports_of`` of every module, each once."""
    return {module: sorted(set(imports_of(module, path.read_text(),
                                          is_package=path.stem == "__init__")))
            for module, path in SOURCES.items()}


def room_of(module):
    """The room of a module, see ``ALLOWED``."""
    parts = module.split(".")
    rooms = (".".join(parts[:size]) for size in (3, 2))
    return next((room for room in rooms if room in ALLOWED), parts[0])


def is_allowed(module, target):
    """Whether ``module`` may import ``target``; what is not ours, everybody may."""
    if target.split(".")[0] == "tests":
        return False
    if target.split(".")[0] not in PACKAGES:
        return True
    here, there = room_of(module), room_of(target)
    return here == there or bool(ALLOWED[here] & {there, f"{there.split('.')[0]}.*"})


def find_circle(arrows):
    """The nodes of a circle in ``{node: nodes}``, or None."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1]
    return None


#: What lowering takes from golden: what a layer is, and what is derived from it before its data are
#: touched; where the elements of a view lie; why something is refused. Of a face, which holds
#: functions of data as well, that is its classes.
LOWERED = ("golden.formats", "golden.kinds", "golden.parameters", "golden.views")
FACES   = ("golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3")


def shared_by(source):
    """What a module of lowering takes from golden and should not, a set of dotted names."""
    tree, faces, wrong = ast.parse(source), {}, set()
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            base = short(getattr(node, "module", None) or "")
            name = f"{base}.{alias.name}" if base else short(alias.name)
            if name in FACES and base:
                faces[alias.asname or alias.name] = name
            elif f"{name}.".startswith("golden.") and not (
                    (base in FACES and is_class(alias.name))
                    or f"{name}.".startswith(tuple(f"{room}." for room in LOWERED))):
                wrong.add(name)
    return wrong | {f"{faces[node.value.id]}.{node.attr}" for node in ast.walk(tree)
                    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                    and node.value.id in faces and not is_class(node.attr)}


def is_class(name):
    """Whether a name is written as that of a class."""
    return name[0].isupper() and not name.isupper()


def test_lowering_shares_parameters_with_golden_and_no_arithmetic():
    wrong = {module: shared for module, path in SOURCES.items() if module.startswith("host.lower")
             if (shared := shared_by(path.read_text()))}

    assert not wrong


@pytest.mark.parametrize(("source", "shared"), [
    ("import xymac.golden.fixed", "golden.fixed"),
    ("from xymac.golden.fixed import x", "golden.fixed.x"),
    ("from xymac.golden.mli2.arithmetic import shift_round", "golden.mli2.arithmetic.shift_round"),
    ("from xymac.golden.mli1.conv import Conv2d", "golden.mli1.conv.Conv2d"),
    ("from xymac.golden.mli1 import conv2d", "golden.mli1.conv2d"),
    ("from xymac.golden import xs3 as unit\nunit.sums", "golden.xs3.sums"),
    ("def late():\n    from xymac.golden.xs3 import pool", "golden.xs3.pool"),
    ("from xymac.golden.mli1 import Conv2d", ""),
    ("from xymac.golden import mli2\nmli2.Conv2d", ""),
    ("from xymac.golden.parameters.mli2.linear import align_bias", ""), ("from . import xs3", "")])
def test_shared_arithmetic_is_noticed(source, shared):
    assert shared_by(source) == ({shared} if shared else set())


def test_every_sub_package_has_a_line():
    folders = {name_of(path.parent.relative_to(ROOT) / "__init__.py")
               for package in PACKAGES for path in (ROOT / package).glob("*/*.py")}

    assert not folders - ALLOWED.keys()


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_arrows(package):
    wrong = [f"{module} imports {target}" for module, targets in all_imports().items()
             for target, _ in targets
             if module.split(".")[0] == package and not is_allowed(module, target)]

    assert not wrong


def test_modules_import_each_other_in_no_circle():
    arrows = {module: {target for target, _ in targets if target in SOURCES and target != module}
              for module, targets in all_imports().items()}

    assert find_circle(arrows) is None


def test_rooms_import_each_other_in_no_circle():
    arrows = {room: set() for room in ALLOWED}
    for module, targets in all_imports().items():
        arrows[room_of(module)] |= {room_of(target) for target, _ in targets
                                    if target in SOURCES and room_of(target) != room_of(module)}

    assert find_circle(arrows) is None


def test_the_table_allows_no_circle():
    arrows = {here: {there for there in ALLOWED for name in names
                     if there != here and (name == there or name == f"{there.split('.')[0]}.*")}
              for here, names in ALLOWED.items()}

    assert find_circle(arrows) is None


def test_functions_import_nothing_of_ours():
    late = {module for module, targets in all_imports().items()
            for target, inside in targets if inside and target.split(".")[0] in PACKAGES}

    assert not late - LATE.keys()


@pytest.mark.parametrize("word", ["sys.modules", "import_module"])
def test_no_import_is_hidden(word):
    hidden = {module for module, path in SOURCES.items() if word in path.read_text()}

    assert hidden <= (LATE.keys() if word == "import_module" else set())


@pytest.mark.parametrize(("module", "source"), [
    ("golden.mli1.conv", "import xymac.hdl.config"),
    ("golden.mli1.conv", "from xymac.hdl import config"),
    ("golden.mli2.pool", "from xymac.golden.mli1 import Pool"),
    ("golden.xs3.pool", "from ..mli1.pool import Pool"),
    ("golden.mli1.pool", "from xymac.golden.parameters.mli2.pool import fixed_scale"),
    ("golden.tflm.sums.pool", "from xymac.golden.mli2.arithmetic import cast"),
    ("golden.mli2.pool", "from xymac.golden.tflm.arithmetic import divide_rounded"),
    ("golden.parameters.mean", "from xymac.golden.parameters import mli1"),
    ("golden.parameters.mli1", "from xymac.golden.mli1 import Tensor"),
    ("golden.machine.steps", "from xymac.golden.fixed import saturate"),
    ("golden.mli1.conv", "from xymac.golden.machine.machine import Machine"),
    ("hdl.isa.passes", "from ..config import TINY"), ("hdl.isa.passes", "import xymac.hdl.limits"),
    ("hdl.core.core", "from xymac.hdl.compact.core import Compact"),
    ("hdl.compact.micro.taps", "from ...core.tables import Tables"),
    ("hdl.link.link", "from xymac.hdl.core.hostport import HostPort"),
    ("hdl.core.core", "from xymac.golden.fixed import saturate"),
    ("host.lower.sweep", "from xymac.host.plan.plan import Plan"),
    ("host.lower.linear.passes", "def late():\n    from ...device import device"),
    ("host.plan.plan", "from xymac.host.network.network import Network"),
    ("host.device.device", "from xymac.host.plan.run import run_layer"),
    ("host.cli.run", "def late():\n    from xymac.sim.rtl import device"),
    ("boards.board", "import xymac.sim.build.compile"), ("sim.rtl.device", "import tests.vectors"),
    ("boards.tools.flow", "from xymac.boards.design import design_of")])
def test_wrong_arrows_are_noticed(module, source):
    targets = [target for target, _ in imports_of(module, source)]

    assert targets
    assert not all(is_allowed(module, target) for target in targets)


@pytest.mark.parametrize(("module", "source"), [
    ("hdl.core.core", "from ..isa import Pass"), ("hdl.isa.passes", "from .codes import Op"),
    ("host.lower.linear.passes", "from ..sweep import sweep"), ("golden.api.mli2.names",
     "from xymac.golden import mli2"),
    ("sim.board.process", "from xymac.boards.design import design_of"),
    ("host.cli.main", "import numpy")])
def test_right_arrows_are_allowed(module, source):
    assert all(is_allowed(module, target) for target, _ in imports_of(module, source))


def test_circles_are_noticed():
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert not find_circle({"a": {"b", "c"}, "b": {"c"}})
