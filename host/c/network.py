# SPDX-License-Identifier: Apache-2.0
"""An executable or an image as C: its tables, and a program running an example."""

import re
from math import prod

from xymac.host.image.description import describe_image

from .external import list_external
from .listing import comment, list_tables
from .numbers import list_array
from .sources import fill_in, read_part, read_source

__all__ = ["NETWORK_FILES", "c_name", "image_files", "network_files"]

NETWORK_FILES = ("network.h", "network.c", "main.c")

_LOADED   = {"KIND": "network", "RESULT": "xymac_result", "ARGUMENT": "", "PLACE": "",
             "COUNTERS": "result.counters"}
_EXTERNAL = {"KIND": "external", "RESULT": "xymac_list_result", "ARGUMENT": ", &result",
             "COUNTERS": "result.program.counters"}


def network_files(executable, inputs, outputs):
    """An Executable's C files: ``{name: text}``.

    Parameters
    ----------
    inputs, outputs : arrays, example inputs for ``main.c`` and their expected outputs

    InputError for a network that the tables cannot express.
    """
    tables = list_tables(executable, c_name(executable))
    return _files(executable, tables, (inputs, outputs), _LOADED | {
        "FAULT": read_part("fault.c").rstrip()})


def image_files(image, inputs, outputs):
    """An Image's C files: ``{name: text}``; arguments and errors as in ``network_files``."""
    prefix = c_name(image.executable)
    return _files(image.executable, list_external(image, prefix), (inputs, outputs), _EXTERNAL | {
        "FAULT": read_part("external_fault.c").rstrip(),
        "PLACE": f"\n/* Where the image lies. */\nextern xymac_image {prefix}_image;\n"},
        describe_image(image))


def _files(executable, tables, example, form, content=None):
    """Texts by file name.

    ``form`` has the template values for either kind of network, ``content`` the ``image.json``
    content for an image.
    """
    prefix = c_name(executable)
    inputs, outputs = example
    ends   = list(_ends(executable))
    common = form | {"NAME": prefix, "GUARD": prefix.upper(), "TITLE": comment(executable.name),
                     "SIZE": executable.size}
    header = _header(prefix, ends)
    if content is not None:
        header |= _places(prefix.upper(), content, header)
    parts  = (header, {"TABLES": tables},
              _main(prefix, ends, {"input": inputs, "output": outputs}))
    return {name: fill_in(read_source(name), common | part)
            for name, part in zip(NETWORK_FILES, parts, strict=True)}


def c_name(executable):
    """An Executable's C identifier, and prefix for its other identifiers."""
    name = re.sub(r"\W", "_", executable.name, flags=re.ASCII).lower()
    return f"net_{name}" if not re.match(r"[a-z]", name) or name.startswith("xymac") else name


def _ends(executable):
    """Inputs and outputs: (kind, number, name, C type, blank golden Array)."""
    types = {"float32": "float"}
    ends  = {"input": list(zip(executable.input_names, executable.inputs, strict=True)),
             "output": [(name, executable.values[number]) for name, number in zip(
                 executable.output_names, executable.outputs, strict=True)]}
    for kind, each in ends.items():
        for number, (name, value) in enumerate(each):
            element = value.data.dtype.name
            yield kind, number, comment(name), types.get(element, f"{element}_t"), value


def _describe(value):
    """A value's shape and quantisation as text."""
    shape = " x ".join(map(str, value.shape)) or "1"
    kind  = getattr(value, "quantisation", None)
    if kind is not None:
        return f"{shape}, {kind.scale:.9g} * (element - {kind.zero_point})"
    if hasattr(value, "frac_bits"):
        return f"{shape}, {value.frac_bits} fractional bits"
    return shape


def _count(prefix, kind, number):
    """Macro name for an input's or output's element count."""
    return f"{prefix.upper()}_{kind.upper()}{number}_COUNT"


def _header(prefix, ends):
    """``network.h`` template values for inputs and outputs."""
    return {
        "ENDS": "\n".join(f" *   {kind} {number}, {name}: {c_type}, {_describe(value)}"
                          for kind, number, name, c_type, value in ends),
        "COUNTS": "\n".join(f"#define {_count(prefix, kind, number)} {prod(value.shape)}u"
                            for kind, number, _, _, value in ends),
        "PARAMETERS": ", ".join(f"{'const ' * (kind == 'input')}{c_type} *{kind}{number}"
                                for kind, number, _, c_type, _ in ends),
        **{f"{which.upper()}S": ", ".join(f"{kind}{number}" for kind, number, *_ in ends
                                          if kind == which) for which in ("input", "output")}}


def _places(prefix, content, header):
    """``network.h`` template values about an image, each behind the text in ``header``."""
    lists  = f"lists at bytes {content['load']} (once) and {content['run']} (for each input)"
    lines  = [header["ENDS"], " *", f" * Image: {content['bytes']} bytes, {lists}."]
    macros = [header["COUNTS"], "", "/* Bytes of the image, and first bytes in it. */"]
    macros += [f"#define {prefix}_{name} {content[key]}u" for name, key in (
        ("IMAGE_BYTES", "bytes"), ("LIST_LOAD", "load"), ("LIST_RUN", "run"))]
    for kind in ("input", "output", "state"):
        for number, entry in enumerate(content[f"{kind}s"]):
            order = ("elements at places of image.json" if "places" in entry else
                     "the array in the order of C")
            less  = ", minus 128" if "less" in entry else ""
            lines.append(f" *   {kind} {number}: {entry['type']}, bytes {entry['offset']} to "
                         f"{entry['offset'] + entry['bytes'] - 1}, {order}{less}")
            macros.append(f"#define {prefix}_{kind.upper()}{number}_OFFSET {entry['offset']}u")
    return {"ENDS": "\n".join(lines), "COUNTS": "\n".join(macros)}


def _main(prefix, ends, data):
    """``main.c`` template values for an example."""
    example, checks = [], []
    for kind, number, name, c_type, _ in ends:
        array = "input" if kind == "input" else "expected"
        example += list_array("static const", c_type, f"{array}{number}", data[kind][number])
        if kind == "output":
            count = _count(prefix, kind, number)
            example.append(f"static {c_type} output{number}[{count}];")
            checks.append(f'    differ |= compare_{c_type}("{name}", output{number}, '
                          f"expected{number}, {count});")
    types = sorted({c_type for kind, _, _, c_type, _ in ends if kind == "output"})
    return {"EXAMPLE": "\n".join(example), "CHECKS": "\n".join(checks),
            "ARGUMENTS": ", ".join(f"{kind}{number}" for kind, number, *_ in ends),
            "COMPARE": "\n".join(fill_in(read_part("compare.c"), {
                "TYPE": each, "FORMAT": "%.9g" if each == "float" else "%ld",
                "CAST": "double" if each == "float" else "long"}) for each in types)}
