# SPDX-License-Identifier: Apache-2.0
"""Words between host and core per input, and their transfer time."""

from dataclasses import asdict, dataclass

from xymac.hdl.isa import Region
from xymac.host.device.link import answer_bytes, request_bytes
from xymac.host.errors import InputError
from xymac.host.executable.steps import COPY, TAKE, Host, Load, Read, Start, Write
from xymac.host.plural import plural

from .linker import compile_network

__all__ = ["BAUD", "CLOCK", "READ_CYCLES", "WRITE_CYCLES", "Traffic", "count_traffic"]

BAUD         = 2_000_000  #: Link rate of every board, bits per second.
CLOCK        = 100.0      #: Default clock of the core and its bus, MHz.
#: Cycles of a word over AXI4-Lite, for a master that waits for each answer; sim/blocks/core.py
#: measures them.
WRITE_CYCLES = 9
READ_CYCLES  = 23

_BYTE_BITS = 10  # UART bits per byte, with start and stop bits


@dataclass(frozen=True)
class Traffic:
    """A compiled network driver's transfers for a single input.

    Parameters
    ----------
    words_in, words_out : int, 32-bit words to and from the core: inputs and outputs, and for
        networks larger than the memories also programs, constants and intermediate values
    programs : int, programs written to the core; 0 if a single program stays there
    loads : int, constant blocks written
    starts : int, core runs
    frame_bytes : int, bytes in the host link's slower direction
    computed : int, layers that the host computes; their time is unknown

    Words written once for all inputs, and register accesses, are not counted.
    """

    words_in:    int
    words_out:   int
    programs:    int
    loads:       int
    starts:      int
    frame_bytes: int
    computed:    int = 0

    @property
    def words(self):
        """Words in both directions."""
        return self.words_in + self.words_out

    @property
    def bus_cycles(self):
        """AXI4-Lite port cycles."""
        return WRITE_CYCLES * self.words_in + READ_CYCLES * self.words_out

    @property
    def link_seconds(self):
        """Seconds over a board's link."""
        return self.seconds_at(BAUD)

    def seconds_at(self, baud):
        """Transfer time over a link with ``baud`` bits per second, seconds."""
        return self.frame_bytes * _BYTE_BITS / baud

    def as_json(self, clock=CLOCK):
        """All values as JSON-serialisable values, for a ``clock`` in MHz."""
        return asdict(self) | {
            "bus_cycles": self.bus_cycles, "bus_seconds": self.bus_cycles / (1e6 * clock),
            "link_seconds": self.link_seconds, "clock_mhz": clock, "link_baud": BAUD}

    def describe(self, cycles):
        """Sentence that compares the host transfer time per input with ``cycles`` on the core.
        """
        return (f"For an input the host moves {self.words_in:,} words in and {self.words_out:,} "
                f"out, with {plural(self.programs, 'program')} and {plural(self.loads, 'load')} of "
                f"constants: {_time(self.bus_cycles)} on a bus of {CLOCK:g} MHz, "
                f"{1e3 * self.link_seconds:,.2f} ms on a link of {BAUD / 1e6:g} Mbaud"
                + (f"; the core takes {_time(cycles)}" if cycles else "")
                + self.say_computed("; "))

    def say_computed(self, before=""):
        """Phrase about the host's layers, behind ``before``; empty if there are none."""
        count = self.computed
        return f"{before}the host computes {plural(count, 'layer')}, not timed" * bool(count)


def _time(cycles):
    return f"{cycles:,} cycles ({cycles / (1e3 * CLOCK):,.2f} ms)"


def count_traffic(network, config):
    """A Network's Traffic per input on a CoreConfig; None if the core cannot hold the network.
    """
    try:
        executable = compile_network(network, config)
    except InputError:
        return None
    moved = {kind: [executable.words(step) for step in executable.run if isinstance(step, kind)]
             for kind in (Load, Write, Start, Read)}
    words_in = [*moved[Load], *moved[Write]]
    loads    = [step.region for step in executable.run if isinstance(step, Load)]
    return Traffic(
        sum(words_in), sum(moved[Read]), loads.count(Region.PROGRAM),
        sum(region in (Region.X, Region.Y) for region in loads), len(moved[Start]),
        sum(map(request_bytes, words_in)) + sum(map(answer_bytes, moved[Read])),
        sum(isinstance(step, Host) and step.kernel not in (COPY, TAKE)
            for step in executable.run))
