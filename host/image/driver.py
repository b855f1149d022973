# SPDX-License-Identifier: Apache-2.0
"""C code for an image: a header with its places, and functions that start its lists."""

from importlib.resources import files

from xymac.hdl.isa import REGISTERS, Control, Register, State
from xymac.host.files.text import plain

from .description import describe_image

__all__ = ["DRIVER_FILES", "driver_files"]

DRIVER_FILES = "xymac_image.h", "xymac_image.c"
_REGISTERS   = Register.CONTROL, Register.IRQ_MASK, Register.BASE, Register.SIZE, Register.LIST, \
    Register.LIST_STATUS


def driver_files(image):
    """Texts by file name (a dict) for an Image."""
    source = files(__package__).joinpath("driver.c").read_text(encoding="utf-8")
    return {"xymac_image.h": _header(describe_image(image)), "xymac_image.c": source}


def _header(content):
    """The ``xymac_image.h`` text."""
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"/* The image of {plain(content['network'])} for a core of size {content['size']}. */",
        "#ifndef XYMAC_IMAGE_H", "#define XYMAC_IMAGE_H", "", "#include <stdint.h>", "",
        "/* Bytes of the image, and alignment of the external memory that holds it. */",
        f"#define XYMAC_IMAGE_BYTES {content['bytes']}u",
        f"#define XYMAC_IMAGE_ALIGNMENT {content['alignment']}u",
        f"#define XYMAC_IMAGE_LOAD {content['load']}u /* command list, once */",
        f"#define XYMAC_IMAGE_RUN {content['run']}u /* command list, for each input */", ""]
    for group in ("inputs", "outputs", "states"):
        for number, entry in enumerate(content[group]):
            lines += _value(f"XYMAC_IMAGE_{group[:-1].upper()}_{number}", entry)
    lines += ["/* Registers: byte offsets and codes. */"]
    lines += [f"#define XYMAC_IMAGE_{register.name} {register.value:#x}u"
              for register in _REGISTERS]
    status = REGISTERS[Register.LIST_STATUS]
    done   = status.pack(state=State.DONE.value)
    lines += [
        f"#define XYMAC_IMAGE_START {Control.LIST.value}u",
        f"#define XYMAC_IMAGE_CLEAR {Control.CLEAR.value}u",
        f"#define XYMAC_IMAGE_DONE {done:#x}u /* the lower 8 bits of LIST_STATUS */",
        f"#define XYMAC_IMAGE_BUSY {State.BUSY.value}u /* the lower 4 bits while it runs */", "",
        "/* Start a list of the image at byte address `base`; the interrupt comes at its end. */",
        "void xymac_image_start(volatile uint32_t *core, uint32_t base, uint32_t list);", "",
        "/* Whether the list has ended. */",
        "int xymac_image_ended(volatile uint32_t *core);", "",
        "/* Clear the interrupt; 0 if the list ended well, else LIST_STATUS. */",
        "uint32_t xymac_image_finish(volatile uint32_t *core);", "",
        "#endif", ""]
    return "\n".join(lines)


def _value(name, entry):
    """Lines about a value."""
    form   = "the array in C order" if "places" not in entry else "see image.json for its places"
    form  += ", elements minus 128" if "less" in entry else ""
    shape  = "x".join(map(str, entry["shape"])) or "1"
    return [f"/* {plain(entry['name'])}: {entry['type']} {shape}, {form} */",
            f"#define {name}_OFFSET {entry['offset']}u",
            f"#define {name}_BYTES {entry['bytes']}u", ""]
