# SPDX-License-Identifier: Apache-2.0
"""Load a network from any supported file."""

import zipfile
from pathlib import Path

from xymac.host.errors import InputError, check_path
from xymac.host.files.foreign import check_network_file, check_network_folder
from xymac.host.files.reading import check_file
from xymac.host.tflite.reader import IDENTIFIER

from .file import load_network
from .tflite import load_tflite

__all__ = ["load_model"]


def load_model(path):
    """Read the Network in ``path``, a .tflite file or an .npz network file; InputError if it is
    missing, damaged or not a
    network; the sentence on a file of another framework says how to convert it.
    """
    check_path("path", path)
    path = Path(path)
    if path.is_dir():
        check_network_folder(path)
        raise InputError(f"{path} is a folder, and a network must be a .tflite or .npz file")
    check_file(path)
    if _is_tflite(path):
        return load_tflite(path)
    check_network_file(path)
    if path.suffix.lower() != ".npz" and not zipfile.is_zipfile(path):
        raise InputError(f"{path} is no network: it must be a .tflite file, an .npz network file "
                         f"or a folder that `xymac compile` wrote")
    return load_network(path)


def _is_tflite(path):
    """Whether a file has the TensorFlow Lite signature or suffix."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}") from error
    return start[4:] == IDENTIFIER or path.suffix.lower() == ".tflite"
