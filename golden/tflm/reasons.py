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
    "Every element must be less than 2**31 steps of the output's scale, not …":
        limit("the library makes an integer of 32 bits of the quotient"),
    "Scale of the input must be less than 128 times that of the output, not … times":
        limit("the library asserts that the last shift is to the right"),
    "Scale of the cell must be between 2**-43 and 8, not …":
        limit("the library shifts its argument of the tangent, of 32 bits, by less than 32"),
    "Concatenation takes 1 to … tensors, not …": limit("the library has room for no more"),
    "Input … must have the scale and zero point of the output, …, not …":
        limit("the library joins without scaling"),
    "Input … and the output must have zero point 0, not …": limit("the library checks it"),
    "Scale of an INT8 input must be at least 2**-28 and less than 2**35, not …":
        limit("the library counts steps of the input in 32 bits, and divides by one of 64"),
    "Scale of an INT16 input must be at least 3.79e-14 and less than 8/3, not …":
        limit("the library holds the factor of an element in 16 bits, and takes 0 for 2**31"),
    "Scale of out must be 2**-15 for INT16, not …": limit("the library checks it"),
    "out must have zero point -128, not …": limit("the library checks it"),
    "Input must have at most … dimensions, not …": limit("the library asserts it"),
    "Exponentials of a row must add up to less than …, not …":
        limit("the library asserts what it can divide by"),
    "out must have scale 2**-… and zero point …, not … and …": limit("the library checks it"),
    "beta times the scale of an INT8 input must be more than 2**-26, not …":
        limit("the library asserts it"),
    "align_corners must be False with half_pixel_centers, not True":
        limit("the library checks it"),
    "Every output must begin at one of the … elements of its axis, not at …":
        limit("the library reads beyond the image there"),
    # What means nothing.
    "Output of … must be …, not …": TYPES,
    "Input and output must be …, not …": TYPES,
    "Input 0 is …, input … …": TYPES,
    "Input must have 1 dimension at least, not 0": SHAPES,
    "… must have … entries, not …": SHAPES,
    "pads must have … entries, not …": SHAPES,
    "… must have shape …, not …": SHAPES,
    "state must have shape …, not …": SHAPES,
    "bias must have shape …, not …": SHAPES,
    "weights_feature has … inputs, input has …": SHAPES,
    "weights_feature has … filters, weights_time has …": SHAPES,
    "shape must be one of … elements, not …": SHAPES,
    "alpha must have 1 or all of each of the dimensions …, not …": SHAPES,
    "Input 0 has shape …, input … has …, which may differ in dimension … only": SHAPES,
    "Slice must lie within the … elements of dimension …, but takes … from … on": SHAPES,
    "Slice of dimension … must have an element, not …": EMPTY,
    "Input must have one scale, not one along dimension …": FORMATS,
    "axis must be between … and …, not …": FIELD,
    "shape must hold sizes from 1 on, and -1 once at most, not …": FIELD,
    "count must divide the … elements of dimension …, not be …": FIELD,
    "sizes must be at least 1 and add up to the … elements of dimension …, not be …": FIELD,
    "Dimension … must have 1 element to be removed, not …": SHAPES,
    "Pack takes 1 tensor at least, not 0": EMPTY,
    "Input 0 has shape …, input … …": SHAPES,
    "index must be between 0 and …, not …": FIELD,
    "value must be between … and …, not …": FIELD,
    "pads must not be negative, not …": FIELD,
    "Scale of the input must be more than 0, not 0.0": FIELD,
    "Scale of state must be more than 0, not 0.0": FIELD,
    "alpha must be finite, not …": FIELD,
    "size must be at least 1, not …": FIELD,
    "strides must not be 0, not …": FIELD,
    "shrink must hold dimensions from 0 to …, not …": FIELD,
    "rank must divide the … filters, not be …": FIELD,
    "Data must be a numpy array of …, not …": TYPES,
    "A tensor must not be empty, but has shape …": EMPTY,
    "quantisation must be a Quantisation or None, not …": ARGUMENT,
    "Data of … have no scale, but there is …": FORMATS,
    "axis must be less than the … dimensions, not …": FORMATS,
    "Dimension … has … elements, but there are … scales": FORMATS,
    "Zero points of … must be between … and …, not …": FIELD,
    "Zero points are of integers, not of …": TYPES,
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
