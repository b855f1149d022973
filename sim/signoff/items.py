# SPDX-License-Identifier: Apache-2.0
"""The checklist: verification stages V1, V2 and V3 for this core.

The stages follow the OpenTitan project
(https://opentitan.org/book/doc/project_governance/checklist/), with items for this core: its tests
are cocotb benches, and its reference is the golden model.
"""

from .item import Item
from .need import Need

__all__ = ["ITEMS", "SIZES"]

SIZES   = ("tiny", "base", "dma")  #: Cores whose coverage counts.
_PASSED = 0  # exit code


def _ran(evidence, least=1):
    """A step's end without a failure, and ``least`` passed tests or checks."""
    return (Need(evidence, "exit code", equals=_PASSED),
            *([Need(evidence, "passed", least=least)] if least else []))


def _regressed(*kinds):
    return tuple(need for kind in kinds for need in (
        Need(f"regress-{kind}", "passed", least=1), Need(f"regress-{kind}", "failed", equals=0),
        Need(f"regress-{kind}", "failures", equals="none")))


def _robust(group):
    return (Need(f"robust-{group}", "*", asked=True),
            Need(f"robust-{group}", "failures", equals="none"))


def _covered(least, *kinds):
    return tuple(Need("coverage", f"{size} {kind}", least=least)
                 for size in SIZES for kind in kinds)


_V1 = (
    Item("V1", "plan", "A document says how each part is verified and by which command",
         "cat docs/verification.md", files=("docs/verification.md",)),
    Item("V1", "benches", "Every block has a bench of its own, and the core has several",
         "make test FILE=tests/hdl", files=("sim/blocks", "tests/hdl/test_blocks.py")),
    Item("V1", "smoke", "Reference calls of a kernel pass in RTL on tiny",
         "xymac check tests/vectors --dialect mli-1 --match 'mli_krn_relu_fx16*' --backend rtl "
         "--size tiny", _ran("smoke")),
    Item("V1", "registers", "All registers are read and written, with every byte strobe",
         "make test FILE='tests/rtl/host tests/rtl/test_host.py'", _ran("registers")),
    Item("V1", "lint", "The style of all sources is checked", "make lint",
         _ran("lint", least=0)),
    Item("V1", "second simulator",
         "The smallest call of every function passes on tiny in CXXRTL as well as in Verilator",
         "make test FILE=tests/sim/test_second_simulator.py PYTEST_ARGS='-m long'",
         _ran("second-simulator")),
    Item("V1", "proofs are set up", "Properties are proved by one command", "make formal",
         (Need("formal", "properties", least=16),)),
    Item("V1", "regression is set up", "All tests and reference calls run as pieces of one command",
         "make regress", files=("sim/regress/command.py",)),
    Item("V1", "coverage is set up", "Coverage is counted in lines of the sources",
         "make coverage", (Need("coverage", "* line", least=50),)),
)
_V2 = (
    Item("V2", "all tests", "All tests pass with a new seed",
         "xymac regress --only tests,board,kit", _regressed("tests", "board", "kit")),
    Item("V2", "reference calls",
         "All reference calls of the four libraries pass on golden, machine and RTL",
         "xymac regress --only vectors", _regressed("vectors")),
    Item("V2", "random chains and networks", "Random passes, plans and networks equal golden",
         "xymac regress --only chains,networks", _regressed("chains", "networks")),
    Item("V2", "interfaces", "AXI4-Lite, AXI4 and the memory port keep their rules with pauses and "
         "errors", "make test FILE='tests/hdl/test_axi.py tests/hdl/test_axi4.py "
         "tests/hdl/test_dma.py'", _ran("interfaces")),
    Item("V2", "traffic during runs",
         "Random accesses beside programs change no result, and no word but those written",
         "xymac regress --only robust --match 'accesses*'",
         _robust("accesses")),
    Item("V2", "netlists",
         "A call of every function passes on the netlists of tiny, small and compact after "
         "synthesis",
         "xymac regress --only gates", _regressed("gates")),
    Item("V2", "firmware", "A processor runs networks on the core in simulation, out of its memory "
         "and its flash, and tells a wrong bit",
         "make test FILE=tests/sim/test_soc.py PYTEST_ARGS=\"-m ''\"", _ran("firmware", least=10)),
    Item("V2", "lines", "At least 90 % of the lines, branches and expressions are covered",
         "make coverage", _covered(90, "line", "branch", "expression")),
    Item("V2", "proofs", "Every property holds, is not empty and sees its planted faults",
         "make formal", (Need("formal", "proved", same="properties"),
                         Need("formal", "faults seen", same="planted faults"))),
    Item("V2", "mutants of the hardware", "At least 98 % of the sampled changes are noticed",
         "make mutants", (Need("mutants-hardware", "killed, percent", least=98),)),
    Item("V2", "functional coverage",
         "All crosses of kernels, libraries, types and borders, of faults, fetch and host, and of "
         "host accesses and program states are hit, but for reviewed exclusions", "make coverage",
         (Need("coverage", "* cross", least=100),)),
)
_V3 = (
    Item("V3", "line coverage", "All lines are covered, but for reviewed exclusions",
         "make coverage", _covered(100, "line")),
    Item("V3", "branch and expression coverage",
         "At least 98 % of the branches and expressions are covered", "make coverage",
         _covered(98, "branch", "expression")),
    Item("V3", "toggle coverage", "At least 95 % of the bits toggle", "make coverage",
         _covered(95, "toggle")),
    Item("V3", "states", "All states and arcs are reached, and a reset in every state",
         "make coverage", _covered(100, "state", "arc", "reset")),
    Item("V3", "no open survivor of the hardware",
         "Every change that no test notices is equivalent by a proof or a reviewed reason",
         "make mutants", (Need("mutants-hardware", "open", equals=0),
                          Need("mutants-hardware", "mutants", asked=True))),
    Item("V3", "mutants of the models", "At least 95 % of the sampled changes to golden, machine, "
         "lowering and plan are noticed without vendors' vectors",
         "python -m xymac.sim.mutants.software --save mutants-software",
         (Need("mutants-software", "percent*", least=95),)),
    Item("V3", "power-up", "Ten power-ups with every register and memory random end as golden",
         "make test FILE=tests/rtl/test_power_up.py PYTEST_ARGS='-m long'", _ran("power-up")),
    Item("V3", "unknown values", "Four-state simulation from power-up has no unknown output after "
         "reset, in Icarus Verilog", "make test FILE=tests/boards/test_simulators.py "
         "PYTEST_ARGS=\"-m ''\"", _ran("unknown-values", least=9)),
    Item("V3", "damaged files", "Each reader refuses or reads 100,000 damaged files",
         "xymac regress --only robust --match 'damaged files: *'", _robust("files")),
    Item("V3", "illegal programs",
         "Illegal programs and lists end, in RTL as on the golden machine",
         "xymac regress --only robust --match 'illegal *'", _robust("programs")),
    Item("V3", "bursts of errors",
         "No frame of the link with a burst of errors is taken for another",
         "xymac regress --only robust --match '* with bursts of errors*'", _robust("bursts")),
    Item("V3", "twenty seeds", "All random pieces pass with twenty seeds",
         "xymac regress --only tests --seeds 20",
         (Need("regress-tests", "seeds", goal=20), Need("regress-tests", "failed", equals=0))),
    Item("V3", "netlist of a whole board",
         "A network runs on the netlist that the bitstream of an iCE40 board has, over its UART",
         "make gates FILE=tests/sim/test_netlist.py", _ran("board-netlist", least=2)),
    Item("V3", "hardware", "A network runs on an FPGA board", "xymac run --board ulx3s-85f",
         missing="no board has been programmed"),
)

#: All items in order.
ITEMS = (*_V1, *_V2, *_V3)
