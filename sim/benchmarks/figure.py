# SPDX-License-Identifier: Apache-2.0
"""``xymac bench`` figure: excess cycles over the ideal for every benchmark, with its target."""

from xymac.host.cli.show.figure import blank_figure
from xymac.host.files.text import plain

__all__ = ["TITLE", "benchmark_figure"]

TITLE = "Cycles in RTL on base beyond the ideal"

_LEAST = 0.1  #: Per cent, where the axis begins: less is drawn there.
_MET, _MISSED, _ROOM = "#0072B2", "#D55E00", "0.75"


def benchmark_figure(title, results):
    """Figure for BenchmarkResults: measured and target excess over the ideal cycles, in per cent.

    Ratios lie between 1.003 and 5; a logarithmic excess axis separates them.
    """
    figure, [axes] = blank_figure(len(results), title)
    rows   = range(len(results))
    beyond = [_beyond(result.ratio) for result in results]
    limits = [_beyond(result.target) for result in results]
    axes.set_xscale("log")
    axes.hlines(rows, beyond, limits, color=_ROOM, linewidth=2,
                label="from the measured to the target")
    axes.plot(limits, rows, "|", color="black", markersize=17, markeredgewidth=2.5,
              label="target")
    for colour, met, label in ((_MET, True, "measured"), (_MISSED, False, "measured, missed")):
        some = [row for row in rows if (results[row].ratio <= results[row].target) is met]
        if some:
            axes.plot([beyond[row] for row in some], some, "o", color=colour, markersize=9,
                      label=label)
    axes.set_yticks(rows, [plain(result.benchmark) for result in results], parse_math=False)
    axes.set_ylabel("benchmark")
    axes.set_xlabel("cycles beyond the ideal, % of the ideal (logarithmic)")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlim(left=_LEAST / 1.3)
    _ratios(axes, results)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _beyond(ratio):
    return max(100 * (ratio - 1), _LEAST)


def _ratios(axes, results):
    """Write the measured numbers to the right of every row."""
    for row, result in enumerate(results):
        axes.text(1.01, row, f"{result.cycles:,} / {result.ideal:,.0f} = {result.ratio:.3f}, "
                             f"target {result.target:.2f}",
                  transform=axes.get_yaxis_transform(), va="center", size="small")
