"""Why MLI 2.0 kernels refuse what they refuse: see ``golden.reasons``."""

from golden.reasons import (
    ARGUMENT,
    EMPTY,
    FIELD,
    FORMATS,
    SHAPES,
    TYPES,
    WINDOW,
    Kind,
    Reason,
    limit,
)

__all__ = ["REASONS"]

REASONS = {
    # What a caller of the library could try.
    "Softmax takes at most … elements, not …":
        limit("the sum of more exponentials could leave 32 bits"),
    "Scales must not differ along the joined dimension …":
        limit("the scales of the joined tensor would have to be joined, too"),
    "A tensor has at most … dimensions, not …": limit("a tensor of the library has no more"),
    "Input or output must be of integers, not both FP_32":
        limit("the library has no conversion between floating point and itself"),
    "Input has scales along dimension …, output along …":
        limit("the library converts along one dimension"),
    # What means nothing.
    "Zero point of a ReLU must be between … and …, not …": FORMATS,
    "Weights must have one zero point, not …": FORMATS,
    "Slope must have 1 element, not …": SHAPES,
    "Slope must have shape …, not …": SHAPES,
    "out must be None for …, not …": FORMATS,
    "… must have shape …, not …": SHAPES,
    "Scales of weights must be along dimension 0, the gates, not …": FORMATS,
    "… must be …, not …": TYPES,
    "… must have one scale, not one along dimension …": FORMATS,
    "axis must be between -1 and …, not …": FIELD,
    "Input, weights and bias must be …, … or …, not …": TYPES,
    "Bias must have shape …, one value an output, not …": SHAPES,
    "Scales of weights must be along dimension …, not …": FORMATS,
    "Dilation must be at least 1, not …": FIELD,
    "Weights have … input channels, input has …": SHAPES,
    "Channels of the input must be a multiple of the … of a group, not …": SHAPES,
    "Outputs must be a multiple of the … groups, not …": SHAPES,
    "Depthwise weights must have 1 input channel, not …": SHAPES,
    "Depthwise weights have … channels, input has …": SHAPES,
    "Dilation of a transposed convolution must be (1, 1), not …": FIELD,
    "Stride must be at least 1, not …": FIELD,
    "The output must have at least 1 of …, not …": EMPTY,
    "Padding of … must be between 0 and …, less than the kernel, not …": WINDOW,
    "Output must be …, not …": TYPES,
    "Weights have … inputs, input has … elements": SHAPES,
    "Scales of weights must be along dimension 1, not 0": FORMATS,
    "There are … weights for … inputs": SHAPES,
    "First input is …, second input is …": TYPES,
    "First input has shape …, second input has …": SHAPES,
    "Exponentials must have a positive sum, not …":
        Reason(Kind.ILLEGAL, "the library divides by their sum"),
    "First input has format …, second input has …": FORMATS,
    "Concat takes at least 1 tensor, not 0": EMPTY,
    "axis must be between 0 and …, not …": FIELD,
    "topk must be between 1 and the … elements of a slice, not …": FIELD,
    "Input 0 is … in the format …, input … … in …": FORMATS,
    "Input 0 has shape …, input … has …, which may differ in dimension … only": SHAPES,
    "Kernel must have at least 1 of …, not …": FIELD,
    "element must be an Element, not …": ARGUMENT,
    "Data of … must be a numpy array of …, not …": TYPES,
    "Format of … must be …, not …": FORMATS,
    "A tensor must not be empty, but has shape …": EMPTY,
    "Data of FX_4 must be between … and …, not … to …": FIELD,
    "dim must be less than the … dimensions, not …": FORMATS,
    "Dimension … has … elements, the format … scales": FORMATS,
}
