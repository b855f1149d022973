# SPDX-License-Identifier: Apache-2.0
"""Cases as ``$readmemh`` files, and a SystemVerilog testbench to run them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.files import make_folder, write_file
from xymac.host.files.licence import LICENCE

from .columns import columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case
    from xymac.host.kit.write.columns import Columns

__all__ = ["BENCH", "DEVICE", "write_numbers", "write_readmemh"]

BENCH  = "bench.sv"
DEVICE = "device.svh"
_CASES = "cases"  #: File name of the rows.
#: Operands whose names are words of SystemVerilog; their arrays end in an underscore.
_WORDS = frozenset({"before", "begin", "cell"})


def write_readmemh(folder: Path | str, cases: Sequence[Case]) -> None:
    """Write Cases to a ``folder``, which is created if necessary.

    Files: every operand's numbers, ``cases.hex`` with a row per case, ``bench.sv``, and
    ``device.svh`` unless it exists. InputError if the folder cannot be written, or the cases have
    several operations.
    """
    folder  = Path(folder)
    columns = columns_of(cases)
    write_numbers(folder, columns)
    write_file(folder / BENCH, _bench(columns, cases[0]))
    if not (folder / DEVICE).exists():
        write_file(folder / DEVICE, _device(columns))


def write_numbers(folder: Path | str, columns: Columns) -> None:
    """Write Columns to ``folder``, created if necessary: a file per operand, and a file of rows.

    InputError if a file cannot be written.
    """
    folder = Path(folder)
    make_folder(folder)
    for name, array in (columns.arrays | {_CASES: columns.rows}).items():
        write_file(folder / f"{name}.hex", _hex(array))


def _hex(array):
    """Hexadecimal text with a number per line, two's complement."""
    bits  = 8 * array.itemsize
    words = array.reshape(-1).astype(np.int64).astype(np.uint64) & np.uint64((1 << bits) - 1)
    return "".join(f"{int(word):0{bits // 4}x}\n" for word in words)


def _array(name):
    return f"{name}_" if name in _WORDS else name


def _kind(array):
    """The type of an array's elements in SystemVerilog."""
    sign = "signed " if np.issubdtype(array.dtype, np.signedinteger) else ""
    return f"logic {sign}[{8 * array.itemsize - 1}:0]"


def _bench(columns, case):
    """Testbench text."""
    arrays = columns.arrays
    most   = int(columns.rows[:, columns.names.index("expected_count")].max())
    width  = max(map(len, columns.names))
    fields = "\n".join(f"    localparam int {name.upper():{width}} = {number};"
                       for number, name in enumerate(columns.names))
    kinds    = {name: _kind(array) for name, array in arrays.items()}
    memories = "\n".join(f"    {kinds[name]} {_array(name)} [{array.size}];"
                         for name, array in arrays.items())
    reads = "\n".join(f"        $readmemh(\"{name}.hex\", {_array(name)});"
                      for name in (_CASES, *arrays))
    return f"""\
// {LICENCE}
// {case.operation} of {case.dialect}, {case.type}: written by `xymac vectors`.
// {DEVICE} puts your device in; this file and the numbers can be written again.
`timescale 1ns / 1ps
module bench;
    localparam int CASES   = {len(columns.rows)};
    localparam int COLUMNS = {len(columns.names)};
    // What a row says: where the elements of a case begin, how many there are, sizes and numbers.
{fields}

    logic signed [31:0] {_CASES} [CASES * COLUMNS];
{memories}
    {kinds["expected"]} result [{most}];  // what the device gave for one case
    int wrong, total;

    function automatic int field(input int number, input int column);
        return {_CASES}[number * COLUMNS + column];
    endfunction

`include "{DEVICE}"

    task automatic compare(input int number);
        for (int place = 0; place < field(number, EXPECTED_COUNT); place++) begin
            total++;
            if (result[place] !== expected[field(number, EXPECTED_FIRST) + place]) begin
                wrong++;
                if (wrong <= 20)
                    $display("case %0d, output %0d: expected %0d, got %0d", number, place,
                             expected[field(number, EXPECTED_FIRST) + place], result[place]);
            end
        end
    endtask

    initial begin
{reads}
        for (int number = 0; number < CASES; number++) begin
            for (int place = 0; place < {most}; place++) result[place] = 'x;
            ask(number);
            compare(number);
        end
        if (wrong != 0) $fatal(1, "%0d of %0d outputs differ", wrong, total);
        $display("%0d outputs of %0d cases are equal", total, CASES);
        $finish;
    end
endmodule
"""


def _device(columns):
    """Text of the file to be completed by the user."""
    first = next(iter(columns.arrays))
    return f"""\
    // Put your device here. Clocks, its instance and what drives it may stand in front of the task.
    // ask gives the device the operands of a case and fills result[0], result[1] and so on; the
    // first element of {first} is {_array(first)}[field(number, {first.upper()}_FIRST)].
    task automatic ask(input int number);
        $fatal(1, "{DEVICE} has no device yet, case %0d", number);
    endtask
"""
