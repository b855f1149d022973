# SPDX-License-Identifier: Apache-2.0
"""Import the rewritten hardware sources in a process that elaborates mutants."""

import importlib.machinery
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from amaranth.hdl import Fragment, Signal, _ast, _dsl, _ir, _nir

from .rewrite import POINTS
from .scan import HDL, scan

__all__ = ["install", "mutated"]

_PACKAGE = "xymac.hdl"


class _Loader(importlib.machinery.SourceFileLoader):
    """Rewritten-source loader; it leaves no bytecode."""

    def __init__(self, name, path, tree, points):
        super().__init__(name, path)
        self._tree, self._points = tree, points

    def get_code(self, fullname):
        return compile(self._tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module):
        setattr(module, POINTS, self._points)
        super().exec_module(module)


class _Finder(importlib.machinery.PathFinder):
    """Finder for sources below ``root`` as modules below ``package``."""

    def __init__(self, points, package, root):
        self._points, self._package, self._root = points, package, root

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self._package and not fullname.startswith(f"{self._package}."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return spec
        file = Path(spec.origin).relative_to(self._root).as_posix()
        spec.loader = _Loader(fullname, spec.origin, scan(self._root)[file][0], self._points)
        return spec


def install(points, package=_PACKAGE, root=HDL):
    """From now on, import the ``package`` sources in ``root`` rewritten.

    RuntimeError if a package module is loaded already.
    """
    loaded = [name for name in sys.modules if name == package or name.startswith(f"{package}.")]
    if loaded:
        raise RuntimeError(f"{loaded[0]} was imported before its mutants were built")
    sys.meta_path.insert(0, _Finder(points, package, root))


@contextmanager
def mutated(points):
    """Context in which Amaranth elaborates and converts components with mutation points."""
    create, emit = Signal.__init__, _ir.NetlistEmitter.emit_drivers

    def note(self, *args, init=None, src_loc_at=0, **options):
        create(self, *args, init=init, src_loc_at=src_loc_at + 1, **options)
        points.note_signal(self, init)

    def emit_drivers(self):
        changed = _add_resets(self, points)
        try:
            emit(self)
        finally:
            for signal in changed:
                signal._reset_less = False

    def check(statement):
        if not isinstance(statement, _ast.Switch):  # its contents were checked without it
            check_others(statement)

    def get(component, platform):
        with points.elaborating(component) as shared:
            fragment = get_other(component, platform)
        if shared:
            fragment.add_statements("comb", shared)
        return fragment

    check_others, get_other = _dsl._check_stmt, Fragment.get
    with patch.object(Signal, "__init__", note), \
            patch.object(_dsl, "_check_stmt", check), \
            patch.object(Fragment, "get", staticmethod(get)), \
            patch.object(_ir.NetlistEmitter, "emit_drivers", emit_drivers), \
            patch.object(_dsl, "Property", (_ast.Property, _ast.Switch)):
        yield


def _add_resets(emitter, points):
    """Give registers with a reset-value mutant both values; returns their Signals."""
    changed = []
    for driver in [each for drivers in emitter.drivers.values() for each in drivers.values()]:
        signal, domain = driver.signal, driver.domain
        if id(signal) not in points.initial_values or domain is None or domain.rst is None or (
                domain.async_reset or signal.reset_less):
            continue
        site = points.initial_values[id(signal)][1]
        if not points._allow(site, {1: signal}):
            continue
        other = (signal.init + 1) & ((1 << len(signal)) - 1)
        if points.only is not None:
            values = [(None, other if points.only == (site, 1) else signal.init)]
        else:
            values = [(None, signal.init), (site, other)]
        for number, value in values:
            driver.assignments.append(_nir.Assignment(
                cond=_condition(emitter, driver, points, number), start=0,
                value=_nir.Value.from_const(value, len(signal)), src_loc=signal.src_loc))
        signal._reset_less = True
        changed.append(signal)
    return changed


def _condition(emitter, driver, points, site):
    """Reset net, restricted to the mutant of ``site`` unless it is None."""
    module, place = driver.module_idx, driver.signal.src_loc
    nets = [(emitter.emit_signal(driver.domain.rst), "1")]
    if site is not None:
        nets.append((emitter.emit_signal(points.site), format(site, f"0{len(points.site)}b")))
    condition = _nir.Net.from_const(1)
    for value, pattern in nets:
        match = emitter.emit_matches(module, value, (pattern,), src_loc=place)
        condition, = emitter.emit_priority_match(module, condition, _nir.Value([match]),
                                                 src_loc=place)
    return condition
