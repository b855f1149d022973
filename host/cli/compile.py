# SPDX-License-Identifier: Apache-2.0
"""``xymac compile``: write a network as programs, constants and memory layout for a driver.

With ``--c`` it also writes C for the driver of ``host/c``.
"""

from pathlib import Path

from xymac.hdl.config import find_size
from xymac.hdl.isa import TABLES, Region, RoundMode
from xymac.host.c.calls import record_calls
from xymac.host.c.network import NETWORK_FILES, network_files
from xymac.host.c.prepared import CALLS, calls_file
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.executable.steps import Host, Load, Read, Write
from xymac.host.files import check_writable, fill_folder, write_file
from xymac.host.network.compiled import ARRAYS, DESCRIPTION, check_folder, save_compiled
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model
from xymac.host.plural import plural

from .command import Command, add_size
from .dma import add_dma, check_memory, compile_image
from .inputs import add_example, read_example
from .rom import add_rom, make_rom, read_image, save_rom

__all__ = ["COMMAND"]

_ROUNDINGS = {"convergent": RoundMode.CONVERGENT, "up": RoundMode.UP}


def _add_arguments(parser):
    parser.add_argument("network", metavar="NET", nargs="?",
                        help="network: a .tflite file, or an .npz file")
    parser.add_argument("-o", "--output", metavar="DIR", required=True,
                        help=f"folder to write {DESCRIPTION} and {ARRAYS} to (see "
                             f"host/network/compiled.py); `xymac run DIR` runs it")
    parser.add_argument("--calls", metavar="PROGRAM",
                        help=f"instead of a network: run a program that is linked with "
                             f"xymac_mli_record.c, and write {CALLS} for its embARC MLI "
                             f"calls, as in `xymac compile --calls ./recorded -o build "
                             f"--size tiny`")
    parser.add_argument("--rounding", choices=tuple(_ROUNDINGS),
                        help="rounding of halves in the library's build, as in `--calls "
                             "./recorded --rounding up` (default: convergent)")
    add_size(parser, "base", fill="base")
    parser.add_argument("--c", action="store_true",
                        help=f"write {', '.join(NETWORK_FILES)} as well, for the driver in C that "
                             f"`xymac verilog` writes, as in `xymac compile "
                             f"host/examples/data/digits_cnn.tflite -o build/digits --c`")
    add_dma(parser)
    add_example(parser)
    add_rom(parser)


def _execute(options, console):
    if (options.network is None) == (options.calls is None):
        raise InputError("Either a network or --calls must be given, not both or none")
    if options.calls is not None:
        return _compile_calls(options, console)
    if options.rounding:
        raise InputError("--rounding needs --calls: a network has that of its layers")
    if options.example and not options.c:
        raise InputError("--example needs --c, whose main.c holds it")
    check_memory(options)
    if options.dma:
        return compile_image(options, console)
    network = load_model(options.network)
    example = read_example(options, network) if options.c else None
    _check_output(options)
    image = read_image(options, network)
    with console.status(f"Compiling {network.name} for size {options.size}"):
        executable = compile_network(network, find_size(options.size))
        files      = network_files(executable, *example) if example else {}
    rom = make_rom(executable, image)
    with fill_folder(options.output) as folder:
        save_compiled(folder, executable)
        for name, text in files.items():
            write_file(folder / name, text)
        lines = [*_lines(folder, executable, files), *save_rom(folder, rom)]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
    return 0


def _compile_calls(options, console):
    if options.c or options.example or options.rom or options.images:
        raise InputError("--calls goes with -o, --size and --rounding alone")
    with fill_folder(options.output) as folder:
        check_writable(folder / CALLS)
        calls = record_calls(options.calls, _ROUNDINGS[options.rounding or "convergent"])
        with (console.status(f"Compiling {len(calls)} calls for size {options.size}"),
              MachineDevice(find_size(options.size)) as device):
            text = calls_file(calls, device)
        write_file(folder / CALLS, text)
    refused = sum(call.status != 0 for call in calls)
    console.print(f"{options.calls}: {plural(len(calls), 'call')}, size "
                  f"{options.size}, {refused} of them refused", markup=False, soft_wrap=True)
    console.print(f"Written to {folder}: {CALLS}", markup=False, soft_wrap=True)
    return 0


def _check_output(options):
    """Raise InputError unless all files can be written."""
    check_folder(options.output)
    if options.c and Path(options.output).is_dir():
        for name in NETWORK_FILES:
            check_writable(Path(options.output) / name)


def _lines(folder, executable, files):
    """Sentences about the written files."""
    loads    = [step for step in (*executable.load, *executable.run) if isinstance(step, Load)]
    programs = [executable.arrays[step.array] for step in loads if step.region is Region.PROGRAM]
    constant = 2 * sum(len(executable.arrays[step.array]) for step in loads
                       if step.region in (Region.X, Region.Y, Region.TABLES))
    constant += 2 * sum(len(TABLES[table].values) for table in executable.tables)
    yield (f"{executable.name}: {plural(len(executable.operators), 'layer')}, "
           f"size {executable.size}: {plural(len(programs), 'program')} of "
           f"{plural(sum(map(len, programs)), 'pass', 'passes')}, "
           f"{constant:,} bytes of constants and tables")
    held  = {step.value for step in executable.run if isinstance(step, Write | Read)}
    held |= {number for step in executable.run if isinstance(step, Host) for number in step.values}
    held -= {*range(len(executable.inputs)), *executable.outputs}
    if held:
        yield f"Values that the host keeps between programs: {len(held)}"
    yield f"Written to {folder}: {', '.join((DESCRIPTION, ARRAYS, *files))}"


COMMAND = Command(
    __doc__,
    example="xymac compile host/examples/data/digits_cnn.npz -o build/digits_cnn --size base",
    add_arguments=_add_arguments, execute=_execute)
