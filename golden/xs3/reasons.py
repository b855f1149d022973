"""Why lib_nn kernels refuse what they refuse: see ``golden.reasons``."""

from golden.reasons import ARGUMENT, EMPTY, FIELD, SHAPES, TYPES, limit

__all__ = ["REASONS"]

REASONS = {
    # What a caller of the library could try.
    "… of channel … must be between 0 and … bits, not …":
        limit("the library holds shifts without a sign and is not defined beyond the accumulator"),
    "Inputs must be a multiple of …, not …": limit("the library asserts it"),
    "Outputs must be at most …, not …": limit("the library asserts it: one vector of outputs"),
    "… channels must be a multiple of 4, not …":
        limit("the library asserts it: pixels begin at words"),
    "Weights of a kernel row must be …, inputs times columns, not …":
        limit("the library reads a row of the kernel as one vector"),
    "Weights from column … on must be 0, but … are not":
        limit("the library multiplies what lies behind the window by them"),
    "Windows must lie inside of the … … of the input, not from … to …":
        limit("pools of the library have no padding"),
    "Mode must be 8, 16 or 32 bits, not …": limit("the unit has no other"),
    "VDEPTH… needs a mode of … bits, not …": limit("the unit has no other"),
    # What means nothing.
    "BSO of … channels must have shape …, not …": SHAPES,
    "out_bits must be 8 or 16, not …": TYPES,
    "… must have at least … elements, one an output, not …": SHAPES,
    "Table must have 256 elements, not …": SHAPES,
    "First input has shape …, second input has …": SHAPES,
    "… must be a tuple of 2 ints, not …": ARGUMENT,
    "… must be …, not …": TYPES,
    "… must have … dimensions, not …": SHAPES,
    "… must not be empty, but has shape …": EMPTY,
    "… have … channels, … has …": SHAPES,
    "… must be an int, not …": ARGUMENT,
    "… must be between … and …, not …": FIELD,
    "Integers must be a numpy array of …, not …": TYPES,
    "Kernel must have at least 1 of …, not …": FIELD,
    "Accumulators of … channels must be … or …, but have shape …": SHAPES,
    "Parameters of … channels must be …, not …": SHAPES,
    "… must be at least 1 of …, not …": FIELD,
}
