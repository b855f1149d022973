# SPDX-License-Identifier: Apache-2.0
"""The ``xymac explore`` figure: inputs per second against LUT4, with each network's Pareto
front."""

import re

from xymac.boards.tools.resources import KINDS
from xymac.host.files.text import plain

from .point import front

__all__ = ["point_figure"]

#: Colours by Okabe and Ito, distinct for all kinds of colour vision, and marker shapes.
_STYLES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"),
           ("#56B4E9", "P"), ("#000000", "X"))
_COUNT = "{x:,.10g}"  # inputs a second: 12,500
_NAME = 17  # characters of a network name in the list


def point_figure(points, networks, device):
    """Draw Points: a series per network, its Pareto front as steps.

    Points have numbers; a list beside the plot gives their sizes and the words moved by the host.
    """
    from matplotlib.figure import Figure  # slow import

    known  = [point for point in points if point.luts is not None and not point.trouble]
    height = max(6.5, 0.22 * len(known) + 1.5)
    figure = Figure(figsize=(13, height), layout="constrained")
    figure.suptitle(f"Inputs a second against {KINDS[0]}, {device}", parse_math=False)
    axes, names = figure.subplots(1, 2, width_ratios=(2, 1))
    axes.set(yscale="log", ylabel="inputs a second, end to end (logarithmic)", xlabel=KINDS[0])
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter(_COUNT)
    axes.yaxis.set_minor_formatter(_small_steps())
    axes.grid(alpha=0.3, which="both")
    axes.margins(x=0.12, y=0.08)
    for number, name in enumerate(networks):
        _draw(axes, known, name, *_STYLES[number % len(_STYLES)])
    names.set_axis_off()
    names.text(0, 1, "\n".join(_spaced(line) for line in _list(known, networks, device)), va="top",
               family="monospace", size="small", parse_math=False, transform=names.transAxes)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _small_steps():
    """The default formatter of steps between powers of ten, which names some of them in a narrow
    range; its texts are like those of the powers.
    """
    from matplotlib.ticker import LogFormatterSciNotation

    class Counts(LogFormatterSciNotation):
        def __call__(self, x, pos=None):
            return _COUNT.format(x=x) if super().__call__(x, pos) else ""

    return Counts()


def _legend(name):
    """A name without characters read as formulas in a legend."""
    return plain(name).replace("$", r"\$")


def _spaced(line):
    """A line whose first space and runs of spaces stay as wide as they are in an SVG file."""
    return re.sub(r"^ | {2,}", lambda run: "\u00a0" * len(run[0]), plain(line))


def _list(points, networks, device):
    """Lines with the size for each point number, and the words moved by the host per input, by
    network.
    """
    yield f"xymac fit --device {device}"
    yield f"{'--size':28}32-bit words moved per input:"
    yield f"{'':28}{' '.join(f'{name[:_NAME]:>{_NAME}}' for name in networks)}"
    for number, point in enumerate(points, 1):
        moved = [point.traffic.get(name) for name in networks]
        cells = ["-" if traffic is None else f"{traffic.words:,}" for traffic in moved]
        cells = " ".join(f"{cell:>{_NAME}}" for cell in cells)
        yield f"{number:>2}  {point.config.name:24}{cells}"


def _draw(axes, points, name, colour, marker):
    rates = {number: (point.luts, point.rate(name)) for number, point in enumerate(points, 1)
             if point.rate(name) is not None}
    if not rates:
        axes.plot([], [], marker, color=colour, label=f"{_legend(name)}: none can hold it")
        return
    best  = [(point.luts, point.rate(name)) for point in front(points, name)]
    axes.plot(*zip(*best, strict=True), color=colour, drawstyle="steps-post", alpha=0.6)
    axes.plot(*zip(*rates.values(), strict=True), marker, color=colour, fillstyle="none",
              markersize=9)
    axes.plot(*zip(*best, strict=True), marker, color=colour, markersize=9,
              label=f"{_legend(name)}: filled where no size is better")
    for place, numbers in group_close(rates).items():
        axes.annotate("\n".join(numbers), place, (0, 8), textcoords="offset points", ha="center",
                      size="x-small")


def group_close(places):
    """Number labels by position; positions too close for separate labels share a label.

    ``places`` are (LUT4, rate) by number; close means within 1/50 of the LUT4 range and 1/10 of the
    rate.
    """
    width  = max(luts for luts, _ in places.values()) - min(luts for luts, _ in places.values())
    groups = {}
    for number, (luts, rate) in sorted(places.items(), key=lambda item: item[1]):
        place = next((first for first in groups if luts - first[0] <= width / 50
                      and abs(rate / first[1] - 1) <= 0.1), (luts, rate))
        groups.setdefault(place, []).append(number)
    return {place: _rows(sorted(numbers)) for place, numbers in groups.items()}


def _rows(numbers):
    """Numbers as texts, three in each."""
    return [", ".join(map(str, numbers[at:at + 3])) for at in range(0, len(numbers), 3)]
