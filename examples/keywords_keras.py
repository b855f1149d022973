# SPDX-License-Identifier: Apache-2.0
"""Train a keyword spotting network in Keras and convert it to int8: keywords_keras.tflite.

Run ``python examples/keywords_keras.py`` with the extra ``convert-keras``; ``-o DIR`` is the output
folder, by default ``examples/files``. The words are synthesised, see ``keywords_data.py``;
the network is like MLPerf Tiny's, but smaller, and reads features from ``audio_features.py``.
"""

from folder import read_folder, stop_without

try:
    import keras
    import numpy as np
    from audio_features import mfcc
    from convert_keras import convert
    from keywords_data import WORDS, make_sounds
except ModuleNotFoundError as error:
    stop_without(error, __doc__, "convert-keras")

SEED        = 1
EPOCHS      = 12
TRAIN, TEST = 1200, 120


def build():
    """A convolution and two depthwise separable ones, means, and a matrix."""
    layers = keras.layers
    chain  = [keras.Input((49, 10, 1), name="features"),
              layers.Conv2D(16, (10, 4), 2, padding="same", activation="relu", name="conv1")]
    for number in (2, 3):
        chain += [layers.DepthwiseConv2D(3, padding="same", activation="relu",
                                         name=f"depthwise{number}"),
                  layers.Conv2D(16, 1, activation="relu", name=f"conv{number}")]
    return keras.Sequential([
        *chain, layers.GlobalAveragePooling2D(name="average"),
        layers.Dense(len(WORDS), activation="softmax", name="shares")])


def make_data(count, rng):
    """(features (count, 49, 10, 1), labels)."""
    sounds, labels = make_sounds(count, rng)
    return mfcc(sounds)[..., None], labels


def main():
    """Train, convert, write the files, and print the accuracy."""
    folder = read_folder(__doc__)
    keras.utils.set_random_seed(SEED)
    rng = np.random.default_rng(SEED)
    train, test = make_data(TRAIN, rng), make_data(TEST, rng)
    model = build()
    model.compile(keras.optimizers.Adam(3e-3), "sparse_categorical_crossentropy",
                  metrics=["accuracy"])
    model.fit(*train, batch_size=32, epochs=EPOCHS, verbose=2)
    _, right = model.evaluate(*test, verbose=0)
    print(f"{right:.1%} of the test sounds are right in float32")
    (folder / "keywords_keras_float.tflite").write_bytes(convert(model))
    (folder / "keywords_keras.tflite").write_bytes(convert(model, train[0]))
    np.savez_compressed(folder / "keywords_test.npz", images=test[0], labels=test[1])
    (folder / "keywords.txt").write_text("".join(f"{word}\n" for word in WORDS))


if __name__ == "__main__":
    main()
