# SPDX-License-Identifier: Apache-2.0
"""Every reader of files from outside: files in a folder, of which one is damaged, and commands."""

import hashlib
import io
import json
from pathlib import Path

import numpy as np
from PIL import Image

from tests.support.damage import damage_archive, damage_bytes, damage_json
from tests.support.seed import random_of
from tests.support.tflite.networks import conv_network, value
from xymac.host.cli.main import main
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.writer import write_model
from xymac.sim.signoff.command import main as signoff

__all__ = ["READERS", "Reader"]

EXAMPLES = Path("host/examples/data")
VECTORS  = Path("tests/vectors/tflm")
ADAPTER  = """import xymac


class Scaler(xymac.Adapter):
    supports = (xymac.Supports("relu", "tflm", "int8", {"channels": range(1, 9)}),)

    def relu(self, case):
        return case.operands["x"]
"""
#: A cluster that never begins: the file is read, and its class refuses.
CLUSTER = """module: tests.support.fake.cluster
class: Refusing
args: [2]
kwargs: {cores: 1, memory: 1GB}
"""
SETTINGS = {"seed": 7, "only": ["vectors"], "match": "no such piece", "cache": "/nowhere",
            "workloads": None}
EVIDENCE = {
    "name": "formal", "command": "make formal", "figures": {"properties": 20, "proved": 20.0},
    "exclusions": [{"where": "hdl", "reason": "none"}], "survivors": [], "seed": 3,
    "places": {"hdl/dma": "0123", "docs": "4567"}, "versions": {"python": "3.11.7"},
    "time": "2026-01-02T03:04:05Z"}
#: A call of mli_krn_relu_fx16 as a recording program tells it: four elements, and room for them.
CALL = (b"call mli_krn_relu_fx16 0 0 0 1 2 1 1\n"
        b"4096 8 4 1 1 1 1 1 7 0 8\n\x01\x00\xff\xff\x02\x00\xfe\xff"
        b"8192 8 0 0 0 0 0 1 0 0 0\n")
PROGRAM = """#!/bin/sh
cat '{}' > "$XYMAC_CALLS"
"""


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
    """Files in a folder, of which one is damaged, and a command line that reads them.

    ``code`` is the exit code for the file as it is, ``written`` files that the command writes.
    """

    def __init__(self, folder, name, arguments, *, code=0, written=(), run=main):
        self.path, self.arguments = folder / name, [*map(str, arguments)]
        self.data = self.path.read_bytes()
        self.code, self.written, self.run = code, written, run

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
    """A Reader of a network or of an input of a small one, with its outputs in a file."""
    (folder / "conv.tflite").write_bytes(write_model(model()))
    (folder / name).write_bytes(data)
    out = folder / "out.npz"
    arguments = ["run", folder / network, "--backend", "golden", "--outputs", out]
    if name != network:
        arguments += ["--images", folder / name]
    return kind(folder, name, arguments, written=[out])


def compiled_of(folder, kind, name):
    """A Reader of one of the two files of a compiled network."""
    (folder / "conv.tflite").write_bytes(write_model(conv_network()))
    main(["compile", str(folder / "conv.tflite"), "-o", str(folder / "out"), "--size", "tiny"])
    return kind(folder / "out", name, ["run", folder / "out", "--backend", "machine"])


def vectors_of(folder, kind, name):
    """A Reader of one of the files of reference vectors, of one case."""
    entry = json.loads((VECTORS / "index.json").read_text())[0]
    (folder / "index.json").write_text(json.dumps([entry]))
    (folder / entry["file"]).write_bytes((VECTORS / entry["file"]).read_bytes())
    out = folder / "report.json"
    return kind(folder, name or entry["file"],
                ["check", folder, "--backend", "golden", "--json", out], written=[out])


def labelled_of(folder, option, name, data, kind=Reader):
    """A Reader of a file that says or names the labels of two inputs."""
    (folder / "conv.tflite").write_bytes(write_model(conv_network()))
    (folder / "x.npz").write_bytes(encode(lambda out: np.savez(
        out, x=np.zeros((2, 1, 6, 5, 2), np.int8), labels=np.arange(2))))
    (folder / name).write_bytes(data)
    given = {"--data": folder / "x.npz", option: folder / name}
    out   = folder / "report.json"
    return kind(folder, name, [
        "evaluate", folder / "conv.tflite", "--json", out,
        *(word for pair in given.items() for word in pair)], written=[out])


def text_of(folder, name, text, arguments, **fields):
    """A Reader of a text file that a command refuses or reads."""
    (folder / name).write_text(text)
    return Reader(folder, name, arguments, **fields)


def calls_of(folder):
    """A Reader of what a program with calls of MLI tells."""
    program, out = folder / "program", folder / "out"
    (folder / "calls").write_bytes(CALL)
    program.write_text(PROGRAM.format(folder / "calls"))
    program.chmod(0o700)
    return Reader(folder, "calls", ["compile", "--calls", program, "-o", out, "--size", "tiny"],
                  written=[out])


def settings_of(folder):
    """A Reader of the settings of a regression that has no piece."""
    (folder / "regress.settings.json").write_text(json.dumps(SETTINGS))
    return Description(folder, "regress.settings.json", ["regress", "--resume", folder], code=2)


def evidence_of(folder):
    """A Reader of evidence for the sign-off page."""
    page = folder / "page.md"
    kept = folder / "signoff"
    kept.mkdir()
    (kept / "formal.json").write_text(json.dumps(EVIDENCE))
    return Description(kept, "formal.json", ["--page", "--evidence", kept, "-o", page],
                       written=[page], run=signoff)


def images_of(suffix, kind):
    """Function from a folder to a Reader of an image file."""
    return lambda folder: run_of(folder, f"x.{suffix}", picture(kind), model=relu_network)


READERS = {
    "tflite": lambda folder: run_of(folder, "conv.tflite", write_model(conv_network())),
    "network": lambda folder: run_of(
        folder, "net.npz", (EXAMPLES / "digits_lstm_fx16.npz").read_bytes(), network="net.npz",
        kind=NetworkFile),
    "npz": lambda folder: run_of(folder, "x.npz", encode(lambda out: np.savez(
        out, x=np.zeros((2, 1, 6, 5, 2), np.int8), labels=np.arange(2))), kind=Archive),
    "npy": lambda folder: run_of(folder, "x.npy", encode(lambda out: np.save(
        out, np.zeros((2, 1, 6, 5, 2), np.int8)))),
    "png": images_of("png", "PNG"), "jpeg": images_of("jpg", "JPEG"),
    "bmp": images_of("bmp", "BMP"),
    "compiled arrays": lambda folder: compiled_of(folder, CompiledArrays, "network.npz"),
    "compiled description": lambda folder: compiled_of(folder, Description, "network.json"),
    "vector arrays": lambda folder: vectors_of(folder, Archive, None),
    "vector index": lambda folder: vectors_of(folder, Description, "index.json"),
    "labelled inputs": lambda folder: labelled_of(folder, "--data", "d.npz", encode(
        lambda out: np.savez(out, images=np.zeros((2, 1, 6, 5, 2), np.int8),
                             labels=np.array([3, 4]))), Archive),
    "labels csv": lambda folder: labelled_of(folder, "--labels", "l.csv", b"label\n3\n\"4\"\n"),
    "labels npy": lambda folder: labelled_of(folder, "--labels", "l.npy", encode(
        lambda out: np.save(out, np.array([3, 4])))),
    "classes": lambda folder: labelled_of(
        folder, "--classes", "c.txt", "\n".join(map(str, range(27))).encode()),
    "calls": calls_of,
    "adapter": lambda folder: text_of(folder, "scaler.py", ADAPTER, [
        "vectors", "-o", folder / "out", "--kernel", "relu", "--dialect", "tflm", "--type",
        "int8", "--count", "1", "--adapter", folder / "scaler.py"], written=[folder / "out"]),
    "cluster": lambda folder: text_of(folder, "c.yaml", CLUSTER, [
        "fit", "--size", "tiny", "--cluster", folder / "c.yaml"], code=2),
    "regress settings": settings_of, "evidence": evidence_of,
}
