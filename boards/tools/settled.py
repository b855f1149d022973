# SPDX-License-Identifier: Apache-2.0
"""Verilog with settled combinational logic before the first input event."""

import re

__all__ = ["settle"]

_TRIGGER = re.compile(r"^  reg (\\\$auto\$verilog_backend\S* ) = 0;$", re.MULTILINE)
_NAME    = r"\$settle "
_READ    = f"    if ({_NAME}) begin end\n"
_BLOCK   = "  always @*"
_QUIET   = "/* verilator lint_off INITIALDLY */\n"  # Verilator makes the assignment blocking
_SHORT   = re.compile(r"^  always @\*\n(    .*;\n)", re.MULTILINE)


def settle(source):
    """Make every ``always @*`` in Verilog from yosys run at time 0, by a nonblocking assignment.

    An ``always @*`` waits for an input change. yosys lets each longer block read a register with an
    initial value. This is a change only in Verilog 2005: in SystemVerilog a variable has its
    initial value before any block waits. A nonblocking assignment in an ``initial`` block is a
    change in both languages. It happens when all blocks wait, in any start order.

    ValueError for a module with such a block and without such a register.
    """
    return _QUIET + "\nendmodule".join(map(_settle_module, source.split("\nendmodule")))


def _settle_module(module):
    """Rename a module's register, and make every block read it."""
    if _BLOCK not in module:
        return module
    trigger = _TRIGGER.search(module)
    if trigger is None:
        raise ValueError("Every module with always @* must have a register of yosys that wakes it")
    text = module.replace(trigger[1], _NAME).replace(
        f"  reg {_NAME} = 0;", f"  reg {_NAME};\n  initial {_NAME}<= 1'b0;")
    text = _SHORT.sub(rf"{_BLOCK} begin\n{_READ}\1  end\n".replace(r"\$s", r"\\$s"), text)
    if text.count(_BLOCK) != text.count(_READ):
        raise ValueError("Every always @* must read the register that wakes it at time 0")
    return text
