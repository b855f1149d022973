# SPDX-License-Identifier: Apache-2.0
"""Operands of the wrong place, format, case or step, and moves of the wrong elements."""

from dataclasses import replace

import numpy as np
import pytest

from xymac import golden

from .devices import cases_of, convolve, where

LSTM1 = ("lstm", "mli-1", "fx8")


def _quantised(change):
    """A device that sees other input formats."""
    def device(case):
        formats = change([x.quantisation for x in case.inputs])
        return replace(case, inputs=tuple(
            replace(x, quantisation=each)
            for x, each in zip(case.inputs, formats, strict=True))).expected()
    return device


def _zero(form, other):
    return replace(form, zero_points=other.zero_points)


@pytest.mark.parametrize(("operation", "change", "sentence"), [
    ("add", lambda forms: [forms[0], forms[0]], "the format of the first input holds for both"),
    ("mul", lambda forms: [forms[0], _zero(forms[1], forms[0])],
     "the zero point of the first input holds for both"),
    ("sub", lambda forms: [forms[0], replace(forms[1], zero_points=(0,))],
     "the zero point of the second input is ignored"),
    ("sigmoid", lambda forms: [replace(forms[0], zero_points=(0,))],
     "the zero point of the input is ignored")])
def test_formats_of_inputs_are_named(operation, change, sentence):
    assert where(_quantised(change), operation).endswith(sentence)


def test_exchanged_inputs_are_named():
    assert where(lambda case: replace(case, inputs=case.inputs[::-1]).expected(), "sub").endswith(
        "the inputs are exchanged")


def test_a_table_with_an_unsigned_index_is_named():
    def device(case):
        x = case.inputs[0]
        return replace(case, inputs=(replace(x, data=x.data ^ -128),)).expected()

    assert where(device, "sigmoid").endswith("the highest bit of the input is inverted")


@pytest.mark.parametrize("most", [31, 128])
def test_short_tables_of_exponentials_are_named(most):
    def clamped(case):
        x    = case.inputs[0]
        data = x.data.astype(int)
        return replace(case, inputs=(replace(x, data=np.maximum(
            data, data.max(axis=-1, keepdims=True) - most).astype(np.int8)),)).expected()

    def cut(case):
        data = case.inputs[0].data.astype(int)
        return np.where(data < data.max(axis=-1, keepdims=True) - most, -128, case.expected())

    assert f"from the largest element beyond {most} count as {most}" in where(clamped, "softmax")
    assert f"elements more than {most} below the largest one are" in where(cut, "softmax")


def _around(given, before="before", behind="behind", **options):
    return np.pad(given["x"], list(zip(given[before], given[behind], strict=True)),
                  **options or {"constant_values": given["value"]})


def _slice(change):
    def device(given):
        given |= change(given)
        places = [np.clip(first + np.arange(size) * step, 0, most - 1) for first, size, step, most
                  in zip(*(given[name] for name in ("begin", "size", "step")), given["x"].shape,
                         strict=True)]
        return given["x"][np.ix_(*places)]
    return device


def _parts(given):
    return [given[name] for name in ("x", "z", "x2") if name in given]


@pytest.mark.parametrize(("operation", "device", "sentence"), [
    ("pad", lambda given: _around(given, constant_values=0), "padding is 0 in place of its value"),
    ("pad", lambda given: _around(given, "behind", "before"),
     "padding before and behind are exchanged"),
    ("pad", lambda given: _around(given, mode="edge"), "padding is the elements at the border"),
    ("transpose", lambda given: given["x"].transpose(np.argsort(given["order"])),
     "the order of dimensions is inverted, from output to input"),
    ("transpose", lambda given: given["x"], "the elements keep their order"),
    ("concatenate", lambda given: np.concatenate(_parts(given)[::-1], axis=given["axis"]),
     "the inputs are in reversed order"),
    ("concatenate", lambda given: np.concatenate([part.ravel() for part in _parts(given)]),
     "the inputs follow each other in memory, whatever the axis"),
    ("slice", _slice(lambda given: {"begin": 0 * given["begin"]}),
     "the first element is ignored, slices begin at 0"),
    ("slice", _slice(lambda given: {"begin": given["begin"] + 1}),
     "slices begin one element late"),
    ("slice", _slice(lambda given: {"step": 0 * given["step"] + 1}),
     "the step is ignored and counts as 1")])
def test_moves_of_other_elements_are_named(operation, device, sentence):
    assert where(lambda case: device(case.operands).reshape(case.shape), operation).endswith(
        sentence)


def _kept(part, key, *, is_first=False):
    """A device that takes a ``part`` from an earlier case with the same key."""
    def results(cases):
        held, outputs = {}, []
        for case in cases:
            old = held.get(key(case), case)
            outputs.append(part(case, old))
            held[key(case)] = old if is_first else case
        return outputs
    return results


def _with_weights(case, old):
    weights = replace(case.layer.weights, data=old.layer.weights.data)
    return replace(case, layer=replace(case.layer, weights=weights)).expected()


@pytest.mark.parametrize(("operation", "results", "sentence"), [
    ("requantise", _kept(lambda case, old: old.expected(), lambda case: case.shape),
     "the results are those of the case before with the same shape of result"),
    ("add", _kept(lambda case, old: old.expected(), lambda case: case.shape, is_first=True),
     "the results are those of the first case with the same shape of result"),
    ("fully_connected", _kept(_with_weights, lambda case: case.layer.weights.data.shape),
     "the weights are of the case before with the same shape")])
def test_data_of_an_earlier_case_are_named(operation, results, sentence):
    kept = dict(zip(map(id, cases_of(operation)), results(cases_of(operation)), strict=True))

    assert where(lambda case: kept[id(case)], operation).endswith(sentence)


def _cell(**changes):
    def device(case):
        layer = case.layer
        return replace(case, layer=replace(layer, **{
            name: replace(getattr(layer, name), data=change(getattr(layer, name).data))
            for name, change in changes.items()})).expected()
    return device


def _forgetful(case):
    """Every step has the first cell state, as the RNN's output goes on."""
    layer, outputs = case.layer, []
    for step in case.inputs[0].data.reshape(case.operands["steps"], -1):
        once = replace(layer, mode=type(layer.mode).ONE_TO_ONE)
        data = np.asarray(golden.run(once, replace(case.inputs[0], data=step)).output.data)
        layer = replace(layer, h=replace(layer.h, data=data.reshape(layer.h.shape)))
        outputs.append(data)
    return np.array(outputs[-1] if case.dtype and len(case.shape) == 1 else outputs).reshape(
        case.shape)


@pytest.mark.parametrize(("device", "sentence"), [
    (_cell(cell=lambda data: 0 * data), "the layer starts with cell state 0"),
    (_cell(h=lambda data: 0 * data), "the layer starts with output 0"),
    (_cell(bias=lambda data: np.roll(data, 1, 0)), "every gate has the biases of the gate before"),
    (_forgetful, "the cell state is not kept from step to step")])
def test_states_of_cells_are_named(device, sentence):
    assert where(device, *LSTM1).endswith(sentence)


LSTM, GRU, SVDF = ("lstm", "tflm", "int8"), ("gru", "mli-2", "fx16"), ("svdf", "tflm", "int8")


def _repeated(case):
    """The last step in all steps."""
    output = case.expected()
    axis   = 0 if case.layer.time_major else 1
    return np.repeat(output.take([-1], axis), output.shape[axis], axis)


def _without(name):
    def device(case):
        values = getattr(case.layer, name)
        zeros  = [replace(each, data=0 * each.data)
                  for each in (values if isinstance(values, tuple) else (values,))]
        return replace(case, layer=replace(case.layer, **{
            name: tuple(zeros) if isinstance(values, tuple) else zeros[0]})).expected()
    return device


@pytest.mark.parametrize(("kind", "device", "sentence"), [
    (LSTM, lambda case: replace(case, layer=replace(case.layer, cell_clip=0.0)).expected(),
     "the limit of the cell state is left out"),
    (LSTM, _without("biases"), "the biases count as 0"),
    (LSTM, _without("weights_out"), "the output weights count as 0"),
    (LSTM, _repeated, "every step is the last one"),
    (GRU, _cell(weights_out=lambda data: data[[0, 2, 1]]),
     "gates 1 and 2 have exchanged output weights"),
    (GRU, lambda case: replace(case, layer=replace(case.layer, direction=type(
        case.layer.direction).FWD)).expected(), "the direction is ignored, all steps go forwards"),
    (SVDF, _without("bias"), "the biases count as 0"),
    (SVDF, _cell(weights_time=lambda data: np.ascontiguousarray(data[:, ::-1])),
     "the time weights have reversed columns")])
def test_constants_of_cells_are_named(kind, device, sentence):
    assert where(device, *kind, 40).endswith(sentence)


def test_a_zero_point_of_mli2_is_named():
    def device(case):
        x = case.inputs[1]
        return replace(case, inputs=(case.inputs[0], replace(x, format=replace(
            x.format, zero_point=0)))).expected()

    assert where(device, "mul", "mli-2", "sa8").endswith(
        "the zero point of the second input is ignored")


def test_a_bias_after_the_scaling_is_named():
    def device(case):
        bias = case.operands.get("bias", 0)
        return convolve(case, lambda given: {
            "bias": np.zeros(case.shape[-1], int), "out_zero": given["out_zero"] + bias})

    assert where(device, "fully_connected").endswith(
        "the bias is added after the scaling, unscaled")


def test_a_bias_of_the_next_channel_is_named():
    def device(case):
        bias = case.operands.get("bias")
        return case.expected() if bias is None else convolve(
            case, lambda given: {"bias": np.append(bias[1:], bias[-1])})

    assert where(device, "fully_connected").endswith(
        "every channel has the bias of the next one, the last its own")
