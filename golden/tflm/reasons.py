"""Why kernels of TensorFlow Lite refuse what they refuse: see ``golden.reasons``."""

from golden.reasons import ARGUMENT, EMPTY, FIELD, FORMATS, SHAPES, TYPES, limit

__all__ = ["REASONS"]

REASONS = {
    # What a caller of the library could try.
    "A tensor has at most … dimensions, not …": limit("a shape of the library has no more"),
    "Scales must make a factor less than …, not …":
        limit("the library asserts it, or shifts by it what has 32 bits"),
    "Scale of out must be that of the input, …, within …, not …":
        limit("the library does not scale what it pools"),
    "Zero point of out must be that of the input, …, not …":
        limit("the library does not scale what it pools"),
    "Scale of the bias must be that of input times weights, within … steps of the output, not … "
    "steps away": limit("the library checks it"),
    "activation must be … or …, not …":
        limit("the library would leave the activation out without a word"),
    "… must have zero point 0, not …": limit("the library takes it for 0"),
    # What means nothing.
    "Data must be a numpy array of …, not …": TYPES,
    "A tensor must not be empty, but has shape …": EMPTY,
    "quantisation must be a Quantisation or None, not …": ARGUMENT,
    "Data of FLOAT32 have no scale, but there is …": FORMATS,
    "axis must be less than the … dimensions, not …": FORMATS,
    "Dimension … has … elements, but there are … scales": FORMATS,
    "Zero points of … must be between … and …, not …": FIELD,
    "Zero points are of integers, not of FLOAT32": TYPES,
    "Scales must be numbers, not …": ARGUMENT,
    "Scales must be finite and at least 0, not …": FIELD,
    "Scales must be float32, not …": FIELD,
    "… must be a tuple, not …": ARGUMENT,
    "zero_points and axis must be ints, not …": ARGUMENT,
    "There are … scales, but … zero points": FORMATS,
    "axis must be between -1 and …, not …": FIELD,
    "There must be 1 scale for a whole tensor, not …": FORMATS,
    "… must be …, not …": TYPES,
    "… must be a bool, not …": ARGUMENT,
    "… must have a scale, but has none": FORMATS,
    "Weights must have a scale, but have none": FORMATS,
    "… must have one scale, not one along dimension …": FORMATS,
    "out must have one scale, not one along dimension …": FORMATS,
    "Scale of out must be more than 0, not 0.0": FIELD,
    "Scale of … must be more than 0, not 0.0": FIELD,
    "Zero point of out must be between … and …, not …": FIELD,
    "Scales of weights must be along dimension …, not …": FORMATS,
    "Bias must have shape …, one value an output, not …": SHAPES,
    "… must be at least 1, not …": FIELD,
    "Channels of the input must be a multiple of the … of the weights, not …": SHAPES,
    "Outputs must be a multiple of the … groups, not …": SHAPES,
    "Outputs must be a multiple of the … channels of the input, not …": SHAPES,
    "Depthwise weights must have shape 1 along dimension 0, not …": SHAPES,
    "Weights have … input channels, input has …": SHAPES,
    "Dilation of a transposed convolution must be (1, 1), not …": FIELD,
    "Weights have … inputs, the last dimension of the input is …": SHAPES,
    "Elements of the input must be a multiple of the … inputs of the weights, not …": SHAPES,
    "First input is …, second input is …": TYPES,
    "First input has shape …, second input has …": SHAPES,
    "axes must be between … and …, not …": FIELD,
}
