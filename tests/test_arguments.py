# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of the API end in a sentence that names the argument."""

import numpy as np
import pytest

import xymac
from xymac.golden.mli1 import Conv2d, Tensor
from xymac.host.examples import DATA

MODEL = xymac.load_model(DATA / "digits_cnn.tflite")
BYTES = (DATA / "digits_cnn.tflite").read_bytes()
FILE  = xymac.read_model(BYTES)
PIXEL = np.zeros((1, 8, 8, 1), np.int8)
X     = Tensor(np.ones((4, 4, 4), np.int8), frac_bits=7)
LAYER = Conv2d(Tensor(np.ones((4, 4, 1, 1), np.int8), frac_bits=7),
               Tensor(np.zeros(4, np.int8), frac_bits=7), out_frac_bits=3)
NODE  = xymac.Node(LAYER, (0,))
CASES = xymac.generate(xymac.Supports("conv2d", "tflm"), 1).cases
DEVICE = xymac.open_device("machine", "tiny")

#: Values of kinds that no argument takes.
WRONG = [None, 1.5, object(), (lambda: 0), 10 ** 30 * 1j]

#: A function of the wrong value, and the argument in its sentence.
CALLS = {
    "Plan config":      (lambda wrong: xymac.Plan(wrong, [LAYER], X), "config"),
    "Plan layers":      (lambda wrong: xymac.Plan("tiny", wrong, X), "layers"),
    "Plan a layer":     (lambda wrong: xymac.Plan("tiny", [LAYER, wrong], X), "layers[1]"),
    "Plan a Node":      (lambda wrong: xymac.Plan("tiny", [NODE, wrong], X), "layers[1]"),
    "make_plan config": (lambda wrong: xymac.make_plan(wrong, [LAYER], X), "config"),
    "make_plan layers": (lambda wrong: xymac.make_plan("tiny", wrong, X), "layers"),
    "predict program":  (lambda wrong: xymac.predict(wrong, "tiny"), "program"),
    "predict config":   (lambda wrong: xymac.predict((), wrong), "config"),
    "run_layer device": (lambda wrong: xymac.run_layer(wrong, LAYER, X), "device"),
    "run_layer layer":  (lambda wrong: xymac.run_layer(DEVICE, wrong, X), "layers[0]"),
    "open_device name": (lambda wrong: xymac.open_device(wrong, "tiny"), "name"),
    "open_device size": (lambda wrong: xymac.open_device("machine", wrong), "config"),
    "on_device":        (lambda wrong: xymac.on_device(wrong), "device"),
    "run_in_memory":    (lambda wrong: xymac.run_in_memory(wrong, LAYER, X), "device"),
    "classify images":  (lambda wrong: xymac.classify(MODEL, wrong), "images"),
    "classify network": (lambda wrong: xymac.classify(wrong, PIXEL), "network"),
    "Session network":  (lambda wrong: xymac.Session(wrong), "network"),
    "Session input":    (lambda wrong: xymac.Session(MODEL).run(wrong), "input"),
    "load_model":       (lambda wrong: xymac.load_model(wrong), "path"),
    "load_network":     (lambda wrong: xymac.load_network(wrong), "path"),
    "load_images path": (lambda wrong: xymac.load_images(wrong, MODEL), "path"),
    "load_images to":   (lambda wrong: xymac.load_images("x.npy", wrong), "network"),
    "save path":        (lambda wrong: xymac.save_network(wrong, MODEL), "path"),
    "save network":     (lambda wrong: xymac.save_network("x.npz", wrong), "network"),
    "read_model":       (lambda wrong: xymac.read_model(wrong), "data"),
    "run_model model":  (lambda wrong: xymac.run_model(wrong, PIXEL), "model"),
    "run_model input":  (lambda wrong: xymac.run_model(FILE, wrong), "Input 0"),
    "write_model":      (lambda wrong: xymac.write_model(wrong), "model"),
    "read_cases":       (lambda wrong: xymac.read_cases(wrong), "folder"),
    "select cases":     (lambda wrong: xymac.select_cases(wrong), "cases"),
    "check_cases":      (lambda wrong: xymac.check_cases(wrong, xymac.run), "cases"),
    "generate support": (lambda wrong: xymac.generate(wrong, 1), "support"),
    "generate count":   (lambda wrong: xymac.generate(CASES and xymac.Supports("add", "tflm"),
                                                      wrong), "count"),
    "explain cases":    (lambda wrong: xymac.explain(wrong, []), "cases"),
    "explain results":  (lambda wrong: xymac.explain(CASES, wrong), "results"),
    "write cases":      (lambda wrong: xymac.write_vectors("x", wrong), "cases"),
    "write folder":     (lambda wrong: xymac.write_vectors(wrong, CASES), "folder"),
    "pack values":      (lambda wrong: xymac.pack([1, wrong], 8), "Value 1"),
    "pack bits":        (lambda wrong: xymac.pack([1], wrong), "bits"),
    "unpack word":      (lambda wrong: xymac.unpack(wrong, 8, 1), "word"),
    "unpack bits":      (lambda wrong: xymac.unpack(1, wrong, 1), "bits"),
    "unpack count":     (lambda wrong: xymac.unpack(1, 8, wrong), "count"),
    "view_nodes":       (lambda wrong: xymac.view_nodes(LAYER, wrong), "inputs"),
    "join x":           (lambda wrong: xymac.join_layers("n", wrong, [LAYER]), "x"),
    "join layers":      (lambda wrong: xymac.join_layers("n", X, wrong), "layers"),
    "join a layer":     (lambda wrong: xymac.join_layers("n", X, [wrong]), "layers[0]"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_a_wrong_argument_is_named(name, wrong):
    call, argument = CALLS[name]
    with pytest.raises(xymac.InputError) as error:
        call(wrong)
    text = str(error.value)
    assert argument in text.split(" must be ")[0]
    assert f", not {type(wrong).__name__}" in text
    assert "\n" not in text


@pytest.mark.parametrize(("call", "text"), [
    (lambda: xymac.Plan("bse", [LAYER], X), "did you mean base"),
    (lambda: xymac.make_plan("tiny", LAYER, X), "layers must be a list or tuple, not Conv2d"),
    (lambda: xymac.pack([1, 256], 8), "Value 1 must fit 8 bits, not 256"),
    (lambda: xymac.pack([1], 0), "bits must be an int of at least 1, not 0"),
    (lambda: xymac.generate(xymac.Supports("add", "tflm"), -1), "at least 0, not -1"),
    (lambda: xymac.select_cases([], limit=0), "limit must be an int of at least 1, not 0"),
    (lambda: xymac.read_model("net.tflite"), "not str, the content of a file"),
])
def test_sentences(call, text):
    with pytest.raises(xymac.InputError, match=text.replace("[", r"\[")):
        call()


def test_sizes_by_name_and_by_value_make_the_same_plan():
    by_name = xymac.make_plan("tiny", [LAYER], X)
    plan    = xymac.Plan(xymac.CORES["tiny"], [LAYER], X)
    assert by_name.program == plan.program
    assert xymac.predict(by_name.program, "tiny") == xymac.predict(plan.program, plan.config)


def test_words_of_numpy_are_unpacked_like_those_of_python():
    word = xymac.pack([-1, 2, -128], 8)
    assert xymac.unpack(np.int64(word), 8, 3).tolist() == [-1, 2, -128]
