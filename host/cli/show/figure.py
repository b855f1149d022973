# SPDX-License-Identifier: Apache-2.0
"""Figures for ``--plot``: drawn without a display, written as PNG or SVG."""

from pathlib import Path

from xymac.host.errors import InputError
from xymac.host.files import check_writable, write_whole
from xymac.host.files.text import plain
from xymac.host.network.cost import total_cost

__all__ = ["FORMATS", "blank_figure", "check_figure", "layer_figure", "layer_title",
           "save_figure"]

FORMATS = (".png", ".svg")

#: Colour and meaning of the cycle counters. The colours, by Okabe and Ito,
#: are distinct for all kinds of colour vision.
_COUNTERS = {"issued": ("#0072B2", "issued: a step on the array"),
             "x":      ("#E69F00", "stall x: no X address ready"),
             "y":      ("#F0E442", "stall y: no Y address ready, or a bias is read"),
             "drain":  ("#D55E00", "drain: output stage busy, or its results awaited"),
             "fetch":  ("#CC79A7", "fetch: no pass ready"),
             "host":   ("#56B4E9", "host: a host read")}
_IDEAL = "ideal: useful work on a full array"
#: Text stays text, and element names are reproducible.
_RC = {"svg.fonttype": "none", "svg.hashsalt": "xymac"}
_WIDTH, _ROW, _AROUND = 11, 0.36, 1.9  # inches


def check_figure(path):
    """Raise InputError unless the figure ``path`` can be written; called before long work."""
    if Path(path).suffix.lower() not in FORMATS:
        raise InputError(f"The file of a figure must end in {' or '.join(FORMATS)}, not {path}")
    check_writable(path)


def blank_figure(rows, title, *, columns=1):
    """A figure with ``rows`` rows, and its axes from left to right with the first row on top."""
    from matplotlib.figure import Figure  # here, as it takes longer to load than most commands

    figure = Figure(figsize=(_WIDTH, _AROUND + _ROW * rows), layout="constrained")
    figure.suptitle(plain(title), parse_math=False)
    every = figure.subplots(1, columns, sharey=True, squeeze=False)[0]
    every[0].set_ylim(rows - 0.4, -0.6)
    for axes in every:
        axes.grid(axis="x", alpha=0.3)
        axes.set_axisbelow(True)
    return figure, every


def save_figure(path, figure, *, description=None):
    """Write a figure to ``path`` in the format of its name; the same figure gives the same file.

    ``description`` is text stored in the file beside the drawing.
    """
    from matplotlib import rc_context

    kind = Path(path).suffix.lower().removeprefix(".")
    data = {"Date": None} if kind == "svg" else {}
    if description is not None:
        data["Description"] = description
    with write_whole(path) as partial, rc_context(_RC):
        figure.savefig(partial, format=kind, dpi=120, metadata=data)


def layer_title(name, size, costs):
    """Figure title for a network's LayerCosts on a size, with the cycles for all layers."""
    total = total_cost(costs)
    if total.counters is None:
        return f"{name}, size {size}: ideal {total.ideal:,.0f} cycles"
    return (f"{name}, one image on {size}: {total.cycles:,} cycles, ideal {total.ideal:,.0f} "
            f"({total.ideal / total.cycles:.0%})")


def layer_figure(title, costs):
    """LayerCosts figure: cycles by cause with the ideal cycles, and the same in per cent.

    Only the ideal cycles if cycles were not counted.
    """
    counted = costs[0].counters is not None
    figure, every = blank_figure(len(costs), title, columns=1 + counted)
    every[0].set_yticks(range(len(costs)), parse_math=False,
                        labels=[plain(f"{cost.name}: {cost.kernel}") for cost in costs])
    every[0].set_ylabel("layer")
    if counted:
        _stack(every[0], costs, [1] * len(costs))
        scales = [100 / cost.cycles if cost.cycles else 0 for cost in costs]
        _stack(every[1], costs, scales)
        # A search can take fewer cycles than its ideal, which counts elements one by one.
        highest = max(cost.ideal * scale for cost, scale in zip(costs, scales, strict=True))
        every[1].set(xlim=(0, max(100, highest)), xlabel="share of the cycles of the layer, %")
    else:
        every[0].barh(range(len(costs)), [cost.ideal for cost in costs], color="0.6", label=_IDEAL)
    _write_cycles(every[0], [cost.cycles if counted else cost.ideal for cost in costs],
                  [cost.ideal for cost in costs])
    figure.legend(*every[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _write_cycles(axes, lengths, ideals):
    """Write the cycle count behind every bar and its mark of the ideal, within the axis."""
    longest = max(*ideals, *lengths)
    for row, (length, ideal) in enumerate(zip(lengths, ideals, strict=True)):
        axes.text(max(length, ideal) + longest / 80, row, f"{length:,.0f}", va="center")
    axes.set(xlim=(0, 1.2 * longest), xlabel="cycles")
    axes.xaxis.set_major_formatter("{x:,.0f}")


def _stack(axes, costs, scales):
    """Stacked counter bars with markers at the ideal cycles; ``scales`` has a factor per layer."""
    rows, starts = range(len(costs)), [0] * len(costs)
    for name, (colour, meaning) in _COUNTERS.items():
        widths = [cost.counters[name] * scale for cost, scale in zip(costs, scales, strict=True)]
        if any(widths):
            axes.barh(rows, widths, left=starts, height=0.7, color=colour, label=meaning)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.plot([cost.ideal * scale for cost, scale in zip(costs, scales, strict=True)], rows,
              color="black", marker="|", markersize=17, markeredgewidth=2.5, linestyle="none",
              label=_IDEAL, clip_on=False)
