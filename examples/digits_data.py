# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's handwritten digits as arrays and as a folder with PNG files."""

from dataclasses import dataclass

import numpy as np
from PIL import Image
from sklearn import datasets

TEST_EVERY = 6
HIGHEST    = 16  #: Of a pixel in scikit-learn.
PICTURES   = 3   #: PNG files of a digit.


@dataclass(frozen=True)
class Digits:
    """Training and test data: images, float32 (count, 8, 8, 1) from 0 to 1, and labels, int."""

    train: tuple
    test:  tuple


def load_digits():
    """The Digits."""
    digits = datasets.load_digits()
    images = (digits.images / HIGHEST).astype(np.float32)[..., None]
    test   = np.arange(len(images)) % TEST_EVERY == 0
    return Digits(*((images[part], digits.target[part]) for part in (~test, test)))


def write_digits(folder, digits):
    """Write the test data: digits_test.npz, and each digit's first images as PNG files in
    digits/LABEL."""
    images, labels = digits.test
    pixels = np.round(images * 255).astype(np.uint8)
    np.savez_compressed(folder / "digits_test.npz", images=images, labels=labels)
    for label in range(10):
        place = folder / "digits" / str(label)
        place.mkdir(parents=True, exist_ok=True)
        for number, index in enumerate(np.flatnonzero(labels == label)[:PICTURES]):
            Image.fromarray(pixels[index, ..., 0]).save(place / f"{number}.png")
