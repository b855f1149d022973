# SPDX-License-Identifier: Apache-2.0
"""Wrong inputs as people give them: each is one sentence that says what to do, and no traceback."""

import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from xymac.host.cli.main import main

ROOT    = Path(__file__).parents[3]
DATA    = ROOT / "host/examples/data"
FILES   = ROOT / "examples/files"
NET     = str(DATA / "digits_cnn.tflite")
NET_KERAS = str(FILES / "digits_keras.tflite")
TEST    = str(FILES / "digits_test.npz")
DIGITS  = str(FILES / "digits")
VECTORS = str(ROOT / "tests/vectors")
SHAPE   = (1, 8, 8, 1)


def archive(path, *names):
    """A zip archive with empty members."""
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of files that are no int8 networks, or no inputs of the digits network."""
    monkeypatch.chdir(tmp_path)
    for name in ("net.onnx", "net.pb", "net.mlmodel", "net.h5", "text.txt"):
        Path(name).write_bytes(b"\x08\x07")
    archive("net.keras", "metadata.json", "config.json", "model.weights.h5")
    archive("renamed.npz", "config.json", "model.weights.h5")
    archive("net.zip", "net.tflite")
    Path("net.tflite.gz").write_bytes(b"\x1f\x8b\x08\x00")
    Path("x.webp").write_bytes(b"RIFF")
    Path("nothing.tflite").touch()
    Path("net.mlpackage").mkdir()
    np.savez("objects.npz", images=np.zeros((1, *SHAPE), object))
    archive("net.pt", "net/data.pkl", "net/version")
    archive("checkpoint", "archive/data.pkl")
    Path("renamed.tfl").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(9))
    Path("saved").mkdir()
    Path("saved/saved_model.pb").write_bytes(b"\x08\x01")
    Path("empty").mkdir()
    Path("dma").mkdir()
    Path("dma/image.json").touch()
    os.mkfifo("pipe")
    Image.new("L", (8, 8)).save("digit.jpg")
    np.save("array.npy", np.zeros((2, *SHAPE), np.int8))
    np.save("flat.npy", np.zeros((2, 64), np.uint8))
    np.save("int16.npy", np.zeros((2, *SHAPE), np.int16))
    np.save("nan.npy", np.full((2, *SHAPE), np.nan))
    np.savez("names.npz", pictures=np.zeros((2, *SHAPE), np.int8))
    np.savez("labels.npz", images=np.zeros((2, *SHAPE), np.int8), labels=np.array([1, 11]))
    Path("few.txt").write_text("yes\nno\n")
    np.savez("pixels.npz", images=np.zeros((2, *SHAPE), np.int8))
    np.savez("wrapped.npz", images=np.zeros((2, *SHAPE), np.int8), labels=[2**63, 1])
    np.savez("digits.npz", images=np.zeros((2, *SHAPE), np.int8), labels=["1", "9" * 20])
    Path("both/0").mkdir(parents=True)
    for name in ("both/0/zero.png", "both/cover.png"):
        Image.new("L", (8, 8)).save(name)
    Path("reversed.csv").write_text("label,file\n0,0/0.png\n")
    Path("twice.csv").write_text("file,label\n0/0.png,0\n0/0.png,1\n")
    Path("rowless.csv").write_text("file,label\n")
    Path("copy.tflite").write_bytes(Path(NET).read_bytes())
    return tmp_path


#: (arguments, sentence) of a command that ends with 2.
WRONG = {
    "onnx": (["run", "net.onnx"], r"net\.onnx is an ONNX model: convert it to an int8 \.tflite"),
    "pt": (["run", "net.pt"], r"net\.pt is a PyTorch file: convert the model .* litert-torch"),
    "pt renamed": (["run", "checkpoint"], r"checkpoint is a PyTorch file: convert"),
    "keras": (["run", "net.keras"], r"net\.keras is a Keras model: convert it to an int8"),
    "keras renamed": (["compile", "renamed.npz", "-o", "o"], r"renamed\.npz is a Keras model"),
    "h5": (["evaluate", "net.h5", "--data", TEST], r"net\.h5 is a Keras model"),
    "h5 renamed": (["run", "renamed.tfl"], r"renamed\.tfl is a Keras model"),
    "pb": (["run", "net.pb"], r"net\.pb is a TensorFlow graph: convert its SavedModel folder"),
    "saved model": (["run", "saved"], "saved is a TensorFlow SavedModel: convert it to an int8"),
    "saved model evaluated": (["evaluate", "saved", "--data", TEST], "is a TensorFlow SavedModel"),
    "another framework": (["run", "net.mlmodel"], r"net\.mlmodel is a model of Core ML, which"),
    "image as network": (["run", "digit.jpg"], r"digit\.jpg is an image, not a network: images"),
    "array as network": (["run", "array.npy"], r"array\.npy is an array, not a network: inputs"),
    "float network": (["run", str(FILES / "digits_keras_float.tflite")],
                      r"float\.tflite is a float32 network: quantise it to int8"),
    "empty folder": (["run", "empty"], r"empty holds no network\.json: it is no compiled network"),
    "folder evaluated": (["evaluate", "empty", "--data", TEST], "empty is a folder, and a network"),
    "text as network": (["run", "text.txt"], r"text\.txt is no network: it must be a \.tflite fil"),
    "compressed": (["run", "net.tflite.gz"], r"net\.tflite\.gz is compressed: unpack it"),
    "zip archive": (["run", "net.zip"], r"net\.zip is a zip archive and not an \.npz file: unpack"),
    "another image": (["run", "x.webp"], r"x\.webp is an image, not a network: images are given"),
    "empty network": (["run", "nothing.tflite"], r"nothing\.tflite is empty$"),
    "folder of Core ML": (["run", "net.mlpackage"], r"net\.mlpackage is a model of Core ML, which"),
    "text as inputs": (["run", NET, "--images", "text.txt"], r"text\.txt must be a PNG, JPEG, BM"),
    "objects": (["run", NET, "--images", "objects.npz"], r"objects\.npz holds arrays of Python"),
    "no network": (["run", "gone.tflite"], r"There is no file gone\.tflite"),
    "device as network": (["run", "/dev/null"], "/dev/null is a device or a pipe, not a file"),
    "device as inputs": (["run", NET, "--images", "/dev/zero"],
                         "/dev/zero is a device or a pipe, not a file"),
    "pipe as inputs": (["run", NET, "--images", "pipe"], "pipe is a device or a pipe, not a file"),
    "folder as bitstream": (["load", "--board", "ulx3s-85f", "empty"],
                            "empty is a folder, not a file"),
    "folder of an image": (["run", "dma"], "dma holds an image for a core with a DMA: `xymac run"),
    "network as inputs": (["run", NET, "--images", NET], r"is a network: inputs must be image fil"),
    "keras as inputs": (["run", NET, "--images", "net.keras"], "is a Keras model, and no inputs"),
    "uint8 that are no image": (["run", str(FILES / "keywords_keras.tflite"), "--images",
                                 "flat.npy"], r"must be int8 or floating point .* not uint8"),
    "wrong type": (["run", NET, "--images", "int16.npy"], r"int16\.npy must be int8 .* not int16"),
    "nan": (["run", NET, "--images", "nan.npy"], r"nan\.npy must be finite in float32"),
    "wrong shape": (["run", NET, "--images", "flat.npy"], r"not uint8 of shape \(2, 64\)"),
    "wrong key": (["run", NET, "--images", "names.npz"],
                  r"the key 'images' is missing, there are 'pictures'"),
    "folder without images": (["run", NET, "--images", "empty"], "empty holds no PNG, JPEG or BMP"),
    "no labels": (["evaluate", NET, "--data", "pixels.npz"], r"pixels\.npz has no labels: name"),
    "label too high": (["evaluate", NET, "--data", "labels.npz"],
                       r"Labels in labels\.npz must be below 10, the classes of .*, not 11"),
    "label beyond 64 bits": (["evaluate", NET, "--data", "wrapped.npz"],
                             r"Labels in wrapped\.npz must have at most 64 bits, not 9\.2233"),
    "name of digits": (["evaluate", NET, "--data", "digits.npz"],
                       r"Labels in digits\.npz must have at most 64 bits, not 9{20}$"),
    "images beside folders": (["evaluate", NET, "--data", "both"],
                              r"not both: cover\.png lies beside the folder 0"),
    "columns reversed": (["evaluate", NET, "--data", DIGITS, "--labels", "reversed.csv"],
                         r"file and label in this order: .* as in 'label'"),
    "file with two labels": (["evaluate", NET, "--data", DIGITS, "--labels", "twice.csv"],
                             r"twice\.csv must have one label of 0/0\.png, not 0 and 1"),
    "no rows": (["evaluate", NET, "--data", DIGITS, "--labels", "rowless.csv"],
                r"rowless\.csv must have a row for each input, and has none"),
    "network as result": (["run", "copy.tflite", "--backend", "golden", "--json", "./copy.tflite"],
                          r"--json would overwrite \./copy\.tflite, the file of NET"),
    "data as figure": (["evaluate", NET, "--data", "both/cover.png", "--plot", "both/cover.png"],
                       r"--plot would overwrite both/cover\.png, the file of --data"),
    "two results in one file": (["run", NET, "--json", "x.npy", "--outputs", "x.npy"],
                                r"--outputs would overwrite x\.npy, the file of --json"),
    "pixels of no images": (["run", NET, "--pixels", "0..1"],
                            "--pixels is for the pixels of --images, which is missing"),
    "clock of golden": (["run", NET, "--backend", "golden", "--clock", "100"],
                        "--clock needs cycles, and the backend golden counts none"),
    "folder that is a file": (["verilog", "-o", "text.txt/x"],
                              r"Cannot make the folder text\.txt/x: text\.txt is a file"),
    "vectors in a file": (["vectors", "-o", "text.txt", "--kernel", "add", "--dialect", "tflm",
                           "--count", "1"], r"folder text\.txt: text\.txt is a file"),
    "no data": (["evaluate", NET, "--data", "gone"], "There is no file gone"),
    "float network in onnx": (["evaluate", NET, "--data", TEST, "--float", "net.onnx"],
                              r"net\.onnx is an ONNX model"),
    "benchmark in onnx": (["bench", "--networks", "--files", "net.onnx"],
                          r"net\.onnx is an ONNX model"),
    "board": (["run", NET, "--board", "ulx3s85f", "--port", "x"],
              "not 'ulx3s85f'; did you mean ulx3s-85f"),
    "board to build": (["build", "--board", "icebraker"], "did you mean icebreaker"),
    "function": (["check", VECTORS, "--match", "mli_krn_permut_fx8"],
                 "did you mean mli_krn_permute_fx8"),
    "outputs": (["run", NET, "--outputs", "y.csv"], r"must end in \.npy or \.npz, not y\.csv"),
    "few classes": (["run", NET, "--classes", "few.txt"],
                    r"few\.txt must name 10 classes, as many as the output of .*, not 2"),
    "empty argument": (["run", NET, "--json", ""], "An argument is empty: a variable of the shell"),
    "pixels of no image": (["compile", NET, "-o", "o", "--pixels", "0..1"], "--pixels needs --rom"),
    "compact unrouted": (["fit", "--device", "gowin", "--size", "compact"],
                         "Size compact is for a board with an iCE40 alone, not for gowin"),
    "clock of a board": (["fit", "--board", "ulx3s-85f", "--freq", "50"],
                         "--freq is for a core alone: placement and routing of a board aim for"),
    "speed of no network": (["explore", "--quick", "--link", "dma"],
                            "--link is for the speed of networks: it needs at least one --network"),
    "softmax on compact": (["compile", NET_KERAS, "-o", "o", "--size", "compact"],
                           r"\(SOFTMAX\), .* on a core without writable tables, such as compact$"),
    "compact with a processor": (["simulate", "--soc", "--size", "compact"],
                                 "A system with a processor has a core of the sizes tiny, small"),
    "a flash without a system": (["simulate", "--board", "ulx3s-85f", "--flash"],
                                 "--flash needs --soc, whose program lies in the flash"),
    "a netlist of a system": (["simulate", "--soc", "--netlist"],
                              "--netlist is for --board, not for --soc"),
    "two widths of a DMA": (["compile", NET, "-o", "o", "--size", "tiny,dma=64", "--dma", "32"],
                            "--dma 32 contradicts --size .*, which has a DMA of 64 bits"),
    "absent workloads": (["regress", "--workloads", "gone"], "There is no folder gone"),
    "no port": (["run", NET, "--board", "ulx3s-85f"], "A board needs --port: `xymac ports`"),
}
#: The same for the parser of arguments, which ends the process.
PARSED = {
    "command": (["evalute", NET], r"invalid choice: 'evalute' .*; did you mean evaluate\?"),
    "option": (["run", NET, "--imags", TEST], r"unrecognized arguments: --imags .*--images\?"),
    "size": (["run", NET, "--size", "bse"], r"not 'bse'; did you mean base\?"),
    "size in capitals": (["run", NET, "--size", "Tiny"], r"not 'Tiny'; did you mean tiny\?"),
    "backend": (["run", NET, "--backend", "rlt"], r"'rlt' .*; did you mean rtl\?"),
    "kernel": (["vectors", "-o", "v", "--kernel", "conv2", "--dialect", "tflm"],
               r"'conv2' .*; did you mean conv2d\?"),
    "dialect": (["vectors", "-o", "v", "--kernel", "conv2d", "--dialect", "tfml"],
                r"'tfml' .*; did you mean tflm\?"),
    "count": (["run", NET, "--limit", "ten"], "--limit: must be an int, not 'ten'"),
    "seed": (["vectors", "-o", "v", "--kernel", "conv2d", "--dialect", "tflm", "--seed", "-1"],
             "--seed: must be at least 0, not -1"),
    "first cycle": (["run", NET, "--waves", "w.vcd", "--from", "-1"], "must be at least 0, not -1"),
    "processes": (["run", NET, "--jobs", "9999"], r"--jobs: must be at most \d+ processes"),
    "pixels": (["run", NET, "--pixels", "1"], r"must be LOW\.\.HIGH"),
    "nothing to evaluate": (["evaluate", NET], "the following arguments are required: --data"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_input_that_cannot_be_used(arguments, message, folder, capsys):
    before = sorted(folder.rglob("*"))

    assert main(arguments) == 2

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(f"xymac {arguments[0]}: ")
    assert re.search(message, error)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(("arguments", "message"), PARSED.values(), ids=PARSED)
def test_arguments_that_cannot_be_used(arguments, message, folder, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)

    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.count("\n") == 1
    assert re.search(message, error)


def test_xymac_alone_prints_its_help(capsys):
    assert main([]) == 0

    out = capsys.readouterr().out
    assert out.startswith("usage: xymac ")
    assert re.search(r"\n *evaluate +accuracy of a network", out)


def test_there_are_forty():
    assert len(WRONG) + len(PARSED) >= 40
