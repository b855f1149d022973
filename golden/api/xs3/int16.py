# SPDX-License-Identifier: Apache-2.0
"""int16 functions in the newer lib_nn: sums, products, requantisation, curves.

A ``..._blob`` function derives its companion function's parameters from scales. Results equal
the library's C. Sums, products and requantisation are layers that run on a device; the host
computes the rest.
Source: lib_nn, src/c/add_int16.c, multiply_int16.c, requantize.c, quantize_int16.c,
dequantize_int16.c, expand_8_to_16.c, quadratic_interpolation.c, and the files ``..._transform.c``
beside them.
"""

from math import floor, log2

import numpy as np

from xymac.golden.xs3.int16 import ADD_SHIFT, SCALE_SHIFT, AddInt16, MultiplyInt16, RequantizeInt16

from .call import Work, integers
from .floats import read_double, read_float, round_away
from .memory import read_count, view, view_floats, writable

__all__ = ["ACTIONS", "BUILDERS", "PROTOTYPES"]

_F32       = np.float32
_LANES     = 16      #: Vector elements, each with its own factor.
_FLOAT     = 23      #: Fractional bits of a scaled element before rounding.
_OFFSET    = 0x40008000  #: float32 pattern >= 2 whose low bits hold an int16.
_HALF_BITS = 9       #: Bits of an int16's position within a curve interval.


def _clip(values):
    return np.clip(values, -32768, 32767)


def _store(output, values):
    writable("output", output, np.int16, values.shape)[:] = values


def _elements(name, memory, count):
    return view(name, memory, np.int16, (count,)).astype(np.int64)


def _lanes(call, names, vectors, build):
    """Work for each of 16 lanes with different factors, or a single Work if all factors are equal.

    Parameters
    ----------
    names : input names
    vectors : int, factor vector count
    build : function from a lane's factors to a layer
    """
    count = read_count("tensor_length", call.tensor_length)
    lanes = list(zip(*view("blob", call.blob, np.int16, (vectors, _LANES)).tolist(), strict=True))
    lanes, step = lanes[:count], _LANES
    if len(set(lanes)) == 1:
        lanes, step = lanes[:1], 1
    inputs = [view(name, getattr(call, name), np.int16, (count,)) for name in names]
    target = writable("output", call.output, np.int16, (count,))
    return [Work(build(factors), tuple(integers(x[lane::step]) for x in inputs),
                 target[lane::step]) for lane, factors in enumerate(lanes)]


def _add(call):
    return _lanes(call, ("input1", "input2"), 2, AddInt16)


def _requantize(call):
    return _lanes(call, ("input1",), 1, lambda factors: RequantizeInt16(*factors))


def _multiply(call):
    count = read_count("tensor_length", call.tensor_length)
    scale, shift = view("blob", call.blob, np.int16, (2,)).tolist()
    inputs = tuple(call.integers(name, np.int16, (count,)) for name in ("input1", "input2"))
    target = writable("output", call.output, np.int16, (count,))
    return Work(MultiplyInt16(scale, shift), inputs, target) if count else None


def _as_floats(name, memory, count):
    """View ``count`` float32 elements in memory of any type."""
    if isinstance(memory, np.ndarray) and memory.dtype == np.float32:
        return view_floats(name, memory, count)
    return view(name, memory, np.float32, (count,))


def _quantize(output, input1, tensor_length, blob):
    count  = read_count("tensor_length", tensor_length)
    values = view_floats("input1", input1, count)
    with np.errstate(over="ignore", invalid="ignore"):  # Beyond float32 it is infinite, as in C.
        scaled = (values * _as_floats("blob", blob, 1)).astype(np.float64)
    bad = np.flatnonzero(np.isnan(scaled))
    if bad.size:
        raise ValueError(f"Scaled elements must be numbers, but element {bad[0]} is nan")
    _store(output, _clip(np.floor(np.ldexp(scaled, _FLOAT) + 0.5)))


def _dequantize(output, input1, tensor_length, blob):
    count  = read_count("tensor_length", tensor_length)
    values = (_elements("input1", input1, count) + _OFFSET).astype(np.int32).view(_F32)
    scale, offset = _as_floats("blob", blob, 2).astype(np.float64)
    with np.errstate(over="ignore"):
        view_floats("output", output, count)[:] = (values.astype(np.float64) + offset) * scale


def _expand(output, input, N):
    count = read_count("N", N)
    _store(output, view("input", input, np.int8, (count,)).astype(np.int64))


def _interpolate(outputs, inputs, coeffs, N):
    """A curve from 128 parabolas, whose factors have 32, 8 and 16 bits; a byte between is free."""
    count  = read_count("N", N)
    values = _elements("inputs", inputs, count)
    table  = view("coeffs", coeffs, np.uint8, (128, 8))[(values >> _HALF_BITS) + 64]
    place  = (values & (1 << _HALF_BITS) - 1) - (1 << _HALF_BITS - 1)
    c, b   = (np.ascontiguousarray(table[:, start:end]).view(dtype)[:, 0].astype(np.int64)
              for start, end, dtype in ((0, 4, np.int32), (6, 8, np.int16)))
    a      = table[:, 4].view(np.int8).astype(np.int64)
    total  = c + b * place * 256 + a * place * place
    writable("outputs", outputs, np.int16, (count,))[:] = _clip(total >> 16)


def _fail(err_msg, text):
    """Write ``text`` to the memory ``err_msg``, unless it is None; returns 0."""
    if err_msg is not None:
        data = np.frombuffer(text.encode() + b"\0", np.uint8)
        writable("err_msg", err_msg, np.uint8, data.shape)[:] = data
    return 0


def _ratio(value, divisor):
    with np.errstate(over="ignore"):  # Beyond float32 it is infinite, as in C.
        return _F32(value / divisor)


def _scaled(value, factor):
    """A float32 product rounded to an int, halves away from zero; None beyond 16 bits."""
    number = float(round_away(np.asarray(value * _F32(factor))))
    return int(number) if -32768 <= number <= 32767 else None


def _add_blob(output, input1_scaler, input2_scaler, output_scaler, err_msg):
    scale    = _F32(read_double("output_scaler", output_scaler))
    scalers  = [read_float("input1_scaler", input1_scaler),
                read_float("input2_scaler", input2_scaler)]
    factors  = [_scaled(_ratio(each, scale), 1 << ADD_SHIFT) for each in scalers]
    if None in factors:
        return _fail(err_msg, "Add FAIL! Input1 scaler is {:g}, input2 scaler is {:g}, and output "
                              "scaler is {:g}".format(*map(float, scalers), float(scale)))
    writable("output", output, np.int16, (2, _LANES))[...] = np.array(factors)[:, None]
    return 1


def _multiply_blob(output, input1_scaler, input2_scaler, output_scaler, err_msg):
    scales = [_F32(read_double(name, value)) for name, value in (
        ("input1_scaler", input1_scaler), ("input2_scaler", input2_scaler),
        ("output_scaler", output_scaler))]
    with np.errstate(over="ignore", under="ignore"):
        ratio = scales[0] * scales[1]
    ratio = _F32(read_double("Ratio of scales", _ratio(ratio, scales[2])))
    shift = floor(log2(float(_ratio(_F32(32768), ratio))))
    scale = int(float(ratio) * 2.0 ** shift)
    if scale > 32767:
        return _fail(err_msg, "Mul FAIL! Input1 scaler is {:g}, input2 scaler is {:g}, and output "
                              "scaler is {:g}".format(*map(float, scales)))
    writable("output", output, np.int16, (2,))[:] = scale, shift
    return 1


def _requantize_blob(blob, input1_scaler, output_scaler, err_msg):
    scales = [_F32(read_double(name, value)) for name, value in (
        ("input1_scaler", input1_scaler), ("output_scaler", output_scaler))]
    factor = _scaled(_ratio(*scales) - _F32(1), 1 << SCALE_SHIFT)
    if factor is None:
        return _fail(err_msg, "Requantize FAIL! Input scaler is {:g} and output scaler is {:g}"
                     .format(*map(float, scales)))
    writable("blob", blob, np.int16, (_LANES,))[:] = factor
    return 1


def _quantize_blob(output, output_scaler):
    with np.errstate(over="ignore"):
        scale = np.ldexp(_F32(read_double("output_scaler", output_scaler)), _FLOAT)
    _as_floats("output", output, 1)[0] = _ratio(_F32(1), scale)
    return 1


def _dequantize_blob(output, input_scaler, err_msg):
    scale = read_float("input_scaler", input_scaler)
    blob  = _as_floats("output", output, 2)
    with np.errstate(over="ignore"):
        blob[0] = scale * _F32(1 << 22)
    if np.isinf(blob[0]):
        return _fail(err_msg, f"Dequantize FAIL! Input scaler is {float(scale):g}")
    blob.view(np.uint32)[1] = 0xC0000000 | _OFFSET & 0xFFFF
    return 1


_TWO    = ("output", "input1", "input2", "tensor_length", "blob")
_ONE    = ("output", "input1", "tensor_length", "blob")
_SCALES = ("output", "input1_scaler", "input2_scaler", "output_scaler", "err_msg")

#: Arguments of the functions by name.
PROTOTYPES = {
    "add_int16_tensor":            _TWO,
    "add_int16_tensor_blob":       _SCALES,
    "multiply_int16_tensor":       _TWO,
    "multiply_int16_tensor_blob":  _SCALES,
    "requantize_int16_tensor":     _ONE,
    "requantize_int16_tensor_blob": ("blob", "input1_scaler", "output_scaler", "err_msg"),
    "quantize_int16_tensor":       _ONE,
    "quantize_int16_tensor_blob":  ("output", "output_scaler"),
    "dequantize_int16_tensor":     _ONE,
    "dequantize_int16_tensor_blob": ("output", "input_scaler", "err_msg"),
    "expand_8_to_16":              ("output", "input", "N"),
    "quadratic_interpolation_128": ("outputs", "inputs", "coeffs", "N"),
}

#: Functions from a call to its Work, a list of Work, or None for an empty call.
BUILDERS = {"add_int16_tensor": _add, "multiply_int16_tensor": _multiply,
            "requantize_int16_tensor": _requantize}

#: Actions of the other functions; they get the arguments in order.
ACTIONS = {
    "add_int16_tensor_blob": _add_blob, "multiply_int16_tensor_blob": _multiply_blob,
    "requantize_int16_tensor_blob": _requantize_blob,
    "quantize_int16_tensor": _quantize, "quantize_int16_tensor_blob": _quantize_blob,
    "dequantize_int16_tensor": _dequantize, "dequantize_int16_tensor_blob": _dequantize_blob,
    "expand_8_to_16": _expand, "quadratic_interpolation_128": _interpolate,
}
