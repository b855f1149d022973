# SPDX-License-Identifier: Apache-2.0
"""``xymac run --dma``: a network through its command lists, compared with golden."""

from xymac.hdl.isa import COUNTERS
from xymac.host.cli.show.answers import answer_lines, read_names
from xymac.host.device.device import open_device
from xymac.host.errors import InputError
from xymac.host.files import check_writable
from xymac.host.image.cycles import predict_list
from xymac.host.image.external import ExternalMemory
from xymac.host.image.run import ImageRunner
from xymac.host.network.inference import each_input
from xymac.host.network.load import load_model
from xymac.host.network.pace import pace_of_list
from xymac.host.plural import plural

from .clock import pace_table
from .command import GOLDEN, device_options
from .dma import check_memory, config_of, make_image
from .inputs import read_inputs
from .progress import show_progress
from .results import check_outputs, save_json, save_outputs
from .run_compiled import compare_outputs

__all__ = ["run_image"]

#: Options of ``xymac run`` that need layers or other devices.
_NOT_HERE = "markdown", "plot", "jobs", "golden", "board", "port", "waves"


def run_image(options, console):
    """Run all inputs; exit code 1 if outputs differ from golden, else 0."""
    check_memory(options)
    for name in _NOT_HERE:
        if getattr(options, name):
            raise InputError(f"--{name} does not go with --dma")
    network = load_model(options.network)
    extra   = device_options(options)
    if options.backend == GOLDEN:
        raise InputError(f"A command list needs a device, not the backend {GOLDEN}")
    config, memory = config_of(options), options.memory or ExternalMemory()
    if options.json:
        check_writable(options.json)
    if options.outputs:
        check_outputs(options.outputs, network)
    classes = read_names(options.classes, network)
    images  = read_inputs(options.images, network, options.limit, options.pixels)
    console.print(f"{network.name}: {plural(images.count, 'image')}, backend "
                  f"{options.backend}, size {config.name}", markup=False)
    with console.status(f"Making an image of {network.name}"):
        image = make_image(network, config, memory)
    results = _run(options, config, image, images, extra, console)
    outputs = [each for each, _ in results]
    for line in answer_lines(network, outputs, images, classes):
        console.print(line, markup=False, soft_wrap=True)
    predicted = predict_list(image.run.ordered, config, memory)
    counters  = results[-1][1].counters
    console.print(_sentence(predicted, counters["cycles"]), markup=False, soft_wrap=True)
    if options.clock:
        console.print(pace_table([pace_of_list(predicted, options.clock)], options.clock))
    difference, sentence = compare_outputs(network, images, outputs,
                                           reset=options.reset_states)
    console.print(sentence, markup=False, soft_wrap=True)
    if options.outputs:
        save_outputs(options.outputs, network, outputs)
    if options.json:
        save_json(options.json, {
            "network": network.name, "backend": options.backend, "size": config.name,
            "images": images.count, "equal": not difference, "predicted": predicted.cycles,
            "core": predicted.core, "transfers": predicted.transfers, "hidden": predicted.hidden,
            "loaded_bytes": predicted.loaded, "stored_bytes": predicted.stored}
            | {name: counters[name] for name in COUNTERS if counters["cycles"]})
    return int(difference)


def _run(options, config, image, images, extra, console):
    """(outputs, ListResult) list, per image."""
    with (open_device(options.backend, config, **extra) as device,
          show_progress(console, "running", images.count) as advance):
        if hasattr(device, "time_memory"):
            device.time_memory(options.memory or ExternalMemory())
        runner, results = ImageRunner(image, device), []
        runner.load()
        for inputs in each_input(images.data):
            if options.reset_states:
                runner.reset_states()
            results.append(runner.run(*inputs))
            advance()
    return results


def _sentence(predicted, measured):
    """The last image's cycles: all, core, transfers, hidden."""
    all_in = f"{measured:,} cycles, start to interrupt" if measured else (
        f"{predicted.cycles:,} cycles predicted, start to interrupt")
    error  = (f" (predicted {predicted.cycles:,}, {predicted.cycles / measured - 1:+.1%})"
              if measured else "")
    return (f"{all_in}{error}; programs alone {predicted.core:,}, transfers alone "
            f"{predicted.transfers:,} for {predicted.loaded:,} bytes in and {predicted.stored:,} "
            f"out, {predicted.hidden:,} of them hidden")

