"""Verilog whose combinational logic has its values before the first event of an input."""

import re

__all__ = ["settle"]

_TRIGGER = re.compile(r"^  reg (\\\$auto\$verilog_backend\S* ) = 0;$", re.MULTILINE)
_NAME    = r"\$settle "
_READ    = f"    if ({_NAME}) begin end\n"
_BLOCK   = "  always @*"
_QUIET   = "/* verilator lint_off INITIALDLY */\n"  # it makes the assignment a blocking one
_SHORT   = re.compile(r"^  always @\*\n(    .*;\n)", re.MULTILINE)


def settle(source):
    """Let a nonblocking assignment at time 0 run every ``always @*`` of Verilog from yosys.

    An ``always @*`` waits for a change of its inputs. yosys lets each longer one read a register
    with an initial value, which is a change in Verilog of 2005 alone: in SystemVerilog a variable
    has its initial value before any block waits. A nonblocking assignment of an ``initial`` block
    is a change in both, and comes when all blocks wait, in whatever order the simulator began them.

    ValueError for a module with such blocks and without such a register.
    """
    return _QUIET + "\nendmodule".join(map(_settle_module, source.split("\nendmodule")))


def _settle_module(module):
    """A module, its register under a plain name, which every block reads."""
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
