# SPDX-License-Identifier: Apache-2.0
"""``xymac evaluate``: what it prints and writes for networks of the examples, and refusals."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.tflite.networks import conv_network
from tests.support.tflite.wide_outputs import chosen_model
from xymac.host.cli.main import main
from xymac.host.tflite.writer import write_model

ROOT  = Path(__file__).parents[3]
FILES = ROOT / "examples" / "files"
DIGITS, TEST = str(FILES / "digits_keras.tflite"), str(FILES / "digits_test.npz")
FLOAT = str(FILES / "digits_keras_float.tflite")


def evaluate(capsys, *arguments):
    """Exit code, output and errors of an evaluation."""
    code = main(["evaluate", *arguments])
    return code, *capsys.readouterr()


def test_accuracy_and_confusion_are_those_of_golden(capsys, tmp_path):
    code, out, _ = evaluate(capsys, DIGITS, "--data", TEST, "--json", str(tmp_path / "e.json"),
                            "--plot", str(tmp_path / "e.svg"))

    made   = json.loads((tmp_path / "e.json").read_text())
    labels = np.load(TEST)["labels"]
    right  = sum(np.array(made["predictions"]) == labels)
    assert (code, made["labels"]) == (0, labels.tolist())
    assert f"{right} of 300 right ({right / 300:.1%}; 95 % interval" in out
    assert right == made["right"] == np.trace(made["confusion"]) > 270
    row = made["confusion"][4]
    assert re.search(rf"\n4 +{' +'.join('[.]' if not count else str(count) for count in row)} "
                     rf" +{row[4] / sum(row):.1%}\n", out)
    assert "classifying" not in out  # no bar where there is no terminal
    assert (tmp_path / "e.svg").read_text().count(f">{row[4]}<") >= 1


def test_folders_have_labels_and_a_device_a_sample(capsys):
    code, out, _ = evaluate(capsys, DIGITS, "--data", str(FILES / "digits"), "--backend",
                            "machine", "--size", "small", "--sample", "4")

    assert code == 0
    assert "4 inputs of" in out
    assert "backend machine, size small" in out
    assert "Machine = golden, bit for bit: 7 of 7 layers of 4 images compared" in out


def test_names_of_classes(capsys):
    _, out, _ = evaluate(capsys, str(FILES / "keywords_keras.tflite"), "--data",
                         str(FILES / "keywords_test.npz"), "--classes", str(FILES / "keywords.txt"))

    assert re.search(r"label +noise +ai +ia +ua +ue +iu +right", out)
    assert re.search(r"wrong: input \d+: \w+ as \w+ \(0\.\d+\)", out)


def test_the_float_network_beside_it(capsys, tmp_path):
    pytest.importorskip("ai_edge_litert")

    code, out, _ = evaluate(capsys, DIGITS, "--data", TEST, "--float", FLOAT, "--sample", "60",
                            "--json", str(tmp_path / "e.json"))

    made = json.loads((tmp_path / "e.json").read_text())
    assert code == 0
    assert made["float"]["accuracy"] > 0.9
    assert {row["operator"] for row in made["layers"]} >= {
        "CONV_2D", "DEPTHWISE_CONV_2D", "MAX_POOL_2D", "FULLY_CONNECTED", "SOFTMAX"}
    assert all(20 < row["sqnr"] < 80 for row in made["layers"])
    assert "SQNR dB" in out
    assert re.search(r"Float network: \d+ of 60 right .* of 60 answers are the same", out)


def test_another_float_network_is_seen(capsys):
    pytest.importorskip("ai_edge_litert")

    code, _, error = evaluate(capsys, DIGITS, "--data", TEST, "--float",
                              str(FILES / "keywords_keras_float.tflite"))

    assert code == 2
    assert ("has inputs of 1x49x10x1, and digits_keras of 1x8x8x1: both must be the same network"
            in error)


def test_outputs_without_a_score_for_each_class_are_refused_first(capsys, tmp_path):
    path = tmp_path / "maps.tflite"
    path.write_bytes(write_model(replace(conv_network(), outputs=(5,))))

    code, out, error = evaluate(capsys, str(path), "--data", "gone")

    assert (code, out) == (2, "")
    assert error.endswith("Output 'sum' of maps is 3x3x3: accuracy needs one score for each class, "
                          "and this is a map, a detector's output or a sequence\n")


def test_many_classes_have_a_top_5(capsys, tmp_path):
    (tmp_path / "net.tflite").write_bytes(write_model(conv_network()))
    np.savez(tmp_path / "x.npz", x=np.zeros((30, 6, 5, 2), np.int8), y=np.arange(30) % 27)

    _, out, _ = evaluate(capsys, str(tmp_path / "net.tflite"), "--data", str(tmp_path / "x.npz"))

    assert "27 classes; confused most:" in out
    assert re.search(r"\d+ of 30 labels are among the 5 best answers", out)


@pytest.mark.parametrize(("arguments", "message"), [
    (["--data", "gone"], "There is no file gone$"),
    (["--data", str(FILES / "digits"), "--labels", "gone.csv"], r"There is no file gone\.csv$"),
    (["--data", TEST, "--output", "y"], "digits_keras has no output 'y': --output must be one of"),
    (["--data", TEST, "--classes", str(FILES / "keywords.txt")],
     "Names of classes must be 10, as many as the output has, not 6"),
    (["--data", TEST, "--plot", "x.pdf"], r"The file of a figure must end in \.png or \.svg"),
    (["--data", TEST, "--json", "gone/x"], "there is no folder gone$"),
    (["--data", TEST, "--port", "COM3", "--backend", "rtl"], "needs the backend serial, not rtl$"),
    (["--data", TEST, "--float", TEST],
     r"digits_test\.npz must be a \.tflite file of the float network$"),
    (["--data", TEST, "--float", DIGITS],
     "digits_keras.tflite must be the float network: its input .* must be float32, not int8$")])
def test_refusals_are_one_sentence(arguments, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    code, _, error = evaluate(capsys, DIGITS, *arguments)

    assert code == 2
    assert error.count("\n") == 1
    assert re.search(message, error.strip())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("labels", [[7, 2, 7, 0, 9], [1, 1, 0, 1, 0]])
def test_an_index_is_the_answer(labels, capsys, tmp_path):
    """As ARG_MAX gives it; classes have no order."""
    path, data = tmp_path / "net.tflite", np.full((5, 10), -128, np.int8)
    data[range(5), [7, 2, 1, 0, 7]] = 127
    path.write_bytes(write_model(chosen_model()))
    np.savez(tmp_path / "x.npz", x=data, y=np.array(labels))

    code, out, _ = evaluate(capsys, str(path), "--data", str(tmp_path / "x.npz"), "--json",
                            str(tmp_path / "e.json"))

    made  = json.loads((tmp_path / "e.json").read_text())
    right = sum(np.equal(labels, [7, 2, 1, 0, 7]))
    assert (code, made["predictions"]) == (0, [7, 2, 1, 0, 7])
    assert made["right"] == made["top5"] == right
    assert f"{right} of 5 right" in out
    assert "best answers" not in out
    assert len(made["confusion"]) == len(made["classes"]) == 10
    code, _, error = evaluate(capsys, str(path), "--data", str(tmp_path / "x.npz"), "--float", "f")
    assert code == 2
    assert "is the index of a class" in error


def test_a_label_beyond_the_indices_is_refused(capsys, tmp_path):
    path = tmp_path / "net.tflite"
    path.write_bytes(write_model(chosen_model()))
    np.savez(tmp_path / "x.npz", x=np.zeros((1, 10), np.int8), y=np.array([10]))

    code, _, error = evaluate(capsys, str(path), "--data", str(tmp_path / "x.npz"))

    assert code == 2
    assert error.endswith("must be below 10, the classes of the output, not 10\n")


def test_labels_and_names_are_checked_before_any_inference(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("xymac.host.cli.evaluate.classify_images", None)
    (tmp_path / "labels.csv").write_text("11\n" * 30)
    (tmp_path / "names.txt").write_text("one\ntwo\n")
    folder = ("--data", str(FILES / "digits"))

    code, _, error = evaluate(capsys, DIGITS, *folder, "--labels", str(tmp_path / "labels.csv"))
    assert code == 2
    assert error.endswith("/labels.csv must be below 10, the classes of the output, not 11\n")
    code, _, error = evaluate(capsys, DIGITS, *folder, "--classes", str(tmp_path / "names.txt"))
    assert code == 2
    assert "Names of classes must be 10, as many as the output has, not 2 (one, two)" in error
