# SPDX-License-Identifier: Apache-2.0
"""The benchmarks as network files: the same layers, for ``xymac run``."""

import pytest

from xymac import golden
from xymac.host.cli.main import main as xymac
from xymac.host.examples import digits, vendor
from xymac.host.network.file import load_network
from xymac.sim.benchmarks import files as benchmark_files
from xymac.sim.benchmarks.bench import golden_output
from xymac.sim.benchmarks.benchmarks import BENCHMARKS
from xymac.sim.regress import speed


def test_files_are_the_works(tmp_path, capsys):
    folder = tmp_path / "new"

    benchmark_files.main(["-o", str(folder)])

    benchmarks = [each for each in BENCHMARKS if benchmark_files.takes_network(each)]
    assert sorted(path.stem for path in folder.iterdir()) == sorted(
        each.name for each in benchmarks)
    for benchmark in benchmarks:
        layers, x = benchmark.operands()
        network = load_network(folder / f"{benchmark.name}.npz")
        values  = [network.tensor(x.data)]
        for layer in network.layers:
            values.append(golden.run(layer, values[-1]).output)
        assert values[0] == x
        assert values[-1] == golden_output(layers, x)
    assert xymac(["run", str(folder / "cifar10_large_fx8.npz"), "--backend", "golden"]) == 0
    assert "3x32x32 > 32x32x32" in capsys.readouterr().out


@pytest.mark.parametrize(("main", "words", "sentence"), [
    (benchmark_files.main, ["-o", "text"], "Cannot make the folder text: text is a file"),
    (digits.main, ["-o", "text"], "Cannot make the folder text: text is a file"),
    (vendor.main, ["-o", "text", "text"], "There is no file text/example_cifar10_caffe.npz"),
    (speed._main, ["--match", "zz*"], "There is no piece of kind any and name zz*")])
def test_scripts_end_in_a_sentence(main, words, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").touch()

    with pytest.raises(SystemExit, match=r"^2$"):
        main(words)

    assert sentence in capsys.readouterr().err.splitlines()[-1]


def test_benchmarks_that_no_network_has_are_left_out():
    """Those with two inputs, the quantised ones, and those of TensorFlow Lite."""
    assert [each.name for each in BENCHMARKS if not benchmark_files.takes_network(each)] == [
        "add_fx8", "mul_fx8", "conv3x3_sa8", "depthwise3x3_sa8", "group_conv3x3_sa8", "add_sa8",
        "lookup8", "conv3x3_xs3", "argmax_top1", "argmax_top5", "l2_normalize_fx16",
        "softmax_144x2_int8", "softmax_10_int8", "softmax_10_corrected_int8", "mul_c3_int8",
        "add_c3_int8", "add_int8", "pad_conv3x3_int8", "pad_channels_int8", "depthwise3x3_x2_int8",
        "lstm_28x28_to20_int8"]
