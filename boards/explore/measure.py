# SPDX-License-Identifier: Apache-2.0
"""Measure Points: synthesis and routing by the FPGA's tools, cycles by model or in RTL."""

from dataclasses import replace

from xymac.boards.alone import DEVICES, core_flow, target_of
from xymac.boards.design import CAPACITY
from xymac.boards.tools.report import read_report
from xymac.boards.tools.resources import KINDS, hard_cells
from xymac.host.cluster import run_all
from xymac.host.device.device import open_device
from xymac.host.errors import InputError
from xymac.host.network.inference import each_input, run_image
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.pace import DMA, LINKS, predict_dma
from xymac.host.network.predicted import predict_cycles
from xymac.host.network.session import Session
from xymac.host.network.traffic import count_traffic

from .point import Point

__all__ = ["add_all_cycles", "add_cycles", "begin", "build_all", "judge"]

_SEED = 1  # seed of placement and inputs


def begin(config, device, freq=None, link=LINKS[0]):
    """A CoreConfig's Point in a device from ``DEVICES``, with the values known without tools."""
    return judge(Point(config, device, hard_cells(config), "", float(freq or target_of(config)),
                       link=link))


def judge(point):
    """The Point with the resources missing in the device."""
    part, _  = DEVICES[point.device]
    capacity = CAPACITY[part.name.rpartition("-")[2]]
    lacking  = [f"{count:,} {kind} of {capacity[kind]:,}" for kind, count in point.cells.items()
                if count > capacity[kind]]
    return replace(point, trouble=", ".join(lacking))


def build_all(pool, points, *, freq=None, route=False, report=lambda message: None):
    """Synthesise the Points that may fit, and ``route`` them with a single seed if requested;
    Points in order.

    ``pool`` does the work, see ``open_pool``. ``report`` is called with a line after each Point.
    InputError if a tool is missing or fails; a design without a placement gets a ``trouble``
    instead.
    """
    def ended(_, point):
        report(f"{point.config.name}: {point.trouble or _describe(point)}")

    names = {f"{'routing' if route else 'synthesis'} of {point.config.name} for {point.device}"
             + (f" at {freq:g} MHz" if freq else ""): point for point in points}
    work  = {name: (_build, point, freq, route) for name, point in names.items()
             if not point.trouble}
    built = run_all(pool, work, ended)
    return [built.get(name, point) for name, point in names.items()]


def add_all_cycles(pool, points, networks, *, rtl=False, report=lambda name: None):
    """``add_cycles`` to Points, in their order; ``report`` is called with each size's name."""
    names = {f"cycles of {', '.join(networks)} on {point.config.name}{' in RTL' * rtl}": point
             for point in points}
    return [*run_all(pool, {name: (add_cycles, point, networks, rtl)
                            for name, point in names.items()},
                     lambda _, point: report(point.config.name)).values()]


def _describe(point):
    return f"{point.luts:,} LUT4" + (f", {point.clock:.1f} MHz" if point.routed else "")


def _build(point, freq, route):
    flow = core_flow(point.config, point.device, freq)
    flow.synthesise()
    used  = flow.count()
    point = judge(replace(point, cells={kind: used[kind] for kind in KINDS}))
    if point.trouble or not route:
        return point
    try:
        report = flow.route(_SEED)
    except InputError as error:
        return replace(point, trouble=str(error))
    fit = read_report(report, flow.blocks, flow.part.family.resources)
    return replace(point, cells={kind: fit.used[kind] for kind in KINDS}, clock=fit.fmax,
                   routed=True)


def add_cycles(point, networks, rtl=False):
    """The Point with cycles and host words for Networks, a dict by name.

    Cycles come from the model, or from a single RTL run if ``rtl``.
    """
    if not rtl:
        return _add_traffic(replace(point, cycles={
            name: _try_cycles(predict_cycles, network, point.config)
            for name, network in networks.items()}), networks)
    cycles, wrong = {}, set()
    with open_device("rtl", point.config) as device:
        for name, network in networks.items():
            cycles[name] = _try_cycles(_run, network, device, lambda name=name: wrong.add(name))
    return _add_traffic(replace(point, cycles=cycles, wrong=frozenset(wrong)), networks)


def _add_traffic(point, networks):
    """The Point with Traffic for the Networks with known cycles."""
    held = {name: network for name, network in networks.items()
            if not isinstance(point.cycles[name], str)}
    return replace(point, traffic={name: count_traffic(network, point.config)
                                   for name, network in held.items()},
                   lists={name: predict_dma(network, point.config)
                          for name, network in held.items()} if point.link == DMA else {})


def _try_cycles(measure, *arguments):
    """The result of ``measure``, or the reason why it fails, a str."""
    try:
        return measure(*arguments) or "computed by the host"
    except InputError as error:
        return str(error)


def _run(network, device, differs):
    """Cycles for a random input on a device; calls ``differs`` if golden has a different result."""
    [inputs] = each_input(random_images(network, _SEED).data)
    run = run_image(Session(network, device), inputs, 0)
    if run.difference is not None:
        differs()
    return run.cycles
