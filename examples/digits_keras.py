# SPDX-License-Identifier: Apache-2.0
"""Train a network for handwritten digits in Keras and convert it to int8: digits_keras.tflite.

Run ``python examples/digits_keras.py`` with the extra ``convert-keras``; ``-o DIR`` is the output
folder, by default ``examples/files``. The data are the 1797 images of 8x8 pixels in
scikit-learn's ``load_digits``; every sixth image is a test image.
"""

from folder import read_folder, stop_without

try:
    import keras
    from convert_keras import convert
    from digits_data import load_digits, write_digits
except ModuleNotFoundError as error:
    stop_without(error, __doc__, "convert-keras")

SEED   = 1
EPOCHS = 20


def build():
    """The network: 6 layers with 5,994 weights and biases."""
    layers = keras.layers
    return keras.Sequential([
        keras.Input((8, 8, 1), name="pixels"),
        layers.Conv2D(16, 3, padding="same", activation="relu", name="conv1"),
        layers.MaxPooling2D(name="pool"),
        layers.DepthwiseConv2D(3, padding="same", activation="relu", name="depthwise"),
        layers.Conv2D(32, 1, activation="relu", name="conv2"),
        layers.Flatten(name="flat"),
        layers.Dense(10, activation="softmax", name="shares")])


def main():
    """Train, convert, write the files, and print the accuracy."""
    folder = read_folder(__doc__)
    keras.utils.set_random_seed(SEED)
    digits = load_digits()
    model  = build()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(*digits.train, batch_size=32, epochs=EPOCHS, verbose=2)
    _, right = model.evaluate(*digits.test, verbose=0)
    print(f"{right:.1%} of the test images are right in float32")
    (folder / "digits_keras_float.tflite").write_bytes(convert(model))
    (folder / "digits_keras.tflite").write_bytes(convert(model, digits.train[0]))
    write_digits(folder, digits)


if __name__ == "__main__":
    main()
