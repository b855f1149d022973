"""What an instruction of the engine needs, decoded ahead."""

from amaranth import Cat, Signal

from hdl.compact.micro.code import Op, Source
from hdl.isa import Op as Operation

__all__ = ["decode", "is_any"]

_LOGIC  = (Op.AND, Op.OR, Op.XOR)
_WRITES = (Op.ADD, Op.SUB, *_LOGIC, Op.ROUND, Op.REVERSE)


def is_any(word, *ops):
    """Whether the instruction ``word`` is one of ``ops``."""
    return Cat(word.op == op for op in ops).any()


def decode(m, word, kind):
    """What an instruction needs, a cycle after it was fetched: so nothing else decodes it."""
    op, source = word.op, word.source
    extreme = kind != Operation.MAC
    runs, field = op == Op.RUN, op == Op.FIELD
    decoded = {
        "runs": runs, "extreme": runs & extreme, "field": field,
        "narrow": source.as_value()[2], "short": source != Source.SHIFTED,
        "plain": runs | (source == Source.REGISTER) | (source == Source.PRODUCT),
        "product": runs | (source == Source.PRODUCT),
        "less": (op == Op.SUB) | (runs & extreme), "rounds": op == Op.ROUND,
        "and": op == Op.AND, "or": op == Op.OR, "xor": op == Op.XOR,
        "bits": field | is_any(word, *_LOGIC) | (runs & extreme), "reverse": op == Op.REVERSE,
        "writes": is_any(word, *_WRITES), "loads": op == Op.LOAD, "stores": op == Op.STORE,
        "puts": op == Op.STORE_ELEMENT}
    plan = {}
    for name, value in decoded.items():
        plan[name] = Signal(name=f"plan_{name}")
        m.d.sync += plan[name].eq(value)
    return plan
