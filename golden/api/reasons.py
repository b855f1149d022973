"""Why functions by their C names refuse what they refuse: see ``golden.reasons``.

Conditions of the documents of MLI are not here: each is a rule of the library with a status of its
own, but for those with the status that something is not supported.
"""

from golden.reasons import ARGUMENT, EMPTY, FIELD, SHAPES, limit

__all__ = ["ABSENT_NAMES", "REASONS"]

REASONS = {
    # Conditions that end in MLI_STATUS_NOT_SUPPORTED.
    "One input at least must have a rank":
        limit("the library has no function of two scalars"),
    "Element types must be fixed point":
        limit("the function is for fixed point; asymmetric types have functions of their own"),
    "Weights and bias must have one element type": limit("the library has no such function"),
    "An 8-bit input must have 8-bit weights": limit("the library has no such function"),
    "The move of h must be started": limit("the library would wait for it for ever"),
    "Exponentials must have a positive sum": limit("the library divides by their sum"),
    "Element types must be …": limit("the library converts no others, and has no parts of them"),
    # What a structure, or memory, cannot be.
    "tensors_num must be at most …, not …": limit("the library is built for no more"),
    "concat_max_tensors must be 1 .. …, not …": FIELD,
    "version must be …, not …": FIELD,
    "mode of MLI … must be one of …, not …": FIELD,
    "out must have room for all bytes": SHAPES,
    "out has shape …, the result …": SHAPES,
    "Arrays of a move must have … entries, not …": FIELD,
    "Shape … with strides … must lie within … elements": SHAPES,
    "data must point to memory, not hold a value": ARGUMENT,
    "… must be an int, not …": ARGUMENT,
    "… must be … .. …, not …": FIELD,
    "… must be a contiguous numpy array of numbers, not …": ARGUMENT,
    "mem has one member at a time, not …": ARGUMENT,
    "el_params has one member at a time, not fx and sa": ARGUMENT,
    "data must be a slice with positive strides, not …": ARGUMENT,
    "mem has no member …": ARGUMENT,
    # lib_nn.
    "start.channels of job_params must be a multiple of …, not …":
        limit("the library asserts it: a block of the BSO has so many channels"),
    "output_start must be a multiple of …, not …":
        limit("the library documents it: a block of the BSO has so many channels"),
    "x_params.channels must divide …, unlike …":
        limit("weights of conv2d_shallowin would have no whole number of columns"),
    "… must lie in one piece, not with strides …": limit("the library has pointers, not strides"),
    "symmetric must name some of …, not …": limit("the library has no such option"),
    "… must be memory that can be written, not read only": ARGUMENT,
    "… must be a numpy array of float32, not …": ARGUMENT,
    "… must be a number, not …": ARGUMENT,
    "… must be a finite float32, not …": FIELD,
    "… must be a finite number above 0, not …": FIELD,
    "… must have … elements, not …": SHAPES,
    "bytes_per_pixel must be a multiple of …, not …": limit("the library asserts it"),
    "Sums must have 32 bits, not be up to …":
        limit("the library's sums have 32 bits, and would wrap"),
    "… of job_params must stay within the … of the output, not reach …": SHAPES,
    "y_params.channels must be the … of the input, not …": SHAPES,
    "y_params must have the height and width of the input, … and …, not … and …": SHAPES,
    "Channels must stay within the … of the input, not reach …": SHAPES,
    "… must be a numpy array of integers, not …": ARGUMENT,
    "… must have … bytes, not …": SHAPES,
    "… must be between … and …, not …": FIELD,
    "… must be of …, not …": ARGUMENT,
    "flags must be those of …, at most …, not …": FIELD,
    "params.input must have 2 structures, not …": ARGUMENT,
    "output_channel_group must be less than …, the groups of … channels, not …": EMPTY,
    "output_channel_group must be less than …, not …": EMPTY,
    "Channels and bytes of each must be at least 1, not … and …": EMPTY,
    "X must have the bytes from … on, not …": SHAPES,
    "jobs must have … structures, not …": ARGUMENT,
    "Scaled elements must be numbers, but element … is nan":
        limit("the library's C is not defined for it"),
    "channel_multipliers_in must lie from -2 to less than 2":
        limit("the library's factors have 32 bits, 30 of them fractional"),
}

_OF_111 = ("MLI 1.1.1 has 26 functions of asymmetric types, MLI 1.0 none; maxpool_hwc and "
           "avepool_hwc are here; the arithmetic of the others is not that of MLI 2.0, whose "
           "kernels are here: scales have 32 bits and one number of fractional bits, the ratio of "
           "input and output scale has 30 fractional bits, and the bias is scaled")

#: Of names of MLI 1.x that its convention spells and that are MLI_STATUS_NOT_SUPPORTED: the ends,
#: and what stands for them in a table.
ABSENT_NAMES = {
    "sa8":           _OF_111,
    "sa8_sa8_sa32":  _OF_111,
    ("depthwise_conv2d", "hwc"): "the library has no depthwise convolution in HWC",
}
