# SPDX-License-Identifier: Apache-2.0
"""The README's results table, from measured tables."""

from xymac.hdl.config import BASE

from .documents import read_tables
from .networks import NETWORK_NAMES
from .table import markdown
from .vectors import DIALECTS, all_cases, rtl_checks

__all__ = ["headline"]

#: The networks that the README names, and how.
_NETWORKS = {"ic_resnet8": "image classification", "kws_ds_cnn": "keyword spotting",
             "vww_mobilenet": "visual wake words", "ad_autoencoder": "anomaly detection"}


def _row(table, first):
    """Cells by column head, from the ``table`` row that begins with ``first``."""
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")]
                      for line in read_tables()[table])
    [row] = [row for row in rows if row[0] == first]
    return dict(zip(head, row, strict=True))


def _network(benchmark, words):
    """A network's cycles and use, in words."""
    row = _row("networks", NETWORK_NAMES[benchmark])
    return f"{words} {row['cycles']} cycles, {row['used']} of them used"


def _rates(link):
    """Inputs a second for each network on the ULX3S-85F over a link."""
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")]
                      for line in read_tables()["pace"])
    [row] = [row for row in rows if row[0] == "`ulx3s-85f`" and row[3].startswith(link)]
    return {name: cell.partition(" ")[0] for name, cell in zip(head, row, strict=True)}


def _seeds(count):
    return "with its only seed" if int(count) == 1 else f"in the worst of {count} seeds"


def headline():
    """Results: exactness, utilisation, networks, boards."""
    checks = [rtl_checks(dialect).values() for dialect in DIALECTS]
    passed, total = (sum(column) for column in
                     zip(*(pair for pairs in checks for pair in pairs), strict=True))
    cases  = sum(map(len, all_cases().values()))
    conv   = _row("benchmarks", "conv 3x3, pad 1, 32x32x16 to 16, fx8")
    board  = _row("boards", "ulx3s-85f")
    rates  = {link: _rates(link) for link in ("UART", "bus", "DMA")}
    pairs  = "; ".join(f"{words} {', '.join(rate[words] for rate in rates.values())}"
                       for words in _NETWORKS.values())
    full   = (f"a 3x3 convolution takes {conv['cycles']} cycles on base, {conv['ratio']} times the "
              f"{conv['ideal']} that its products need on {BASE.products} multipliers")
    fast   = (f"inputs a second, end to end, predicted for a ULX3S-85F at {board['clock MHz']} "
              f"MHz, over its UART, by a processor on the core's bus, and by a DMA on SDRAM: "
              f"{pairs}; the peak is {board['products'].replace(' M/s', ' million')} products a "
              f"second; routing reaches {board['reached, worst']} MHz {_seeds(board['seeds'])}")
    each   = [_network(*item) for item in _NETWORKS.items()]
    return markdown(("question", "answer", "measured by"), [
        ("are the results those of the libraries?",
         f"{passed:,} of {total:,} checks of {cases:,} reference calls equal, bit for bit, in RTL",
         "`make regress`"),
        ("are the multipliers busy?", full, "`make bench`"),
        ("what do whole int8 networks take?",
         f"of MLPerf Tiny, on base: {'; '.join(each)}",
         "`xymac bench --networks`"),
        ("how fast is a board?", fast,
         "`make boards`, [figures](docs/figures.md#inputs-a-second)")])
