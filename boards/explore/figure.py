"""The figure of ``xymac explore``: inputs a second against LUT4, and the front of each network."""

from boards.tools.resources import KINDS

from .point import front

__all__ = ["point_figure"]

#: Of Okabe and Ito, which differ for every kind of eyes, and of other shape as well.
_STYLES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"),
           ("#56B4E9", "P"), ("#000000", "X"))


def point_figure(points, networks, device):
    """Figure of Points: a series a network, its front as steps, every point by the name of its
    size."""
    from matplotlib.figure import Figure  # here, as it takes longer to load than most commands

    figure = Figure(figsize=(11, 6.5), layout="constrained")
    figure.suptitle(f"Inputs a second against {KINDS[0]}, {device}", parse_math=False)
    axes = figure.subplots()
    axes.set(yscale="log", ylabel="inputs a second (logarithmic)",
             xlabel=f"{KINDS[0]} (a point is built by: "
                    f"xymac fit --size ITS_NAME --device {device})")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.grid(alpha=0.3, which="both")
    axes.margins(x=0.12, y=0.08)
    for number, name in enumerate(networks):
        _draw(axes, points, name, *_STYLES[number % len(_STYLES)])
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _draw(axes, points, name, colour, marker):
    known = [point for point in points
             if point.luts is not None and point.rate(name) is not None]
    best  = front(points, name)
    axes.plot([point.luts for point in best], [point.rate(name) for point in best],
              color=colour, drawstyle="steps-post", alpha=0.6)
    axes.plot([point.luts for point in known], [point.rate(name) for point in known], marker,
              color=colour, fillstyle="none", markersize=9)
    axes.plot([point.luts for point in best], [point.rate(name) for point in best], marker,
              color=colour, markersize=9, label=f"{name}: filled, none is better")
    for point in known:
        axes.annotate(point.config.name, (point.luts, point.rate(name)), (0, 8),
                      textcoords="offset points", ha="center", size="small", parse_math=False)
