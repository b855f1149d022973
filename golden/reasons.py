"""Why something is refused: the kinds of reasons, and those of the files that wings share.

Every package that refuses has a table ``REASONS`` by the sentence that says so, with an ellipsis
for each value in it. ``docs/limits.md`` is made of them; a sentence without a reason, and a reason
without its sentence, fail a test.
"""

from dataclasses import dataclass
from enum import Enum

__all__ = ["ARGUMENT", "EMPTY", "FIELD", "FORMATS", "REASONS", "SHAPES", "TYPES", "WINDOW", "Kind",
           "Reason", "contract", "limit"]


class Kind(Enum):
    """What a refusal is about."""

    LIMIT    = "what a caller may ask for by the documents, and does not get"
    ILLEGAL  = "what the documents forbid, or what means nothing"
    CONTRACT = "what parts of this project promise each other; no call gets there"


@dataclass(frozen=True)
class Reason:
    """One reason: its Kind, and the reason itself in words that follow "because"."""

    kind: Kind
    text: str


def limit(text):
    """Reason of a refusal of something legal."""
    return Reason(Kind.LIMIT, text)


def contract(text):
    """Reason of a refusal that no call gets."""
    return Reason(Kind.CONTRACT, text)


SHAPES   = Reason(Kind.ILLEGAL, "the shapes do not go together")
TYPES    = Reason(Kind.ILLEGAL, "the function has no variant for these types")
FORMATS  = Reason(Kind.ILLEGAL, "the formats of the tensors do not go together")
FIELD    = Reason(Kind.ILLEGAL, "it is outside the range that the parameter has")
ARGUMENT = Reason(Kind.ILLEGAL, "it is no argument of this kind")
WINDOW   = Reason(Kind.ILLEGAL, "the documents keep every window partly on the image")
EMPTY    = Reason(Kind.ILLEGAL, "there is nothing to compute")

REASONS = {
    "… must be … …, not …": ARGUMENT,
    "… must be a tuple of … ints, not …": ARGUMENT,
    "… must have … dimensions, not …": SHAPES,
    "Stride along … must be at least 1, not …": FIELD,
    "Padding of … must be between 0 and …, less than the kernel, not …": WINDOW,
    "Kernel has … …, the padded input only …": WINDOW,
    "order must hold every dimension from 0 to … once, not …": FIELD,
    "Matrix product must stay within 2**62, but may reach …":
        limit("64 bits of the model must hold every sum, exactly"),
    "Scales of the inputs over that of the output must fit a left shift up to … bits, not be …":
        limit("the library would shift 32 bits further"),
    "Kernel must have at most … elements, not …":
        limit("the factor of the mean would need a shift beyond the accumulator"),
    "… must be less than 2**31 steps of the output's scale, not …":
        limit("the library holds the limit of an activation in 32 bits"),
    "… must be an int, not …": ARGUMENT,
    "… must be between … and …, not …": FIELD,
    "… along dimension … must be a tuple, not …": ARGUMENT,
    "… of a whole tensor must be an int, not a tuple": ARGUMENT,
    "scale has … values, … has …": FORMATS,
    "… must be … of shape … at least for elements of shape … with strides …, not … of shape …":
        SHAPES,
    "strides must be at least 1, not …": FIELD,
    "pads must be pairs from 0 on for … dimensions, not …": FIELD,
    "Elements must not overlap, as those of shape … do with strides …":
        Reason(Kind.ILLEGAL, "an element that is written has a place of its own"),
    "… must have 2 entries at least, not …": EMPTY,
    "frac_bits of … must not be negative, not …": FIELD,
    "Entries of … must be … .. …, not … at …": FIELD,
    "Layer must be a layer, not ……": ARGUMENT,
    "Inputs of … must be …, not …": ARGUMENT,
}
