# SPDX-License-Identifier: Apache-2.0
"""``xymac run`` on a folder written by ``xymac compile``."""

import numpy as np

from xymac.hdl.config import find_size
from xymac.host.cli.show.answers import answer_lines, read_names
from xymac.host.device.device import open_device
from xymac.host.errors import InputError, translate_refusals
from xymac.host.files import check_writable
from xymac.host.network.compiled import load_compiled
from xymac.host.network.inference import each_input
from xymac.host.network.load import load_model
from xymac.host.network.session import Session
from xymac.host.plural import plural
from xymac.host.runtime import Runtime

from .clock import take_clock
from .command import GOLDEN, device_options
from .inputs import read_inputs
from .progress import show_progress
from .results import check_outputs, save_json, save_outputs

__all__ = ["compare_outputs", "run_compiled"]

#: Options that need the network's layers; a compiled network has none.
_NOT_HERE = ("markdown", "plot", "waves", "jobs")


def run_compiled(options, console):
    """Run a compiled network on all inputs; exit code 1 if outputs differ from golden, else 0."""
    executable = load_compiled(options.network)
    _check_options(options, executable)
    extra   = device_options(options)
    take_clock(options)
    network = None if options.golden is None else load_model(options.golden)
    if network is not None:
        _check_same(executable, network)
    classes = read_names(options.classes, executable)
    images  = read_inputs(options.images, executable, options.limit, options.pixels)
    console.print(f"{executable.name}: compiled for size {executable.size}, "
                  f"{plural(images.count, 'image')}, backend {options.backend}", markup=False)
    if images.reading:
        console.print(f"Inputs: {images.reading}", markup=False)
    results = _run(options, executable, images, extra, console)
    outputs = [each for each, _ in results]
    for line in answer_lines(executable, outputs, images, classes):
        console.print(line, markup=False, soft_wrap=True)
    cycles  = results[-1][1].cycles
    if cycles:
        console.print(f"{cycles:,} cycles an image" + (
            f", {options.clock.milliseconds(cycles):,.3f} ms at {options.clock}"
            if options.clock else ""), markup=False)
    difference, sentence = compare_outputs(network, images, outputs,
                                           reset=options.reset_states)
    console.print(sentence, markup=False, soft_wrap=True)
    if options.outputs:
        save_outputs(options.outputs, executable, outputs)
    if options.json:
        save_json(options.json, {
            "network": executable.name, "backend": options.backend, "size": executable.size,
            "images": images.count, "cycles": cycles or None,
            "equal": None if network is None else not difference})
    return int(difference)


def _check_options(options, executable):
    """Set size and backend; InputError for options inapplicable to a compiled network."""
    for name in _NOT_HERE:
        if getattr(options, name):
            raise InputError(f"--{name} needs a network file: {options.network} is compiled and "
                             f"has no layers")
    if options.backend == GOLDEN:
        raise InputError(f"A compiled network needs a device, not the backend {GOLDEN}")
    if options.size not in (None, executable.size):
        raise InputError(f"{options.network} is compiled for size {executable.size}, "
                         f"not {options.size}")
    with translate_refusals(f"The core of {options.network}", ValueError):
        find_size(executable.size)
    options.size = executable.size
    if options.outputs:
        check_outputs(options.outputs, executable)
    if options.json:
        check_writable(options.json)


def _check_same(executable, network):
    formats = [[(blank.shape, blank.data.dtype) for blank in each.inputs]
               for each in (executable, network)]
    if formats[0] != formats[1] or len(executable.outputs) != len(network.outputs):
        raise InputError(f"{network.name} has other inputs or outputs than {executable.name}")


def _run(options, executable, images, extra, console):
    """(outputs, Run) list, per image."""
    with (open_device(options.backend, find_size(executable.size), **extra) as device,
          show_progress(console, "running", images.count) as advance):
        results = []
        runtime = Runtime(executable, device)
        with translate_refusals("The compiled network", Exception):
            runtime.load()
            for inputs in each_input(images.data):
                results.append(runtime.apply(*inputs, reset_states=options.reset_states))
                advance()
    return results


def compare_outputs(network, images, outputs, *, reset):
    """Whether outputs differ from a Network's golden outputs, and a sentence about it."""
    if network is None:
        return False, "Not compared with golden (see --golden)"
    session = Session(network, reset_states=reset)
    for image, (inputs, actual) in enumerate(zip(each_input(images.data), outputs, strict=True)):
        expected = session.run(*inputs).outputs
        for name, wanted, data in zip(network.output_names, expected, actual, strict=True):
            differs = (wanted.data != data) & ((wanted.data == wanted.data) | (data == data))
            if differs.any():  # but where both are NaN
                where = tuple(int(i) for i in np.argwhere(differs)[0])
                return True, (f"Differs from golden first at image {image}, output {name}, element "
                              f"{where}: {data[where]}, expected {wanted.data[where]}")
    count = len(outputs)
    return False, f"Outputs = golden, bit for bit: {plural(count, 'image')} compared"
