# SPDX-License-Identifier: Apache-2.0
"""Scripts that train and convert networks, where their extras are installed, and their files."""

import importlib.util
import os
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from docs.tables.documents import ROOT
from xymac.host.network.inference import classify
from xymac.host.network.inputs.images import load_images
from xymac.host.network.load import load_model

FOLDER = ROOT / "examples"
#: Module and extra of a framework, and the least share of right answers of its networks in int8.
KERAS, TORCH = ("tensorflow", "convert-keras"), ("litert_torch", "convert-torch")
LEAST  = {"digits_keras": 0.92, "keywords_keras": 0.85, "digits_torch": 0.92}


def share_of(folder, name):
    """Share of right answers of a network on its test data, computed by golden."""
    network = load_model(folder / f"{name}.tflite")
    images  = load_images(folder / f"{name.partition('_')[0]}_test.npz", network)
    return np.mean(classify(network, images.data).predictions == images.labels)


@pytest.mark.parametrize("name", LEAST)
def test_shipped_files_answer_right(name):
    assert share_of(FOLDER / "files", name) > LEAST[name]


@pytest.mark.parametrize(("name", "module", "extra"), [
    ("digits_keras", *KERAS), ("keywords_keras", *KERAS), ("digits_torch", *TORCH)])
def test_a_network_is_trained_and_converted(name, module, extra, tmp_path):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs the extra {extra}: {module} is not installed")

    subprocess.run([sys.executable, FOLDER / f"{name}.py", "-o", tmp_path], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=os.environ | {"OMP_NUM_THREADS": "1"})

    assert share_of(tmp_path, name) > LEAST[name]
    assert (tmp_path / f"{name}_float.tflite").stat().st_size > 1000


@pytest.mark.parametrize(("name", "framework"), [
    ("digits_keras", "keras"), ("keywords_keras", "keras"), ("digits_torch", "torch")])
def test_without_its_packages_a_script_says_what_to_type(name, framework, tmp_path):
    (tmp_path / f"{framework}.py").write_text(f"raise ModuleNotFoundError(name={framework!r})\n")
    run = partial(subprocess.run, text=True, capture_output=True, check=False,
                  env=os.environ | {"PYTHONPATH": str(tmp_path)})
    page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")

    done = run([sys.executable, FOLDER / f"{name}.py", "-o", tmp_path / "made"])
    shown = run([sys.executable, FOLDER / f"{name}.py", "--help"])

    [words] = re.findall(rf"^{framework}/bin/pip (install .*)$", page, re.MULTILINE)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"{name}.py: the package {framework} is not installed in {sys.prefix}: "
                           f"{sys.executable} -m pip {words}\n")
    assert not (tmp_path / "made").exists()
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "-o DIR" in shown.stdout


def test_features_are_cosines_of_the_logarithm_of_bands():
    """Against loops over the definition, for a sound of three tones."""
    sys.path.insert(0, str(FOLDER))
    try:
        import audio_features as audio
    finally:
        sys.path.remove(str(FOLDER))
    time  = np.arange(audio.RATE) / audio.RATE
    sound = sum(np.sin(2 * np.pi * tone * time) for tone in (440, 1200, 3000)) / 4

    made = audio.mfcc(sound)

    assert made.shape == (49, 10)
    edges = np.linspace(1127 * np.log1p(20 / 700), 1127 * np.log1p(4000 / 700), 42)
    part  = sound[320 * 7:320 * 7 + 480] * np.hanning(480)
    power = [abs(sum(part * np.exp(-2j * np.pi * bin_ * np.arange(480) / 512))) ** 2
             for bin_ in range(257)]
    bands = []
    for low, middle, high in zip(edges, edges[1:], edges[2:], strict=False):
        total = 0.0
        for bin_, energy in enumerate(power):
            mel = 1127 * np.log1p(bin_ * 16000 / 512 / 700)
            total += energy * max(0, min((mel - low) / (middle - low), (high - mel)
                                         / (high - middle)))
        bands.append(np.log(total + 1e-6))
    wanted = [np.sqrt(2 / 40) * sum(band * np.cos(np.pi / 40 * (place + 0.5) * number)
                                    for place, band in enumerate(bands)) for number in range(10)]
    np.testing.assert_allclose(made[7], wanted, rtol=1e-4, atol=1e-4)
