# SPDX-License-Identifier: Apache-2.0
"""Library functions and instructions missing from this project, with their reasons."""

from collections import defaultdict

from xymac.golden.api.mli1.absent import ABSENT_NAMES
from xymac.golden.api.mli1.names import GRAMMAR
from xymac.golden.api.xs3.absent import ABSENT_FUNCTIONS, ABSENT_INSTRUCTIONS

from .table import markdown

__all__ = ["absent"]


def absent():
    """Table of absent names; names with the same reason share a row."""
    names = defaultdict(list)
    for key in (*GRAMMAR.absent, *GRAMMAR.absent_layouts):
        text = (f"mli_krn_{key[0]}_{key[1]}_<type>" if isinstance(key, tuple)
                else f"mli_krn_<name>_{key}")
        names["MLI 1.x", ABSENT_NAMES[key]].append(text)
    for library, table in (("lib_nn", ABSENT_FUNCTIONS), ("XS3 unit", ABSENT_INSTRUCTIONS)):
        for name, reason in table.items():
            names[library, reason].append(name)
    return markdown(("library", "names", "why"), [
        (library, ", ".join(f"`{name}`" for name in each), reason)
        for (library, reason), each in names.items()])
