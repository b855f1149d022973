# SPDX-License-Identifier: Apache-2.0
"""``xymac run`` on files of TensorFlow Lite: tables, outputs, JSON, states, and refusals."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from tests.support.costs import cells
from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import conv_network, value
from tests.support.tflite.states import STATES
from xymac.host.cli.main import main
from xymac.host.files.arrays import load_arrays
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import encode_model, write_model

FLOAT = TENSOR_TYPE.FLOAT32


def save(path, model):
    """Write a Model; its path, a str."""
    path.write_bytes(write_model(model))
    return str(path)


def golden_outputs(model, *inputs):
    """What golden computes of each output for one image."""
    values = run_model(model, *inputs)
    return [values[number].output.data for number in model.outputs]


@pytest.fixture
def network(tmp_path):
    """Path of a network, its Model, path of five images, and those."""
    model = conv_network()
    data  = random_of(1).integers(-128, 128, (5, 6, 5, 2), np.int8)
    np.save(tmp_path / "x.npy", data)
    return save(tmp_path / "net.tflite", model), model, str(tmp_path / "x.npy"), data


def test_the_table_numbers_the_operators(network, capsys):
    path, _, images, _ = network

    assert main(["run", path, "--images", images, "--backend", "golden", "--markdown"]) == 0

    out = capsys.readouterr().out
    names, *rows, total = cells(out.splitlines())
    assert names == ["number", "operator", "takes", "name", "shape", "type", "ideal"]
    assert [row[:4] for row in rows] == [
        ["0", "CONV_2D 3x3 /2x2", "x", "conv"], ["1", "RELU6", "0", "relu"],
        ["2", "ADD", "0, 1", "sum"], ["3", "RESHAPE", "2", "flat"], ["4", "SOFTMAX", "3", "y"]]
    assert rows[3][-1] == "0"  # the same elements
    assert total[1] == "all layers"
    assert "net: 5 layers, 5 images, backend golden, size base" in out
    assert out.endswith("Computed by the golden kernels alone\n")


def test_inputs_are_another_name_of_images(network, capsys):
    path, _, images, _ = network

    assert main(["run", path, "--inputs", images, "--backend", "golden"]) == 0
    assert "net: 5 layers, 5 images" in capsys.readouterr().out


def test_a_line_an_image_has_the_highest_share(network, capsys, tmp_path):
    path, model, images, data = network
    names = [f"name {number}" for number in range(27)]
    (tmp_path / "names.txt").write_text("\n".join(names))

    main(["run", path, "--images", images, "--backend", "golden", "--classes",
          str(tmp_path / "names.txt")])

    out   = capsys.readouterr().out
    lines = out[out.index("image  answer"):].splitlines()[1:6]
    for number, (line, x) in enumerate(zip(lines, data, strict=True)):
        [output] = golden_outputs(model, x[np.newaxis])
        best     = int(np.argmax(output))
        assert re.split("  +", line) == [str(number), names[best],
                                         f"{(int(output[0, best]) + 128) / 256:.1%}"]


def test_outputs_that_are_no_scores_are_shapes_and_ranges(network, capsys, tmp_path):
    _, model, images, data = network
    path = save(tmp_path / "maps.tflite", replace(conv_network(), outputs=(8, 5)))

    assert main(["run", path, "--images", images, "--backend", "golden"]) == 0

    out   = capsys.readouterr().out
    lines = out[out.index("image  output"):].splitlines()[1:]
    _, total = golden_outputs(replace(model, outputs=(8, 5)), data[0][np.newaxis])
    values   = (total.astype(int) + 128) * 0.25
    assert lines[1].split() == ["0", "sum", "1x3x3x3", f"{values.min():.6g}",
                                f"{values.max():.6g}"]
    assert lines[6:8] == ["... 2 more images",
                          "--outputs F.npz writes the elements of all outputs by their names"]


def test_outputs_are_a_row_an_image(network, tmp_path):
    path, model, images, data = network
    out = str(tmp_path / "out.npy")

    assert main(["run", path, "--images", images, "--backend", "golden", "--outputs", out]) == 0

    rows = np.load(out)
    assert (rows.dtype, rows.shape) == (np.int8, (5, 27))
    for row, x in zip(rows, data, strict=True):
        np.testing.assert_array_equal(row[np.newaxis], golden_outputs(model, x[np.newaxis])[0])


def test_several_outputs_are_an_npz(tmp_path):
    model = replace(conv_network(), outputs=(8, 5))
    path, out = save(tmp_path / "net.tflite", model), tmp_path / "out.npz"

    assert main(["run", path, "--backend", "golden", "--outputs", str(out)]) == 0
    arrays = load_arrays(out)

    assert {name: data.shape for name, data in arrays.items()} == {"y": (1, 27),
                                                                   "sum": (1, 3, 3, 3)}


def test_json_has_every_layer(network, tmp_path):
    path, model, images, _ = network
    out = tmp_path / "run.json"

    main(["run", path, "--images", images, "--backend", "golden", "--json", str(out)])

    content = json.loads(out.read_text())
    assert [layer["operator"] for layer in content["layers"]] == [
        operator.name for operator in model.operators]
    assert [layer["name"] for layer in content["layers"]] == ["conv", "relu", "sum", "flat", "y"]
    assert content["ideal"] == sum(layer["ideal"] for layer in content["layers"]) > 0
    assert (content["cycles"], content["equal"], content["images"]) == (None, None, 5)


def edges():
    """Model that takes and gives floating point."""
    real, low = value("real", (1, 7), FLOAT), value("low", (1, 7), scale=0.5, zero_point=3)
    tensors = (replace(real, scales=(), zero_points=()), low, replace(low, name="y"),
               replace(real, name="out", scales=(), zero_points=()))
    return Model(tensors, (Operator("QUANTIZE", (0,), (1,)), Operator("RELU", (1,), (2,)),
                           Operator("DEQUANTIZE", (2,), (3,))), (0,), (3,))


def test_floating_point_at_the_edges(tmp_path):
    x = np.array([[-3, -0.3, 0, 0.25, 0.75, 20.2, 200]], np.float32)
    np.save(tmp_path / "x.npy", x)
    path, out = save(tmp_path / "net.tflite", edges()), tmp_path / "out.npy"

    assert main(["run", path, "--images", str(tmp_path / "x.npy"), "--backend", "golden",
                 "--outputs", str(out)]) == 0

    rows = np.load(out)
    assert rows.dtype == np.float32
    assert rows.tolist() == [[0, 0, 0, 0.5, 1, 20, 62]]


def test_the_table_names_floating_point_inside(tmp_path, capsys):
    """The host computes it."""
    model = edges()
    last, real = replace(model.tensors[1], name="again"), model.tensors[3]
    path  = save(tmp_path / "net.tflite", replace(
        model, tensors=(*model.tensors, last, replace(last, name="end"),
                        replace(real, name="shares")), outputs=(5,),
        operators=(*model.operators, Operator(
            "SOFTMAX", (3,), (6,), options.SoftmaxOptions(1.0)), Operator("QUANTIZE", (6,), (4,)),
                   Operator("RELU", (4,), (5,)))))

    assert main(["run", path, "--backend", "machine", "--size", "tiny", "--markdown"]) == 0

    rows = [line.split("|")[1:3] for line in capsys.readouterr().out.splitlines()
            if "computed by the host" in line]
    assert [(int(number), name.strip()) for number, name in rows] == [
        (0, "QUANTIZE"), (2, "DEQUANTIZE"), (3, "SOFTMAX"), (4, "QUANTIZE")]


@pytest.mark.parametrize("name", ["UNIDIRECTIONAL_SEQUENCE_LSTM", "SVDF"])
@pytest.mark.parametrize("reset", [False, True])
def test_states_stay_from_image_to_image(name, reset, tmp_path):
    model = STATES[name](random_of(3))
    shape = model.tensors[model.inputs[0]].shape
    data  = random_of(4).integers(-128, 128, (4, *shape), np.int8)
    data[1:] = data[0]
    np.save(tmp_path / "x.npy", data)
    path, out = save(tmp_path / "net.tflite", model), tmp_path / "out.npy"

    assert main(["run", path, "--images", str(tmp_path / "x.npy"), "--backend", "golden",
                 "--outputs", str(out), *["--reset-states"] * reset]) == 0

    rows = np.load(out).reshape(4, -1)
    for row, wanted in zip(rows, micro_outputs(write_model(model), data, reset), strict=True):
        np.testing.assert_array_equal(row, wanted.reshape(-1))


def micro_outputs(content, images, reset):
    """What tflite-micro gives, one interpreter for all images or one each."""
    if reset:
        return [run_file(content, image)[0] for image in images]
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    interpreter, outputs = runtime.Interpreter.from_bytes(content), []
    for image in images:
        interpreter.set_input(image, 0)
        interpreter.invoke()
        outputs.append(np.array(interpreter.get_output(0)))
    return outputs


def test_states_are_for_one_process(tmp_path, capsys):
    path = save(tmp_path / "net.tflite", STATES["SVDF"](random_of(3)))

    assert main(["run", path, "--backend", "golden", "--jobs", "2"]) == 2
    assert ("--jobs must be 1 where states stay from image to image (see --reset-states), not 2"
            in capsys.readouterr().err)


@pytest.mark.parametrize(("change", "message"), [
    (lambda content: content[:len(content) // 2], ": .* must lie within the .*"),
    (lambda content: content[:6], ": It is no TensorFlow Lite file.*"),
    (lambda content: b"", " is empty"),
    (lambda content: content[:4] + b"GGUF" + content[8:], ": It is no TensorFlow Lite file.*")])
def test_damaged_files_are_one_sentence(change, message, tmp_path, capsys):
    path = tmp_path / "net.tflite"
    path.write_bytes(change(write_model(conv_network())))

    assert main(["run", str(path)]) == 2

    assert re.fullmatch(f"xymac run: {re.escape(str(path))}{message}\n", capsys.readouterr().err)


@pytest.mark.parametrize(("operator", "message"), [
    (Operator("POW", (0,), (1,)), "operator 0, POW, is not supported"),
    (Operator("RELU", (0, 0), (1,)), "Operator 0 (RELU) must have 1 input, not 2"),
    (Operator("SOFTMAX", (0,), (1,), options.SoftmaxOptions(1.0)),
     "Operator 0 (SOFTMAX), tensor 1 ('y'): out must have scale")])
def test_operators_that_cannot_be_computed(operator, message, tmp_path, capsys):
    path = tmp_path / "net.tflite"
    path.write_bytes(encode_model(Model((value("x", (1, 4)), value("y", (1, 4))), (operator,),
                                        (0,), (1,))))

    assert main(["run", str(path)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(("arguments", "message"), [
    (["--outputs", "x.txt"], "The file of outputs must end in .npy or .npz, not x.txt"),
    (["--outputs", "gone/x.npy"], "Cannot write gone/x.npy: there is no folder gone"),
    (["--json", "gone/x.json"], "Cannot write gone/x.json: there is no folder gone"),
    (["--images", "gone.npy"], "There is no file gone.npy")])
def test_refused_options(arguments, message, network, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    assert main(["run", network[0], "--backend", "golden", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_two_outputs_are_no_npy(tmp_path, capsys):
    path = save(tmp_path / "net.tflite", replace(conv_network(), outputs=(8, 5)))

    assert main(["run", path, "--outputs", str(tmp_path / "x.npy")]) == 2
    assert "net has 2 outputs: their file must end in .npz" in capsys.readouterr().err
