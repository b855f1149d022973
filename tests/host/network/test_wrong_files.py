# SPDX-License-Identifier: Apache-2.0
"""A network file with a wrong value anywhere is one sentence of the command line, in seconds."""

import io
import json
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.support.sizes import between
from xymac.host.cli.main import main
from xymac.host.errors import InputError
from xymac.host.files.arrays import load_arrays, save_arrays
from xymac.host.network.file import load_network

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"
WRONG    = [None, "x", "3", 1.5, -1, 1e9, 10**30, True, [], {}, ["a", "b"], [1, 10**9, 10**9],
            [[1]], {"array": 3}]


def places(value, path=()):
    """Paths of the values of a JSON text, of numbers in a row the first two."""
    yield path
    entries = (value.items() if isinstance(value, dict) else
               enumerate(value[:2] if value and isinstance(value[0], int) else value))
    for key, part in entries:
        if isinstance(part, (dict, list)):
            yield from places(part, (*path, key))
        else:
            yield (*path, key)


@cache
def load_example(name):
    """Arrays of the example ``name``, not to be changed."""
    return load_arrays(EXAMPLES / name)


def write_with(path, name, place, value):
    """Write the example ``name`` with another value at ``place`` of its description."""
    arrays = load_example(name)
    text   = json.loads(str(arrays["network"]))
    holder = text
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    file = io.BytesIO()
    np.savez(file, **arrays | {"network": np.array(json.dumps(text))})
    path.unlink(missing_ok=True)  # a new file is written faster than an old one is replaced
    path.write_bytes(file.getvalue())


def refused(arguments, capsys):
    """Run a command that may refuse its input in one sentence, and must not fail otherwise."""
    code = main(arguments)
    error = capsys.readouterr().err

    assert code in (0, 2), error
    assert error.count("\n") == (code == 2)
    return code == 2


@pytest.mark.parametrize("name", ["digits_cnn.npz", "digits_lstm_fx8.npz", "digits_pool.npz",
                                  between("digits_sa8.npz"), "digits_xs3.npz"])
def test_any_wrong_value(name, tmp_path):
    """The one kind of error, or none where the value makes a network, too."""
    text  = json.loads(str(load_example(name)["network"]))
    path  = tmp_path / "wrong.npz"
    count = 0
    for place in places(text):
        for value in WRONG if place else ():
            write_with(path, name, place, value)
            with suppress(InputError):
                load_network(path)
                count -= 1
            count += 1

    assert count > 200


@pytest.mark.parametrize(("shape", "message"), [
    ([1, 10**9, 10**9], "The input may have at most 16,777,216 elements, not 1,000,000,000,000,"),
    ([1, 5000, 5000], "The input may have at most 16,777,216 elements, not 25,000,000, the"),
    ([10**400], "The input may have at most 16,777,216 elements, not 1"),
    ([1, "8", 8], "shape must be a list of positive ints, not [1, '8', 8]"),
    ("1x8x8", "shape must be a list of positive ints, not '1x8x8'")])
def test_sizes_of_the_input(shape, message, tmp_path, capsys):
    write_with(tmp_path / "n.npz", "digits_cnn.npz", ("input", "shape"), shape)

    assert main(["run", str(tmp_path / "n.npz")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"xymac run: {tmp_path}/n.npz is not a network: {message}")
    assert error.count("\n") == 1


def test_a_layer_with_too_much_output(tmp_path, capsys):
    save_arrays(tmp_path / "n.npz", {"network": np.array(json.dumps({
        "format": 2, "name": "n", "input": {"shape": [1, 8, 8], "dtype": "int8", "frac_bits": 7},
        "layers": [{"kind": "padding2d", "pad": [10**6, 10**6, 10**6, 10**6], "layout": "chw"}]}))})

    assert main(["run", str(tmp_path / "n.npz")]) == 2
    assert "Layer 0 (padding2d)" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "3", "null", '"x"', "NaN"])
def test_texts_that_are_no_description(text, tmp_path, capsys):
    save_arrays(tmp_path / "n.npz", {"network": np.array(text)})

    assert refused(["run", str(tmp_path / "n.npz")], capsys)


def test_files_that_are_none(tmp_path, capsys):
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "empty.npz").touch()
    (tmp_path / "text.npz").write_text("network")
    with zipfile.ZipFile(tmp_path / "zip.npz", "w") as file:
        file.writestr("network.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr'")
    np.savez(tmp_path / "object.npz", network=np.array([{}], dtype=object))

    for path in tmp_path.iterdir():
        assert refused(["run", str(path)], capsys)
        assert refused(["run", str(EXAMPLES / "digits_cnn.npz"), "--images", str(path)], capsys)
    assert refused(["check", str(tmp_path / "text.npz")], capsys)
