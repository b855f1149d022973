# SPDX-License-Identifier: Apache-2.0
"""Write the embARC MLI example networks for ``xymac run``.

The command is ``python -m xymac.host.examples.vendor FOLDER``, and the folder has
``example_cifar10_caffe.npz`` and ``example_har_smartphone.npz``, see host/examples/cifar10.py and
host/examples/har.py.
"""

import argparse
from pathlib import Path

from xymac.host.files import make_folder
from xymac.host.files.arrays import save_arrays
from xymac.host.network.file import save_network

from .cifar10 import cifar10, cifar10_images
from .constants import TYPES
from .har import har, har_sequences

__all__ = ["main"]


def _examples(folder):
    """Networks with their Images."""
    for kind in TYPES:
        yield cifar10(folder, kind), cifar10_images(folder, kind)
        yield har(folder, kind), har_sequences(folder, kind)


def main(arguments=None):
    """Write a network and an image file for every example and type.

    Exit code 2 if the data files are not there or damaged.
    """
    parser = argparse.ArgumentParser(
        prog="python -m xymac.host.examples.vendor",
        description="Write the example networks of embARC MLI as files for xymac run.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="folder of the data files")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("build"),
                        help="where to write the files (default: build)")
    options = parser.parse_args(arguments)
    try:
        examples = list(_examples(options.folder))
        make_folder(options.output)
    except ValueError as error:
        parser.error(str(error))
    for network, images in examples:
        save_network(options.output / f"{network.name}.npz", network)
        save_arrays(options.output / f"{network.name}_images.npz",
                    {"images": images.data, "labels": images.labels})


if __name__ == "__main__":
    main()
