# SPDX-License-Identifier: Apache-2.0
"""The compiler shares no arithmetic with the golden kernels that its passes are compared with."""

import ast

import pytest

from tests.support.modules import ROOT

COMPILER = ("ir", "frontend", "lower")  #: Folders of ``host`` that turn layers into passes.
#: Modules of golden without arithmetic on data. A package of a library also has functions on data;
#: its classes are layers and tensors.
LOWERED = ("golden.array", "golden.formats", "golden.kinds", "golden.parameters",
           "golden.result", "golden.views")
FACES   = ("golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3")


def _short(name):
    return name.removeprefix("xymac.")


def shared_by(source):
    """Dotted names that a module takes from golden and should not, a set."""
    tree, faces, wrong = ast.parse(source), {}, set()
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            base = _short(getattr(node, "module", None) or "")
            name = f"{base}.{alias.name}" if base else _short(alias.name)
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
    paths = [path for folder in COMPILER for path in (ROOT / "host" / folder).rglob("*.py")]

    wrong = {str(path.relative_to(ROOT)): shared for path in paths
             if (shared := shared_by(path.read_text()))}

    assert len(paths) > 100
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
