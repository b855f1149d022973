# SPDX-License-Identifier: Apache-2.0
"""Allowed imports between packages and sub-packages."""

__all__ = ["ALLOWED"]

#: Allowed imports of each room. A room is a sub-package or a file of a top folder; files without
#: a line here, the API module included, form the room of their folder. A name stands for its room
#: alone, a name with ``.*`` for all rooms of the folder.
_CORES    = {"hdl.arith", "hdl.bitwise", "hdl.carry", "hdl.config", "hdl.elaboration",
             "hdl.entries", "hdl.isa", "hdl.limits", "hdl.multiply", "hdl.request", "hdl.ring",
             "hdl.subtract"}
_WING     = {"golden", "golden.parameters", "hdl.isa"}
_WINGS    = {"golden", "golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3"}
_DERIVED  = {wing.replace("golden", "golden.parameters") for wing in _WINGS}
_GROUND   = {"hdl.config", "hdl.isa", "host.errors", "host.extensions"}  # of all rooms of host
ALLOWED = {
    "hdl":             set(),
    "hdl.isa":         set(),
    "hdl.request":     set(),
    "hdl.elaboration": set(),
    "hdl.capabilities": {"hdl.isa"},
    "hdl.config":      {"hdl.capabilities", "hdl.isa"},
    "hdl.entries":     {"hdl.isa"},
    "hdl.limits":      {"hdl.config", "hdl.isa"},
    "hdl.arith":       {"hdl.isa", "hdl.limits"},
    "hdl.multiply":    {"hdl.arith", "hdl.carry", "hdl.limits"},
    "hdl.bitwise":     {"hdl.limits"},
    "hdl.carry":       {"hdl.limits"},
    "hdl.ring":        set(),
    "hdl.subtract":    {"hdl.limits"},
    "hdl.core":        _CORES,
    "hdl.compact":     _CORES,
    "hdl.link":        {"hdl.arith", "hdl.limits", "hdl.request"},
    # CoreAxi is core and front end.
    "hdl.axi":         {"hdl.compact", "hdl.core", "hdl.limits", "hdl.request"},

    "golden":         {"hdl.isa"},
    "golden.mli1":    _WING | {"golden.parameters.mli1"},
    "golden.mli2":    _WING | {"golden.parameters.mli2"},
    "golden.tflm":    _WING | {"golden.parameters.tflm"},
    "golden.xs3":     _WING | {"golden.parameters.xs3"},
    "golden.parameters":      set(),
    "golden.parameters.mli1": _WING,
    "golden.parameters.mli2": _WING,
    "golden.parameters.tflm": _WING,
    "golden.parameters.xs3":  _WING,
    "golden.machine": {"hdl.isa"},
    "golden.api":     _WINGS | {"hdl.isa"},

    "host":            {"host.api", "host.cycles", "host.device", "host.network", "host.plan"},
    "host.errors":     set(),
    "host.extensions": {"host.errors"},
    "host.files":      {"host.errors"},
    "host.cluster":    {"host.errors", "host.files"},
    # Operators become layers of a graph.
    "host.tflite":     {"golden", "golden.tflm", "host.errors", "host.files", "host.plan"},
    "host.memory":     _GROUND | {"golden"},
    "host.ir":         _GROUND | {"golden", "host.memory"},
    "host.frontend":   _GROUND | _WINGS | _DERIVED | {"host.ir", "host.memory"},
    "host.lower":      _GROUND | _WINGS | _DERIVED | {"host.frontend", "host.ir", "host.memory"},
    "host.cycles":     _GROUND | {"golden"},
    "host.device":     _GROUND | {"golden.machine", "hdl.capabilities", "hdl.link"},
    "host.executable": _GROUND | {"golden", "golden.xs3"},
    "host.runtime":    _GROUND | {"golden", "host.executable"},
    "host.plan":       _GROUND | {"golden", "host.cycles", "host.device", "host.executable",
                                  "host.frontend", "host.ir", "host.lower", "host.memory",
                                  "host.runtime"},
    "host.api":        _GROUND | {"golden", "golden.api", "host.plan"},
    # A network file holds layers of any library.
    "host.network":    _GROUND | _WINGS | {"host.cycles", "host.device", "host.executable",
                                           "host.files", "host.ir", "host.lower", "host.memory",
                                           "host.plan", "host.runtime", "host.tflite"},
    "host.vectors":    _GROUND | _WINGS | {"host.device", "host.files", "host.lower", "host.plan",
                                           "host.tflite"},
    # A device of somebody else's is compared with golden, and its differences are explained.
    "host.kit":        _GROUND | _WINGS | _DERIVED | {"host.device", "host.files", "host.network",
                                                      "host.plan", "host.tflite", "host.vectors"},
    "host.examples":   _GROUND | _WINGS | {"host.files", "host.memory", "host.network", "host.plan",
                                           "host.tflite"},
    "host.c":          _GROUND | {"golden", "golden.api", "golden.tflm", "host.executable",
                                  "host.memory", "host.network", "host.plan"},
    "host.cli":        _GROUND | {"host.c", "host.device", "host.executable", "host.files",
                                  "host.kit", "host.network", "host.runtime", "host.tflite",
                                  "host.vectors"},

    "sim":        set(),
    "sim.build":  {"hdl.*", "host.errors", "host.files"},
    "sim.agents": {"hdl.*", "host.device"},
    # A model is compiled with the profile of a typical program.
    "sim.rtl":    {"golden.mli1", "hdl.*", "host.device", "host.errors", "host.plan", "sim.build"},
    # A bench of the whole core is a host of it.
    "sim.blocks": {"golden.*", "hdl.*", "host.*", "sim.agents", "sim.benchmarks"},
    "sim.kit":    {"host.errors", "host.kit", "sim.build"},
    "sim.benchmarks":  {"golden.*", "hdl.*", "host.*", "sim.rtl"},
    "sim.board":  {"boards.*", "hdl.*", "host.cli", "host.device", "host.errors", "sim.build",
                   "sim.rtl"},

    # Pieces are command lines, so that none of what they run is imported.
    "sim.regress": {"host.cli", "host.cluster", "host.errors", "host.files", "host.vectors",
                    "sim.build"},

    "boards.clock":    {"host.errors"},
    "boards.tools":    {"hdl.*", "host.errors", "host.files"},
    "boards.board":    {"boards.clock", "hdl.*", "host.errors", "host.extensions"},
    "boards":          {"boards.board"},  # one file a board
    "boards.design":   {"boards.board", "boards.clock", "boards.tools", "hdl.*", "host.errors"},
    "boards.alone":    {"boards.tools", "hdl.*"},
    "boards.attempt":  {"boards.alone", "boards.board", "boards.design", "boards.tools", "hdl.*",
                        "host.cluster", "host.errors", "host.files"},
    "boards.blocks":   {"boards.tools", "host.cli"},
    "boards.commands": {"boards", "boards.alone", "boards.attempt", "boards.blocks",
                        "boards.board", "boards.design", "boards.tools", "hdl.*", "host.c",
                        "host.cli", "host.cluster", "host.errors", "host.files"},
    # What networks cost on cores that could be built.
    "boards.explore":  {"boards.*", "hdl.*", "host.cli", "host.cluster", "host.device",
                        "host.errors", "host.files", "host.network"},
}
