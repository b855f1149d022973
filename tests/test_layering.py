"""Who may import whom, down to the sub-packages: arrows, no circles, nothing hidden."""

import ast
import functools
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.support.modules import PACKAGES, ROOT, SOURCES, imports_of, name_of

#: What each room may import beside itself. A room is a sub-package or a file of a top folder; files
#: without a line of their own, the face among them, are one room: that of the folder. A name stands
#: for its room alone, one that ends in ``.*`` for all rooms of the folder.
_CORES    = {"hdl.arith", "hdl.carry", "hdl.config", "hdl.elaboration", "hdl.entries", "hdl.isa",
             "hdl.limits", "hdl.multiply", "hdl.request"}
_WING     = {"golden", "golden.parameters", "hdl.isa"}
_WINGS    = {"golden", "golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3"}
_DERIVED  = {wing.replace("golden", "golden.parameters") for wing in _WINGS}
_GROUND   = {"hdl.config", "hdl.isa", "host.errors", "host.extensions"}  # of all rooms of host
ALLOWED = {
    "hdl":             set(),
    "hdl.isa":         set(),
    "hdl.request":     set(),
    "hdl.elaboration": set(),
    "hdl.capabilities": {"hdl.isa"},
    "hdl.config":      {"hdl.capabilities", "hdl.isa"},
    "hdl.entries":     {"hdl.isa"},
    "hdl.limits":      {"hdl.config", "hdl.isa"},
    "hdl.arith":       {"hdl.isa", "hdl.limits"},
    "hdl.multiply":    {"hdl.arith", "hdl.limits"},
    "hdl.carry":       {"hdl.limits"},
    "hdl.core":        _CORES,
    "hdl.compact":     _CORES,
    "hdl.link":        {"hdl.arith", "hdl.limits", "hdl.request"},
    # CoreAxi is core and front end.
    "hdl.axi":         {"hdl.compact", "hdl.core", "hdl.limits", "hdl.request"},

    "golden":         {"hdl.isa"},
    "golden.mli1":    _WING | {"golden.parameters.mli1"},
    "golden.mli2":    _WING | {"golden.parameters.mli2"},
    "golden.tflm":    _WING | {"golden.parameters.tflm"},
    "golden.xs3":     _WING | {"golden.parameters.xs3"},
    "golden.parameters":      set(),
    "golden.parameters.mli1": _WING,
    "golden.parameters.mli2": _WING,
    "golden.parameters.tflm": _WING,
    "golden.parameters.xs3":  _WING,
    "golden.machine": {"hdl.isa"},
    "golden.api":     _WINGS | {"hdl.isa"},

    "host":            {"host.api", "host.cycles", "host.device", "host.network", "host.plan"},
    "host.errors":     set(),
    "host.extensions": {"host.errors"},
    "host.files":      {"host.errors"},
    "host.cluster":    {"host.errors", "host.files"},
    # Operators become layers of a graph.
    "host.tflite":     {"golden", "golden.tflm", "host.errors", "host.files", "host.plan"},
    "host.memory":     _GROUND | {"golden"},
    "host.lower":      _GROUND | _WINGS | _DERIVED | {"host.memory"},
    "host.cycles":     _GROUND | {"golden"},
    "host.device":     _GROUND | {"golden.machine", "hdl.capabilities", "hdl.link"},
    "host.plan":       _GROUND | {"golden", "host.cycles", "host.device", "host.lower",
                                  "host.memory"},
    "host.api":        _GROUND | {"golden", "golden.api", "host.plan"},
    # A network file holds layers of any library.
    "host.network":    _GROUND | _WINGS | {"host.cycles", "host.device", "host.files",
                                           "host.lower", "host.memory", "host.plan",
                                           "host.tflite"},
    "host.vectors":    _GROUND | _WINGS | {"host.device", "host.files", "host.lower", "host.plan",
                                           "host.tflite"},
    # A device of somebody else's is compared with golden, and its differences are explained.
    "host.kit":        _GROUND | _WINGS | _DERIVED | {"host.device", "host.files", "host.network",
                                                      "host.plan", "host.tflite", "host.vectors"},
    "host.examples":   _GROUND | _WINGS | {"host.files", "host.memory", "host.network", "host.plan",
                                           "host.tflite"},
    "host.c":          _GROUND | {"golden", "golden.api", "golden.tflm", "host.network",
                                  "host.plan"},
    "host.cli":        _GROUND | {"host.c", "host.device", "host.files", "host.kit", "host.network",
                                  "host.tflite", "host.vectors"},

    "sim":        set(),
    "sim.build":  {"hdl.*", "host.errors", "host.files"},
    "sim.agents": {"hdl.*", "host.device"},
    # A model is compiled with the profile of a typical program.
    "sim.rtl":    {"golden.mli1", "hdl.*", "host.device", "host.errors", "host.plan", "sim.build"},
    # A bench of the whole core is a host of it.
    "sim.blocks": {"golden.*", "hdl.*", "host.*", "sim.agents", "sim.works"},
    "sim.kit":    {"host.errors", "host.kit", "sim.build"},
    "sim.works":  {"golden.*", "hdl.*", "host.*", "sim.rtl"},
    "sim.board":  {"boards.*", "hdl.*", "host.cli", "host.device", "host.errors", "sim.build",
                   "sim.rtl"},

    # Pieces are command lines, so that none of what they run is imported.
    "sim.regress": {"host.cli", "host.cluster", "host.errors", "host.files", "host.vectors",
                    "sim.build"},

    "boards.clock":    {"host.errors"},
    "boards.tools":    {"hdl.*", "host.errors", "host.files"},
    "boards.board":    {"boards.clock", "hdl.*", "host.errors", "host.extensions"},
    "boards":          {"boards.board"},  # one file a board
    "boards.design":   {"boards.board", "boards.clock", "boards.tools", "hdl.*", "host.errors"},
    "boards.alone":    {"boards.tools", "hdl.*"},
    "boards.attempt":  {"boards.alone", "boards.board", "boards.design", "boards.tools", "hdl.*",
                        "host.cluster", "host.errors", "host.files"},
    "boards.blocks":   {"boards.tools", "host.cli"},
    "boards.commands": {"boards", "boards.alone", "boards.attempt", "boards.blocks",
                        "boards.board", "boards.design", "boards.tools", "hdl.*", "host.c",
                        "host.cli", "host.cluster", "host.errors", "host.files"},
    # What networks cost on cores that could be built.
    "boards.explore":  {"boards.*", "hdl.*", "host.cli", "host.cluster", "host.device",
                        "host.errors", "host.files", "host.network"},
}
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
LOWERED = ("golden.formats", "golden.kinds", "golden.parameters", "golden.reasons", "golden.views")
FACES   = ("golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3")


def shared_by(source):
    """What a module of lowering takes from golden and should not, a set of dotted names."""
    tree, faces, wrong = ast.parse(source), {}, set()
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            base = getattr(node, "module", None)
            name = f"{base}.{alias.name}" if base else alias.name
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
    ("import golden.fixed", "golden.fixed"), ("from golden.fixed import x", "golden.fixed.x"),
    ("from golden.mli2.arithmetic import shift_round", "golden.mli2.arithmetic.shift_round"),
    ("from golden.mli1.conv import Conv2d", "golden.mli1.conv.Conv2d"),
    ("from golden.mli1 import conv2d", "golden.mli1.conv2d"),
    ("from golden import xs3 as unit\nunit.sums", "golden.xs3.sums"),
    ("def late():\n    from golden.xs3 import pool", "golden.xs3.pool"),
    ("from golden.mli1 import Conv2d", ""), ("from golden import mli2\nmli2.Conv2d", ""),
    ("from golden.parameters.mli2.linear import align_bias", ""), ("from . import xs3", "")])
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
    ("golden.mli1.conv", "import hdl.config"), ("golden.mli1.conv", "from hdl import config"),
    ("golden.mli2.pool", "from golden.mli1 import Pool"),
    ("golden.xs3.pool", "from ..mli1.pool import Pool"),
    ("golden.mli1.pool", "from golden.parameters.mli2.pool import fixed_scale"),
    ("golden.tflm.sums.pool", "from golden.mli2.arithmetic import cast"),
    ("golden.mli2.pool", "from golden.tflm.arithmetic import divide_rounded"),
    ("golden.parameters.mean", "from golden.parameters import mli1"),
    ("golden.parameters.mli1", "from golden.mli1 import Tensor"),
    ("golden.machine.steps", "from golden.fixed import saturate"),
    ("golden.mli1.conv", "from golden.machine.machine import Machine"),
    ("hdl.isa.passes", "from ..config import TINY"), ("hdl.isa.passes", "import hdl.limits"),
    ("hdl.core.core", "from hdl.compact.core import Compact"),
    ("hdl.compact.micro.taps", "from ...core.tables import Tables"),
    ("hdl.link.link", "from hdl.core.hostport import HostPort"),
    ("hdl.core.core", "from golden.fixed import saturate"),
    ("host.lower.sweep", "from host.plan.plan import Plan"),
    ("host.lower.linear.passes", "def late():\n    from ...device import device"),
    ("host.plan.plan", "from host.network.network import Network"),
    ("host.device.device", "from host.plan.run import run_layer"),
    ("host.cli.run", "def late():\n    from sim.rtl import device"),
    ("boards.board", "import sim.build.compile"), ("sim.rtl.device", "import tests.vectors"),
    ("boards.tools.flow", "from boards.design import design_of")])
def test_wrong_arrows_are_noticed(module, source):
    targets = [target for target, _ in imports_of(module, source)]

    assert targets
    assert not all(is_allowed(module, target) for target in targets)


@pytest.mark.parametrize(("module", "source"), [
    ("hdl.core.core", "from ..isa import Pass"), ("hdl.isa.passes", "from .codes import Op"),
    ("host.lower.linear.passes", "from ..sweep import sweep"), ("golden.api.mli2.names",
     "from golden import mli2"), ("sim.board.process", "from boards.design import design_of"),
    ("host.cli.main", "import numpy")])
def test_right_arrows_are_allowed(module, source):
    assert all(is_allowed(module, target) for target, _ in imports_of(module, source))


def test_circles_are_noticed():
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert not find_circle({"a": {"b", "c"}, "b": {"c"}})
