# SPDX-License-Identifier: Apache-2.0
"""Exact models of fixed-point kernels, a core that runs them, and a kit for others' cores.

Run a TensorFlow Lite network on the core, simulated, with every layer compared::

    import xymac

    network = xymac.load_model("net.tflite")
    images  = xymac.load_images("images.npz", network)   # arrays, or a folder of PNG files
    with xymac.open_device("rtl", "base") as device:      # or "machine", a model in numpy
        inference = xymac.classify(network, images.data, device=device)
    print(inference.predictions, inference.difference, inference.cycles)

Networks: ``load_model`` reads a file, ``join_layers`` joins layers, ``Session`` keeps a network on
a device and has every layer's output, ``save_network`` writes an ``.npz`` file.

Layers: ``mli1``, ``mli2``, ``tflm`` and ``xs3`` are packages of layers and tensors. ``run``
computes a layer exactly, ``run_layer`` on a device, ``predict`` its cycles; ``Plan`` and
``make_plan`` compile layers to a program.

TensorFlow Lite files: ``read_model``, ``run_model`` and ``write_model``.

Functions by their C names: ``mli1_functions``, ``mli2_functions`` and ``xs3_functions``, and
``on_device`` for a device's functions.

Others' accelerators: ``Adapter``, ``Supports``, ``Rule``, ``generate``, ``check``, ``explain``.

``InputError``, a ValueError, is one sentence about an unusable input. A module loads when a
program asks for a name in it, so ``help(xymac.load_model)`` and the like show the rest.
The names in ``__all__`` are the API; the packages ``xymac.hdl``, ``xymac.golden``, ``xymac.host``,
``xymac.sim`` and ``xymac.boards`` are the implementation. ``xymac --help`` lists the commands.
"""

import os
import sys
from importlib import import_module

TYPE_CHECKING = False  # for type checkers; typing stays unloaded
if TYPE_CHECKING:
    from typing import Any

__version__: str

# A wheel has the packages in this folder; a checkout has their folders beside this folder.
if not os.path.isdir(os.path.join(__path__[0], "hdl")):
    __path__.append(os.path.dirname(__path__[0]))

#: Names that are modules themselves.
_MODULES = {
    **{name: f"xymac.golden.{name}" for name in ("mli1", "mli2", "tflm", "xs3")},
    **{f"{name}_functions": f"xymac.golden.api.{name}.functions"
       for name in ("mli1", "mli2", "xs3")},
}
#: Where the other names are.
_NAMES = {
    "xymac.golden": ("run",),
    "xymac.hdl.config": ("CORES",),
    "xymac.host": ("Device", "Images", "InputError", "Network", "Node", "Plan", "Refusal",
                   "Session", "classify", "join_layers", "load_images", "load_model",
                   "load_network", "open_device", "predict", "run_layer", "save_network"),
    "xymac.host.api": ("on_device",),
    "xymac.host.plan.tiling.tiled": ("make_plan",),
    "xymac.host.plan.views": ("run_in_memory", "view_nodes"),
    "xymac.host.tflite.reader": ("read_model",),
    "xymac.host.tflite.run": ("run_model",),
    "xymac.host.tflite.writer": ("write_model",),
    "xymac.host.vectors.files": ("read_cases", "select_cases"),
    "xymac.host.vectors.check": ("build_layer", "check_cases"),
    "xymac.host.kit.case": ("Case",),
    "xymac.host.kit.device.adapter": ("Adapter", "Supports"),
    "xymac.host.kit.device.packing": ("UnknownBitsError", "pack", "read", "unpack"),
    "xymac.host.kit.explain": ("Verdict", "explain"),
    "xymac.host.kit.requantise": ("Requantise",),
    "xymac.host.kit.rule": ("Rule",),
    "xymac.host.kit.stimuli.generate": ("generate",),
    "xymac.host.kit.write.vectors": ("write_vectors",),
    "xymac.sim.kit.axi": ("Axi",),
    "xymac.sim.kit.handshake": ("Handshake",),
    "xymac.sim.kit.registers": ("Apb", "Wishbone"),
    "xymac.sim.kit.stream": ("Stream",),
    "xymac.sim.kit.check": ("check",),
    "xymac.sim.kit.ports": ("drive",),
}

_ALL = sorted([*_MODULES, *(name for names in _NAMES.values() for name in names)])


def __getattr__(name: str) -> "Any":
    if name == "__all__" and sys._getframe(1).f_globals.get("__name__") != "pydoc":
        return _ALL  # with it, help(xymac) would print the help of every name
    if name == "__version__":
        return import_module("importlib.metadata").version("xymac")
    if name in _MODULES:
        return import_module(_MODULES[name])
    for module, names in _NAMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ALL, "__all__", "__version__"})
