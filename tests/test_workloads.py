"""The vendor's CIFAR-10 network: accuracy, distance to floating point, and every layer on devices.

Needs its data: ``pytest --workloads DIR``, see host/mli_examples.py.
"""

import numpy as np
import pytest

import golden
from hdl.config import BASE
from host.device import MachineDevice
from host.inference import classify
from host.mli_examples import (
    REFERENCE_IMAGE,
    TYPES,
    cifar10,
    cifar10_images,
    cifar10_references,
    main,
    signal_to_noise,
)
from host.network_file import load_images, load_network
from host.runner import run_layer

#: Of the result. That in fx16 is published; that in fx8 is of the library's code with its default
#: rounding. None is known for fx8w16d.
SIGNAL_TO_NOISE = {"fx8": 20.2, "fx16": 4383.8}


@pytest.fixture(scope="module")
def folder(workloads):
    """Folder of the data; skips the test if it is not given."""
    if workloads is None:
        pytest.skip("needs the option --workloads DIR")
    return workloads / "mli_examples"


def results(network, image):
    """Golden Results by the name of the layer."""
    values, found = [network.tensor(image)], {}
    for name, node in zip(network.names, network.nodes, strict=True):
        found[name] = golden.run(node.layer, *(values[number] for number in node.sources))
        values.append(found[name].output)
    return found


def distances(folder, kind):
    """Signal to noise of the layers for the reference image, by name."""
    found      = results(cifar10(folder, kind), cifar10_images(folder, kind).data[REFERENCE_IMAGE])
    references = cifar10_references(folder)
    return {name: signal_to_noise(result.output, references[name])
            for name, result in found.items() if name in references}


def assert_layers(device, network, image):
    """Every layer alone on its golden inputs, then all of them as one program."""
    expected = results(network, image)
    values   = [network.tensor(image), *(result.output for result in expected.values())]

    for name, node in zip(network.names, network.nodes, strict=True):
        run = run_layer(device, node.layer, *(values[number] for number in node.sources))
        assert run.output == expected[name].output, name
        assert run.overflow == expected[name].overflow, name
    found = classify(network, [image], device=device)

    assert found.difference is None
    assert found.predictions == [int(np.argmax(values[-1].data))]


@pytest.mark.parametrize("kind", TYPES)
def test_accuracy_is_the_published_one(kind, folder):
    network, images = cifar10(folder, kind), cifar10_images(folder, kind)

    predictions = classify(network, images.data).predictions

    assert np.count_nonzero(predictions == images.labels) == 19


@pytest.mark.parametrize("kind", SIGNAL_TO_NOISE)
def test_distance_to_floating_point(kind, folder):
    assert round(distances(folder, kind)["prob"], 1) == SIGNAL_TO_NOISE[kind]


def test_wider_types_are_closer(folder):
    fx8, fx8w16d, fx16 = (distances(folder, kind) for kind in ("fx8", "fx8w16d", "fx16"))

    assert list(fx8) == ["conv1", "pool1", "conv2", "pool2", "conv3", "pool3", "ip1", "prob"]
    for name in fx8:
        assert fx8[name] < fx8w16d[name] < fx16[name], name


@pytest.mark.parametrize("kind", TYPES)
def test_halves_give_the_same(kind, folder):
    image = cifar10_images(folder, kind).data[0]
    whole = results(cifar10(folder, kind), image)

    halves = results(cifar10(folder, kind, halves=True), image)

    for name in whole.keys() & halves.keys():
        assert halves[name].output == whole[name].output, name
    conv1 = np.hstack([halves["conv1_upper"].output.data, halves["conv1_lower"].output.data[:, 1:]])
    np.testing.assert_array_equal(conv1, whole["conv1"].output.data)


@pytest.mark.parametrize("kind", TYPES)
def test_layers_on_the_machine(kind, folder):
    network, images = cifar10(folder, kind, halves=kind != "fx8"), cifar10_images(folder, kind)

    with MachineDevice(BASE) as device:
        for image in images.data[:3]:
            assert_layers(device, network, image)


@pytest.mark.parametrize("kind", TYPES)
def test_layers_in_rtl(kind, folder, rtl):
    network, images = cifar10(folder, kind, halves=kind != "fx8"), cifar10_images(folder, kind)

    assert_layers(rtl("base"), network, images.data[REFERENCE_IMAGE])


def test_written_files_are_the_networks(folder, tmp_path):
    main([str(folder), "-o", str(tmp_path / "new")])

    for kind in TYPES:
        network  = load_network(tmp_path / "new" / f"cifar10_{kind}.npz")
        images   = load_images(tmp_path / "new" / f"cifar10_{kind}_images.npz", network)
        expected = cifar10_images(folder, kind)
        np.testing.assert_array_equal(images.data, expected.data)
        np.testing.assert_array_equal(images.labels, expected.labels)
        found  = results(network, images.data[1])["prob"].output
        assert found == results(cifar10(folder, kind), images.data[1])["prob"].output


def test_a_folder_without_the_data_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path), "-o", str(tmp_path / "new")])

    assert "There is no file" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
