"""``xymac compile``: write a network as the programs, constants and places that a driver needs."""

from hdl.config import find_size
from host.device.device import MachineDevice
from host.network.compiled import ARRAYS, DESCRIPTION, check_folder, save_compiled
from host.network.compiler import compile_network
from host.network.load import load_model

from .command import Command, add_size
from .rom import add_rom, make_rom, read_image, save_rom

__all__ = ["COMMAND"]


def _add_arguments(parser):
    parser.add_argument("network", metavar="NET", help="network: a .tflite file, or an .npz file")
    parser.add_argument("-o", "--output", metavar="DIR", required=True,
                        help=f"folder to write {DESCRIPTION} and {ARRAYS} to (see "
                             f"host/network/compiled.py); `xymac run DIR` runs it")
    add_size(parser, "base", fill="base")
    add_rom(parser)


def _execute(options, console):
    network = load_model(options.network)
    check_folder(options.output)
    image = read_image(options, network)
    with (console.status(f"Compiling {network.name} for size {options.size}"),
          MachineDevice(find_size(options.size)) as device):
        compiled = compile_network(network, device)
    rom = make_rom(compiled, image)
    save_compiled(options.output, compiled)
    for line in (*_lines(options.output, compiled), *save_rom(options.output, rom)):
        console.print(line, markup=False, soft_wrap=True)
    return 0


def _lines(folder, compiled):
    """What there is, in words."""
    content, arrays = compiled.description, compiled.arrays
    programs = [step for step in (*content["load"], *content["run"]) if step["do"] == "program"]
    passes   = sum(len(arrays[step["array"]]) for step in programs)
    constant = sum(arrays[step["array"]].nbytes for step in (*content["load"], *content["run"])
                   if step["do"] in ("cells", "table"))
    yield (f"{content['network']}: {len(content['operators'])} layers, size {content['size']}: "
           f"{len(programs)} program{'s' * (len(programs) != 1)} of {passes} passes, "
           f"{constant:,} bytes of constants and tables")
    held = {step["value"] for step in content["run"] if "value" in step}
    ends = {entry["value"] for entry in (*content["inputs"], *content["outputs"])}
    if held - ends:
        yield f"Values that the host keeps between programs: {len(held - ends)}"
    yield f"Written to {folder}: {DESCRIPTION}, {ARRAYS}"


COMMAND = Command(
    __doc__,
    example="xymac compile host/examples/data/digits_cnn.npz -o build/digits_cnn --size base",
    add_arguments=_add_arguments, execute=_execute)
