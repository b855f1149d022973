# SPDX-License-Identifier: Apache-2.0
"""MLI function names, by the grammar in its naming convention."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Grammar", "Name", "Primitive", "Spec"]


@dataclass(frozen=True)
class Primitive:
    """A function's arguments in order, and the variants its name can spell.

    ``options`` are keyword arguments outside the library's documents, False by default.
    """

    arguments:   tuple[str, ...]
    types:       tuple[str, ...]
    layouts:     tuple[str, ...] = ()
    specialised: bool = False
    options:     tuple[str, ...] = ()


@dataclass(frozen=True)
class Spec:
    """Parameters that a specialised name fixes; None leaves a parameter free.

    Source: MLI 1.0 and 1.1, "Specialized Functions". The documents call the numbers after ``k``
    kernel dimensions; in the library the first is the width: ``k1xn`` has one column.
    """

    kernel_width:  int | None = None
    kernel_height: int | None = None
    padding:       str | None = None  #: "nopad" or "krnpad".
    channels:      int | None = None
    stride_height: int | None = None
    stride_width:  int | None = None


@dataclass(frozen=True)
class Name:
    """A parsed name; ``set``, ``layout`` and ``data_type`` as spelled, None if absent.

    ``exists`` is whether there is a function with this name.
    """

    text:      str
    set:       str
    primitive: str
    described: Primitive
    layout:    str | None = None
    data_type: str | None = None
    spec:      Spec = Spec()
    exists:    bool = True

    @property
    def arguments(self) -> tuple[str, ...]:
        """Argument names in order."""
        return self.described.arguments

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments outside the library's documents."""
        return self.described.options


_NUMBER = "[1-9][0-9]*"
#: Fields of a specialisation; each occurs at most once, in any order.
_FIELDS = {
    "kernel":      re.compile(f"k({_NUMBER}|n)x({_NUMBER}|n)"),
    "padding":     re.compile("(nopad|krnpad)"),
    "channels":    re.compile(f"ch({_NUMBER})"),
    "stride":      re.compile(f"str({_NUMBER})"),
    "stride of h": re.compile(f"strh({_NUMBER})"),
    "stride of w": re.compile(f"strw({_NUMBER})"),
}


@dataclass(frozen=True)
class Grammar:
    """Function names that a library version can spell.

    Parameters
    ----------
    version : str, for error messages
    primitives : dict of Primitive by name, functions with a data type
    untyped : dict of Primitive by set and name, functions without a data type
    layouts, types : tuple of str, all layouts and data types that a name can spell
    absent : tuple of str, data types in ``types`` without any function
    absent_layouts : tuple of (name, layout) without a function
    present : tuple of (name, layout, type) with a function, although ``type`` is in ``absent``
    aliases : dict from alternative names to function names
    """

    version:        str
    primitives:     dict[str, Primitive]
    untyped:        dict[str, dict[str, Primitive]]
    layouts:        tuple[str, ...]
    types:          tuple[str, ...]
    absent:         tuple[str, ...] = ()
    absent_layouts: tuple[tuple[str, ...], ...] = ()
    aliases:        dict | None = None
    present:        tuple[tuple[str, ...], ...] = ()

    @cached_property
    def _pattern(self):
        def either(words):
            return "|".join(sorted(words, key=len, reverse=True))
        return re.compile(
            rf"mli_krn_(?P<primitive>{either(self.primitives)})"
            rf"(?:_(?P<layout>{either(self.layouts)}))?"
            rf"_(?P<type>{either(self.types)})"
            r"(?P<spec>(?:_[a-z0-9]+)*)")

    def parse(self, text: str) -> Name:
        """Parse a function name; AttributeError if the convention cannot spell it."""
        text = (self.aliases or {}).get(text, text)
        for set_, primitives in self.untyped.items():
            name = text.removeprefix(f"mli_{set_}_")
            if name != text and name in primitives:
                return Name(text, set_, name, primitives[name])
        match = self._pattern.fullmatch(text)
        if match is None:
            raise self.refusal(text, "it must be mli_krn_<type>[_<layout>]_<data type>"
                                     "[_<specialisation>] or a helper")
        name, layout, data_type = match["primitive"], match["layout"], match["type"]
        primitive = self.primitives[name]
        self._check(text, name, primitive, layout, data_type)
        fields = match["spec"].split("_")[1:]
        if fields and not primitive.specialised:
            raise self.refusal(text, f"{name} has no specialisation, "
                                     f"but the name ends in {match['spec']}")
        exists = ((name, layout, data_type) in self.present or data_type not in self.absent) and (
            name, layout) not in self.absent_layouts
        return Name(text, "krn", name, primitive, layout, data_type, self._parse_spec(text, fields),
                    exists)

    def refusal(self, text: str, reason: str) -> AttributeError:
        """AttributeError for the invalid name ``text``, with a reason."""
        return AttributeError(f"{text} is not a function of MLI {self.version}: {reason}")

    def _check(self, text, name, primitive, layout, data_type):
        if data_type in self.absent:
            if layout is not None and not primitive.layouts:
                raise self.refusal(text, f"{name} has no layout")
            return
        layouts = primitive.layouts or (None,)
        if layout not in layouts:
            expected = " or ".join(primitive.layouts) or "none"
            raise self.refusal(text, f"the layout of {name} must be {expected}, "
                                     f"not {layout or 'none'}")
        if data_type not in primitive.types:
            raise self.refusal(text, f"the data type of {name} must be one of "
                                     f"{', '.join(primitive.types)}, not {data_type}")

    def _parse_spec(self, text, fields):
        if fields == ["generic"]:
            return Spec()
        spelled = {}
        for field in fields:
            kind, matched = next(((kind, match) for kind, pattern in _FIELDS.items()
                                  if (match := pattern.fullmatch(field))), ("", None))
            if matched is None:
                raise self.refusal(text, f"_{field} is no part of a specialisation"
                                   if field != "generic" else "_generic must stand alone")
            if kind in spelled:
                raise self.refusal(text, f"its {kind} must be spelled once, not twice")
            spelled[kind] = matched.groups()
        return self._build_spec(text, spelled)

    def _build_spec(self, text, spelled):
        if "stride" in spelled and {"stride of h", "stride of w"} & set(spelled):
            raise self.refusal(text, "_str must not stand beside _strh or _strw")
        width, height = (None if size == "n" else int(size)
                         for size in spelled.get("kernel", "nn"))
        if "kernel" in spelled and width is None and height is None:
            raise self.refusal(text, "one dimension of its kernel must be a number")

        def number(*kinds):
            return next((int(spelled[kind][0]) for kind in kinds if kind in spelled), None)

        return Spec(width, height, spelled.get("padding", (None,))[0], number("channels"),
                    number("stride", "stride of h"), number("stride", "stride of w"))
