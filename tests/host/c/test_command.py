# SPDX-License-Identifier: Apache-2.0
"""``xymac compile --c``: what it writes of an example, and what it refuses."""

from pathlib import Path

import numpy as np

from tests.support.licence import is_licensed
from xymac.host.c.network import NETWORK_FILES
from xymac.host.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "host/examples/data"


def test_the_example_can_be_chosen(tmp_path, capsys):
    pixels = EXAMPLES / "digits_pixels.npz"
    net    = str(EXAMPLES / "digits_cnn.tflite")
    assert main(["compile", net, "-o", str(tmp_path / "net"), "--c", "--example",
                 str(pixels)]) == 0
    with np.load(pixels) as arrays:
        first = next(array for name, array in arrays.items() if name != "labels")[0]
    text = (tmp_path / "net/main.c").read_text().partition("};")[0].partition("{")[2]
    assert [int(number) for number in text.split(",")[:-1]] == first.ravel().tolist()

    for name in NETWORK_FILES:
        assert is_licensed((tmp_path / "net" / name).read_text()), name

    assert main(["compile", net, "-o", str(tmp_path / "net"), "--example", str(pixels)]) == 2
    assert capsys.readouterr().err == "xymac compile: --example needs --c, whose main.c holds it\n"


def test_a_folder_in_place_of_a_file(tmp_path, capsys):
    (tmp_path / "main.c").mkdir()

    assert main(["compile", str(EXAMPLES / "digits_xs3.npz"), "-o", str(tmp_path), "--c"]) == 2
    assert capsys.readouterr().err == (
        f"xymac compile: Cannot write {tmp_path / 'main.c'}: it is a folder\n")
