# SPDX-License-Identifier: Apache-2.0
"""``xymac run --waves``: a network's layers by name, in a file that is small."""

from itertools import groupby

import pytest
import pywellen

from xymac.host.cli.main import main

DIGITS = "host/examples/data/digits_cnn.tflite"
LAYERS = ["conv0", "conv1", "conv2", "conv3", "dense4", "shares"]


def run(path, *options):
    """Exit code of a run of one image on tiny."""
    return main(["run", DIGITS, "--size", "tiny", "--limit", "1", "--waves", str(path), *options])


@pytest.mark.long
def test_layers_of_a_network(tmp_path):
    path = tmp_path / "digits.fst"
    assert run(path) == 0

    variables = {each.full_name: each.tv for each in pywellen.Waveform(str(path)).all_vars()}
    layers    = [value for _, value in variables["guide.layer"] if value != "-"]
    assert [name for name, _ in groupby(layers)] == LAYERS
    cycles = len(variables["guide.clk"]) // 2
    assert path.stat().st_size * 17_000 / cycles < 10_000_000
    assert {each.name for each in tmp_path.iterdir()} == {
        "digits.fst", "digits.gtkw", "digits.surf.ron"}


@pytest.mark.long
def test_a_window_beyond_the_end(tmp_path, capsys):
    assert run(tmp_path / "x.fst", "--from", "1000000000") == 2
    assert "so there are no waveforms from cycle 1000000000 on" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["fst", "vcd"])
def test_a_full_disk_is_one_sentence(suffix, tmp_path, capsys):
    path = tmp_path / f"x.{suffix}"
    path.symlink_to("/dev/full")
    assert run(path) == 2
    assert capsys.readouterr().err.endswith(f"Cannot write {path}: No space left on device\n")
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(("option", "value", "message"), [
    ("--from", "-1", "must be at least 0, not -1"), ("--from", "a", "must be an int, not 'a'"),
    ("--cycles", "0", "must be at least 1, not 0"), ("--depth", "0", "must be at least 1, not 0")])
def test_unusable_windows(option, value, message, capsys):
    with pytest.raises(SystemExit):
        main(["run", DIGITS, "--waves", "x.fst", option, value])
    assert f"argument {option}: {message}" in capsys.readouterr().err
