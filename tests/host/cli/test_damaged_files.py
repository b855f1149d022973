# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every reader, through the command line: 0, 1 or 2, one sentence, and soon.

``pytest --damage 10000`` gives that many to each.
"""

import hashlib
import io
import json
import resource
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support.damage import damage_archive, damage_bytes, damage_json
from tests.support.seed import random_of
from tests.support.tflite.networks import conv_network, value
from xymac.host.cli.main import main
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.writer import write_model

EXAMPLES = Path("host/examples/data")
VECTORS  = Path("tests/vectors/tflm")
SECONDS  = 10        #: That one damaged file may take if it is refused,
LONGEST  = 120       #: and if it is computed: it may be a much longer sequence.
GROWTH   = 600 << 10 #: KiB by which the highest use of memory may grow.


def encode(write):
    """Bytes of a file that ``write`` writes."""
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def picture(kind):
    """Bytes of an image file of 6 by 5 pixels."""
    pixels = random_of(1).integers(0, 256, (6, 5, 3)).astype(np.uint8)
    return encode(lambda out: Image.fromarray(pixels).save(out, kind))


class Reader:
    """Files in a folder, of which one is damaged, and a command line that reads them."""

    def __init__(self, folder, name, arguments):
        self.path, self.arguments = folder / name, arguments
        self.data = self.path.read_bytes()

    def damage(self, rng):
        """Write the file with a damage."""
        self.path.write_bytes(damage_bytes(self.data, rng))


class Archive(Reader):
    """One whose file is an .npz, perhaps with JSON in it."""

    text = None

    def damage(self, rng):
        self.path.write_bytes(damage_archive(self.data, rng, self.text))


class NetworkFile(Archive):
    """A network of ours."""

    text = "network"


class Description(Reader):
    """One whose file is JSON."""

    def damage(self, rng):
        text = (damage_json(self.data.decode(), rng).encode() if rng.integers(4)
                else damage_bytes(self.data, rng))
        self.path.write_bytes(text)


class CompiledArrays(Archive):
    """A compiled network whose description belongs to the damaged arrays."""

    def damage(self, rng):
        super().damage(rng)
        path    = self.path.with_name("network.json")
        content = json.loads(path.read_text())
        content["sha256"] = hashlib.sha256(self.path.read_bytes()).hexdigest()
        path.write_text(json.dumps(content))


def relu_network():
    """Model of a RELU of a picture."""
    tensors = tuple(value(name, (1, 6, 5, 3), scale=1.0, zero_point=-128) for name in "xy")
    return Model(tensors, (Operator("RELU", (0,), (1,)),), (0,), (1,))


def run_of(folder, name, data, *, network="conv.tflite", kind=Reader, model=conv_network):
    """A Reader of a network or of an input of a small one."""
    (folder / "conv.tflite").write_bytes(write_model(model()))
    (folder / name).write_bytes(data)
    arguments = ["run", str(folder / network), "--backend", "golden"]
    if name != network:
        arguments += ["--images", str(folder / name)]
    return kind(folder, name, arguments)


def compiled_of(folder, kind, name):
    """A Reader of one of the two files of a compiled network."""
    (folder / "conv.tflite").write_bytes(write_model(conv_network()))
    main(["compile", str(folder / "conv.tflite"), "-o", str(folder / "out"), "--size", "tiny"])
    return kind(folder / "out", name, ["run", str(folder / "out"), "--backend", "machine"])


def vectors_of(folder, kind, name):
    """A Reader of one of the files of reference vectors, of one case."""
    entry = json.loads((VECTORS / "index.json").read_text())[0]
    (folder / "index.json").write_text(json.dumps([entry]))
    (folder / entry["file"]).write_bytes((VECTORS / entry["file"]).read_bytes())
    return kind(folder, name or entry["file"], ["check", str(folder), "--backend", "golden"])


READERS = {
    "tflite": lambda folder: run_of(folder, "conv.tflite", write_model(conv_network())),
    "network": lambda folder: run_of(
        folder, "net.npz", (EXAMPLES / "digits_lstm_fx16.npz").read_bytes(), network="net.npz",
        kind=NetworkFile),
    "npz": lambda folder: run_of(folder, "x.npz", encode(lambda out: np.savez(
        out, x=np.zeros((2, 1, 6, 5, 2), np.int8), labels=np.arange(2))), kind=Archive),
    "npy": lambda folder: run_of(folder, "x.npy", encode(lambda out: np.save(
        out, np.zeros((2, 1, 6, 5, 2), np.int8)))),
    "png": lambda folder: run_of(
        folder, "x.png", picture("PNG"), model=relu_network),
    "jpeg": lambda folder: run_of(
        folder, "x.jpg", picture("JPEG"), model=relu_network),
    "bmp": lambda folder: run_of(
        folder, "x.bmp", picture("BMP"), model=relu_network),
    "compiled arrays": lambda folder: compiled_of(folder, CompiledArrays, "network.npz"),
    "compiled description": lambda folder: compiled_of(folder, Description, "network.json"),
    "vector arrays": lambda folder: vectors_of(folder, Archive, None),
    "vector index": lambda folder: vectors_of(folder, Description, "index.json"),
}


def check_reader(reader, count, key, capsys):
    """Give ``count`` damaged files to a Reader; how many were refused."""
    rng, refused = random_of(key), 0
    assert main(reader.arguments) == 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(count):
        reader.damage(rng)
        capsys.readouterr()
        start = time.process_time()
        code  = main(reader.arguments)
        told  = capsys.readouterr().err
        assert code in (0, 1, 2), f"file {number}: {code}\n{told}"
        limit = SECONDS if code == 2 else LONGEST
        assert time.process_time() - start < limit, f"file {number}"
        if code == 2:
            refused += 1
            assert told.count("\n") == 1, f"file {number}: {told}"
            assert len(told) < 2000, f"file {number}: {told}"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH
    return refused


@pytest.mark.parametrize("name", READERS)
def test_damaged_files(name, tmp_path, capsys, request):
    count = request.config.getoption("--damage")

    assert check_reader(READERS[name](tmp_path), count, 1, capsys) > 0
