# SPDX-License-Identifier: Apache-2.0
"""Values within sentences of the documents, from the constants of the code."""

from xymac.boards.alone import target_of
from xymac.boards.board import all_boards, find_board
from xymac.boards.litex.flow import NEEDS, SYSTEMS
from xymac.hdl.config import BASE, SIZES, SMALL, TINY, find_size
from xymac.hdl.core.core import Core
from xymac.hdl.core.output import OutputStage
from xymac.hdl.isa import ACC_BITS, BACK_MAX, OWN_TABLES, TABLE_ENTRIES
from xymac.hdl.limits import PASSES_MAX, ROWS_MAX, WAYS
from xymac.host.device.link import RETRIES
from xymac.host.device.serial import answer_time
from xymac.host.files.reading import LIMIT
from xymac.host.kit.device.adapter import CYCLES, ELEMENT_CYCLES, Adapter
from xymac.host.network.traffic import BAUD, READ_CYCLES, WRITE_CYCLES
from xymac.sim.build.prune import KEPT, UNUSED

__all__ = ["read_sources"]


def _clocks():
    """Lowest and highest clock of the boards with a parallel core, MHz."""
    clocks = [board.clock for board in map(find_board, all_boards())
              if find_size(board.size).capabilities.parallel]
    return f"{min(clocks):g} to {max(clocks):g} MHz"


def _aim(*sizes):
    """The target clock that sizes share, MHz."""
    [clock] = {target_of(size) for size in sizes}
    return f"{clock:g} MHz"


def _choice(numbers):
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}"


def read_sources():
    """``{name: text}`` of every value."""
    products = [size.products for size in SIZES.values()]
    return {
        "accumulator":    f"{ACC_BITS} bits",
        "aim of base":    _aim(BASE),
        "aim of others":  _aim(SMALL, TINY),
        "bus read":       f"{READ_CYCLES}",
        "bus write":      f"{WRITE_CYCLES}",
        "bypass":         f"{OutputStage.SOONER}",
        "clocks":         _clocks(),
        "kept builds":    f"{KEPT}",
        "kept days":      f"{UNUSED // 86400} days",
        "kit cycles":     f"{CYCLES:,}", "kit element cycles": f"{ELEMENT_CYCLES:,}",
        "kit seconds":    f"{Adapter.seconds:g} seconds",
        "loop passes":    f"{BACK_MAX + 1}",
        "memory of base": f"{BASE.x_bytes >> 10} KiB of activations and "
                          f"{BASE.y_bytes >> 10} KiB of weights",
        "multipliers":    f"{min(products)} to {max(products)}",
        "own tables":     f"{len(OWN_TABLES)}",
        "passes":         f"{PASSES_MAX}",
        "read limit":     f"{LIMIT >> 30} GiB",
        "reset":          f"{Core.RESET}",
        "rows":           f"{ROWS_MAX}",
        "silence":        f"{RETRIES * answer_time(BAUD):.1f} s",
        "size name":      f"`{find_size('ways=2,x_rows=1024,y_rows=1024,passes=64,slots=4').name}`",
        **{f"soc clock {board}": f"{system.clock:g} MHz" for board, system in SYSTEMS.items()},
        "soc memories":   f"{NEEDS['block RAM']}",
        "soc multipliers": f"{NEEDS['MULT18X18D']}",
        "table entries":  f"{TABLE_ENTRIES:,}",
        "ways":           _choice(WAYS)}
