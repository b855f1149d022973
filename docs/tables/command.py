# SPDX-License-Identifier: Apache-2.0
"""Tables printed by ``xymac``."""

from contextlib import redirect_stdout
from importlib.metadata import entry_points
from io import StringIO

__all__ = ["printed", "printed_table"]


def printed(*arguments):
    """Lines that ``xymac`` prints for some arguments; RuntimeError unless it ends with 0."""
    [entry] = entry_points(group="console_scripts", name="xymac")
    with redirect_stdout(StringIO()) as output:
        code = entry.load()(list(map(str, arguments)))
    if code:
        raise RuntimeError(f"xymac {' '.join(map(str, arguments))} ended with {code}:\n"
                           f"{output.getvalue()}")
    return [line.rstrip() for line in output.getvalue().splitlines()]


def printed_table(*arguments):
    """Markdown table lines printed by ``xymac`` for some arguments."""
    return [line for line in printed(*arguments, "--markdown") if line.startswith("|")]
