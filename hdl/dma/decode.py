# SPDX-License-Identifier: Apache-2.0
"""Decode: read a list's commands, refuse commands outside the format or the memories, and pass the
others on.
"""

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.config import WIDTHS
from xymac.hdl.core.registers import Image
from xymac.hdl.isa import (
    COMMAND_WORDS,
    COMMANDS_MAX,
    REGIONS,
    ROW_BYTES_MAX,
    ListStatus,
    Opcode,
    Region,
)
from xymac.hdl.limits import (
    check_between,
    check_one_of,
    check_passes,
    check_rows,
    check_ways,
)

from .bus import Ask
from .microcode import Add, First, Gate, Go, Read
from .records import ADDRESS, CORE, Move, Run
from .steps import Steps

__all__ = ["Decode"]

_WORD  = 32
_HALF  = 16
_SUM   = ADDRESS + 4
_SMALL = 1 << 5   # bytes of a command
_LARGE = 1 << 16  # a transfer, in ``Slot.SEEN``


class Decode(wiring.Component):
    """Pass on RUN and transfer commands, and stop at an END or at the first fault.

    Starts after a reset. A command outside the image, an image that ends beyond 32-bit addresses,
    and a list with more than ``most`` commands are not read. A command may wait only for commands
    before it, so every accepted list ends. A small machine with a single adder takes the steps of
    ``microcode``: 26 cycles for a RUN, 56 for a single-row transfer and 86 for a transfer with
    several rows, each plus the command burst and the bus latency. Honours backpressure; a command
    of either kind waits to be taken.

    Parameters
    ----------
    width : int, bus data bits: 32, 64 or 128
    ways : int, MACs per lane: 1, 2 or 4
    x_rows, y_rows : int, X and Y memory rows, 2 .. 4096
    passes : int, program memory depth, a power of two from 2 to 256
    most : int, most commands in a list, 2 .. ``COMMANDS_MAX``

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    image : In(Image), stable
    asks : Out(stream of Ask); beats : In(stream of ``width`` bits), always ready
    failed : In(1), with a beat: it has an error
    runs : Out(stream of Run), moves : Out(stream of Move)
    brings_run, brings_move : Out(1), a command of the kind is new in the next cycle
    end : Out(ListStatus), valid with ended : Out(1), which stays until a reset;
        entry : Out(16), the next command to pass on, or the last command
    """

    def __init__(self, *, width, ways, x_rows, y_rows, passes, most=COMMANDS_MAX):
        self._width  = check_one_of("Width", width, WIDTHS)
        self._most   = check_between("Most", most, 2, COMMANDS_MAX)
        self._passes = check_passes(passes)
        sizes = {"ways": check_ways(ways), "passes": passes, "x_rows": check_rows("X", x_rows),
                 "y_rows": check_rows("Y", y_rows)}
        self._bytes = {region: REGIONS[region].size(**sizes) for region in Region}
        super().__init__({
            "image": In(Image), "asks": Out(stream.Signature(Ask)),
            "beats": In(stream.Signature(width, always_ready=True)), "failed": In(1),
            "runs": Out(stream.Signature(Run)), "moves": Out(stream.Signature(Move)),
            "brings_run": Out(1), "brings_move": Out(1),
            "end": Out(ListStatus), "ended": Out(1), "entry": Out(16)})

    def elaborate(self, platform):
        m = Module()
        step = Steps(m)
        late = step.late
        sum_, word = Signal(signed(_SUM), name="sum"), Signal(_WORD, name="word", reset_less=True)
        bits, flags = Signal(_HALF, name="bits"), {
            name: Signal(name=name) for name in (
                "wraps", "outside", "illegal", "first_far", "far", "over", "below", "down",
                "dense", "bad_beat", "narrow", "plain", "carried", "whole", "moves",
                "ends")}
        kind = {code: Signal(name=f"is_{code.name.lower()}") for code in Opcode}
        here = {region: Signal(name=f"in_{region.name.lower()}") for region in (
            Region.X, Region.Y, Region.PROGRAM, Region.TABLES, Region.PLACES)}
        self._add(m, late, sum_, word, bits, flags, here)
        self._remember(m, step, sum_, word, flags)
        self._judge(m, step, sum_, word, flags, kind, here)
        self._measure(m, step, sum_, bits, flags, kind)
        self._fill(m, step, sum_, word, bits, flags, kind)
        self._go(m, step, bits, flags, kind, sum_)
        return m

    def _add(self, m, step, sum_, word, bits, flags, here):
        """Choose the step's operand, and add it a cycle later."""
        takes, image = Signal(name="takes_word"), self.image
        m.d.comb += takes.eq(step.word & Mux(step.gate == Gate.ALWAYS, 1, Mux(
            step.gate == Gate.BIT, bits[-1], (step.gate == Gate.DOWN) == flags["down"])))
        inner, small = step.inner, ~(here[Region.X] | here[Region.Y])
        mask  = Cat(Const((1 << 16) - 1, 16), (~(inner & small)).replicate(4),
                    ~inner | here[Region.Y], ~inner, Const((1 << 10) - 1, 10))
        mask  = Mux(step.signed, Const((1 << _WORD) - 1, _WORD), mask)
        limit = Const(0)
        for region, at in here.items():
            limit = limit | Mux(step.limit & at, self._bytes[region], 0)
        limit = limit[:CORE] if len(limit) > CORE else limit
        picked = Signal(_WORD, name="picked")
        m.d.comb += picked.eq(
            Mux(takes, word & mask, 0) | Mux(step.base, image.base, 0)
            | Mux(step.size, image.size, 0) | Mux(step.list, Cat(Const(0, 5), image.list), 0)
            | limit | Mux(step.small, _SMALL, 0) | Mux(step.large, _LARGE, 0))
        term, start = Signal(_SUM, name="term"), Signal(_SUM, name="start")
        carry, keeps, doubles = Signal(name="carry"), Signal(name="keeps"), Signal(name="doubles")
        after = Signal(signed(_SUM), name="after")
        m.d.comb += [start.eq(Mux(doubles, sum_ << 1, Mux(keeps, sum_, 0))),
                     after.eq(start + term + carry)]
        m.d.sync += [
            term.eq(Cat(picked, (takes & step.signed & word[-1]).replicate(_SUM - _WORD))
                    ^ step.minus.replicate(_SUM)),
            carry.eq(step.carry), doubles.eq(step.first == First.DOUBLE),
            keeps.eq((step.first == First.SUM) | ((step.first == First.RESET) & ~flags["down"])),
            sum_.eq(after),  # carried: into the upper half of the sum
            flags["carried"].eq(after[_HALF] ^ start[_HALF] ^ term[_HALF])]

    def _remember(self, m, step, sum_, word, flags):
        """The scratch memory, in banks as wide as a word."""
        banks = self._width // _WORD
        low   = exact_log2(banks)
        count = Signal(range(COMMAND_WORDS // banks), name="count")
        beat, failed, place = (delay(m, value, 1, name=name) for name, value in (
            ("beat", self.beats.p), ("beat_failed", self.failed), ("beat_number", count)))
        takes = Signal(name="takes")
        m.d.sync += [takes.eq(self.beats.valid), count.eq(count + self.beats.valid),
                     flags["whole"].eq(self.beats.valid & (count == COMMAND_WORDS // banks - 1))]
        read  = []
        for bank in range(banks):
            memory = Memory(shape=_WORD, depth=16 // banks, init=[])
            m.submodules[f"scratch_{bank}"] = memory
            writer, reader = memory.write_port(), memory.read_port(domain="comb")
            mine = step.store[:low] == bank
            m.d.comb += [
                writer.addr.eq(Mux(takes, place, step.store[low:])),
                writer.data.eq(Mux(takes, beat.word_select(bank, _WORD), sum_[:_WORD])),
                writer.en.eq(takes | (step.stores & mine)), reader.addr.eq(step.slot[low:])]
            read.append(reader.data)
        found = read[0]
        for bank in range(1, banks):
            found = Mux(step.slot[:low] == bank, read[bank], found)
        m.d.sync += word.eq(found)
        with m.If(takes & failed):
            m.d.sync += flags["bad_beat"].eq(1)

    def _judge(self, m, step, sum_, word, flags, kind, here):
        """Find format violations, word by word."""
        wrong, illegal = Signal(), flags["illegal"]
        narrow = flags["narrow"]
        uneven = ~narrow & (word[0] | (flags["plain"] & word[1]))
        top    = word[CORE:]
        disordered = sum_[-1] | ~flags["carried"] | (narrow & ~flags["moves"])
        with m.If(wrong | (step.adds[Add.ORDER] & disordered)):
            m.d.sync += illegal.eq(1)
        with m.If(step.reads[Read.KIND]):
            codes = [word[:4] == code.value for code in Opcode]
            m.d.sync += [*(bit.eq(code) for bit, code in zip(kind.values(), codes, strict=True)),
                         narrow.eq(word[4]), illegal.eq(word[5:].any() | ~Cat(codes).any())]
        with m.If(step.reads[Read.ORDER]):
            m.d.sync += flags["first_far"].eq(word[exact_log2(self._passes):].any())
        with m.If(step.reads[Read.CORE]):
            x = word[CORE - 2:] == 1
            known = [x, word[CORE - 1:] == 1, *(
                word[16:] == region.value >> 16 for region in (*here,)[2:])]
            plain = ~word[CORE - 2:].any()
            m.d.comb += wrong.eq(Mux(narrow, ~x, word[0] | (plain & word[1])))
            m.d.sync += [*(bit.eq(at) for bit, at in zip(here.values(), known, strict=True)),
                         flags["plain"].eq(plain),
                         flags["far"].eq(~Cat(known).any() | (kind[Opcode.STORE] & ~x))]
        with m.If(step.reads[Read.SIZE]):
            over = word[21:].any() | (word[20] & word[:20].any())
            m.d.comb += wrong.eq((word == 0) | over | uneven)
        with m.If(step.reads[Read.ROWS]):
            m.d.comb += wrong.eq(~word[:_HALF].any() | word[_HALF:].any())
        with m.If(step.reads[Read.STRIDE]):
            m.d.comb += wrong.eq(uneven | (top.any() & ~top.all()))
        assert ROW_BYTES_MAX == 1 << 20

    def _measure(self, m, step, sum_, bits, flags, kind):
        """Note where the sum leads."""
        negative = sum_[-1]
        for event, flag, value in (
                (Add.WRAPS, "wraps", sum_[_WORD]),
                (Add.LEFT, "outside", flags["wraps"] | negative),
                (Add.DENSE, "dense", kind[Opcode.LOAD] & (sum_[:_WORD] == 0)),
                (Add.DOWN, "down", negative),
                (Add.MULTIPLY, "over", flags["over"] | (sum_[-3:].any() & ~sum_[-3:].all())),
                (Add.BELOW, "below", negative),
                (Add.FAR, "far", flags["far"] | flags["over"] | flags["below"] | ~negative)):
            with m.If(step.adds[event]):
                m.d.sync += flags[flag].eq(value)
        with m.If(step.adds[Add.FAR]):
            m.d.sync += flags["over"].eq(0)
        with m.If(step.adds[Add.BITS]):
            m.d.sync += bits.eq(sum_[:_HALF])
        with m.If(step.reads[Read.MULTIPLY]):
            m.d.sync += bits.eq(bits.rotate_left(1))

    def _fill(self, m, step, sum_, word, bits, flags, kind):
        """Fill in the records."""
        run, move = self.runs.p, self.moves.p
        for event, changes in (
                (Read.RUN_WAITS, (run.order.others.eq(word[_HALF:]),
                                   run.order.entry.eq(self.entry))),
                (Read.RUN_FIRST, (run.first.eq(word),)),
                (Read.MOVE_WAITS, (
                    move.order.others.eq(word[:_HALF]), move.order.entry.eq(self.entry),
                    move.rows.eq(bits), move.dense.eq(flags["dense"]),
                    move.narrow.eq(flags["narrow"]), move.store.eq(kind[Opcode.STORE]),
                    move.fill.eq(kind[Opcode.FILL]))),
                (Read.MOVE_CORE, (move.core.eq(word),)),
                (Read.MOVE_STRIDE, (move.stride.eq(word),)),
                (Read.MOVE_CORE_STRIDE, (move.core_stride.eq(word[:CORE + 1].as_signed()),)),
                (Read.MOVE_LAST, (move.last.eq(word), move.reach.eq(word)))):
            with m.If(step.reads[event]):
                m.d.sync += changes
        with m.If(step.adds[Add.MOVE_CORE]):
            m.d.sync += move.offset.eq(sum_)
        with m.If(step.reads[Read.MOVE_REACH] & flags["dense"]):
            m.d.sync += move.reach.eq(word)
        for passed, brings, event in ((self.runs, self.brings_run, Read.RUN_FIRST),
                                      (self.moves, self.brings_move, Read.MOVE_REACH)):
            m.d.comb += brings.eq(step.reads[event])
            m.d.sync += passed.valid.eq(brings | (passed.valid & ~passed.ready))

    def _go(self, m, step, bits, flags, kind, sum_):
        """Choose the next step."""
        burst, beats = self.asks.p.burst, 8 * COMMAND_WORDS * 4 // self._width
        endless = Signal()
        m.d.sync += endless.eq(self.entry == self._most)
        unread = flags["bad_beat"] | endless | flags["outside"]
        reason = Mux(flags["bad_beat"], ListStatus.BUS, Mux(
            endless, ListStatus.ENDLESS, ListStatus.OUTSIDE))
        moves, ends = flags["moves"], flags["ends"]  # known a cycle later than the other flags
        beyond = Mux(moves, flags["far"], kind[Opcode.RUN] & flags["first_far"])
        status = Mux(unread, reason, Mux(flags["illegal"], ListStatus.ILLEGAL, Mux(
            beyond, ListStatus.OUTSIDE, ListStatus.OK)))
        m.d.sync += [
            moves.eq(kind[Opcode.LOAD] | kind[Opcode.STORE] | kind[Opcode.FILL]),
            ends.eq(unread | flags["illegal"] | beyond | kind[Opcode.END])]
        turns, some, full = Signal(4, name="turns"), Signal(name="some"), Signal(name="full")
        waits = Signal(name="waits")
        repeats = step.goes(Go.REPEAT)
        m.d.sync += [some.eq(bits.any()), turns.eq(Mux(repeats, turns + 1, 0)),
                     full.eq(repeats & (turns == 14))]
        m.d.comb += [  # the sum is kept while a beat is missing
            burst.address.eq(sum_), burst.beats.eq(beats - 1), self.asks.p.command.eq(1)]
        asks, decides, done = step.goes(Go.ASK), step.goes(Go.DECIDE), step.goes(Go.DONE)
        with m.If(self.asks.ready | asks):
            m.d.sync += self.asks.valid.eq(asks & ~unread)
        with m.If(decides):
            m.d.sync += [self.end.eq(status), self.ended.eq(ends)]
        with m.If(done):
            m.d.sync += self.entry.eq(self.entry + 1)
        m.d.sync += waits.eq(Mux(moves, self.moves.valid, self.runs.valid))
        m.d.comb += [
            step.holds.eq((step.goes(Go.TAKE) & ~flags["whole"]) | (repeats & some & ~full)
                          | (decides & (ends | waits))),
            step.jumps.eq((asks & unread) | (step.goes(Go.FAILED) & flags["bad_beat"])
                          | ((step.goes(Go.KIND) | decides) & ~moves)
                          | (step.goes(Go.FILL) & kind[Opcode.FILL]) | step.goes(Go.NEXT) | done)]
