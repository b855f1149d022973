# SPDX-License-Identifier: Apache-2.0
"""``xymac compile --dma``: the files alone suffice to run the network."""

import ctypes
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.host.image.test_image import NETWORKS
from tests.support.images import image_of, noisy_machine, with_dma
from tests.support.seed import random_of
from tests.support.tflite.list_ends import COMPUTED, LIST_ENDS
from xymac.hdl.config import TINY, find_size
from xymac.hdl.isa import Control, Register, State
from xymac.host.cli.main import main
from xymac.host.image.description import save_image
from xymac.host.network.inference import each_input
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.tflite.writer import write_model

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
CNN      = EXAMPLES / "digits_cnn.tflite"


def expand(triples):
    return np.concatenate([first + step * np.arange(count) for first, count, step in triples])


class Reader:
    """An image by its files, as ``xymac.host.image.description`` documents them."""

    def __init__(self, folder):
        self.told  = json.loads((folder / "image.json").read_text())
        self.image = np.fromfile(folder / self.told["image"], np.uint8)
        assert self.image.size == self.told["bytes"]

    def block(self, entry):
        return self.image[entry["offset"]:entry["offset"] + entry["bytes"]]

    def write(self, entry, data):
        data = data ^ entry["less"] if "less" in entry else data
        flat, block = data.reshape(-1), self.block(entry)
        if "places" not in entry:
            assert block.size == flat.nbytes
            block[:] = np.frombuffer(flat.tobytes(), np.uint8)
            return
        if "upper" in entry:
            for name, half in (("places", (flat & 0xFFFF) - 32768), ("upper", flat >> 16)):
                block[expand(entry[name])[:, None] + np.arange(2)] = half.astype("<i2").view(
                    np.uint8).reshape(-1, 2)
            return
        places = expand(entry["places"])
        if "takes" in entry:
            takes = expand(entry["takes"])
            flat  = np.where(takes < 0, entry["fill"], flat[takes]).astype(flat.dtype)
        for byte in range(flat.itemsize):
            block[places + byte] = flat.view(np.uint8).reshape(-1, flat.itemsize)[:, byte]

    def read(self, entry):
        block, kind = self.block(entry), np.dtype(entry["type"])
        if "places" not in entry:
            data = block.view(kind)
        elif "upper" in entry:
            lower, upper = (block[expand(entry[name])[:, None] + np.arange(2)].copy().view(
                "<i2").ravel().astype(np.int32) for name in ("places", "upper"))
            data = (upper << 16) + lower + 32768
        else:
            places = expand(entry["places"])[:, None] + np.arange(kind.itemsize)
            data   = block[places].copy().view(kind)
        data = data ^ entry["less"] if "less" in entry else data
        return data.reshape(entry["shape"])


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "part by part"])
def test_the_files_describe_every_value(name, tmp_path):
    make, config = NETWORKS[name]
    network, config = make(), with_dma(config)
    save_image(tmp_path, image_of(network, config))

    reader, session = Reader(tmp_path), Session(network)
    with noisy_machine(config) as device:
        device.run_list(reader.image, reader.told["load"]).check()
        for seed in range(2):
            inputs = next(each_input(random_images(network, seed).data))
            for entry, data in zip(reader.told["inputs"], inputs, strict=True):
                reader.write(entry, data)
            device.run_list(reader.image, reader.told["run"]).check()
            for entry, wanted in zip(reader.told["outputs"], session.run(*inputs).outputs,
                                     strict=True):
                np.testing.assert_array_equal(reader.read(entry), wanted.data)


#: Layers that the processor computes and ``image.json`` does not describe.
HOST = {"host into state": ["copies"], "flat host into state": ["copies"],
        "host into two states": ["copies"], "old state behind": ["Cast", "SelectV2"]}


def real_of(entry, data):
    """The real value of integers."""
    return np.float32(entry["scale"]) * (data.astype(np.float32) - entry["zero_point"])


@pytest.mark.parametrize("name", LIST_ENDS | COMPUTED)
def test_the_files_describe_host_steps_or_name_them(name, tmp_path):
    """An integer stands for a real value behind QUANTIZE and copies, or before DEQUANTIZE."""
    network, config = network_of((LIST_ENDS | COMPUTED)[name](), "ends"), with_dma(TINY)
    save_image(tmp_path, image_of(network, config))
    reader = Reader(tmp_path)
    assert reader.told.get("host", []) == HOST.get(name, [])
    if name in HOST:
        return

    inputs = []
    for entry, blank in zip(reader.told["inputs"], network.inputs, strict=True):
        data = np.array(random_of(3).integers(-128, 128, entry["shape"], np.int8))
        reader.write(entry, data)
        inputs.append((real_of(entry, data) if blank.data.dtype.kind == "f" else data).reshape(
            blank.shape))
    with noisy_machine(config) as device:
        for part in ("load", "run"):
            device.run_list(reader.image, reader.told[part]).check()
    for entry, wanted in zip(reader.told["outputs"], Session(network).run(*inputs).outputs,
                             strict=True):
        data = reader.read(entry)
        data = real_of(entry, data) if wanted.data.dtype.kind == "f" else data
        np.testing.assert_array_equal(data.reshape(wanted.shape), wanted.data)


@pytest.mark.parametrize(("name", "computed", "hint"), [
    ("host into state", "copies", True), ("old state behind", "Cast, SelectV2", False)])
def test_host_steps_that_the_files_do_not_describe(name, computed, hint, tmp_path, capsys):
    path = tmp_path / "ends.tflite"
    path.write_bytes(write_model((LIST_ENDS | COMPUTED)[name]()))
    arguments = ["compile", str(path), "-o", str(tmp_path / "out"), "--dma", "32"]

    assert main(arguments) == 2
    sentence = capsys.readouterr().err
    assert f"host computations ({computed}) beside its command list" in sentence
    assert ("--c" in sentence) == hint
    assert main([*arguments, "--c"]) == (0 if hint else 2)


def test_the_user_computes_quantize(tmp_path, capsys):
    path = tmp_path / "ends.tflite"
    path.write_bytes(write_model(LIST_ENDS["copies at ends"]()))

    assert main(["compile", str(path), "-o", str(tmp_path / "out"), "--dma", "32"]) == 0
    assert "the user computes Quantize\n" in capsys.readouterr().out


def test_command(tmp_path, capsys):
    assert main(["compile", str(CNN), "-o", str(tmp_path / "out"), "--dma", "64", "--size",
                 "tiny"]) == 0

    told = json.loads((tmp_path / "out/image.json").read_text())
    assert find_size(told["size"]) == replace(with_dma(find_size("tiny"), 64), name=told["size"])
    assert told["inputs"][0]["type"] == "int8"
    assert "an image of" in capsys.readouterr().out


def test_driver_starts_and_ends_a_list(tmp_path):
    main(["compile", str(CNN), "-o", str(tmp_path), "--dma", "32"])
    library = tmp_path / "driver.so"
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o",
                    library, tmp_path / "xymac_image.c"], check=True)
    driver = ctypes.CDLL(str(library))
    driver.xymac_image_finish.restype = ctypes.c_uint32
    core   = np.zeros(64, np.uint32)
    address = ctypes.c_void_p(core.ctypes.data)
    told   = json.loads((tmp_path / "image.json").read_text())

    driver.xymac_image_start(address, 0x4000_0000, told["run"])

    wanted = {Register.BASE: 0x4000_0000, Register.SIZE: told["bytes"], Register.LIST: told["run"],
              Register.IRQ_MASK: 1, Register.CONTROL: Control.LIST.value}
    assert {register: int(core[register.value // 4]) for register in wanted} == wanted
    status = core[Register.LIST_STATUS.value // 4:][:1]
    for state, ended, error in ((State.BUSY, 0, None), (State.DONE, 1, 0), (State.FAULT, 1, 0x53)):
        status[0] = error or state.value
        assert driver.xymac_image_ended(address) == ended
        if error is not None:
            assert driver.xymac_image_finish(address) == error
            assert core[Register.CONTROL.value // 4] == Control.CLEAR.value


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--memory", "width=32"], "--memory needs --dma, whose transfers it times"),
    (["--dma", "32", "--rom"], "--rom does not go with --dma"),
    (["--dma", "32", "--c", "--images", "x.npz"], "--images does not go with --dma"),
    (["--dma", "32", "--example", "x.npz"], "--example needs --c, whose main.c holds it"),
    (["--dma", "32", "--c", "--example", "missing.npz"], "missing.npz"),
    (["--dma", "32", "--size", "compact"], ("A core with a DMA: dma must be 0 in size compact, "
                                           "not 32"))])
def test_refusals(arguments, sentence, tmp_path, capsys):
    assert main(["compile", str(CNN), "-o", str(tmp_path / "out"), *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("value", "sentence"), [
    ("width=3", "width must be 8, 16, 32, 64, 128, not 3"),
    ("depth=3", "a field of the memory must be width, latency, miss, row, refresh_every"),
    ("latency=-1", "latency must be between 0 and 1,000,000, not '-1'"),
    ("row=8", "row must be at least 64, not 8"),
    ("refresh_every=4", "refresh_every must be 0 or more than refresh, 8, not 4")])
def test_wrong_memories(value, sentence, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["compile", str(CNN), "-o", str(tmp_path), "--dma", "32", "--memory", value])
    assert sentence in capsys.readouterr().err


def test_run(tmp_path, capsys):
    assert main(["run", str(CNN), "--dma", "32", "--backend", "machine", "--json",
                 str(tmp_path / "out.json")]) == 0

    assert "Outputs = golden, bit for bit" in capsys.readouterr().out
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["equal"]
    assert 0 < told["core"] < told["predicted"]

