"""Why MLI 1.x kernels refuse what they refuse: see ``golden.reasons``."""

from golden.reasons import ARGUMENT, EMPTY, FIELD, FORMATS, SHAPES, TYPES, contract, limit

__all__ = ["REASONS"]

REASONS = {
    # What a caller of the library could try.
    "Softmax takes at most … elements, not …":
        limit("the sum of more exponentials could leave 32 bits"),
    "A 16-bit bias can be shifted by at most … bits, not …":
        limit("it would have more than 47 bits, and the library's accumulator has 40"),
    "Layout of a depthwise convolution must be CHW, not …":
        limit("the library has no depthwise convolution in HWC"),
    "Previous output must have … fractional bits, those of the output, in mode …, not …":
        limit("the library reads the output of every further step with the format of the first, "
              "so that other formats mean other values from step to step"),
    "Concat takes 1 to … tensors, not …": limit("the structure of the call counts them in 8 bits"),
    "… must have at most … dimensions, not …": limit("a tensor of the library has no more"),
    # What other checks see to.
    "Bias shift must be at most … bits, not …": contract("the bias is checked before"),
    "Accumulator must have at most … bits": contract("sums are wrapped to the accumulator before"),
    # What means nothing.
    "rounding must be …, not …": FIELD,
    "Slope must have 1 element, not …": SHAPES,
    "Slope has … bits, input has …": TYPES,
    "… must not be empty, but has shape …": EMPTY,
    "Input, weights and bias must have …, … or … bits, not …": TYPES,
    "Bias must have shape …, one value an output, not …": SHAPES,
    "Bias must have at most … fractional bits, those of input and weights together, not …": FORMATS,
    "Weights have … input channels, input has …": SHAPES,
    "Depthwise weights must have 1 input channel, not …": SHAPES,
    "Depthwise weights have … channels, input has …": SHAPES,
    "bits must be 8 or 16, not …": TYPES,
    "Weights have … inputs, input has … elements": SHAPES,
    "First input has … bits, second input has …": TYPES,
    "First input has shape …, second input has …": SHAPES,
    "out_frac_bits must be None for …, which takes those of the first input, not …": FORMATS,
    "First input has … fractional bits, second input has …": FORMATS,
    "Weights must hold … matrices, not …": SHAPES,
    "… must be an int, not …": ARGUMENT,
    "start_dim must be between 0 and …, not …": FIELD,
    "axis must be between 0 and …, not …": FIELD,
    "Padding must be at least 0, not …": FIELD,
    "start must be a tuple of 1 to … ints, not …": ARGUMENT,
    "first_out_dim_size must be between 1 and …, not …": FIELD,
    "Input 0 has … bits, … of them fractional, input … has … and …": FORMATS,
    "Input 0 has shape …, input … has …, which may differ in dimension … only": SHAPES,
    "Coordinate … must be between 0 and …, not …": FIELD,
    "Kernel must have at least 1 of …, not …": FIELD,
    "… has … bits, input has …": TYPES,
    "… must have shape (…,), one value a row of the weights, not …": SHAPES,
    "Input of mode … must have at least 1 dimension, not …": SHAPES,
    "Weights have … columns, input and previous output have … and … elements": SHAPES,
    "out_frac_bits must be … with act …, not …": FORMATS,
    "Weights of mode … must have 2 dimensions, not …": SHAPES,
    "Weights must have 2 or 3 dimensions, not …": SHAPES,
    "… must be between 0 and …, not …": FIELD,
    "Tensor data must be a numpy array of int8 or int16, not …": TYPES,
}
