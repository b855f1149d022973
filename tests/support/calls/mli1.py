# SPDX-License-Identifier: Apache-2.0
"""Legal calls of the MLI functions, and the layers that the documents say they are."""

from math import prod
from pathlib import Path

import numpy as np

from xymac.golden import run
from xymac.golden.api.mli1.configs import (
    mli_concat_cfg,
    mli_conv2d_cfg,
    mli_padding2d_cfg,
    mli_permute_cfg,
    mli_point_to_subtsr_cfg,
    mli_pool_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_rnn_cell_cfg,
    mli_rnn_mode,
    mli_rnn_out_activation,
)
from xymac.golden.api.mli1.names import parse
from xymac.golden.api.mli1.types import mli_element_params, mli_fx_params, mli_tensor
from xymac.golden.mli1 import (
    Act,
    AvePool,
    BasicRnnCell,
    Concat,
    Conv2d,
    ConvertTensor,
    DepthwiseConv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    Layout,
    LeakyRelu,
    LstmCell,
    MaxPool,
    Padding2d,
    Permute,
    Rectify,
    Relu,
    RnnMode,
    Sigmoid,
    Softmax,
    Tanh,
    Tensor,
)

_LIST = Path(__file__).parents[2] / "golden/api/mli1/names.txt"
NAMES = [line for line in _LIST.read_text().splitlines()
         if not line.startswith("#")]
DATA      = {"fx8": np.int8, "fx16": np.int16, "fx8w16d": np.int16, "fx": np.int8, None: np.int16}
CONSTANTS = {**DATA, "fx8w16d": np.int8}
IMAGE     = (3, 5, 6)  # channels, rows, columns


def params(frac_bits):
    return mli_element_params(mli_fx_params(frac_bits))


def tensor(rng, shape, frac_bits, dtype):
    """A tensor with random elements in memory of its own."""
    info = np.iinfo(dtype)
    data = rng.integers(info.min, info.max + 1, shape, dtype)
    return mli_tensor(data, el_params=params(frac_bits))


def buffer(size=4000, frac_bits=5):
    """A tensor with memory, and nothing else that describes it."""
    return mli_tensor(np.full(size, 77, np.int8), shape=(), rank=0, el_params=params(frac_bits))


def arranged(layout, channels, rows, cols):
    return (rows, cols, channels) if layout == "hwc" else (channels, rows, cols)


def arguments(name, rng, kernel=(3, 2), stride=(2, 1), pad=(1, 0, 1, 0), channels=IMAGE[0]):
    """Arguments of a legal call by their names.

    ``kernel`` and ``stride`` are (rows, columns), ``pad`` is (top, bottom, left, right).
    """
    parsed = parse(name)
    return _BUILDERS[parsed.primitive](
        parsed, rng, DATA[parsed.data_type], CONSTANTS[parsed.data_type],
        (kernel, stride, pad, channels))


def window_fields(stride, pad):
    return dict(zip(("stride_height", "stride_width", "padding_top", "padding_bottom",
                     "padding_left", "padding_right"), (*stride, *pad), strict=True))


def leaky_arguments(kind, slope, frac_bits):
    """Arguments of a leaky ReLU of the elements -100, 0, 100 in order."""
    x, slope, out = (mli_tensor(np.array(values, DATA[kind]), el_params=params(bits))
                     for values, bits in (([-100, 0, 100], 4), ([slope], frac_bits), ([7] * 3, 0)))
    return x, slope, out


def _convolution(name, rng, data, constants, window):
    kernel, stride, pad, channels = window
    depthwise = name.primitive == "depthwise_conv2d"
    outputs, inputs = (channels, 1) if depthwise else (4, channels)
    filters = (outputs, *arranged(name.layout, inputs, *kernel))
    return {"in_": tensor(rng, arranged(name.layout, channels, *IMAGE[1:]), 4, data),
            "weights": tensor(rng, filters, 6, constants),
            "bias": tensor(rng, (outputs,), 7, constants),
            "cfg": mli_conv2d_cfg(**window_fields(stride, pad),
                                  relu=mli_relu_cfg(mli_relu_type.MLI_RELU_6)),
            "out": buffer()}


def _pooling(name, rng, data, constants, window):
    kernel, stride, pad, channels = window
    return {"in_": tensor(rng, arranged(name.layout, channels, *IMAGE[1:]), 4, data),
            "cfg": mli_pool_cfg(kernel_height=kernel[0], kernel_width=kernel[1],
                                **window_fields(stride, pad)),
            "out": buffer()}


def _fully_connected(name, rng, data, constants, window):
    return {"in_": tensor(rng, IMAGE, 4, data),
            "weights": tensor(rng, (7, prod(IMAGE)), 6, constants),
            "bias": tensor(rng, (7,), 7, constants), "out": buffer()}


def _cell(name, rng, data, constants, window):
    lstm = name.primitive == "lstm_cell"
    rows = (4, 6) if lstm else (6,)
    bits = 8 * np.dtype(data).itemsize - 1
    args = {"in_": tensor(rng, (3, 2, 5), 4, data), "prev_out": tensor(rng, (6,), bits, data),
            "weights": tensor(rng, (*rows, 16), 6, constants),
            "bias": tensor(rng, rows, 7, constants),
            "cfg": mli_rnn_cell_cfg(mli_rnn_mode.RNN_BATCH_TO_LAST,
                                    mli_rnn_out_activation.RNN_ACT_TANH, buffer())}
    return args | ({"cell": tensor(rng, (6,), 5, data)} if lstm else {}) | {"out": buffer()}


def _transform(name, rng, data, constants, window):
    more = {"relu": {"cfg": mli_relu_cfg(mli_relu_type.MLI_RELU_1)},
            "leaky_relu": {"slope_coeff": tensor(rng, (1,), 6, data)}}.get(name.primitive, {})
    return {"in_": tensor(rng, IMAGE, 4, data), **more, "out": buffer()}


def _eltwise(name, rng, data, constants, window):
    frac_bits = 6 if name.primitive == "eltwise_mul" else 4
    return {"in1": tensor(rng, IMAGE, 4, data), "in2": tensor(rng, IMAGE, frac_bits, data),
            "out": buffer()}


def _concat(name, rng, data, constants, window):
    return {"inputs": [tensor(rng, (2, size, 3), 4, data) for size in (1, 4, 2)],
            "cfg": mli_concat_cfg(3, 1), "out": buffer()}


def _permute(name, rng, data, constants, window):
    return {"in_": tensor(rng, IMAGE, 4, data), "cfg": mli_permute_cfg((2, 0, 1, 9)),
            "out": buffer()}


def _padding2d(name, rng, data, constants, window):
    return {"in_": tensor(rng, IMAGE, 4, data), "cfg": mli_padding2d_cfg(1, 2, 3, 4),
            "out": buffer()}


def _point(name, rng, data, constants, window):
    return {"in_": tensor(rng, IMAGE, 4, data),
            "cfg": mli_point_to_subtsr_cfg((1, 2, 9, 9), 2, 3), "out": buffer()}


def _convert(name, rng, data, constants, window):
    out = buffer()
    out.el_type = 0
    return {"in_": tensor(rng, IMAGE, 4, data), "out": out}


_BUILDERS = {
    "conv2d": _convolution, "depthwise_conv2d": _convolution, "maxpool": _pooling,
    "avepool": _pooling, "fully_connected": _fully_connected, "lstm_cell": _cell,
    "basic_rnn_cell": _cell,
    **dict.fromkeys(("relu", "leaky_relu", "sigm", "tanh", "softmax"), _transform),
    **{f"eltwise_{op.value}": _eltwise for op in EltwiseOp},
    "concat": _concat, "permute": _permute, "padding2d": _padding2d, "point_to_subtensor": _point,
    "convert_tensor": _convert,
    "count_elem_num": lambda name, rng, *_: {"in_": tensor(rng, IMAGE, 4, np.int16),
                                             "start_dim": 1},
    "tensor_element_size": lambda name, rng, *_: {"in_": tensor(rng, IMAGE, 4, np.int16)},
}


def assert_holds(out, result):
    """Memory and fields of ``out`` are what ``result`` says."""
    data   = result.output.data
    memory = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    np.testing.assert_array_equal(out.data.reshape(-1).view(np.uint8)[:memory.size], memory)
    assert (tuple(out.shape), out.rank) == (data.shape, data.ndim)
    assert out.el_type == {1: 0, 2: 1}[data.itemsize]
    assert out.el_params.fx.frac_bits == result.output.frac_bits


def plain(source):
    """Golden Tensor of a tensor whose memory has its shape and type; a copy."""
    return Tensor(source.data.copy(), source.el_params.fx.frac_bits)


def expected(name, args):
    """Result of the layer that a call of ``arguments`` stands for."""
    parsed  = parse(name)
    kind    = parsed.primitive
    layout  = Layout.HWC if parsed.layout == "hwc" else Layout.CHW
    tensors = {key: plain(value) for key, value in args.items()
               if isinstance(value, mli_tensor) and key != "out"}
    cfg = args.get("cfg")
    if kind in ("conv2d", "depthwise_conv2d"):
        layer = {"conv2d": Conv2d, "depthwise_conv2d": DepthwiseConv2d}[kind](
            tensors["weights"], tensors["bias"], 5, (cfg.stride_height, cfg.stride_width),
            _pad(cfg), Relu.RELU6, layout)
        return run(layer, tensors["in_"])
    if kind in ("maxpool", "avepool"):
        layer = {"maxpool": MaxPool, "avepool": AvePool}[kind](
            (cfg.kernel_height, cfg.kernel_width), (cfg.stride_height, cfg.stride_width),
            _pad(cfg), layout)
        return run(layer, tensors["in_"])
    if kind.startswith("eltwise"):
        op = EltwiseOp(kind.removeprefix("eltwise_"))
        return run(Eltwise(op, 5 if op is EltwiseOp.MUL else None), tensors["in1"], tensors["in2"])
    if kind == "concat":
        return run(Concat(1), *map(plain, args["inputs"]))
    return run(_one_input(kind, layout, cfg, tensors), tensors["in_"])


def _one_input(kind, layout, cfg, tensors):
    if kind in ("lstm_cell", "basic_rnn_cell"):
        states = [tensors[key] for key in ("weights", "bias", "prev_out", "cell") if key in tensors]
        return {"lstm_cell": LstmCell, "basic_rnn_cell": BasicRnnCell}[kind](
            *states, tensors["prev_out"].bits - 1, RnnMode.BATCH_TO_LAST, Act.TANH)
    return {"fully_connected": lambda: FullyConnected(tensors["weights"], tensors["bias"], 5),
            "relu":           lambda: Rectify(Relu.RELU1),
            "leaky_relu":     lambda: LeakyRelu(tensors["slope_coeff"]),
            "sigm":           Sigmoid, "tanh": Tanh, "softmax": Softmax,
            "permute":        lambda: Permute((2, 0, 1)),
            "padding2d":      lambda: Padding2d((3, 4, 1, 2), layout),
            "convert_tensor": lambda: ConvertTensor(8, 5)}[kind]()


def _pad(cfg):
    return cfg.padding_top, cfg.padding_bottom, cfg.padding_left, cfg.padding_right
