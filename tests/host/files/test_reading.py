# SPDX-License-Identifier: Apache-2.0
"""Reading has a bound, which is checked before anything is unpacked."""

import tracemalloc
import zipfile

import numpy as np
import pytest

from xymac.host.cli.main import main
from xymac.host.errors import InputError
from xymac.host.files.arrays import load_array, load_arrays
from xymac.host.files.reading import read_file, set_limit

LIMIT = 1 << 16


def bomb(path, count):
    """An .npz of some kilobytes that holds ``count`` bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("images.npy", "w") as file:
            np.lib.format.write_array_header_1_0(file, {
                "descr": "|i1", "fortran_order": False, "shape": (count,)})
            for _ in range(count >> 20):
                file.write(bytes(1 << 20))
    return path


def test_an_archive_is_measured_before_it_is_unpacked(tmp_path):
    path = bomb(tmp_path / "x.npz", 64 << 20)

    tracemalloc.start()
    with set_limit(LIMIT), pytest.raises(
            InputError, match=r"x\.npz holds 67,108,992 bytes, and the limit is 65,536 \(--read-l"):
        load_arrays(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert load_arrays(path)["images"].size == 64 << 20


@pytest.mark.parametrize("read", [read_file, load_array])
def test_files_are_measured(read, tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.zeros(LIMIT, np.int8))

    with set_limit(LIMIT), pytest.raises(InputError, match=r"holds 65,664 bytes, and the limit"):
        read(path)
    for limit in (LIMIT + 128, 1 << 70):
        with set_limit(limit):
            read(path)


def test_a_header_of_more_than_there_is(tmp_path):
    path = tmp_path / "x.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {
            "descr": "|i1", "fortran_order": False, "shape": (1 << 40,)})

    with pytest.raises(InputError, match=r"x\.npy is damaged or not an \.npy file$"):
        load_array(path)


def test_the_command_line_raises_the_limit(tmp_path, capsys):
    path = bomb(tmp_path / "x.npz", 3 << 20)
    run  = ["run", "host/examples/data/digits_cnn.npz", "--images", str(path),
            "--backend", "golden"]

    assert main([*run, "--read-limit", "2"]) == 2
    assert "x.npz holds 3,145,856 bytes, and the limit is 2,097,152" in capsys.readouterr().err
    assert main([*run, "--read-limit", "4"]) == 2
    assert "must be int8 of shape" in capsys.readouterr().err


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("code", "is_one"), [(0x10FFFF, True), (0x110000, False)])
def test_text_of_no_characters(order, code, is_one, tmp_path):
    """Python cannot even print it."""
    path = tmp_path / "x.npy"
    np.save(path, np.array([0x61, code], f"{order}u4").view(f"{order}U2"))

    if is_one:
        assert load_array(path).tolist() == ["a" + chr(code)]
    else:
        with pytest.raises(InputError, match=r"x\.npy is damaged or not an \.npy file$"):
            load_array(path)
