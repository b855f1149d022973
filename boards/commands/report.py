# SPDX-License-Identifier: Apache-2.0
"""The folder with all tool reports on a board's design."""

from xymac.boards.blocks.show import block_text
from xymac.boards.blocks.tree import make_rows
from xymac.boards.board import find_board
from xymac.boards.design import make_design
from xymac.boards.tools.paths import path_lines
from xymac.host.files import make_folder, write_file

__all__ = ["REPORT", "write_report"]

REPORT = "report"  #: Folder beside a bitstream.


def write_report(target, made, folder):
    """Write a board Target's report into the folder ``REPORT`` in ``folder``.

    ``made`` is the bitstream's Attempt. Files: ``nextpnr.log``, ``paths.txt`` (worst paths, each to
    another register), ``blocks.txt`` (cells by block), and the design as Verilog, except a system
    with a processor, whose Verilog LiteX keeps.
    """
    board, report = find_board(target.board), folder / REPORT
    make_folder(report)
    verilog = [] if target.soc else [make_design(board, target.size, verilog=True)]
    paths  = "".join(f"{line}\n" for line in path_lines(made.fit.paths))
    for name, text in (("nextpnr.log", made.log), ("paths.txt", paths),
                       ("blocks.txt", block_text(make_rows(made.blocks))),
                       *((f"{design.top}.v", design.source) for design in verilog)):
        write_file(report / name, text)
