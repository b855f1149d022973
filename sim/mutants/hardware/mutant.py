# SPDX-License-Identifier: Apache-2.0
"""A hardware mutant: a place in the sources, and the text before and after."""

from dataclasses import dataclass

__all__ = ["KINDS", "Mutant", "Site"]

#: Mutant kinds, and each kind's change.
KINDS = {
    "arithmetic": "+ and - swapped, * made +, a shift reversed or dropped",
    "logic":      "& and | swapped, ^ made |",
    "operand":    "an operand of & | ^ dropped",
    "compare":    "< and <= swapped, > and >= swapped, == and != swapped",
    "constant":   "a constant operand or assigned constant one more or one less",
    "invert":     "~ or - dropped",
    "condition":  "a condition of If or Elif always or never true",
    "arm":        "Mux always chooses one arm",
    "assignment": "an assignment dropped",
    "transition": "a change of state dropped",
    "slice":      "a bit, field or slice index one more or one less",
    "reduction":  "any and all swapped",
    "delay":      "a delay one cycle longer or shorter",
    "initial":    "a reset value one more",
}


@dataclass(frozen=True)
class Site:
    """An expression or statement with mutants.

    Parameters
    ----------
    number : int, from 1 on, unique in the sources
    file : str, path below ``hdl``
    line, column : int, first line from 1, column from 0
    before : str, text
    variants : dict {variant number: (kind, text)}, all possible mutants for the text
    """

    number:   int
    file:     str
    line:     int
    column:   int
    before:   str
    variants: dict


@dataclass(frozen=True)
class Mutant:
    """A change to a Site.

    Parameters
    ----------
    name : str, ``FILE:LINE:KIND:N`` with N the position among mutants with this kind in this line
    site, variant : int, the value of the select register that turns the mutant on
    file, line, kind, before, after : place, and texts
    """

    name:    str
    site:    int
    variant: int
    file:    str
    line:    int
    kind:    str
    before:  str
    after:   str

    @property
    def key(self):
        """Name and texts, which other source versions do not give to another mutant."""
        return f"{self.name}|{self.before}|{self.after}"

    def __str__(self):
        return f"hdl/{self.file}:{self.line}: {self.before}  ->  {self.after}"
