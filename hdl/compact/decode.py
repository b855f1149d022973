# SPDX-License-Identifier: Apache-2.0
"""Decoder: an instruction's control bits, a cycle before it executes."""

from amaranth import Cat, Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import Instruction, Op, Source
from xymac.hdl.isa import Op as Operation

__all__ = ["Decoder", "Plan", "is_any"]

_LOGIC  = (Op.AND, Op.OR, Op.XOR)
_WRITES = (Op.ADD, Op.SUB, *_LOGIC, Op.ROUND, Op.REVERSE)

#: Control bits of an instruction.
Plan = data.StructLayout(dict.fromkeys((
    "runs", "extreme", "field", "narrow", "short", "plain", "product", "less", "rounds", "and",
    "or", "xor", "bits", "reverse", "writes", "loads", "stores", "puts"), 1))


def is_any(word, *ops):
    """True if the operation of the instruction ``word`` is in ``ops``."""
    return Cat(word.op == op for op in ops).any()


class Decoder(wiring.Component):
    """Decode an instruction while its registers are read.

    Latency 1 cycle, throughput 1 instruction a cycle, no backpressure. Takes no parameters.

    Members
    -------
    word : In(Instruction); kind : In(isa.Op), operation of the running steps
    plan : Out(Plan)
    """

    word: In(Instruction)
    kind: In(Operation)
    plan: Out(Plan)

    def elaborate(self, platform):
        m = Module()
        op, source = self.word.op, self.word.source
        runs, field = op == Op.RUN, op == Op.FIELD
        extreme = runs & (self.kind != Operation.MAC)
        decoded = {
            "runs": runs, "extreme": extreme, "field": field,
            "narrow": source.as_value()[2], "short": source != Source.SHIFTED,
            "plain": runs | (source == Source.REGISTER) | (source == Source.PRODUCT),
            "product": runs | (source == Source.PRODUCT), "less": (op == Op.SUB) | extreme,
            "rounds": op == Op.ROUND, "and": op == Op.AND, "or": op == Op.OR, "xor": op == Op.XOR,
            "bits": field | is_any(self.word, *_LOGIC) | extreme, "reverse": op == Op.REVERSE,
            "writes": is_any(self.word, *_WRITES), "loads": op == Op.LOAD,
            "stores": op == Op.STORE, "puts": op == Op.STORE_ELEMENT}
        m.d.sync += [self.plan[name].eq(value) for name, value in decoded.items()]
        return m
