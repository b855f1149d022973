# SPDX-License-Identifier: Apache-2.0
"""``xymac verilog``: write plain Verilog, a driver in C, and the register map for C and Python."""

from pathlib import Path

from amaranth.back import verilog

from xymac.boards.header import c_header, python_header
from xymac.boards.tools.settled import settle
from xymac.hdl.axi import CoreAxi
from xymac.hdl.axi4 import CoreAxi4
from xymac.hdl.config import find_size
from xymac.hdl.dma import CoreDma
from xymac.hdl.dma.axi4 import CoreDma4
from xymac.hdl.elaboration import quick_elaboration
from xymac.host.c.sources import DRIVER, MLI, read_source
from xymac.host.cli.command import Command, add_size
from xymac.host.files import fill_folder, make_folder, write_file
from xymac.host.files.licence import LICENCE
from xymac.host.plural import plural

from .soc import soc_files

__all__ = ["COMMAND", "export_files"]

#: Components by whether the core has a DMA, and whether its slave has bursts.
_PORTS = {(False, False): CoreAxi, (False, True): CoreAxi4, (True, False): CoreDma,
          (True, True): CoreDma4}


@quick_elaboration()
def export_files(config, *, bursts=False):
    """Export files for the core with its AXI4-Lite port: ``{name: text}``.

    A core with a DMA has an AXI4 master as well. With ``bursts`` the port is AXI4; the system
    around the core is for AXI4-Lite alone.
    """
    top  = f"xymac_{config.name}"
    kind = _PORTS[bool(config.dma), bursts]
    core = settle(verilog.convert(kind(config), name=top, emit_src=False))
    return {
        f"{top}.v": f"// {LICENCE}\n{core}",
        "files.f": f"{top}.v\n",
        "xymac.h": c_header(),
        **{name: read_source(name) for name in DRIVER},
        **{f"mli/{name}": read_source(name) for name in MLI},
        "xymac_registers.py": python_header(),
        **({} if bursts else soc_files(top))}


def _add_arguments(parser):
    add_size(parser, "base", fill="base", every=False)
    parser.add_argument("-o", "--output", metavar="DIR", required=True, type=Path,
                        help="folder to write to; made if it is not there")
    parser.add_argument("--axi4", action="store_true",
                        help="a port with bursts, AXI4 in place of AXI4-Lite, without the system "
                             "on a chip")


def _execute(options, console):
    with fill_folder(options.output) as folder:
        with console.status(f"Generating Verilog, size {options.size}"):
            files = export_files(find_size(options.size), bursts=options.axi4)
        make_folder(folder / "mli" / "api")
        for name, text in files.items():
            write_file(folder / name, text)
    for name, text in files.items():
        console.print(f"{options.output / name}  {plural(len(text.splitlines()), 'line')}",
                      markup=False, soft_wrap=True)
    return 0


COMMAND = Command(
    __doc__,
    example="xymac verilog --size base -o build/verilog",
    add_arguments=_add_arguments, execute=_execute)
