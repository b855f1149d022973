# SPDX-License-Identifier: Apache-2.0
"""Other frameworks' files: a sentence with the file format and the way to a network.

A file is known by its first bytes, by a zip archive's members, or by its suffix.
"""

import zipfile
from pathlib import Path

from xymac.host.errors import InputError

__all__ = ["OTHER_PICTURES", "PICTURES", "check_inputs_file", "check_network_file",
           "check_network_folder"]

PICTURES = (".png", ".jpg", ".jpeg", ".bmp")  #: Suffixes of image files that are inputs.
#: Suffixes of other image files.
OTHER_PICTURES = (".avif", ".gif", ".heic", ".pgm", ".ppm", ".svg", ".tif", ".tiff", ".webp")

_KERAS  = ("is a Keras model: convert it to an int8 .tflite file with tf.lite.TFLiteConverter, as "
           "examples/convert_keras.py does (docs/tutorial.md)")
_TORCH  = ("is a PyTorch file: convert the model to an int8 .tflite file with litert-torch, as "
           "examples/convert_torch.py does (docs/tutorial.md)")
_SAVED  = ("is a TensorFlow SavedModel: convert it to an int8 .tflite file with "
           "tf.lite.TFLiteConverter.from_saved_model and a representative data set "
           "(docs/tutorial.md)")
_GRAPH  = ("is a TensorFlow graph: convert its SavedModel folder to an int8 .tflite file with "
           "tf.lite.TFLiteConverter.from_saved_model (docs/tutorial.md)")
_ONNX   = ("is an ONNX model: convert it to an int8 .tflite file, as onnx2tf does with its option "
           "-oiqt, or convert the original model (docs/tutorial.md)")
_OTHER  = "is a model of {}, which xymac does not read: convert the original model to int8 .tflite"
_IMAGE  = "is an image, not a network: images are given by --images or --data"
_ARRAY  = "is an array, not a network: inputs are given by --images or --data"
_PACKED = "is compressed: unpack it, for instance with gunzip or tar, and name the network"
_ZIP    = "is a zip archive and not an .npz file: unpack it, and name the network"
_PICKLE = ("is a Python pickle, which xymac does not read: convert the original model to int8 "
           ".tflite")

_BY_SUFFIX = {
    ".keras": _KERAS, ".h5": _KERAS, ".hdf5": _KERAS, ".pt": _TORCH, ".pth": _TORCH, ".pt2": _TORCH,
    ".ckpt": _TORCH, ".safetensors": _TORCH, ".ptl": _TORCH, ".pte": _TORCH, ".torchscript": _TORCH,
    ".mar": _TORCH, ".pb": _GRAPH, ".pbtxt": _GRAPH, ".onnx": _ONNX, ".tar": _PACKED,
    ".pkl": _PICKLE, ".pickle": _PICKLE, ".joblib": _PICKLE,
    ".npy": _ARRAY, ".mlmodel": _OTHER.format("Core ML"), ".gguf": _OTHER.format("llama.cpp"),
    ".caffemodel": _OTHER.format("Caffe"), ".prototxt": _OTHER.format("Caffe"),
    ".param": _OTHER.format("ncnn"), ".rknn": _OTHER.format("RKNN"), ".dlc": _OTHER.format("SNPE"),
    ".engine": _OTHER.format("TensorRT"), ".trt": _OTHER.format("TensorRT"),
    ".csv": "is a table, not a network", ".wav": "is a sound, not a network: features of sounds "
    "are given by --images or --data as an .npz file (examples/audio_features.py)",
    **dict.fromkeys(PICTURES + OTHER_PICTURES, _IMAGE)}
_BY_START = {b"\x89HDF\r\n\x1a\n": _KERAS, b"\x89PNG\r\n\x1a\n": _IMAGE, b"\xff\xd8\xff": _IMAGE,
             b"\x93NUMPY": _ARRAY, b"GGUF": _OTHER.format("llama.cpp"), b"GIF8": _IMAGE,
             b"\x1f\x8b": _PACKED, b"BZh": _PACKED, b"\xfd7zXZ": _PACKED,
             b"(\xb5/\xfd": _PACKED, b"7z\xbc\xaf": _PACKED}
#: Name endings of zip archive members.
_BY_MEMBER = {"model.weights.h5": _KERAS, "data.pkl": _TORCH, "archive_format": _TORCH}
_SAVED_NAMES = ("saved_model.pb", "saved_model.pbtxt")


def check_network_file(path):
    """Raise InputError for another framework's file, or an empty file."""
    if not Path(path).stat().st_size:
        raise InputError(f"{path} is empty")
    sentence = _by_content(Path(path)) or _BY_SUFFIX.get(Path(path).suffix.lower())
    if sentence:
        raise InputError(f"{path} {sentence}")


def check_network_folder(folder):
    """Raise InputError for a TensorFlow or Core ML folder."""
    if Path(folder).suffix.lower() == ".mlpackage":
        raise InputError(f"{folder} {_OTHER.format('Core ML')}")
    if any((Path(folder) / name).is_file() for name in _SAVED_NAMES):
        raise InputError(f"{folder} {_SAVED}")


def check_inputs_file(path):
    """Raise InputError for an input file that is a network."""
    path = Path(path)
    if path.suffix.lower() == ".tflite":
        raise InputError(f"{path} is a network: inputs must be image files, an .npy or an .npz "
                         f"file")
    sentence = _BY_SUFFIX.get(path.suffix.lower())
    if sentence in (_KERAS, _TORCH, _GRAPH, _ONNX):
        raise InputError(f"{path} {sentence.partition(':')[0]}, and no inputs: they must be image "
                         f"files, an .npy or an .npz file")


def _by_content(path):
    """Sentence on a file by its content, or None."""
    with path.open("rb") as file:
        start = file.read(8)
    for signature, sentence in _BY_START.items():
        if start.startswith(signature):
            return sentence
    if start[:2] != b"PK":
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except Exception:  # A damaged archive is the reader's to name.
        return None
    found = next((sentence for end, sentence in _BY_MEMBER.items()
                  if any(name.endswith(end) for name in names)), None)
    return found or (None if any(name.endswith(".npy") for name in names)
                     or path.suffix.lower() in (".npz", *_BY_SUFFIX) else _ZIP)
