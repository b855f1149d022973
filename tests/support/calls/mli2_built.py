# SPDX-License-Identifier: Apache-2.0
"""Legal calls of the kernels of MLI 2.0, with random elements; they read no vectors."""

from copy import deepcopy
from functools import cache

import numpy as np

from tests.support.seed import random_of
from xymac.golden.api.mli2.configs import (
    mli_argmax_cfg,
    mli_conv2d_cfg,
    mli_fully_connected_cfg,
    mli_lut,
    mli_permute_cfg,
    mli_pool_cfg,
    mli_prelu_cfg,
    mli_relu_cfg,
    mli_rnn_cell_cfg,
    mli_rnn_dense_cfg,
)
from xymac.golden.api.mli2.functions import function
from xymac.golden.api.mli2.names import PRIMITIVES, parse
from xymac.golden.api.mli2.types import (
    mli_data_container,
    mli_el_param_type,
    mli_element_params,
    mli_element_type,
    mli_fx_params,
    mli_sa_params,
    mli_tensor,
)

__all__ = ["NAMES", "PATTERN", "fx", "legal", "sa", "table"]

PATTERN = 77
#: Every kernel, without those of a specialised window.
NAMES   = [f"mli_krn_{name}{'_' * bool(each.layouts)}{''.join(each.layouts)}_{kind}"
           for name, each in PRIMITIVES.items() for kind in each.types]

_IMAGE, _OUTPUTS = (4, 6, 3), 5  # rows, columns, channels
_ALIKE  = ("maxpool", "relu", "permute", "sigm", "tanh", "softmax", "l2_normalize")


def sa(zero_point=0, scale=1, scale_frac_bits=0, dim=-1):
    """Parameters of SA elements."""
    return mli_element_params(sa=mli_sa_params(
        mli_el_param_type.MLI_EL_PARAM_SC16_ZP16, zero_point, scale, scale_frac_bits, dim))


def fx(frac_bits):
    """Parameters of FX elements."""
    return mli_element_params(fx=mli_fx_params(frac_bits))


@cache
def _filled(name):
    lut = mli_lut(np.zeros(function(f"mli_krn_{name}_get_lut_size")(), np.int8))
    function(f"mli_krn_{name}_create_lut")(lut)
    return lut


def table(name):
    """Filled table of a function."""
    return deepcopy(_filled(name))


class _Draw:
    """Tensors of a data type; matrices have a scale an index of the dimension ``axis``."""

    def __init__(self, kind, rng):
        self.rng = rng
        names = kind.split("_")
        names = names[:3] if len(names) > 1 else 3 * names
        self.types = [{"8": np.int8, "16": np.int16, "32": np.int32}[each[2:]] for each in names]
        self.is_sa = names[0] == "sa8"

    def _tensor(self, shape, dtype, params, most=None):
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if most is None else (-most, most)
        return mli_tensor(self.rng.integers(low, high, shape, dtype, endpoint=True),
                          el_params=params)

    def data(self, shape, zero=3, places=0):
        """Input of a shape, whose elements are up to about 150 over ``2**places``."""
        bits = places if self.types[0] is np.int8 else 7 + places
        return self._tensor(shape, self.types[0], sa(zero, 20_000, 14 + places) if self.is_sa else
                            fx(bits))

    def state(self, shape):
        """State of a cell, whose elements are up to 1."""
        bits = 8 * np.dtype(self.types[0]).itemsize - 1
        return self._tensor(shape, self.types[0], sa(-2, 16_500, 21) if self.is_sa else fx(bits))

    def _scales(self, axis, count):
        scales = [16_384 + 1_000 * number for number in range(1 if axis is None else count)]
        places = [22 - number % 2 for number in range(len(scales))]
        return scales, places

    def matrix(self, shape, axis=None):
        """Weights of a shape, whose elements are up to about 1."""
        if not self.is_sa:
            bits = 8 * np.dtype(self.types[1]).itemsize - 1
            return self._tensor(shape, self.types[1], fx(bits))
        return self._tensor(shape, np.int8, self._params(axis, *self._scales(
            axis, shape[0 if axis is None else axis])))

    def bias(self, shape, axis=None, places=0):
        """Bias of a shape for products of ``data`` with ``places`` and ``matrix``."""
        if not self.is_sa:
            bits = places + (9 if self.types[2] is np.int16 else 1)
            return self._tensor(shape, self.types[2], fx(bits))
        scales, bits = self._scales(axis, shape[0])
        scales = [(20_000 * scale + (1 << 13)) >> 14 for scale in scales]
        places = [places + each for each in bits]
        params = self._params(None if axis is None else 0, scales, places)
        return self._tensor(shape, np.int32, params, 9_999)

    def _params(self, axis, scales, places):
        if axis is None:
            return sa(0, scales[0], places[0])
        return sa((0,) * len(scales), tuple(scales), tuple(places), axis)

    def out(self, shape, like=None, places=0):
        """Output of a shape, with the parameters of ``like``, or wider ones than ``data`` has."""
        wide = sa(-5, 25_600, 13 + places) if self.is_sa else fx(
            places + (0 if self.types[0] is np.int8 else 5))
        return mli_tensor(np.full(shape, PATTERN, self.types[0]), el_params=deepcopy(
            like.el_params) if like else wide)


def _window(rows, cols, kernel, cfg):
    return tuple((size + sum(pads) - (taps - 1) * dilation - 1) // stride + 1
                 for size, taps, pads, dilation, stride in (
                     (rows, kernel[0], (cfg.padding_top, cfg.padding_bottom),
                      getattr(cfg, "dilation_height", 1), cfg.stride_height),
                     (cols, kernel[1], (cfg.padding_left, cfg.padding_right),
                      getattr(cfg, "dilation_width", 1), cfg.stride_width)))


_PADS = {"padding_left": 1, "padding_right": 0, "padding_top": 0, "padding_bottom": 1}


def _convolution(primitive, draw):
    rows, cols, channels = _IMAGE
    kernel = 3, 2
    inner, outer = {"depthwise_conv2d": (1, channels), "group_conv2d": (1, 2 * channels)}.get(
        primitive, (channels, _OUTPUTS))
    cfg = mli_conv2d_cfg(stride_width=2, stride_height=1, relu=mli_relu_cfg(1), **_PADS)
    if primitive == "transpose_conv2d":
        shape = 1 * (rows - 1) + kernel[0] - 1, 2 * (cols - 1) + kernel[1] - 1
    else:
        cfg.dilation_width = 2
        shape = _window(rows, cols, kernel, cfg)
    axis = 3 if draw.is_sa else None
    return {"in_": draw.data(_IMAGE), "weights": draw.matrix((*kernel, inner, outer), axis),
            "bias": draw.bias((outer,), axis), "cfg": cfg, "out": draw.out((*shape, outer))}


def _pooling(primitive, draw):
    cfg = mli_pool_cfg(kernel_height=2, kernel_width=3, stride_height=2, stride_width=1, **_PADS)
    x   = draw.data(_IMAGE)
    return {"in_": x, "cfg": cfg, "out": draw.out(
        (*_window(*_IMAGE[:2], (2, 3), cfg), _IMAGE[2]), x if primitive == "maxpool" else None)}


def _dense(primitive, draw):
    return {"in_": draw.data((2, 6)), "weights": draw.matrix((12, _OUTPUTS), 1),
            "bias": draw.bias((_OUTPUTS,), 1), "cfg": mli_fully_connected_cfg(mli_relu_cfg(0)),
            "out": draw.out((_OUTPUTS,))}


def _rnn_dense(primitive, draw):
    return {"inputs": [draw.data((4,)), draw.data((7,))],
            "weights": [draw.matrix((4, _OUTPUTS)), draw.matrix((7, _OUTPUTS))],
            "bias": draw.bias((_OUTPUTS,)), "cfg": mli_rnn_dense_cfg(2),
            "out": draw.out((_OUTPUTS,))}


def _cell(primitive, draw):
    gates, axis = (4, 0) if primitive == "lstm_cell" else (3, None)
    state = draw.state((_OUTPUTS,))
    args  = {"in_": draw.data((2, 4), places=6), "prev_out": state,
             "weights_in": draw.matrix((gates, 4, _OUTPUTS), axis),
             "weights_out": draw.matrix((gates, _OUTPUTS, _OUTPUTS), axis),
             "bias": draw.bias((gates, _OUTPUTS), axis, 6),
             "tanh_lut": table("tanh"), "sigm_lut": table("sigm"), "cfg": mli_rnn_cell_cfg(
                 scratch_data=mli_data_container(mem=np.zeros(64, np.int32)))}
    cell = {"cell": draw.state((_OUTPUTS,))} if primitive == "lstm_cell" else {}
    return args | cell | {"out": draw.out((1, _OUTPUTS), state)}


def _transform(primitive, draw):
    x    = draw.data(_IMAGE, places=5)
    args = {"in_": x}
    if primitive in ("leaky_relu", "prelu"):
        shape = (1, 1, 3) if primitive == "prelu" else (1,)
        args["slope_coeff"] = draw.state(shape)
    if primitive == "l2_normalize":
        args["epsilon"] = mli_tensor(0, el_type=x.el_type, el_params=sa() if draw.is_sa else fx(0))
    if primitive in ("sigm", "tanh", "softmax", "l2_normalize"):
        args["lut"] = table(primitive)
    cfg = {"relu": mli_relu_cfg(3), "prelu": mli_prelu_cfg(2), "softmax": mli_prelu_cfg(-1),
           "l2_normalize": mli_prelu_cfg(1)}.get(primitive)
    if cfg:
        args["cfg"] = cfg
    return args | {"out": draw.out(_IMAGE, x if primitive in _ALIKE else None, 5)}


def _eltwise(primitive, draw):
    one   = draw.data(_IMAGE)
    other = draw.data(_IMAGE, 3 if primitive[-3:] in ("min", "max") else -4,
                      7 * (primitive == "eltwise_mul"))
    return {"in1": one, "in2": other, "out": draw.out(
        _IMAGE, one if primitive[-3:] in ("min", "max") else None)}


def _argmax(primitive, draw):
    out = mli_tensor(np.full((6, 2), PATTERN, np.int32), el_params=sa())
    out.el_type = mli_element_type.MLI_EL_SA_32
    return {"in_": draw.data(_IMAGE), "cfg": mli_argmax_cfg(1, 2), "out": out}


def _permute(primitive, draw):
    x = draw.data(_IMAGE)
    return {"in_": x, "cfg": mli_permute_cfg((2, 0, 1, 3)), "out": draw.out((3, 4, 6), x)}


_BUILDERS = {"rnn_dense": _rnn_dense, "fully_connected": _dense, "argmax": _argmax,
             "permute": _permute}


def _builder(primitive):
    for end, build in (("conv2d", _convolution), ("pool", _pooling), ("_cell", _cell)):
        if primitive.endswith(end):
            return build
    return _BUILDERS.get(primitive, _eltwise if primitive.startswith("eltwise") else _transform)


def legal(name, seed=0):
    """Arguments of a legal call of a kernel by their names, the same for a ``seed``."""
    parsed = parse(name)
    draw   = _Draw(parsed.data_type, random_of([seed, *name.encode()]))
    args   = _builder(parsed.primitive)(parsed.primitive, draw)
    return {argument: args[argument] for argument in parsed.arguments}
