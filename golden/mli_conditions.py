"""Conditions of every function of MLI 1.x, in the order in which they are checked.

Source: MLI 1.0 and 1.1, "Conditions for Applying the Function" of each; which of the two is
broken first where a call breaks several is the order of the library's checks.
"""

from .mli_status import (
    Condition,
    apart,
    buffer,
    bytes_of,
    configured,
    counts,
    enough,
    frac_bits,
    in_place,
    scalar,
    typed,
    valid,
)
from .mli_types import (
    MLI_CONCAT_MAX_TENSORS,
    dims,
    elements,
    is_count,
    mli_concat_cfg,
    mli_conv2d_cfg,
    mli_element_type,
    mli_padding2d_cfg,
    mli_permute_cfg,
    mli_point_to_subtsr_cfg,
    mli_pool_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_rnn_cell_cfg,
    mli_rnn_mode,
    mli_rnn_out_activation,
    mli_status,
)

__all__ = ["CONDITIONS"]

_SHAPE        = mli_status.MLI_STATUS_SHAPE_MISMATCH
_INCOMPATIBLE = mli_status.MLI_STATUS_INCOMPATEBLE_TENSORS
_CFG          = mli_status.MLI_STATUS_BAD_FUNC_CFG
_UNSUPPORTED  = mli_status.MLI_STATUS_NOT_SUPPORTED
_TYPE         = mli_status.MLI_STATUS_TYPE_MISMATCH
_SPEC         = mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH
_FX           = (mli_element_type.MLI_EL_FX_8, mli_element_type.MLI_EL_FX_16)
_PADDING      = ("padding_left", "padding_right", "padding_top", "padding_bottom")


def _same(values):
    return all(value == values[0] for value in values)


def _rank(name, rank):
    return Condition(_SHAPE, f"Rank of {name.rstrip('_')} must be {rank}",
                     lambda call: getattr(call, name).rank, lambda found: found == rank)


def _member(kind, field, get):
    return Condition(_CFG, f"{field} must be an {kind.__name__}", get,
                     lambda value: is_count(value, 0, len(kind) - 1))


def _in_window(call):
    return [(pad, size) for pad, size in zip(call.pad, _twice(call.kernel), strict=True)
            if pad >= size]


def _twice(pair):
    return pair[0], pair[0], pair[1], pair[1]


def _fits(status):
    return Condition(
        status, "Window must not be larger than the image, rows and columns",
        lambda call: (call.kernel, call.image),
        lambda sizes: all(k <= i for k, i in zip(*sizes, strict=True)))


_WINDOWS = Condition(_CFG, "Padding must be less than the window", _in_window,
                     lambda wrong: not wrong)


def _promise(text, expected, found):
    """Condition that what a name promises, if it does, is what the call holds."""
    return Condition(_SPEC, f"{text} must be as in the function's name",
                     lambda call: (expected(call.name.spec), found(call)),
                     lambda pair: pair[0] is None or pair[0] == pair[1])


def same_padding(call):
    """Paddings that ``krnpad`` promises: those that keep the size, at stride 1 and at this one.

    The smallest with ``ceil(size / stride)`` outputs, the odd element behind the image.
    """
    def axis(size, kernel, stride):
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        return total // 2, total - total // 2
    return tuple(sum((axis(*sizes) for sizes in zip(call.image, call.kernel, stride, strict=True)),
                     ()) for stride in ((1, 1), call.stride))


def _padding(call):
    allowed = {"nopad": ((0, 0, 0, 0),), "krnpad": same_padding(call)}
    return call.pad in allowed.get(call.name.spec.padding, (call.pad,)), call.pad


_PROMISES = (
    _promise("Columns of the window", lambda spec: spec.kernel_width, lambda call: call.kernel[1]),
    _promise("Rows of the window", lambda spec: spec.kernel_height, lambda call: call.kernel[0]),
    _promise("Channels", lambda spec: spec.channels, lambda call: call.channels),
    _promise("stride_height", lambda spec: spec.stride_height, lambda call: call.stride[0]),
    _promise("stride_width", lambda spec: spec.stride_width, lambda call: call.stride[1]),
    Condition(_SPEC, "Padding must be as in the function's name", _padding, lambda pair: pair[0]),
)

_BIAS = Condition(
    _INCOMPATIBLE, "Bias must have no more fractional bits than input and weights together",
    lambda call: tuple(getattr(call, name).el_params.fx.frac_bits
                       for name in ("bias", "in_", "weights")),
    lambda bits: bits[0] <= bits[1] + bits[2])
_CONSTANTS = (
    Condition(_UNSUPPORTED, "Weights and bias must have one element type",
              lambda call: (call.weights.el_type, call.bias.el_type), _same),
    Condition(_UNSUPPORTED, "An 8-bit input must have 8-bit weights",
              lambda call: (call.in_.el_type, call.weights.el_type), lambda types: types != _FX),
)
_BIAS_LENGTH = Condition(
    _SHAPE, "Bias must have one element an output",
    lambda call: (call.bias.shape[0], call.weights.shape[0]), _same)


def _convolution(channels):
    return (
        *valid("in_", "weights", "bias"), buffer(), frac_bits(), configured(mli_conv2d_cfg),
        *counts(*_PADDING), *counts("stride_height", "stride_width", low=1),
        Condition(_CFG, "relu must be an mli_relu_cfg", lambda call: call.cfg.relu,
                  lambda relu: isinstance(relu, mli_relu_cfg)),
        _member(mli_relu_type, "relu.type", lambda call: call.cfg.relu.type),
        _rank("in_", 3), _rank("weights", 4), _rank("bias", 1), *channels, _BIAS_LENGTH,
        _fits(_SHAPE), _WINDOWS, *_CONSTANTS, _BIAS, typed("in_"), *_PROMISES, apart("in_"),
        enough())


def _weight_channels(call):
    return call.weights.shape[1 if call.layout.name == "CHW" else 3]


_CHANNELS = Condition(_SHAPE, "Weights must have the channels of the input",
                      lambda call: (_weight_channels(call), call.channels), _same)
_DEPTHWISE = (
    Condition(_SHAPE, "Depthwise weights must have 1 channel", _weight_channels,
              lambda count: count == 1),
    Condition(_SHAPE, "Depthwise weights must have one filter a channel of the input",
              lambda call: (call.weights.shape[0], call.channels), _same),
)

_POOLING = (
    *valid("in_"), buffer(), configured(mli_pool_cfg), *counts(*_PADDING),
    *counts("kernel_height", "kernel_width", "stride_height", "stride_width", low=1),
    _rank("in_", 3), _WINDOWS, _fits(_CFG), typed("in_"), *_PROMISES, apart("in_"), enough())

_FULLY_CONNECTED = (
    *valid("in_", "weights", "bias"), buffer(), frac_bits(), _rank("weights", 2),
    _rank("bias", 1), _BIAS_LENGTH,
    Condition(_SHAPE, "Weights must have one column an input element",
              lambda call: (call.weights.shape[1], elements(call.in_)), _same),
    *_CONSTANTS, _BIAS, typed("in_"), apart("in_"), enough())


def _frame(call):
    """Elements of one frame of the input of a recurrent cell."""
    one = call.cfg.mode == mli_rnn_mode.RNN_ONE_TO_ONE
    return elements(call.in_) if one else elements(call.in_) // call.in_.shape[0]


def _is_stacked(call):
    return call.cfg.mode == mli_rnn_mode.RNN_ONE_TO_ONE and call.weights.rank == 3


def _is_last(call):
    return call.cfg.mode == mli_rnn_mode.RNN_BATCH_TO_LAST


def _dense_shape(call):
    """Shapes of weights and bias as they are, and as the other tensors want them."""
    m = elements(call.prev_out)
    stack = ((4,) if hasattr(call, "cell") else
             call.weights.shape[:1] if _is_stacked(call) else ())
    return ((dims(call.weights), dims(call.bias)),
            ((*stack, m, _frame(call) + m), (*stack, m)))


def _cell_pairs(call):
    """Tensors of a recurrent cell that must not share memory."""
    used  = [name for name in ("in_", "prev_out", "weights", "bias", "cell") if hasattr(call, name)]
    lstm  = hasattr(call, "cell")
    if lstm or _is_last(call):
        used.append("cfg.ir_tsr")
    share = lstm or _is_last(call)
    return [(first, second) for first in ("out", "cfg.ir_tsr", "cell") if first in ("out", *used)
            for second in used if first != second
            and not (share and (first, second) == ("out", "prev_out"))]


_ACTIVATED = Condition(
    _INCOMPATIBLE, "Without activation out must have the fractional bits of prev_out",
    lambda call: (call.cfg.act, call.out_frac_bits, call.prev_out.el_params.fx.frac_bits),
    lambda found: found[0] != mli_rnn_out_activation.RNN_ACT_NONE or found[1] == found[2])
_CELL_BEGIN = (
    configured(mli_rnn_cell_cfg), _member(mli_rnn_mode, "mode", lambda call: call.cfg.mode),
    _member(mli_rnn_out_activation, "act", lambda call: call.cfg.act),
    Condition(_CFG, "A sequence must have at least 2 dimensions",
              lambda call: (call.cfg.mode, call.in_.rank),
              lambda found: found[0] == mli_rnn_mode.RNN_ONE_TO_ONE or found[1] >= 2),
)
_CELL_END = (
    Condition(_SHAPE, "Weights and bias must have the shapes that the cell wants", _dense_shape,
              _same),
    _rank("prev_out", 1),
    Condition(_TYPE, "Weights and bias must have one element type",
              lambda call: (call.weights.el_type, call.bias.el_type), _same),
    Condition(_TYPE, "Input, prev_out and cell must have one element type",
              lambda call: [getattr(call, name).el_type for name in ("in_", "prev_out", "cell")
                            if hasattr(call, name)], _same),
    _BIAS, typed("in_", "prev_out", "cell"), _ACTIVATED,
)


def _only(test, condition):
    """A condition that binds only the calls that ``test`` selects."""
    return Condition(
        condition.status, condition.text,
        lambda call: (not test(call), None if not test(call) else condition.value(call)),
        lambda pair: pair[0] or condition.ok(pair[1]))


_LSTM = (
    *valid("in_", "prev_out", "weights", "bias", "cell"), buffer("cell"), buffer(), *_CELL_BEGIN,
    buffer("cfg.ir_tsr", _CFG), *_CELL_END, _rank("cell", 1),
    Condition(_SHAPE, "cell and prev_out must have one shape",
              lambda call: (dims(call.cell), dims(call.prev_out)), _same),
    enough("cfg.ir_tsr", lambda call: bytes_of(call, 4, *dims(call.prev_out))),
    apart(pairs=_cell_pairs), enough())
_BASIC_RNN = (
    *valid("in_", "prev_out", "weights", "bias"), buffer(), *_CELL_BEGIN,
    _only(_is_last, buffer("cfg.ir_tsr", _CFG)), *_CELL_END,
    _only(_is_last, enough("cfg.ir_tsr", lambda call: bytes_of(call, *dims(call.prev_out)))),
    apart(pairs=_cell_pairs), enough())

_TRANSFORM = (*valid("in_"), buffer(), typed("in_"), in_place("in_"), enough())
_RELU = (
    *valid("in_"), buffer(), configured(mli_relu_cfg),
    _member(mli_relu_type, "type", lambda call: call.cfg.type), typed("in_"), in_place("in_"),
    enough())
_LEAKY_RELU = (
    *valid("in_"), buffer(), *valid("slope_coeff", rank0=True), scalar("slope_coeff"),
    Condition(_TYPE, "Input and slope_coeff must have one element type",
              lambda call: (call.in_.el_type, call.slope_coeff.el_type), _same),
    typed("in_", "slope_coeff"), in_place("in_"), enough())


def _eltwise(*more):
    return (
        *valid("in1", "in2", rank0=True), buffer(), *more,
        Condition(_UNSUPPORTED, "One input at least must have a rank",
                  lambda call: (call.in1.rank, call.in2.rank), any),
        Condition(_INCOMPATIBLE, "Both inputs must have one element type",
                  lambda call: (call.in1.el_type, call.in2.el_type), _same),
        *(() if more else (Condition(
            _INCOMPATIBLE, "Both inputs must have the same fractional bits",
            lambda call: (call.in1.el_params.fx.frac_bits, call.in2.el_params.fx.frac_bits),
            _same),)),
        Condition(_SHAPE, "Both inputs must have one shape, or one of them one element",
                  lambda call: (dims(call.in1), dims(call.in2)),
                  lambda shapes: _same(shapes) or any(
                      all(size == 1 for size in shape) for shape in shapes)),
        typed("in1", "in2"), in_place("in1", "in2"), enough())


def _inputs(call):
    return list(call.inputs)[:call.cfg.tensors_num]


def _all_inputs(status, text, value, ok):
    return Condition(status, text, lambda call: [value(tensor) for tensor in _inputs(call)], ok)


def _other_dims(call):
    axis = call.cfg.axis
    return [dims(tensor)[:axis] + dims(tensor)[axis + 1:] for tensor in _inputs(call)]


def _input_pairs(call):
    used = _inputs(call)
    return ([("out", tensor) for tensor in used]
            + [(first, second) for index, first in enumerate(used) for second in used[:index]])


class _OneInput:
    """An input of a concatenation as the argument ``input`` of a call."""

    def __init__(self, tensor):
        self.input = tensor


_CONCAT = (
    Condition(mli_status.MLI_STATUS_BAD_TENSOR, "inputs must be a list or tuple",
              lambda call: type(call.inputs).__name__, lambda kind: kind in ("list", "tuple")),
    configured(mli_concat_cfg), *counts("axis"),
    Condition(_CFG, f"tensors_num must be 1 .. {MLI_CONCAT_MAX_TENSORS}",
              lambda call: call.cfg.tensors_num,
              lambda count: is_count(count, 1, MLI_CONCAT_MAX_TENSORS)),
    Condition(mli_status.MLI_STATUS_BAD_TENSOR, "inputs must hold tensors_num tensors",
              lambda call: (len(call.inputs), call.cfg.tensors_num),
              lambda pair: pair[0] >= pair[1]),
    _all_inputs(mli_status.MLI_STATUS_BAD_TENSOR, "Every input must be a valid tensor",
                lambda tensor: valid("input")[0].value(_OneInput(tensor)),
                lambda flaws: not any(flaws)),
    buffer(),
    Condition(_CFG, "axis must be less than the rank of the first input",
              lambda call: (call.cfg.axis, call.inputs[0].rank), lambda pair: pair[0] < pair[1]),
    _all_inputs(_INCOMPATIBLE, "All inputs must have one element type",
                lambda tensor: tensor.el_type, _same),
    _all_inputs(_INCOMPATIBLE, "All inputs must have the same fractional bits",
                lambda tensor: tensor.el_params.fx.frac_bits, _same),
    _all_inputs(_INCOMPATIBLE, "All inputs must have one rank", lambda tensor: tensor.rank, _same),
    Condition(_SHAPE, "All inputs must have one shape but for the axis", _other_dims, _same),
    typed("first"), apart(pairs=_input_pairs), enough())

_PERMUTE = (
    *valid("in_"), buffer(), configured(mli_permute_cfg),
    Condition(_CFG, "perm_dim must name every dimension of the input once",
              lambda call: (list(call.cfg.perm_dim)[:call.in_.rank], call.in_.rank),
              lambda pair: all(is_count(index, 0, pair[1] - 1) for index in pair[0])
              and sorted(pair[0]) == list(range(pair[1]))),
    typed("in_"), apart("in_"), enough())
_PADDING2D = (
    *valid("in_"), buffer(), configured(mli_padding2d_cfg), *counts(*_PADDING), _rank("in_", 3),
    typed("in_"), apart("in_"), enough())

_POINT_TO_SUBTENSOR = (
    *valid("in_"),
    Condition(mli_status.MLI_STATUS_BAD_TENSOR, "out must be an mli_tensor",
              lambda call: type(call.out).__name__, lambda kind: kind == "mli_tensor"),
    configured(mli_point_to_subtsr_cfg),
    Condition(_CFG, "coord_num must be at least 1 and less than the rank of the input",
              lambda call: (call.cfg.coord_num, call.in_.rank),
              lambda pair: is_count(pair[0], 1, pair[1] - 1)),
    Condition(_CFG, "Every coordinate must be less than its dimension",
              lambda call: (list(call.cfg.start_coord)[:call.cfg.coord_num], dims(call.in_),
                            call.cfg.coord_num),
              lambda found: len(found[0]) == found[2] and all(
                  is_count(start, 0, size - 1)
                  for start, size in zip(found[0], found[1], strict=False))),
    *counts("first_out_dim_size", low=1),
    Condition(_CFG, "The last coordinate and first_out_dim_size must stay in their dimension",
              lambda call: (call.cfg.start_coord[call.cfg.coord_num - 1]
                            + call.cfg.first_out_dim_size,
                            call.in_.shape[call.cfg.coord_num - 1]),
              lambda pair: pair[0] <= pair[1]),
)
_CONVERT_TENSOR = (
    *valid("in_"), buffer(), frac_bits(),
    Condition(_UNSUPPORTED, "Element types must be fixed point",
              lambda call: (call.in_.el_type, call.out.el_type),
              lambda types: all(kind in _FX for kind in types)),
    in_place("in_", allowed=lambda call: (call.in_.el_type, call.out.el_type) != _FX), enough())

#: Of each primitive and helper; the two helpers that return a number check by themselves.
CONDITIONS = {
    "conv2d":             _convolution((_CHANNELS,)),
    "depthwise_conv2d":   _convolution(_DEPTHWISE),
    "maxpool":            _POOLING,
    "avepool":            _POOLING,
    "fully_connected":    _FULLY_CONNECTED,
    "lstm_cell":          _LSTM,
    "basic_rnn_cell":     _BASIC_RNN,
    "relu":               _RELU,
    "leaky_relu":         _LEAKY_RELU,
    "sigm":               _TRANSFORM,
    "tanh":               _TRANSFORM,
    "softmax":            _TRANSFORM,
    "eltwise_add":        _eltwise(),
    "eltwise_sub":        _eltwise(),
    "eltwise_min":        _eltwise(),
    "eltwise_max":        _eltwise(),
    "eltwise_mul":        _eltwise(frac_bits()),
    "concat":             _CONCAT,
    "permute":            _PERMUTE,
    "padding2d":          _PADDING2D,
    "point_to_subtensor": _POINT_TO_SUBTENSOR,
    "convert_tensor":     _CONVERT_TENSOR,
}
