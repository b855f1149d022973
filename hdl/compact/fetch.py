# SPDX-License-Identifier: Apache-2.0
"""The compact core's microprogram memory, and next-instruction selection."""

from amaranth import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import CODE_DEPTH, Condition, Instruction, Op
from xymac.hdl.limits import check_between, check_words

__all__ = ["Fetch"]


class Fetch(wiring.Component):
    """Fetch the instructions in execution order, each on a ``go``.

    ``word`` is valid a cycle after ``go`` and holds until the next ``go``: latency 1 cycle,
    throughput 1 instruction a cycle, no backpressure.

    Parameters
    ----------
    code : list of ints, 32-bit instructions; TypeError for another type, ValueError for more than
        ``CODE_DEPTH`` instructions or a value that does not fit
    stopped : int, address of the instruction that follows a ``stop``

    Members
    -------
    go : In(1), ``word`` is complete; begin : In(1), with ``go``: the first instruction comes next
    stop : In(1), continue at ``stopped``, once for each high phase; never right after a ``SET``,
        because that instruction may end the program
    execute : In(1), first cycle of ``word``: a call pushes its return address, a return pops it
    zero, negative, start, clear, wrote : In(1), see ``Condition``
    word : Out(Instruction)
    """

    CALLS = 4  # nesting depth

    def __init__(self, code, stopped):
        check_words("Code", code, 0, (1 << Instruction.size) - 1)
        if len(code) > CODE_DEPTH:
            raise ValueError(f"The microprogram must have {CODE_DEPTH} instructions at most, "
                             f"not {len(code)}")
        self._code, self._stopped = code, check_between("Place", stopped, 0, CODE_DEPTH - 1)
        super().__init__({
            "go": In(1), "begin": In(1), "stop": In(1), "execute": In(1), "zero": In(1),
            "negative": In(1), "start": In(1), "clear": In(1), "wrote": In(1),
            "word": Out(Instruction)})

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(CODE_DEPTH))
        next_ = Signal(range(CODE_DEPTH))
        returns = Signal(len(place) * self.CALLS)
        m.submodules.code = code = Memory(shape=32, depth=CODE_DEPTH, init=self._code,
                                          attrs={"ram_style": "block"})
        port, word = code.read_port(), self.word
        calls, back, taken = word.op == Op.CALL, word.op == Op.RETURN, self._taken(m)
        m.d.comb += [port.addr.eq(next_), port.en.eq(self.go), word.eq(port.data),
                     next_.eq(place + 1)]
        stops, stopped = Signal(name="stops"), Signal(name="stopped")
        m.d.comb += stops.eq(self.stop & ~stopped & (word.op != Op.SET))
        m.d.sync += stopped.eq(self.stop & (stopped | (stops & self.go)))
        with m.If(self.begin):
            m.d.comb += next_.eq(0)
        with m.Elif(stops):
            m.d.comb += next_.eq(self._stopped)
        with m.Elif(calls | ((word.op == Op.BRANCH) & taken)):
            m.d.comb += next_.eq(Cat(word.b, word.a))
        with m.Elif(back):
            m.d.comb += next_.eq(returns[:len(place)])
        with m.If(self.go):
            m.d.sync += place.eq(next_)
        with m.If(self.execute & calls):
            m.d.sync += returns.eq(Cat((place + 1)[:len(place)], returns))
        with m.If(self.execute & back):
            m.d.sync += returns.eq(returns >> len(place))
        return m

    def _taken(self, m):
        """Signal that is high if the branch condition holds."""
        taken = Signal()
        with m.Switch(self.word.d[:4]):
            for condition, holds in (
                    (Condition.ALWAYS, Const(1)), (Condition.ZERO, self.zero),
                    (Condition.NONZERO, ~self.zero), (Condition.NEGATIVE, self.negative),
                    (Condition.POSITIVE_OR_ZERO, ~self.negative),
                    (Condition.NEGATIVE_OR_ZERO, self.negative | self.zero),
                    (Condition.POSITIVE, ~self.negative & ~self.zero),
                    (Condition.START, self.start), (Condition.CLEAR, self.clear),
                    (Condition.WROTE, self.wrote), (Condition.QUIET, ~self.wrote)):
                with m.Case(condition):
                    m.d.comb += taken.eq(holds)
        return taken
