"""xymac: exact models of fixed-point kernels, a core that runs them, and a kit for cores of others.

This module is the door: whatever the documents promise to Python is found here, and nothing else
needs to be imported. Names are loaded when they are asked for. The first one that is checks that
the packages behind this door are ours: where another file hides one of them, that is an
ImportError which names the file.

It is the plugin of pytest as well, which adds options and does nothing else without
``--xymac-dut``.
"""

from argparse import ArgumentTypeError
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("hdl", "golden", "host", "sim", "boards")
#: Names that are modules themselves.
_MODULES = {
    **{name: f"golden.{name}" for name in ("mli1", "mli2", "tflm", "xs3")},
    **{f"{name}_functions": f"golden.api.{name}.functions" for name in ("mli1", "mli2", "xs3")},
}
#: Where the other names are.
_NAMES = {
    "golden": ("run",),
    "hdl.config": ("CORES",),
    "host": ("Device", "Images", "InputError", "Network", "Node", "Plan", "Session", "classify",
             "join_layers", "load_images", "load_model", "load_network", "open_device", "predict",
             "run_layer", "save_network"),
    "host.api": ("on_device",),
    "host.plan.tiled": ("make_plan",),
    "host.plan.views": ("run_in_memory", "view_nodes"),
    "host.tflite.reader": ("read_model",),
    "host.tflite.run": ("run_model",),
    "host.tflite.writer": ("write_model",),
    "host.vectors.files": ("read_cases", "select_cases"),
    "host.vectors.check": ("build_layer", "check_cases"),
    "host.kit.case": ("Case",),
    "host.kit.device.adapter": ("Adapter", "Supports"),
    "host.kit.device.packing": ("UnknownBitsError", "pack", "read", "unpack"),
    "host.kit.explain": ("Verdict", "explain"),
    "host.kit.requantise": ("Requantise",),
    "host.kit.rule": ("Rule",),
    "host.kit.stimuli.generate": ("generate",),
    "host.kit.write.vectors": ("write_vectors",),
    "sim.kit.axi": ("Axi",),
    "sim.kit.check": ("check",),
    "sim.kit.ports": ("drive",),
}

__all__ = sorted([*_MODULES, *(name for names in _NAMES.values() for name in names)])


def _load(name):
    """A module of ours; ImportError if another file hides one of our packages."""
    folder = Path(__file__).resolve().parent
    for package in _PACKAGES:
        spec   = find_spec(package)
        origin = Path(spec.origin or "nowhere") if spec else None
        if origin is None or origin.resolve() != folder / package / "__init__.py":
            raise ImportError(
                f"xymac needs its own package {package!r} of {folder / package}, but "
                f"{_place(spec)} hides it: rename that, or keep it off the path")
    return import_module(name)


def _place(spec):
    """What a spec names, for a sentence."""
    if spec is None:
        return "nothing"
    return spec.origin or ", ".join(spec.submodule_search_locations or ())


def __getattr__(name):
    if name in _MODULES:
        return _load(_MODULES[name])
    for module, names in _NAMES.items():
        if name in names:
            return getattr(_load(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})


def _whole(least):
    """Type of an option that is an int of at least ``least``."""
    def read_int(text):
        if not text.isdecimal():
            raise ArgumentTypeError(f"invalid int value: {text!r}")
        if int(text) < least:
            raise ArgumentTypeError(f"must be at least {least}, not {int(text)}")
        return int(text)
    return read_int


def pytest_addoption(parser):
    """The options of the plugin of pytest."""
    group = parser.getgroup("xymac", "xymac: verify an accelerator")
    group.addoption("--xymac-dut", metavar="FILE", help="adapter of the device, a file of Python")
    group.addoption("--xymac-cases", metavar="N", type=_whole(1), default=100,
                    help="cases drawn of every operation (default: 100)")
    group.addoption("--xymac-seed", metavar="N", type=_whole(0), default=0,
                    help="of the cases that are drawn (default: 0)")
    group.addoption("--xymac-report", metavar="DIR",
                    help="write report.html and report.json to this folder")
    group.addoption("--xymac-vectors", metavar="DIR",
                    help="reference vectors in place of those that come with xymac")
    group.addoption("--xymac-network", metavar="FILE", action="append", default=[],
                    help="a network beside those that come with xymac; more than one is allowed")


def pytest_configure(config):
    """Register the plugin itself if there is a device."""
    if config.getoption("xymac_dut"):
        config.pluginmanager.register(_load("host.kit.plugin").Kit(config), "xymac-kit")
