# SPDX-License-Identifier: Apache-2.0
"""The assembler of the compact core: where things lie, and what it refuses."""

import pytest

from xymac.hdl.compact.engine import Engine
from xymac.hdl.compact.micro.assembler import Assembler
from xymac.hdl.compact.micro.code import (
    CODE_DEPTH,
    GROUP_END,
    GROUP_FIRST,
    REGISTERS,
    Condition,
    Instruction,
    Op,
    Source,
    field_place,
)
from xymac.hdl.compact.micro.names import GROUPS, TRIPLES, VARIABLES
from xymac.hdl.compact.micro.program import CODE, CONSTANTS, assemble
from xymac.hdl.isa import Access, Encoded, Pass, pack


def decoded(words):
    return [Instruction.from_bits(word) for word in words]


def test_operands_become_registers():
    program = Assembler(["sum", "other", ".lane"])
    program.add("sum", "sum", 5)
    program.add("sum", "other", 5)
    program.sub(".lane+2", "sum", Source.PRODUCT)

    first, second, third = decoded(program.words())

    assert (first.op, second.op, third.op) == (Op.ADD, Op.ADD, Op.SUB)
    assert first.d == first.a == second.d == third.a != second.a
    assert first.b == second.b
    assert program.constants == {first.b: 5}
    assert third.d == GROUP_FIRST + 2
    assert third.source is Source.PRODUCT


def test_branches_lead_to_labels():
    program = Assembler([])
    program.go("end")
    for _ in range(300):
        program.ret()
    program.label("end")

    branch = decoded(program.words())[0]

    assert (branch.op, branch.d) == (Op.BRANCH, Condition.ALWAYS.value)
    assert branch.a << 8 | branch.b == 301


def test_fields_lie_where_passes_have_them():
    access = Access(40, 30, 99, outer=(1, 2, 3))
    packed = pack(Pass(x=access, y=access, z=access, shift=7))
    for path, value in (("shift", 7), ("x.agu.outer.1", 2), ("z.low", 30), ("y.agu.start", 10)):
        offset, _ = field_place(path)
        assert packed >> offset & 0x3F == value, path
    assert field_place("floor")[0] < Encoded.size


def test_the_microprogram_fits():
    assert len(CODE) <= CODE_DEPTH
    fourths = {GROUP_FIRST + 4 * index + 3 for index in range(len(TRIPLES))}
    direct  = {*range(GROUP_FIRST), *range(GROUP_END, REGISTERS), *fourths}
    assert CONSTANTS.keys() <= direct


def twice(program):
    program.label("here")
    program.label("here")


def too_many_groups(program):
    for number in range(REGISTERS):
        program.test(f".group{number}")


def too_many_registers(program):
    for number in range(REGISTERS):
        program.test(f"register{number}")


@pytest.mark.parametrize(("use", "message"), [
    (twice, "Label 'here' is there twice"), (too_many_groups, "no more than 24 fit"),
    (too_many_registers, "more registers and constants than places"),
    (lambda program: program.test(".group0+4"), r"must be 0 to 3, not '\.group0\+4'"),
    (lambda program: program.test("register0+1"), "Only a group has members, not 'register0'")])
def test_refusals(use, message):
    with pytest.raises(ValueError, match=message):
        use(Assembler([f"{kind}{number}" for kind in ("register", ".group")
                       for number in range(REGISTERS)]))


@pytest.mark.parametrize("name", ["sun", ".sun", ".sun+1", "sum "])
@pytest.mark.parametrize("use", [
    lambda program, name: program.add(name, "sum", 1), lambda program, name: program.test(name),
    lambda program, name: program.sub("sum", "sum", name),
    lambda program, name: program.field(name, "shift")])
def test_a_register_that_is_misspelled(use, name):
    with pytest.raises(KeyError, match=f"Register '{name.partition('+')[0]}' is not declared"):
        use(Assembler(["sum", ".sum"]), name)


def test_every_register_is_declared_once_and_used(monkeypatch):
    used = set()
    register = Assembler.register
    monkeypatch.setattr(Assembler, "register", lambda program, operand: used.add(operand)
                        or register(program, operand))
    names = [*VARIABLES, *GROUPS, *TRIPLES]

    assemble()

    assert len(names) == len(set(names))
    assert {str(name).partition("+")[0] for name in used if isinstance(name, str)} == {
        *names, "nothing"}


def test_a_label_that_is_not_there():
    program = Assembler([])
    program.go("nowhere")
    with pytest.raises(KeyError, match="nowhere"):
        program.words()


def test_a_microprogram_that_is_too_long():
    with pytest.raises(ValueError, match="must have 1024 instructions at most, not 1025"):
        Engine(code=[0] * 1025, stopped=0, constants={}, tables=[0])
